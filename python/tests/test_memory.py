"""What is shared is not copied, and nothing is lost over a thousand fits and reports."""
import gc
import os
import tempfile
import tracemalloc
import unittest

import numpy as np
import ppgnn
from support import needs

MIB = 1 << 20


def resident(field="VmRSS"):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field + ":"))


def reset_peak():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


@needs("scipy")
class Shared(unittest.TestCase):
    """Memory that a call takes at its peak, above what was there."""

    def grown(self, call):
        gc.collect()
        reset_peak()
        before = resident()
        kept = call()
        peak = resident("VmHWM") - before
        del kept
        return peak

    def test_a_million_dense_rows(self):
        X = np.ones((1_000_000, 256), np.float32)  # a gigabyte
        graph = []
        edges = np.array([[0, 1]])
        self.assertLess(self.grown(lambda: graph.append(ppgnn.Graph.from_edges(edges, 1_000_000, X))), 64 * MIB)
        self.assertIs(graph[0].X, X)
        plan = ppgnn.Plan.make([ppgnn.Column("word", count=256)], [1])
        few = X[:2000]
        plan.reports(few[:10])  # what the first call sets up
        self.assertLess(self.grown(lambda: plan.reports(few)), 2 * MIB)

    def test_the_indices_of_a_csr_matrix(self):
        from scipy.sparse import csr_matrix
        people = 1_000_000
        ring = np.arange(people, dtype=np.int32)
        indices = np.sort(np.stack([(ring - 1) % people, (ring + 1) % people], axis=1), axis=1).reshape(-1)
        matrix = csr_matrix((np.ones(2 * people, np.float32), indices, np.arange(0, 2 * people + 1, 2, dtype=np.int32)))
        self.assertTrue(matrix.has_canonical_format)
        graph = []
        # 8 bytes per person for the row starts, 4 for labels here and 4 in the library, and some megabytes for threads, once; a copy of
        # the indices would be 8 bytes more.
        self.assertLess(self.grown(lambda: graph.append(ppgnn.Graph.from_scipy(matrix))), people * 28)
        self.assertTrue(np.shares_memory(graph[0].adjacency.indices, matrix.indices))

    def test_what_is_shared_lives_as_long(self):
        from scipy.sparse import csr_matrix
        matrix = csr_matrix(np.array([[0, 1], [1, 0]], np.float32))
        graph = ppgnn.Graph.from_scipy(matrix)
        indices = graph.adjacency.indices
        del matrix, graph
        gc.collect()
        self.assertEqual(indices.tolist(), [1, 0])


class Kept(unittest.TestCase):
    """A thousand calls leave no more memory behind than some hundreds did."""

    def nothing_stays(self, call, times=1000):
        tracemalloc.start()
        for _ in range(300):  # the interpreter keeps freed tuples and numbers for later, up to so many of a kind
            call()
        gc.collect()
        before, counted = resident(), tracemalloc.get_traced_memory()[0]
        for _ in range(times):
            call()
        gc.collect()
        grown, counted = resident() - before, tracemalloc.get_traced_memory()[0] - counted
        tracemalloc.stop()
        self.assertLess(counted, times * 100)  # an array, list or dictionary per call is more
        self.assertLess(grown, times * 2000)

    @needs("scipy", "sklearn")
    def test_fits(self):
        graph = ppgnn.datasets.social(24, seed=1, classes=2, attributes=4)
        classifier = ppgnn.PPGNNClassifier("strict", epochs=1, scale="raw", random_state=0, control=False)
        self.nothing_stays(lambda: classifier.fit(graph.X, graph.y, graph=graph))

    def test_reports(self):
        plan = ppgnn.Plan.make([ppgnn.Column("word", count=20)], [1, 2])
        x = np.zeros(20, np.float32)
        with tempfile.TemporaryDirectory() as folder:
            ledger = os.path.join(folder, "ledger")
            self.nothing_stays(lambda: ppgnn.Client(plan).report(x, level=1, ledger=ledger))
        rows = np.zeros((3, 20), np.float32)
        self.nothing_stays(lambda: plan.reports(rows))

    def test_errors(self):
        def refused():
            try:
                ppgnn.Plan.make([ppgnn.Column("word")], [-1])
            except ppgnn.InvalidArgument:
                pass
        self.nothing_stays(refused)


if __name__ == "__main__":
    unittest.main()
