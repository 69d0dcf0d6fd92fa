"""learn(): a method by its name, its options checked, its progress shown, its warnings warned."""

from __future__ import annotations

import io
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fake
import gapdag as gd
from gapdag.errors import GapdagError, GapdagWarning
from gapdag.learn import make, make_imputer, shown
from gapdag.registry import KINDS, unknown


@pytest.fixture(autouse=True)
def _fake():
    with fake.registered():
        yield


def table(holes=True, n=60, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).cumsum(axis=1)
    if holes:
        X[rng.random(X.shape) < 0.2] = np.nan
    return pd.DataFrame(X, columns=[f"c{j}" for j in range(d)], index=np.arange(n) * 3)


def test_methods_lists_everything_that_has_a_name():
    known = gd.methods()
    assert list(known.columns) == ["name", "kind", "reference", "summary"]
    assert set(known["kind"]) <= set(KINDS)
    assert {"auto", "otm", "fake"} <= set(known["name"][known["kind"] == "method"])
    assert {"mean", "iterative", "missforest"} <= set(known["name"][known["kind"] == "imputer"])
    assert "dagma-mlp" in set(known["name"][known["kind"] == "learner"])
    assert {"logdet", "mmd", "mlp", "mcar"} <= set(known["name"])
    assert (known["summary"].str.len() > 10).all()
    assert (known["reference"].str.len() > 0).all()
    assert not known.duplicated(["name", "kind"]).any()
    assert not known["summary"].str.contains("\n").any()


@pytest.mark.parametrize("name", ["auto", "otm", "impute-then-learn"])
def test_every_method_can_be_made(name):
    assert make(name, None, 3).random_state == 3


def test_learn_is_make_and_fit():
    frame = table()
    result = gd.learn(frame, method="fake", random_state=5, threshold=0.2)
    again = fake.Fake(threshold=0.2, random_state=5).fit(frame).result_
    assert result.to_json() == again.to_json()
    assert result.method == "fake"
    assert result.impute().index.equals(frame.index)


def test_the_same_seed_gives_the_same_graph_and_another_another():
    a, b, c = (gd.learn(table(), method="fake", random_state=s).to_json() for s in (1, 1, 2))
    assert a == b != c


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.from_pandas, np.asarray])
def test_pandas_polars_and_numpy_are_learned_from_alike(kind):
    frame = table()
    given_ = kind(frame)
    result = gd.learn(given_, method="fake")
    assert type(result.impute()) is type(given_)
    np.testing.assert_array_equal(
        result.adjacency.to_numpy(), gd.learn(frame, method="fake").adjacency.to_numpy()
    )


def test_knowledge_is_obeyed_as_object_and_as_mapping():
    frame, said = table(), {"forbidden": [("c0", "c1")]}
    for known in (said, gd.Knowledge(**said)):
        assert not gd.learn(frame, method="fake", knowledge=known).adjacency.loc["c0", "c1"]
    assert gd.learn(frame, method="fake").adjacency.loc["c0", "c1"]


def test_warnings_of_the_result_are_warned_of_once():
    with pytest.warns(GapdagWarning) as caught:
        result = gd.learn(table().assign(k=1.0), method="fake", warn=True)
    assert [str(w.message) for w in caught] == list(result.warnings)
    assert fake.WARNING in result.warnings
    assert any("'k'" in w for w in result.warnings)


def test_nothing_is_warned_of_without_cause():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gd.learn(table(), method="fake").warnings == ()


