"""One value for all the holes of a column: its mean, or its median."""

from __future__ import annotations

from typing import Any

import numpy as np

from gapdag.base import Array, Imputer, Progress
from gapdag.registry import register


@register("imputer", "mean", reference="Little & Rubin 2019, ch. 4")
class MeanImputer(Imputer):
    """The column's mean: a baseline, which shrinks every spread and every dependence.

    >>> X = np.array([[v, 2 * v] for v in range(10)], dtype=float)
    >>> X[9, 1] = np.nan
    >>> MeanImputer().fit_transform(X)[9].tolist()
    [9.0, 8.0]
    """

    name = "mean"

    def __init__(self, random_state: Any = 0) -> None:
        self.random_state = random_state

    def _fill(self, X: Array, rng: np.random.Generator, progress: Progress) -> Array:
        return np.where(np.isnan(X), np.nanmean(X, axis=0), X)


@register("imputer", "median", reference="Little & Rubin 2019, ch. 4")
class MedianImputer(Imputer):
    """The column's median: as the mean, but deaf to outliers.

    >>> X = np.array([[v, v**3] for v in range(10)], dtype=float)
    >>> X[9, 1] = np.nan
    >>> MedianImputer().fit_transform(X)[9].tolist()
    [9.0, 64.0]
    """

    name = "median"

    def __init__(self, random_state: Any = 0) -> None:
        self.random_state = random_state

    def _fill(self, X: Array, rng: np.random.Generator, progress: Progress) -> Array:
        return np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
