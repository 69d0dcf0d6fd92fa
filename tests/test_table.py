"""Tables in and out: nothing observed is ever changed, whatever the type of the column."""

from __future__ import annotations

import copy
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gapdag.errors import GapdagError
from gapdag.table import MAX_ABS, read_table

FAST = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])

ROWS = 12

finite = st.floats(-1e6, 1e6, allow_subnormal=False)
single = st.floats(-1e6, 1e6, width=32)
whole = st.integers(-1000, 1000)
byte = st.integers(0, 255)
truth = st.booleans()
huge = st.integers(-(2**63), 2**63 - 1)

PANDAS = {
    "float64": (finite, "float64"),
    "float32": (single, "float32"),
    "Float32": (single, "Float32"),
    "Float64": (finite, "Float64"),
    "Int64": (whole, "Int64"),
    "Int64 at its limits": (huge, "Int64"),
    "UInt8": (byte, "UInt8"),
    "boolean": (truth, "boolean"),
    "arrow int": (whole, "int64[pyarrow]"),
    "arrow double": (finite, "double[pyarrow]"),
    "arrow float": (single, "float[pyarrow]"),
    "arrow bool": (truth, "bool[pyarrow]"),
    "arrow decimal": (whole.map(Decimal), pd.ArrowDtype(pa.decimal128(12, 2))),
    "sparse": (finite, pd.SparseDtype("float64")),
    "category of numbers": (whole, "category"),
    "object of floats": (finite, object),
    "object of ints": (whole, object),
    "object of truths": (truth, object),
    "object of decimals": (st.decimals(-1000, 1000, places=3), object),
}
KEEPS_DTYPE = set(PANDAS) - {"category of numbers"}
POLARS = {
    "f64": (finite, pl.Float64),
    "f32": (single, pl.Float32),
    "i64": (whole, pl.Int64),
    "i128": (whole, pl.Int128),
    "u8": (byte, pl.UInt8),
    "bool": (truth, pl.Boolean),
    "decimal": (whole.map(Decimal), pl.Decimal(12, 2)),
}


@st.composite
def column(draw, values):
    """ROWS values of which at least 5 are there and 2 differ; None where missing."""
    pool = draw(st.lists(values, min_size=2, max_size=5, unique=True))
    holes = draw(st.integers(0, 2 ** (ROWS - 5) - 1))
    return [None if (holes << 5) >> r & 1 else pool[r % len(pool)] for r in range(ROWS)]


@st.composite
def pandas_tables(draw):
    n = ROWS
    kinds = draw(st.lists(st.sampled_from(sorted(PANDAS)), min_size=2, max_size=4))
    index = draw(
        st.sampled_from([range(n), [7] * n, list("ab" * n)[:n], pd.date_range("2020", periods=n)])
    )
    series = {}
    for j, kind in enumerate(kinds):
        values, dtype = PANDAS[kind]
        series[f"{kind} {j}"] = pd.Series(draw(column(values)), dtype=dtype).array
    return pd.DataFrame(series, index=index)


def fillings(table, seed=0):
    """Any finite values at the holes, from far below to far above what was observed."""
    noise = np.random.default_rng(seed).normal(scale=1e3, size=table.values.shape)
    return np.where(table.missing, noise, table.values)


@given(pandas_tables())
@FAST
def test_pandas_comes_back_filled_and_otherwise_the_same(frame):
    before = frame.copy(deep=True)
    table = read_table(frame)
    np.testing.assert_array_equal(table.missing, frame.isna().to_numpy(dtype=bool))
    out = table.fill(fillings(table))
    pd.testing.assert_frame_equal(frame, before)  # the input is as it was
    assert out.columns.equals(frame.columns)
    assert out.index.equals(frame.index)
    assert not out.isna().to_numpy().any()
    for j, name in enumerate(frame.columns):
        seen = ~table.missing[:, j]
        kind = name.rsplit(" ", 1)[0]
        if kind in KEEPS_DTYPE or seen.all():
            assert out.dtypes.iloc[j] == frame.dtypes.iloc[j]
        held, given_ = out.iloc[:, j][seen].to_list(), frame.iloc[:, j][seen].to_list()
        assert held == given_
        assert [type(v) for v in held] == [type(v) for v in given_] or kind not in KEEPS_DTYPE


@given(pandas_tables())
@FAST
def test_whole_numbers_are_filled_with_whole_numbers_in_their_range(frame):
    table = read_table(frame)
    filled = read_table(table.fill(fillings(table))).values
    for j in np.flatnonzero(table.whole):
        assert (filled[:, j] == np.floor(filled[:, j])).all()
        assert filled[:, j].min() >= np.nanmin(table.values[:, j])
        assert filled[:, j].max() <= np.nanmax(table.values[:, j])


@given(st.data())
@FAST
def test_polars_comes_back_filled_and_otherwise_the_same(data):
    kinds = data.draw(st.lists(st.sampled_from(sorted(POLARS)), min_size=2, max_size=4))
    series = [
        pl.Series(f"{k} {j}", data.draw(column(POLARS[k][0])), dtype=POLARS[k][1])
        for j, k in enumerate(kinds)
    ]
    frame = pl.DataFrame(series)
    before = frame.clone()
    table = read_table(frame)
    out = table.fill(fillings(table))
    assert frame.equals(before)
    assert isinstance(out, pl.DataFrame)
    assert out.schema == frame.schema
    assert sum(out.null_count().row(0)) == 0
    for j, name in enumerate(frame.columns):
        seen = ~table.missing[:, j]
        assert out[name].filter(seen).equals(frame[name].filter(seen))


