"""Forecasts, attacks, runs and studies, as frames of pandas."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Sequence

from . import _arrays, _native
from .graph import Graph, _native_data

if TYPE_CHECKING:
    import pandas


class Forecast(NamedTuple):
    """What a campaign is expected to give; ``low`` and ``high`` hold in nineteen networks of twenty."""

    control: float
    """Accuracy of graph and labels alone."""
    points: float
    """Points of accuracy over that."""
    low: float
    high: float
    nats: float
    """Log-loss per person over that."""
    asked: float
    """Share of the others whose prediction an answer could change."""

    def to_frame(self) -> pandas.DataFrame:
        """One row."""
        import pandas
        return pandas.DataFrame([self._asdict()])


class Method(NamedTuple):
    """A way to do it, by the name that ``run``, ``attack``, studies and :class:`ppgnn.PPGNNClassifier` take."""

    name: str
    title: str
    about: str
    campaign: bool
    """Whether it teaches and asks; the others average reports over the graph."""
    personal: bool
    """Whether people have budgets of their own."""
    colour: str
    """In figures, as #rrggbb."""


def methods() -> list[Method]:
    """All methods there are."""
    return [Method(row["name"], row["title"], row["about"], row["campaign"], row["personal"], row["colour"])
            for row in _native.methods()]


def _data(graph: Graph) -> _native.Data:
    return _native_data(graph, graph.X, graph.y, graph.classes)


def _setting(setting: Mapping[str, Any]) -> dict[str, str]:
    def text(value: Any) -> str:
        if isinstance(value, (list, tuple)):
            return ",".join(text(part) for part in value)
        return ("yes" if value else "no") if isinstance(value, bool) else str(value)
    return {name: text(value) for name, value in setting.items()}


def forecast(graph: Graph, budgets: Sequence[float] = (1, 2, 4, 8, 16), *, levels: str = "protected", response: float = 1.0,
             seed: int = 0) -> Forecast:
    """What a campaign would give on this graph, before anybody reports: no feature is looked at, only how many columns there are."""
    made = _native.forecast(_data(graph), [float(budget) for budget in budgets], levels == "public", response, seed)
    return Forecast(**made)


def run(graph: Graph, method: str = "teach", *, runs: int = 5, references: bool = True, threads: int = 0,
        progress: bool | None = None, **setting: Any) -> pandas.DataFrame:
    """Simulates devices and server and judges: the table of ``ppgnn run``, one row per way to do it, with the control beside it.

    Further arguments are factors of a study by name, such as ``epsilon=2`` or ``epochs=100`` (docs/formats/study.md).
    """
    import pandas
    rows = _native.run(_data(graph), _setting({"method": method, **setting}), runs, references, threads,
                       _arrays.bar("runs", progress))
    return pandas.DataFrame(rows).set_index("name")


def attack(graph: Graph, method: str = "strict", *, runs: int = 5, threads: int = 0, progress: bool | None = None,
           **setting: Any) -> pandas.Series[float]:
    """What somebody who sees all reports guesses of people's attributes and levels: means over runs, by name (docs/attack.md)."""
    import pandas
    found = _native.attack(_data(graph), _setting({"method": method, **setting}), runs, threads, _arrays.bar("attacks", progress))
    values = {**found["metrics"], "spent_mean": found["spent_mean"]}
    for name in ("level_success", "level_bound"):
        if found[name] is not None:
            values[name] = found[name]
    return pandas.Series(values, name=found["mechanism"], dtype=float)


class StudyResult:
    """The records of a study."""

    def __init__(self, study: str, records: list[Any]) -> None:
        self.study = study
        self._records = records

    def to_frame(self) -> pandas.DataFrame:
        """One row per run of a cell: its factors, the run, and what was measured."""
        import pandas
        return pandas.DataFrame([{**factors, "run": run, **metrics} for factors, _, run, metrics in self._records])

    def chosen(self) -> pandas.DataFrame:
        """One row per run of a cell: every value that it was run with, also those that validation chose."""
        import pandas
        return pandas.DataFrame([{**chosen, "run": run} for _, chosen, run, _ in self._records])

    def summary(self, metric: str = "accuracy") -> pandas.DataFrame:
        """One row per cell: mean over runs, standard deviation and number of runs."""
        frame = self.to_frame()
        factors = [name for name in self._records[0][0]] if self._records else []
        return frame.groupby(factors, sort=False)[metric].agg(["mean", "std", "count"]).reset_index()

    def figure(self, metric: str = "accuracy") -> Any:
        """A figure of matplotlib: the metric against epsilon, one line per method, one panel per data set."""
        from . import figures
        return figures.study(self, metric)

    def __repr__(self) -> str:
        return f"StudyResult({self.study!r}: {len(self._records)} runs)"


class study:
    """Studies: the paper's experiments and yours."""

    @staticmethod
    def names() -> list[str]:
        """The studies that come with ppgnn."""
        return list(_native.studies())

    @staticmethod
    def run(name: str, *, quick: bool = False, folder: str | os.PathLike[str] | None = None,
            data_dir: str | os.PathLike[str] | None = None, only: Mapping[str, Any] | None = None, runs: int | None = None,
            threads: int = 0, progress: bool | None = None) -> StudyResult:
        """Makes the runs of a study that its folder lacks, as ``ppgnn study run`` does, and returns all.

        Args:
            name: a name of :meth:`names`, or the path of a .toml file (docs/formats/study.md).
            quick: fewer runs and points.
            folder: where records are kept; without it they are kept nowhere.
            data_dir: the folder of published data sets; without it, what PPGNN_DATA says.
            only: values in the place of those of a factor: ``{"data": "cora", "epsilon": [1, 2]}``.
            runs: instead of the study's.
        """
        import tempfile
        wanted = {factor: [str(value) for value in (values if isinstance(values, (list, tuple)) else [values])]
                  for factor, values in (only or {}).items()}
        with tempfile.TemporaryDirectory() as nowhere:
            records = _native.run_study(name, quick, os.fspath(folder) if folder is not None else nowhere,
                                        _arrays.data_folder(data_dir), wanted, runs, threads, _arrays.bar(name, progress))
        return StudyResult(name, records)
