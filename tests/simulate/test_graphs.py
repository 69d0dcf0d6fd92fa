"""graphs.py: always a DAG, as many edges as asked for, numbered at random."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapdag.errors import GapdagError
from gapdag.graph import is_dag
from gapdag.simulate.graphs import GRAPHS, erdos_renyi, random_graph, scale_free


@st.composite
def sizes(draw):
    d = draw(st.integers(2, 12))
    return d, draw(st.integers(0, d * (d - 1) // 2)), draw(st.integers(0, 2**31))


@given(sizes(), st.sampled_from(sorted(GRAPHS)))
def test_a_dag_of_the_right_shape_and_the_same_by_seed(size, graph):
    d, edges, seed = size
    A = random_graph(graph, d, edges, np.random.default_rng(seed))
    assert A.shape == (d, d)
    assert A.dtype == bool
    assert is_dag(A)
    np.testing.assert_array_equal(A, random_graph(graph, d, edges, np.random.default_rng(seed)))


@given(sizes())
def test_scale_free_has_exactly_the_edges_asked_for(size):
    d, edges, seed = size
    assert scale_free(d, edges, np.random.default_rng(seed)).sum() == edges


@pytest.mark.parametrize(("d", "edges"), [(50, 100), (20, 13), (6, 15), (4, 0)])
def test_erdos_renyi_has_the_edges_asked_for_on_average(d, edges):
    rng, draws = np.random.default_rng(0), 400
    counts = [erdos_renyi(d, edges, rng).sum() for _ in range(draws)]
    chance = edges / (d * (d - 1) / 2)
    assert abs(np.mean(counts) - edges) <= 4 * np.sqrt(edges * (1 - chance) / draws)


@pytest.mark.parametrize("graph", sorted(GRAPHS))
def test_numbers_do_not_give_the_causal_order_away(graph):
    rng = np.random.default_rng(0)
    forward = np.mean([np.triu(random_graph(graph, 10, 15, rng)).sum() / 15 for _ in range(400)])
    assert abs(forward - 0.5) < 0.05


def test_scale_free_has_hubs_and_erdos_renyi_none():
    rng = np.random.default_rng(0)
    hubs = {
        graph: np.mean([random_graph(graph, 100, 200, rng).sum(axis=0).max() for _ in range(20)])
        for graph in GRAPHS
    }
    assert hubs["SF"] > 2 * hubs["ER"]


@pytest.mark.parametrize(
    ("graph", "d", "edges", "says"),
    [
        ("ER", 5, 11, "edges=11 is too many: a DAG of 5 nodes has at most 10"),
        ("SF", 5, 11, "at most 10"),
        ("ER", 1, 0, "d \\(nodes\\) must be a whole number of at least 2, got 1"),
        ("SF", 5, -1, "edges must be a whole number of at least 0"),
        ("SF", 5, 2.5, "edges must be a whole number"),
        ("ER", True, 0, "d \\(nodes\\)"),
        ("BA", 5, 4, "unknown graph 'BA'; the names are: ER, SF"),
    ],
)
def test_refused(graph, d, edges, says):
    with pytest.raises(GapdagError, match=says):
        random_graph(graph, d, edges, np.random.default_rng(0))
