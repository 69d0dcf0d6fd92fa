"""Finds all that is registered, and makes of each name a small, fast instance to test.

A new learner, imputer, method, acyclicity or divergence needs nothing here: it is found. Only if
its defaults take longer than a moment on the small table below does it need a line in FAST.
"""

from __future__ import annotations

import pkgutil
import warnings
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd

from gapdag import registry
from gapdag.errors import GapdagWarning

# the threshold is low so that raw weights hold cycles, which the answer must not
_PATH = {"steps": 120, "hidden": 3, "stages": 2, "lr": 0.01, "threshold": 0.02}
FAST: dict[str, dict[str, Any]] = {
    "auto": {"options": _PATH},
    "dagma-mlp": _PATH,
    "impute-then-learn": {"imputer": "mean", "learner_options": _PATH},
    "iterative": {"max_iter": 4},
    "missforest": {"max_iter": 2, "n_estimators": 3},
    "otm": {**_PATH, "divergence_rows": 16},
}
"""options per name with which one fit of the small table takes well under SLOW seconds"""

SLOW = 2.0

COLUMNS = ["age", "dose", "effect", "noise", "stage"]


def load() -> None:
    for home in ("core", "imputers", "learners", "methods"):
        package = import_module(f"gapdag.{home}")
        for module in pkgutil.walk_packages(package.__path__, f"gapdag.{home}."):
            import_module(module.name)


def found(*kinds: str) -> list[registry.Entry]:
    """All entries of these kinds, in an order that does not hang on who imported first."""
    load()
    return sorted(registry.entries(*kinds), key=lambda e: (e.kind, e.name))


def make(entry: registry.Entry, **options: Any) -> Any:
    return entry.object(**{**FAST.get(entry.name, {}), **options})


def fit(entry: registry.Entry, table: Any, **options: Any) -> Any:
    """The fitted estimator, gapdag's own warnings (no edge, constant column) silenced."""
    progress = options.pop("progress", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GapdagWarning)
        return make(entry, **options).fit(table, progress=progress)


def array(n: int = 60, rate: float = 0.15, seed: int = 0) -> np.ndarray:
    """Five columns: a chain with a bend, an unrelated one, and one of whole numbers."""
    rng = np.random.default_rng(seed)
    age = rng.normal(size=n)
    dose = 1.5 * age + 0.5 * rng.normal(size=n)
    effect = np.tanh(2 * dose) - age + 0.5 * rng.normal(size=n)
    X = np.column_stack([age, dose, effect, rng.normal(size=n), rng.integers(0, 4, size=n)])
    X[rng.random(X.shape) < rate] = np.nan
    X[:5] = np.where(np.isnan(X[:5]), 1.0, X[:5])
    return X


def frame(**how: Any) -> pd.DataFrame:
    return pd.DataFrame(array(**how), columns=COLUMNS)


def suited(entry: registry.Entry) -> np.ndarray:
    """The array, without holes where the entry takes none."""
    return array(rate=0.15 if getattr(entry.object, "accepts_missing", True) else 0.0)


def suited_frame(entry: registry.Entry) -> pd.DataFrame:
    return pd.DataFrame(suited(entry), columns=COLUMNS)


def ids(entry: registry.Entry) -> str:
    return f"{entry.kind}:{entry.name}"
