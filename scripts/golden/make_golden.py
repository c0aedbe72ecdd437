#!/usr/bin/python3
"""Writes tests/golden/<layer>.json: forward, gradients and a 5-step loss list of each network, computed by PyTorch.

Run once, by hand, after `scripts/setup.sh golden` (python3-torch); the tests read the files only. The layers are written with plain tensor
operations from their definitions, not taken from a graph library.
"""
import collections
import json
import pathlib

import torch
import torch.nn.functional as F

NODES, INPUTS, HIDDEN, CLASSES = 12, 9, 8, 3


def graph():
    """A ring with chords; node 11 is isolated."""
    a = torch.zeros(NODES, NODES)
    for i in range(NODES - 1):
        a[i, (i + 1) % (NODES - 1)] = 1
        if i % 3 == 0:
            a[i, (i + 4) % (NODES - 1)] = 1
    return ((a + a.T) > 0).float()


def gcn(a, x, p):
    loops = a + torch.eye(NODES)
    scale = loops.sum(1).rsqrt()
    return scale[:, None] * loops * scale[None, :] @ (x @ p["weight"]) + p["bias"]


def sage(a, x, p):
    mean = a / a.sum(1, keepdim=True).clamp(min=1)
    return mean @ x @ p["weight_left"] + x @ p["weight_right"] + p["bias"]


def gat(a, x, p):
    heads, width = p["from"].shape
    t = (x @ p["weight"]).view(NODES, heads, width)
    score_from = (t * p["from"]).sum(2)
    score_to = (t * p["to"]).sum(2)
    score = F.leaky_relu(score_to[:, None, :] + score_from[None, :, :], 0.2)
    outside = (a + torch.eye(NODES)) == 0
    attention = torch.softmax(score.masked_fill(outside[:, :, None], float("-inf")), dim=1)
    return torch.einsum("ijh,jhc->ihc", attention, t).reshape(NODES, heads * width) + p["bias"]


# One layer's golden definition: its forward pass, the heads of its first layer, and its parameters in the order of the
# engine: weights (matrices that multiply the input) first, then the layer's own, each a row or one row a head.
Layer = collections.namedtuple("Layer", "forward heads weights own")
LAYERS = {
    "gcn": Layer(gcn, 1, ["weight"], ["bias"]),
    "sage": Layer(sage, 1, ["weight_left", "weight_right"], ["bias"]),
    "gat": Layer(gat, 4, ["weight"], ["bias", "from", "to"]),
}


def parameters(layer, inputs, heads, width):
    draw = lambda *shape: (torch.randn(*shape) * 0.4).requires_grad_()
    drawn = {name: draw(inputs, heads * width) for name in layer.weights}
    for name in layer.own:
        drawn[name] = draw(heads * width) if name == "bias" else draw(heads, width)
    return drawn


def numbers(tensor):
    return [round(float(v), 9) for v in tensor.detach().reshape(-1)]


def make(name):
    torch.manual_seed(7)
    a = graph()
    x = torch.randn(NODES, INPUTS)
    labels = torch.tensor([(i * 5 + 1) % CLASSES for i in range(NODES)])
    rows = torch.tensor([0, 2, 3, 5, 8, 11])
    first = parameters(LAYERS[name], INPUTS, LAYERS[name].heads, HIDDEN)
    second = parameters(LAYERS[name], LAYERS[name].heads * HIDDEN, 1, CLASSES)
    layer = LAYERS[name].forward
    record = {
        "nodes": NODES, "inputs": INPUTS, "hidden": HIDDEN, "heads": LAYERS[name].heads, "classes": CLASSES,
        "neighbours": [[j for j in range(NODES) if a[i, j] > 0] for i in range(NODES)],
        "x": numbers(x), "labels": labels.tolist(), "rows": rows.tolist(),
        "first": {k: numbers(v) for k, v in first.items()},
        "second": {k: numbers(v) for k, v in second.items()},
    }

    def loss_and_logits():
        logits = layer(a, F.selu(layer(a, x, first)), second)
        return F.cross_entropy(logits[rows], labels[rows]), logits

    loss, logits = loss_and_logits()
    loss.backward()
    record["preactivation"] = numbers(layer(a, x, first))
    record["logits"] = numbers(logits)
    record["loss"] = float(loss.detach())
    record["first_gradient"] = {k: numbers(v.grad) for k, v in first.items()}
    record["second_gradient"] = {k: numbers(v.grad) for k, v in second.items()}

    adam = torch.optim.Adam([*first.values(), *second.values()], lr=0.01, weight_decay=0.01)
    record["learning_rate"], record["weight_decay"], record["losses"] = 0.01, 0.01, []
    for _ in range(5):
        adam.zero_grad()
        loss, _ = loss_and_logits()
        loss.backward()
        adam.step()
        record["losses"].append(float(loss.detach()))
    return record


if __name__ == "__main__":
    folder = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden"
    for layer_name in LAYERS:
        lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in make(layer_name).items()]
        (folder / f"{layer_name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
