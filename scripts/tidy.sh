#!/bin/sh
# clang-tidy over the product's sources, with compile commands of its own. `--quick`, as `make test` runs it, leaves out what takes
# most of the time: the path-sensitive analyzer, the slowest checks and those of style alone, and all rooms but those of the device and of what
# handles reports; `make tidy` and `make soak` run all. Findings are printed together, at the end.
set -eu
cd "$(dirname "$0")/.."
checks=
sources='src/*.cpp apps/*.cpp'
if [ "${1:-}" = --quick ]; then
  checks='-clang-analyzer-*,-bugprone-reserved-identifier,-bugprone-stringview-nullptr,-performance-unnecessary-value-param,-modernize-*,-misc-unused-*'
  sources='src/core src/random src/ldp src/wire src/client src/audit src/io src/plan_files src/server src/teach'
fi
cmake --preset tidy >/dev/null
findings=build/tidy/findings.txt
set -f # the patterns are git's
git ls-files $sources | grep "\.cpp\$" | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build/tidy --checks="$checks" >"$findings" 2>build/tidy/log.txt || {
  cat "$findings"
  grep -v ' warnings\{0,1\} generated' build/tidy/log.txt
  exit 1
}
