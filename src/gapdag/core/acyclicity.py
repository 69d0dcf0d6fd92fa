"""h(A) of A = W∘W: zero on DAGs, positive on graphs with a cycle.

Each function takes A (d, d), A >= 0, and returns the value, with ``return_grad=True`` also dh/dA
(so that dh/dW = 2 W ∘ dh/dA). Outside of its domain the value is inf and the gradient NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import expm as matrix_exponential
from scipy.linalg.lapack import dgetrf, dgetri

from gapdag.errors import GapdagError
from gapdag.registry import register

Array = NDArray[np.float64]


@register("acyclicity", "logdet", reference="Bello, Aragam & Ravikumar 2022 (DAGMA)")
def logdet(A: ArrayLike, s: float = 1.0, return_grad: bool = False) -> Any:
    """-log det(sI - A) + d log s, on matrices of spectral radius below s.

    >>> float(logdet([[0.0, 0.5], [0.0, 0.0]]))
    0.0
    >>> round(float(logdet([[0.0, 0.5], [0.5, 0.0]])), 4)
    0.2877
    >>> float(logdet([[0.0, 2.0], [2.0, 0.0]]))  # outside of the domain
    inf
    """
    A = _square(A)
    d = len(A)
    M = -A
    M.flat[:: d + 1] += s
    lu, pivots, singular = dgetrf(M)
    inverse = None if singular else dgetri(lu, pivots)[0]
    # sI - A has only non-positive entries off its diagonal: it is a non-singular M-matrix, which
    # means spectral radius of A < s, exactly when its inverse has no negative entry. The sign of
    # the determinant, or of h, does not tell (golden/acyclicity.npz has cases that fool both).
    if inverse is None or not inverse.min() >= -1e-10 * np.abs(inverse).max():
        return (np.inf, np.full((d, d), np.nan)) if return_grad else np.inf
    h = d * np.log(s) - np.log(np.abs(lu.diagonal())).sum()
    return (h, inverse.T) if return_grad else h


@register("acyclicity", "expm", reference="Zheng et al. 2018 (NOTEARS)")
def expm(A: ArrayLike, return_grad: bool = False) -> Any:
    """tr exp(A) - d.

    >>> float(expm([[0.0, 0.5], [0.0, 0.0]]))
    0.0
    """
    A = _square(A)
    E = matrix_exponential(A)
    if not np.isfinite(E).all():
        return (np.inf, np.full(A.shape, np.nan)) if return_grad else np.inf
    h = np.trace(E) - len(A)
    return (h, E.T) if return_grad else h


@register("acyclicity", "polynomial", reference="Yu et al. 2019 (DAG-GNN)")
def polynomial(A: ArrayLike, alpha: float | None = None, return_grad: bool = False) -> Any:
    """tr (I + alpha A)^d - d, with alpha = 1/d unless given.

    >>> float(polynomial([[0.0, 0.5], [0.0, 0.0]]))
    0.0
    """
    A = _square(A)
    d = len(A)
    alpha = 1.0 / d if alpha is None else alpha
    below = np.linalg.matrix_power(np.eye(d) + alpha * A, d - 1)
    h = np.einsum("ij,ji->", below, np.eye(d) + alpha * A) - d
    if not np.isfinite(h):
        return (np.inf, np.full(A.shape, np.nan)) if return_grad else np.inf
    return (h, d * alpha * below.T) if return_grad else h


def _square(A: ArrayLike) -> Array:
    A = np.asarray(A, dtype=np.float64)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise GapdagError(f"acyclicity is defined on a square matrix, got shape {A.shape}")
    return A
