"""metrics.py: identities and limits first, then the golden values, then what is refused."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gapdag.errors import GapdagError
from gapdag.graph import is_dag
from gapdag.metrics import auprc, f1, imputation, score, shd


@st.composite
def pairs(draw, max_d=6, acyclic=False):
    """Two graphs over the same nodes, no self-loops."""
    d = draw(st.integers(1, max_d))
    both = []
    for _ in range(2):
        A = draw(hnp.arrays(bool, (d, d)))
        if acyclic:
            order = np.array(draw(st.permutations(range(d))))
            A = np.triu(A, k=1)[np.ix_(order, order)]
        both.append(A & ~np.eye(d, dtype=bool))
    return both


@given(pairs())
def test_a_graph_is_no_distance_from_itself(pair):
    A, _ = pair
    s = score(A, A)
    assert s["shd"] == 0
    perfect = 1.0 if A.any() else 0.0
    assert s["f1"] == s["precision"] == s["recall"] == s["skeleton_f1"] == perfect
    assert s["n_true"] == s["n_estimated"] == A.sum()


@given(pairs())
def test_symmetry_and_bounds(pair):
    A, B = pair
    ab, ba = score(A, B), score(B, A)
    assert ab["shd"] == ba["shd"] == shd(A, B)
    assert ab["f1"] == ba["f1"] == f1(A, B)
    assert ab["precision"] == ba["recall"]
    assert ab["skeleton_precision"] == ba["skeleton_recall"]
    assert 0 <= ab["shd"] <= len(A) * (len(A) - 1) // 2
    assert all(0 <= ab[k] <= 1 for k in ab if "shd" not in k and not k.startswith("n_"))
    assert ab["skeleton_f1"] >= ab["f1"] or not (is_dag(A) and is_dag(B))


@given(pairs(acyclic=True))
def test_shd_of_dags_is_the_number_of_single_edits(pair):
    # additions + deletions + reversals, the paper's words, counted pair by pair
    A, B = pair
    d = len(A)
    edits = sum((A[i, j], A[j, i]) != (B[i, j], B[j, i]) for i in range(d) for j in range(i + 1, d))
    assert shd(A, B) == edits
    assert score(A, B)["cpdag_shd"] <= d * (d - 1) // 2


@given(pairs(acyclic=True), st.randoms(use_true_random=False))
def test_no_score_depends_on_the_numbering(pair, random):
    A, B = pair
    order = np.array(random.sample(range(len(A)), len(A)))
    moved = np.ix_(order, order)
    assert score(A[moved], B[moved]) == score(A, B)


@settings(max_examples=30, deadline=None)
@given(pairs(acyclic=True), st.randoms(use_true_random=False))
def test_named_graphs_align_by_name(pair, random):
    A, B = pair
    names = [f"x{i}" for i in range(len(A))]
    shuffled = random.sample(names, len(names))
    A_named = pd.DataFrame(A, names, names)
    B_named = pd.DataFrame(B, names, names)
    expected = score(A, B)
    assert score(A_named, B_named.loc[shuffled, shuffled]) == expected
    assert score(A_named, B_named.loc[names, shuffled]) == expected
    assert score(A, B_named) == score(A_named, B) == expected
    G = nx.DiGraph()
    G.add_nodes_from(shuffled)
    G.add_edges_from((names[i], names[j]) for i, j in zip(*np.nonzero(B), strict=True))
    assert score(A_named, G) == expected


def test_class_level_scores_exist_for_dags_only():
    dag, cyclic = [[0, 1], [0, 0]], [[0, 1], [1, 0]]
    assert "cpdag_shd" in score(dag, dag)
    assert "cpdag_shd" not in score(dag, cyclic)
    assert "cpdag_f1" not in score(cyclic, dag)


def test_class_level_scores_forgive_what_data_cannot_tell():
    chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    collider = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 0]])
    reverse = score(chain, chain.T)
    assert (reverse["shd"], reverse["f1"]) == (2, 0.0)
    assert (reverse["cpdag_shd"], reverse["cpdag_f1"]) == (0, 1.0)
    wrong = score(chain, collider)
    assert (wrong["shd"], wrong["cpdag_shd"], wrong["cpdag_f1"]) == (1, 2, 0.0)


def test_golden(golden):
    g = golden("metrics")
    for k, name in enumerate(g["names"]):
        s = score(g["B_true"][k], g["B_est"][k])
        assert s["shd"] == g["shd"][k], name
        for metric in ("f1", "precision", "recall"):
            np.testing.assert_allclose(s[metric], g[metric][k], atol=1e-12, err_msg=str(name))


def test_scores_are_plain_numbers():
    s = score(np.array([[0, 1], [0, 0]]), np.array([[0, 0], [1, 0]]))
    assert {type(v) for v in s.values()} == {int, float}


# --- auprc


@settings(max_examples=50, deadline=None)
@given(pairs(max_d=5), st.data())
def test_auprc_is_one_for_the_truth_and_ignores_sign_scale_and_diagonal(pair, data):
    truth, _ = pair
    assume(truth.any())
    assert auprc(truth, truth) == 1.0
    d = len(truth)
    W = data.draw(hnp.arrays(float, (d, d), elements=st.floats(-2, 2, width=16)))
    value = auprc(truth, W)
    assert 0 < value <= 1
    assert auprc(truth, -4 * W + np.diag(np.ones(d))) == value


def test_auprc_limits():
    truth = np.triu(np.ones((4, 4)), k=1)
    assert auprc(np.zeros((3, 3)), np.ones((3, 3))) == 0.0
    assert auprc(truth, np.zeros((4, 4))) == pytest.approx(0.5)  # no ranking: the share of edges
    G = nx.DiGraph()
    G.add_nodes_from("ab")
    G.add_edge("a", "b", weight=0.2)
    G.add_edge("b", "a", weight=-0.4)
    assert auprc(pd.DataFrame([[0, 1], [0, 0]], list("ab"), list("ab")), G) == 0.5


# --- imputation


@given(st.integers(0, 2**31), st.floats(0, 1))
def test_imputation_counts_holes_only(seed, rate):
    rng = np.random.default_rng(seed)
    X, missing = rng.normal(size=(7, 3)), rng.random((7, 3)) < rate
    assert imputation(X, X, missing) == {"rmse": 0.0, "mae": 0.0}
    out = imputation(X, np.where(missing, X + 2.0, np.nan), missing)
    off = 2.0 if missing.any() else 0.0
    assert out == pytest.approx({"rmse": off, "mae": off})
    assert imputation(X, X + rng.normal(size=(7, 3)), missing)["mae"] >= 0


def test_imputation_aligns_columns_by_name():
    X = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    missing = pd.DataFrame({"b": [False, True], "a": [False, False]})
    filled = pd.DataFrame({"b": [3.0, 5.0], "a": [1.0, 2.0]})
    assert imputation(X, filled, missing) == {"rmse": 1.0, "mae": 1.0}
    with pytest.raises(GapdagError, match="only in X_filled: 'c'"):
        imputation(X, filled.rename(columns={"a": "c"}), missing)


@pytest.mark.parametrize(
    ("filled", "missing", "says"),
    [
        ([[1.0, np.nan]], [[False, True]], "X_filled has no finite value in 1 of the 1 holes"),
        ([[1.0, 2.0]], [[0, 1]], "booleans"),
        ([[1.0]], [[False]], "one shape"),
        ([["a", "b"]], [[True, True]], "numbers"),
    ],
)
def test_imputation_refuses(filled, missing, says):
    with pytest.raises(GapdagError, match=says):
        imputation([[1.0, 2.0]], filled, missing)


# --- what is refused


def frame(names, index=None):
    return pd.DataFrame(np.zeros((len(names), len(names))), index or names, names)


@pytest.mark.parametrize(
    ("truth", "estimate", "says"),
    [
        (np.zeros((2, 2)), np.zeros((3, 3)), "truth has 2 nodes but the estimate has 3"),
        (np.zeros((2, 3)), np.zeros((2, 3)), "truth must be a square"),
        (np.zeros((2, 2)), [[0, np.nan], [0, 0]], "estimate holds NaN"),
        (np.zeros((2, 2)), [[0, 0], [0, 1]], "estimate has a self-loop at position 1"),
        (frame(["a", "b"]), frame(["a", "c"]), "only in the truth: 'b'; only in the estimate: 'c'"),
        (frame(["a", "b"]), frame(["a", "b", "c"]), "only in the estimate: 'c'"),
        (frame(["a", "a"]), frame(["a", "a"]), "two nodes named 'a'"),
        (frame(["a", "b"], [0, 1]), np.zeros((2, 2)), "only in the truth's index: 0, 1"),
        ([["x", "y"], ["z", "w"]], np.zeros((2, 2)), "truth must hold numbers"),
    ],
)
def test_refused_in_one_line(truth, estimate, says):
    with pytest.raises(GapdagError, match=says) as caught:
        score(truth, estimate)
    assert "\n" not in str(caught.value)
