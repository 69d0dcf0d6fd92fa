"""Finds the golden reference values, which are kept beside the repository and not in it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

VARIABLE = "GAPDAG_GOLDEN"
DEFAULT = Path(__file__).resolve().parents[1].parent / "shared" / "golden"


def load(name: str) -> dict[str, np.ndarray]:
    """The arrays of golden/<name>.npz; skips the test, saying why, where there is none."""
    folder = Path(os.environ.get(VARIABLE) or DEFAULT)
    path = folder / f"{name}.npz"
    if not path.is_file():
        pytest.skip(
            f"golden values not found: no {name}.npz in {folder}. They are not part of the "
            f"repository; set {VARIABLE} to a copy of the project's golden folder (README.md "
            "and one .npz a topic), or put it at ../shared/golden."
        )
    with np.load(path, allow_pickle=False) as stored:
        return {key: stored[key] for key in stored.files}
