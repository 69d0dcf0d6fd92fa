"""mechanisms.py: the noise is what it says, it arrives everywhere, and f is a function."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from gapdag.errors import GapdagError
from gapdag.registry import entries, find
from gapdag.simulate import mechanisms
from gapdag.simulate.mechanisms import NOISES, draw_noise, sample, signed_uniform

MECHANISMS = ["gp", "gp-add", "linear", "mim", "mlp"]
EDGE = np.array([[0, 1], [0, 0]])
# skewness, excess kurtosis of each noise
SHAPES = {
    "gaussian": (0, 0),
    "exponential": (2, 6),
    "laplace": (0, 3),
    "gumbel": (1.1395, 2.4),
    "uniform": (0, -1.2),
}
CDFS = {
    "gaussian": stats.norm(),
    "exponential": stats.expon(loc=-1),
    "laplace": stats.laplace(scale=np.sqrt(0.5)),
    "gumbel": stats.gumbel_r(-np.euler_gamma * np.sqrt(6) / np.pi, np.sqrt(6) / np.pi),
    "uniform": stats.uniform(-np.sqrt(3), 2 * np.sqrt(3)),
}


def rngs(seed=0):
    return np.random.default_rng(seed).spawn(2)


def test_the_names():
    assert sorted(e.name for e in entries("mechanism")) == MECHANISMS
    assert sorted(NOISES) == sorted(SHAPES)


@pytest.mark.parametrize("noise", sorted(NOISES))
def test_noise_has_mean_zero_unit_variance_and_its_own_law(noise):
    law = CDFS[noise]
    assert law.mean() == pytest.approx(0, abs=1e-12)
    assert law.std() == pytest.approx(1, abs=1e-12)
    assert law.stats("sk") == pytest.approx(SHAPES[noise], abs=1e-3)
    e = draw_noise(noise, "ev", 20_000, 1, np.random.default_rng(0))[:, 0]
    assert stats.kstest(e, law.cdf).pvalue > 0.001


def test_nv_scales_are_between_one_and_two_and_ev_is_the_same_draw_unscaled():
    nv = draw_noise("gaussian", "nv", 5000, 40, np.random.default_rng(3))
    ev = draw_noise("gaussian", "ev", 5000, 40, np.random.default_rng(3))
    ratio = nv / ev
    np.testing.assert_allclose(ratio, np.broadcast_to(ratio[0], ratio.shape))
    assert ratio.min() >= 1
    assert ratio.max() <= 2
    assert np.ptp(ratio[0]) > 0.5


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("noise", sorted(NOISES))
def test_the_noise_arrives_whatever_the_mechanism(mechanism, noise):
    # in the authors' nonlinear code it does not: their noise is always Gaussian
    n = 200
    X = sample(EDGE, n, mechanism, noise, "nv", *rngs())
    mechanism_rng, noise_rng = rngs()
    E = draw_noise(noise, "nv", n, 2, noise_rng)
    np.testing.assert_array_equal(X[:, 0], E[:, 0])  # a root is noise alone
    f = find("mechanism", mechanism)(E[:, [0]], mechanism_rng)
    np.testing.assert_allclose(X[:, 1] - f, E[:, 1], atol=1e-12)


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(MECHANISMS), st.integers(2, 30), st.integers(1, 5), st.integers(0, 2**31))
def test_a_mechanism_is_a_finite_function_of_the_parents(mechanism, n, k, seed):
    parents = np.random.default_rng(seed).normal(scale=3.0, size=(n, k))
    before = parents.copy()
    doubled = np.vstack([parents, parents])
    f = find("mechanism", mechanism)
    out = f(doubled, np.random.default_rng(seed))
    assert out.shape == (2 * n,)
    assert np.isfinite(out).all()
    np.testing.assert_allclose(out[:n], out[n:], atol=0.02)  # jitter of the gp: 6 sd are 0.009
    np.testing.assert_array_equal(parents, before)
    np.testing.assert_array_equal(out, f(doubled, np.random.default_rng(seed)))


def test_weights_are_between_a_half_and_two_with_either_sign():
    w = signed_uniform(np.random.default_rng(0), (10_000,))
    assert np.abs(w).min() >= 0.5
    assert np.abs(w).max() <= 2.0
    assert stats.kstest(np.abs(w), stats.uniform(0.5, 1.5).cdf).pvalue > 0.001
    assert abs((w > 0).mean() - 0.5) < 0.02


def test_linear_recovers_its_weights():
    X = sample(EDGE, 100_000, "linear", "exponential", "ev", *rngs(1))
    slope = np.polyfit(X[:, 0], X[:, 1], 1)[0]
    assert 0.49 < abs(slope) < 2.01
    assert X[:, 1].std() == pytest.approx(np.sqrt(1 + slope**2), rel=0.02)


def test_mlp_of_zero_input_is_half_the_sum_of_its_output_weights():
    # 100 weights of mean 0 and mean square 1.75, halved: standard deviation 6.6
    draws = [find("mechanism", "mlp")(np.zeros((1, 1)), r)[0] for r in rngs()[0].spawn(300)]
    assert np.std(draws) == pytest.approx(np.sqrt(100 * 1.75) / 2, rel=0.15)


@pytest.mark.parametrize("limit", [10_000, 0])
def test_gp_has_the_rbf_covariance_drawn_either_way(limit, monkeypatch):
    monkeypatch.setattr(mechanisms, "MAX_CHOLESKY", limit)
    points = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [6.0, 0.0]])
    draws = np.array([mechanisms.gp(points, r) for r in np.random.default_rng(0).spawn(3000)])
    apart = ((points[:, None] - points[None]) ** 2).sum(axis=-1)
    np.testing.assert_allclose(np.cov(draws.T), np.exp(-apart / 2), atol=0.08)


def test_gp_add_is_additive_and_gp_is_not():
    a, b = np.meshgrid([0.0, 1.5], [0.0, 1.5])
    corners = np.column_stack([a.ravel(), b.ravel()])  # 00, 10, 01, 11
    twist = np.array([1.0, -1.0, -1.0, 1.0])  # zero on every sum g(a) + h(b)
    for name, additive in (("gp-add", True), ("gp", False)):
        sizes = [
            abs(find("mechanism", name)(corners, r) @ twist)
            for r in np.random.default_rng(0).spawn(100)
        ]
        assert (max(sizes) < 0.03) == additive


def test_many_rows_are_drawn_without_the_kernel_matrix():
    n = 20_000
    x = np.linspace(-3, 3, n)[:, None]
    f = mechanisms.gp(x, np.random.default_rng(0))
    assert f.shape == (n,)
    assert np.abs(np.diff(f)).max() < 0.01  # smooth
    assert f.std() > 0.1


def test_cholesky_survives_rows_that_repeat():
    assert np.isfinite(mechanisms.gp(np.zeros((1500, 1)), np.random.default_rng(0))).all()


def test_nodes_are_made_in_causal_order():
    chain = np.zeros((3, 3))
    chain[2, 1] = chain[1, 0] = 1
    X = sample(chain, 20_000, "linear", "gaussian", "ev", *rngs())
    assert X[:, 2].std() == pytest.approx(1, rel=0.03)
    residual = X[:, 0] - np.polyval(np.polyfit(X[:, 1], X[:, 0], 1), X[:, 1])
    assert residual.std() == pytest.approx(1, rel=0.03)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((100, "mpl", "gaussian", "nv"), "unknown mechanism 'mpl'; did you mean: mlp"),
        ((100, "mlp", "gausian", "nv"), "unknown noise 'gausian'; did you mean: gaussian"),
        ((100, "mlp", "gaussian", "xv"), "unknown noise_scale 'xv'"),
        ((1, "mlp", "gaussian", "nv"), "n \\(rows\\) must be a whole number of at least 2"),
    ],
)
def test_refused(arguments, says):
    with pytest.raises(GapdagError, match=says):
        sample(EDGE, *arguments, *rngs())


def test_a_cyclic_graph_has_no_sample():
    with pytest.raises(GapdagError, match="cycle"):
        sample([[0, 1], [1, 0]], 10, "linear", "gaussian", "ev", *rngs())