def test_nan_and_null_are_both_missing_in_polars():
    frame = pl.DataFrame({"a": [None, float("nan"), *range(9)], "b": range(11)}, strict=False)
    out = read_table(frame).fill(np.full((11, 2), 3.0))
    assert out["a"].to_list() == [3.0, 3.0, *map(float, range(9))]


@given(st.sampled_from(["float64", "float32", "float16", "longdouble"]), st.integers(0, 99))
@FAST
def test_numpy_floats_come_back_bit_for_bit(dtype, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3)).astype(dtype)
    X[5:][rng.random((7, 3)) < 0.4] = np.nan
    before = X.copy()
    table = read_table(X)
    assert table.columns == ["x0", "x1", "x2"]
    out = table.fill(fillings(table))
    np.testing.assert_array_equal(X, before)
    assert out.dtype == X.dtype
    assert out is not X
    np.testing.assert_array_equal(out[~np.isnan(X)], X[~np.isnan(X)])
    assert not np.isnan(out).any()


def test_numpy_integers_truths_and_python_lists_are_accepted():
    for X in (np.arange(30).reshape(10, 3), np.arange(20).reshape(10, 2) % 3 > 0):
        out = read_table(X).fill(X.astype(float))
        assert out.dtype == X.dtype
        np.testing.assert_array_equal(out, X)
    rows = [[1, 2.5], [2, None], [None, 0.5]] + [[3, 4.0]] * 7
    before = copy.deepcopy(rows)
    out = read_table(rows).fill(np.full((10, 2), 1.0))
    assert rows == before
    assert out[1].tolist() == [2, 1.0]
    assert out[2].tolist() == [1.0, 0.5]


def test_masked_arrays_read_as_holes():
    X = np.ma.masked_array(np.arange(30.0).reshape(10, 3), mask=False)
    X.mask[7, 1] = True
    table = read_table(X)
    assert np.argwhere(table.missing).tolist() == [[7, 1]]
    assert table.fill(np.full((10, 3), 5.0))[7, 1] == 5.0


def test_names_of_any_kind_become_texts():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(10, 2)), columns=[1, ("a", "b")])
    table = read_table(frame)
    assert table.columns == ["1", "('a', 'b')"]
    assert list(table.fill(table.values).columns) == [1, ("a", "b")]


def test_a_table_is_read_once():
    table = read_table(np.random.default_rng(0).normal(size=(10, 2)))
    assert read_table(table) is table


def frame_with(**columns):
    return pd.DataFrame({"a": np.arange(12.0) ** 2, "b": np.arange(12.0), **columns})


INFINITE = [*range(11), np.inf]
BAD = {
    "text": (frame_with(sex=list("mf" * 6)), "text in column 'sex'.*--columns"),
    "dates": (
        frame_with(when=pd.date_range("2020", periods=12)),
        "dates or times in column 'when'",
    ),
    "arrow dates": (
        frame_with(when=pd.Series(pd.date_range("2020", periods=12)).astype("date32[pyarrow]")),
        "dates",
    ),
    "durations": (frame_with(d=pd.to_timedelta(range(12), unit="h")), "dates or times"),
    "objects": (frame_with(o=[{}] * 12), "text in column 'o'"),
    "infinite": (frame_with(c=INFINITE), "column 'c' holds an infinite value .row 11."),
    "beyond floats": (frame_with(c=[10**400, *range(11)]), "column 'c' holds an infinite value"),
    "huge": (frame_with(c=[MAX_ABS * 10, *range(11)]), "'c'; give these columns another unit"),
    "all holes": (frame_with(c=[np.nan] * 12), "every cell is missing in column 'c'"),
    "few values": (frame_with(c=[1, 2] + [np.nan] * 10), "fewer than 5 values.* 'c'"),
    "few rows": (frame_with().head(9), "9 rows; at least 10"),
    "no rows": (frame_with().head(0), "0 rows"),
    "one column": (frame_with()[["a"]], "at least 2 columns, the table has 1"),
    "no columns": (frame_with()[[]], "at least 2 columns, the table has 0"),
    "same names": (frame_with().rename(columns={"b": "a"}), "duplicated column names: column 'a'"),
    "same texts": (pd.DataFrame(np.ones((12, 2)), columns=[1, "1"]), "duplicated column names"),
    "complex": (np.ones((12, 2)) * 1j, "text"),
    "constants": (frame_with()[["a"]].assign(c=1), "fewer than 2 columns that vary"),
    "one dimension": (np.arange(12.0), "2 dimensions"),
    "no table": ("cells.csv", "2 dimensions"),
}


@pytest.mark.parametrize("case", sorted(BAD))
def test_what_is_wrong_is_one_line(case):
    table, said = BAD[case]
    with pytest.raises(GapdagError, match=said) as caught:
        read_table(table)
    assert "\n" not in str(caught.value)


def test_nearly_everything_missing_is_refused():
    X = np.full((1000, 3), np.nan)
    X[:6] = np.arange(18.0).reshape(6, 3)
    with pytest.raises(GapdagError, match=r"99\.4% of the cells are missing"):
        read_table(X)


def test_constant_columns_and_empty_rows_are_warned_of():
    frame = frame_with(c=5.0)
    frame.loc[3] = np.nan
    table = read_table(frame)
    assert table.constant.tolist() == [False, False, True]
    assert any("constant columns take no part in learning: column 'c'" in w for w in table.warnings)
    assert any("1 row has every cell missing" in w for w in table.warnings)
