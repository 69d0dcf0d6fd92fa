"""The two interfaces: StructureLearner (table -> graph) and Imputer (holes -> values).

Both are scikit-learn estimators. What they share - checking the table, leaving out constant
columns, knowledge, seeds, warnings - is here once; a subclass writes ``_learn`` or ``_fill`` for a
plain float64 array in which every column varies.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from gapdag import graph
from gapdag.errors import GapdagError, GapdagWarning
from gapdag.knowledge import Knowledge, Masks
from gapdag.result import CausalResult
from gapdag.table import Table, read_table

Array = NDArray[np.float64]
Progress = Callable[[float, str], None]
"""told how far a fit is (0 to 1) and what it is doing"""


def silent(done: float, doing: str) -> None:
    """The progress callback that says nothing."""


def rising(progress: Progress) -> Progress:
    """The same callback, told values in [0, 1] that never fall, whatever a solver's restarts do."""
    furthest = 0.0

    def tell(done: float, doing: str) -> None:
        nonlocal furthest
        furthest = min(1.0, max(furthest, float(done)))
        progress(furthest, doing)

    return tell


def stretch(progress: Progress, low: float, high: float) -> Progress:
    """A callback for a part of the work, from ``low`` to ``high`` of the whole."""
    return lambda done, doing: progress(low + (high - low) * done, doing)


def generator(random_state: Any) -> np.random.Generator:
    """A numpy Generator from whatever scikit-learn accepts as ``random_state``."""
    if isinstance(random_state, np.random.RandomState):
        random_state = int(random_state.randint(2**31 - 1))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise GapdagError(
            f"random_state must be a whole number from 0 up, a Generator or None, "
            f"got {random_state!r}"
        ) from None


@dataclass(frozen=True)
class Fit:
    """What ``_learn`` hands back; it becomes a CausalResult in one place, below."""

    weights: Array
    threshold: float
    filled: Array
    status: str = "converged"
    settings: Mapping[str, Any] = field(default_factory=dict)
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    assumptions: str = ""
    warnings: tuple[str, ...] = ()


class StructureLearner(BaseEstimator, ABC):  # type: ignore[misc]
    """Learns a causal graph from a table; after ``fit`` the answer is ``result_``."""

    name = ""
    accepts_missing = True

    knowledge: Knowledge | Mapping[str, Any] | None
    random_state: Any

    def _ready(self) -> None:
        """Refuse bad options, before anything that takes long has begun."""

    @abstractmethod
    def _learn(self, X: Array, masks: Masks, rng: np.random.Generator, progress: Progress) -> Fit:
        """Fit to a table whose columns all vary; NaN where missing."""

    def fit(self, X: Any, y: Any = None, *, progress: Progress | None = None) -> StructureLearner:
        """Learn from a pandas, polars or numpy table. NaN (or null) is missing; y is ignored."""
        table = read_table(X)
        if not self.accepts_missing and table.missing.any():
            raise GapdagError(
                f"{self.name} needs a complete table and {int(table.missing.sum())} cells are "
                f"missing; write the pair imputer+learner, as in 'missforest+{self.name}'"
            )
        varies = ~table.constant
        masks = _masks(self.knowledge, table.columns, varies)
        X, rows = _evidence(table.values[:, varies])
        rng = generator(self.random_state)
        self._ready()
        tell = rising(progress or silent)
        tell(0.0, "starting")
        fit = self._learn(X, masks, rng, tell)
        tell(1.0, "done")
        fit = replace(fit, filled=_with_empty_rows(fit.filled, rows))
        fit = replace(fit, settings={**fit.settings, **self._given()})
        self.result_ = _result(self.name, table, varies, masks, fit)
        self.n_features_in_ = len(table.columns)
        self.feature_names_in_ = np.array(table.columns, dtype=object)
        for line in self.result_.warnings:
            warnings.warn(line, GapdagWarning, stacklevel=2)
        return self

    def _given(self) -> dict[str, Any]:
        """What every learner is given, as it is kept in the result's settings."""
        known = self.knowledge
        seed = self.random_state
        return {
            "random_state": int(seed) if isinstance(seed, Integral) else seed and "a generator",
            "knowledge": known.to_dict() if isinstance(known, Knowledge) else known,
        }


