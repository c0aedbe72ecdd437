#!/bin/sh
# clang-tidy over the product's sources, with compile commands of its own. `--quick`, as `make test` runs it, leaves out what takes
# most of the time: the path-sensitive analyzer, the slowest checks and those of style alone, and all rooms but those of the device and of what
# handles reports; and it reads several sources of a room at once, which takes a third of the time. `make tidy` and `make soak` run all,
# source by source. Findings are printed together, at the end.
set -eu
cd "$(dirname "$0")/.."
checks=
folder=build/tidy
at_once=4
if [ "${1:-}" = --quick ]; then
  checks='-clang-analyzer-*,-bugprone-reserved-identifier,-bugprone-stringview-nullptr,-performance-unnecessary-value-param,-modernize-*,-misc-unused-*,-bugprone-suspicious-include'
  folder=build/tidy-quick
  at_once=1
  cmake --preset tidy -B $folder -DCMAKE_UNITY_BUILD=ON >/dev/null
  for room in core random ldp wire client audit io plan_files server teach; do
    ls $folder/src/CMakeFiles/ppgnn_$room.dir/Unity/*.cxx
  done >$folder/sources.txt
else
  cmake --preset tidy >/dev/null
  git ls-files 'src/*.cpp' 'apps/*.cpp' >$folder/sources.txt
fi
xargs -P "$(nproc)" -n $at_once clang-tidy --quiet -p $folder --checks="$checks" <$folder/sources.txt >$folder/findings.txt 2>$folder/log.txt || {
  cat $folder/findings.txt
  grep -v ' warnings\{0,1\} generated' $folder/log.txt
  exit 1
}
