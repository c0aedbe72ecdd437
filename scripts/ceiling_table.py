#!/usr/bin/env python3
"""The table of docs/research/teacher.md: how far what reports teach is from the ceiling, with standard errors.

usage: scripts/ceiling_table.py FOLDER, where `ppgnn study run ceiling --out FOLDER` kept its records. Lifts are nats over the graph
alone; errors are over runs, of shares by leaving one run out."""
import json
import os
import sys

ESTIMATOR = ".log_loss"


def read(folder):
    """Metrics by data set, run and method."""
    runs = {}
    with open(os.path.join(folder, "results.jsonl")) as lines:
        for line in lines:
            record = json.loads(line)
            setting = record["setting"]
            runs.setdefault(setting["data"], {}).setdefault(record["run"], {})[setting["method"]] = record["metrics"]
    return runs


def mean(values):
    return sum(values) / len(values)


def error(values):
    middle = mean(values)
    return (sum((one - middle) ** 2 for one in values) / (len(values) - 1) / len(values)) ** 0.5


def share(part, whole):
    """Of sums, in percent, with its error."""
    left_out = [(sum(part) - a) / (sum(whole) - b) for a, b in zip(part, whole)]
    middle = mean(left_out)
    deviation = ((len(part) - 1) * mean([(one - middle) ** 2 for one in left_out])) ** 0.5
    return f"{100 * sum(part) / sum(whole):.0f}% ({100 * deviation:.0f})"


def lifts(runs, method, metric="log_loss"):
    return [run["teach-control"]["log_loss"] - run[method][metric] for run in runs]


def rows(runs):
    """Name of a line and its lifts, run by run."""
    yield "as it is", lifts(runs, "teach-public")
    for method, name in (("teach-marked", "true words marked"), ("teach-counted", "all favoured words")):
        estimators = [one for one in runs[0][method] if one.endswith(ESTIMATOR)]
        tried = {one: lifts(runs, method, one) for one in estimators}
        best = max(estimators, key=lambda one: sum(tried[one]))
        yield f"{name}: best of all ({best[: -len(ESTIMATOR)]})", tried[best]
        others = [max(estimators, key=lambda one: sum(tried[one]) - tried[one][run]) for run in range(len(runs))]
        yield f"{name}: by the other runs", [tried[one][run] for run, one in enumerate(others)]
        yield f"{name}: best in each run", lifts(runs, method)
    yield "clean logistic: the ceiling", lifts(runs, "teach-clean")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for data, by_run in sorted(read(sys.argv[1]).items()):
        methods = {"teach-control", "teach-public", "teach-marked", "teach-counted", "teach-clean"}
        runs = [by_run[run] for run in sorted(by_run) if methods <= by_run[run].keys()]
        if len(runs) < 2:
            print(f"{data}: {len(runs)} complete runs, two are needed")
            continue
        ceiling = lifts(runs, "teach-clean")
        print(f"{data}, {len(runs)} runs")
        for name, values in rows(runs):
            print(f"  {name:<52} {mean(values):.4f} ({error(values):.4f})  {share(values, ceiling)}")


main()
