"""Campaigns on the server, and the collector from a device's side."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple, Sequence

from . import _native
from .graph import Graph, _native_data
from .plans import Plan, _columns_of

if TYPE_CHECKING:
    import pandas


def _labelled(graph: Graph) -> _native.Data:
    return _native_data(graph, graph.X, graph.y, graph.classes)


class Campaign:
    """A campaign in a folder of files or in a collector's store: the people who teach, the questions to ask, and the results.

    The graph's labels are what the server knows; features, where the graph has some, only give the columns of the plan.
    """

    def __init__(self, native: _native.Campaign) -> None:
        self._native = native

    @classmethod
    def in_folder(cls, folder: str | os.PathLike[str], reports: Sequence[str | os.PathLike[str]] = ()) -> Campaign:
        """In a folder; ``reports`` are files of people's reports that the next step needs."""
        return cls(_native.Campaign.in_folder(os.fspath(folder), [os.fspath(path) for path in reports]))

    @classmethod
    def in_store(cls, where: str) -> Campaign:
        """In a store, written as ``ppgnn serve --store`` takes it, such as "sqlite:campaign.db"; made if it is missing."""
        return cls(_native.Campaign.in_store(where))

    def rounds(self) -> pandas.DataFrame:
        """One row per round: what people do in it, whether reports are taken, how many people it is for and how many reported."""
        import pandas
        return pandas.DataFrame(self._native.rounds(), columns=["role", "open", "people", "reports"])

    def start(self, graph: Graph, name: str, budgets: Sequence[float] = (1, 2, 4, 8, 16), *, schema: Any = None,
              levels: str = "protected", level_budget: float | None = None, seed: int = 0) -> None:
        """Publishes the first round: labelled people teach. ``schema``: columns, where the graph has none."""
        columns = _columns_of(graph if schema is None else schema)
        self._native.start(_labelled(graph), name, columns, [float(budget) for budget in budgets], levels == "public",
                           level_budget, seed)

    def ask(self, graph: Graph, *, pilots: bool = False, seed: int = 0) -> dict[str, Any]:
        """Learns from the reports so far and publishes the next round of questions; ``pilots``: of pilots first."""
        return self._native.ask(_labelled(graph), pilots, seed)

    def conclude(self, graph: Graph, *, seed: int = 0) -> dict[str, Any]:
        """Weighs graph, labels and answers, and keeps everybody's class; says how accurate that is beside the graph alone."""
        return self._native.conclude(_labelled(graph), seed)

    def predictions(self) -> pandas.DataFrame:
        """What was concluded: person, class and probability."""
        import pandas
        return pandas.DataFrame(self._native.predictions(), columns=["person", "class", "probability"]).set_index("person")

    def collected(self, graph: Graph) -> tuple[Plan, dict[str, bytes]]:
        """Of a campaign of one round: its plan and everybody's report, each admitted. For ``CampaignClassifier.fit_reports``."""
        text, reports = self._native.collected(_native_data(graph, None, None, ()))
        return Plan.parse(text), dict(reports)


class Standing(NamedTuple):
    """What a collector says to one person's token."""

    person: str
    plan: str
    """Hash of the plan."""
    round: int
    asked: bool
    reported: bool
    level: int | None
    """As declared, where levels are public."""
    question: bytes
    """Empty where the plan asks none."""


class Collector:
    """A collector, from a device's side: takes one report of the person whose token it is.

    Args:
        url: https://HOST[:PORT], or http:// of this machine: a token does not travel in the clear.
        token: the person's.
        authorities: a file of certificates to trust instead of the system's.
        patience: seconds for which what is busy or cannot be reached is tried again.
    """

    def __init__(self, url: str, token: str, *, authorities: str | os.PathLike[str] = "", patience: float = 30.0) -> None:
        self._native = _native.Collector(url, os.fspath(authorities), patience)
        self._token = token
        self.url = url

    def plan(self) -> Plan:
        """The plan of the round that is open."""
        return Plan.parse(self._native.plan())

    def standing(self) -> Standing:
        """Whether the person is asked, and what."""
        return Standing(**self._native.standing(self._token))

    def submit(self, report: bytes) -> bool:
        """Hands the report in; whether it was stored now. Handing the same one in again changes nothing."""
        return self._native.submit(self._token, report)

    def __repr__(self) -> str:
        return f"Collector({self.url!r})"
