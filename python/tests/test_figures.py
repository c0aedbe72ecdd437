"""Figures: what is drawn is what the frames say."""
import os
import unittest

os.environ["MPLBACKEND"] = "agg"

import ppgnn  # noqa: E402
from support import needs  # noqa: E402


@needs("scipy", "pandas", "matplotlib")
class Figures(unittest.TestCase):
    def tearDown(self):
        import matplotlib.pyplot as plt
        plt.close("all")

    def frame(self):
        import pandas
        return pandas.DataFrame({"mean": [0.7, 0.6, 0.8], "low": [0.65, 0.55, 0.75], "high": [0.75, 0.65, 0.85]},
                                index=pandas.Index(["strict", "control", "nonprivate"], name="name"))

    def test_accuracy(self):
        axes = ppgnn.figures.accuracy(self.frame()).axes[0]
        self.assertEqual([round(bar.get_height()) for bar in axes.patches], [70, 80])
        self.assertEqual(round(axes.lines[-1].get_ydata()[0]), 60)

    def test_against_budget(self):
        import pandas
        points = pandas.concat([self.frame().reset_index().assign(epsilon=epsilon) for epsilon in (2, 1)])
        axes = ppgnn.figures.against_budget(points).axes[0]
        self.assertEqual([line.get_xdata().tolist() for line in axes.lines], [[1, 2]] * 3)
        self.assertEqual([text.get_text() for text in axes.get_legend().get_texts()],
                         ["strict", "graph alone (control)", "without privacy (ceiling)"])

    def test_certificate(self):
        found = ppgnn.Plan.make([ppgnn.Column("word", count=20)], [1, 2]).audit()
        heights = [bar.get_height() for bar in ppgnn.figures.certificate(found).axes[0].patches]
        self.assertTrue(all(report <= allowed + 1e-9 for allowed, report in zip(heights[:2], heights[2:])))

    def test_spent(self):
        axes = ppgnn.figures.spent([0, 0, 1, 2], levels=[1, 1, 1, 2]).axes[0]
        self.assertEqual(max(bar.get_y() + bar.get_height() for bar in axes.patches), 2)

    def test_study(self):
        records = [({"data": "a", "method": "strict", "epsilon": str(e)}, {}, run, {"accuracy": 0.5}) for e in (1, 2) for run in (0, 1)]
        figure = ppgnn.StudyResult("mine", records).figure()
        self.assertEqual(figure.axes[0].lines[0].get_ydata().tolist(), [50, 50])


if __name__ == "__main__":
    unittest.main()