class Imputer(BaseEstimator, ABC):  # type: ignore[misc]
    """Fills the holes of a table; observed cells are never changed."""

    name = ""
    random_state: Any

    def _ready(self) -> None:
        """Refuse bad options, before anything that takes long has begun."""

    @abstractmethod
    def _fill(self, X: Array, rng: np.random.Generator, progress: Progress) -> Array:
        """X with its holes filled; every column varies, NaN where missing."""

    def fit_transform(self, X: Any, y: Any = None, *, progress: Progress | None = None) -> Any:
        """The same table (type, columns, index) with its holes filled; y is ignored."""
        table = read_table(X)
        varies = ~table.constant
        filled = constants(table)
        filled[:, varies] = self.fill(
            table.values[:, varies], generator(self.random_state), progress or silent
        )
        return table.fill(filled)

    def fill(self, X: Array, rng: np.random.Generator, progress: Progress = silent) -> Array:
        """The same for plain arrays, used by methods; a complete X comes back as a copy."""
        self._ready()
        tell = rising(progress)
        tell(0.0, "starting")
        if not np.isnan(X).any():
            tell(1.0, "no holes")
            return X.copy()
        known, rows = _evidence(X)
        filled = _with_empty_rows(self._fill(known, rng, tell), rows)
        tell(1.0, "filled")
        filled = np.where(np.isnan(X), filled, X)
        if not np.isfinite(filled).all():
            raise GapdagError(f"the imputer {self.name!r} left holes or infinite values")
        return filled


def _evidence(X: Array) -> tuple[Array, NDArray[np.bool_]]:
    """The rows in which something was measured, and which they are.

    Always in one layout: sums over another differ in the last bit, and a fit can magnify that.
    """
    rows = np.asarray(~np.isnan(X).all(axis=1))
    return np.ascontiguousarray(X if rows.all() else X[rows]), rows


def _with_empty_rows(filled: Array, rows: NDArray[np.bool_]) -> Array:
    """Rows without any evidence get what the model expects of a row: the mean of the others."""
    if rows.all():
        return filled
    out = np.tile(filled.mean(axis=0), (len(rows), 1))
    out[rows] = filled
    return out


def constants(table: Table) -> Array:
    """The table's values with the holes of constant columns filled by that constant."""
    fixed = table.constant & table.missing
    return np.where(fixed, np.nanmin(table.values, axis=0), table.values)


def _masks(
    knowledge: Knowledge | Mapping[str, Any] | None, columns: list[str], varies: NDArray[np.bool_]
) -> Masks:
    if knowledge is None:
        return Masks.free(int(varies.sum()))
    if not isinstance(knowledge, Knowledge):
        knowledge = Knowledge.from_dict(knowledge)
    masks = knowledge.masks(columns)
    stuck = masks.required & ~(varies[:, None] & varies[None, :])
    if stuck.any():
        i, j = np.argwhere(stuck)[0]
        raise GapdagError(
            f"knowledge: {columns[i]!r} -> {columns[j]!r} is required, but one of the two is "
            "constant in this table"
        )
    both = np.ix_(varies, varies)
    return Masks(masks.allowed[both], masks.required[both])


def _result(
    name: str, table: Table, varies: NDArray[np.bool_], masks: Masks, fit: Fit
) -> CausalResult:
    """Thresholding, and constant columns put back as isolated nodes."""
    d = len(table.columns)
    both = np.ix_(varies, varies)
    raw = np.where(masks.allowed, fit.weights, 0.0)
    dag = graph.to_dag(raw, fit.threshold, required=masks.required)
    weights, adjacency = np.zeros((d, d)), np.zeros((d, d), dtype=bool)
    weights[both], adjacency[both] = np.where(dag != 0, dag, raw), dag != 0
    filled = constants(table)
    filled[:, varies] = fit.filled
    result = CausalResult(
        columns=table.columns,
        _weights=weights,
        _adjacency=adjacency,
        method=name,
        settings=fit.settings,
        status=fit.status,
        assumptions=fit.assumptions,
        warnings=table.warnings + fit.warnings,
        diagnostics=fit.diagnostics,
        table=table,
        filled=filled,
    )
    if not adjacency.any():
        return replace(result, warnings=(*result.warnings, _empty(raw, fit.threshold)))
    return result


def _empty(raw: Array, threshold: float) -> str:
    return (
        f"no edge is stronger than the threshold {threshold:g} (the strongest is "
        f"{np.abs(raw).max():.3g}): the graph is empty; lower the threshold, or mind the units, "
        "which strengths depend on"
    )
