"""Distances between two samples x, y (n, d): how far the model's rows are from the completed ones.

Each function returns the value, with ``return_grad=True`` also its gradient in x.
"""

from __future__ import annotations

import re
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gapdag.core.compiled import compiled, exp
from gapdag.errors import GapdagError
from gapdag.registry import register

REFERENCE_SCALES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
TILE = 256


@register("divergence", "mmd", reference="Gretton et al. 2012; the paper's eq. (mmd)")
def mmd(
    x: ArrayLike,
    y: ArrayLike,
    bandwidth: str | float = "median",
    return_grad: bool = False,
) -> Any:
    """Squared maximum mean discrepancy, unbiased, with a Gaussian kernel.

    ``bandwidth`` is σ in exp(-|x-y|² / 2σ²), or "median" (of all pairwise distances of the pooled
    sample, a constant for the gradient), or a share of it as in "median/8", or "reference": the
    authors' sum of seven kernels exp(-(2d/s)·|x-y|²), whose bandwidth shrinks as d grows. The
    estimate may be negative.

    >>> x = np.random.default_rng(0).normal(size=(200, 3))
    >>> abs(mmd(x, x)) < 0.02, mmd(x, x + 1) > 0.2
    (True, True)
    """
    x, y = _pair(x, y)
    value, gx, _ = mmd_both(x, y, rates(bandwidth, x, y))
    return (value, gx) if return_grad else value


class LiveMMD:
    """MMD² with both gradients; the median bandwidth is taken anew every ``renew`` calls."""

    def __init__(self, bandwidth: str | float, renew: int = 100) -> None:
        _share_of_median(bandwidth)  # refuses what is none, before a fit begins
        self.bandwidth, self.renew, self.calls = bandwidth, renew, 0

    def __call__(
        self, x: NDArray[Any], y: NDArray[Any]
    ) -> tuple[float, NDArray[Any], NDArray[Any]]:
        if self.calls % self.renew == 0:
            self.rates = rates(self.bandwidth, x, y)
        self.calls += 1
        return mmd_both(x, y, self.rates)


def rates(bandwidth: str | float, x: NDArray[Any], y: NDArray[Any]) -> list[float]:
    """The c's of the kernel sum_c exp(-c·|x-y|²)."""
    share = _share_of_median(bandwidth)
    if bandwidth == "reference":
        return [2.0 * x.shape[1] / s for s in REFERENCE_SCALES]
    return [0.5 / (median_distance(x, y) * share if share else float(bandwidth)) ** 2]


def _share_of_median(bandwidth: str | float) -> float:
    """1/8 for "median/8"; 0 for a bandwidth that does not ask for the median."""
    named = re.fullmatch(r"median(?:/(\d+(?:\.\d+)?))?", str(bandwidth))
    if named and float(named[1] or 1) > 0:
        return 1 / float(named[1] or 1)
    number = isinstance(bandwidth, Real) and not isinstance(bandwidth, bool) and bandwidth > 0
    if bandwidth != "reference" and not number:
        raise GapdagError(
            "bandwidth must be 'median', a share of it as in 'median/8', 'reference' or a number "
            f"above 0, got {bandwidth!r}"
        )
    return 0.0


def median_distance(x: NDArray[Any], y: NDArray[Any]) -> float:
    """Median Euclidean distance over all pairs of the pooled sample; 1 if that is 0."""
    pooled = np.vstack([x, y])
    square = _squared_distances(pooled, pooled)[np.triu_indices(len(pooled), 1)]
    return float(np.median(np.sqrt(square))) or 1.0


def mmd_both(
    x: NDArray[Any], y: NDArray[Any], rate: list[float]
) -> tuple[float, NDArray[Any], NDArray[Any]]:
    """Value and gradients in x and in y. The symmetric kernels are visited over one triangle."""
    n = len(x)
    c = np.array(rate, x.dtype)
    within, across = 1.0 / (n * (n - 1)), -2.0 / n**2
    vx, gx = _within(x, c)
    vy, gy = _within(y, c)
    slope = _squared_distances(x, y)
    cross = _kernel(slope, c)
    slope *= across
    gx = within * gx + 2 * (slope.sum(axis=1)[:, None] * x - slope @ y)
    gy = within * gy + 2 * (slope.sum(axis=0)[:, None] * y - slope.T @ x)
    return within * (vx + vy) + across * cross, gx, gy


def _within(x: NDArray[Any], c: NDArray[Any]) -> tuple[float, NDArray[Any]]:
    """Sum over j != k of k(x_j, x_k) and its gradient, from the tiles on and above the diagonal."""
    total, pull, mass = 0.0, np.zeros_like(x), np.zeros((len(x), 1), x.dtype)
    for a in range(0, len(x), TILE):
        rows = slice(a, a + TILE)
        for b in range(a, len(x), TILE):
            cols = slice(b, b + TILE)
            slope = _squared_distances(x[rows], x[cols])
            if a == b:
                np.fill_diagonal(slope, np.inf)  # j != k
            total += (1 if a == b else 2) * _kernel(slope, c)
            pull[rows] += slope @ x[cols]
            mass[rows] += slope.sum(axis=1, keepdims=True)
            if a != b:
                pull[cols] += slope.T @ x[rows]
                mass[cols] += slope.sum(axis=0)[:, None]
    return total, 4 * (mass * x - pull)


@compiled
def _kernel(square, rates):  # type: ignore[no-untyped-def]
    """Sum of the kernel; the squared distances are overwritten by its slopes in them.

    Rows in which every value would underflow (the reference bandwidth in many dimensions) are zero.
    """
    total, beyond = 0.0, 104.0 if square.itemsize == 4 else 746.0
    slowest, at = rates.min(), np.empty_like(square[0])
    for i in range(len(square)):
        row = square[i]
        if slowest * row.min() > beyond:
            row[:] = 0
            continue
        at[:] = row
        row[:] = 0
        for c in rates:
            part = rates.dtype.type(0)
            for j in range(len(row)):
                k = exp(-c * at[j])
                part += k
                row[j] -= c * k
            total += part
    return total


@compiled
def _squared_distances(x, y):  # type: ignore[no-untyped-def]
    square = np.dot(x, y.T)
    xx, yy = (x * x).sum(axis=1), (y * y).sum(axis=1)
    zero = x.dtype.type(0)
    for i in range(len(x)):
        for j in range(len(y)):
            square[i, j] = max(xx[i] + yy[j] - 2 * square[i, j], zero)
    return square


def _pair(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    x, y = np.asarray(x), np.asarray(y)
    single = np.result_type(x.dtype, y.dtype, np.float32) == np.float32
    if x.ndim != 2 or x.shape != y.shape or len(x) < 2:
        raise GapdagError(
            f"two samples of the same shape (n, d), n >= 2, are compared; got {x.shape}, {y.shape}"
        )
    # of one layout, for which the kernels are compiled
    dtype = np.float32 if single else np.float64
    return np.array(x, dtype, order="C"), np.array(y, dtype, order="C")
