"""graph.py: properties against brute force first, then the golden values and the edge cases."""

from __future__ import annotations

from functools import cache
from itertools import pairwise, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gapdag.errors import GapdagError
from gapdag.graph import cpdag, is_dag, to_dag, to_networkx, topological_order


def digraphs(max_d=6):
    return st.integers(1, max_d).flatmap(lambda d: hnp.arrays(bool, (d, d)))


@st.composite
def dags(draw, max_d=7):
    d = draw(st.integers(1, max_d))
    upper = np.triu(draw(hnp.arrays(bool, (d, d))), k=1)
    order = np.array(draw(st.permutations(range(d))))
    return upper[np.ix_(order, order)]


def matrices(max_d=6):
    # few distinct values, so that ties and the threshold itself come up
    values = st.sampled_from([0.0, 0.3, -0.3, 0.31, 0.5, -0.5, 0.7, -0.9, 0.9])
    return st.integers(1, max_d).flatmap(lambda d: hnp.arrays(float, (d, d), elements=values))


def has_cycle_by_powers(A):
    walks, power = np.zeros(A.shape, int), np.eye(len(A), dtype=int)
    for _ in range(len(A)):
        power = (power @ A.astype(int) > 0).astype(int)
        walks += power
    return bool(np.trace(walks))


# --- is_dag, topological_order


@given(digraphs())
def test_is_dag_is_the_absence_of_closed_walks(A):
    assert is_dag(A) == (not has_cycle_by_powers(A))


@given(dags())
def test_every_parent_comes_before_its_children(A):
    order = topological_order(A)
    assert sorted(order) == list(range(len(A)))
    place = np.argsort(order)
    assert all(place[i] < place[j] for i, j in zip(*np.nonzero(A), strict=True))


def test_free_nodes_come_smallest_first():
    assert topological_order(np.zeros((4, 4))) == [0, 1, 2, 3]


@given(digraphs())
def test_a_cycle_has_no_order(A):
    if not is_dag(A):
        with pytest.raises(GapdagError, match="cycle"):
            topological_order(A)


# --- to_dag


def to_dag_one_by_one(W, threshold):
    """The rule as the words have it: one removal after another."""
    W = np.where(np.abs(W) <= threshold, 0.0, W)
    removed = 0.0
    while has_cycle_by_powers(W != 0):
        sizes = np.where(W != 0, np.abs(W), np.inf)
        smallest = np.unravel_index(np.argmin(sizes), W.shape)  # first in row-major order
        removed = abs(W[smallest])
        W[smallest] = 0.0
    return W, removed


@given(matrices(), st.sampled_from([0.0, 0.3, 0.6]))
def test_to_dag_removes_the_smallest_until_acyclic(W, threshold):
    np.testing.assert_array_equal(to_dag(W, threshold), to_dag_one_by_one(W, threshold)[0])


@given(dags())
def test_to_dag_leaves_a_strong_dag_alone(A):
    np.testing.assert_array_equal(to_dag(A * 0.5), A * 0.5)


@given(matrices(), st.data())
def test_required_edges_stay(W, data):
    d = len(W)
    required = np.triu(data.draw(hnp.arrays(bool, (d, d))), k=1)
    out = to_dag(W, required=required)
    assert is_dag(out)
    assert (out[required] != 0).all()
    kept = required & (W != 0)
    np.testing.assert_array_equal(out[kept], W[kept])


def test_to_dag_golden(golden):
    g = golden("to_dag")
    for name, W, expected, last in zip(
        g["names"], g["W"], g["W_dag"], g["last_removed"], strict=True
    ):
        out = to_dag(W, float(g["threshold"]))
        np.testing.assert_array_equal(out, expected, err_msg=str(name))
        assert to_dag_one_by_one(W, float(g["threshold"]))[1] == last


def test_to_dag_leaves_its_input_alone():
    W = np.array([[0.0, 0.9], [0.5, 0.1]])
    before = W.copy()
    to_dag(W, required=[[0, 0], [1, 0]])
    np.testing.assert_array_equal(W, before)


