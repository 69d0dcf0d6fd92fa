"""Little's test of whether the holes of a table are missing completely at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

Array = NDArray[np.float64]

MAX_WORK = 2e8  # patterns x columns^3; a round of EM takes about half a second there
CHEAP_WORK = 1e7
MAX_ROUNDS = 500
TOLERANCE, ROUGH_TOLERANCE = 1e-8, 1e-4  # of standardised means; rough where a round is dear
RIDGE = 1e-8  # of standardised columns: keeps every inverse finite
SINGULAR = 1e-6  # smallest eigenvalue of the correlations at which columns count as independent


@dataclass(frozen=True)
class Little:
    """Little's statistic; without one, ``reason`` says why, else what limits it."""

    statistic: float | None
    df: int | None
    p_value: float | None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The fields as a dict."""
        return dict(vars(self))


@dataclass(frozen=True)
class _Patterns:
    """Rows grouped by what they hold; the sufficient statistics of each group."""

    seen: Array  # (k, d), 1 where observed
    count: Array  # (k,)
    mean: Array  # (k, d), 0 where missing
    scatter: Array  # (k, d, d) about the mean, 0 where missing


def little(X: Array, columns: list[str]) -> Little:
    """Little's (1988) test: do the means of the rows with one pattern of holes fit the rest?

    The statistic is sum_j n_j (m_j - mu_j)' S_j^-1 (m_j - mu_j) over patterns j, with m_j the means
    of what pattern j observes and mu_j, S_j the same entries of the mean and covariance (n / (n -
    1) times its maximum-likelihood estimate) that EM finds under normality; under mcar it is
    about chi-squared with sum_j |j| - d degrees of freedom. Constant columns, columns with an
    infinite value and rows without any value are left out.

    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> X[X[:, 0] > 0.5, 1] = np.nan        # mar: the hole depends on what is seen
    >>> little(X, ["a", "b"]).p_value < 0.001
    True
    """
    usable = [j for j in range(X.shape[1]) if _usable(X[:, j])]
    X, names = X[:, usable], [columns[j] for j in usable]
    X = X[~np.isnan(X).all(axis=1)]
    reason = _why_not(X, names)
    if reason:
        return Little(None, None, None, reason)
    n, d = X.shape
    k = len(np.unique(np.packbits(np.isnan(X), axis=1), axis=0))
    if k * d**3 > MAX_WORK:
        why = f"{k} patterns of {d} columns would take too long; audit fewer columns at a time"
        return Little(None, None, None, why)
    groups = _group((X - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0))
    mean, covariance, settled = _em(groups)
    if not settled or np.linalg.eigvalsh(_correlation(covariance))[0] < SINGULAR:
        return Little(None, None, None, "the covariance is singular: some columns follow others")
    precision = _precisions(groups.seen, covariance * n / (n - 1))
    gap = (groups.mean - mean) * groups.seen
    statistic = float(groups.count @ np.einsum("ki,kij,kj->k", gap, precision, gap))
    df = int(groups.seen.sum()) - d
    limits = ""
    if k > n / 2:
        limits = "most rows have a pattern of their own, which leaves the test little power"
    return Little(statistic, df, float(chdtrc(df, statistic)), limits)


def _usable(x: Array) -> bool:
    """Whether a column's observed values are finite and vary by more than rounding."""
    x = x[~np.isnan(x)]
    if not len(x) or not np.isfinite(x).all():
        return False
    with np.errstate(over="ignore"):
        spread = float(x.std())
    return bool(np.finfo(np.float64).tiny < spread < np.inf and spread > 1e-12 * np.abs(x).max())


def _why_not(X: Array, names: list[str]) -> str:
    """Why the test cannot be made on these rows and columns; empty when it can."""
    n, d = X.shape
    if d < 2:
        return "it needs at least 2 columns of numbers that vary"
    if not np.isnan(X).any():
        return "nothing is missing in the columns of numbers that vary"
    if n <= d:
        return f"it needs more rows than columns; there are {n} and {d}"
    seen = (~np.isnan(X)).astype(np.float64)
    apart = np.argwhere(seen.T @ seen < 2)
    if len(apart):
        i, j = apart[0]
        return f"{names[i]!r} and {names[j]!r} are observed together in fewer than 2 rows"
    return ""


def _group(X: Array) -> _Patterns:
    seen, which = np.unique(~np.isnan(X), axis=0, return_inverse=True)
    which = which.reshape(-1)
    k, d = seen.shape
    count = np.bincount(which).astype(np.float64)
    Z = np.nan_to_num(X)
    mean, scatter = np.zeros((k, d)), np.zeros((k, d, d))
    order = np.argsort(which, kind="stable")
    for j, rows in enumerate(np.split(order, np.cumsum(count[:-1]).astype(int))):
        mean[j] = Z[rows].mean(axis=0)
        centred = (Z[rows] - mean[j]) * seen[j]
        scatter[j] = centred.T @ centred
    return _Patterns(seen.astype(np.float64), count, mean, scatter)


def _em(groups: _Patterns) -> tuple[Array, Array, bool]:
    """Mean and covariance of a normal distribution by maximum likelihood, and whether they settled.

    With P_j the precision of what pattern j observes (0 elsewhere) and S the covariance, S P_j maps
    deviations of the observed cells to expected deviations of all, and S - S P_j S is what stays
    unknown: so each round needs the patterns' means and scatters alone, not the rows.
    """
    n, d = float(groups.count.sum()), groups.seen.shape[1]
    mean: Array = np.zeros(d)
    covariance: Array = np.eye(d)
    tolerance = TOLERANCE if len(groups.count) * d**3 < CHEAP_WORK else ROUGH_TOLERANCE
    several = groups.count > 1  # a single row has no scatter
    for _ in range(MAX_ROUNDS):
        precision = _precisions(groups.seen, covariance)
        gap = (groups.mean - mean) * groups.seen
        filled = np.einsum("kij,kj->ki", precision, gap) @ covariance  # expected deviations
        shift = groups.count @ filled / n
        regress = covariance @ precision[several]
        scatter = (regress @ groups.scatter[several] @ regress.swapaxes(1, 2)).sum(axis=0)
        spread = scatter + (filled * groups.count[:, None]).T @ filled
        known = covariance @ np.tensordot(groups.count / n, precision, 1) @ covariance
        new = spread / n - np.outer(shift, shift) + covariance - known
        new = (new + new.T) / 2
        change = max(np.abs(new - covariance).max(), np.abs(shift).max())
        mean, covariance = mean + shift, new
        if not np.isfinite(covariance).all():
            return mean, np.eye(d), False
        if change < tolerance:
            break
    return mean, covariance, True


def _precisions(seen: Array, covariance: Array) -> Array:
    """(k, d, d) the inverse of each pattern's observed block, zero elsewhere."""
    block = seen[:, :, None] * seen[:, None, :]
    d = covariance.shape[0]
    # missing coordinates become independent ones of variance 1, so that one batch inverts all
    padded = block * (covariance + RIDGE * np.eye(d)) + (1 - seen)[:, :, None] * np.eye(d)
    return np.asarray(np.linalg.inv(padded), dtype=np.float64) * block


def _correlation(covariance: Array) -> Array:
    scale = np.sqrt(np.maximum(np.diag(covariance), np.finfo(np.float64).tiny))
    out: Array = covariance / np.outer(scale, scale)
    return out
