"""Data sets to try things on: published ones, and social networks made from a seed."""
from __future__ import annotations

import os
from typing import Any

from .graph import Graph


def load(name: str, *, data_dir: str | os.PathLike[str] | None = None) -> Graph:
    """A published data set ("cora", "citeseer", "pubmed", "lastfm", "facebook", "wikipedia"), a generated one, or a path.

    Args:
        name: what ``ppgnn run --data`` takes.
        data_dir: the folder of published data sets; without it, what the environment variable PPGNN_DATA says.
            ``ppgnn data get cora --data-dir DIR`` fetches them.
    """
    return Graph.read(name, data_dir=data_dir)


def social(nodes: int = 2000, *, seed: int = 1, **knobs: Any) -> Graph:
    """A social network with communities, hubs and interests, the same bits everywhere for the same knobs (docs/data.md)."""
    options = "".join(f",{name}={value}" for name, value in {"nodes": nodes, "seed": seed, **knobs}.items())
    return Graph.read("synthetic:social" + options)
