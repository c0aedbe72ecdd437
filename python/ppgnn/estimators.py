"""The paper's system, its baselines and campaigns as estimators of scikit-learn."""
from __future__ import annotations

import hashlib
from typing import Any, Sequence

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _arrays, _native
from .errors import InvalidArgument, Mismatch
from .graph import Graph, _native_data
from .plans import Certificate, Plan


def as_graph(graph: Any, people: int) -> Graph:
    """The graph that somebody hands over; ``None`` is one without any edge."""
    if graph is None:
        return Graph.from_edges(np.empty((0, 2), dtype=np.int64), people)
    if isinstance(graph, Graph):
        made = graph
    elif _arrays.is_sparse(graph):
        made = Graph.from_scipy(graph)
    elif hasattr(graph, "nodes") and hasattr(graph, "edges"):
        made = Graph.from_networkx(graph)
    else:
        raise InvalidArgument("graph: must be a ppgnn.Graph, a SciPy sparse matrix, a NetworkX graph or None, but is "
                              + type(graph).__name__)
    if made.people != people:
        raise Mismatch(f"graph: has {made.people} people, X has {people} rows")
    return made


def _digest(X: Any) -> bytes:
    _, columns, (offsets, indices, values) = _arrays.feature_rows(X)
    hashed = hashlib.sha256(str(columns).encode())
    for part in (offsets, indices, values):
        hashed.update(np.ascontiguousarray(part).view(np.uint8).data)
    return hashed.digest()


