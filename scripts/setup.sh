#!/bin/sh
# Installs the Debian packages that are missing for the named groups (build, wasm, test, bench, golden, table). Asks nothing; does nothing when all
# is there. Root is needed only when something is missing.
set -eu

build="g++ cmake ninja-build make git ca-certificates libcli11-dev nlohmann-json3-dev libfmt-dev libboost-dev"
build="$build libtbb-dev libcurl4-openssl-dev libzip-dev libxxhash-dev pkg-config libhwy-dev"
build="$build libtomlplusplus-dev gnuplot-nox libsqlite3-dev libssl-dev"
test="clang clang-format clang-tidy libclang-rt-14-dev libgtest-dev librapidcheck-dev python3 openssl"
# The client as a WebAssembly module and the page around it; to try them, a browser.
wasm="cmake ninja-build clang-14 llvm-14 lld wasi-libc libc++-14-dev-wasm32 libc++abi-14-dev-wasm32 libclang-rt-14-dev-wasm32 binaryen nodejs"
test="$test $wasm chromium"
command -v npm >/dev/null || test="$test npm"  # some packages of node bring it
bench="libbenchmark-dev libeigen3-dev"
golden="python3-torch"  # only to make golden values anew; a gigabyte
table="jq"  # only for scripts/forecast_table.sh

wanted=""
for group in "$@"; do
  case $group in
    build) wanted="$wanted $build" ;;
    test) wanted="$wanted $test" ;;
    wasm) wanted="$wanted $wasm" ;;
    bench) wanted="$wanted $bench" ;;
    golden) wanted="$wanted $golden" ;;
    table) wanted="$wanted $table" ;;
    *) echo "setup.sh: unknown group '$group' (build, wasm, test, bench, golden, table)" >&2; exit 2 ;;
  esac
done

missing=""
for package in $wanted; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup.sh: as root, install:$missing" >&2; exit 1; }
  as_root="sudo"
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086 # one word per package is meant
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
