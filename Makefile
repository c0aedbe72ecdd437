# The commands people use. Each installs what is missing (Debian packages, by name) and repeats quickly when all is there.
.PHONY: run test soak bench build setup setup-test format tidy clean

run: build
	build/ppgnn run

build: setup
	@cmake --preset release
	@cmake --build --preset release

test: setup-test
	scripts/test.sh

soak: setup-test
	scripts/soak.sh

bench: build
	scripts/bench.sh

setup:
	@scripts/setup.sh build

setup-test:
	@scripts/setup.sh build test

format: setup-test
	git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

tidy: setup-test
	scripts/tidy.sh

clean:
	rm -rf build
