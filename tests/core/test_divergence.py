import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core import oracle
from gapdag.core import divergence
from gapdag.core.divergence import REFERENCE_SCALES, LiveMMD, median_distance, mmd, mmd_both
from gapdag.core.objective import Divergence
from gapdag.errors import GapdagError


@given(st.integers(2, 40), st.integers(1, 6), st.integers(0, 99), st.floats(0.1, 10))
def test_value_and_gradients_are_autograds(n, d, seed, sigma):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, d)), rng.normal(1, 2, size=(n, d))
    rates = [0.5 / sigma**2, 0.1]
    tx, ty = (torch.tensor(a, requires_grad=True) for a in (x, y))
    value = oracle.mmd(tx, ty, rates)
    value.backward()
    ours, gx, gy = mmd_both(x, y, rates)
    assert ours == pytest.approx(float(value), rel=1e-9, abs=1e-12)
    np.testing.assert_allclose(gx, tx.grad, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(gy, ty.grad, rtol=1e-7, atol=1e-12)


def test_tiles_do_not_show(monkeypatch):
    x, y = np.random.default_rng(0).normal(size=(2, 90, 3))
    whole = mmd_both(x, y, [0.3])
    monkeypatch.setattr(divergence, "TILE", 17)
    for a, b in zip(whole, mmd_both(x, y, [0.3]), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-14)


def test_rows_whose_values_all_underflow_are_skipped_without_a_trace():
    """The reference bandwidth in 50 dimensions: nearly every kernel value is exactly zero."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 60, 50))
    x[1] = x[0] + 0.1  # two close rows: one pair of kernel values is alive
    rates = [2 * 50 / s for s in REFERENCE_SCALES]
    value, gx, gy = mmd_both(x, y, rates)
    u, v = (torch.tensor(a, requires_grad=True) for a in (x, y))
    slow = oracle.mmd(u, v, rates)
    slow.backward()
    assert value == pytest.approx(slow.item(), rel=1e-12)
    assert value != 0
    for ours, theirs in ((gx, u.grad), (gy, v.grad)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-20)
    value, gx, gy = mmd_both(100 * x, 100 * y, rates)
    assert value == 0
    assert not gx.any()
    assert not gy.any()


def test_limits():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 500, 3))
    assert abs(mmd(x, y)) < 0.005  # one law
    assert mmd(x, y + 3) > 0.5  # two laws
    assert mmd(x, y) == pytest.approx(mmd(y, x))


def test_median_is_over_the_pooled_pairs_and_never_zero():
    x = np.array([[0.0], [1.0]])
    y = np.array([[3.0], [3.0]])  # distances 1, 3, 3, 2, 2, 0
    assert median_distance(x, y) == 2
    assert median_distance(np.zeros((3, 1)), np.zeros((3, 1))) == 1


@pytest.mark.parametrize("pair", ["UV", "UZ"])
@pytest.mark.parametrize(
    ("tag", "bandwidth"), [("sigma1", 1.0), ("median", "median"), ("ref7", "reference")]
)
def test_golden_values(golden, pair, tag, bandwidth):
    g = golden("mmd")
    u, v = g[pair[0]], g[pair[1]]
    value, first = mmd(u, v, bandwidth, return_grad=True)
    assert value == pytest.approx(g[f"mmd2_{tag}_{pair}"], abs=1e-11)
    np.testing.assert_allclose(first, g[f"grad_{tag}_{pair}_first"], atol=1e-11)
    second = mmd(v, u, bandwidth, return_grad=True)[1]
    np.testing.assert_allclose(second, g[f"grad_{tag}_{pair}_second"], atol=1e-11)


def test_a_draw_of_rows_is_unbiased_but_for_the_diagonal_of_the_cross_term():
    rng = np.random.default_rng(0)
    x, y = rng.normal([[[0]], [[1]]], 1, size=(2, 2, 400))
    whole, *_ = Divergence(LiveMMD(1.0), None, rng)(y - x, x)
    draws = [Divergence(LiveMMD(1.0), 100, rng)(y - x, x) for _ in range(200)]
    values = np.array([d[0] for d in draws])
    assert abs(values.mean() - whole) < 4 * values.std() / np.sqrt(200) + 1e-3
    assert {len(set(rows)) for _, rows, _, _ in draws} == {100}
    assert {gradient.shape for *_, gradient in draws} == {(2, 100)}


@pytest.mark.parametrize("bandwidth", ["mean", "median/", "median/0", "median/x", 0.0, -1.0])
def test_bad_bandwidth(bandwidth):
    with pytest.raises(GapdagError, match="bandwidth must be"):
        mmd(np.zeros((3, 2)), np.zeros((3, 2)), bandwidth)


def test_a_share_of_the_median_is_one():
    x, y = np.random.default_rng(0).normal(size=(2, 30, 3))
    assert mmd(x, y, "median/4") == mmd(x, y, median_distance(x, y) / 4)
    assert mmd(x, y, "median/1") == mmd(x, y)


def test_bad_shapes():
    with pytest.raises(GapdagError, match="same shape"):
        mmd(np.zeros((3, 2)), np.zeros((3, 3)))
