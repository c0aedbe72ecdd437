"""Graphs of people with what is known of them, from whatever form they come in."""
from __future__ import annotations

import os
from typing import Any, Iterable, Sequence

import numpy as np

from . import _arrays, _native
from ._native import Column
from .errors import InvalidArgument, Mismatch


class Graph:
    """A graph of people, their features and their classes, as far as they are known.

    Make one with :meth:`from_scipy`, :meth:`from_networkx`, :meth:`from_edges`, :meth:`from_pyg` or :meth:`read`. Friendships
    go both ways; an edge that is given twice counts once.

    Arrays are shared, not copied, where the library can take them as they are; ``notes`` says what was copied and why.

    Attributes:
        X: features, one row per person, as they were given: a float32 matrix or a SciPy CSR matrix; ``None`` where there are none.
        y: the class of each person as a number from 0, -1 where it is not known.
        classes: names of the classes.
        schema: columns as a plan takes them, where they were declared; else ``None``: read off the data, for research only.
        notes: what you must know, one sentence each.
    """

    def __init__(self, structure: _native.Data, X: Any = None, y: Any = None, classes: Sequence[str] | None = None,
                 schema: Sequence[Column] | None = None, notes: Iterable[str] = ()) -> None:
        self._structure = structure
        self.X = X
        self.schema = None if schema is None else list(schema)
        self.notes = [*structure.notes, *notes]
        people = structure.people
        if X is not None and X.shape[0] != people:
            raise Mismatch(f"X: there are {X.shape[0]} rows for the {people} people of the graph")
        if y is None:
            self.y = np.full(people, -1, dtype=np.int32)
            self.classes = list(classes or ())
        else:
            self.y, self.classes = number_classes(y, classes)
            if self.y.shape != (people,):
                raise Mismatch(f"y: there are {self.y.size} labels for the {people} people of the graph")

    # How a graph comes to be.

    @classmethod
    def from_scipy(cls, adjacency: Any, X: Any = None, y: Any = None, *, classes: Sequence[str] | None = None,
                   names: Sequence[Any] | None = None, schema: Sequence[Column] | None = None, name: str = "graph") -> Graph:
        """A graph from a square sparse matrix: an edge for each entry that is not 0.

        A symmetric CSR matrix in canonical form is shared: its ``indices`` stay where they are, ``indptr`` is widened (8 bytes a
        person). Anything else is brought into that form in a copy, and a note says so.
        """
        if not _arrays.is_sparse(adjacency):
            raise InvalidArgument("adjacency: must be a SciPy sparse matrix; use from_edges for pairs")
        if adjacency.shape[0] != adjacency.shape[1]:
            raise Mismatch(f"adjacency: must be square, but is {adjacency.shape[0]} x {adjacency.shape[1]}")
        notes: list[str] = []
        csr = _arrays.canonical_csr(adjacency, "adjacency", notes)
        people = csr.shape[0]
        given = _arrays.names_of(names, people)
        try:
            structure = _structure(name, csr, given)
        except Mismatch:
            both = (csr + csr.T).tocsr()
            both.sort_indices()
            structure = _structure(name, both, given)
            notes.append("adjacency was copied: it was not symmetric, and friendships go both ways")
        return cls(structure, X, y, classes, schema, notes)

    @classmethod
    def from_edges(cls, edges: Any, people: int | None = None, X: Any = None, y: Any = None, *,
                   classes: Sequence[str] | None = None, names: Sequence[Any] | None = None,
                   schema: Sequence[Column] | None = None, name: str = "graph") -> Graph:
        """A graph from pairs of whole numbers from 0: an array of shape (edges, 2), or any iterable of pairs."""
        pairs = np.asarray(edges if hasattr(edges, "shape") else list(edges))
        if pairs.size == 0:
            pairs = np.empty((0, 2), dtype=np.int64)
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise InvalidArgument(f"edges: must be pairs, but the shape is {pairs.shape}")
        if pairs.dtype.kind not in "iu":
            raise InvalidArgument(f"edges: must be whole numbers, but are {pairs.dtype}")
        largest = int(pairs.max()) + 1 if pairs.size else 0
        given = [people, *(len(part) for part in (y, names) if part is not None), X.shape[0] if X is not None else None, largest]
        count = int(next(number for number in given if number is not None))
        if pairs.size and (int(pairs.min()) < 0 or largest > count):
            raise InvalidArgument(f"edges: an end is outside the {count} people")
        structure = _native.Data.make(name=name, people=count, pairs=np.ascontiguousarray(pairs, dtype=np.uint32).reshape(-1),
                                      names=_arrays.names_of(names, count))
        return cls(structure, X, y, classes, schema)

    @classmethod
    def from_networkx(cls, graph: Any, X: str | Sequence[str] | Any = None, y: str | Any = None, *,
                      classes: Sequence[str] | None = None, schema: Sequence[Column] | None = None,
                      name: str | None = None) -> Graph:
        """A graph from NetworkX; people are called as its nodes are, in its order.

        ``y`` and ``X`` may be names of node attributes (``X`` a list of them, or one that holds a vector), or arrays in the order
        of the nodes. A node without the attribute ``y`` has no known class.
        """
        nodes = list(graph.nodes)
        place = {node: i for i, node in enumerate(nodes)}
        edges = [(place[one], place[other]) for one, other in graph.edges()]
        if isinstance(y, str):
            y = [graph.nodes[node].get(y) for node in nodes]
        if isinstance(X, str):
            X = np.asarray([graph.nodes[node][X] for node in nodes], dtype=np.float32)
            X = X.reshape(len(nodes), -1)
        elif isinstance(X, (list, tuple)) and X and all(isinstance(part, str) for part in X):
            X = np.asarray([[graph.nodes[node][part] for part in X] for node in nodes], dtype=np.float32)
        return cls.from_edges(edges, len(nodes), X, y, classes=classes, names=nodes, schema=schema,
                              name=name or getattr(graph, "name", "") or "graph")

    @classmethod
    def from_pyg(cls, data: Any, *, classes: Sequence[str] | None = None, schema: Sequence[Column] | None = None,
                 name: str = "graph") -> Graph:
        """A graph from what PyTorch Geometric calls ``Data``: ``edge_index``, and ``x`` and ``y`` where they are.

        Anything with these attributes, or a mapping, does; tensors are read through ``numpy()``, without a copy on the CPU.
        """
        def part(key: str) -> Any:
            value = data.get(key) if isinstance(data, dict) else getattr(data, key, None)
            if value is None:
                return None
            return value.detach().cpu().numpy() if hasattr(value, "detach") else np.asarray(value)

        edge_index, X, y = part("edge_index"), part("x"), part("y")
        if edge_index is None:
            raise InvalidArgument("data: has no edge_index")
        if edge_index.ndim != 2 or edge_index.shape[0] != 2:
            raise InvalidArgument(f"edge_index: must have the shape (2, edges), but has {edge_index.shape}")
        if y is not None:
            y = y.reshape(-1)
        people = part("num_nodes")
        count = int(people) if people is not None else len(y) if y is not None else X.shape[0] if X is not None else None
        return cls.from_edges(edge_index.T, count, X, y, classes=classes, schema=schema, name=name)

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, data_dir: str | os.PathLike[str] | None = None) -> Graph:
        """A graph from a file or folder in any form that ``ppgnn data`` reads, or a published data set by name."""
        data = _native.Data.load(os.fspath(path), _arrays.data_folder(data_dir))
        return cls._of(data)

    @classmethod
    def _of(cls, data: _native.Data) -> Graph:
        X = None
        if data.columns:
            from scipy.sparse import csr_matrix
            offsets, columns, values = data.features()
            values = values if values.size else np.ones(columns.shape, dtype=np.float32)
            X = csr_matrix((data.people, data.columns), dtype=np.float32)
            X.data, X.indices, X.indptr = values, columns.view(np.int32), _narrow(offsets)
            X.has_canonical_format = True
        made = cls(data, X, schema=data.schema() if data.columns and data.declared else None)
        made.y = data.labels()
        made.classes = list(data.classes)
        return made

    # What is in it.

    @property
    def people(self) -> int:
        """How many people there are."""
        return self._structure.people

    @property
    def friendships(self) -> int:
        """How many pairs of people know each other."""
        return self._structure.friendships

    @property
    def name(self) -> str:
        """What the data is called."""
        return self._structure.name

    @property
    def names(self) -> list[str]:
        """What people are called: in files, in reports and on devices."""
        return self._structure.names

    @property
    def adjacency(self) -> Any:
        """A SciPy CSR matrix that shows the library's own arrays."""
        from scipy.sparse import csr_matrix
        offsets, columns, _ = self._structure.friends()
        matrix = csr_matrix((self.people, self.people), dtype=np.float32)
        matrix.data = np.ones(columns.shape, dtype=np.float32)
        matrix.indices, matrix.indptr = columns.view(np.int32), _narrow(offsets)
        matrix.has_canonical_format = True
        return matrix

    def columns(self) -> list[Column]:
        """The columns as a plan takes them: declared, or read off the data."""
        return self.schema if self.schema is not None else _native_data(self, self.X, None, ()).schema()

    def __repr__(self) -> str:
        columns = "no features" if self.X is None else f"{self.X.shape[1]} features"
        known = int((self.y >= 0).sum())
        return (f"Graph({self.name!r}: {self.people} people, {self.friendships} friendships, {columns}, "
                f"{len(self.classes)} classes, {known} people with a class)")


