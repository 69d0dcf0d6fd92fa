"""mean and median: the limits first, then an example each."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gapdag.imputers import MeanImputer, MedianImputer

CASES = [(MeanImputer, np.nanmean), (MedianImputer, np.nanmedian)]


def holes(seed: int, shape: tuple[int, int], rate: float = 0.3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=shape)
    X[rng.random(shape) < rate] = np.nan
    X[:5] = rng.normal(size=(5, shape[1]))
    X[:, -1] = rng.normal(size=shape[0])  # no row is empty
    return X


@pytest.mark.parametrize(("imputer", "value"), CASES)
@given(seed=st.integers(0, 2**20), exponent=st.integers(-100, 90))
@settings(max_examples=30, deadline=None)
def test_every_hole_gets_the_columns_value_at_any_scale(imputer, value, seed, exponent):
    X = holes(seed, (20, 3)) * 10.0**exponent
    filled = imputer().fit_transform(X)
    expected = np.where(np.isnan(X), value(X, axis=0), X)
    np.testing.assert_allclose(filled, expected, rtol=1e-12)


@pytest.mark.parametrize("imputer", [MeanImputer, MedianImputer])
def test_without_holes_it_is_the_identity(imputer):
    X = holes(0, (12, 4), rate=0.0)
    np.testing.assert_array_equal(imputer().fit_transform(X), X)


def test_the_median_is_deaf_to_an_outlier():
    X = holes(1, (30, 2))
    X[0, 0] = 1e9
    gap = np.isnan(X[:, 0])
    assert gap.any()
    assert np.abs(MedianImputer().fit_transform(X)[gap, 0]).max() < 1
    assert MeanImputer().fit_transform(X)[gap, 0].min() > 1e6
