"""Column by column in turn: each is regressed on the others, its holes get the prediction.

scikit-learn has this loop too (``sklearn.impute.IterativeImputer``, which tests pin this one to).
It is written here once more, in a page, because theirs keeps every fitted model (0.4 GB of forests
in the authors' setting at 50 columns), never stops early with forests (each round redraws them, so
none repeats the last) and cannot say how far it is; and because averaging the rounds, which it
does not offer, measures better than more rounds (docs/log.md).
"""

from __future__ import annotations

import numbers
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapdag.base import Array, Imputer, Progress
from gapdag.errors import GapdagError
from gapdag.registry import register


class RoundRobin(Imputer):
    """What the imputers here share; a subclass says which regression predicts a column."""

    max_iter: int
    n_nearest_features: int | None

    tol: float = 0.0
    """stop once no cell moves by more, in standard deviations of its column"""
    average: bool
    """fill with the mean over all rounds but the first: of use where a round is random"""

    @abstractmethod
    def _regressor(self, n: int, seed: int) -> Any:
        """A fresh scikit-learn regressor for n rows."""

    def _predict(self, model: Any, Z: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """What the holes are filled with, and what stands in them when others are predicted."""
        guess = model.predict(Z)
        return guess, guess

    def _ready(self) -> None:
        """Our own options; scikit-learn checks those of its regressions."""
        for option in ("max_iter", "n_nearest_features"):
            value = getattr(self, option)
            if value is None and option == "n_nearest_features":
                continue
            if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
                raise GapdagError(
                    f"imputer {self.name!r}: {option} must be a whole number of at least 1, "
                    f"got {value!r}"
                )
        if not isinstance(self.tol, numbers.Real) or not self.tol >= 0:
            raise GapdagError(
                f"imputer {self.name!r}: tol must be a number from 0 up, got {self.tol!r}"
            )

    def _fill(self, X: Array, rng: np.random.Generator, progress: Progress) -> Array:
        holes = np.isnan(X)
        units = Units.of(X)
        Z = np.where(holes, 0.0, units.standardise(X))
        filled, total, rounds, moved = Z.copy(), np.zeros_like(Z), 0, np.inf
        while rounds < self.max_iter and moved > self.tol:
            before = filled.copy()
            for done in self._round(Z, filled, holes, units, rng):
                progress((rounds + done) / self.max_iter, f"{self.name}: round {rounds + 1}")
            moved = float(np.abs(filled - before).max())
            rounds += 1
            total += filled if rounds > 1 else 0.0
        if self.average and rounds > 1:
            filled = total / (rounds - 1)
        self.diagnostics_ = {"rounds": rounds, "last_change": moved, "converged": moved <= self.tol}
        return np.where(holes, units.restore(filled), X)

    def _round(
        self,
        Z: Array,
        filled: Array,
        holes: NDArray[np.bool_],
        units: Units,
        rng: np.random.Generator,
    ) -> Iterator[float]:
        """Predict every column with holes once, the fullest first; yields the share done."""
        share = holes.mean(axis=0)
        turn = [j for j in np.argsort(share, kind="stable") if share[j] > 0]
        inputs = _inputs(Z, self.n_nearest_features)
        for k, j in enumerate(turn, start=1):
            rows, others = holes[:, j], inputs[j]
            known, answer = Z[np.ix_(~rows, others)], Z[~rows, j]
            model = self._regressor(len(answer), int(rng.integers(2**31 - 1)))
            try:
                model.fit(known, answer)
            except ValueError as e:  # scikit-learn's word on an option, in one line
                raise GapdagError(f"imputer {self.name!r}: {e}") from None
            for out, guess in zip(
                (filled, Z), self._predict(model, Z[np.ix_(rows, others)], rng), strict=True
            ):
                out[rows, j] = np.clip(guess, units.low[j], units.high[j])
            yield k / len(turn)


@register("imputer", "iterative", reference="van Buuren & Groothuis-Oudshoorn 2011 (MICE)")
class IterativeImputer(RoundRobin):
    """Each column in turn by Bayesian ridge regression on the others, averaged over the rounds.

    While it runs, a hole holds a draw from its posterior, and is filled with the mean of its
    predictions. Without the draws, predictions made from predictions confirm each other, and more
    rounds are further from the truth (docs/log.md). The authors' setting is
    ``IterativeImputer(max_iter=50, sample_posterior=False, average=False)``.

    >>> X = np.array([[v, 2 * v] for v in range(10)], dtype=float) + 0.5
    >>> X[9, 1] = np.nan
    >>> IterativeImputer().fit_transform(X)[9].round(1).tolist()
    [9.5, 18.5]
    """

    name = "iterative"

    def __init__(
        self,
        max_iter: int = 10,
        sample_posterior: bool = True,
        average: bool = True,
        tol: float = 1e-3,
        n_nearest_features: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.max_iter = max_iter
        self.sample_posterior = sample_posterior
        self.average = average
        self.tol = tol
        self.n_nearest_features = n_nearest_features
        self.random_state = random_state

    def _regressor(self, n: int, seed: int) -> Any:
        from sklearn.linear_model import BayesianRidge

        return BayesianRidge()

    def _predict(self, model: Any, Z: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        if not self.sample_posterior:
            return super()._predict(model, Z, rng)
        guess, std = model.predict(Z, return_std=True)
        return guess, guess + std * rng.standard_normal(len(guess))


@register("imputer", "missforest", reference="Stekhoven & Bühlmann 2012")
class MissForestImputer(RoundRobin):
    """Each column in turn by a random forest on the others, averaged over the rounds.

    The authors' setting is ``MissForestImputer(max_iter=50, n_estimators=4, max_features=1.0,
    average=False)``: slower by an order, and further from the truth, than this default.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> X = np.column_stack([x, x**2])
    >>> X[:20, 1] = np.nan
    >>> filled = MissForestImputer().fit_transform(X)
    >>> bool(np.abs(filled[:20, 1] - x[:20] ** 2).mean() < 0.3)
    True
    """

    name = "missforest"

    def __init__(
        self,
        max_iter: int = 4,
        n_estimators: int = 10,
        max_depth: int | None = 10,
        max_samples: float | None = 0.5,
        max_features: float | str = 1 / 3,
        average: bool = True,
        n_nearest_features: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.max_iter = max_iter
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.max_samples = max_samples
        self.max_features = max_features
        self.average = average
        self.n_nearest_features = n_nearest_features
        self.random_state = random_state

    def _regressor(self, n: int, seed: int) -> Any:
        from sklearn.ensemble import RandomForestRegressor

        rows = self.max_samples
        if isinstance(rows, float) and 0 < rows <= 1:
            rows = max(1, int(rows * n))  # as scikit-learn, which warns besides when this is small
        return RandomForestRegressor(
            n_estimators=self.n_estimators,
            max_depth=self.max_depth,
            max_samples=rows,
            max_features=self.max_features,
            n_jobs=1,  # the forests are small: threads cost more than they bring
            random_state=seed,
        )


@dataclass(frozen=True)
class Units:
    """Columns to mean 0 and standard deviation 1 and back, whatever their scale.

    By way of the observed range, since squares of 1e-200 or 1e200 are beyond a float. Nothing is
    imputed further than one such range beyond it: with more columns than rows, a linear
    prediction from predictions can otherwise run away.
    """

    bottom: Array
    width: Array
    mean: Array
    std: Array

    @classmethod
    def of(cls, X: Array) -> Units:
        bottom = np.nanmin(X, axis=0)
        width = np.nanmax(X, axis=0) - bottom
        width = np.where(width > 0, width, 1.0)
        unit = (X - bottom) / width
        std = np.nanstd(unit, axis=0)
        return cls(bottom, width, np.nanmean(unit, axis=0), np.where(std > 0, std, 1.0))

    @property
    def low(self) -> Array:
        return (-1.0 - self.mean) / self.std

    @property
    def high(self) -> Array:
        return (2.0 - self.mean) / self.std

    def standardise(self, X: Array) -> Array:
        return ((X - self.bottom) / self.width - self.mean) / self.std

    def restore(self, Z: Array) -> Array:
        return self.bottom + (self.mean + self.std * Z) * self.width


def _inputs(Z: Array, nearest: int | None) -> list[NDArray[np.intp]]:
    """For each column the others, or of them the most correlated."""
    d = Z.shape[1]
    others = [np.delete(np.arange(d), j) for j in range(d)]
    if nearest is None or nearest >= d - 1:
        return others
    with np.errstate(invalid="ignore", divide="ignore"):
        closeness = np.nan_to_num(np.abs(np.corrcoef(Z.T)))
    rank = [o[np.argsort(-closeness[j, o], kind="stable")] for j, o in enumerate(others)]
    return [np.sort(r[:nearest]) for r in rank]
