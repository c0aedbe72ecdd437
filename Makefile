# The commands people use. Each installs what is missing (Debian packages, by name) and repeats quickly when all is there.
.PHONY: run demo test soak bench build wasm setup setup-wasm setup-test format tidy clean

run: build
	build/ppgnn run

demo: build wasm
	scripts/demo.sh

build: setup
	@cmake --preset release
	@cmake --build --preset release

wasm: setup-wasm
	@cmake --preset wasm >/dev/null
	@cmake --build --preset wasm --target ppgnn_package

test: setup-test
	scripts/test.sh

soak: setup-test
	scripts/soak.sh

bench: build
	scripts/bench.sh

setup:
	@scripts/setup.sh build

setup-wasm:
	@scripts/setup.sh wasm

setup-test:
	@scripts/setup.sh build test

format: setup-test
	git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

tidy: setup-test
	scripts/tidy.sh

clean:
	rm -rf build
