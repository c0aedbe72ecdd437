#!/bin/sh
# Installs the Debian packages that are missing for the named groups (build, wasm, test, bench, python, golden, table). Asks nothing; does nothing when all
# is there. Root is needed only when something is missing.
set -eu

build="g++ cmake ninja-build make git ca-certificates libcli11-dev nlohmann-json3-dev libfmt-dev libboost-dev"
build="$build libtbb-dev libcurl4-openssl-dev libzip-dev libxxhash-dev pkg-config libhwy-dev"
build="$build libtomlplusplus-dev gnuplot-nox libsqlite3-dev libssl-dev libpq-dev"
# PostgreSQL for tests that start one of their own.
test="postgresql-15 clang clang-format clang-tidy libclang-rt-14-dev libgtest-dev librapidcheck-dev python3 openssl"
test="$test codespell aspell aspell-en"  # spelling of documents and help
test="$test zsh man-db"                  # what the command says to shells and to man
# The client as a WebAssembly module and the page around it; to try them, a browser.
wasm="cmake ninja-build clang-14 llvm-14 lld wasi-libc libc++-14-dev-wasm32 libc++abi-14-dev-wasm32 libclang-rt-14-dev-wasm32 binaryen nodejs"
test="$test $wasm chromium"
command -v npm >/dev/null || test="$test npm"  # some packages of node bring it
bench="libbenchmark-dev libeigen3-dev"
golden="python3-torch"  # only to make golden values anew; a gigabyte
# The Python package, and what its tests, notebooks and types need.
python="python3-dev pybind11-dev python3-numpy python3-scipy python3-sklearn python3-pandas python3-networkx python3-matplotlib python3-tqdm"
python="$python python3-pip python3-setuptools python3-wheel python3-venv python3-nbconvert python3-ipykernel mypy"
table="jq"  # only for scripts/forecast_table.sh

wanted=""
for group in "$@"; do
  case $group in
    build) wanted="$wanted $build" ;;
    test) wanted="$wanted $test" ;;
    wasm) wanted="$wanted $wasm" ;;
    bench) wanted="$wanted $bench" ;;
    python) wanted="$wanted $python" ;;
    golden) wanted="$wanted $golden" ;;
    table) wanted="$wanted $table" ;;
    *) echo "setup.sh: unknown group '$group' (build, wasm, test, bench, python, golden, table)" >&2; exit 2 ;;
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
# PostgreSQL makes and starts a cluster when it is installed, unless it is told not to: the tests start their own.
case $missing in
  *postgresql*)
    if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
      $as_root mkdir -p /etc/postgresql-common
      echo "create_main_cluster = false" | $as_root tee /etc/postgresql-common/createcluster.conf >/dev/null
    fi ;;
esac
# shellcheck disable=SC2086 # one word per package is meant
$as_root apt-get install -y -qq -o Dpkg::Options::=--force-confold --no-install-recommends $missing >/dev/null
