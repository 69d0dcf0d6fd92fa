"""Random causal graphs: adjacency[i, j] is the edge i -> j, and the result is always a DAG."""

from __future__ import annotations

import numbers
from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from gapdag.errors import GapdagError
from gapdag.registry import unknown


def random_graph(graph: str, d: int, edges: int, rng: Generator) -> NDArray[np.bool_]:
    """A DAG over d nodes by the model's name: "ER" or "SF".

    >>> A = random_graph("SF", 50, 100, np.random.default_rng(0))
    >>> A.shape, int(A.sum())
    ((50, 50), 100)
    """
    if graph not in GRAPHS:
        raise GapdagError(unknown("graph", graph, list(GRAPHS)))
    return GRAPHS[graph](d, edges, rng)


def erdos_renyi(d: int, edges: int, rng: Generator) -> NDArray[np.bool_]:
    """Erdos-Renyi: every pair is joined with the same chance, directed by a random causal order.

    The chance is edges / (d(d-1)/2), so ``edges`` is the expected number (paper, section 5).

    >>> A = erdos_renyi(4, 6, np.random.default_rng(0))     # 6 of 6 pairs: the complete DAG
    >>> sorted(A.sum(axis=0).tolist())
    [0, 1, 2, 3]
    """
    possible = check_edges(d, edges)
    ordered = np.triu(rng.random((d, d)) < edges / possible, k=1)
    return _relabel(ordered, rng)


def scale_free(d: int, edges: int, rng: Generator) -> NDArray[np.bool_]:
    """Scale-free: each new node points at older ones, the more pointed-at the likelier.

    The choice is without replacement, with chance proportional to in-degree + 1 (Barabasi and
    Albert 1999 as generators of these benchmarks have it), so hubs are common effects.

    A fixed m = edges/d gives too few edges: the first newcomers find fewer than m nodes to
    point at, so the total is md - m(m+1)/2, and m must be whole. Here newcomer t (t older nodes
    exist) points at min(t, m) of them, m the largest whole number that does not exceed
    ``edges`` in total, and the edges still wanting go one each to newcomers with t > m drawn at
    random. So the number of edges is ``edges`` itself, not only on average.

    >>> A = scale_free(10, 13, np.random.default_rng(0))
    >>> int(A.sum()), sorted(A.sum(axis=1).tolist())
    (13, [0, 1, 1, 1, 1, 1, 2, 2, 2, 2])
    """
    check_edges(d, edges)
    m = max(m for m in range(d) if m * d - m * (m + 1) // 2 <= edges)
    out_degree = np.minimum(np.arange(d), m)
    wanting = edges - int(out_degree.sum())
    out_degree[rng.choice(np.arange(m + 1, d), size=wanting, replace=False)] += 1
    grown = np.zeros((d, d), dtype=bool)
    for t in range(1, d):
        appeal = grown[:, :t].sum(axis=0) + 1.0
        chosen = rng.choice(t, size=out_degree[t], replace=False, p=appeal / appeal.sum())
        grown[t, chosen] = True
    return _relabel(grown, rng)


GRAPHS: dict[str, Callable[[int, int, Generator], NDArray[np.bool_]]] = {
    "ER": erdos_renyi,
    "SF": scale_free,
}


def check_count(name: str, value: object, low: int) -> int:
    """A whole number no smaller than ``low``, or one line that says so.

    >>> check_count("n", 10.5, 1)
    Traceback (most recent call last):
    gapdag.errors.GapdagError: n must be a whole number of at least 1, got 10.5
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < low:
        raise GapdagError(f"{name} must be a whole number of at least {low}, got {value!r}")
    return int(value)


def check_edges(d: int, edges: int) -> int:
    """How many edges a DAG over d nodes can have, once ``edges`` is known to be no more.

    >>> check_edges(5, 10)
    10
    """
    check_count("d (nodes)", d, 2)
    check_count("edges", edges, 0)
    possible = d * (d - 1) // 2
    if edges > possible:
        raise GapdagError(f"edges={edges} is too many: a DAG of {d} nodes has at most {possible}")
    return possible


def _relabel(adjacency: NDArray[np.bool_], rng: Generator) -> NDArray[np.bool_]:
    # without this a node's number would give its place in the causal order away
    order = rng.permutation(len(adjacency))
    return adjacency[np.ix_(order, order)]
