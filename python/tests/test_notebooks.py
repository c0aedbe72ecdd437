"""The notebooks run from the first cell to the last, each within a minute of this machine's time, and say what they said."""
import copy
import os
import resource
import unittest

from support import PROJECT, needs, needs_data

FOLDER = PROJECT / "python" / "notebooks"


@needs("nbconvert", "ipykernel", "networkx", "pandas", "matplotlib", "sklearn")
class Notebooks(unittest.TestCase):
    def executed(self, name):
        import nbformat
        from nbconvert.preprocessors import ExecutePreprocessor
        os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        book = nbformat.read(FOLDER / name, as_version=4)
        made = copy.deepcopy(book)
        ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(made, {"metadata": {"path": str(FOLDER)}})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_utime - before.ru_utime, 60)
        pictures = 0
        for was, now in zip(book.cells, made.cells):
            if was.cell_type != "code":
                continue
            kinds = [sorted(output.get("data", {})) for output in was.outputs]
            self.assertEqual(kinds, [sorted(output.get("data", {})) for output in now.outputs], was.source)
            pictures += sum("image/png" in kind for kind in kinds)
        self.assertGreater(pictures, 0)
        return made

    @needs_data("cora")
    def test_paper_on_cora(self):
        self.executed("1_paper_on_cora.ipynb")

    def test_a_campaign(self):
        made = self.executed("2_a_campaign.ipynb")
        self.assertIn("the same report again: True", str(made.cells))

    def test_your_own_graph(self):
        self.executed("3_your_own_graph.ipynb")


if __name__ == "__main__":
    unittest.main()
