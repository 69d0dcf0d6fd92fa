"""What the page says and draws, before it is HTML."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from gapdag.report import charts, content
from gapdag.table import read_table


def test_holes_picture_keeps_every_hole() -> None:
    X = np.random.default_rng(0).normal(size=(5000, 3))
    X[1234, 1] = np.nan
    picture = content.holes_picture(read_table(X))
    cells = np.frombuffer(base64.b64decode(picture["cells"]), np.uint8).reshape(-1, 3)
    assert len(cells) == content.MOST_ROWS_DRAWN == len(picture["bounds"]) - 1
    row = int(np.flatnonzero(cells[:, 1])[0])
    assert (cells > 0).sum() == 1
    assert picture["bounds"][row] <= 1234 < picture["bounds"][row + 1]


@pytest.mark.parametrize(
    ("seen", "new"),
    [
        ([0, 1, 1, 0, 1], [1, 0]),
        ([7, 7, 7, 7, 7], [7]),
        ([0.1, 0.2, 0.4, 0.2], [1e9, -1e9]),
        ([1e17, 1e17 + 16, 1e17], [1e17]),
        ([1e-300, 2e-300, 3e-300], [1e-300]),
        ([-1e100, 1e100, 0.0], [0.0]),
    ],
)
def test_histograms_of_odd_columns(seen: list[float], new: list[float]) -> None:
    values = np.array([*seen, *[np.nan] * len(new)])[:, None]
    filled = np.array([*seen, *new])[:, None]
    (panel,) = charts.panels(["x"], values, filled)
    assert "nan" not in panel.svg
    assert "inf" not in panel.svg


def test_most_different_panel_first() -> None:
    values = np.random.default_rng(0).normal(size=(50, 2))
    filled = values.copy()
    values[:9] = np.nan
    filled[:9, 1] = 5
    assert [p.name for p in charts.panels(["a", "b"], values, filled)] == ["b", "a"]


def test_lines_take_what_there_is() -> None:
    history = [{"h": 10.0**-k, "bad": None, "note": "x", "flag": True} for k in range(9)]
    assert [line.title for line in charts.lines(history)] == ["h (log scale)"]
    for nothing in (None, "text", [], [{"step": 1, "h": 2.0}], [3, 4]):
        assert charts.lines(nothing) == []


def test_labels() -> None:
    assert content.label("dose") == "dose"
    assert content.label("") == content.label(" \n\x00") == "(no name)"
    assert len(content.label("x" * 5000)) == content.LONGEST_NAME


def test_numbers() -> None:
    said = [content.number(x) for x in (0.0, -1.5, 0.0004, 123456.0, 2.2e-308)]
    assert said == ["0.000", "−1.500", "0.0004", "1.23e+05", "2.2e-308"]
