"""Data files as tables: CSV and Parquet, and in one line what is wrong with one."""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from gapdag.cli.raw import bytes_of, decoded, kind_of, unzipped
from gapdag.cli.text_columns import as_numbers
from gapdag.columns import names_of
from gapdag.errors import GapdagError
from gapdag.registry import unknown

DELIMITERS = {",": "','", ";": "';'", "\t": "tab", "|": "'|'"}
MAX_FIELD = 10_000_000  # of one cell; the csv module's own limit breaks on long texts


@dataclass(frozen=True)
class Source:
    """A data file: its table, and what is needed to write it again as it was."""

    path: Path
    sha256: str
    frame: pd.DataFrame
    warnings: tuple[str, ...] = ()
    text: str | None = None
    """the file as it was decoded; None for Parquet"""
    delimiter: str = ","
    positions: tuple[int, ...] = ()
    """where each column of ``frame`` stands in the file"""

    def cells(self) -> pd.DataFrame | None:
        """The same table as it was written, every cell a text."""
        if self.text is None:
            return None
        cells = _parse(self.text, self.delimiter, dtype="object", na_filter=False)
        cells = cells.iloc[:, list(self.positions)]
        cells.columns = self.frame.columns
        return cells


def read_data(
    path: str | os.PathLike[str],
    delimiter: str | None = None,
    columns: str | None = None,
    numbers: bool = True,
) -> Source:
    """Read a table from .csv, .tsv, .csv.gz or .parquet; ``columns`` is a list like ``a,b``.

    With ``numbers``, a column of anything else is an error that says what to do.
    """
    path = Path(path)
    raw = bytes_of(path)
    sha256 = hashlib.sha256(raw).hexdigest()
    kind = kind_of(path)
    if kind.endswith(".gz"):
        raw, kind = unzipped(raw, path), kind.removesuffix(".gz")
    if kind == ".parquet":
        source = Source(path, sha256, _parquet(raw, path))
        source = replace(source, positions=tuple(range(source.frame.shape[1])))
    else:
        source = _read_text(raw, path, _delimiter(delimiter, kind), sha256)
    if columns is not None:
        source = _chosen(source, split_names(columns))
    if not numbers or source.text is None:  # a Parquet file knows the types of its columns
        return source
    return replace(source, frame=as_numbers(source.frame, lambda r: _line(source, r)))


def split_names(said: str) -> list[str]:
    """Names between commas, as in a line of CSV: one that holds a comma stands in quotes.

    >>> split_names('dose,"x, y", effect')
    ['dose', 'x, y', 'effect']
    """
    return next(csv.reader([said], skipinitialspace=True), [])


