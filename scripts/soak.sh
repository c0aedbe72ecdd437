#!/bin/sh
# The long runs: every fuzz target for SOAK_SECONDS (default 600) and the tests repeated with fresh randomness. With fewer seconds
# all counts are fewer in proportion, so that the whole can be run in an hour too; SOAK_PARTS names the parts to run, as functions
# soak_<part> below. A part that fails ends the run.
set -eu
cd "$(dirname "$0")/.."
. scripts/data.sh
seconds=${SOAK_SECONDS:-600}
of() { # of what 600 seconds a target ask for; at least one
  awk -v most="$1" -v seconds="$seconds" 'BEGIN { n = int(most * seconds / 600); print n < 1 ? 1 : n }'
}
say() { printf '\n== %s %s\n' "$(date -u +%H:%M:%S)" "$1"; }

# fuzz <target> <options of libFuzzer>: under address and undefined-behaviour sanitizers
fuzz() {
  name=$1
  shift
  say "fuzz $name $*"
  "build/asan-ubsan/fuzz/fuzz_$name" "$@" -timeout=10 -print_final_stats=1 \
    "-artifact_prefix=build/asan-ubsan/fuzz/failed/$name/" "build/asan-ubsan/fuzz/found/$name" "fuzz/corpus/$name"
}

sanitized() { # what is named, or all: the command under sanitizers too, for which make test has no time
  cmake --preset asan-ubsan -DPPGNN_APP=ON -DPPGNN_SOAK=ON >/dev/null
  cmake --build --preset asan-ubsan ${1:+--target "$@"}
}

soak_fuzz() {
  names=$(for source in fuzz/*_fuzz.cpp; do basename "$source" _fuzz.cpp; done)
  # shellcheck disable=SC2046 # a word a target is meant
  sanitized $(printf 'fuzz_%s ' $names)
  for each in $names; do fuzz "$each" -max_total_time="$seconds" -rss_limit_mb=2048; done
}

soak_requests() { # eight million to parser and API, and two million connections to sessions, with several requests each
  sanitized fuzz_collector fuzz_session
  fuzz collector -runs="$(of 8000000)" -rss_limit_mb=4096
  fuzz session -runs="$(of 2000000)" -entropic=0 -rss_limit_mb=4096
}

soak_sources() {
  say "every source by itself: a missing include shows here"
  cmake --preset dev >/dev/null
  cmake --build --preset dev
}

soak_devices() {
  say "falsifier: correct devices, $(of 1000) seeds"
  cmake --preset dev >/dev/null
  cmake --build --preset dev --target test_audit test_client
  PPGNN_REPEATS=$(of 1000) build/dev/tests/test_audit --gtest_filter=Falsifier.CorrectDevicesPass

  trials=$(of 1000000)
  say "falsifier: the client with OS randomness, $trials reports per input and level"
  cmake --preset release >/dev/null
  cmake --build --preset release --target ppgnn_app
  build/ppgnn audit --empirical --trials "$trials" --epsilon 1 >/dev/null
  build/ppgnn audit --empirical --trials "$trials" --kind signs --epsilon 1 --gamma 0.5 >/dev/null
  build/ppgnn audit --empirical --trials "$trials" --kind signs --budgets 0.5,1.5 --level-budget 1 >/dev/null

  say "ledger: killed at $(of 500) moments"
  PPGNN_KILLS=$(of 500) build/dev/tests/test_client --gtest_filter=FileStorage.KilledAtAnyMomentThereIsOneReport
}

soak_mutants() {
  say "devices broken in one place each: two suites notice"
  cmake --preset dev >/dev/null
  cmake --build --preset dev --target test_client test_client_allocations test_client_durability test_client_image test_enumeration test_ldp make_web_vectors
  (cd build/dev && ctest -R '^web_(build|vectors)$')
  python3 -B tests/mutants/device.py . build/dev
}

soak_collector() {
  say "collector: killed at $(of 50) moments"
  cmake --preset dev >/dev/null
  cmake --build --preset dev --target test_cli_collector test_cli_fault_schedule
  PPGNN_KILLS=$(of 50) build/dev/tests/test_cli_collector --gtest_filter='Collector.Killed*'

  say "collector: campaigns under a schedule of faults, $seconds s"
  PPGNN_FAULT_SECONDS="$seconds" build/dev/tests/test_cli_fault_schedule

  say "collector: load, and memory over $(of 300) s"
  cmake --preset release -DPPGNN_BENCH=ON >/dev/null
  cmake --build --preset release --target ppgnn_app bench_collector
  build/release/bench/bench_collector "$(of 300)"
}

soak_threads() {
  say "studies and attacks under the thread sanitizer"
  cmake --preset tsan -DPPGNN_SOAK=ON >/dev/null
  cmake --build --preset tsan --target test_study test_simulate test_attack
  for room in study simulate attack; do "build/tsan/tests/test_$room"; done
}

soak_tests() {
  say "tests under address and undefined-behaviour sanitizers, $(of 20) times"
  sanitized
  ctest --preset asan-ubsan --exclude-regex '^fuzz_' --repeat "until-fail:$(of 20)"
}

soak_tidy() {
  say "clang-tidy, all checks"
  scripts/tidy.sh
}

for part in ${SOAK_PARTS:-fuzz requests devices mutants collector threads tests sources tidy}; do "soak_$part"; done
say "all parts ended well"
