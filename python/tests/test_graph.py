"""Graphs from every form that people have them in, what is shared, and what is refused by name."""
import pathlib
import tempfile
import unittest

import numpy as np
import ppgnn
from support import needs

TRIANGLE = np.array([[0, 1], [1, 2], [2, 0], [1, 0]])


def csr(pairs, people, dtype=np.float32):
    from scipy.sparse import coo_matrix
    pairs = np.asarray(pairs)
    return coo_matrix((np.ones(len(pairs), dtype), (pairs[:, 0], pairs[:, 1])), shape=(people, people)).tocsr()


class Edges(unittest.TestCase):
    def test_counts_an_edge_once_and_both_ways(self):
        graph = ppgnn.Graph.from_edges(TRIANGLE, 4)
        self.assertEqual((graph.people, graph.friendships), (4, 3))
        self.assertEqual(graph.adjacency.toarray().tolist(), [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]])

    def test_takes_any_iterable_of_pairs(self):
        self.assertEqual(ppgnn.Graph.from_edges((pair for pair in [(0, 1), (1, 2)])).people, 3)
        self.assertEqual(ppgnn.Graph.from_edges([], 2).friendships, 0)

    def test_refusals_name_the_argument(self):
        for edges, people, word in [([[0, 9]], 3, "edges"), ([[-1, 0]], 3, "edges"), ([[0, 1, 2]], 3, "edges"), ([[0.5, 1]], 3, "edges")]:
            with self.assertRaisesRegex(ValueError, "^" + word):
                ppgnn.Graph.from_edges(np.asarray(edges), people)
        with self.assertRaisesRegex(ppgnn.Mismatch, "^y: there are 2 labels for the 3 people"):
            ppgnn.Graph.from_edges(TRIANGLE, 3, y=[0, 1])
        with self.assertRaisesRegex(ppgnn.Mismatch, "^X: there are 2 rows"):
            ppgnn.Graph.from_edges(TRIANGLE, 3, X=np.zeros((2, 2), np.float32))
        with self.assertRaisesRegex(ppgnn.Malformed, "^names: "):
            ppgnn.Graph.from_edges(TRIANGLE, 3, names=["ana", "ben", "ana"])


class Classes(unittest.TestCase):
    def test_unknown_people_are_minus_one(self):
        graph = ppgnn.Graph.from_edges(TRIANGLE, 3, y=["rowing", None, "chess"])
        self.assertEqual((graph.y.tolist(), graph.classes), ([1, -1, 0], ["chess", "rowing"]))
        self.assertEqual(ppgnn.Graph.from_edges(TRIANGLE, 3, y=[7, -1, 3]).y.tolist(), [1, -1, 0])
        self.assertEqual(ppgnn.Graph.from_edges(TRIANGLE, 3, y=np.array([7, np.nan, 3.0])).y.tolist(), [1, -1, 0])
        self.assertEqual(ppgnn.Graph.from_edges(TRIANGLE, 3, y=[1, -1, 1], classes=["a", "b", "c"]).y.tolist(), [1, -1, 1])
        with self.assertRaisesRegex(ValueError, "^y: "):
            ppgnn.Graph.from_edges(TRIANGLE, 3, y=[0.5, 1, 2])


@needs("scipy")
class Scipy(unittest.TestCase):
    def test_a_symmetric_matrix_is_shared(self):
        matrix = csr([*TRIANGLE[:3].tolist(), *TRIANGLE[:3, ::-1].tolist()], 3)
        graph = ppgnn.Graph.from_scipy(matrix)
        self.assertEqual(graph.notes, [])
        self.assertTrue(np.shares_memory(graph.adjacency.indices, matrix.indices))

    def test_what_is_copied_is_said(self):
        one_way = csr(TRIANGLE[:3], 3)
        graph = ppgnn.Graph.from_scipy(one_way)
        self.assertEqual(graph.friendships, 3)
        self.assertIn("adjacency was copied: it was not symmetric", graph.notes[0])
        self.assertIn("coo_matrix", ppgnn.Graph.from_scipy(one_way.tocoo()).notes[0])

    def test_refusals(self):
        from scipy.sparse import csr_matrix
        with self.assertRaisesRegex(ppgnn.Mismatch, "^adjacency: must be square"):
            ppgnn.Graph.from_scipy(csr_matrix((2, 3)))
        with self.assertRaisesRegex(ppgnn.InvalidArgument, "^adjacency: "):
            ppgnn.Graph.from_scipy(np.eye(3))


class Others(unittest.TestCase):
    @needs("networkx")
    def test_networkx(self):
        import networkx
        club = networkx.karate_club_graph()
        graph = ppgnn.Graph.from_networkx(club, y="club")
        self.assertEqual((graph.people, graph.friendships, graph.classes), (34, 78, ["Mr. Hi", "Officer"]))
        self.assertEqual(graph.names[:2], ["0", "1"])
        named = networkx.Graph([("ana", "ben")])
        named.nodes["ana"]["age"], named.nodes["ben"]["age"] = 3.0, 4.0
        graph = ppgnn.Graph.from_networkx(named, X=["age"])
        self.assertEqual((graph.names, graph.X.tolist()), (["ana", "ben"], [[3.0], [4.0]]))

    def test_pyg(self):
        class Data:
            edge_index = np.array([[0, 1], [1, 2]])
            x = np.eye(3, dtype=np.float32)
            y = np.array([0, 1, -1])

        graph = ppgnn.Graph.from_pyg(Data())
        self.assertEqual((graph.people, graph.friendships, graph.y.tolist()), (3, 2, [0, 1, -1]))
        self.assertIs(graph.X, Data.x)
        with self.assertRaisesRegex(ppgnn.InvalidArgument, "^edge_index: must have the shape"):
            ppgnn.Graph.from_pyg({"edge_index": np.zeros((3, 4), int)})
        with self.assertRaisesRegex(ppgnn.InvalidArgument, "no edge_index"):
            ppgnn.Graph.from_pyg({"x": 1})

    @needs("scipy")
    def test_read(self):
        with tempfile.TemporaryDirectory() as folder:
            club = pathlib.Path(folder) / "club"
            club.mkdir()
            (club / "edges.csv").write_text("ana,ben\nben,cai\n")
            (club / "labels.csv").write_text("person,sport\nana,chess\nben,rowing\ncai,\n")
            graph = ppgnn.Graph.read(club)
            self.assertEqual((graph.names, graph.classes, graph.y.tolist()), (["ana", "ben", "cai"], ["chess", "rowing"], [0, 1, -1]))
        with self.assertRaisesRegex(ppgnn.InvalidArgument, "neither a data set"):
            ppgnn.Graph.read("no such thing")

    @needs("scipy")
    def test_social(self):
        graph = ppgnn.datasets.social(300, seed=3, classes=3)
        self.assertEqual((graph.people, len(graph.classes), graph.X.shape), (300, 3, (300, 256)))
        self.assertEqual(graph.X.nnz, ppgnn.datasets.social(300, seed=3, classes=3).X.nnz)
        self.assertFalse(graph.y.flags.writeable)


if __name__ == "__main__":
    unittest.main()
