"""The hand-written gradients of the whole objective, against autograd and against golden values."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core import oracle
from gapdag.core import nodes
from gapdag.core.adam import Adam
from gapdag.core.completer import GaussianCompleter, NoCompleter
from gapdag.core.crew import Crew
from gapdag.core.divergence import LiveMMD
from gapdag.core.objective import Divergence, Objective
from gapdag.core.scm import MLPSCM
from gapdag.core.score import equal_variance, per_node
from gapdag.learners.path import acyclicity_term

SCORES = {"equal-variance": equal_variance, "per-node": per_node}
L1, WEIGHT, MU, SIGMA = 0.02, 0.7, 0.3, 2.0


def build(n=30, d=5, hidden=3, rate=0.3, seed=0, score="equal-variance", h="logdet", live=1.0,
          standardise=True, dtype=np.float64, dense=0.5, weight=WEIGHT):  # fmt: skip
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.5, 3, d)
    X[rng.random((n, d)) < rate] = np.nan
    allowed = (rng.random((d, d)) < live) & ~np.eye(d, dtype=bool)
    holes = np.isnan(X).any()
    completer = GaussianCompleter(X, 4, rng, standardise) if holes else NoCompleter(X)
    scm = MLPSCM(d, hidden, allowed, rng)
    scm.dense_share = dense
    scm.start["first"][..., :d] = rng.normal(size=(d, hidden, d)) * 0.15
    scm.start["first"][..., d] = rng.normal(size=(d, hidden))  # the biases
    return Objective(
        scm, completer, SCORES[score], acyclicity_term(h), L1,
        divergence=Divergence(LiveMMD(SIGMA), None, rng), divergence_weight=weight, dtype=dtype,
    )  # fmt: skip


def by_autograd(objective, score, h, s, weight=WEIGHT):
    """Value and gradients at the same parameters and the same noise."""
    p = {k: torch.tensor(v, requires_grad=True) for k, v in objective.parameters.value.items()}
    del p["first"]  # w1 and b1 are views of it
    c = objective.completer
    if c.learns:
        x0, missing = torch.tensor(c.x0), torch.tensor(c.missing)
        x = oracle.completed(p, x0, missing, torch.tensor(c.noise.T), torch.tensor(c.scale))
    else:
        x = torch.tensor(c.X)
    prediction = oracle.predicted(p, x)
    A = (p["w1"] ** 2).sum(1).T
    value = MU * (oracle.score(prediction - x, score) + L1 * p["w1"].abs().sum())
    value = value + oracle.acyclicity(A, h, s)
    if weight:
        value = value + MU * weight * oracle.mmd(prediction, x, [0.5 / SIGMA**2])
    value.backward()
    # a weight that is held at zero has no gradient
    mask = torch.tensor(objective.scm.allowed.T[:, None, :])
    p["w1"].grad *= mask
    return float(value.detach()), {k: v.grad for k, v in p.items()}


@settings(max_examples=30)
@given(
    d=st.integers(2, 8),
    hidden=st.integers(1, 5),
    rate=st.sampled_from([0.0, 0.3]),
    score=st.sampled_from(list(SCORES)),
    h=st.sampled_from(["logdet", "expm", "polynomial"]),
    live=st.sampled_from([1.0, 0.5, 0.1]),
    dense=st.sampled_from([0.0, 1.0]),  # BLAS's products, or ours of the live inputs
    standardise=st.booleans(),
    weight=st.sampled_from([WEIGHT, 0.0]),  # without holes and divergence: in one pass
    n=st.sampled_from([30, 1030]),  # more than a block of rows
    seed=st.integers(0, 99),
)
def test_every_gradient_is_autograds(
    d, hidden, rate, score, h, live, dense, standardise, weight, n, seed
):
    objective = build(
        n, d, hidden, rate, seed, score, h, live, standardise, dense=dense, weight=weight
    )
    s = 2.0
    terms = objective(MU, s)
    if not terms.feasible:
        return
    value, slopes = by_autograd(objective, score, h, s, weight)
    assert terms.objective == pytest.approx(value, rel=1e-9)
    for name, slope in slopes.items():
        ours = torch.tensor(objective.parameters.slope[name])
        scale = max(float(slope.abs().max()), 1e-8)
        assert float((ours - slope).abs().max()) < 1e-8 * scale, name


def test_the_screened_path_is_taken_and_changes_nothing():
    """Same masks, once by our products of the live inputs and once by the dense product."""
    screened, dense = (build(d=8, live=0.2, dense=share) for share in (1.0, 0.0))
    assert not any(screened.scm.dense)
    assert any(dense.scm.dense)
    a, b = screened(MU, 1.0), dense(MU, 1.0)
    assert a.objective == pytest.approx(b.objective, rel=1e-12)
    np.testing.assert_allclose(
        screened.parameters.grad, dense.parameters.grad, rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize("rate", [0.0, 0.3])
@pytest.mark.parametrize("live", [1.0, 0.1])
def test_threads_change_no_bit(rate, live):
    grads = []
    for size in (1, 2, 3):
        objective = build(200, 9, rate=rate, live=live, dtype=np.float32)
        with Crew(size) as crew:
            objective.share(crew)
            for _ in range(3):
                objective(MU, 1.0)
        grads.append(objective.parameters.grad)
    np.testing.assert_array_equal(grads[0], grads[1])
    np.testing.assert_array_equal(grads[0], grads[2])


def test_float32_is_float64_to_single_precision():
    exact, fast = build(), build(dtype=np.float32)
    fast.completer.draw = lambda draw=fast.completer.draw: draw(exact.completer.noise)
    a = exact(MU, 1.0)
    assert fast(MU, 1.0).objective == pytest.approx(a.objective, rel=1e-5)
    np.testing.assert_allclose(fast.parameters.grad, exact.parameters.grad, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("rate", [0.0, 0.3])
def test_the_units_of_a_span_may_be_more_than_a_chunk(rate):
    """Nine thousand rows: one node's hidden units at a time."""
    assert nodes.CHUNK < 9 * 9000 * 8  # bytes of one node's units
    objective = build(9000, 9, 9, rate, weight=0.0)
    terms = objective(MU, 2.0)
    value, slopes = by_autograd(objective, "equal-variance", "logdet", 2.0, 0.0)
    assert terms.objective == pytest.approx(value, rel=1e-9)
    for name, slope in slopes.items():
        ours = torch.tensor(objective.parameters.slope[name])
        assert float((ours - slope).abs().max()) < 1e-8 * float(slope.abs().max()), name


