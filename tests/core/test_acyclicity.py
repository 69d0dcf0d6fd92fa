import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gapdag.core.acyclicity import expm, logdet, polynomial
from gapdag.errors import GapdagError
from gapdag.graph import is_dag

ALL = [logdet, expm, polynomial]
small = arrays(np.float64, (5, 5), elements=st.floats(0, 0.15))


@given(small, st.permutations(range(5)))
def test_zero_exactly_on_dags(A, order):
    dag = np.triu(A, 1)[np.ix_(order, order)]
    for h in ALL:
        assert h(dag) == pytest.approx(0, abs=1e-12)


@given(small)
def test_positive_exactly_on_cycles(A):
    A[0, 1], A[1, 0] = 0.5, 0.5
    assert not is_dag(A)
    for h in ALL:
        assert h(A) > 1e-3


@given(small)
def test_gradients_are_those_of_finite_differences(A):
    A = A + 1e-3  # a step down must stay above zero, where the domain ends
    for h in ALL:
        _, slope = h(A, return_grad=True)
        for i, j in [(0, 1), (3, 2), (4, 4)]:
            step = np.zeros_like(A)
            step[i, j] = 1e-6
            numeric = (h(A + step) - h(A - step)) / 2e-6
            assert slope[i, j] == pytest.approx(numeric, rel=1e-5, abs=1e-7)


@given(arrays(np.float64, (4, 4), elements=st.floats(0, 1)), st.sampled_from([1.0, 0.7]))
def test_the_domain_of_logdet_is_a_spectral_radius_below_s(A, s):
    radius = np.abs(np.linalg.eigvals(A)).max()
    if abs(radius - s) > 1e-6:
        assert np.isfinite(logdet(A, s)) == (radius < s)


@pytest.mark.parametrize(
    ("tag", "h"),
    [
        ("logdet_s1", lambda A: logdet(A, 1.0, return_grad=True)),
        ("logdet_s08", lambda A: logdet(A, 0.8, return_grad=True)),
        ("expm", lambda A: expm(A, return_grad=True)),
        ("poly_paper_a1", lambda A: polynomial(A, 1.0, return_grad=True)),
        ("poly_paper_ainvd", lambda A: polynomial(A, return_grad=True)),
        ("poly_code", lambda A: polynomial(A, return_grad=True)),
    ],
)
def test_golden_values(golden, tag, h):
    g = golden("acyclicity")
    for W, value, slope in zip(g["W"], g[f"h_{tag}"], g[f"grad_{tag}"], strict=True):
        ours, dA = h(W * W)
        assert ours == pytest.approx(value, abs=1e-10)
        np.testing.assert_allclose(2 * W * dA, slope, atol=1e-10)


def test_golden_matrices_outside_the_domain(golden):
    for W in golden("acyclicity")["W_outside"]:
        value, slope = logdet(W * W, return_grad=True)
        assert value == np.inf
        assert np.isnan(slope).all()


def test_overflow_is_out_of_the_domain_too():
    huge = np.full((4, 4), 1e200)
    for h in ALL:
        value, slope = h(huge, return_grad=True)
        assert value == np.inf
        assert np.isnan(slope).all()


def test_only_square_matrices():
    for h in ALL:
        with pytest.raises(GapdagError, match="square"):
            h(np.zeros((2, 3)))
