#!/bin/sh
# clang-tidy over the product's sources, with compile commands of its own. `--quick`, as `make test` runs it, leaves out what takes
# most of the time: the path-sensitive analyzer, the slowest checks and those of style alone, and the commands and the laboratory, whose headers are
# the largest; `make tidy` and `make soak` run all. Findings are printed together, at the end.
set -eu
cd "$(dirname "$0")/.."
checks=
sources='src/*.cpp apps/*.cpp'
if [ "${1:-}" = --quick ]; then
  checks='-clang-analyzer-*,-bugprone-reserved-identifier,-bugprone-stringview-nullptr,-performance-unnecessary-value-param,-modernize-*,-misc-unused-*'
  sources='src/*.cpp :!src/simulate :!src/attack :!src/study :!src/report'
fi
cmake --preset tidy >/dev/null
findings=build/tidy/findings.txt
set -f # the patterns are git's
git ls-files $sources | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build/tidy --checks="$checks" >"$findings" 2>build/tidy/log.txt || {
  cat "$findings"
  grep -v ' warnings\{0,1\} generated' build/tidy/log.txt
  exit 1
}
