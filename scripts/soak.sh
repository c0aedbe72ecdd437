#!/bin/sh
# The long runs: every fuzz target for SOAK_SECONDS (default 600) and the tests repeated with fresh randomness.
set -eu
cd "$(dirname "$0")/.."
. scripts/data.sh
seconds=${SOAK_SECONDS:-600}

cmake --preset asan-ubsan -DPPGNN_APP=ON -DPPGNN_SOAK=ON >/dev/null # the command under sanitizers too, for which make test has no time
cmake --build --preset asan-ubsan
for target in build/asan-ubsan/fuzz/fuzz_*; do
  name=$(basename "$target" | sed 's/^fuzz_//')
  printf '\n== fuzz %s for %s s\n' "$name" "$seconds"
  "$target" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="build/asan-ubsan/fuzz/failed/$name/" \
    "build/asan-ubsan/fuzz/found/$name" "fuzz/corpus/$name"
done

printf '\n== falsifier: correct devices, 1,000 seeds\n'
cmake --preset dev >/dev/null
cmake --build --preset dev  # every source by itself: a missing include shows here
PPGNN_REPEATS=1000 build/dev/tests/test_audit --gtest_filter=Falsifier.CorrectDevicesPass

printf '\n== falsifier: the client with OS randomness, a million reports per input and level\n'
cmake --preset release -DPPGNN_BENCH=ON >/dev/null
cmake --build --preset release --target ppgnn_app bench_collector
build/ppgnn audit --empirical --trials 1000000 --epsilon 1 >/dev/null
build/ppgnn audit --empirical --trials 1000000 --kind signs --epsilon 1 --gamma 0.5 >/dev/null
build/ppgnn audit --empirical --trials 1000000 --kind signs --budgets 0.5,1.5 --level-budget 1 >/dev/null

printf '\n== ledger: killed at 500 moments\n'
cmake --build --preset dev --target test_client
PPGNN_KILLS=500 build/dev/tests/test_client --gtest_filter=FileStorage.KilledAtAnyMomentThereIsOneReport

# Eight million to parser and API, and two million connections to sessions, with several requests each.
printf '\n== collector: ten million requests, fuzzed\n'
build/asan-ubsan/fuzz/fuzz_collector -runs=8000000 -rss_limit_mb=4096 -timeout=10 -print_final_stats=1 \
  -artifact_prefix=build/asan-ubsan/fuzz/failed/collector/ build/asan-ubsan/fuzz/found/collector fuzz/corpus/collector
build/asan-ubsan/fuzz/fuzz_session -runs=2000000 -entropic=0 -rss_limit_mb=4096 -timeout=10 -print_final_stats=1 \
  -artifact_prefix=build/asan-ubsan/fuzz/failed/session/ build/asan-ubsan/fuzz/found/session fuzz/corpus/session

printf '\n== collector: killed at 50 moments\n'
cmake --build --preset dev --target test_cli_collector
PPGNN_KILLS=50 build/dev/tests/test_cli_collector --gtest_filter='Collector.Killed*'

printf '\n== collector: campaigns under a schedule of faults\n'
cmake --build --preset dev --target test_cli_fault_schedule
PPGNN_FAULT_SECONDS="$seconds" build/dev/tests/test_cli_fault_schedule

printf '\n== collector: load, and memory over five minutes\n'
build/release/bench/bench_collector 300

printf '\n== studies and attacks under the thread sanitizer\n'
cmake --preset tsan -DPPGNN_SOAK=ON >/dev/null
cmake --build --preset tsan --target test_study test_simulate test_attack
for room in study simulate attack; do "build/tsan/tests/test_$room"; done

printf '\n== tests, 20 times\n'
ctest --preset asan-ubsan --exclude-regex '^fuzz_' --repeat until-fail:20

printf '\n== clang-tidy, all checks\n'
scripts/tidy.sh
