"""What the tests share. Run one with: PYTHONPATH=build/test/python python3 -m unittest python/tests/test_graph.py"""
import importlib.util
import json
import os
import pathlib
import subprocess
import unittest

import ppgnn

PROJECT = pathlib.Path(__file__).resolve().parents[2]


def needs(*modules):
    """Skips a test where Debian's packages are missing, and says which."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"skipped: no {', '.join(missing)} (scripts/setup.sh python installs it)")


def needs_data(name):
    """Skips a test of a published data set where its folder is not known."""
    try:
        ppgnn.datasets.load(name)
    except ppgnn.Error:
        return unittest.skip(f"skipped: no data ({name})")
    return lambda test: test


def command(*arguments):
    """What the command of the same build prints, as JSON."""
    binary = os.environ.get("PPGNN_BINARY")
    if not binary:
        raise unittest.SkipTest("skipped: PPGNN_BINARY does not name the command")
    made = subprocess.run([binary, *map(str, arguments)], check=True, capture_output=True, text=True)
    return json.loads(made.stdout) if "--json" in arguments else made.stdout
