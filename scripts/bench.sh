#!/bin/sh
# Runs the benchmarks of the release build. Compare numbers within one run only: machines differ and are shared.
set -eu
cd "$(dirname "$0")/.."
. scripts/data.sh
failed=0
for bench in build/release/bench/bench_*; do
  printf '\n== %s\n' "$(basename "$bench")"
  "$bench" --benchmark_min_time=0.5 || failed=1 # a bar was missed; the others still run
done
exit $failed
