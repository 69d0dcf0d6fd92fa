"""ImputeThenLearn: without holes it is the learner; with holes each part gets what it should."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from gapdag import simulate
from gapdag.base import Fit, Imputer, StructureLearner
from gapdag.errors import GapdagError, GapdagWarning
from gapdag.imputers import MeanImputer, MissForestImputer
from gapdag.learners.dagma import DagmaMLP
from gapdag.methods.impute_then_learn import ImputeThenLearn

FAST = {"steps": 60, "hidden": 3, "stages": 2, "lr": 0.01, "threshold": 0.02}


class Noisy(StructureLearner):
    """Weights are correlations plus draws, from the stream and from what it spawns."""

    name = "noisy"
    accepts_missing = False

    def __init__(self, scale=0.1, knowledge=None, random_state=0):
        self.scale = scale
        self.knowledge = knowledge
        self.random_state = random_state

    def _learn(self, X, masks, rng, progress):
        (child,) = rng.spawn(1)
        progress(0.5, "halfway")
        noise = rng.normal(size=masks.allowed.shape) + child.normal(size=masks.allowed.shape)
        weights = np.where(masks.allowed, np.corrcoef(X.T) + self.scale * noise, 0.0)
        return Fit(weights, 0.1, X, settings={"scale": self.scale}, assumptions="It is noisy.")


class Drawing(Imputer):
    """Fills with draws from its generator."""

    name = "drawing"

    def __init__(self, random_state=0):
        self.random_state = random_state

    def _fill(self, X, rng, progress):
        progress(0.5, "drawing")
        return np.where(np.isnan(X), rng.normal(size=X.shape), X)


def table(rate: float = 0.1, seed: int = 0) -> np.ndarray:
    return simulate.problem(d=4, edges=4, n=80, rate=rate, seed=seed).X


def fit(*args, X=None, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GapdagWarning)
        return ImputeThenLearn(*args, **kwargs).fit(table() if X is None else X).result_


@given(seed=st.integers(0, 2**20))
@settings(max_examples=10)
@pytest.mark.parametrize("learner", [Noisy(), DagmaMLP(**FAST)], ids=lambda p: p.name)
def test_without_holes_it_is_the_learner_alone(learner, seed):
    X = table(rate=0.0, seed=seed % 10)
    alone = clone(learner).set_params(random_state=seed).fit(X).result_
    for imputer in ("mean", Drawing()):
        both = ImputeThenLearn(imputer, learner, random_state=seed).fit(X).result_
        assert both.weights.to_numpy().tobytes() == alone.weights.to_numpy().tobytes()
        assert both.assumptions == alone.assumptions
        assert both.warnings == alone.warnings


@given(seed=st.integers(0, 2**20))
@settings(max_examples=10)
def test_the_imputers_draws_are_not_the_learners(seed):
    """Neither the stream of the learner's generator, nor that of one it spawns."""
    X = table()
    filled = ImputeThenLearn(Drawing(), Noisy(), random_state=seed).fit(X).result_.filled
    draws = filled[np.isnan(X)]
    for other in (np.random.default_rng(seed), *np.random.default_rng(seed).spawn(3)):
        assert not np.isin(draws, other.normal(size=(4, *X.shape))).any()


def test_another_seed_is_another_filling():
    a, b = (fit(Drawing(), Noisy(), random_state=s).filled for s in (0, 1))
    holes = np.isnan(table())
    assert (a[holes] != b[holes]).all()


def test_names_and_instances_are_the_same():
    by_name = fit("missforest", "dagma-mlp", {"n_estimators": 2}, FAST)
    by_instance = fit(MissForestImputer(n_estimators=2), DagmaMLP(**FAST))
    assert by_name.to_dict() == by_instance.to_dict()
    assert by_name.method == "missforest+dagma-mlp"


def test_the_learner_sees_what_the_imputer_filled():
    X = table()
    holes = np.isnan(X)
    result = fit("mean", Noisy(scale=0.0))
    assert np.array_equal(result.filled[holes], MeanImputer().fit_transform(X)[holes])
    seen = np.corrcoef(result.filled.T)
    np.testing.assert_allclose(result.weights, np.where(np.eye(4), 0.0, seen))


def test_options_of_each_part_reach_it_and_the_settings():
    settings = fit("missforest", Noisy(), {"max_iter": 1}, {"scale": 0.3}).settings
    assert settings["imputer"] == "missforest"
    assert settings["imputer_options"]["max_iter"] == 1
    assert settings["imputer_options"]["max_depth"] == 10  # a default, resolved
    assert settings["learner"] == "noisy"
    assert settings["learner_options"] == {"scale": 0.3}


def test_instances_given_are_left_alone():
    imputer, learner = MissForestImputer(), Noisy()
    fit(imputer, learner, {"max_iter": 1}, {"scale": 0.3})
    assert (imputer.max_iter, learner.scale) == (4, 0.1)
    assert not hasattr(imputer, "diagnostics_")


def test_assumptions_say_that_holes_were_filled():
    said = fit("mean", Noisy()).assumptions
    holes = int(np.isnan(table()).sum())
    assert said.startswith(f"The {holes} holes were filled by mean before learning")
    assert said.endswith("It is noisy.")


def test_knowledge_reaches_the_learner():
    result = fit("mean", Noisy(), knowledge={"roots": ["x0"], "required": [["x3", "x1"]]})
    assert not result.adjacency["x0"].any()
    assert result.adjacency.loc["x3", "x1"]


def test_progress_of_both_parts_is_one_progress():
    told = []
    ImputeThenLearn(Drawing(), Noisy()).fit(table(), progress=lambda done, _: told.append(done))
    assert told == sorted(told)
    assert len(set(told)) >= 4
    assert told[-1] == 1.0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"imputer": "misforest"}, "unknown imputer 'misforest'; did you mean: missforest"),
        ({"learner": "dagma-mpl"}, "unknown learner 'dagma-mpl'; did you mean: dagma-mlp"),
        ({"learner": MeanImputer()}, "learner must be a name or an instance of one, got MeanImp"),
        ({"imputer": MeanImputer}, "imputer must be a name or an instance of one, got <class"),
        (
            {"imputer_options": {"n_estimator": 3}},
            "unknown option of imputer 'missforest': 'n_estimator'; did you mean: n_estimators",
        ),
        (
            {"imputer": "mean", "imputer_options": {"max_iter": 3}},
            "unknown option of imputer 'mean': 'max_iter'; it has none",
        ),
        ({"learner_options": {"random_state": 1}}, "unknown option of learner 'dagma-mlp': 'ran"),
        ({"learner_options": [1]}, r"learner_options must be a dict of options.*got \[1\]"),
        ({"learner": Noisy(knowledge={"roots": ["x0"]})}, "give knowledge to ImputeThenLearn"),
    ],
)
def test_what_is_wrong_is_one_line(arguments, said):
    with pytest.raises(GapdagError, match=said) as refused:
        ImputeThenLearn(**arguments).fit(table())
    assert "\n" not in str(refused.value)


def test_parameters_of_instances_are_reached_as_scikit_learn_has_it():
    pair = ImputeThenLearn(MissForestImputer(), Noisy())
    assert pair.get_params()["imputer__max_iter"] == 4
    assert clone(pair).set_params(learner__scale=0.7).learner.scale == 0.7
    assert pair.learner.scale == 0.1
