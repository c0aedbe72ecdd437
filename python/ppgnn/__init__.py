"""Personalised, locally private graph learning, from a person's device to the trained model.

Everything here is the C++ library with the names that scikit-learn's users expect. What needs more than NumPy is imported when it is
used: the estimators need scikit-learn, frames pandas, figures matplotlib.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import datasets, errors
from ._native import Column, __version__
from .campaigns import Campaign, Collector, Standing
from .errors import (CertificateError, Diverged, Error, InputOutput, InvalidArgument, Malformed, Mismatch, NotPermitted, OverLimit,
                     Reported, RolledBack)
from .graph import Graph
from .laboratory import Forecast, Method, StudyResult, attack, forecast, methods, run, study
from .plans import Certificate, Client, Plan

if TYPE_CHECKING:
    from . import figures as figures
    from .estimators import CampaignClassifier as CampaignClassifier
    from .estimators import PPGNNClassifier as PPGNNClassifier

_LATER = {"PPGNNClassifier": "estimators", "CampaignClassifier": "estimators", "figures": "figures", "estimators": "estimators"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'ppgnn' has no attribute {name!r}")
    from importlib import import_module
    module = import_module(f".{_LATER[name]}", __name__)
    return module if name == _LATER[name] else getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


__all__ = ["Campaign", "CampaignClassifier", "Certificate", "CertificateError", "Client", "Collector", "Column", "Diverged", "Error",
           "Forecast", "Graph", "InputOutput", "InvalidArgument", "Malformed", "Method", "Mismatch", "NotPermitted", "OverLimit", "PPGNNClassifier",
           "Plan", "Reported", "RolledBack", "Standing", "StudyResult", "__version__", "attack", "datasets", "errors", "figures",
           "forecast", "methods", "run", "study"]
