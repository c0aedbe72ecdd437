#!/bin/sh
# clang-tidy over the product's sources, with compile commands of its own. Further arguments go to clang-tidy:
# `make test` leaves out what takes most of the time, above all the path-sensitive analyzer; `make tidy` and `make soak` run all.
# Findings are printed together, at the end.
set -eu
cd "$(dirname "$0")/.."
cmake --preset tidy >/dev/null
findings=build/tidy/findings.txt
git ls-files 'src/*.cpp' 'apps/*.cpp' | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build/tidy "$@" >"$findings" 2>build/tidy/log.txt || {
  cat "$findings"
  grep -v ' warnings\{0,1\} generated' build/tidy/log.txt
  exit 1
}
