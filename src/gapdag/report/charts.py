"""Small charts as SVG text: histograms, and one line over the steps of a fit.

Written here by hand, and not with matplotlib, for three reasons: classes let the page's style
sheet colour them (light and dark), a panel is under 1 kB where matplotlib's is 20 kB, and the page
forbids the style attributes and web references that matplotlib writes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from gapdag.report.content import count, label, number

Array = NDArray[np.float64]
BINS = 24
MOST_POINTS = 300


@dataclass(frozen=True)
class Panel:
    """One column of the imputation check."""

    name: str
    counts: str
    shift: float | None
    """how far the filled values' mean lies from the observed one, in observed deviations"""
    svg: Markup

    @property
    def said(self) -> str:
        if self.shift is None:
            return "constant"
        return f"mean {'+' if self.shift >= 0 else '−'}{abs(self.shift):.2f} sd"


@dataclass(frozen=True)
class Line:
    title: str
    svg: Markup


def panels(columns: Sequence[str], values: Array, filled: Array) -> list[Panel]:
    """Columns with holes, the ones whose filled values differ most from the observed first."""
    out = []
    for j, name in enumerate(columns):
        holes = np.isnan(values[:, j])
        new = filled[holes, j]
        new = new[np.isfinite(new)]
        if len(new):
            out.append(_panel(label(name), values[~holes, j], new))
    return sorted(out, key=lambda p: -abs(p.shift or 0.0))


def _panel(name: str, seen: Array, new: Array) -> Panel:
    spread = float(seen.std())
    shift = float((new.mean() - seen.mean()) / spread) if spread > 0 else None
    counts = f"{len(seen):,} observed, {len(new):,} filled"
    edges, ends = _bins(seen, new)
    # shares, not counts: the two have different sizes, and their shapes are what compares
    low, high = edges[0], edges[-1]
    a = np.histogram(seen, edges)[0] / len(seen)
    b = np.histogram(np.clip(new, low, high), edges)[0] / len(new)
    top = max(a.max(), b.max())
    size = {"width": 220.0, "height": 84.0}
    said = Markup("{}: {}, means {} and {}").format(
        name, counts, number(float(seen.mean())), number(float(new.mean()))
    )
    svg = Markup(
        '<svg class="hist" viewBox="0 0 220 104" role="img" aria-label="{}">'
        '<path class="observed" d="{}Z"/><path class="filled" d="{}"/>'
        '<path class="axis" d="M0 84.5H220"/><text x="0" y="99">{}</text>'
        '<text x="220" y="99" class="end">{}</text></svg>'
    ).format(said, _steps(a / top, **size), _steps(b / top, **size), *ends)
    return Panel(name, counts, shift, svg)


def _bins(seen: Array, new: Array) -> tuple[Array, tuple[str, str]]:
    """Edges over what was observed and half as much again, and what to write at their ends."""
    low, high = float(seen.min()), float(seen.max())
    room = (high - low) / 2 or 0.5
    low, high = max(low - room, min(low, new.min())), min(high + room, max(high, new.max()))
    whole = bool((seen == np.floor(seen)).all() and (new == np.floor(new)).all())
    if whole and high - low < BINS:  # a bar for each number
        low, high = math.floor(low), math.ceil(high)
        return np.arange(low, high + 2) - 0.5, (_short(low), _short(high))
    if high == low:
        return np.array([low - 0.5, low + 0.5]), ("", _short(low))
    return np.linspace(low, high, BINS + 1), (_short(low), _short(high))


def _steps(shares: Array, width: float, height: float) -> str:
    """The outline of bars that fill width x height."""
    at = np.linspace(0, width, len(shares) + 1)
    path = [f"M0 {height:g}"]
    for share, x in zip(shares, at[1:], strict=True):
        path.append(f"V{height - share * (height - 4):.1f}H{x:.1f}")
    return "".join(path) + f"V{height:g}"


def _short(x: float) -> str:
    return f"{x:.3g}".replace("-", "−", 1)


def lines(history: Any) -> list[Line]:
    """A chart for each number that a fit noted at its steps; nothing where it noted none."""
    if not isinstance(history, list | tuple):
        return []
    notes = [note for note in history if isinstance(note, Mapping)]
    keys = dict.fromkeys(str(k) for note in notes for k in note)
    steps = [_finite(note.get("step")) for note in notes]
    if any(s is None for s in steps):
        steps = [float(k) for k in range(len(notes))]
    out = []
    for key in keys:
        ys = [_finite(note.get(key)) for note in notes]
        points = [(x, y) for x, y in zip(steps, ys, strict=True) if x is not None and y is not None]
        if key != "step" and len(points) > 1:
            out.append(_line(key.replace("_", " "), np.array(points)))
    return out


def _finite(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        return None
    return float(value) if math.isfinite(value) else None


def _line(title: str, points: Array) -> Line:
    keep = np.unique(np.linspace(0, len(points) - 1, MOST_POINTS).round().astype(int))
    xs, ys = points[keep].T
    positive = ys > 0
    # acyclicity falls by decades towards 0, where a straight scale shows nothing
    log = positive.mean() > 0.5 and ys.min() >= 0 and ys.max() > 1000 * ys[positive].min()
    if log:
        ys = np.log10(np.where(positive, ys, ys[positive].min()))
    px = 52 + 304 * (xs - xs.min()) / (np.ptp(xs) or 1)
    py = 140 - 126 * (ys - ys.min()) / (np.ptp(ys) or 1)
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in zip(px, py, strict=True))
    ends = [10**y if log else y for y in (ys.max(), ys.min())]
    first, last = points[0, 1], points[-1, 1]
    svg = Markup(
        '<svg class="line" viewBox="0 0 360 160" role="img" aria-label="{}">'
        '<path class="grid" d="M52 14.5H356"/><path class="axis" d="M52 140.5H356M52 14V140"/>'
        '<path class="run" d="{}"/><text x="46" y="18" class="end">{}</text>'
        '<text x="46" y="144" class="end">{}</text><text x="52" y="157">{}</text>'
        '<text x="356" y="157" class="end">{}</text></svg>'
    ).format(
        f"{title} over {count(len(points), 'step')}: from {_short(first)} to {_short(last)}",
        path,
        _short(ends[0]),
        _short(ends[1]),
        f"step {xs.min():g}",
        f"{xs.max():g}",
    )
    return Line(f"{title} (log scale)" if log else title, svg)
