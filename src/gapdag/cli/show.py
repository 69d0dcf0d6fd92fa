"""What a command prints: drawn for a terminal, plain and aligned for a pipe."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

MOST_EDGES = 50


def print_json(said: Any) -> None:
    """One JSON value on stdout, in any terminal's letters."""
    print(json.dumps(said, indent=2, allow_nan=False))


def print_paragraph(text: str, indent: str = "  ") -> None:
    """Wrapped to the terminal, at most 100 columns."""
    width = min(shutil.get_terminal_size((80, 24)).columns, 100)
    print("\n".join(textwrap.wrap(text, width, subsequent_indent=indent)))


def print_edges(edges: Sequence[tuple[str, str, float]]) -> None:
    """The edge table, the strongest first; a long one is cut and says so."""
    shown = [(clean(a), clean(b), f"{w:.3f}") for a, b, w in edges[:MOST_EDGES]]
    if sys.stdout.isatty():
        _draw(shown)
    else:
        print_columns([("source", "target", "weight"), *shown], right=(2,))
    if len(edges) > len(shown):
        print(f"... and {len(edges) - len(shown)} weaker ones, in edges.csv")


def _draw(rows: Sequence[tuple[str, str, str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD)
    for name in ("source", "target", "weight"):
        table.add_column(name, justify="right" if name == "weight" else "left")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))  # a name is no markup
    Console(highlight=False).print(table)


def print_columns(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> None:
    """Rows of texts, aligned by blanks; the columns in ``right`` flush right."""
    wide = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.rjust(w) if j in right else cell.ljust(w)
            for j, (cell, w) in enumerate(zip(row, wide, strict=True))
        ]
        print("  ".join(cells).rstrip())


def clean(name: object) -> str:
    """A name on one line: control characters are written out, none reaches the terminal."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(name))
