"""Graphs as matrices: W[i, j] or adjacency[i, j] is the edge i -> j."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from gapdag.errors import GapdagError


def is_dag(adjacency: ArrayLike) -> bool:
    """Whether no directed path returns to where it began (a self-loop does).

    >>> is_dag([[0, 1], [0, 0]]), is_dag([[0, 1], [1, 0]]), is_dag([[1.0]])
    (True, False, False)
    """
    A = _square(adjacency, "the adjacency") != 0
    if A.diagonal().any():
        return False
    n_components, _ = connected_components(csr_array(A), directed=True, connection="strong")
    return bool(n_components == A.shape[0])


def topological_order(adjacency: ArrayLike) -> list[int]:
    """Nodes with every parent before its children; the smallest index first where free.

    >>> topological_order([[0, 0, 0], [1, 0, 0], [0, 0, 0]])
    [1, 0, 2]
    """
    if not is_dag(adjacency):
        raise GapdagError("the graph has a cycle, so its nodes have no causal order")
    A = _square(adjacency, "the adjacency") != 0
    G = nx.from_numpy_array(A, create_using=nx.DiGraph)
    return [int(v) for v in nx.lexicographical_topological_sort(G)]


def to_dag(
    weights: ArrayLike,
    threshold: float = 0.3,
    required: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Weights of a DAG: small ones dropped, then the smallest left until no cycle is.

    Entries with |W| <= threshold become zero; while a cycle (or self-loop) remains, the
    remaining entry of smallest |W| anywhere is dropped, ties in row-major order. Edges in
    ``required`` (bool, d x d, itself a DAG) are kept whatever their weight; one whose weight is
    exactly zero gets the smallest positive one, so that the graph holds it.

    >>> to_dag([[0.0, 0.9], [0.5, 0.0]]).tolist()
    [[0.0, 0.9], [0.0, 0.0]]
    """
    W = _square(weights, "weights")
    if not threshold >= 0:
        raise GapdagError(f"threshold must be a number from 0 up, got {threshold!r}")
    keep = np.zeros(W.shape, bool) if required is None else np.asarray(required, dtype=bool)
    if keep.shape != W.shape:
        raise GapdagError(f"required must be {W.shape} like the weights, got {keep.shape}")
    if not is_dag(keep):
        raise GapdagError("the required edges form a cycle")
    W[(np.abs(W) <= threshold) & ~keep] = 0.0
    W[keep & (W == 0)] = np.finfo(np.float64).tiny

    rows, cols = np.nonzero((W != 0) & ~keep)
    order = np.argsort(np.abs(W[rows, cols]), kind="stable")  # np.nonzero is row-major
    rows, cols = rows[order], cols[order]

    def without(k: int) -> NDArray[np.float64]:
        cut = W.copy()
        cut[rows[:k], cols[:k]] = 0.0
        return cut

    # acyclic after k drops implies acyclic after k + 1: bisect for the first such k
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high) // 2
        if is_dag(without(middle)):
            high = middle
        else:
            low = middle + 1
    return without(low)


def cpdag(adjacency: ArrayLike) -> NDArray[np.bool_]:
    """The Markov equivalence class of a DAG: an undirected edge is held in both directions.

    v-structures are compelled, then Meek's rules 1-3 (rule 4 is needed only with background
    knowledge) orient what they can; see Meek 1995.

    >>> cpdag([[0, 1, 0], [0, 0, 1], [0, 0, 0]]).astype(int).tolist()   # a chain
    [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    >>> cpdag([[0, 0, 1], [0, 0, 1], [0, 0, 0]]).astype(int).tolist()   # a collider
    [[0, 0, 1], [0, 0, 1], [0, 0, 0]]
    """
    A = _square(adjacency, "the adjacency") != 0
    if not is_dag(A):
        raise GapdagError("only a DAG has an equivalence class of DAGs; this graph has a cycle")
    skeleton = A | A.T
    P: NDArray[np.bool_] = skeleton.copy()  # P[i, j] and P[j, i]: undirected; P[i, j] alone: i -> j
    for k in range(A.shape[0]):  # v-structures i -> k <- j with i, j apart
        parents = np.flatnonzero(A[:, k])
        for i in parents:
            if np.any(~skeleton[i, parents] & (parents != i)):
                P[k, i] = False
    while True:
        directed, undirected = P & ~P.T, P & P.T
        apart = ~skeleton & ~np.eye(len(A), dtype=bool)
        # rule 1: a -> i, i - j, a and j apart; rule 2: i -> k -> j, i - j
        orient = _any_path(directed.T, apart) | _any_path(directed, directed)
        orient |= _rule_three(directed, undirected, apart)
        orient &= undirected
        if not orient.any():
            return P
        P[orient.T] = False


def _any_path(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> NDArray[np.bool_]:
    out: NDArray[np.bool_] = (first.astype(np.float64) @ second.astype(np.float64)) > 0
    return out


def _rule_three(
    directed: NDArray[np.bool_], undirected: NDArray[np.bool_], apart: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    # i - j, i - k -> j, i - l -> j, k and l apart: i -> j
    out = np.zeros_like(directed)
    for i, j in zip(*np.nonzero(undirected), strict=True):
        middle = np.flatnonzero(undirected[i] & directed[:, j])
        out[i, j] = bool(apart[np.ix_(middle, middle)].any())
    return out


def to_networkx(weights: ArrayLike, columns: list[str]) -> Any:
    """A networkx.DiGraph with the columns as nodes and every weight but zero as an edge.

    >>> list(to_networkx([[0, 0.5], [0, 0]], ["dose", "effect"]).edges(data="weight"))
    [('dose', 'effect', 0.5)]
    """
    W = _square(weights, "weights")
    G = nx.DiGraph()
    G.add_nodes_from(columns)
    for i, j in zip(*np.nonzero(W), strict=True):
        G.add_edge(columns[i], columns[j], weight=float(W[i, j]))
    return G


def _square(matrix: ArrayLike, what: str) -> NDArray[np.float64]:
    """A fresh float copy of a square matrix without NaN."""
    try:
        M = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise GapdagError(f"{what} must be a square matrix of numbers") from None
    if M.ndim != 2 or M.shape[0] != M.shape[1]:
        raise GapdagError(f"{what} must be a square matrix, got shape {M.shape}")
    if np.isnan(M).any():
        raise GapdagError(f"{what} must not hold NaN, which is no edge strength")
    return M
