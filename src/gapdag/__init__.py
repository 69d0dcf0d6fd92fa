"""Causal graphs from tables with holes."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# `learn`, `audit` and `methods` are functions here and modules below this package. Importing a
# module binds its name in the package, once: so the modules come in first, and are light.
importlib.import_module("gapdag.methods")
from gapdag.audit import audit  # noqa: E402
from gapdag.errors import GapdagError, GapdagWarning  # noqa: E402
from gapdag.learn import learn, methods  # noqa: E402

if TYPE_CHECKING:
    from gapdag import core as core
    from gapdag import graph as graph
    from gapdag import metrics as metrics
    from gapdag import simulate as simulate
    from gapdag.knowledge import Knowledge
    from gapdag.methods.auto import Auto
    from gapdag.methods.impute_then_learn import ImputeThenLearn
    from gapdag.methods.otm import OTM
    from gapdag.problem import Problem
    from gapdag.result import CausalResult, load

# what is heavy is imported when it is first asked for (PEP 562)
_CLASSES = {
    "Auto": "gapdag.methods.auto",
    "CausalResult": "gapdag.result",
    "ImputeThenLearn": "gapdag.methods.impute_then_learn",
    "Knowledge": "gapdag.knowledge",
    "OTM": "gapdag.methods.otm",
    "Problem": "gapdag.problem",
    "load": "gapdag.result",
}
_MODULES = ("core", "graph", "metrics", "simulate")

__all__ = [
    "OTM",
    "Auto",
    "CausalResult",
    "GapdagError",
    "GapdagWarning",
    "ImputeThenLearn",
    "Knowledge",
    "Problem",
    "audit",
    "core",
    "graph",
    "learn",
    "load",
    "methods",
    "metrics",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name in _CLASSES:
        value = getattr(importlib.import_module(_CLASSES[name]), name)
        globals()[name] = value
        return value
    if name == "core":  # its terms are reached through it
        importlib.import_module("gapdag.core.acyclicity")
        importlib.import_module("gapdag.core.divergence")
    if name in _MODULES:
        return importlib.import_module(f"gapdag.{name}")
    if name == "__version__":
        from importlib.metadata import version

        return version("gapdag")
    raise AttributeError(f"module 'gapdag' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