def _narrow(offsets: Any) -> Any:
    return offsets.astype(np.int32) if offsets.size == 0 or offsets[-1] < 2**31 else offsets.astype(np.int64)


def _structure(name: str, csr: Any, names: list[str]) -> _native.Data:
    return _native.Data.make(name=name, people=csr.shape[0], names=names,
                             friends=(_arrays.offsets_of(csr.indptr), _arrays.shared_indices(csr.indices)))


def number_classes(y: Any, classes: Sequence[str] | None = None) -> tuple[Any, list[str]]:
    """Labels as numbers from 0, and what they stand for. -1, None, NaN and "" are people whose class is not known."""
    given = np.asarray(y)
    if given.ndim != 1:
        raise InvalidArgument(f"y: must be one label per person, but has the shape {given.shape}")
    if given.dtype.kind in "iub":
        known = given != -1 if given.dtype.kind == "i" else np.ones(given.shape, dtype=bool)
    elif given.dtype.kind == "f":
        known = ~np.isnan(given) & (given != -1)
        if not bool((given[known] == np.round(given[known])).all()):
            raise InvalidArgument("y: labels must be classes, but some are fractions")
        given = np.where(known, given, 0).astype(np.int64)
    else:
        known = np.asarray([label is not None and label == label and label != "" and str(label) != "-1" for label in given.tolist()])
    labels = np.full(given.shape, -1, dtype=np.int32)
    if classes is not None and given.dtype.kind in "iub":
        if known.any() and (int(given[known].min()) < 0 or int(given[known].max()) >= len(classes)):
            raise InvalidArgument(f"y: must be numbers from 0 to {len(classes) - 1}, or -1")
        labels[known] = given[known]
        return labels, [str(name) for name in classes]
    found, numbers = np.unique(given[known].astype(str) if given.dtype.kind == "O" else given[known], return_inverse=True)
    labels[known] = numbers
    return labels, [str(name) for name in found.tolist()]


def _native_data(graph: Graph, X: Any, labels: Any, classes: Sequence[str]) -> _native.Data:
    """The graph with other features and labels, as the library takes it."""
    offsets, columns, _ = graph._structure.friends()
    notes: list[str] = []
    features = None
    width = 0
    schema: list[Column] = []
    if X is not None:
        rows, width, features = _arrays.feature_rows(X, "X", notes)
        if rows != graph.people:
            raise Mismatch(f"X: there are {rows} rows for the {graph.people} people of the graph")
        if X is graph.X and graph.schema is not None:
            schema = graph.schema
    return _native.Data.make(name=graph.name, people=graph.people, friends=(offsets, columns), columns=width,
                             features=features, schema=schema, labels=labels, classes=[str(name) for name in classes],
                             names=[] if graph._structure.numbered else graph.names, notes=notes)

