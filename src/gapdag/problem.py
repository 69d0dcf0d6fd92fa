"""A learning problem whose answer is known: a table, its holes, and the graph behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


@dataclass(frozen=True)
class Problem:
    """A table with holes and the truth behind it; row i of ``adjacency`` holds i's children.

    >>> p = Problem(X=[[1.0, np.nan], [2.0, 4.0]], X_true=[[1.0, 2.0], [2.0, 4.0]],
    ...             adjacency=[[0, 1], [0, 0]], columns=["dose", "effect"])
    >>> p.missing.tolist()
    [[False, True], [False, False]]
    >>> p.edges
    [('dose', 'effect')]
    """

    X: NDArray[np.float64]
    """(n, d) values, NaN where nothing was measured"""
    X_true: NDArray[np.float64]
    """(n, d) the same table before holes were made"""
    adjacency: NDArray[np.bool_]
    """(d, d), adjacency[i, j]: i -> j"""
    columns: list[str]
    about: dict[str, Any] = field(default_factory=dict)
    """how the problem was made: every argument of the simulator, or the data set's name"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "X", np.asarray(self.X, dtype=np.float64))
        object.__setattr__(self, "X_true", np.asarray(self.X_true, dtype=np.float64))
        object.__setattr__(self, "adjacency", np.asarray(self.adjacency, dtype=bool))
        object.__setattr__(self, "columns", [str(c) for c in self.columns])
        d = len(self.columns)
        if self.X.shape != self.X_true.shape or self.X.shape[1:] != (d,):
            raise ValueError("X, X_true and columns disagree in shape")
        if self.adjacency.shape != (d, d):
            raise ValueError("adjacency must be (d, d)")

    @property
    def missing(self) -> NDArray[np.bool_]:
        """(n, d), True where a value is absent."""
        return np.isnan(self.X)

    @property
    def frame(self) -> pd.DataFrame:
        """X with its column names."""
        return pd.DataFrame(self.X, columns=self.columns)

    @property
    def edges(self) -> list[tuple[str, str]]:
        """The true edges by name."""
        i, j = np.nonzero(self.adjacency)
        return [(self.columns[a], self.columns[b]) for a, b in zip(i, j, strict=True)]
