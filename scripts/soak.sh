#!/bin/sh
# The long runs: every fuzz target for SOAK_SECONDS (default 600) and the tests repeated with fresh randomness.
set -eu
cd "$(dirname "$0")/.."
. scripts/data.sh
seconds=${SOAK_SECONDS:-600}

cmake --preset asan-ubsan >/dev/null
cmake --build --preset asan-ubsan
for target in build/asan-ubsan/fuzz/fuzz_*; do
  name=$(basename "$target" | sed 's/^fuzz_//')
  printf '\n== fuzz %s for %s s\n' "$name" "$seconds"
  "$target" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
    "build/asan-ubsan/fuzz/found/$name" "fuzz/corpus/$name"
done

printf '\n== tests, 20 times\n'
ctest --preset asan-ubsan --exclude-regex '^fuzz_' --repeat until-fail:20
