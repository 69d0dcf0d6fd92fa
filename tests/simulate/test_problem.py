"""simulate.problem: whole by seed, streams that do not disturb each other, and its limits."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gapdag.errors import GapdagError
from gapdag.graph import is_dag
from gapdag.problem import Problem
from gapdag.simulate import GRAPHS, NOISE_SCALES, NOISES, problem

MECHANISMS = ["linear", "mlp", "mim", "gp", "gp-add"]
MISSINGNESS = [None, "mcar", "mar", "mnar-logistic", "mnar-quantile", "mnar-self"]
SMALL = {"d": 6, "edges": 8, "n": 40}


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from(sorted(GRAPHS)),
    st.sampled_from(MECHANISMS),
    st.sampled_from(sorted(NOISES)),
    st.sampled_from(MISSINGNESS),
    st.sampled_from(NOISE_SCALES),
    st.integers(0, 2**40),
)
def test_every_combination_is_a_problem_and_the_same_by_seed(g, m, noise, missingness, ns, seed):
    options = {
        "graph": g,
        "mechanism": m,
        "noise": noise,
        "missingness": missingness,
        "noise_scale": ns,
        "seed": seed,
        **SMALL,
    }
    p, again = problem(**options), problem(**options)
    assert isinstance(p, Problem)
    assert is_dag(p.adjacency)
    assert np.isfinite(p.X_true).all()
    np.testing.assert_array_equal(p.X, again.X)
    np.testing.assert_array_equal(p.X_true, again.X_true)
    np.testing.assert_array_equal(p.adjacency, again.adjacency)
    np.testing.assert_array_equal(p.X[~p.missing], p.X_true[~p.missing])
    assert p.missing.any() == (missingness is not None)


def test_holes_do_not_touch_the_graph_or_the_complete_table():
    base = problem(**SMALL, seed=3)
    for missingness, rate, p_obs in product(MISSINGNESS, [0.0, 0.1, 0.5], [0.2, 0.5]):
        p = problem(**SMALL, seed=3, missingness=missingness, rate=rate, p_obs=p_obs)
        np.testing.assert_array_equal(p.X_true, base.X_true)
        np.testing.assert_array_equal(p.adjacency, base.adjacency)


def test_each_purpose_has_a_stream_of_its_own():
    base = problem(**SMALL, seed=3)
    other = problem(**SMALL, seed=3, mechanism="mim", noise="laplace")
    np.testing.assert_array_equal(other.adjacency, base.adjacency)
    np.testing.assert_array_equal(other.missing, base.missing)  # mcar looks at no value
    roots = ~base.adjacency.any(axis=0)
    mim = problem(**SMALL, seed=3, mechanism="mim")
    np.testing.assert_array_equal(mim.X_true[:, roots], base.X_true[:, roots])


def test_seeds_differ_and_nothing_is_seeded_globally():
    np.random.seed(0)  # noqa: NPY002  the global state is what is tested
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    a, b = problem(**SMALL, seed=0), problem(**SMALL, seed=1)
    assert not np.array_equal(a.X_true, b.X_true)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_the_defaults_are_the_paper_s_setting():
    p = problem()
    assert p.X.shape == (1000, 50)
    assert 60 < p.adjacency.sum() < 140
    assert abs(p.missing.mean() - 0.3) < 0.01
    assert p.columns[:2] == ["x0", "x1"]


@pytest.mark.parametrize("options", [{"missingness": None}, {"rate": 0}, {"rate": 0.0}])
def test_a_complete_table(options):
    p = problem(**SMALL, **options)
    np.testing.assert_array_equal(p.X, p.X_true)


def test_about_keeps_every_argument_and_fits_into_json():
    p = problem(**SMALL, rate=np.float64(0.2), seed=np.int64(5))
    assert p.about == {
        "graph": "ER",
        "mechanism": "mlp",
        "noise": "gaussian",
        "missingness": "mcar",
        "rate": 0.2,
        "seed": 5,
        "noise_scale": "nv",
        "p_obs": 0.3,
        "quantile": 0.3,
        **SMALL,
    }
    again = problem(**json.loads(json.dumps(p.about)))
    np.testing.assert_array_equal(again.X, p.X)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"graph": "er"}, "unknown graph 'er'.*ER"),
        ({"mechanism": "gp-ad"}, "unknown mechanism 'gp-ad'; did you mean: gp-add"),
        ({"noise": "gausian"}, "did you mean: gaussian"),
        ({"missingness": "mnar-logstic"}, "did you mean: mnar-logistic"),
        ({"rate": 1}, "rate must be a number 0 <= rate < 1, got 1"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"seed": None}, "seed must be"),
        ({"d": 6, "edges": 16}, "edges=16 is too many: a DAG of 6 nodes has at most 15"),
        ({"n": 0}, "n \\(rows\\) must be"),
        ({"n": 10.0}, "n \\(rows\\) must be"),
    ],
)
def test_refused_in_one_line(options, says):
    with pytest.raises(GapdagError, match=says) as caught:
        problem(**{**SMALL, **options})
    assert "\n" not in str(caught.value)
