"""The filled table as text: observed cells as they were written, holes in the same manner."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gapdag.cli.reading import Source


def filled_text(source: Source, filled: pd.DataFrame, delimiter: str = ",") -> str:
    """``filled`` as CSV, with every observed cell's own text out of the source file."""
    out = io.StringIO(newline="")
    cells = source.cells()
    if cells is None:
        cells = filled  # Parquet has no texts; pandas writes floats so that they read back equal
    else:
        missing = source.frame.isna().to_numpy(dtype=bool)
        columns = [
            _written(cells.iloc[:, j], missing[:, j], filled.iloc[:, j])
            for j in range(filled.shape[1])
        ]
        cells = pd.concat(columns, axis=1)
    cells.to_csv(out, index=False, sep=delimiter, lineterminator="\n")
    return out.getvalue()


def _written(
    texts: pd.Series[Any], holes: NDArray[np.bool_], filled: pd.Series[Any]
) -> pd.Series[Any]:
    if not holes.any():
        return texts
    texts = texts.copy()
    write = _manner(texts[~holes], filled[~holes])
    texts.iloc[np.flatnonzero(holes)] = [write(v) for v in filled[holes]]
    return texts


def _manner(texts: pd.Series[Any], values: pd.Series[Any]) -> Callable[[Any], str]:
    """How this column writes a value: truth values in its own words, whole numbers without .0."""
    if pd.api.types.is_bool_dtype(values):
        words = dict(zip(values.astype(bool), texts, strict=True))
        return lambda v: str(words.get(bool(v), bool(v)))
    if not texts.str.contains(r"[.eE]").any() and (values.astype(float) % 1 == 0).all():
        return lambda v: str(int(v)) if v == int(v) else repr(float(v))
    return lambda v: repr(float(v))
