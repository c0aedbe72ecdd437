"""Plans, what they reveal at most, and devices that report under them."""
from __future__ import annotations

import math
import operator
import os
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _arrays, _native
from ._native import Column
from .errors import InvalidArgument, Mismatch
from .graph import Graph

if TYPE_CHECKING:
    import pandas


def _columns_of(schema: Any) -> list[Column]:
    if isinstance(schema, Column):
        return [schema]
    if isinstance(schema, Graph):
        return schema.columns()
    return list(schema)


class Certificate:
    """What somebody who sees one report can learn at most, in nats, computed from the plan's integers and rounded up.

    Attributes:
        features: for each level, what it tells of the features to somebody who knows the level.
        level_report: what the level report alone costs.
        level_given_features: what a report tells of the level to somebody who knows the features; infinity where levels are
            public.
        pair_max: of features and level together, for anybody.
        pair_strictest: the same for a person at the strictest level.
    """

    def __init__(self, plan: Plan) -> None:
        found = plan._native.certificate()
        self.plan = plan
        self.features: list[float] = found["features"]
        self.level_report: float = found["level_report"]
        self.level_given_features: float = found["level_given_features"]
        self.pair_max: float = found["pair_max"]
        self.pair_strictest: float = found["pair_strictest"]

    @property
    def sentences(self) -> list[str]:
        """What each level sends and what it tells at most, in words, the strictest level first."""
        return [self.plan._native.words(level) for level in range(len(self.features))]

    @property
    def notes(self) -> list[str]:
        """What else you must know."""
        return list(self.plan._native.notes)

    def to_frame(self) -> pandas.DataFrame:
        """One row per level: its budget, what a report tells at most, and how sure that makes somebody who was undecided."""
        import pandas
        native = self.plan._native
        spent = [native.spent(level) for level in range(len(self.features))]
        return pandas.DataFrame({
            "budget": native.budgets, "features": self.features, "spent": spent,
            "level": [self.level_given_features] * len(spent),
            "surest": [1 / (1 + math.exp(-value)) for value in self.features],
        }, index=pandas.RangeIndex(1, len(spent) + 1, name="level"))

    def falsify(self, trials: int = 100_000, *, progress: bool | None = None) -> pandas.DataFrame:
        """Tries to show that the device breaks its promises, by looking at reports alone: one row per check.

        A device that keeps them fails any check with a probability of one in a million. ``tested`` is False where so many
        reports could not have shown a broken promise.
        """
        import pandas
        checks, reports = _native.falsify(self.plan._native, trials, _arrays.bar("reports", progress))
        frame = pandas.DataFrame(checks)
        frame.attrs["reports"] = reports
        return frame

    def __repr__(self) -> str:
        worst = max(self.features)
        return f"Certificate(at most {worst:.4g} nats of anybody's features: {_native.surer(worst)})"

    def _repr_html_(self) -> str:
        from html import escape
        rows = "".join(
            f"<tr><td>{level}</td><td>{row.budget:.4g}</td><td>{row.features:.4g}</td>"
            f"<td>{'public' if math.isinf(row.level) else format(row.level, '.4g')}</td>"
            f"<td style='text-align:left'>{escape(sentence)}</td></tr>"
            for (level, row), sentence in zip(self.to_frame().iterrows(), self.sentences))
        notes = "".join(f"<li>{escape(note)}.</li>" for note in self.notes)
        return (f"<p><b>{escape(self.plan._native.title)}</b></p><table><thead><tr><th>level</th><th>budget (nats)</th>"
                f"<th>features at most</th><th>level at most</th><th style='text-align:left'>in words</th></tr></thead>"
                f"<tbody>{rows}</tbody></table><ul>{notes}</ul>")


