"""A table of any kind as pandas, and one column of it as numbers with NaN for holes."""

from __future__ import annotations

import numbers
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gapdag.errors import GapdagError


def as_frame(X: Any) -> pd.DataFrame:
    """The table as pandas, nothing checked but that it has rows and columns."""
    if isinstance(X, pd.DataFrame):
        return X
    if is_polars(X):
        return _polars_as_pandas(X)
    array = X if isinstance(X, np.ndarray) else np.asarray(X, dtype=object)
    if array.ndim != 2:
        raise GapdagError(
            f"a table has rows and columns (2 dimensions), this has {array.ndim}; "
            "give a pandas or polars DataFrame or a 2-D array"
        )
    return pd.DataFrame(array, columns=[f"x{j}" for j in range(array.shape[1])])


def is_polars(X: Any) -> bool:
    return type(X).__module__.split(".")[0] == "polars" and type(X).__name__ == "DataFrame"


def _polars_as_pandas(X: Any) -> pd.DataFrame:
    import polars as pl

    wide = [t for t in (getattr(pl, k, None) for k in ("Int128", "UInt128")) if t is not None]
    narrow = [pl.col(c).cast(pl.Float64) for c, t in X.schema.items() if t in wide]
    frame: pd.DataFrame = X.with_columns(narrow).to_pandas()  # Arrow has no 128-bit integers
    return frame


def column_numbers(s: pd.Series[Any]) -> NDArray[np.float64] | str:
    """Numbers with NaN for holes, or what the column is instead: 'date' or 'text'."""
    if isinstance(s.dtype, pd.CategoricalDtype):
        codes = s.cat.codes.to_numpy()  # -1 where missing
        kinds = (
            column_numbers(pd.Series(s.cat.categories)) if len(s.cat.categories) else np.empty(0)
        )
        return kinds if isinstance(kinds, str) else np.append(kinds, np.nan)[codes]
    if isinstance(s.dtype, pd.SparseDtype):
        s = to_dense(s)
    if pd.api.types.is_datetime64_any_dtype(s) or pd.api.types.is_timedelta64_dtype(s):
        return "date"
    if isinstance(s.dtype, pd.PeriodDtype):
        return "date"
    if pd.api.types.is_complex_dtype(s):
        return "text"
    if pd.api.types.is_numeric_dtype(s) or pd.api.types.is_bool_dtype(s):
        return s.to_numpy(dtype=np.float64, na_value=np.nan)
    if s.isna().all():
        return np.full(len(s), np.nan)
    if s.dtype == object:
        return _objects(s)
    return "text"


def to_dense(s: pd.Series[Any]) -> pd.Series[Any]:
    """A sparse column with every value written out."""
    return pd.Series(np.asarray(s), index=s.index, name=s.name)


def _objects(s: pd.Series[Any]) -> NDArray[np.float64] | str:
    out = np.full(len(s), np.nan)
    for r, value in enumerate(s):
        if isinstance(value, numbers.Real | Decimal | np.bool_):
            try:
                out[r] = float(value)
            except OverflowError:  # an integer of Python's own, beyond any float
                out[r] = np.inf
        elif pd.api.types.is_scalar(value) and pd.isna(value):
            continue
        elif hasattr(value, "year") or hasattr(value, "hour"):
            return "date"
        else:
            return "text"
    return out


def names_of(columns: list[str], most: int = 5) -> str:
    """The columns in words, for a message: the first few by name."""
    shown = ", ".join(repr(c) for c in columns[:most])
    plural = "columns" if len(columns) > 1 else "column"
    more = f" and {len(columns) - most} more" if len(columns) > most else ""
    return f"{plural} {shown}{more}"
