"""Results: saved and loaded the same, exported whole, damaged files refused in one line."""

from __future__ import annotations

import json

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gapdag as gd
from gapdag.errors import GapdagError
from gapdag.graph import is_dag
from gapdag.result import CausalResult, load
from gapdag.table import read_table

TRICKY = ["dose", 'a "b"', "back\\slash", "<script>alert(1)</script>", "naïve 日本", "a,b\nc"]
FAST = settings(max_examples=50, deadline=None)


@st.composite
def results(draw):
    d = draw(st.integers(2, 6))
    columns = draw(st.lists(st.text(max_size=6), min_size=d, max_size=d, unique=True))
    W = draw(st.lists(st.floats(-1e9, 1e9, allow_subnormal=False), min_size=d * d, max_size=d * d))
    weights = np.array(W).reshape(d, d) * ~np.eye(d, dtype=bool)
    adjacency = (weights > 1) & np.triu(np.ones((d, d), dtype=bool))
    return CausalResult(
        columns,
        weights,
        adjacency,
        method=draw(st.text(max_size=5)),
        settings={"steps": np.int64(3), "lr": np.float64(0.1), "s": (1.0, np.nan)},
        warnings=tuple(draw(st.lists(st.text(max_size=9), max_size=2))),
        diagnostics={"history": np.arange(3)},
    )


@given(results())
@FAST
def test_saved_and_loaded_it_is_the_same(tmp_path_factory, result):
    path = tmp_path_factory.mktemp("r") / "graph.json"
    result.save(path)
    again = load(path)
    assert again.columns == result.columns
    pd.testing.assert_frame_equal(again.weights, result.weights, check_exact=True)
    pd.testing.assert_frame_equal(again.adjacency, result.adjacency)
    assert (again.method, again.warnings) == (result.method, result.warnings)
    first = path.read_bytes()
    again.save(path)
    assert path.read_bytes() == first


@given(results())
@FAST
def test_every_export_holds_every_edge(result):
    edges = result.edges
    assert list(edges.columns) == ["source", "target", "weight"]
    assert len(edges) == result.adjacency.to_numpy().sum()
    assert (edges["weight"].abs().diff().dropna() <= 0).all()  # the strongest first
    for e in edges.itertuples():
        assert result.adjacency.loc[e.source, e.target]
        assert result.weights.loc[e.source, e.target] == e.weight
    G = result.to_networkx()
    assert set(G.edges) == set(zip(edges["source"], edges["target"], strict=True))
    assert list(G.nodes) == result.columns
    assert result.is_dag == nx.is_directed_acyclic_graph(G) == is_dag(result.adjacency)
    assert result.to_dot().count(" -> ") >= len(edges)
    assert result.to_dagitty().startswith("dag {")


def chain(columns):
    d = len(columns)
    A = np.eye(d, k=1)
    return CausalResult(columns, A * 2.0, A, "otm")


def test_names_are_quoted_in_every_text():
    result = chain(TRICKY)
    dot, dagitty = result.to_dot(), result.to_dagitty()
    for text in (dot, dagitty):
        assert r'"a \"b\""' in text
        assert r'"back\\slash"' in text
    assert dot.count("\n") == dagitty.count("\n") == 2 * len(TRICKY)  # no name breaks a line
    assert "otm: 5 edges" not in repr(result)
    assert "CausalResult(otm): 5 edges among 6 columns" in repr(result)


def test_an_empty_graph_has_an_empty_edge_table():
    result = CausalResult(["a", "b"], np.zeros((2, 2)), np.zeros((2, 2)))
    assert result.edges.shape == (0, 3)
    assert result.is_dag
    assert "0 edges" in repr(result)


def test_an_undirected_edge_is_no_dag():
    assert not CausalResult(["a", "b"], np.ones((2, 2)), [[0, 1], [1, 0]]).is_dag


@pytest.mark.parametrize(
    "wrong",
    [
        (["a", "b"], np.zeros((3, 3)), np.zeros((2, 2))),
        (["a", "b"], np.zeros((2, 2)), np.zeros((1, 2))),
        (["a", "b"], [[0, np.nan], [0, 0]], np.zeros((2, 2))),
    ],
)
def test_shapes_and_values_are_checked(wrong):
    with pytest.raises(ValueError, match="must be"):
        CausalResult(*wrong)


def test_impute_gives_the_table_back_as_it_came():
    frame = pd.DataFrame({"a": np.arange(10.0), "b": [1, 2] * 5}, index=list("abcdefghij"))
    frame.iloc[3, 0] = np.nan
    table = read_table(frame)
    filled = np.where(table.missing, 2.5, table.values)
    A = np.zeros((2, 2))
    out = CausalResult(["a", "b"], A, A, table=table, filled=filled).impute()
    pd.testing.assert_frame_equal(out, frame.fillna(2.0))  # a column of whole numbers
    assert frame["a"].isna().sum() == 1


def test_a_loaded_result_has_no_table(tmp_path):
    chain(["a", "b"]).save(tmp_path / "graph.json")
    with pytest.raises(GapdagError, match=r"carries no table .* imputed\.csv"):
        gd.load(tmp_path / "graph.json").impute()


def damaged(**changes):
    said = json.loads(chain(["a", "b"]).to_json())
    said.update(changes)
    return json.dumps({k: v for k, v in said.items() if v != "gone"})


DAMAGED = {
    "no JSON": ("{", "is not JSON"),
    "deep": ("[" * 100_000, "is not JSON"),
    "another thing": ('{"a": 1}', "is not a gapdag graph"),
    "a list": ("[1]", "is not a gapdag graph"),
    "a later version": (damaged(version=99), "has version 99; this gapdag reads version 1"),
    "no weights": (damaged(weights="gone"), "is damaged"),
    "another shape": (damaged(weights=[[0, 1]]), "is damaged: weights must be"),
    "ragged": (damaged(weights=[[0, 1], [0]]), "is damaged"),
    "text for numbers": (damaged(weights=[["x", 1], [0, 0]]), "is damaged"),
    "infinite": (damaged(weights=[[0, float("inf")], [0, 0]]), "is damaged"),
    "names that are none": (damaged(columns=[1, 2]), "is damaged: columns must be"),
    "the same name twice": (damaged(columns=["a", "a"]), "stands twice"),
    "settings that are none": (damaged(settings=[1]), "is damaged"),
    "warnings that are none": (damaged(warnings="w"), "is damaged"),
    "a method that is none": (damaged(method=3), "is damaged"),
}


@pytest.mark.parametrize("case", sorted(DAMAGED))
def test_a_damaged_file_is_one_line(tmp_path, case):
    text, said = DAMAGED[case]
    path = tmp_path / "graph.json"
    path.write_text(text)
    with pytest.raises(GapdagError, match=said) as caught:
        load(path)
    assert "\n" not in str(caught.value)
    assert "graph.json" in str(caught.value)


def test_a_missing_file_and_bytes_are_one_line(tmp_path):
    with pytest.raises(GapdagError, match="No such file"):
        load(tmp_path / "none.json")
    (tmp_path / "junk.json").write_bytes(b"\xff\x00\xfe")
    with pytest.raises(GapdagError, match="is not JSON"):
        load(tmp_path / "junk.json")


def test_saving_where_nothing_can_be_written_is_one_line(tmp_path):
    with pytest.raises(GapdagError, match="cannot write"):
        chain(["a", "b"]).save(tmp_path / "no" / "graph.json")
    assert list(tmp_path.iterdir()) == []