class Plan:
    """A public agreement between all devices and the server: columns, levels, and the integers behind every probability.

    A plan exists only with a certificate that holds. Make one with :meth:`make`, or read one with :meth:`parse` or :meth:`read`.
    """

    def __init__(self, native: _native.Plan) -> None:
        self._native = native

    @classmethod
    def make(cls, schema: Graph | Column | Sequence[Column], budgets: Sequence[float] = (1, 2, 4, 8, 16), *,
             levels: str = "protected", level_budget: float | None = None, gamma: float = 0.0,
             prior: Sequence[float] | None = None) -> Plan:
        """The plan that keeps most information within the budgets.

        Args:
            schema: columns, or a graph whose columns are taken. Columns that were read off people's data are for research only.
            budgets: the most nats that a report may cost, one per level, ascending.
            levels: "protected": the level is private too; "public": it travels with the report.
            level_budget: most nats that a report may tell of a protected level; without it max(1, strictest budget).
            gamma: share of the strictest budget for a report of the level.
            prior: share of people expected at each level; without it, the same for all.
        """
        if levels not in ("protected", "public"):
            raise InvalidArgument(f"levels: must be 'protected' or 'public', but is {levels!r}")
        return cls(_native.Plan.make(_columns_of(schema), [float(budget) for budget in budgets], levels == "public",
                                     level_budget, gamma, [] if prior is None else [float(share) for share in prior]))

    @classmethod
    def parse(cls, text: str) -> Plan:
        """The plan in a text; anything but its canonical form is refused."""
        return cls(_native.Plan.parse(text))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Plan:
        """The plan in a file."""
        with open(path, encoding="utf-8", newline="") as file:
            return cls.parse(file.read())

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the text, as ``ppgnn plan --out`` does."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self.text)

    def audit(self) -> Certificate:
        """What a report reveals at most."""
        return Certificate(self)

    @property
    def text(self) -> str:
        """The canonical text (docs/formats/plan.md)."""
        return self._native.text

    @property
    def hash(self) -> str:
        """What reports name the plan by."""
        return self._native.hash

    @property
    def schema(self) -> list[Column]:
        """The columns."""
        return list(self._native.columns)

    @property
    def budgets(self) -> list[float]:
        """Most nats of a report, level by level."""
        return list(self._native.budgets)

    @property
    def levels(self) -> str:
        """"protected" or "public"."""
        return "public" if self._native.public else "protected"

    def reports(self, X: Any, level: Any = 1, *, names: Sequence[Any] | None = None, round: int = 0) -> list[bytes]:
        """A report for each row, by the device's own code, with the operating system's randomness: no two calls give the same.

        Float32 rows and the indices of a CSR matrix are read where they are; nothing is copied. Nobody's ledger counts these
        reports: this is for tests and simulations, :class:`Client` is for people.

        Args:
            X: one row per person: a C-contiguous float32 matrix, or a CSR matrix with float32 values.
            level: one for all, or one per person, from 1.
            names: what the server calls people, where the plan belongs to a campaign.
        """
        rows, columns = X.shape
        if columns != self._native.dim:
            raise Mismatch(f"X: there are {columns} columns, the plan has {self._native.dim}")
        levels = _arrays.level_array(level, rows, len(self.budgets))
        given = _arrays.names_of(names, rows)
        if _arrays.is_sparse(X):
            if X.format != "csr" or not X.has_canonical_format:
                raise InvalidArgument("X: must be a CSR matrix with ascending columns; X.tocsr() and X.sum_duplicates() make one")
            if X.data.dtype != np.float32:
                raise InvalidArgument(f"X: its values must be float32, but are {X.data.dtype}; X.astype('float32') makes a copy")
            sparse = (_arrays.offsets_of(X.indptr), _arrays.shared_indices(X.indices), X.data)
            return _native.reports_of_rows(self._native, None, sparse, levels, given, round)
        if not isinstance(X, np.ndarray) or X.dtype != np.float32 or not X.flags.c_contiguous:
            raise InvalidArgument("X: must be a C-contiguous float32 matrix, or it would be copied; np.ascontiguousarray(X, 'float32') "
                                  "makes such a copy")
        return _native.reports_of_rows(self._native, X.reshape(-1), None, levels, given, round)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Plan.parse, (self.text,)

    def __repr__(self) -> str:
        budgets = ", ".join(f"{budget:g}" for budget in self.budgets)
        return f"Plan({self._native.title}; budgets {budgets}; levels {self.levels})"


