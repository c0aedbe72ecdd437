"""Forecasts, attacks, runs and studies as frames."""
import tempfile
import unittest

import ppgnn
from support import command, needs


@needs("scipy", "pandas")
class Frames(unittest.TestCase):
    data = "synthetic:social,nodes=500,seed=4"

    @classmethod
    def setUpClass(cls):
        cls.graph = ppgnn.Graph.read(cls.data)

    def test_forecast_is_the_command(self):
        made = ppgnn.forecast(self.graph, [1, 2, 4], response=0.8, seed=3)
        found = command("forecast", "--data", self.data, "--budgets", "1,2,4", "--response", 0.8, "--seed", 3, "--json")
        texts = str(found)
        self.assertIn(repr(made.control), texts)
        self.assertLessEqual(made.low, made.points)
        self.assertEqual(made.to_frame().shape, (1, 6))

    def test_forecast_looks_at_no_feature(self):
        changed = ppgnn.Graph.from_scipy(self.graph.adjacency, self.graph.X[::-1], self.graph.y, classes=self.graph.classes,
                                         schema=self.graph.schema)
        self.assertEqual(ppgnn.forecast(changed, [1, 2]).control, ppgnn.forecast(self.graph, [1, 2]).control)

    def test_attack(self):
        found = ppgnn.attack(self.graph, "strict", runs=1, targets=1000)
        self.assertEqual(found.name, "strict")
        self.assertLessEqual(found.level_success, found.level_bound + 0.1)

    def test_run(self):
        frame = ppgnn.run(self.graph, "strict", runs=2, epochs=5)
        self.assertEqual(frame.index.tolist(), ["strict", "control", "nonprivate"])
        with self.assertRaisesRegex(ppgnn.InvalidArgument, "epsilon"):
            ppgnn.run(self.graph, "strict", epsilon=-1)

    def test_methods_are_the_librarys(self):
        names = [method.name for method in ppgnn.methods()]
        listed = command("study", "list", "--json")
        self.assertEqual(names, [*listed["methods"]])
        self.assertEqual(ppgnn.study.names(), [study["id"] for study in listed["studies"]])

    def test_study(self):
        with tempfile.TemporaryDirectory() as folder:
            arguments = {"quick": True, "folder": folder, "runs": 2,
                         "only": {"data": self.data, "epsilon": 1, "method": ["strict", "lpgnn"], "epochs": 5, "hops": 2, "scale": "raw",
                                  "learning_rate": "0.01", "weight_decay": "0.001", "dropout": "0.5"}}
            result = ppgnn.study.run("table2", **arguments)
            frame = result.to_frame()
            self.assertEqual(sorted(frame.method.unique()), ["lpgnn", "strict"])
            self.assertEqual(len(frame), 4)
            self.assertEqual(result.summary()["count"].tolist(), [2, 2])
            self.assertEqual(set(result.chosen().hops), {"2"})
            again = ppgnn.study.run("table2", **arguments).to_frame()  # from the records
            self.assertTrue((again.accuracy == frame.accuracy).all())
        with self.assertRaisesRegex(ppgnn.InvalidArgument, "table2"):
            ppgnn.study.run("no such study")


if __name__ == "__main__":
    unittest.main()
