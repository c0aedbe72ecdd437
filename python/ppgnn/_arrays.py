"""Arrays as people have them, as the library takes them: shared where that is possible, and a note or an error where it is not."""
from __future__ import annotations

import os
from typing import Any, Callable, Sequence

import numpy as np

from .errors import InvalidArgument, Mismatch

Array = Any  # of numpy, whose stubs differ from version to version


def is_sparse(matrix: object) -> bool:
    """Whether it is a sparse matrix of SciPy, which is not imported for the question."""
    return hasattr(matrix, "tocsr") and hasattr(matrix, "nnz")


def offsets_of(indptr: Array) -> Array:
    """SciPy's row starts, widened: 8 bytes per row."""
    return np.ascontiguousarray(indptr, dtype=np.uint64)


def shared_indices(indices: Array) -> Array:
    """SciPy's 32-bit indices as they are in memory; wider ones are narrowed into a copy."""
    if indices.dtype == np.int32 and indices.flags.c_contiguous:
        return indices.view(np.uint32)
    return np.ascontiguousarray(indices, dtype=np.uint32)


def canonical_csr(matrix: Any, name: str, notes: list[str]) -> Any:
    """A CSR matrix with ascending columns, no repeats and no stored zeros; the matrix itself where it is one."""
    csr = matrix.tocsr()
    if csr.format != "csr":
        raise InvalidArgument(f"{name}: not a matrix that can be turned into CSR")
    needs_copy = not csr.has_canonical_format or (csr.data.size and not bool(np.all(csr.data)))
    if needs_copy:
        csr = csr.copy()
        csr.sum_duplicates()
        csr.eliminate_zeros()
        csr.sort_indices()
        notes.append(f"{name} was copied: rows had repeats, stored zeros, or columns out of order")
    elif csr is not matrix:
        notes.append(f"{name} was copied: it came as {type(matrix).__name__}")
    return csr


def check_finite(values: Array, name: str) -> None:
    """Refuses NaN and infinity in the words that scikit-learn's users know."""
    if values.size and not bool(np.isfinite(values).all()):
        what = "NaN" if bool(np.isnan(values).any()) else "infinity"
        raise InvalidArgument(f"{name}: Input contains {what}, and every value must be a finite number")


def feature_rows(X: Any, name: str = "X", notes: list[str] | None = None) -> tuple[int, int, tuple[Array, Array, Array]]:
    """Rows, columns and the sparse rows that the library takes. Dense rows are made sparse, which copies what is not 0."""
    notes = [] if notes is None else notes
    if is_sparse(X):
        csr = canonical_csr(X, name, notes)
        values = csr.data
        check_finite(values, name)
        if values.size and bool((values == 1).all()):
            values = np.empty(0, dtype=np.float32)
        elif values.dtype != np.float32:
            values = as_float32(values, name)
            notes.append(f"{name} was copied: its values are {csr.data.dtype}, not float32")
        rows, columns = csr.shape
        return rows, columns, (offsets_of(csr.indptr), shared_indices(csr.indices), np.ascontiguousarray(values))
    dense = np.asarray(X)
    if dense.ndim != 2:
        raise InvalidArgument(f"{name}: must be a matrix of one row per person, but has {dense.ndim} dimensions")
    if dense.dtype.kind not in "biuf":
        raise InvalidArgument(f"{name}: must be numbers, but is {dense.dtype}")
    check_finite(dense, name)
    rows, columns = dense.shape
    listed = dense != 0
    offsets = np.zeros(rows + 1, dtype=np.uint64)
    np.cumsum(listed.sum(axis=1), out=offsets[1:])
    indices = np.nonzero(listed)[1].astype(np.uint32)
    values = as_float32(dense[listed], name)
    if values.size and bool((values == 1).all()):
        values = np.empty(0, dtype=np.float32)
    return rows, columns, (offsets, indices, values)


def as_float32(values: Array, name: str) -> Array:
    """Numbers as the library keeps them; those beyond a float's range are refused."""
    with np.errstate(over="ignore"):
        narrow = np.ascontiguousarray(values, dtype=np.float32)
    if narrow.size and not bool(np.isfinite(narrow).all()):
        raise InvalidArgument(f"{name}: Input contains a value too large for 32 bits, or infinity")
    return narrow


def level_array(level: Any, people: int, levels: int, name: str = "level") -> Array:
    """Everybody's level, from 1: one for all, or one per person."""
    given = np.asarray(level)
    if given.dtype.kind not in "iu":
        raise InvalidArgument(f"{name}: must be whole numbers from 1 to {levels}")
    if given.ndim == 0:
        given = np.full(people, int(given))
    if given.shape != (people,):
        raise Mismatch(f"{name}: there are {given.size} for {people} people")
    if given.size and (int(given.min()) < 1 or int(given.max()) > levels):
        raise InvalidArgument(f"{name}: must be from 1 to {levels}")
    return np.ascontiguousarray(given, dtype=np.uint32)


def names_of(names: Sequence[Any] | None, people: int) -> list[str]:
    """What people are called, as text."""
    if names is None:
        return []
    texts = [str(name) for name in names]
    if len(texts) != people:
        raise Mismatch(f"names: there are {len(texts)} for {people} people")
    return texts


def data_folder(folder: str | os.PathLike[str] | None) -> str:
    """Where published data sets are: what is said, or PPGNN_DATA."""
    return os.fspath(folder) if folder is not None else os.environ.get("PPGNN_DATA", "")


def bar(title: str, progress: bool | None) -> Callable[[float, float], None] | None:
    """What shows how far work is: tqdm's bar where it is there, in notebooks too. None: only where somebody looks."""
    if progress is False:
        return None
    import sys
    from importlib.util import find_spec
    notebook = "ipykernel" in sys.modules
    if progress is None and not (notebook or sys.stderr.isatty()):
        return None
    widgets = notebook and find_spec("ipywidgets") is not None
    if find_spec("tqdm") is None or (progress is None and notebook and not widgets):
        return None
    if widgets:
        from tqdm.notebook import tqdm
    else:
        from tqdm import tqdm
    shown = tqdm(total=1.0, desc=title, leave=False, bar_format="{l_bar}{bar}| {elapsed}<{remaining}")

    def update(done: float, total: float) -> None:
        shown.n = done / total
        shown.refresh()
        if done >= total:
            shown.close()

    return update
