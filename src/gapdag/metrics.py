"""How far an estimated graph, or a filled table, is from the truth.

Graphs are matrices (numpy, nested lists), labelled tables (DataFrame) or networkx graphs; any
nonzero entry (i, j) is the edge i -> j, and both directions held make one undirected edge. Two
graphs that carry names are aligned by name, otherwise by position. A ratio with nothing below
the line (the precision of an empty graph) is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gapdag.errors import GapdagError
from gapdag.graph import cpdag, is_dag

Bools = NDArray[np.bool_]


def score(truth: Any, estimate: Any) -> dict[str, float]:
    """Everything there is to say about an estimated graph, by the name of the metric.

    precision, recall, f1: directed edges, each direction held counting once, so that a reversed
    edge is one false positive and one false negative. skeleton_precision, skeleton_recall,
    skeleton_f1: joined pairs whatever their direction. shd: see ``shd``. n_true, n_estimated:
    directed edges. If both graphs are DAGs, cpdag_shd and cpdag_f1 too: the same for their
    equivalence classes, that is for what observational data can tell. There a pair is right
    if it carries the same mark (i -> j, j -> i or i - j) in both, and costs 1 if not.

    >>> chain, fork = [[0, 1, 0], [0, 0, 1], [0, 0, 0]], [[0, 0, 0], [1, 0, 1], [0, 0, 0]]
    >>> s = score(chain, fork)
    >>> s["shd"], s["f1"], s["skeleton_f1"], s["cpdag_shd"]
    (1, 0.5, 1.0, 0)
    """
    T, E = _graphs(truth, estimate)
    skeletons = np.triu(T | T.T), np.triu(E | E.T)
    out = {
        **_agreement(T, E),
        **{f"skeleton_{name}": value for name, value in _agreement(*skeletons).items()},
        "shd": _shd(T, E),
        "n_true": int(T.sum()),
        "n_estimated": int(E.sum()),
    }
    if is_dag(T) and is_dag(E):
        out |= _class_level(cpdag(T), cpdag(E))
    return out


def shd(truth: Any, estimate: Any) -> int:
    """Structural Hamming distance: the pairs of nodes on which the graphs differ.

    A missing, an extra or a reversed edge costs 1. An undirected edge (both directions held)
    costs nothing where the other graph has an edge of either direction, 1 where it has none;
    so it is with the authors of the paper, and it is lenient: ``f1`` counts both entries.

    >>> shd([[0, 1], [0, 0]], [[0, 0], [1, 0]]), shd([[0, 1], [0, 0]], [[0, 1], [1, 0]])
    (1, 0)
    """
    return _shd(*_graphs(truth, estimate))


def f1(truth: Any, estimate: Any) -> float:
    """Harmonic mean of precision and recall over directed edges; 0 if no edge is hit.

    >>> f1([[0, 1, 1], [0, 0, 0], [0, 0, 0]], [[0, 1, 0], [0, 0, 0], [1, 0, 0]])
    0.5
    """
    return _agreement(*_graphs(truth, estimate))["f1"]


def auprc(truth: Any, weights: Any) -> float:
    """Area under the precision-recall curve of directed edges ranked by abs(weight).

    Average precision over the ordered pairs off the diagonal; no threshold is involved. Without
    true edges it is 0.

    >>> truth = [[0, 1], [0, 0]]
    >>> auprc(truth, [[0, -0.9], [0.1, 0]]), auprc(truth, [[0, 0.1], [0.9, 0]])
    (1.0, 0.5)
    """
    T, W = _matrices(truth, weights, weighted=True)
    from sklearn.metrics import average_precision_score  # late: half a second to import

    off = ~np.eye(len(T), dtype=bool)
    hit = T[off] != 0
    if not hit.any():
        return 0.0
    return min(float(average_precision_score(hit, np.abs(W[off]))), 1.0)  # 1 + 2e-16 occurs


def imputation(X_true: Any, X_filled: Any, missing: Any) -> dict[str, float]:
    """Root mean square and mean absolute error at the holes; both 0 if there are none.

    >>> filled = [[1.0, 5.0], [7.0, 4.0]]
    >>> imputation([[1.0, 2.0], [3.0, 4.0]], filled, [[False, True], [True, False]])
    {'rmse': 3.5355339059327378, 'mae': 3.5}
    """
    if isinstance(X_true, pd.DataFrame) and isinstance(X_filled, pd.DataFrame):
        _same_names(list(X_true.columns), list(X_filled.columns), "X_true", "X_filled")
        X_filled = X_filled[X_true.columns]
    if isinstance(X_true, pd.DataFrame) and isinstance(missing, pd.DataFrame):
        _same_names(list(X_true.columns), list(missing.columns), "X_true", "missing")
        missing = missing[X_true.columns]
    true, filled = _numbers(X_true, "X_true"), _numbers(X_filled, "X_filled")
    holes = np.asarray(missing)
    if holes.dtype != bool:
        raise GapdagError("missing must be a table of booleans, True where a value was absent")
    if not true.shape == filled.shape == holes.shape:
        raise GapdagError(
            "X_true, X_filled and missing must be of one shape, "
            f"got {true.shape}, {filled.shape} and {holes.shape}"
        )
    for name, table in (("X_true", true), ("X_filled", filled)):
        unknown = int((~np.isfinite(table[holes])).sum())
        if unknown:
            raise GapdagError(f"{name} has no finite value in {unknown} of the {holes.sum()} holes")
    off = filled[holes] - true[holes]
    if not len(off):
        return {"rmse": 0.0, "mae": 0.0}
    return {"rmse": float(np.sqrt(np.mean(off**2))), "mae": float(np.mean(np.abs(off)))}


def _agreement(T: Bools, E: Bools) -> dict[str, float]:
    hit, true, estimated = int((T & E).sum()), int(T.sum()), int(E.sum())
    return {
        "precision": _ratio(hit, estimated),
        "recall": _ratio(hit, true),
        "f1": _ratio(2 * hit, true + estimated),
    }


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _shd(T: Bools, E: Bools) -> int:
    shared = T & E
    wrong = (T | T.T | E | E.T) & ~(shared | shared.T)
    return int(np.triu(wrong).sum())


def _class_level(P: Bools, Q: Bools) -> dict[str, float]:
    differ = (P != Q) | (P != Q).T
    in_P, in_Q = np.triu(P | P.T), np.triu(Q | Q.T)
    right = int((in_P & in_Q & ~differ).sum())
    return {
        "cpdag_shd": int(np.triu(differ).sum()),
        "cpdag_f1": _ratio(2 * right, int(in_P.sum()) + int(in_Q.sum())),
    }


def _graphs(truth: Any, estimate: Any) -> tuple[Bools, Bools]:
    T, E = _matrices(truth, estimate)
    for what, M in (("truth", T), ("estimate", E)):
        loops = np.flatnonzero(M.diagonal())
        if len(loops):
            raise GapdagError(
                f"the {what} has a self-loop at position {loops[0]}; set its diagonal to zero"
            )
    return T != 0, E != 0


def _matrices(
    truth: Any, estimate: Any, weighted: bool = False
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both graphs as square matrices of one node order."""
    T, E = _labelled(truth, "truth", weighted), _labelled(estimate, "estimate", weighted)
    if isinstance(T, pd.DataFrame) and isinstance(E, pd.DataFrame):
        _same_names(list(T.index), list(E.index), "the truth", "the estimate")
        E = E.loc[T.index, T.index]
    t, e = _square(T, "truth"), _square(E, "estimate")
    if t.shape != e.shape:
        raise GapdagError(f"the truth has {len(t)} nodes but the estimate has {len(e)}")
    return t, e


