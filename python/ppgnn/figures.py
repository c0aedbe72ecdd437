"""Pictures with matplotlib, in the colours of the product's figures: what private features give, and what it costs."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from .laboratory import methods

if TYPE_CHECKING:
    from .laboratory import StudyResult
    from .plans import Certificate

INK, CONTROL, CLEAN = "#222222", "#000000", "#767676"


def _axes(axes: Any = None, width: float = 5.6, height: float = 3.4) -> Any:
    import matplotlib.pyplot as plt
    if axes is None:
        axes = plt.subplots(figsize=(width, height), layout="constrained")[1]
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    return axes


def _colours() -> dict[str, str]:
    return {method.name: method.colour for method in methods()}


def accuracy(frame: Any, *, axes: Any = None) -> Any:
    """Test accuracy with its 95% interval, one bar per way to do it, from the frame of :func:`ppgnn.run`; the control is a line across."""
    axes = _axes(axes)
    colours = {**_colours(), "control": CONTROL, "nonprivate": CLEAN}
    shown = [name for name in frame.index if name != "control"]
    for place, name in enumerate(shown):
        row = frame.loc[name]
        errors = [[100 * (row["mean"] - row["low"])], [100 * (row["high"] - row["mean"])]]
        axes.bar(place, 100 * row["mean"], 0.6, color=colours.get(name, "#08306b"), yerr=errors, ecolor=INK, capsize=3)
    if "control" in frame.index:
        axes.axhline(100 * frame.loc["control", "mean"], color=CONTROL, linestyle="--", label="graph alone (control)")
        axes.legend(frameon=False)
    axes.set_xticks(range(len(shown)), shown)
    axes.set_ylabel("test accuracy (%)")
    low = 100 * float(frame["low"].min())
    axes.set_ylim(max(0.0, 5 * math.floor(low / 5) - 5), None)
    return axes.figure


def against_budget(points: Any, *, axes: Any = None) -> Any:
    """Accuracy against epsilon, one line per method, with control and ceiling.

    Args:
        points: a frame with the columns ``epsilon``, ``name`` and ``mean``, and ``low`` and ``high`` where intervals are known: the
            frames of :func:`ppgnn.run` at several budgets, put one below the other with ``epsilon`` as a column.
    """
    axes = _axes(axes)
    colours = _colours()
    looks = {"control": (CONTROL, "--", "graph alone (control)"), "nonprivate": (CLEAN, ":", "without privacy (ceiling)")}
    for name, line in points.groupby("name", sort=False):
        line = line.sort_values("epsilon")
        colour, dash, title = looks.get(name, (colours.get(name, "#08306b"), "-", name))
        axes.plot(line["epsilon"], 100 * line["mean"], dash, color=colour, marker="" if name in looks else "o", label=title)
        if "low" in line and name not in looks:
            axes.fill_between(line["epsilon"], 100 * line["low"], 100 * line["high"], color=colour, alpha=0.15, linewidth=0)
    axes.set_xscale("log", base=2)
    budgets = sorted(points["epsilon"].unique())
    axes.set_xticks(budgets, [f"{budget:g}" for budget in budgets])
    axes.set_xlabel("epsilon (strictest person's budget, nats)")
    axes.set_ylabel("test accuracy (%)")
    axes.legend(frameon=False)
    return axes.figure


def spent(nats: Sequence[float], *, levels: Any = None, axes: Any = None) -> Any:
    """What people spent: how many, by nats; people who sent nothing are at 0."""
    axes = _axes(axes)
    values = np.asarray(nats, dtype=float)
    edges = np.linspace(0, max(1.0, float(values.max())) * 1.02, 25)
    if levels is None:
        axes.hist(values, edges, color="#08306b")
    else:
        chosen = np.asarray(levels)
        kinds = np.unique(chosen)
        shades = [f"#{int(8 + 40 * i):02x}{int(48 + 32 * i):02x}{int(107 + 26 * i):02x}" for i in range(len(kinds))]
        axes.hist([values[chosen == kind] for kind in kinds], edges, stacked=True, color=shades[:len(kinds)],
                  label=[f"level {kind}" for kind in kinds])
        axes.legend(frameon=False)
    axes.set_xlabel("nats spent")
    axes.set_ylabel("people")
    return axes.figure


def certificate(found: Certificate, *, axes: Any = None) -> Any:
    """A certificate as a picture: how sure a report can make somebody who was undecided, level by level, below the budget's bound."""
    axes = _axes(axes)
    frame = found.to_frame()
    budget = 100 / (1 + np.exp(-frame["budget"].to_numpy()))
    axes.bar(frame.index, budget, 0.7, color="none", edgecolor=CLEAN, linestyle="--", label="what the person allows")
    axes.bar(frame.index, 100 * frame["surest"], 0.5, color="#08306b", label="what a report can do")
    axes.axhline(50, color=INK, linewidth=0.8)
    axes.set_xticks(list(frame.index), [f"{level}\n{row:g} nat{'' if row == 1 else 's'}" for level, row in frame["budget"].items()])
    axes.set_xlabel("level and its budget")
    axes.set_ylabel("surest guess between two (%)")
    axes.set_ylim(45, 100.5)
    axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return axes.figure


def study(result: StudyResult, metric: str = "accuracy") -> Any:
    """A study's metric against epsilon: one panel per data set, one line per method, mean over runs with a band of two standard errors."""
    import matplotlib.pyplot as plt
    frame = result.to_frame()
    data = list(frame["data"].unique()) if "data" in frame else [""]
    figure, panels = plt.subplots(1, len(data), figsize=(4.2 * len(data), 3.4), layout="constrained", squeeze=False)
    colours, titles = _colours(), {method.name: method.title for method in methods()}
    scale = 100 if metric == "accuracy" else 1
    for name, axes in zip(data, panels[0]):
        _axes(axes)
        here = frame if name == "" else frame[frame["data"] == name]
        for method, line in here.groupby("method", sort=False):
            by = line.assign(epsilon=line["epsilon"].astype(float)).groupby("epsilon")[metric].agg(["mean", "sem"]).fillna(0.0)
            colour = colours.get(str(method).split("@")[0], INK)
            axes.plot(by.index, scale * by["mean"], "-o", color=colour, label=titles.get(method, method), markersize=4)
            axes.fill_between(by.index, scale * (by["mean"] - 2 * by["sem"]), scale * (by["mean"] + 2 * by["sem"]), color=colour,
                              alpha=0.15, linewidth=0)
        axes.set_title(name)
        axes.set_xlabel("epsilon")
    panels[0][0].set_ylabel("test accuracy (%)" if metric == "accuracy" else metric.replace("_", " "))
    panels[0][-1].legend(frameon=False, fontsize=8)
    return figure
