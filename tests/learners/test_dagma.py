"""DAGMA-MLP pinned to the package `dagma` 1.1.1, and its limits."""

import numpy as np
import pytest
import torch

from gapdag import simulate
from gapdag.core.completer import NoCompleter
from gapdag.core.objective import Objective
from gapdag.core.scm import MLPSCM
from gapdag.core.score import equal_variance
from gapdag.core.settings import PRESETS, resolve
from gapdag.core.solver import PathFollowing, Stage
from gapdag.errors import GapdagError
from gapdag.learners.dagma import DagmaMLP
from gapdag.learners.path import acyclicity_term


def pinned(g, stages, lr):
    rng = np.random.default_rng(0)
    X, (d, h, _) = g["mlp_X"], g["mlp_fc2_w_init"].shape
    scm = MLPSCM(d, h, np.ones((d, d), dtype=bool), rng)
    scm.start["w2"], scm.start["b2"] = g["mlp_fc2_w_init"][..., 0], g["mlp_fc2_b_init"][:, 0]
    objective = Objective(
        scm, NoCompleter(X), equal_variance, acyclicity_term("logdet"), 0.02, dtype=np.float64
    )
    path = PathFollowing(
        [Stage(mu, 1.0, steps) for mu, steps in stages],
        lr=lr,
        weight_decay=0.005,
        window=1,
        check_every=1000,
    )
    path.minimise(objective)
    return objective


@pytest.mark.parametrize(
    ("tag", "stages", "lr", "atol"),
    [
        ("a", [(0.1, 10)], 2e-4, 1e-9),
        ("b", [(0.1, 400), (0.01, 400), (0.001, 400), (0.0001, 800)], 2e-3, 1e-5),
    ],
)
def test_golden_weights(golden, tag, stages, lr, atol):
    g = golden("notears_linear")
    objective = pinned(g, stages, lr)
    np.testing.assert_allclose(objective.scm.weights(), g[f"mlp_{tag}_W"], atol=atol)
    p = objective.parameters.value
    for ours, theirs in {"w1": "fc1_w", "b1": "fc1_b", "w2": "fc2_w", "b2": "fc2_b"}.items():
        expected = g[f"mlp_{tag}_{theirs}"]
        np.testing.assert_allclose(p[ours].reshape(expected.shape), expected, atol=atol)


def test_the_package_itself_takes_the_same_steps():
    """PyPI dagma, run beside ours from the same start: the same weights after 300 steps."""
    nonlinear = pytest.importorskip("dagma.nonlinear", reason="PyPI dagma (extra bench) is absent")
    before = torch.get_default_dtype()
    try:
        p = simulate.problem(d=5, edges=6, n=100, missingness=None, seed=3)
        model = nonlinear.DagmaMLP(dims=[5, 4, 1], bias=True, dtype=torch.double)
        start = {k: v.detach().clone() for k, v in model.state_dict().items()}
        theirs = nonlinear.DagmaNonlinear(model, dtype=torch.double)
        W = theirs.fit(p.X, lr=2e-3, T=2, warm_iter=150, max_iter=150, w_threshold=0.0)
    finally:
        torch.set_default_dtype(before)  # the package sets it for the whole process
    g = {
        "mlp_X": p.X,
        "mlp_fc2_w_init": start["fc2.0.weight"].numpy(),
        "mlp_fc2_b_init": start["fc2.0.bias"].numpy(),
    }
    ours = pinned(g, [(0.1, 150), (0.01, 150)], 2e-3)
    np.testing.assert_allclose(ours.scm.weights(), W, atol=1e-8)


def test_most_edges_are_found_and_few_are_made_up():
    found = true = said = 0
    for seed in (2, 3, 5):
        p = simulate.problem(d=8, edges=8, n=1000, missingness=None, seed=seed)
        ours = DagmaMLP(steps=4000).fit(p.X).result_.adjacency.to_numpy()
        found += (ours & p.adjacency).sum()
        true += p.adjacency.sum()
        said += ours.sum()
    assert found >= 0.6 * true
    assert found >= 0.8 * said


