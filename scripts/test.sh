#!/bin/sh
# Everything a change must pass, in the order of what fails fastest. Most of it is compiling three builds.
set -eu
cd "$(dirname "$0")/.."
. scripts/data.sh

step() { printf '\n== %s\n' "$1"; }

step "format"
git ls-files '*.cpp' '*.hpp' | xargs clang-format --dry-run --Werror

step "tests, asserts on (g++)"
cmake --preset test >/dev/null
cmake --build --preset test
ctest --preset test

step "tests under address and undefined-behaviour sanitizers (clang)"
cmake --preset asan-ubsan >/dev/null
cmake --build --preset asan-ubsan
ctest --preset asan-ubsan

step "threaded tests under the thread sanitizer (clang)"
cmake --preset tsan >/dev/null
cmake --build --preset tsan --target threaded_tests
ctest --preset tsan

step "clang-tidy"
scripts/tidy.sh --quick