def read_edges(path: str | os.PathLike[str], columns: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs of a file with the columns source and target, both among ``columns``."""
    path = Path(path)
    rows = _rows(decoded(bytes_of(path), path), ",", path)
    header = next(rows, (0, []))[1]
    if "source" not in header or "target" not in header:
        raise GapdagError(f"{str(path)!r} needs a header with the columns source and target")
    at = header.index("source"), header.index("target")
    edges = []
    for line, row in rows:
        if len(row) <= max(at):
            raise GapdagError(f"{str(path)!r} line {line}: an edge needs a source and a target")
        edges.append((row[at[0]], row[at[1]]))
        for name in edges[-1]:
            if name not in columns:
                what = unknown("column", name, list(columns))
                raise GapdagError(f"{str(path)!r} line {line}: {what}")
    return edges


def _parquet(raw: bytes, path: Path) -> pd.DataFrame:
    from pyarrow import ArrowException

    try:
        return pd.read_parquet(io.BytesIO(raw))
    except (ArrowException, OSError, ValueError, TypeError) as e:
        why = str(e).split("\n")[0]
        raise GapdagError(f"{str(path)!r} is no Parquet file that can be read: {why}") from None


def _delimiter(said: str | None, kind: str) -> str:
    if said is None:
        return "\t" if kind in (".tsv", ".tab") else ","
    said = {"tab": "\t", "\\t": "\t"}.get(said, said)
    if len(said) != 1 or said in '"\r\n0123456789.-+ ' or ord(said) > 127:
        raise GapdagError(
            f"--delimiter must be one character such as ',' or ';', or the word tab; got {said!r}"
        )
    return said


def _read_text(raw: bytes, path: Path, delimiter: str, sha256: str) -> Source:
    text = decoded(raw, path)
    header, n = _checked_header(text, delimiter, path)
    try:
        frame = _parse(text, delimiter)
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as e:
        raise GapdagError(f"{str(path)!r} is no regular CSV: {e}") from None
    if frame.shape != (n, len(header)):  # two readers that disagree: better none than one
        raise GapdagError(f"{str(path)!r} is no regular CSV (its quotes, perhaps); save it again")
    frame.columns = pd.Index(header)
    source = Source(path, sha256, frame, (), text, delimiter, tuple(range(len(header))))
    return _without_unnamed(source)


def _parse(text: str, delimiter: str, **how: Any) -> pd.DataFrame:
    if tuple(int(v) for v in pd.__version__.split(".")[:2]) < (3, 1):
        how.setdefault("float_precision", "round_trip")  # later it is what pandas always does
    frame: pd.DataFrame = pd.read_csv(
        io.StringIO(text, newline=""),
        sep=delimiter,
        index_col=False,
        low_memory=False,
        skipinitialspace=True,
        **how,
    )
    return frame


def _rows(text: str, delimiter: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of each row; lines of blanks alone are passed over."""
    before = csv.field_size_limit(MAX_FIELD)
    try:
        reader = csv.reader(
            io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True
        )
        for row in reader:
            if len(row) > 1 or (row and row[0].strip()):
                yield reader.line_num, row
    except csv.Error as e:
        raise GapdagError(f"{str(path)!r} is no regular CSV: {e}") from None
    finally:
        csv.field_size_limit(before)


def _checked_header(text: str, delimiter: str, path: Path) -> tuple[list[str], int]:
    """The column names and how many rows follow, each as long as the header."""
    name = repr(str(path))
    rows = _rows(text, delimiter, path)
    header = next(rows, (0, []))[1]
    if len(header) == 1:
        for other, said in DELIMITERS.items():
            if other in header[0] and other != delimiter:
                raise GapdagError(
                    f"{name} has one column whose name holds {said}: if that is what parts its "
                    f"columns, add --delimiter {said}"
                )
    n = 0
    for line, row in rows:
        n += 1
        if len(row) != len(header):
            raise GapdagError(
                f"{name} line {line} has {len(row)} cells and the header {len(header)}; "
                "quote cells that hold the delimiter, or name every column"
            )
    if not n:
        raise GapdagError(f"{name} has a header and no rows")
    twice = [c for c, k in Counter(header).items() if k > 1 and c.strip()]
    if twice:
        raise GapdagError(f"duplicated column names: {names_of(twice)}; rename or drop them")
    return header, n


def _without_unnamed(source: Source) -> Source:
    """Without a saved index (a first column that counts and has no name) and empty columns."""
    frame, keep, said = source.frame, [], []
    for j, name in enumerate(frame.columns):
        if str(name).strip():
            keep.append(j)
        elif frame.iloc[:, j].isna().all():
            said.append(f"column {j + 1} has no name and no values: left out")
        elif j == 0 and _counts(frame.iloc[:, 0]):
            said.append("the first column has no name and labels the rows: left out")
        else:
            raise GapdagError(
                f"column {j + 1} of {str(source.path)!r} has no name in the header; name it"
            )
    names = [str(c) for c in frame.columns[keep]]
    by_pandas = [str(j) for j in range(len(names))]  # its names where none are given
    if names and names != by_pandas and all(_is_number(c) for c in names):
        said.append("every column name is a number: is the header missing?")
    return replace(source, frame=frame.iloc[:, keep], warnings=tuple(said), positions=tuple(keep))


def _counts(s: pd.Series[Any]) -> bool:
    """Whether a column is row labels: it counts, or it is text and no value stands twice."""
    if pd.api.types.is_integer_dtype(s):
        values = s.to_list()
        return values in (list(range(len(s))), list(range(1, len(s) + 1)))
    return bool(not pd.api.types.is_numeric_dtype(s) and s.notna().all() and s.is_unique)


def _is_number(name: object) -> bool:
    try:
        float(str(name))
    except ValueError:
        return False
    return True


def _chosen(source: Source, names: list[str]) -> Source:
    """The columns that --columns names, in the order of the file."""
    columns = [str(c) for c in source.frame.columns]
    for name in names:
        if name not in columns:
            raise GapdagError(f"--columns: {unknown('column', name, columns)}")
    twice = [c for c, k in Counter(names).items() if k > 1]
    if twice:
        raise GapdagError(f"--columns names {names_of(twice)} twice")
    at = [j for j, c in enumerate(columns) if c in names]
    return replace(
        source,
        frame=source.frame.iloc[:, at],
        positions=tuple(source.positions[j] for j in at),
    )


def _line(source: Source, row: int) -> str:
    """Where row number ``row`` of the table stands in the file, for a message."""
    if source.text is None:
        return f"row {row}"
    for r, (line, _) in enumerate(_rows(source.text, source.delimiter, source.path), start=-1):
        if r == row:
            return f"line {line}"
    return f"row {row}"
