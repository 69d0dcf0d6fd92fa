"""What a node does with its parents, and the noise it adds: x_j = f_j(parents) + noise_j."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import cholesky
from scipy.spatial.distance import cdist
from scipy.special import expit

from gapdag.errors import GapdagError
from gapdag.graph import topological_order
from gapdag.registry import find, register, unknown
from gapdag.simulate.graphs import check_count

Array = NDArray[np.float64]

HIDDEN = 100  # sigmoid units of the mlp
MAX_CHOLESKY = 5000  # rows up to which a Gaussian process is drawn exactly
FEATURES = 2000  # random Fourier features beyond that
JITTER = 1e-6  # rounding of an n x n RBF kernel stays below n * eps * n, about 5e-9

# mean 0 and standard deviation 1 in the population; nothing is rescaled by the sample
NOISES: dict[str, Callable[[Generator, tuple[int, ...]], Array]] = {
    "gaussian": lambda rng, shape: rng.standard_normal(shape),
    "exponential": lambda rng, shape: rng.standard_exponential(shape) - 1.0,
    "laplace": lambda rng, shape: rng.laplace(scale=np.sqrt(0.5), size=shape),
    "gumbel": lambda rng, shape: (rng.gumbel(size=shape) - np.euler_gamma) * np.sqrt(6) / np.pi,
    "uniform": lambda rng, shape: rng.uniform(-np.sqrt(3), np.sqrt(3), shape),
}
NOISE_SCALES = ("nv", "ev")


def sample(
    adjacency: ArrayLike,
    n: int,
    mechanism: str,
    noise: str,
    noise_scale: str,
    mechanism_rng: Generator,
    noise_rng: Generator,
) -> Array:
    """An (n, d) table from the causal model: nodes in causal order, each f(parents) + noise.

    Roots are noise alone; no column is standardised. The noise depends on ``noise_rng`` only,
    so another graph or mechanism meets the same noise.

    >>> rngs = np.random.default_rng(0).spawn(2)
    >>> X = sample([[0, 1], [0, 0]], 5000, "linear", "uniform", "ev", *rngs)
    >>> X.shape, abs(np.corrcoef(X.T)[0, 1]) > 0.4
    ((5000, 2), np.True_)
    """
    A = np.asarray(adjacency) != 0
    mean = find("mechanism", mechanism)
    X = draw_noise(noise, noise_scale, n, len(A), noise_rng)
    for j in topological_order(A):
        parents = np.flatnonzero(A[:, j])
        if len(parents):
            X[:, j] += mean(X[:, parents], mechanism_rng)
    return X


def draw_noise(noise: str, noise_scale: str, n: int, d: int, rng: Generator) -> Array:
    """(n, d) independent noise of mean zero and a known standard deviation per column.

    That is 1 for every column with ``noise_scale="ev"`` (equal variances) and U(1, 2) drawn for
    each with ``"nv"`` (the paper's setting); the underlying draw is the same in both.

    >>> E = draw_noise("gumbel", "ev", 100_000, 2, np.random.default_rng(0))
    >>> np.abs(E.mean(axis=0)).max() < 0.02, np.abs(E.std(axis=0) - 1).max() < 0.02
    (np.True_, np.True_)
    """
    if noise not in NOISES:
        raise GapdagError(unknown("noise", noise, list(NOISES)))
    if noise_scale not in NOISE_SCALES:
        raise GapdagError(unknown("noise_scale", noise_scale, list(NOISE_SCALES)))
    check_count("n (rows)", n, 2)
    scales = rng.uniform(1.0, 2.0, size=d)
    standard = NOISES[noise](rng, (n, d))
    return standard * scales if noise_scale == "nv" else standard


def signed_uniform(rng: Generator, shape: tuple[int, ...]) -> Array:
    """Weights far from zero: uniform on (-2, -0.5) and (0.5, 2).

    >>> w = signed_uniform(np.random.default_rng(0), (100,))
    >>> bool((abs(w) >= 0.5).all()), bool((w < 0).any() and (w > 0).any())
    (True, True)
    """
    return np.asarray(rng.uniform(0.5, 2.0, shape) * rng.choice([-1.0, 1.0], shape))


@register("mechanism", "linear", reference="zheng2018dags")
def linear(parents: Array, rng: Generator) -> Array:
    """Weighted sum of the parents, weights uniform on +-(0.5, 2).

    >>> linear(np.eye(2), np.random.default_rng(0)).round(2).tolist()
    [-1.46, -0.9]
    """
    return parents @ signed_uniform(rng, (parents.shape[1],))


@register("mechanism", "mlp", reference="zheng2020learning")
def mlp(parents: Array, rng: Generator) -> Array:
    """One hidden layer of 100 sigmoid units, all weights uniform on +-(0.5, 2), no bias.

    >>> mlp(np.zeros((3, 2)), np.random.default_rng(0)).shape
    (3,)
    """
    first = signed_uniform(rng, (parents.shape[1], HIDDEN))
    second = signed_uniform(rng, (HIDDEN,))
    return np.asarray(expit(parents @ first) @ second)


@register("mechanism", "mim", reference="zheng2020learning")
def mim(parents: Array, rng: Generator) -> Array:
    """Multiple index model tanh(Xu) + cos(Xv) + sin(Xw), weights uniform on +-(0.5, 2).

    >>> mim(np.zeros((1, 2)), np.random.default_rng(0)).tolist()
    [1.0]
    """
    index = parents @ signed_uniform(rng, (parents.shape[1], 3))
    return np.tanh(index[:, 0]) + np.cos(index[:, 1]) + np.sin(index[:, 2])


@register("mechanism", "gp", reference="zheng2020learning")
def gp(parents: Array, rng: Generator) -> Array:
    """A Gaussian process draw over all parents jointly, RBF kernel of length scale 1.

    Exact (Cholesky, with 1e-6 on the diagonal) up to 5000 rows; beyond that 2000 random
    Fourier features (Rahimi and Recht 2007) stand in, whose kernel is off by about 0.02.

    >>> f = gp(np.array([[0.0], [0.0], [9.0]]), np.random.default_rng(0))
    >>> abs(f[0] - f[1]) < 0.01, abs(f[0] - f[2]) > 0.01       # near inputs, near values
    (np.True_, np.True_)
    """
    n = len(parents)
    if n > MAX_CHOLESKY:
        return _fourier_draw(parents, rng)
    K = cdist(parents, parents, "sqeuclidean")
    np.exp(-0.5 * K, out=K)
    K.flat[:: n + 1] += JITTER
    root = cholesky(K, lower=True, overwrite_a=True, check_finite=False)
    return np.asarray(root @ rng.standard_normal(n))


@register("mechanism", "gp-add", reference="zheng2020learning")
def gp_add(parents: Array, rng: Generator) -> Array:
    """A sum of Gaussian process draws, one for each parent, RBF kernel of length scale 1.

    >>> gp_add(np.zeros((3, 2)), np.random.default_rng(0)).shape
    (3,)
    """
    draws = [gp(parents[:, [k]], rng) for k in range(parents.shape[1])]
    return np.asarray(np.sum(draws, axis=0))


def _fourier_draw(parents: Array, rng: Generator) -> Array:
    frequency = rng.standard_normal((parents.shape[1], FEATURES))
    phase = rng.uniform(0.0, 2.0 * np.pi, FEATURES)
    height = rng.standard_normal(FEATURES) * np.sqrt(2.0 / FEATURES)
    blocks = np.array_split(parents, -(-len(parents) // 1000))  # the whole would fill memory
    return np.concatenate([np.cos(block @ frequency + phase) @ height for block in blocks])
