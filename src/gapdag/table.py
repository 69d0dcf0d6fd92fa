"""A table as it comes in (pandas, polars, numpy) and as it goes out again, holes filled."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gapdag.columns import as_frame, column_numbers, is_polars, names_of, to_dense
from gapdag.errors import GapdagError

MIN_ROWS = 10
MIN_OBSERVED = 5  # values below which a column says nothing about its causes
MAX_MISSING = 0.95
MAX_ABS = 1e100  # sums of squares must stay finite


@dataclass(frozen=True)
class Table:
    """What a fit works on: float64 values, NaN where missing, and the way back to the source."""

    values: NDArray[np.float64]
    columns: list[str]
    source: Any
    warnings: tuple[str, ...] = ()

    @property
    def missing(self) -> NDArray[np.bool_]:
        """(n, d), True where a value is absent."""
        return np.isnan(self.values)

    @property
    def constant(self) -> NDArray[np.bool_]:
        """(d,), True for a column whose observed values are all equal."""
        return np.asarray(np.nanmax(self.values, axis=0) == np.nanmin(self.values, axis=0))

    @property
    def whole(self) -> NDArray[np.bool_]:
        """(d,), True for a column that holds whole numbers only."""
        v = self.values
        return np.asarray((np.isnan(v) | (v == np.floor(v))).all(axis=0))

    def fill(self, filled: NDArray[np.float64]) -> Any:
        """The source with its holes filled: same type, columns, index and observed cells.

        A column of whole numbers is filled with whole numbers inside its observed range.
        """
        v = self.values
        low, high = np.nanmin(v, axis=0), np.nanmax(v, axis=0)
        # the largest integers round up as floats, to what their own type cannot hold
        high = np.where(np.isin(high, (2.0**63, 2.0**64)), np.nextafter(high, 0), high)
        filled = np.where(self.whole, np.clip(np.round(filled), low, high), filled)
        if isinstance(self.source, pd.DataFrame):
            return _fill_pandas(self.source, self.missing, filled)
        if is_polars(self.source):
            return _fill_polars(self.source, self.missing, filled)
        out = np.array(self.source)
        if out.dtype.kind in "fc":
            out[self.missing] = filled[self.missing]
        elif self.missing.any():  # None among Python numbers: an object array
            out = np.where(self.missing, filled, v)
        return out


def read_table(X: Any) -> Table:
    """Check a table and turn it into numbers; what is wrong is one line naming column or row.

    >>> import pandas as pd
    >>> t = read_table(pd.DataFrame({"a": range(10), "b": [0.5] * 9 + [None], "c": range(10)}))
    >>> t.columns, int(t.missing.sum()), t.constant.tolist()
    (['a', 'b', 'c'], 1, [False, True, False])
    """
    if isinstance(X, Table):
        return X
    columns, values = _to_numbers(X)
    n, d = values.shape
    twice = [name for name, k in Counter(columns).items() if k > 1]
    if twice:
        raise GapdagError(f"duplicated column names: {names_of(twice)}; rename or drop them")
    if d < 2:
        raise GapdagError(f"a graph needs at least 2 columns, the table has {d}")
    if n < MIN_ROWS:
        raise GapdagError(f"the table has {n} rows; at least {MIN_ROWS} are needed")
    _check_values(values, columns)
    table = Table(values, columns, X)
    return Table(values, columns, X, _warnings(table))


def _check_values(values: NDArray[np.float64], columns: list[str]) -> None:
    infinite = np.isinf(values)
    if infinite.any():
        r, c = np.argwhere(infinite)[0]
        raise GapdagError(
            f"column {columns[c]!r} holds an infinite value (row {r}); "
            "make it a hole (NaN) or a finite number"
        )
    observed = ~np.isnan(values)
    empty = ~observed.any(axis=0)
    if empty.any():
        raise GapdagError(
            f"every cell is missing in {names_of([columns[c] for c in np.flatnonzero(empty)])}; "
            "leave out what was never measured (--columns)"
        )
    share = 1 - observed.mean()
    if share > MAX_MISSING:
        raise GapdagError(
            f"{share:.1%} of the cells are missing; above {MAX_MISSING:.0%} nothing can be learned"
        )
    few = observed.sum(axis=0) < MIN_OBSERVED
    if few.any():
        raise GapdagError(
            f"fewer than {MIN_OBSERVED} values were measured in "
            f"{names_of([columns[c] for c in np.flatnonzero(few)])}; "
            "leave these columns out (--columns)"
        )
    with np.errstate(invalid="ignore"):
        huge = (np.abs(values) > MAX_ABS).any(axis=0)
    if huge.any():
        raise GapdagError(
            f"values beyond {MAX_ABS:g} in {names_of([columns[c] for c in np.flatnonzero(huge)])}; "
            "give these columns another unit"
        )


def _warnings(table: Table) -> tuple[str, ...]:
    out = []
    constant = np.flatnonzero(table.constant)
    if len(constant):
        out.append(
            "constant columns take no part in learning: "
            f"{names_of([table.columns[c] for c in constant])}"
        )
        if len(table.columns) - len(constant) < 2:
            raise GapdagError(
                f"{out[0]}; fewer than 2 columns that vary are left, and a graph needs 2"
            )
    empty = int(table.missing.all(axis=1).sum())
    if empty:
        out.append(
            f"{empty} row{'s have' if empty > 1 else ' has'} every cell missing: kept, imputed "
            "from the fitted model, of no weight as evidence"
        )
    return tuple(out)


def _to_numbers(X: Any) -> tuple[list[str], NDArray[np.float64]]:
    frame = as_frame(X)
    columns = [str(c) for c in frame.columns]
    n, d = frame.shape
    values = np.empty((n, d))
    text: list[str] = []
    dates: list[str] = []
    for j in range(d):
        numbers_ = column_numbers(frame.iloc[:, j])
        if isinstance(numbers_, str):
            (dates if numbers_ == "date" else text).append(columns[j])
        else:
            values[:, j] = numbers_
    if dates:
        raise GapdagError(
            f"dates or times in {names_of(dates)}; turn them into numbers (days since a start, "
            "say) or leave them out (--columns)"
        )
    if text:
        raise GapdagError(
            f"text in {names_of(text)}; only numbers can be learned from: code them as numbers "
            "or leave them out (--columns)"
        )
    return columns, values


def _fill_pandas(
    source: pd.DataFrame, missing: NDArray[np.bool_], filled: NDArray[np.float64]
) -> pd.DataFrame:
    columns = []
    for j in range(source.shape[1]):
        s, holes = source.iloc[:, j], missing[:, j]
        columns.append(_fill_column(s, holes, filled[holes, j]) if holes.any() else s)
    out = pd.concat(columns, axis=1)
    out.columns = source.columns
    return out


def _fill_column(
    s: pd.Series[Any], holes: NDArray[np.bool_], values: NDArray[np.float64]
) -> pd.Series[Any]:
    """The column with these values at its holes; its dtype stays wherever it can hold them."""
    dtype, rows = s.dtype, np.flatnonzero(holes)
    if isinstance(dtype, pd.SparseDtype):
        return _fill_column(to_dense(s), holes, values).astype(dtype)
    if isinstance(dtype, pd.CategoricalDtype):  # a value between two categories is none of them
        numbers_ = column_numbers(s)
        assert not isinstance(numbers_, str)  # read_table has let it in
        s, dtype = pd.Series(numbers_, index=s.index, name=s.name), np.dtype(np.float64)
    s = s.copy()
    if pd.api.types.is_object_dtype(dtype):
        kind = _python_type(s[~holes])
        for row, value in zip(rows.tolist(), values, strict=True):
            s.iat[row] = kind(value)
    else:
        s.iloc[rows] = values.astype(_plain(dtype))
    return s


def _python_type(s: pd.Series[Any]) -> type:
    """bool or int where every observed object is one, else float."""
    for kind, alike in ((bool, bool | np.bool_), (int, int | np.integer)):
        if all(isinstance(v, alike) and (kind is bool or not isinstance(v, bool)) for v in s):
            return kind
    return float


def _plain(dtype: Any) -> Any:
    """The numpy type behind a pandas one: Int64 -> int64, boolean -> bool, Arrow -> its own."""
    return getattr(dtype, "numpy_dtype", dtype)


def _fill_polars(source: Any, missing: NDArray[np.bool_], filled: NDArray[np.float64]) -> Any:
    import polars as pl

    out = []
    for j, name in enumerate(source.columns):
        s, holes = source[name], missing[:, j]
        if holes.any():
            rows = np.flatnonzero(holes)
            values = pl.Series(filled[holes, j])
            if s.dtype == pl.Boolean:
                s = s.scatter(rows, values.round() > 0.5)
            else:
                kind = s.dtype if s.dtype.is_numeric() else pl.Float64
                s = s.cast(kind).scatter(rows, values.cast(kind))
        out.append(s.alias(name))
    return pl.DataFrame(out)