class _Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What both estimators share: labels, seeds, what is kept of a run, and predictions."""

    # What subclasses have as parameters.
    validation_fraction: float
    test_fraction: float
    control: bool
    random_state: Any
    progress: bool | None

    def _setting(self, graph: Graph) -> dict[str, str]:
        raise NotImplementedError

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _labels(self, y: Any) -> tuple[Any, list[str]]:
        """Numbers from 0, -1 for people whose class is not known; sets classes_."""
        y = np.asarray(y)
        if y.dtype.kind == "O":
            known = np.asarray([label is not None and label == label for label in y.tolist()], dtype=bool)
        else:
            known = y != -1 if y.dtype.kind in "if" else np.ones(y.shape, dtype=bool)
        if len(np.unique(y[known])) == 1 and not bool(known.all()) and y.dtype.kind in "if":
            known = np.ones(y.shape, dtype=bool)  # -1 and another number alone: two classes, or there would be none to tell apart
        if not bool(known.any()):
            raise InvalidArgument("y: nobody has a class; -1 stands for people whose class is not known")
        check_classification_targets(y[known])
        self.classes_, numbers = np.unique(y[known], return_inverse=True)
        if len(self.classes_) < 2:
            raise InvalidArgument("y: there must be at least two classes, but there is one class")
        labels = np.full(y.shape, -1, dtype=np.int32)
        labels[known] = numbers
        return labels, [str(name) for name in self.classes_.tolist()]

    def _checked(self, X: Any, y: Any) -> tuple[Any, Any]:
        if y is None:
            raise ValueError("y: this estimator requires y to be passed, but the target y is None")
        X, y = self._validate_data(X, y, accept_sparse="csr", dtype=[np.float32, np.float64, np.int32, np.int64, np.uint8, np.bool_],
                                   ensure_min_samples=2)
        return X, y

    def _fit(self, X: Any, y: Any, graph: Any, level: Any) -> Any:
        own = isinstance(graph, Graph) and X is graph.X
        checked, y = self._checked(X, y)
        X = X if own else checked
        people = as_graph(graph, X.shape[0])
        labels, names = self._labels(y)
        data = _native_data(people, X, labels, names)
        levels = None if level is None else _arrays.level_array(level, X.shape[0], self._level_count())
        fitted = _native.fit(data, {**self._setting(people), "seed": str(self._seed())}, self.validation_fraction,
                             self.test_fraction, levels, self.control, _arrays.bar("fit", self.progress))
        self._keep(fitted, graph is not None and people.friendships > 0, X)
        return self

    def _level_count(self) -> int:
        raise NotImplementedError

    def _keep(self, fitted: dict[str, Any], has_graph: bool, X: Any) -> None:
        self._learned = fitted["learned"]
        self._fitted_rows = _digest(X) if has_graph else b""
        self.label_distributions_ = np.array(fitted["probabilities"], dtype=np.float64).reshape(-1, len(self.classes_))
        self.transduction_ = self.classes_[self.label_distributions_.argmax(axis=1)]
        self.levels_ = np.array(fitted["levels"])
        self.spent_ = np.array(fitted["spent"])
        self.plans_ = [Plan.parse(text) for text in fitted["plans"]]
        self.metrics_ = dict(fitted["metrics"])
        self.control_metrics_ = None if fitted["control"] is None else dict(fitted["control"])
        judged = "accuracy" if "accuracy" in self.metrics_ else "validation_accuracy"
        self.validation_score_ = self.metrics_.get("validation_accuracy")
        self.test_score_ = self.metrics_.get("accuracy")
        self.control_score_ = None if self.control_metrics_ is None else self.control_metrics_.get(judged)
        self.lift_ = None if self.control_score_ is None else self.metrics_[judged] - self.control_score_

    @property
    def certificate_(self) -> Certificate | None:
        """What a report reveals at most; ``None`` for methods without a plan, whose claims nobody certified."""
        check_is_fitted(self)
        return self.plans_[0].audit() if self.plans_ else None

    def predict_proba(self, X: Any = None, *, graph: Any = None) -> Any:
        """Probabilities of each class, as :meth:`predict` takes people."""
        check_is_fitted(self)
        if X is None:
            if graph is not None:
                raise InvalidArgument("X: the people of a new graph need their features")
            return self.label_distributions_
        own = isinstance(graph, Graph) and X is graph.X
        checked = self._validate_data(X, accept_sparse="csr", reset=False,
                                      dtype=[np.float32, np.float64, np.int32, np.int64, np.uint8, np.bool_])
        X = X if own else checked
        if graph is None and self._fitted_rows and X.shape[0] == len(self.transduction_) and _digest(X) == self._fitted_rows:
            return self.label_distributions_
        people = as_graph(graph, X.shape[0])
        data = _native_data(people, X, None, [])
        return np.array(self._learned.predict(data), dtype=np.float64).reshape(-1, len(self.classes_))

    def predict(self, X: Any = None, *, graph: Any = None) -> Any:
        """Everybody's likeliest class.

        Args:
            X: ``None``, or the matrix that was fitted with a graph: the people who were fitted. Otherwise people the model has
                never seen, one row each.
            graph: the acquaintances among the rows of ``X``. A new person's friends are what a graph network learns from, so
                predictions of unseen people need their edges: put everybody into one matrix, those who were fitted and those who
                were not, with the graph of all. Without a graph the rows are people who know nobody.
        """
        likeliest = self.predict_proba(X, graph=graph).argmax(axis=1)
        return self.classes_[likeliest]

    def score(self, X: Any = None, y: Any = None, sample_weight: Any = None, *, graph: Any = None) -> float:
        """Accuracy over the rows whose class is known (is not -1), as :meth:`predict` takes people."""
        from sklearn.metrics import accuracy_score
        y = np.asarray(y)
        known = np.ones(y.shape, dtype=bool) if y.dtype.kind not in "if" or -1 in self.classes_ else y != -1
        weights = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(accuracy_score(y[known], self.predict(X, graph=graph)[known], sample_weight=weights))

    def _more_tags(self) -> dict[str, bool]:
        return {"poor_score": True}  # private features of a few people say little, and that is the point


class PPGNNClassifier(_Classifier):
    """A simulation: everybody's features are perturbed as their devices would, and a graph network learns from the reports.

    ``fit`` is handed clean features, which no server ever has: it plays people's devices and the server in one process. For real
    reports there is :meth:`CampaignClassifier.fit_reports`.

    Args:
        method: a name of :func:`ppgnn.methods`: "paper" is PPGNN as printed (its level is NOT protected), "strict" the same idea with
            levels protected, "lpgnn" and "base" its baselines, "control" what the graph alone gives, "nonpriv" clean features.
        backbone: "gcn", "sage" or "gat".
        epsilon: the strictest person's budget, in nats; that of level l is epsilon * 2**(l - 1).
        budgets: budgets one by one instead, ascending.
        n_levels: how many levels there are.
        choice: how people choose levels: "uniform", "strict", "relaxed" or "bimodal"; ``fit(level=...)`` states them instead.
        level_budget: most nats that a report may tell of a protected level.
        gamma: share of the budget for the level report.
        hops: over which reports are averaged; ``None``: 4, or 0 where the graph has no edge.
        scale: "common" (chosen by validation), "raw", or a root mean square; ``None``: the method's.
        epochs: of training; the one of least validation loss is kept.
        learning_rate, weight_decay, dropout, hidden: of training.
        validation_fraction: share of the labelled people used to choose the model.
        test_fraction: share used to judge it. With 0.25 and 0.25 ``fit`` gives the bits of the first run of ``ppgnn run``.
        control: whether to fit the control too: devices that hold nothing.
        random_state: seed of split, levels, noise and training.
        progress: whether to show a bar; ``None``: where somebody looks.

    Attributes:
        transduction_, label_distributions_: class and probabilities of each fitted person.
        test_score_, validation_score_: accuracy of the people held out.
        control_score_, lift_: what the graph alone reaches on the same people, and how much more the reports give.
        levels_, spent_: the level of each person, and the nats they spent.
        certificate_: what a report reveals at most, where there is a plan.
        metrics_, control_metrics_: everything that was measured, by the names that studies use.

    Unseen rows report once each, with noise that depends on ``random_state`` and their features alone.
    """

    def __init__(self, method: str = "paper", *, backbone: str = "gcn", epsilon: float = 1.0, budgets: Sequence[float] | None = None,
                 n_levels: int = 5, choice: str = "uniform", level_budget: float | None = None, gamma: float | None = None,
                 hops: int | None = None, scale: str | float | None = None, epochs: int = 500, learning_rate: float = 0.01,
                 weight_decay: float = 0.001, dropout: float = 0.5, hidden: int = 16, validation_fraction: float = 0.25,
                 test_fraction: float = 0.0, control: bool = True, random_state: Any = None, progress: bool | None = None) -> None:
        self.method = method
        self.backbone = backbone
        self.epsilon = epsilon
        self.budgets = budgets
        self.n_levels = n_levels
        self.choice = choice
        self.level_budget = level_budget
        self.gamma = gamma
        self.hops = hops
        self.scale = scale
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.dropout = dropout
        self.hidden = hidden
        self.validation_fraction = validation_fraction
        self.test_fraction = test_fraction
        self.control = control
        self.random_state = random_state
        self.progress = progress

    def fit(self, X: Any, y: Any, *, graph: Any = None, level: Any = None) -> PPGNNClassifier:
        """Simulates devices and server on clean features.

        Args:
            X: features, one row per person.
            y: classes; -1 for people whose class is not known. (Of -1 and one other number alone, both are classes.)
            graph: a :class:`ppgnn.Graph`, a SciPy sparse matrix or a NetworkX graph on the rows of ``X``; ``None``: nobody knows
                anybody.
            level: the privacy level of each person, from 1 (the strictest); ``None``: drawn by ``choice``.
        """
        return self._fit(X, y, graph, level)  # type: ignore[no-any-return]

    def _level_count(self) -> int:
        return self.n_levels if self.budgets is None else len(self.budgets)

    def _setting(self, graph: Graph) -> dict[str, str]:
        hops = self.hops if self.hops is not None else 4 if graph.friendships else 0
        setting = {
            "method": self.method, "backbone": self.backbone, "epsilon": number(self.epsilon), "h": str(self.n_levels),
            "levels": self.choice, "hops": str(hops), "epochs": str(self.epochs), "learning_rate": number(self.learning_rate),
            "weight_decay": number(self.weight_decay), "dropout": number(self.dropout), "hidden": str(self.hidden)}
        optional = {"level_budget": self.level_budget, "gamma": self.gamma, "scale": self.scale}
        setting.update({name: number(value) for name, value in optional.items() if value is not None})
        if self.budgets is not None:
            setting["budgets"] = ",".join(number(budget) for budget in self.budgets)
        return setting


def number(value: Any) -> str:
    """A number as a setting has it: all its digits, and no more."""
    if isinstance(value, (bool, str)):
        return str(value)
    return str(int(value)) if float(value).is_integer() and abs(float(value)) < 2**53 else repr(float(value))


class CampaignClassifier(_Classifier):
    """A simulation with ``fit``: labelled people teach a public model, the others answer one question each about it.

    ``fit`` is handed clean features, which no server ever has: it plays everybody's device. ``fit_reports`` takes what real
    devices sent under a plan, and trains a graph network on that.

    Args:
        levels: "protected": a person's level is private too; "public": it travels with the report.
        budgets: most nats of a report, one per level, ascending.
        level_budget: most nats that a report may tell of a protected level.
        choice: how people choose levels: "uniform", "strict", "relaxed" or "bimodal"; ``fit(level=...)`` states them instead.
        response: share of the people asked who report.
        pilots: whether validation people answer first, and nobody else is asked where that does not help.
        spread: labels that the graph spreads: "train", or "all": validation too.
        backbone, hops, scale, epochs: of ``fit_reports``.
        validation_fraction, test_fraction, control, random_state, progress: as of :class:`PPGNNClassifier`; ``fit_reports``
            always holds out a quarter each.

    Attributes:
        As of :class:`PPGNNClassifier`. ``spent_`` is 0 for people who were not asked.

    Unseen rows send nothing: the public model is applied to them at home. Its odds rank classes and are not calibrated.
    """

    def __init__(self, *, levels: str = "protected", budgets: Sequence[float] = (1, 2, 4, 8, 16), level_budget: float | None = None,
                 choice: str = "uniform", response: float = 1.0, pilots: bool = False, spread: str = "train", backbone: str = "gcn",
                 hops: int = 4, scale: str | float = "common", epochs: int = 500, validation_fraction: float = 0.25,
                 test_fraction: float = 0.0, control: bool = True, random_state: Any = None, progress: bool | None = None) -> None:
        self.levels = levels
        self.budgets = budgets
        self.level_budget = level_budget
        self.choice = choice
        self.response = response
        self.pilots = pilots
        self.spread = spread
        self.backbone = backbone
        self.hops = hops
        self.scale = scale
        self.epochs = epochs
        self.validation_fraction = validation_fraction
        self.test_fraction = test_fraction
        self.control = control
        self.random_state = random_state
        self.progress = progress

    def fit(self, X: Any, y: Any, *, graph: Any = None, level: Any = None) -> CampaignClassifier:
        """Simulates a campaign on clean features; arguments as of :meth:`PPGNNClassifier.fit`."""
        return self._fit(X, y, graph, level)  # type: ignore[no-any-return]

    def fit_reports(self, plan: Plan, reports: Any, y: Any, *, graph: Graph) -> CampaignClassifier:
        """Trains on what real devices sent under a plan without roles.

        Args:
            plan: what people reported under.
            reports: a mapping from person to report, pairs of both, or a list in the order of the graph's people with ``None`` for
                people without a report.
            y: classes in the order of the graph's people; -1 where not known.
            graph: the acquaintances.
        """
        labels, names = self._labels(y)
        if labels.shape != (graph.people,):
            raise Mismatch(f"y: there are {labels.size} labels for the {graph.people} people of the graph")
        pairs = report_pairs(reports, graph)
        data = _native_data(graph, None, labels, names)
        self._model = _native.Model.train(
            data, plan._native, pairs, backbone=self.backbone, hops=self.hops, scale=number(self.scale), epochs=self.epochs,
            learning_rate=0.01, weight_decay=0.001, dropout=0.5, hidden=16, seed=self._seed(), threads=0,
            show=_arrays.bar("training", self.progress))
        self.n_features_in_ = plan._native.dim
        self.plans_ = [plan]
        self._fitted_rows = b""
        self.label_distributions_ = np.array(self._model.probabilities(data, plan._native, pairs), dtype=np.float64)
        self.label_distributions_ = self.label_distributions_.reshape(-1, len(self.classes_))
        self.transduction_ = self.classes_[self.label_distributions_.argmax(axis=1)]
        self.test_score_ = self._model.test_accuracy
        self.control_score_ = self.lift_ = None
        sent = {person for person, _ in pairs}
        most = max(plan.audit().features) + plan.audit().level_report
        self.spent_ = np.array([most if person in sent else 0.0 for person in graph.names])
        return self

    def _level_count(self) -> int:
        return len(self.budgets)

    def _setting(self, graph: Graph) -> dict[str, str]:
        if self.levels not in ("protected", "public"):
            raise InvalidArgument(f"levels: must be 'protected' or 'public', but is {self.levels!r}")
        setting = {
            "method": "teach" if self.levels == "protected" else "teach-public", "levels": self.choice,
            "budgets": ",".join(number(budget) for budget in self.budgets), "response": number(self.response),
            "pilots": "yes" if self.pilots else "no", "labels": self.spread}
        if self.level_budget is not None:
            setting["level_budget"] = number(self.level_budget)
        return setting


def report_pairs(reports: Any, graph: Graph) -> list[tuple[str, bytes]]:
    """Reports by the names of people."""
    if hasattr(reports, "items"):
        reports = list(reports.items())
    listed = list(reports)
    if listed and (listed[0] is None or isinstance(listed[0], (bytes, bytearray))):
        if len(listed) != graph.people:
            raise Mismatch(f"reports: there are {len(listed)} for the {graph.people} people of the graph")
        listed = [(name, report) for name, report in zip(graph.names, listed) if report is not None]
    return [(str(person), bytes(report)) for person, report in listed]