def test_columns_that_have_nothing_to_do_with_each_other_are_left_alone():
    X = np.random.default_rng(0).normal(size=(500, 6))
    with pytest.warns(UserWarning, match="graph is empty"):
        result = DagmaMLP(steps=3000).fit(X).result_
    assert len(result.edges) == 0


def test_renaming_and_shifting_columns_changes_nothing():
    p = simulate.problem(d=5, edges=6, n=200, missingness=None, seed=1)
    a = DagmaMLP(steps=800).fit(p.frame).result_
    b = DagmaMLP(steps=800).fit(p.frame + 1024.0).result_
    assert (a.adjacency.to_numpy() == b.adjacency.to_numpy()).all()


def test_a_settled_stage_ends_before_its_last_step():
    p = simulate.problem(d=4, edges=4, n=200, missingness=None, seed=1)
    patient, hasty = (DagmaMLP(steps=10_000, tol=t).fit(p.X).result_ for t in (0.0, 0.01))
    assert patient.diagnostics["steps"] == 10_000
    assert "step limit" in patient.status
    assert hasty.diagnostics["steps"] < 5_000
    assert hasty.status == "converged"


def test_weights_that_blow_up_end_in_a_status_not_in_nan():
    """A learning rate far too high leaves the domain of the log-det at once."""
    p = simulate.problem(d=5, edges=6, n=100, missingness=None, seed=1)
    result = DagmaMLP(lr=50.0, steps=200).fit(p.X).result_
    assert np.isfinite(result.weights.to_numpy()).all()
    assert result.is_dag


def test_presets_hold_the_papers_constants():
    reference, paper = PRESETS["reference"], PRESETS["paper"]
    assert [m for m, _, _ in reference.schedule()] == pytest.approx([0.1, 0.01, 0.001, 0.0001])
    assert [k for _, _, k in reference.schedule()] == [5000, 5000, 5000, 8000]
    assert [s for _, s, _ in paper.schedule()] == [1.0, 0.9, 0.8, 0.7]
    assert paper.mu == 1.0
    for preset in (reference, paper):
        assert (preset.lr, preset.l1, preset.l2, preset.threshold) == (2e-4, 0.02, 0.005, 0.3)
        assert preset.divergence_weight == 0.01
        assert preset.hidden is None
        assert preset.start_radius == 0
        assert preset.diagonal
        assert not preset.center


@pytest.mark.parametrize("d", [20, 60])
@pytest.mark.parametrize("radius", [0.0, 0.1, 0.7])
def test_the_start_has_the_spectral_radius_asked_for(d, radius):
    every = ~np.eye(d, dtype=bool)
    radii = []
    for seed in range(20):
        w1 = MLPSCM(d, 10, every, np.random.default_rng(seed), radius).start["first"][..., :d]
        A = (w1**2).sum(axis=1).T * every
        radii.append(np.abs(np.linalg.eigvals(A)).max())
    assert np.mean(radii) == pytest.approx(radius * (d - 1) / d, rel=0.1)
    assert max(radii) < 1


@pytest.mark.parametrize("steps", [1, 7, 100, 23_000])
def test_a_schedule_spends_every_step(steps):
    assert sum(k for _, _, k in resolve("default", {"steps": steps}).schedule()) == steps


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("preset", "papr", "did you mean: paper"),
        ("lr", -1, "lr must be a number from"),
        ("start_radius", 0.9, "start_radius must be at most 0.7"),
        ("hidden", 2.5, "hidden must be a whole number"),
        ("steps", 0, "steps must be a whole number from 1"),
        ("s", [], "s must be one or more numbers"),
        ("dtype", "float16", "dtype must be"),
        ("center", "no", "center must be true or false"),
        ("acyclicity", "logdett", "did you mean: logdet"),
        ("score", "nope", "unknown score 'nope'"),
        ("random_state", -3, "random_state must be"),
    ],
)
def test_bad_options_are_one_line(option, value, said):
    X = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.raises(GapdagError, match=said) as caught:
        DagmaMLP(**{option: value}).fit(X)
    assert "\n" not in str(caught.value)


def test_holes_are_refused_with_the_remedy():
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[0, 0] = np.nan
    with pytest.raises(GapdagError, match=r"missforest\+dagma-mlp"):
        DagmaMLP().fit(X)
