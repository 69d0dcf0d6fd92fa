"""What every acyclicity and every divergence keeps to: its zero, its sign and its gradient."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts import everything
from gapdag import graph
from gapdag.errors import GapdagError

ACYCLICITIES = everything.found("acyclicity")
DIVERGENCES = everything.found("divergence")
acyclicity = pytest.mark.parametrize("entry", ACYCLICITIES, ids=everything.ids)
divergence = pytest.mark.parametrize("entry", DIVERGENCES, ids=everything.ids)

SMOOTH = {"mmd": {"bandwidth": 1.3}}
"""options with which a divergence has no part that its gradient takes for constant"""

SEEDS = st.integers(0, 2**20)


def positive(seed: int, d: int) -> np.ndarray:
    """A (d, d) >= 0 of spectral radius below 0.9, dense, with cycles."""
    A = np.random.default_rng(seed).random((d, d)) ** 2
    np.fill_diagonal(A, 0.0)
    return 0.9 * A / max(A.sum(axis=1).max(), 1.0)


def dag(seed: int, d: int) -> np.ndarray:
    order = np.random.default_rng(seed).permutation(d)
    return np.triu(positive(seed, d), 1)[np.ix_(order, order)]


def differences(f, at: np.ndarray, step: float) -> np.ndarray:
    """The gradient from values at and above ``at`` alone: an acyclicity is defined on A >= 0."""
    slope = np.empty_like(at)
    for place in np.ndindex(at.shape):
        near, far = at.copy(), at.copy()
        near[place] += step
        far[place] += 2 * step
        slope[place] = (4 * f(near) - 3 * f(at) - f(far)) / (2 * step)
    return slope


def test_there_are_some():
    assert ACYCLICITIES
    assert DIVERGENCES


@acyclicity
@given(seed=SEEDS, d=st.integers(1, 12))
@settings(max_examples=20, deadline=None)
def test_zero_on_dags(entry, seed, d):
    assert abs(entry.object(dag(seed, d))) < 1e-10


@acyclicity
@given(seed=SEEDS, d=st.integers(2, 12))
@settings(max_examples=20, deadline=None)
def test_positive_on_cycles(entry, seed, d):
    A = positive(seed, d)
    assert not graph.is_dag(A)
    assert entry.object(A) > 1e-8


@acyclicity
@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_positive_on_one_cycle_of_any_length(entry, length):
    A = np.zeros((6, 6))
    for k in range(length):
        A[k, (k + 1) % length] = 0.9
    assert entry.object(A) > 1e-5


@acyclicity
@given(seed=SEEDS, d=st.integers(1, 6))
@settings(max_examples=10, deadline=None)
def test_gradient_of_acyclicity(entry, seed, d):
    for A in (positive(seed, d), dag(seed, d)):
        value, slope = entry.object(A, return_grad=True)
        assert value == pytest.approx(entry.object(A), abs=1e-12)
        wanted = differences(entry.object, A, 1e-5)
        np.testing.assert_allclose(slope, wanted, rtol=1e-5, atol=1e-7)


@acyclicity
@given(seed=SEEDS)
@settings(max_examples=10, deadline=None)
def test_renaming_nodes_changes_nothing(entry, seed):
    A, order = positive(seed, 7), np.random.default_rng(seed).permutation(7)
    assert entry.object(A[np.ix_(order, order)]) == pytest.approx(entry.object(A), rel=1e-9)


@acyclicity
def test_input_untouched_and_shape_checked(entry):
    A = positive(0, 5)
    before = A.tobytes()
    entry.object(A, return_grad=True)
    assert A.tobytes() == before
    with pytest.raises(GapdagError, match="square"):
        entry.object(np.zeros((2, 3)))


@divergence
@given(seed=SEEDS, n=st.integers(20, 40), d=st.integers(1, 4))
@settings(max_examples=10, deadline=None)
def test_equal_samples_are_no_distance_apart(entry, seed, n, d):
    """Exactly none where the estimate is biased; an unbiased one is off by about 1/n."""
    x = np.random.default_rng(seed).normal(size=(n, d))
    near, far = entry.object(x, x), entry.object(x, x + 3.0)
    assert abs(near) < 2.5 / n
    assert far > 0.1
    assert far > near


@divergence
@given(seed=SEEDS, d=st.integers(1, 3))
@settings(max_examples=5, deadline=None)
def test_gradient_of_divergence(entry, seed, d):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(7, d)), rng.normal(size=(7, d)) + 0.5
    options = SMOOTH.get(entry.name, {})
    value, slope = entry.object(x, y, return_grad=True, **options)
    assert value == pytest.approx(entry.object(x, y, **options))
    wanted = differences(lambda z: entry.object(z, y, **options), x, 1e-5)
    np.testing.assert_allclose(slope, wanted, rtol=1e-4, atol=1e-6)


@divergence
@given(seed=SEEDS)
@settings(max_examples=5, deadline=None)
def test_divergence_is_symmetric_and_deaf_to_the_order_of_rows(entry, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(12, 2)), rng.normal(size=(12, 2)) + 1
    value = entry.object(x, y)
    assert entry.object(y, x) == pytest.approx(value, rel=1e-6, abs=1e-9)
    assert entry.object(rng.permutation(x), y) == pytest.approx(value, rel=1e-6, abs=1e-9)


@divergence
def test_samples_untouched(entry):
    x, y = np.random.default_rng(0).normal(size=(2, 10, 2))
    before = x.tobytes() + y.tobytes()
    entry.object(x, y, return_grad=True)
    assert x.tobytes() + y.tobytes() == before


@pytest.mark.parametrize("entry", ACYCLICITIES + DIVERGENCES, ids=everything.ids)
def test_term_docstring_has_an_example(entry):
    assert ">>>" in entry.object.__doc__
    assert entry.summary.endswith(".")
    assert entry.reference
