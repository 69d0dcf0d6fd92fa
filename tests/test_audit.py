"""The audit: counts against brute force, Little's test against its meaning, plain warnings."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

import gapdag as gd
from gapdag.mcar import little

FAST = settings(max_examples=60, deadline=None)
cells = st.floats(-100, 100) | st.just(np.nan)
tables = hnp.arrays(
    np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=8), elements=cells
)


def names(X):
    return [f"x{j}" for j in range(X.shape[1])]


@given(tables)
@FAST
def test_counts_agree_with_counting(X):
    before = X.copy()
    found = gd.audit(X)
    np.testing.assert_array_equal(X, before)
    missing = np.isnan(X)
    n, d = X.shape
    assert found.rows == n
    assert found.columns["missing"].tolist() == missing.sum(axis=0).tolist()
    assert found.columns["observed"].tolist() == (~missing).sum(axis=0).tolist()
    assert found.columns["rate"].tolist() == pytest.approx(missing.mean(axis=0).tolist())
    assert found.columns["unique"].tolist() == pd.DataFrame(X).nunique().tolist()
    assert found.complete_rows == sum(not row.any() for row in missing)
    assert found.empty_rows == sum(row.all() for row in missing)
    for i in range(d):
        for j in range(d):
            assert found.pairs.iloc[i, j] == sum(~missing[:, i] & ~missing[:, j])
    if d > 1:
        a, b, count = found.smallest_pair
        assert found.pairs.loc[a, b] == count
        assert count == min(found.pairs.iloc[i, j] for i in range(d) for j in range(d) if i != j)
    else:
        assert found.smallest_pair is None


@given(tables)
@FAST
def test_patterns_add_up(X):
    found = gd.audit(X).patterns
    missing = np.isnan(X)
    assert found["rows"].sum() == len(X)
    assert found["share"].sum() == pytest.approx(1)
    assert found["rows"].is_monotonic_decreasing
    assert found["holes_in"].is_unique
    for row in found.itertuples():
        holes = np.isin(names(X), row.holes_in)
        assert row.missing == holes.sum()
        assert row.rows == (missing == holes).all(axis=1).sum()


@given(tables)
@FAST
def test_any_table_prints_and_turns_into_json(X):
    found = gd.audit(X)
    said = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert set(said["columns"]) == set(names(X))
    assert {"statistic", "df", "p_value"} <= set(said["little"])
    assert {"missing", "rate", "observed", "unique"} <= set(said["columns"]["x0"])
    assert (found.little.p_value is None) <= bool(found.little.reason)
    assert f"{len(X)} rows" in str(found)
    assert repr(found) == str(found)
    assert max(len(line) for line in str(found).splitlines()) <= 80


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, np.asarray, lambda X: X.tolist()])
def test_every_kind_of_table_is_audited_alike(kind):
    X = np.random.default_rng(0).normal(size=(40, 3))
    X[::3, 1] = np.nan
    found = gd.audit(kind(X))
    assert found.columns["missing"].tolist() == [0, 14, 0]
    assert found.little.statistic == pytest.approx(gd.audit(X).little.statistic)


def test_text_dates_and_infinities_are_counted_and_named():
    frame = pd.DataFrame(
        {
            "sex": ["m", "f", None] * 10,
            "when": pd.date_range("2020", periods=30),
            "dose": [np.inf, np.nan, 1.0] * 10,
            "age": np.arange(30.0),
            "odd": [[1]] * 30,
        }
    )
    found = gd.audit(frame)
    assert found.columns["kind"].tolist() == ["text", "date", "number", "number", "text"]
    assert found.columns["missing"].tolist() == [10, 0, 10, 0, 0]
    assert found.smallest_pair == ("dose", "age", 20)
    assert "learn refuses this table as it is: dates or times in column 'when'" in str(
        found.warnings
    )


def test_constant_columns_are_left_out_of_the_test_and_named():
    X = np.random.default_rng(1).normal(size=(60, 3))
    X[20:, 1] = np.where(np.arange(40) % 3 == 0, np.nan, X[20:, 1])
    with_constant = gd.audit(np.column_stack([X, np.ones(60)]))
    assert with_constant.little == gd.audit(X).little
    assert any("constant columns take no part" in w for w in with_constant.warnings)


# Little's test


def direct(X):
    """The statistic by the definition, the estimates by an independent EM, row by row."""
    n, d = X.shape
    mean, S = np.nanmean(X, axis=0), np.diag(np.nanvar(X, axis=0))
    for _ in range(3000):
        first, second = np.zeros(d), np.zeros((d, d))
        for x in X:
            o = ~np.isnan(x)
            filled, C = x.copy(), np.zeros((d, d))
            if not o.all():
                B = S[np.ix_(~o, o)] @ np.linalg.inv(S[np.ix_(o, o)])
                filled[~o] = mean[~o] + B @ (x[o] - mean[o])
                C[np.ix_(~o, ~o)] = S[np.ix_(~o, ~o)] - B @ S[np.ix_(o, ~o)]
            first += filled
            second += np.outer(filled, filled) + C
        new = first / n
        S_new = second / n - np.outer(new, new)
        done = max(abs(new - mean).max(), abs(S_new - S).max()) < 1e-11
        mean, S = new, S_new
        if done:
            break
    S = S * n / (n - 1)
    total, df = 0.0, -d
    seen = ~np.isnan(X)
    for o in np.unique(seen, axis=0):
        rows = X[(seen == o).all(axis=1)][:, o]
        gap = rows.mean(axis=0) - mean[o]
        total += len(rows) * gap @ np.linalg.inv(S[np.ix_(o, o)]) @ gap
        df += o.sum()
    return total, df


@pytest.mark.parametrize("seed", range(3))
def test_the_statistic_is_the_definition(seed):
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(80, 3)) @ rng.normal(size=(3, 3)) + 5) * [1, 100, 0.01]
    X[rng.random(X.shape) < 0.2] = np.nan
    X = X[~np.isnan(X).all(axis=1)]
    statistic, df = direct(X)
    found = little(X, names(X))
    assert found.df == df
    assert found.statistic == pytest.approx(statistic, rel=1e-5)
    assert found.p_value == pytest.approx(stats.chi2.sf(statistic, df), rel=1e-4)


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_units_and_order_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    X[rng.random(X.shape) < 0.2] = np.nan
    base = little(X, names(X))
    turned = little(X[::-1, [2, 0, 1]] * [1e6, 1e-6, -3] + 7, names(X))
    assert turned.df == base.df
    assert turned.statistic == pytest.approx(base.statistic, rel=1e-4)


def test_under_mcar_the_p_values_are_uniform():
    rng = np.random.default_rng(0)
    p = []
    for _ in range(150):
        X = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 3))
        X[rng.random(X.shape) < 0.15] = np.nan
        p.append(little(X, names(X)).p_value)
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_holes_that_depend_on_seen_values_are_found():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)).cumsum(axis=1)
    X[X[:, 0] > 0.3, 2] = np.nan
    found = gd.audit(X)
    assert found.little.p_value < 1e-6
    said = " ".join(found.warnings)
    assert "not missing completely at random" in said
    assert "no test on this table can tell" in said  # mar and mnar look alike


rng = np.random.default_rng(0)
HOLED = np.where(rng.random((50, 3)) < 0.2, np.nan, rng.normal(size=(50, 3)))
UNTESTABLE = {
    "no holes": (np.nan_to_num(HOLED), "nothing is missing"),
    "one column": (HOLED[:, :1], "at least 2 columns"),
    "few rows": (HOLED[:3], "more rows than columns; there are 3 and 3"),
    "no rows": (HOLED[:0], "at least 2 columns"),
    "a copied column": (HOLED[:, [0, 1, 2, 2]], "singular"),
    "a sum": (np.column_stack([HOLED, HOLED.sum(axis=1)]), "singular"),
    "never together": (
        np.where(np.column_stack([np.arange(50) % 2, np.arange(50) % 2 == 0]), np.nan, 1)
        * rng.normal(size=(50, 2)),
        "'x0' and 'x1' are observed together in fewer than 2 rows",
    ),
    "too large": (
        np.where(rng.random((700, 80)) < 0.3, np.nan, rng.normal(size=(700, 80))),
        "would take too long",
    ),
}


@pytest.mark.parametrize("case", sorted(UNTESTABLE))
def test_where_it_cannot_be_made_it_says_why(case):
    X, why = UNTESTABLE[case]
    found = little(X, names(X))
    assert (found.statistic, found.df, found.p_value) == (None, None, None)
    assert why in found.reason
    assert "not made" in str(gd.audit(X))


def test_rows_without_any_value_count_for_nothing():
    X = np.vstack([HOLED, np.full((5, 3), np.nan)])
    assert little(X, names(X)) == little(HOLED, names(HOLED))


def test_many_patterns_are_said_to_weaken_it():
    X = np.where(rng.random((60, 9)) < 0.4, np.nan, rng.normal(size=(60, 9)))
    assert "little power" in little(X, names(X)).reason


# warnings


def test_thin_evidence_is_warned_of():
    X = rng.normal(size=(100, 3))
    X[:80, 0] = np.nan
    X[15:, 1] = np.nan
    said = " ".join(gd.audit(X).warnings)
    assert "no row is complete" in said
    assert "more than half of the cells are missing in columns 'x0', 'x1'" in said
    assert "'x0' and 'x1' are observed together in no rows" in said


def test_incomparable_units_are_warned_of():
    X = rng.normal(size=(50, 3)) * [1, 5, 1000]
    said = " ".join(gd.audit(X).warnings)
    assert "the spread of 'x2'" in said
    assert "that of 'x0'" in said
    assert not any("spread" in w for w in gd.audit(X / [1, 5, 1000]).warnings)


def test_a_complete_table_of_one_scale_has_no_warnings():
    assert gd.audit(rng.normal(size=(50, 3))).warnings == ()


def test_names_cannot_break_the_page():
    frame = pd.DataFrame(HOLED, columns=["a\nb", "\x1b[31mred", "x" * 90])
    text = str(gd.audit(frame))
    assert "\x1b" not in text
    assert r"a\nb" in text
    assert max(len(line) for line in text.splitlines()) <= 80


@pytest.mark.parametrize("table", ["no table", [1, 2], None])
def test_what_is_no_table_is_refused(table):
    with pytest.raises(gd.GapdagError, match="2 dimensions"):
        gd.audit(table)
