"""Fixtures for every test."""

from __future__ import annotations

import hypothesis
import pytest

import golden as golden_values


@pytest.fixture
def golden():
    """golden("metrics"): the arrays of that file, or a skip that says how to get it."""
    return golden_values.load


# a loaded machine is slow, not wrong
hypothesis.settings.register_profile("gapdag", deadline=None)
hypothesis.settings.load_profile("gapdag")
