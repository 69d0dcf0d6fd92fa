"""Fixtures for every test."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import hypothesis
import pytest

import golden as golden_values


@pytest.fixture
def golden():
    """golden("metrics"): the arrays of that file, or a skip that says how to get it."""
    return golden_values.load


# numba compiles a file anew when it has changed, but not when one it takes code from has
_core = Path(__file__).parent.parent / "src" / "gapdag" / "core"
_code = hashlib.sha256(b"".join(f.read_bytes() for f in sorted(_core.glob("*.py"))))
_cache = _core.parents[2] / ".pytest_cache" / f"numba-{_code.hexdigest()[:12]}"
os.environ.setdefault("NUMBA_CACHE_DIR", str(_cache))

# a loaded machine is slow, not wrong
hypothesis.settings.register_profile("gapdag", deadline=None)
hypothesis.settings.load_profile("gapdag")
