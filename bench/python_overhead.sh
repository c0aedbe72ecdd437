#!/bin/sh
# What `fit` costs beyond the command for the same work, best of five each: bench/python_overhead.sh BUILD, where BUILD has the
# command and the package (PPGNN_PYTHON=ON). The command also starts, loads and prints; so does the interpreter, which is left out here.
set -eu
build=$1
data="synthetic:social,nodes=4000,seed=1"
PYTHONPATH="$build/python" /usr/bin/python3 - "$build/apps/ppgnn/ppgnn" "$data" <<'PY'
import subprocess, sys, time
import ppgnn
import ppgnn.estimators
command, data = sys.argv[1:]

def best(action):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)

def fit():
    graph = ppgnn.Graph.read(data)
    ppgnn.PPGNNClassifier("strict", epochs=100, validation_fraction=0.25, test_fraction=0.25, random_state=0, control=False) \
        .fit(graph.X, graph.y, graph=graph)

arguments = [command, "run", "--data", data, "--method", "strict", "--epochs", "100", "--runs", "1", "--seed", "0", "--no-reference", "--json"]
run = best(lambda: subprocess.run(arguments, check=True, capture_output=True))
fitted = best(fit)
print(f"command {run:.3f} s, fit {fitted:.3f} s: {100 * (fitted / run - 1):+.1f}%")
PY
