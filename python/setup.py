"""Builds the wheel: CMake makes the extension module, setuptools packs it beside the Python sources. Needs no network:

    pip wheel . --no-build-isolation --no-deps

PPGNN_BUILD_DIR names a CMake build folder to use again; without it one is made under build/.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

here = pathlib.Path(__file__).resolve().parent
project = here.parent


def version() -> str:
    return re.search(r"project\(ppgnn VERSION ([0-9.]+)", (project / "CMakeLists.txt").read_text()).group(1)


def needs() -> None:
    try:
        import numpy  # noqa: F401
    except ImportError:
        sys.exit(f"ppgnn: {sys.executable} has no NumPy. On Debian install python3-numpy and build with /usr/bin/python3: "
                 "/usr/bin/python3 -m pip wheel . --no-build-isolation --no-deps")
    for tool in ("cmake", "ninja"):
        if shutil.which(tool) is None:
            sys.exit(f"ppgnn: {tool} is missing; scripts/setup.sh build python installs what the build needs on Debian")


class Build(build_ext):
    def run(self) -> None:
        needs()
        folder = os.environ.get("PPGNN_BUILD_DIR")
        if folder is None:
            folder = str(project / "build" / f"wheel-{sys.implementation.cache_tag}")
            subprocess.run(["cmake", "-S", str(project), "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                            "-DCMAKE_UNITY_BUILD=ON", "-DPPGNN_TESTS=OFF", "-DPPGNN_APP=OFF", "-DPPGNN_WERROR=OFF", "-DPPGNN_PYTHON=ON",
                            "-DCMAKE_MODULE_LINKER_FLAGS=-s", f"-DPython_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", folder, "--target", "ppgnn_python"], check=True)
        made = pathlib.Path(folder) / "python" / "ppgnn"
        target = pathlib.Path(self.get_ext_fullpath("ppgnn._native"))
        target.parent.mkdir(parents=True, exist_ok=True)
        found = sorted(made.glob("_native.*.so"))
        if not found:
            sys.exit(f"ppgnn: {made} has no module for {sys.executable}")
        shutil.copy2(found[0], target)


setup(
    name="ppgnn", version=version(), description="Personalised, locally private graph learning, from the device to the trained model",
    license="Apache-2.0", python_requires=">=3.9", packages=["ppgnn"], package_data={"ppgnn": ["py.typed", "*.pyi"]},
    install_requires=["numpy", "scipy"],
    extras_require={"all": ["scikit-learn", "pandas", "matplotlib", "networkx", "tqdm"]},
    ext_modules=[Extension("ppgnn._native", sources=[])], cmdclass={"build_ext": Build}, zip_safe=False)
