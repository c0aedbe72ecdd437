# The commands people use. Each installs what is missing (Debian packages, by name) and repeats quickly when all is there.
.PHONY: run command demo test soak bench build wasm setup setup-wasm setup-test setup-soak setup-bench format tidy clean

run: command
	build/ppgnn run

demo: command wasm
	@cmake --build --preset release --target ppgnn_serve
	scripts/demo.sh

# The command and what it needs.
command: setup
	@cmake --preset release
	@cmake --build --preset release --target ppgnn_app

# Everything that can be installed.
build: setup
	@cmake --preset release
	@cmake --build --preset release

wasm: setup-wasm
	@cmake --preset wasm >/dev/null
	@cmake --build --preset wasm --target ppgnn_package

test: setup-test
	scripts/test.sh

soak: setup-soak
	scripts/soak.sh

bench: setup-bench
	@cmake --preset release -DPPGNN_BENCH=ON
	@cmake --build --preset release --target benchmarks
	scripts/bench.sh

setup:
	@scripts/setup.sh build

setup-wasm:
	@scripts/setup.sh wasm

setup-test:
	@scripts/setup.sh build test python

setup-soak:
	@scripts/setup.sh build test bench python

setup-bench:
	@scripts/setup.sh build bench

format: setup-test
	git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

tidy: setup-test
	scripts/tidy.sh

clean:
	rm -rf build
