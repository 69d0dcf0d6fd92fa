"""What every learner and method keeps to: a DAG that obeys, the same for every kind of table."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts import everything
from gapdag import graph
from gapdag.errors import GapdagError, GapdagWarning
from gapdag.knowledge import Knowledge

ALL = everything.found("learner", "method")
every = pytest.mark.parametrize("entry", ALL, ids=everything.ids)
FILLING = [e for e in ALL if e.object.accepts_missing]
filling = pytest.mark.parametrize("entry", FILLING, ids=everything.ids)


@every
def test_the_settings_here_find_edges(entry):
    """Else what follows would hold of an empty graph."""
    result = everything.fit(entry, everything.suited_frame(entry)).result_
    assert len(result.edges) >= 3, f"give {entry.name!r} settings in FAST with which it finds some"


@every
def test_the_answer_is_a_dag_with_finite_weights(entry):
    result = everything.fit(entry, everything.suited_frame(entry)).result_
    assert result.is_dag or not getattr(entry.object, "returns_dag", True)
    assert graph.is_dag(result.adjacency) == result.is_dag
    assert np.isfinite(result.weights).all().all()
    assert result.columns == everything.COLUMNS
    assert set(result.edges["source"]) | set(result.edges["target"]) <= set(everything.COLUMNS)


@every
def test_the_answer_says_what_it_is(entry):
    result = everything.fit(entry, everything.suited_frame(entry)).result_
    assert result.method
    assert result.status
    assert result.assumptions.endswith(".")
    assert result.settings
    json.dumps(result.to_dict(), allow_nan=False)


@every
def test_it_stands_as_scikit_learn_has_it(entry):
    df = everything.suited_frame(entry)
    estimator = everything.make(entry)
    assert not hasattr(estimator, "result_")
    assert estimator.fit(df) is estimator
    assert estimator.n_features_in_ == 5
    assert estimator.feature_names_in_.tolist() == everything.COLUMNS
    assert estimator.feature_names_in_.dtype == object


@every
def test_pickle_of_the_fitted(entry):
    estimator = everything.fit(entry, everything.suited_frame(entry))
    again = pickle.loads(pickle.dumps(estimator))
    assert again.result_.to_dict() == estimator.result_.to_dict()
    pd.testing.assert_frame_equal(again.result_.impute(), estimator.result_.impute())


@every
def test_the_table_is_untouched(entry):
    X = everything.suited(entry)
    before = X.tobytes()
    everything.fit(entry, X).result_.impute()
    assert X.tobytes() == before
    df = everything.suited_frame(entry)
    copy = df.copy(deep=True)
    everything.fit(entry, df).result_.impute()
    pd.testing.assert_frame_equal(df, copy)
    frame = pl.DataFrame(X, schema=everything.COLUMNS)
    copied = frame.clone()
    everything.fit(entry, frame).result_.impute()
    assert frame.equals(copied)


@every
def test_pandas_polars_and_numpy_give_the_same_graph(entry):
    X = everything.suited(entry)
    tables = [X, pd.DataFrame(X), pl.DataFrame(X).fill_nan(None), X.tolist()]
    weights = [everything.fit(entry, t).result_.weights.to_numpy().tobytes() for t in tables]
    assert len(set(weights)) == 1


@every
def test_holes_are_accepted_or_refused_in_one_line(entry):
    if entry.object.accepts_missing:
        assert everything.fit(entry, everything.frame()).result_.impute().notna().all().all()
        return
    with pytest.raises(GapdagError, match="needs a complete table") as refused:
        everything.fit(entry, everything.frame())
    assert "\n" not in str(refused.value)
    assert f"+{entry.name}" in str(refused.value)  # the remedy


@filling
def test_observed_cells_bit_for_bit(entry):
    X = everything.array()
    holes = np.isnan(X)
    filled = everything.fit(entry, X).result_.impute()
    assert filled[~holes].tobytes() == X[~holes].tobytes()
    assert np.isfinite(filled).all()


@filling
def test_without_holes_the_filled_table_is_the_table(entry):
    X = everything.array(rate=0.0)
    assert everything.fit(entry, X).result_.impute().tobytes() == X.tobytes()


@every
def test_a_constant_column_is_isolated_and_named(entry):
    df = everything.suited_frame(entry).assign(noise=4.0)
    with pytest.warns(GapdagWarning, match="constant columns take no part in learning: .*'noise'"):
        result = everything.make(entry).fit(df).result_
    assert not result.adjacency["noise"].any()
    assert not result.adjacency.loc["noise"].any()
    assert (result.impute()["noise"] == 4.0).all()
    assert any("noise" in w for w in result.warnings)


@filling
def test_an_empty_row_is_accepted_and_imputed(entry):
    df = everything.frame()
    df.iloc[7] = np.nan
    with pytest.warns(GapdagWarning, match="1 row has every cell missing"):
        result = everything.make(entry).fit(df).result_
    assert result.impute().notna().all().all()
    without = everything.fit(entry, df.drop(index=7)).result_
    pd.testing.assert_frame_equal(result.weights, without.weights)  # of no weight as evidence


@st.composite
def knowledge(draw):
    """Any knowledge that can be obeyed: what is required agrees with a hidden causal order."""
    order = draw(st.permutations(everything.COLUMNS))
    pairs = [(a, b) for k, a in enumerate(order) for b in order[k + 1 :]]
    required = draw(st.lists(st.sampled_from(pairs), max_size=3, unique=True))
    rest = [(a, b) for a in order for b in order if a != b and (a, b) not in required]
    forbidden = draw(st.lists(st.sampled_from(rest), max_size=8, unique=True))
    cut = draw(st.integers(1, 4))
    tiers = draw(st.sampled_from([[], [order[:cut], order[cut:]]]))
    may_be_root = [c for c in order if all(b != c for _, b in required)]
    may_be_sink = [c for c in order if all(a != c for a, _ in required)]
    roots = draw(st.lists(st.sampled_from(may_be_root), max_size=2, unique=True))
    sinks = draw(st.lists(st.sampled_from(may_be_sink), max_size=2, unique=True))
    return Knowledge(forbidden, required, tiers, roots, sinks)


@every
@given(known=knowledge(), seed=st.integers(0, 5))
@settings(max_examples=8, deadline=None)
def test_knowledge_is_always_obeyed(entry, known, seed):
    result = everything.fit(
        entry, everything.suited_frame(entry), knowledge=known, random_state=seed
    ).result_
    edges = {(e.source, e.target) for e in result.edges.itertuples()}
    assert set(known.required) <= edges
    assert not set(known.forbidden) & edges
    tier = {c: k for k, names in enumerate(known.tiers) for c in names}
    assert all(tier[a] <= tier[b] for a, b in edges if tier)
    assert not {b for _, b in edges} & set(known.roots)
    assert not {a for a, _ in edges} & set(known.sinks)
    assert result.is_dag or not getattr(entry.object, "returns_dag", True)


@every
def test_knowledge_may_be_a_mapping(entry):
    said = {"required": [["noise", "age"]], "roots": ["dose"]}
    result = everything.fit(entry, everything.suited_frame(entry), knowledge=said).result_
    assert result.adjacency.loc["noise", "age"]
    assert not result.adjacency["dose"].any()


@every
def test_knowledge_of_an_unknown_column_is_one_line(entry):
    with pytest.raises(GapdagError, match="unknown column 'agee'; did you mean: age"):
        everything.fit(entry, everything.suited_frame(entry), knowledge={"roots": ["agee"]})