UNKNOWN = {
    "near": ({"method": "otn"}, "unknown method 'otn'; did you mean: otm"),
    "in capitals": ({"method": "OTM"}, "did you mean: otm"),
    "far": ({"method": "zzzz"}, "unknown method 'zzzz'; the names are: auto, dagma-mlp, "),
    "no text": ({"method": None}, "method must be a name from gapdag.methods.., got NoneType"),
    "an estimator": ({"method": fake.Fake()}, "an estimator is fitted by its own fit"),
    "imputer": ({"method": "misforest+dagma-mlp"}, "unknown imputer 'misforest'.*missforest"),
    "learner": ({"method": "mean+dagma"}, "unknown learner 'dagma'; did you mean: dagma-mlp"),
    "three": ({"method": "mean+mean+dagma-mlp"}, "unknown learner 'mean.dagma-mlp'"),
    "empty": ({"method": ""}, "unknown method ''"),
    "option": (
        {"method": "fake", "treshold": 1},
        "of fake 'treshold'; did you mean: thresh",
    ),
    "of otm": ({"method": "otm", "step": 1}, "unknown option of otm 'step'; did you mean: steps"),
    "of auto": ({"step": 1}, "unknown option of otm 'step'; did you mean: steps"),
    "of a pair": ({"method": "mean+dagma-mlp", "learner__step": 1}, "learner__steps"),
    "value": ({"method": "fake", "threshold": "low"}, "threshold must be a number, got 'low'"),
    "seed": ({"method": "fake", "random_state": -1}, "random_state must be"),
    "progress": ({"method": "fake", "progress": "bar"}, "progress must be None, True, False or"),
    "knowledge": ({"method": "fake", "knowledge": {"root": []}}, "unknown knowledge key 'root'"),
    "a column": ({"method": "fake", "knowledge": {"roots": ["c9"]}}, "unknown column 'c9'"),
}


@pytest.mark.parametrize("case", sorted(UNKNOWN))
def test_what_is_not_known_is_answered_with_the_nearest(case):
    options, said = UNKNOWN[case]
    with pytest.raises(GapdagError, match=said) as caught:
        gd.learn(table(), **options)
    assert "\n" not in str(caught.value)


@given(st.text(max_size=12), st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=5))
@settings(max_examples=50, deadline=None)
def test_nearest_names_are_always_known_names(name, known):
    said = unknown("thing", name, known)
    assert repr(name) in said
    assert any(k in said for k in known)


def test_options_of_a_pair_go_to_the_one_that_has_them():
    pair = make(
        "missforest+dagma-mlp",
        {"roots": ["c0"]},
        7,
        n_estimators=3,
        steps=50,
        imputer__max_iter=2,
        learner_options={"lr": 0.1},
    )
    assert (pair.imputer, pair.learner) == ("missforest", "dagma-mlp")
    assert pair.imputer_options == {"n_estimators": 3, "max_iter": 2}
    assert pair.learner_options == {"lr": 0.1, "steps": 50}
    assert (pair.knowledge, pair.random_state) == ({"roots": ["c0"]}, 7)
    assert make("mean+dagma-mlp").learner_options is None


def test_an_imputer_is_made_with_its_own_options():
    assert make_imputer("missforest", 3, n_estimators=2).get_params()["n_estimators"] == 2
    with pytest.raises(GapdagError, match="mean takes no options"):
        make_imputer("mean", 0, trees=2)


def test_a_bare_learner_needs_a_complete_table():
    with pytest.raises(GapdagError, match=r"complete table.*'missforest\+dagma-mlp'"):
        gd.learn(table(), method="dagma-mlp")


def test_a_function_is_told_the_progress():
    told = []
    gd.learn(table(), method="fake", progress=lambda done, doing: told.append((done, doing)))
    assert [d for d, _ in told] == sorted(d for d, _ in told)
    assert told[:2] == [(0.0, "starting"), (0.0, "pass 0")]


def test_a_bar_is_shown_when_asked_for_and_not_in_a_pipe(capsys):
    gd.learn(table(), method="fake")
    gd.learn(table(), method="fake", progress=False)
    assert capsys.readouterr() == ("", "")
    gd.learn(table(), method="fake", progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "100%" in err
    assert "pass" in err or "done" in err


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_is_shown_on_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with shown(None) as tell:
        tell(0.5, "halfway")
    assert "100%" in sys.stderr.getvalue()
    with shown(False) as tell:
        assert tell is None


def test_an_interrupted_fit_leaves_no_result(monkeypatch):
    learner = fake.Fake()

    def stop(done, doing):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        learner.fit(table(), progress=stop)
    assert not hasattr(learner, "result_")


@pytest.mark.filterwarnings("ignore::gapdag.errors.GapdagWarning")
def test_auto_says_what_ran_and_why():
    frame = table(n=40, d=3)
    result = gd.learn(frame, steps=40)
    assert result.method == "otm"
    assert result.assumptions.startswith("Method otm, chosen by default")
    own = gd.OTM(steps=40).fit(frame).result_
    np.testing.assert_array_equal(result.weights, own.weights)
    assert result.settings == own.settings
    estimator = gd.Auto(options={"steps": 40})
    assert estimator.fit(frame).result_.to_json() == result.to_json()
    assert estimator.get_params()["options"] == {"steps": 40}