class Client:
    """A person's device: checks a plan, holds it to what the person agreed to, and makes one report per campaign.

    It has no seed: its randomness is the operating system's, and nothing can be put in its place. Every report goes through a
    ledger, which hands out the report there is instead of making a second one.

    Args:
        plan: a plan, or its text.
        agree: most nats that one report may cost anybody under the plan, or a mapping with some of ``report``, ``lifetime`` (nats
            in all), ``reports`` (in all) and ``level_disclosed`` (whether plans that send the level are agreed to).
        person: the name under which the server knows the person; plans of a campaign need it.
        question: the person's question, where the plan asks one.
        recipient: who receives the report: the collector's address.
    """

    def __init__(self, plan: Plan | str, *, agree: float | dict[str, float] | None = None, person: str | None = None,
                 question: bytes | None = None, recipient: str | None = None) -> None:
        text = plan if isinstance(plan, str) else plan.text
        self._native = _native.Client(text)
        self.plan = Plan.parse(text)
        limits = dict(agree) if isinstance(agree, dict) else {} if agree is None else {"report": float(agree)}
        unknown = sorted(set(limits) - {"report", "lifetime", "reports", "level_disclosed"})
        if unknown:
            raise InvalidArgument(f"agree: has no {unknown[0]}; it may have report, lifetime, reports and level_disclosed")
        self._native.agree(float(limits.get("report", 3)), float(limits.get("lifetime", 10)), int(limits.get("reports", 10)),
                           bool(limits.get("level_disclosed", False)))
        if person is not None:
            self._native.set_person(person)
        if question is not None:
            self._native.set_question(question)
        if recipient is not None:
            self._native.set_recipient(recipient)

    def preview(self, level: int) -> str:
        """What would leave the device at this level, in words: for the person to see before anything is spent."""
        return self._native.preview(_whole(level, "level"))

    def report(self, x: Any, *, level: int, ledger: str | os.PathLike[str], round: int = 0) -> bytes:
        """The campaign's one report: the one that the ledger has, or a fresh one, which is in the ledger for good before this returns.

        Args:
            x: the person's features: values of all columns, a CSR matrix of one row, or a mapping from column to value.
            level: the person's own, from 1.
            ledger: the person's file. It holds what the person spent, and is as private as the features.
        """
        columns, values = _row(x, self.plan._native.dim)
        return self._native.report(_whole(level, "level"), columns, values, _whole(round, "round"), os.fspath(ledger))[0]

    def resend(self, ledger: str | os.PathLike[str]) -> bytes:
        """The report there is; empty where there is none."""
        return self._native.resend(os.fspath(ledger))

    def spent(self, ledger: str | os.PathLike[str]) -> dict[str, float]:
        """What the ledger adds up to: ``reports``, ``counted`` (what limits count), and the person's own ``features`` and ``level``."""
        return self._native.spending(os.fspath(ledger))

    def __repr__(self) -> str:
        return f"Client({self.plan!r})"


def _whole(number: Any, name: str) -> int:
    """A whole number that fits; checked here, as no message may show what else was handed over."""
    try:
        value = operator.index(number)
    except TypeError:
        value = -1
    if not 0 <= value < 2**32:
        raise InvalidArgument(f"{name}: must be a whole number from 0, and not too large")
    return value


def _row(x: Any, columns: int) -> tuple[Any, Any]:
    """One person's features as the device takes them."""
    if isinstance(x, dict):
        listed = sorted(_whole(column, "x") for column in x)
        try:
            return np.asarray(listed, dtype=np.uint32), np.asarray([float(x[column]) for column in listed], dtype=np.float32)
        except (TypeError, ValueError):
            raise InvalidArgument("x: must map columns to numbers") from None
    if _arrays.is_sparse(x):
        if x.shape[0] != 1:
            raise Mismatch(f"x: must be one row, but there are {x.shape[0]}")
        if x.shape[1] != columns:
            raise Mismatch(f"x: there are {x.shape[1]} columns, the plan has {columns}")
        csr = _arrays.canonical_csr(x, "x", [])
        return _arrays.shared_indices(csr.indices), np.ascontiguousarray(csr.data, dtype=np.float32)
    try:
        dense = np.ascontiguousarray(x, dtype=np.float32).reshape(-1)
    except (TypeError, ValueError):
        raise InvalidArgument("x: must be numbers, one per column") from None
    if dense.size != columns:
        raise Mismatch(f"x: there are {dense.size} values, the plan has {columns} columns")
    return None, dense
