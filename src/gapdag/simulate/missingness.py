"""Making holes in a complete table (paper, appendix "Missingness").

Every missingness is a function (X, rate, rng, p_obs, quantile) -> missing, True where a value
is to be absent. ``ampute`` checks its input and calls the one that is named.
"""

from __future__ import annotations

import numbers

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit

from gapdag.errors import GapdagError
from gapdag.registry import find, register

Array = NDArray[np.float64]
Holes = NDArray[np.bool_]


def ampute(
    X: ArrayLike,
    missingness: str | None = "mcar",
    rate: float = 0.3,
    seed: int | Generator = 0,
    *,
    p_obs: float = 0.3,
    quantile: float = 0.3,
) -> Holes:
    """Where holes come about in a complete table: (n, d) bool, True = absent; X is untouched.

    ``rate`` is the chance that a cell of an affected column is absent: cells are drawn
    independently, so what comes out scatters around it with standard deviation
    sqrt(rate (1 - rate) / n) a column and d^-1/2 of that a table.

    ================  ===============================================================
    mcar              every cell alike
    mar               int(p_obs d) columns stay whole and decide about the others
    mnar-logistic     the same, then the deciding columns get mcar holes at ``rate`` too
    mnar-quantile     int(p_obs d) columns stay whole; in the others a cell in one of the two
                      ``quantile`` tails is absent with chance ``rate``, so that about
                      2 * quantile * rate of the column is: 0.6 * rate by default
    mnar-self         every column decides about itself
    ================  ===============================================================

    At least one column stays whole (or decides) however small p_obs d is. With the same seed
    the holes of a lower rate are among those of a higher one. ``None`` makes no holes.

    >>> X = np.random.default_rng(0).normal(size=(1000, 10))
    >>> missing = ampute(X, "mar", rate=0.2, seed=1)
    >>> int((~missing.any(axis=0)).sum()), round(missing.mean() / 0.7, 1)
    (3, np.float64(0.2))
    """
    values = _complete(X)
    _inside("rate", rate, 0.0, 1.0, closed_low=True)
    _inside("p_obs", p_obs, 0.0, 1.0)
    _inside("quantile", quantile, 0.0, 0.5, closed_high=True)
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral | Generator):
        raise GapdagError(f"seed must be a whole number or a numpy Generator, got {seed!r}")
    if isinstance(seed, numbers.Integral) and seed < 0:
        raise GapdagError(f"seed must be 0 or more, got {seed}")
    if missingness is None:
        return np.zeros(values.shape, dtype=bool)
    make = find("missingness", missingness)
    if rate == 0:
        return np.zeros(values.shape, dtype=bool)
    holes: Holes = make(values, rate, np.random.default_rng(seed), p_obs, quantile)
    return holes


@register("missingness", "mcar", reference="rubin1976inference")
def mcar(X: Array, rate: float, rng: Generator, p_obs: float = 0.3, quantile: float = 0.3) -> Holes:
    """Missing completely at random: every cell is absent with the same chance.

    >>> mcar(np.zeros((2, 3)), 0.5, np.random.default_rng(0)).tolist()
    [[False, True, True], [True, False, False]]
    """
    return rng.random(X.shape) < rate


@register("missingness", "mar", reference="gao2022missdag")
def mar(X: Array, rate: float, rng: Generator, p_obs: float = 0.3, quantile: float = 0.3) -> Holes:
    """Missing at random: columns that stay whole decide, by a logistic model, about the others.

    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> mar(X, 0.5, np.random.default_rng(0)).any(axis=0).tolist()
    [True, True, False, True]
    """
    inputs, targets = _split(X, p_obs, rng, "mar")
    return _logistic_holes(X, rate, rng, inputs, targets)


@register("missingness", "mnar-logistic", reference="gao2022missdag")
def mnar_logistic(
    X: Array, rate: float, rng: Generator, p_obs: float = 0.3, quantile: float = 0.3
) -> Holes:
    """Missing not at random: as mar, then the deciding columns lose cells at random too.

    The paper's text keeps a further p_obs of the columns whole; its code, followed here, does not.

    >>> X = np.random.default_rng(0).normal(size=(50, 4))
    >>> mnar_logistic(X, 0.5, np.random.default_rng(0)).any(axis=0).tolist()
    [True, True, True, True]
    """
    inputs, targets = _split(X, p_obs, rng, "mnar-logistic")
    missing = _logistic_holes(X, rate, rng, inputs, targets)
    missing[:, inputs] = mcar(X[:, inputs], rate, rng)
    return missing


@register("missingness", "mnar-quantile", reference="muzellec2020missing")
def mnar_quantile(
    X: Array, rate: float, rng: Generator, p_obs: float = 0.3, quantile: float = 0.3
) -> Holes:
    """Missing not at random: values in both tails of a column are absent with chance ``rate``.

    So the column's own share of holes is about 2 * quantile * rate, not ``rate``.

    >>> X = np.arange(10.0)[:, None] + np.zeros((10, 2))
    >>> missing = mnar_quantile(X, 0.99, np.random.default_rng(0), quantile=0.2)
    >>> missing.any(axis=1).astype(int).tolist()
    [1, 1, 0, 0, 0, 0, 0, 1, 1, 1]
    """
    _, targets = _split(X, p_obs, rng, "mnar-quantile")
    missing = np.zeros(X.shape, dtype=bool)
    eligible = quantile_eligible(X[:, targets], quantile)
    missing[:, targets] = eligible & (rng.random(eligible.shape) < rate)
    return missing