@pytest.mark.parametrize(
    ("weights", "required", "says"),
    [
        (np.zeros((2, 3)), None, "square"),
        ([[0.0, np.nan], [0.0, 0.0]], None, "NaN"),
        (np.zeros((2, 2)), [[0, 1], [1, 0]], "required edges form a cycle"),
    ],
)
def test_to_dag_refuses(weights, required, says):
    with pytest.raises(GapdagError, match=says):
        to_dag(weights, required=required)


# --- cpdag


@cache
def all_dags(d):
    """Every DAG of d nodes: 1, 3, 25, 543 of them for d = 1, ..., 4."""
    off = [(i, j) for i in range(d) for j in range(d) if i != j]
    out = []
    for held in product([False, True], repeat=len(off)):
        A = np.zeros((d, d), bool)
        for (i, j), h in zip(off, held, strict=True):
            A[i, j] = h
        if not has_cycle_by_powers(A):
            out.append(A)
    return out


def class_of(A):
    """Skeleton and v-structures, which fix the Markov equivalence class (Verma and Pearl)."""
    d, skeleton = len(A), A | A.T
    colliders = frozenset(
        (i, k, j)
        for i in range(d)
        for j in range(i + 1, d)
        for k in range(d)
        if A[i, k] and A[j, k] and not skeleton[i, j]
    )
    return skeleton.tobytes(), colliders


@pytest.mark.parametrize(("d", "count"), [(1, 1), (2, 3), (3, 25), (4, 543)])
def test_cpdag_is_the_union_of_its_class(d, count):
    dags_of_size = all_dags(d)
    assert len(dags_of_size) == count
    unions = {}
    for A in dags_of_size:
        key = class_of(A)
        unions[key] = unions.get(key, np.zeros((d, d), bool)) | A
    for A in dags_of_size:
        np.testing.assert_array_equal(cpdag(A), unions[class_of(A)])


@given(dags(max_d=8))
def test_cpdag_keeps_skeleton_and_direction(A):
    P = cpdag(A)
    np.testing.assert_array_equal(P | P.T, A | A.T)
    assert (P | ~A).all()  # the DAG's own direction is never excluded


@given(dags(max_d=8), st.data())
def test_reversing_a_covered_edge_changes_no_cpdag(A, data):
    # i -> j is covered if pa(j) = pa(i) + {i}: such reversals connect a class (Chickering 1995)
    covered = [
        (i, j)
        for i, j in zip(*np.nonzero(A), strict=True)
        if (A[:, j] == (A[:, i] | (np.arange(len(A)) == i))).all()
    ]
    if covered:
        i, j = data.draw(st.sampled_from(covered))
        B = A.copy()
        B[i, j], B[j, i] = False, True
        np.testing.assert_array_equal(cpdag(A), cpdag(B))
        assert cpdag(A)[i, j]
        assert cpdag(A)[j, i]


@given(dags(max_d=8), st.randoms(use_true_random=False))
def test_cpdag_does_not_depend_on_the_numbering(A, random):
    order = np.array(random.sample(range(len(A)), len(A)))
    moved = np.ix_(order, order)
    np.testing.assert_array_equal(cpdag(A[moved]), cpdag(A)[moved])


def test_cpdag_of_a_cycle_is_refused():
    with pytest.raises(GapdagError, match="cycle"):
        cpdag([[0, 1], [1, 0]])


# --- to_networkx


def test_to_networkx_keeps_names_weights_and_lone_nodes():
    G = to_networkx([[0, -0.5, 0], [0, 0, 0], [0, 0, 0]], ["a", "b", "c"])
    assert list(G.nodes) == ["a", "b", "c"]
    assert list(G.edges(data="weight")) == [("a", "b", -0.5)]


@given(dags())
def test_to_networkx_agrees_with_networkx(A):
    names = [f"x{i}" for i in range(len(A))]
    G = to_networkx(A, names)
    assert nx.is_directed_acyclic_graph(G)
    np.testing.assert_array_equal(nx.to_numpy_array(G, nodelist=names), A)
    order = [names[i] for i in topological_order(A)]
    assert all(not nx.has_path(G, b, a) for a, b in pairwise(order))
