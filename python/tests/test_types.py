"""mypy, strict, over the package and its examples; the stubs name what the module has."""
import inspect
import os
import re
import shutil
import subprocess
import sys
import unittest

import ppgnn
from ppgnn import _native
from support import PROJECT, needs

FOLDER = PROJECT / "python"


class Types(unittest.TestCase):
    @unittest.skipIf(shutil.which("mypy") is None, "skipped: no mypy (scripts/setup.sh python installs it)")
    def test_strict(self):
        made = subprocess.run(["mypy", "--cache-dir", os.devnull, "--config-file", "pyproject.toml"], cwd=FOLDER, capture_output=True,
                              text=True)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)

    def test_the_stubs_are_the_module(self):
        text = (FOLDER / "ppgnn" / "_native.pyi").read_text()
        stated = {}
        owner = None
        for line in text.splitlines():
            if found := re.match(r"class (\w+):", line):
                owner = found.group(1)
                stated[owner] = set()
            elif found := re.match(r"def (\w+)", line):
                owner = None
                stated[found.group(1)] = None
            elif (found := re.match(r"    def (\w+)", line)) and owner:
                stated[owner].add(found.group(1))
        there = {name: value for name, value in vars(_native).items() if not name.startswith("__")}
        self.assertEqual(set(stated), set(there))
        for name, members in stated.items():
            if members is not None:
                real = {member for member in vars(there[name]) if not member.startswith("_")}
                self.assertEqual(members - {"__init__"}, real, name)

    @needs("sklearn", "pandas", "matplotlib")
    def test_the_page_is_the_docstrings(self):
        made = subprocess.run([sys.executable, "-B", str(FOLDER / "tools" / "describe.py")], check=True, capture_output=True, text=True)
        self.assertEqual(made.stdout, (PROJECT / "docs" / "python-api.md").read_text(), "see python/tools/describe.py")

    def test_pages_show_the_example(self):
        example = (FOLDER / "examples" / "ten_lines.py").read_text().split('"""\n', 1)[1]
        for page in ("README.md", "docs/python.md"):
            self.assertIn("```python\n" + example + "```", (PROJECT / page).read_text())

    def test_everything_public_is_documented(self):
        for name in ppgnn.__all__:
            thing = getattr(ppgnn, name)
            if name == "__version__":
                continue
            self.assertTrue(inspect.getdoc(thing), name)
            if inspect.isclass(thing) and thing.__module__.startswith("ppgnn") and thing is not ppgnn.Column:
                for member, value in vars(thing).items():
                    if not member.startswith("_") and (callable(value) or isinstance(value, (property, classmethod, staticmethod))):
                        self.assertTrue(inspect.getdoc(getattr(thing, member)), f"{name}.{member}")


if __name__ == "__main__":
    unittest.main()