@register("missingness", "mnar-self", reference="muzellec2020missing")
def mnar_self(
    X: Array, rate: float, rng: Generator, p_obs: float = 0.3, quantile: float = 0.3
) -> Holes:
    """Missing not at random: every column decides about itself by a logistic model.

    The intercept is fitted for each column, so that each has the rate (in the authors' code one
    is fitted to the whole matrix).

    >>> X = np.random.default_rng(0).normal(size=(5000, 2))
    >>> mnar_self(X, 0.3, np.random.default_rng(0)).mean(axis=0).round(1).tolist()
    [0.3, 0.3]
    """
    raw = rng.standard_normal((1, X.shape[1]))
    own = [[j] for j in range(X.shape[1])]
    predictors = np.hstack([X[:, j] @ logistic_coefficients(X[:, j], raw[:, j]) for j in own])
    chance = expit(predictors + intercepts(predictors, rate))
    missing: Holes = rng.random(X.shape) < chance
    return missing


def logistic_coefficients(X_inputs: ArrayLike, raw: ArrayLike) -> Array:
    """Columns of ``raw`` scaled so that each predictor X_inputs @ column has standard deviation 1.

    A predictor that does not vary gets coefficients 0: it decides nothing.

    >>> logistic_coefficients([[0.0], [2.0], [4.0]], [[1.0]]).tolist()
    [[0.5]]
    """
    raw = np.asarray(raw, dtype=np.float64)
    predictors = np.asarray(X_inputs, dtype=np.float64) @ raw
    spread = predictors.std(axis=0, ddof=1)
    varies = spread > 1e-12 * np.abs(predictors).max(axis=0)  # not rounding alone
    scale = np.where(varies, spread, np.inf)
    return np.asarray(raw / scale)


def intercepts(predictors: ArrayLike, rate: float) -> Array:
    """For each column the b with mean sigmoid(predictor + b) = rate.

    >>> intercepts([[0.0, 3.0], [0.0, 1.0]], 0.5).round(6).tolist()
    [0.0, -2.0]
    """
    P = np.asarray(predictors, dtype=np.float64)
    rate = min(max(rate, 1e-15), 1.0 - 1e-15)  # uniform draws are no finer than this
    # every chance is below the rate at the one end and above it at the other
    low, high = logit(rate) - P.max(axis=0) - 1.0, logit(rate) - P.min(axis=0) + 1.0
    return np.array(
        [
            brentq(lambda b, p=p: expit(p + b).mean() - rate, a, c)
            for p, a, c in zip(P.T, low, high, strict=True)
        ]
    )


def quantile_eligible(X: ArrayLike, q: float) -> Holes:
    """Cells in a column's two tails: X <= int(qn)-th smallest or X >= int((1-q)n)-th smallest.

    Both bounds are values of the column (no interpolation) and belong to the tails, so one cell
    more than 2qn is eligible, and more where values tie.

    >>> quantile_eligible(np.arange(10.0)[:, None], 0.2)[:, 0].astype(int).tolist()
    [1, 1, 0, 0, 0, 0, 0, 1, 1, 1]
    """
    values = np.asarray(X, dtype=np.float64)
    n, ordered = len(values), np.sort(values, axis=0)
    low, high = max(int(q * n), 1), max(int((1.0 - q) * n), 1)
    eligible: Holes = (values <= ordered[low - 1]) | (values >= ordered[high - 1])
    return eligible


def _logistic_holes(
    X: Array, rate: float, rng: Generator, inputs: NDArray[np.intp], targets: NDArray[np.intp]
) -> Holes:
    raw = rng.standard_normal((len(inputs), len(targets)))
    predictors = X[:, inputs] @ logistic_coefficients(X[:, inputs], raw)
    chance = expit(predictors + intercepts(predictors, rate))
    missing = np.zeros(X.shape, dtype=bool)
    missing[:, targets] = rng.random(chance.shape) < chance
    return missing


def _split(
    X: Array, p_obs: float, rng: Generator, name: str
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    d = X.shape[1]
    if d < 2:
        raise GapdagError(f"missingness {name!r} needs 2 columns or more, got {d}")
    shuffled = rng.permutation(d)
    kept = min(max(int(p_obs * d), 1), d - 1)
    return np.sort(shuffled[:kept]), np.sort(shuffled[kept:])


def _complete(X: ArrayLike) -> Array:
    try:
        values = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise GapdagError("X must hold numbers only") from None
    if values.ndim != 2 or len(values) < 2:
        raise GapdagError(f"X must be a table of 2 rows or more, got shape {values.shape}")
    if not np.isfinite(values).all():
        raise GapdagError("X must be complete and finite: holes are made in a table without any")
    return values


def _inside(
    name: str,
    value: object,
    low: float,
    high: float,
    *,
    closed_low: bool = False,
    closed_high: bool = False,
) -> None:
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        above = value >= low if closed_low else value > low
        below = value <= high if closed_high else value < high
        if above and below:
            return
    signs = "<=" if closed_low else "<", "<=" if closed_high else "<"
    raise GapdagError(
        f"{name} must be a number {low:g} {signs[0]} {name} {signs[1]} {high:g}, got {value!r}"
    )
