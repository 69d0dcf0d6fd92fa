"""What the page says: a result turned into numbers and lines of text, no HTML yet."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapdag.result import CausalResult
from gapdag.table import Table

LONGEST_NAME = 120
MOST_ROWS_DRAWN = 384  # the picture's height in pixels: no row falls between two
NO_TABLE = (
    "This result was loaded from a file, which never holds the table itself. "
    "Fit again, or open the report that was written beside it."
)


@dataclass(frozen=True)
class Edge:
    """One line of the graph; an undirected one stands here once."""

    source: int
    target: int
    weight: float
    directed: bool

    @property
    def strength(self) -> float:
        return abs(self.weight)


@dataclass(frozen=True)
class ColumnHoles:
    name: str
    missing: int
    rate: float


def label(name: str) -> str:
    """A column's name as people can see it: never empty, never a page long, no control signs."""
    seen = re.sub(r"[\x00-\x1f\x7f-\x9f]+", " ", name).strip()
    if not seen:
        return "(no name)"
    if len(seen) <= LONGEST_NAME:
        return seen
    return f"{seen[: LONGEST_NAME - 31]}…{seen[-30:]}"


def number(x: float) -> str:
    """Three decimals where that says something, three digits elsewhere; a true minus sign."""
    size = abs(x)
    text = f"{x:.3f}" if size == 0 or 1e-3 <= size < 1e4 else f"{x:.3g}"
    return text.replace("-", "−", 1) if x < 0 else text


def count(n: int, one: str, many: str | None = None) -> str:
    """
    >>> count(1, "edge"), count(1200, "edge")
    ('1 edge', '1,200 edges')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def percent(share: float) -> str:
    """A share in words that never round something to nothing.

    >>> percent(0.123), percent(0.0001), percent(0)
    ('12.3%', '< 0.1%', '0%')
    """
    if share == 0 or share == 1:
        return f"{share:.0%}"
    return "< 0.1%" if share < 0.001 else f"{share:.1%}"


def edges(result: CausalResult) -> list[Edge]:
    """The strongest first, as in ``result.edges``; both directions held make one line."""
    A, W = result.adjacency.to_numpy(), result.weights.to_numpy()
    both = A & A.T & ~np.eye(len(A), dtype=bool)
    found = [Edge(int(i), int(j), float(W[i, j]), True) for i, j in np.argwhere(A & ~both)]
    for i, j in np.argwhere(np.triu(both)):
        weight = max(float(W[i, j]), float(W[j, i]), key=abs)
        found.append(Edge(int(i), int(j), weight, False))
    return sorted(found, key=lambda e: (-e.strength, e.source, e.target))


def warnings(result: CausalResult) -> list[str]:
    """Everything the reader should know before believing the graph; each line once."""
    lines = [] if result.status in ("", "converged") else [f"The fit: {result.status}"]
    lines += [str(w) for w in result.warnings]
    lines += result.table.warnings if result.table else ()
    return list(dict.fromkeys(lines))


def column_holes(table: Table) -> list[ColumnHoles]:
    """Every column, the most holes first."""
    missing = table.missing
    order = np.argsort(-missing.sum(axis=0), kind="stable")
    return [
        ColumnHoles(label(table.columns[j]), int(missing[:, j].sum()), float(missing[:, j].mean()))
        for j in order
    ]


def holes_picture(table: Table) -> dict[str, Any]:
    """The share missing in each block of rows, one byte a cell, for the page to paint."""
    n = len(table.values)
    bounds = np.linspace(0, n, min(n, MOST_ROWS_DRAWN) + 1).astype(int)
    share = np.add.reduceat(table.missing, bounds[:-1], axis=0, dtype=np.float64)
    share /= np.diff(bounds)[:, None]
    cells = np.ceil(share * 255).astype(np.uint8)  # up: a single hole must not round away
    return {"bounds": bounds.tolist(), "cells": base64.b64encode(cells.tobytes()).decode()}


def imputed(result: CausalResult) -> NDArray[np.float64] | None:
    """The filled table as floats, whole columns rounded as ``impute`` does; None without one."""
    if result.table is None or result.filled is None:
        return None
    return np.asarray(replace(result.table, source=result.table.values).fill(result.filled))


def rows(said: Mapping[str, Any], skip: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """A mapping as lines for a table, nested ones flattened with dots."""
    out = []
    for key, value in said.items():
        if key in skip:
            continue
        if isinstance(value, Mapping) and value:
            out += [(f"{key}.{k}", v) for k, v in rows(value)]
        else:
            text = value if isinstance(value, str) and value else repr(value)
            out.append((key, text if len(text) <= 300 else f"{text[:300]}…"))
    return out