def _labelled(graph: Any, what: str, weighted: bool) -> Any:
    """A networkx graph as a DataFrame; a DataFrame with its columns in the order of its rows."""
    if hasattr(graph, "nodes") and hasattr(graph, "edges"):
        import networkx as nx

        return nx.to_pandas_adjacency(graph, weight="weight" if weighted else None)
    if not isinstance(graph, pd.DataFrame):
        return graph
    rows, columns = list(graph.index), list(graph.columns)
    for names in (rows, columns):
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if twice:
            raise GapdagError(f"the {what} has two nodes named {twice[0]!r}")
    _same_names(rows, columns, f"the {what}'s index", f"the {what}'s columns")
    return graph.loc[:, graph.index]


def _same_names(one: list[Any], other: list[Any], one_is: str, other_is: str) -> None:
    lone = sorted(repr(x) for x in set(one) - set(other))
    lone_other = sorted(repr(x) for x in set(other) - set(one))
    odd = [f"only in {w}: {', '.join(x)}" for w, x in ((one_is, lone), (other_is, lone_other)) if x]
    if odd:
        raise GapdagError(f"the names disagree; {'; '.join(odd)}")


def _square(graph: Any, what: str) -> NDArray[np.float64]:
    M = _numbers(graph, f"the {what}")
    if M.ndim != 2 or M.shape[0] != M.shape[1]:
        raise GapdagError(f"the {what} must be a square matrix, got shape {M.shape}")
    if not np.isfinite(M).all():
        raise GapdagError(f"the {what} holds NaN or infinity, which is no edge")
    return M


def _numbers(table: Any, what: str) -> NDArray[np.float64]:
    try:
        return np.asarray(table, dtype=np.float64)
    except (TypeError, ValueError):
        raise GapdagError(f"{what} must hold numbers only") from None
