"""Columns of a CSV that came out as text: numbers after all, or one line that says what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

import pandas as pd

from gapdag.columns import names_of
from gapdag.errors import GapdagError

NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+(\.\d{3})*(,\d+)?([eE][+-]?\d+)?\s*", re.ASCII)
THOUSANDS = re.compile(r"\s*[+-]?\d{1,3}(,\d{3})+(\.\d*)?\s*", re.ASCII)
DATE = re.compile(
    r"\s*(\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}:\d{2}(:\d{2})?)"
    r"([ T].*)?\s*"
)
MOSTLY = 0.5


def as_numbers(frame: pd.DataFrame, where: Callable[[int], str]) -> pd.DataFrame:
    """The table, each column numbers or truth values; ``where`` says where a row stands."""
    columns, dates, text = [], [], []
    for j in range(frame.shape[1]):
        s = frame.iloc[:, j]
        if pd.api.types.is_object_dtype(s) and _truths(s):
            s = s.astype("boolean")
        elif not _is_text(s):
            pass
        elif all(NUMBER.fullmatch(str(v)) for v in s.dropna()):  # integers beyond 64 bits
            s = s.map(lambda v: float("nan") if pd.isna(v) else float(v)).astype(float)
        elif all(DATE.fullmatch(str(v)) for v in s.dropna()):
            dates.append(j)
        else:
            text.append(j)
        columns.append(s)
    if dates or text:
        _refuse(frame, dates, text, where)
    return pd.concat(columns, axis=1) if columns else frame


def _is_text(s: pd.Series[Any]) -> bool:
    return bool(pd.api.types.is_object_dtype(s) or pd.api.types.is_string_dtype(s))


def _truths(s: pd.Series[Any]) -> bool:
    return all(isinstance(v, bool) for v in s.dropna())


def _refuse(
    frame: pd.DataFrame, dates: list[int], text: list[int], where: Callable[[int], str]
) -> NoReturn:
    others = [str(c) for j, c in enumerate(frame.columns) if j not in dates + text]
    few = 2 <= len(others) <= 8 and not any(set(c) & set(",\"' ") for c in others)
    without = f"--columns {','.join(others)}" if few else "--columns"
    for j in text:  # a column of numbers with something else in it has a remedy of its own
        _explain_numbers(frame.iloc[:, j], where)
    kind, at = ("dates or times", dates) if dates else ("text", text)
    names = names_of([str(frame.columns[j]) for j in at])
    s = frame.iloc[:, at[0]]
    row = int(s.notna().to_numpy().argmax())
    example = f"{where(row)}: {_short(s.iloc[row])}"
    remedy = "turn them into numbers (days since a start, say)" if dates else "code it as numbers"
    raise GapdagError(f"{kind} in {names} ({example}); {remedy} or leave it out ({without})")


def _explain_numbers(s: pd.Series[Any], where: Callable[[int], str]) -> None:
    """Raise where a column is numbers at heart: decimal commas, thousands, a mark for a hole."""
    name = repr(str(s.name))
    observed = s.dropna().astype(str)
    if all(THOUSANDS.fullmatch(v) or NUMBER.fullmatch(v) for v in observed):
        wrong = next(v for v in observed if not NUMBER.fullmatch(v))
        raise GapdagError(
            f"column {name} parts thousands by commas ({wrong!r}); write its numbers without"
        )
    if all(DECIMAL_COMMA.fullmatch(v) for v in observed):
        wrong = next(v for v in observed if not NUMBER.fullmatch(v))
        raise GapdagError(
            f"column {name} has decimal commas ({wrong!r}); write its numbers with a point, as in "
            f"{wrong.strip().replace('.', '').replace(',', '.')!r}"
        )
    fits = s.map(lambda v: pd.isna(v) or NUMBER.fullmatch(str(v)) is not None).to_numpy(dtype=bool)
    numbers = int(fits.sum()) - int(s.isna().sum())
    if numbers >= MOSTLY * len(observed):
        row = int((~fits).argmax())
        raise GapdagError(
            f"column {name} holds text among its numbers ({where(row)}: {_short(s.iloc[row])}); "
            "empty such a cell if nothing was measured, or code it as a number"
        )


def _short(value: object) -> str:
    said = repr(str(value))
    return said if len(said) <= 40 else said[:36] + "...'"