def test_what_is_screened_stays_at_zero_and_the_rest_is_as_if_it_had_never_been():
    objective = build(d=6)
    weak = np.median(objective.scm.weights())
    left = objective.scm.screen(weak)
    W = objective.scm.weights()
    assert left == np.count_nonzero(W) < 30
    assert W[W > 0].min() > weak
    terms = objective(MU, 2.0)
    value, slopes = by_autograd(objective, "equal-variance", "logdet", 2.0)
    assert terms.objective == pytest.approx(value, rel=1e-9)
    np.testing.assert_allclose(objective.parameters.slope["w1"], slopes["w1"], atol=1e-10)
    Adam(objective, (0.9, 0.99), 0.1).step(0.1)
    assert not objective.scm.weights()[W == 0].any()


def test_outside_of_the_domain_is_not_feasible():
    objective = build()
    objective.parameters.value["w1"].fill(3.0)
    assert not objective(MU, 1.0).feasible


def test_noise_is_fresh_at_every_draw_and_the_same_for_the_same_seed():
    a, b = build(), build()
    first = a.completer.draw().copy()
    np.testing.assert_array_equal(first, b.completer.draw())
    assert not np.array_equal(first, a.completer.draw())


def test_observed_cells_are_never_touched():
    objective = build()
    c = objective.completer
    seen = ~c.missing
    np.testing.assert_array_equal(c.draw().T[seen], c.x0[seen])
    np.testing.assert_array_equal(c.filled()[seen], c.x0[seen])


NAMES = {"w1": "fc1_w", "b1": "fc1_b", "w2": "fc2_w", "b2": "fc2_b"} | {
    f"{ours}_{p}{k}": f"{theirs}_{p}{k}"
    for ours, theirs in (("mean", "mu"), ("logvar", "lv"))
    for p in "wb"
    for k in "12"
}


def from_golden(g, weight, noises):
    rng = np.random.default_rng(0)
    d = g["X"].shape[1]
    objective = Objective(
        MLPSCM(d, 6, np.ones((d, d), dtype=bool), rng),
        GaussianCompleter(g["X"], 6, rng, standardise=False),
        equal_variance,
        acyclicity_term("logdet"),
        l1=float(g["lambda1"]),
        divergence=Divergence(LiveMMD("reference"), None, rng),
        divergence_weight=weight,
        scale_divergence=False,
        dtype=np.float64,
    )
    for ours, theirs in NAMES.items():
        value = objective.parameters.value[ours]
        value[:] = g[theirs].reshape(value.shape)
    draw, noises = objective.completer.draw, iter(noises)
    objective.completer.draw = lambda: draw(next(noises).T.copy())
    return objective


@pytest.mark.parametrize(("tag", "weight"), [("lam001", 0.01), ("lam150", 1.5)])
def test_golden_objective_and_gradients(golden, tag, weight):
    g = golden("otm_nonlinear_objective")
    objective = from_golden(g, weight, [g["eps"]])
    terms = objective(float(g["mu"]), float(g["s"]))
    assert terms.objective == pytest.approx(g[f"obj_{tag}"], rel=1e-9)
    for ours, theirs in NAMES.items():
        expected = g[f"grad_{tag}_{theirs}"]
        slope = objective.parameters.slope[ours].reshape(expected.shape)
        np.testing.assert_allclose(slope, expected, rtol=1e-9, atol=1e-10)


def test_golden_adam_steps(golden):
    from gapdag.core.solver import PathFollowing, Stage

    g = golden("otm_nonlinear_objective")
    objective = from_golden(g, 0.01, g["adam_eps"])
    stage = Stage(float(g["mu"]), float(g["s"]), 3)
    PathFollowing([stage], lr=2e-4, weight_decay=float(g["lambda2"])).minimise(objective)
    for ours, theirs in NAMES.items():
        expected = g[f"adam3_{theirs}"]
        value = objective.parameters.value[ours].reshape(expected.shape)
        np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-10)
