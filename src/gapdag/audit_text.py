"""An audit as plain text, readable at 80 columns."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from gapdag.audit import Audit
    from gapdag.mcar import Little

MOST_COLUMNS = 40
MOST_PATTERNS = 8
WIDTH = 80


def text(found: Audit) -> str:
    """The summary that printing an audit shows."""
    d = len(found.columns)
    gone = int(found.columns["missing"].sum())
    share = gone / max(found.rows * d, 1)
    lines = [
        f"{found.rows} rows, {d} columns, {gone} cells missing ({share:.1%})",
        f"complete rows: {found.complete_rows}; rows with every cell missing: {found.empty_rows}",
    ]
    if found.smallest_pair is not None:
        a, b, count = found.smallest_pair
        lines.append(f"fewest rows behind a pair of columns: {count} ({_short(a)} and {_short(b)})")
    lines += ["", *_columns(found), "", *_patterns(found), "", *_wrapped(_little(found.little))]
    for warning in found.warnings:
        lines += _wrapped(f"warning: {warning}")
    return "\n".join(lines)


def _columns(found: Audit) -> list[str]:
    """The columns with the most holes first."""
    table = found.columns.sort_values("missing", ascending=False, kind="stable")
    shown = table.head(MOST_COLUMNS)
    names = [_short(c) for c in shown.index]
    wide = max([len(n) for n in names] + [6])
    lines = [f"{'column':<{wide}}  missing    rate  observed  unique  kind"]
    for name, row in zip(names, records(shown), strict=True):
        unique = "?" if row["unique"] is None else str(int(row["unique"]))
        lines.append(
            f"{name:<{wide}}  {row['missing']:>7}  {row['rate']:>6.1%}  {row['observed']:>8}  "
            f"{unique:>6}  {row['kind']}"
        )
    if len(table) > len(shown):
        lines.append(f"... and {len(table) - len(shown)} columns with no more holes than these")
    return lines


def _patterns(found: Audit) -> list[str]:
    shown = found.patterns.head(MOST_PATTERNS)
    lines = [f"patterns of holes: {len(found.patterns)}; the most frequent:"]
    for rows, holes in zip(shown["rows"], shown["holes_in"], strict=True):
        names = ", ".join(_short(c) for c in holes) or "(complete)"
        lines.append(_short(f"  {rows:>6} row{'s:' if rows > 1 else ': '} {names}", WIDTH))
    return lines


def _little(test: Little) -> str:
    if test.p_value is None:
        return f"Little's test of missing completely at random: not made; {test.reason}."
    said = (
        f"Little's test of missing completely at random: statistic {test.statistic:.1f}, "
        f"{test.df} degrees of freedom, p = {test.p_value:.3g}"
    )
    if test.reason:
        said += f" ({test.reason})"
    if test.p_value >= 0.05:
        said += ". Nothing speaks against it here, which does not prove it"
    return said + "."


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as dicts for JSON: Python's own numbers, None for what is not finite."""

    def plain(v: Any) -> Any:
        v = v.item() if hasattr(v, "item") else v
        return None if isinstance(v, float) and not math.isfinite(v) else v

    return [{str(k): plain(v) for k, v in row.items()} for row in frame.to_dict("records")]


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent="  ")


def _short(name: object, most: int = 24) -> str:
    """A column's name on one line, control characters written out."""
    said = "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(name))
    return said if len(said) <= most else said[: most - 3] + "..."
