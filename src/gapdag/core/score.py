"""How well the SCM predicts: negative log-likelihoods up to constants, of Gaussian noise.

A score sees each node's sum of squared residuals ss (d,) over n rows, and returns its value and
the coefficients c (d,) with d value / d residual[t, j] = c[j] · residual[t, j].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gapdag.registry import register

Array = NDArray[np.float64]


@register("score", "equal-variance", reference="Bello et al. 2022; the paper's l_c")
def equal_variance(ss: Array, n: int) -> tuple[float, Array]:
    """½ d log of the total mean squared residual: all noises of one variance; units matter.

    >>> value, c = equal_variance(np.array([30.0, 50.0]), n=10)
    >>> round(value, 4), c.tolist()
    (2.0794, [0.025, 0.025])
    """
    total = max(float(ss.sum()), np.finfo(np.float64).tiny)
    return 0.5 * len(ss) * float(np.log(total / n)), np.full(len(ss), len(ss) / total)


@register("score", "per-node", reference="Peters & Bühlmann 2014; Ng et al. 2020 (GOLEM-NV)")
def per_node(ss: Array, n: int) -> tuple[float, Array]:
    """½ Σ_j log of node j's mean squared residual: a variance of its own each; scale-free.

    >>> value, c = per_node(np.array([10.0, 50.0]), n=10)
    >>> round(value, 4), c.tolist()
    (0.8047, [0.1, 0.02])
    """
    ss = np.maximum(ss, np.finfo(np.float64).tiny)
    return 0.5 * float(np.log(ss / n).sum()), 1.0 / ss
