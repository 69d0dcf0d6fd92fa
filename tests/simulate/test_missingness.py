"""missingness.py: rates, who decides about whom, golden values, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from gapdag.errors import GapdagError
from gapdag.registry import entries
from gapdag.simulate.missingness import (
    ampute,
    intercepts,
    logistic_coefficients,
    quantile_eligible,
)

NAMES = ["mar", "mcar", "mnar-logistic", "mnar-quantile", "mnar-self"]
names = st.sampled_from(NAMES)
N, D = 4000, 10


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(7)
    mix = rng.normal(size=(D, D))
    return rng.gumbel(size=(N, D)) @ mix + 5 * rng.normal(size=D)


def test_the_names():
    assert sorted(e.name for e in entries("missingness")) == NAMES


# --- rates


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5, 0.9])
def test_affected_columns_have_the_rate(table, name, rate):
    shares = np.mean([ampute(table, name, rate, seed) for seed in range(12)], axis=1)
    affected = shares[shares > 0]
    expected = 0.6 * rate if name == "mnar-quantile" else rate
    assert abs(affected.mean() - expected) < 0.01
    spread = np.sqrt(expected * (1 - expected) / N)
    assert np.abs(affected - expected).max() < 4.5 * spread  # every column, every seed


@pytest.mark.parametrize(
    ("name", "whole"), [("mcar", 0), ("mar", 3), ("mnar-logistic", 0), ("mnar-quantile", 3)]
)
def test_columns_that_stay_whole(table, name, whole):
    kept = [~ampute(table, name, 0.3, seed).any(axis=0) for seed in range(30)]
    assert {int(k.sum()) for k in kept} == {whole}
    if whole:
        assert np.any(kept, axis=0).all()  # any column can be the one


@settings(deadline=None, max_examples=60)
@given(names, st.integers(2, 6), st.integers(2, 40), st.integers(0, 2**31), st.data())
def test_nested_in_the_rate_and_the_same_by_seed(name, d, n, seed, data):
    low = data.draw(st.floats(0, 0.98))
    high = data.draw(st.floats(low, 0.99))
    X = np.random.default_rng(seed).normal(size=(n, d))
    before = X.copy()
    holes = ampute(X, name, low, seed)
    assert holes.shape == X.shape
    assert holes.dtype == bool
    np.testing.assert_array_equal(holes, ampute(X, name, low, np.random.default_rng(seed)))
    assert not (holes & ~ampute(X, name, high, seed)).any()
    np.testing.assert_array_equal(X, before)


@given(names, st.integers(0, 2**31))
def test_rate_zero_and_none_make_no_holes(name, seed):
    X = np.random.default_rng(seed).normal(size=(5, 3))
    assert not ampute(X, name, 0.0, seed).any()
    assert not ampute(X, None, 0.5, seed).any()


@pytest.mark.parametrize("name", ["mar", "mnar-logistic", "mnar-quantile"])
@pytest.mark.parametrize("p_obs", [0.01, 0.3, 0.9999999999999999])
def test_two_columns_are_enough(name, p_obs):
    X = np.random.default_rng(0).normal(size=(1000, 2))
    holes = ampute(X, name, 0.4, seed=0, p_obs=p_obs).any(axis=0)
    assert holes.sum() == (2 if name == "mnar-logistic" else 1)


# --- who decides


def correlation(x, y):
    return abs(np.corrcoef(x, y)[0, 1])


def test_mcar_depends_on_nothing(table):
    holes = ampute(table, "mcar", 0.3, 0)
    assert max(correlation(table[:, i], holes[:, j]) for i in range(D) for j in range(D)) < 0.08


def test_mar_depends_on_the_columns_that_stay_whole():
    X = np.random.default_rng(0).normal(size=(20_000, 10))  # independent columns
    holes = ampute(X, "mar", 0.3, 0)
    whole = ~holes.any(axis=0)
    for j in np.flatnonzero(~whole):
        assert max(correlation(X[:, i], holes[:, j]) for i in np.flatnonzero(whole)) > 0.1
        assert max(correlation(X[:, i], holes[:, j]) for i in np.flatnonzero(~whole)) < 0.03


def test_mnar_logistic_depends_on_columns_with_holes_of_their_own():
    X = np.random.default_rng(0).normal(size=(20_000, 10))
    holes = ampute(X, "mnar-logistic", 0.3, 0)
    mar = ampute(X, "mar", 0.3, 0)  # the same draw up to the deciding columns
    decide = ~mar.any(axis=0)
    np.testing.assert_array_equal(holes[:, ~decide], mar[:, ~decide])
    assert (np.abs(holes[:, decide].mean(axis=0) - 0.3) < 0.02).all()
    assert all(
        max(correlation(X[:, i], holes[:, j]) for i in np.flatnonzero(decide)) > 0.1
        for j in np.flatnonzero(~decide)
    )


def test_mnar_quantile_hides_tails_only(table):
    holes = ampute(table, "mnar-quantile", 0.9, 0, quantile=0.2)
    assert not (holes & ~quantile_eligible(table, 0.2)).any()
    share = holes.sum(axis=0) / quantile_eligible(table, 0.2).sum(axis=0)
    assert (np.abs(share[share > 0] - 0.9) < 0.03).all()


def test_mnar_self_depends_on_the_own_value_of_differently_scaled_columns():
    X = np.random.default_rng(0).normal(size=(20_000, 4)) * [1e-3, 1, 10, 1e6] + [1, -3, 0, 1e6]
    holes = ampute(X, "mnar-self", 0.2, 1)
    np.testing.assert_allclose(holes.mean(axis=0), 0.2, atol=0.012)
    for j in range(4):
        seen = [correlation(X[:, i], holes[:, j]) for i in range(4)]
        assert int(np.argmax(seen)) == j
        assert seen[j] > 0.2


@pytest.mark.parametrize("name", NAMES)
def test_constant_and_binary_columns(name):
    rng = np.random.default_rng(0)
    X = np.column_stack([np.full(2000, 0.1), rng.random(2000) < 0.1, np.zeros(2000)])
    holes = ampute(X, name, 0.3, 2)
    share = holes.mean(axis=0)
    assert (np.abs(share[share > 0] - 0.3) < 0.05).all()  # tied values are all in the tails


# --- the pieces


@given(st.integers(0, 2**31), st.floats(0.01, 0.99))
def test_intercepts_solve_for_the_rate(seed, rate):
    rng = np.random.default_rng(seed)
    P = rng.normal(loc=rng.normal(scale=1000), scale=rng.uniform(0, 50), size=(30, 3))
    np.testing.assert_allclose(expit(P + intercepts(P, rate)).mean(axis=0), rate, atol=1e-8)


@pytest.mark.parametrize("rate", [5e-324, 1e-12, 1 - 1e-12, np.nextafter(1, 0)])
def test_intercepts_at_the_ends_of_the_range(rate):
    P = np.array([[0.0, -30.0], [0.0, 2.0], [0.0, 4.0]])
    np.testing.assert_allclose(expit(P + intercepts(P, rate)).mean(axis=0), rate, atol=1e-14)


@given(st.integers(0, 2**31), st.floats(1e-3, 1e3))
def test_coefficients_give_predictors_of_unit_spread_whatever_the_scale(seed, scale):
    rng = np.random.default_rng(seed)
    X, raw = rng.normal(size=(20, 3)), rng.normal(size=(3, 4))
    predictors = (scale * X) @ logistic_coefficients(scale * X, raw)
    np.testing.assert_allclose(predictors.std(axis=0, ddof=1), 1)
    np.testing.assert_allclose(predictors, X @ logistic_coefficients(X, raw), rtol=1e-6, atol=1e-9)


def test_golden(golden):
    g = golden("missingness")
    X, inputs = g["X"], g["idx_inputs"]
    coefficients = logistic_coefficients(X[:, inputs], g["coeffs_raw"])
    np.testing.assert_allclose(coefficients, g["coeffs"], atol=1e-12)
    predictors = X[:, inputs] @ coefficients
    for rate, expected in zip(g["rates"], g["intercepts"], strict=True):
        b = intercepts(predictors, rate)
        np.testing.assert_allclose(b, expected, atol=1e-8)
        np.testing.assert_allclose(expit(predictors + b).mean(axis=0), rate, atol=1e-8)
    chance = expit(predictors + intercepts(predictors, 0.3))
    np.testing.assert_allclose(chance, g["probs_rate03"], atol=1e-8)


def test_golden_quantiles(golden):
    g = golden("missingness")
    eligible = quantile_eligible(g["X"], float(g["q"]))
    np.testing.assert_array_equal(eligible, g["quantile_eligible"])
    inside, tails = np.where(eligible, np.nan, g["X"]), np.where(eligible, g["X"], np.nan)
    middle = (g["quantile_lower"] + g["quantile_upper"]) / 2
    assert (np.nanmin(inside, axis=0) > g["quantile_lower"]).all()
    assert (np.nanmax(inside, axis=0) < g["quantile_upper"]).all()
    lower = np.nanmax(np.where(tails < middle, tails, np.nan), axis=0)
    upper = np.nanmin(np.where(tails > middle, tails, np.nan), axis=0)
    np.testing.assert_array_equal(lower, g["quantile_lower"])
    np.testing.assert_array_equal(upper, g["quantile_upper"])


# --- what is refused


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rate": 1.0}, "rate must be a number 0 <= rate < 1, got 1.0"),
        ({"rate": -0.1}, "rate must be"),
        ({"rate": float("nan")}, "rate must be"),
        ({"rate": "0.3"}, "rate must be"),
        ({"p_obs": 0.0}, "p_obs must be a number 0 < p_obs < 1"),
        ({"p_obs": 1.0}, "p_obs must be"),
        ({"quantile": 0.6}, "quantile must be a number 0 < quantile <= 0.5, got 0.6"),
        ({"missingness": "mnar"}, "unknown missingness 'mnar'"),
        ({"missingness": "mcra"}, "did you mean: mcar"),
        ({"seed": None}, "seed must be a whole number or a numpy Generator"),
        ({"seed": -1}, "seed must be 0 or more"),
        ({"X": np.zeros((4, 1)), "missingness": "mar"}, "'mar' needs 2 columns or more, got 1"),
        ({"X": np.zeros(4)}, "X must be a table of 2 rows or more"),
        ({"X": [[1.0, np.nan], [1.0, 2.0]]}, "X must be complete"),
        ({"X": [["a"], ["b"]]}, "X must hold numbers only"),
    ],
)
def test_refused_in_one_line(options, says):
    with pytest.raises(GapdagError, match=says) as caught:
        ampute(**{"X": np.zeros((4, 3)), **options})
    assert "\n" not in str(caught.value)
