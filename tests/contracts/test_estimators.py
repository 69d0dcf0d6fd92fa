"""What every learner, method and imputer keeps to as a scikit-learn estimator."""

from __future__ import annotations

import inspect
import pickle
import time

import numpy as np
import pytest
from sklearn.base import clone

from contracts import everything
from gapdag.base import Imputer, StructureLearner
from gapdag.errors import GapdagError

ALL = everything.found("learner", "method", "imputer")
every = pytest.mark.parametrize("entry", ALL, ids=everything.ids)

PLAIN = (type(None), bool, int, float, str, tuple)


def run(entry, table, **options):
    """fit or fit_transform, whichever it has; the array of what came out."""
    if entry.kind == "imputer":
        return np.asarray(everything.make(entry, **options).fit_transform(table))
    result = everything.fit(entry, table, **options).result_
    return np.hstack([result.weights.to_numpy(), np.asarray(result.impute()).T])


def test_all_kinds_are_found():
    assert {e.kind for e in ALL} == {"learner", "method", "imputer"}


@every
def test_it_is_fast_here(entry):
    everything.suited(entry)
    run(entry, everything.suited(entry))  # what is imported once
    began = time.process_time()
    run(entry, everything.suited(entry))
    took = time.process_time() - began
    assert took < everything.SLOW, (
        f"{entry.name} took {took:.1f} s on a table of 60 x 5: give it small settings, "
        f"FAST[{entry.name!r}] = {{...}} in tests/contracts/everything.py"
    )


@every
def test_interface(entry):
    base = Imputer if entry.kind == "imputer" else StructureLearner
    assert issubclass(entry.object, base)
    parameters = inspect.signature(entry.object).parameters
    assert "random_state" in parameters
    assert entry.kind == "imputer" or "knowledge" in parameters
    assert entry.kind == "method" or entry.object.name == entry.name


@every
def test_defaults_are_immutable(entry):
    for p in inspect.signature(entry.object).parameters.values():
        assert p.default is not p.empty, f"{p.name} has no default"
        assert isinstance(p.default, PLAIN), f"{p.name}={p.default!r} could be changed by a fit"


@every
def test_init_only_keeps_what_it_is_given(entry):
    marks = {name: object() for name in inspect.signature(entry.object).parameters}
    estimator = entry.object(**marks)
    assert vars(estimator) == marks
    assert all(getattr(estimator, name) is mark for name, mark in marks.items())


@every
def test_get_params_set_params_clone(entry):
    estimator = everything.make(entry, random_state=3)
    params = estimator.get_params(deep=False)
    other = entry.object().set_params(**params)
    assert other.get_params(deep=False) == params
    assert clone(estimator).get_params(deep=False) == params


@every
def test_fitting_leaves_parameters_alone(entry):
    estimator = everything.make(entry)
    before = {k: (id(v), repr(v)) for k, v in estimator.get_params(deep=False).items()}
    if entry.kind == "imputer":
        estimator.fit_transform(everything.suited(entry))
    else:
        estimator.fit(everything.suited(entry))
    after = {k: (id(v), repr(v)) for k, v in estimator.get_params(deep=False).items()}
    assert after == before


@every
def test_same_seed_same_bits(entry):
    X = everything.suited(entry)
    first, second = run(entry, X, random_state=5), run(entry, X, random_state=5)
    assert first.tobytes() == second.tobytes()


@every
def test_refitting_the_same_estimator_changes_nothing(entry):
    X, other = everything.suited(entry), everything.suited(entry)[::-1] * 2
    estimator = everything.make(entry)
    if entry.kind == "imputer":
        answers = [estimator.fit_transform(t) for t in (X, other, X)]
    else:
        answers = [estimator.fit(t).result_.weights.to_numpy() for t in (X, other, X)]
    assert answers[0].tobytes() == answers[2].tobytes()


@every
@pytest.mark.parametrize("state", ["generator", "legacy", None])
def test_whatever_scikit_learn_takes_as_random_state(entry, state):
    state = {"generator": np.random.default_rng(1), "legacy": np.random.RandomState(1)}.get(state)
    assert np.isfinite(run(entry, everything.suited(entry), random_state=state)).all()


@every
def test_a_bad_random_state_is_one_line(entry):
    with pytest.raises(GapdagError, match="random_state must be a whole number") as refused:
        run(entry, everything.suited(entry), random_state="seven")
    assert "\n" not in str(refused.value)


def global_states() -> str:
    import torch

    return repr((np.random.get_state(), torch.random.get_rng_state().tolist()))  # noqa: NPY002


@every
def test_no_global_generator_is_touched(entry):
    import torch

    run(entry, everything.suited(entry))  # a library may seed itself on import
    np.random.random(), torch.rand(1)  # noqa: NPY002 - away from where a seed would lead
    before = global_states()
    run(entry, everything.suited(entry))
    assert global_states() == before


@every
def test_nothing_is_printed(entry, capfd):
    run(entry, everything.suited(entry))
    assert capfd.readouterr() == ("", "")


@every
def test_pickle_of_the_unfitted(entry):
    estimator = everything.make(entry, random_state=2)
    again = pickle.loads(pickle.dumps(estimator))
    assert again.get_params(deep=False) == estimator.get_params(deep=False)


@every
def test_y_is_ignored(entry):
    X = everything.suited(entry)
    estimator, other = everything.make(entry), everything.make(entry)
    if entry.kind == "imputer":
        a, b = estimator.fit_transform(X), other.fit_transform(X, np.arange(len(X)))
    else:
        a, b = (e.result_.weights.to_numpy() for e in (estimator.fit(X), other.fit(X, X[:, 0])))
    np.testing.assert_array_equal(a, b)


@every
def test_progress_rises_from_0_to_1(entry):
    told: list[tuple[float, str]] = []
    progress = lambda done, doing: told.append((done, doing))  # noqa: E731
    if entry.kind == "imputer":
        everything.make(entry).fit_transform(everything.suited(entry), progress=progress)
    else:
        everything.fit(entry, everything.suited(entry), progress=progress)
    done = [d for d, _ in told]
    assert done == sorted(done)
    assert 0.0 <= done[0] <= done[-1] == 1.0
    assert all(isinstance(doing, str) and doing for _, doing in told)


@every
def test_its_docstring_has_an_example(entry):
    summary = entry.object.__doc__.strip().split("\n")[0]
    assert summary == entry.summary
    assert summary[0].isupper()
    assert summary.endswith((".", ".)"))
    assert ">>>" in entry.object.__doc__
    assert entry.reference
