"""What every imputer keeps to: holes are filled, and nothing else happens."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts import everything

ALL = everything.found("imputer")
every = pytest.mark.parametrize("entry", ALL, ids=everything.ids)


@every
def test_observed_cells_bit_for_bit_and_no_hole_left(entry):
    X = everything.array(rate=0.4)
    holes = np.isnan(X)
    imputer = everything.make(entry)
    for filled in (imputer.fit_transform(X), imputer.fill(X, np.random.default_rng(0))):
        assert filled[~holes].tobytes() == X[~holes].tobytes()
        assert np.isfinite(filled).all()


@every
@given(seed=st.integers(0, 2**20), n=st.integers(10, 30), d=st.integers(2, 12))
@settings(max_examples=5, deadline=None)
def test_any_small_table(entry, seed, n, d):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-100, 90, size=d)
    X[5:][rng.random((n - 5, d)) < 0.5] = np.nan
    X[:, rng.random(d) < 0.3] = X[:, [0]]  # copies of one column
    holes = np.isnan(X)
    filled = everything.make(entry).fit_transform(X)
    assert filled[~holes].tobytes() == X[~holes].tobytes()
    assert np.isfinite(filled).all()


@every
def test_without_holes_it_is_a_copy(entry):
    X = everything.array(rate=0.0)
    filled = everything.make(entry).fit_transform(X)
    assert filled.tobytes() == X.tobytes()
    assert not np.shares_memory(filled, X)


@every
def test_the_array_is_untouched(entry):
    X = everything.array()
    before = X.tobytes()
    everything.make(entry).fit_transform(X)
    everything.make(entry).fill(X, np.random.default_rng(0))
    assert X.tobytes() == before


@every
def test_pandas_in_pandas_out(entry):
    df = everything.frame()
    df.index = [f"row {k}" for k in range(len(df))]
    df["stage"] = df["stage"].astype("Int64")
    before = df.copy(deep=True)
    filled = everything.make(entry).fit_transform(df)
    pd.testing.assert_frame_equal(df, before)
    assert filled.index.equals(df.index)
    assert filled.columns.equals(df.columns)
    assert (filled.dtypes == df.dtypes).all()
    assert not filled.isna().any().any()
    plain = everything.make(entry).fit_transform(everything.array())
    np.testing.assert_array_equal(filled.to_numpy(dtype=float), plain)


@every
def test_polars_in_polars_out(entry):
    df = pl.DataFrame(everything.array(), schema=everything.COLUMNS).fill_nan(None)
    before = df.clone()
    filled = everything.make(entry).fit_transform(df)
    assert df.equals(before)
    assert isinstance(filled, pl.DataFrame)
    assert filled.columns == df.columns
    assert sum(filled.null_count().row(0)) == 0
    plain = everything.make(entry).fit_transform(everything.array())
    np.testing.assert_array_equal(filled.to_numpy(), plain)


@every
def test_constant_columns_and_empty_rows(entry):
    X = everything.array()
    X[:, 3] = 7.0
    X[9:20, 3] = np.nan
    X[30] = np.nan
    filled = everything.make(entry).fit_transform(X)
    assert (filled[:, 3] == 7.0).all()
    assert np.isfinite(filled).all()
    assert filled[30, 0] >= np.nanmin(X[:, 0])
    assert filled[30, 0] <= np.nanmax(X[:, 0])


@every
def test_whole_numbers_stay_whole_and_inside(entry):
    filled = everything.make(entry).fit_transform(everything.array(rate=0.3))
    assert set(np.unique(filled[:, 4])) <= {0.0, 1.0, 2.0, 3.0}
