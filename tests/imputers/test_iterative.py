"""iterative and missforest: limits, then what they must survive, then scikit-learn as reference."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gapdag import simulate
from gapdag.errors import GapdagError
from gapdag.imputers import IterativeImputer, MeanImputer, MissForestImputer
from gapdag.imputers.iterative import Units

BOTH = [IterativeImputer(), MissForestImputer(max_iter=2, n_estimators=3)]
both = pytest.mark.parametrize("imputer", BOTH, ids=lambda i: i.name)


def linear(n: int, d: int, seed: int = 0, rate: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """A table of d columns that two hidden causes explain but for a little, and its truth."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(n, 2)) @ rng.normal(size=(2, d)) + 0.1 * rng.normal(size=(n, d))
    X = np.where(rng.random((n, d)) < rate, np.nan, truth)
    X[:5] = truth[:5]
    return X, truth


def rmse(filled: np.ndarray, X: np.ndarray, truth: np.ndarray) -> float:
    return float(np.sqrt(np.mean((filled - truth)[np.isnan(X)] ** 2)))


@pytest.mark.parametrize("imputer", [IterativeImputer(), MissForestImputer()])
@pytest.mark.parametrize("mechanism", ["linear", "mlp"])
def test_it_beats_the_mean(imputer, mechanism):
    p = simulate.problem(d=8, edges=16, n=300, mechanism=mechanism, seed=3)
    error = rmse(imputer.fit_transform(p.X), p.X, p.X_true)
    assert error < 0.9 * rmse(MeanImputer().fit_transform(p.X), p.X, p.X_true)


@pytest.mark.parametrize("seed", [0, 1])
def test_draws_keep_predictions_from_confirming_each_other(seed):
    p = simulate.problem(d=8, edges=16, n=300, mechanism="mim", seed=seed)
    plain = IterativeImputer(max_iter=20, sample_posterior=False, average=False)
    error, without = (
        rmse(i.fit_transform(p.X), p.X, p.X_true) for i in (IterativeImputer(), plain)
    )
    assert error < 0.95 * without


@both
@given(exponents=st.lists(st.integers(-330, 300), min_size=4, max_size=4))
@settings(max_examples=6, deadline=None)
def test_units_do_not_matter(imputer, exponents):
    X, _ = linear(60, 4)
    scale = 2.0 ** np.array(exponents)  # powers of two: not a bit is rounded
    # plain arrays: in a table every float beyond 2**53 passes for a whole number
    filled = imputer.fill(X * scale, np.random.default_rng(0))
    np.testing.assert_array_equal(filled / scale, imputer.fill(X, np.random.default_rng(0)))


@both
@pytest.mark.parametrize("scale", [5e-324, 1e-200, 1e100])
def test_units_at_the_edges_of_a_float(imputer, scale):
    X = np.where(np.isnan(linear(60, 4)[0]), np.nan, np.sign(linear(60, 4)[0])) * scale
    filled = imputer.fit_transform(X)
    assert np.isfinite(filled).all()
    assert np.abs(filled).max() <= 3 * scale


@both
def test_more_columns_than_rows(imputer):
    X, truth = linear(12, 30)
    filled = imputer.fit_transform(X)
    assert rmse(filled, X, truth) < 1.5 * rmse(MeanImputer().fit_transform(X), X, truth)


@both
def test_a_column_with_five_values(imputer):
    X, _ = linear(80, 5)
    X[5:, 2] = np.nan
    filled = imputer.fit_transform(X)
    span = np.ptp(X[:5, 2])
    assert filled[:, 2].min() >= X[:5, 2].min() - span
    assert filled[:, 2].max() <= X[:5, 2].max() + span


@both
def test_copies_and_sums_of_columns(imputer):
    X, truth = linear(100, 4)
    copies = np.column_stack([X, X[:, 0], truth[:, 1], X[:, 2] + X[:, 3]])
    whole = np.column_stack([truth, truth[:, 0], truth[:, 1], truth[:, 2] + truth[:, 3]])
    filled = imputer.fit_transform(copies)
    gap = np.isnan(copies[:, 1])
    assert np.abs(filled - whole)[gap, 1].max() < 1.0  # an intact copy says it all
    assert np.isfinite(filled).all()


@both
def test_binary_columns_stay_binary(imputer):
    X, _ = linear(100, 4)
    filled = imputer.fit_transform(np.where(np.isnan(X), np.nan, X > 0))
    assert np.unique(filled).tolist() == [0.0, 1.0]


@both
def test_nothing_is_warned_of_or_printed(imputer, capfd):
    X, _ = linear(40, 6, rate=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        imputer.fit_transform(X)
    assert capfd.readouterr() == ("", "")


@both
def test_progress_is_told_all_along(imputer):
    told = []
    imputer.fit_transform(linear(60, 6)[0], progress=lambda done, doing: told.append(done))
    assert len(told) > 6
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_convergence_is_a_diagnosis():
    X, _ = linear(200, 5)
    settled = IterativeImputer(max_iter=200, sample_posterior=False)
    settled.fit_transform(X)
    assert settled.diagnostics_["converged"]
    assert settled.diagnostics_["rounds"] < 200
    hasty = IterativeImputer(max_iter=1)
    hasty.fit_transform(X)
    assert not hasty.diagnostics_["converged"]


@pytest.mark.parametrize("n_nearest", [1, 3, 100])
def test_nearest_columns_suffice(n_nearest):
    X, truth = linear(300, 6)
    X[:, 5], truth[:, 5] = X[:, 4] + 0.01, truth[:, 4] + 0.01
    X[5:100, 5] = np.nan
    filled = IterativeImputer(n_nearest_features=n_nearest).fit_transform(X)
    gap = np.isnan(X[:, 5]) & ~np.isnan(X[:, 4])
    np.testing.assert_allclose(filled[gap, 5], truth[gap, 5], atol=0.1)


@pytest.mark.parametrize(
    ("imputer", "said"),
    [
        (IterativeImputer(max_iter=0), "max_iter must be a whole number of at least 1, got 0"),
        (IterativeImputer(max_iter=2.5), "max_iter must be a whole number"),
        (IterativeImputer(n_nearest_features=0), "n_nearest_features must be a whole number"),
        (IterativeImputer(tol="small"), "tol must be a number from 0 up, got 'small'"),
        (MissForestImputer(n_estimators=0), "imputer 'missforest': The 'n_estimators' parameter"),
        (MissForestImputer(max_depth=-1), "imputer 'missforest': The 'max_depth' parameter"),
    ],
)
def test_a_bad_option_is_one_line(imputer, said):
    with pytest.raises(GapdagError, match=said) as refused:
        imputer.fit_transform(linear(20, 3)[0])
    assert "\n" not in str(refused.value)


def test_iterative_is_scikit_learns():
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer as Reference

    X, _ = linear(150, 6, rate=0.3)
    X = (X - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it has not converged after 4 rounds
        theirs = Reference(max_iter=4, tol=0).fit_transform(X)
    ours = IterativeImputer(4, sample_posterior=False, average=False, tol=0).fit_transform(X)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_missforest_is_scikit_learns_when_given_its_seed():
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer as Reference

    class OneSeed(MissForestImputer):  # scikit-learn gives every forest the same seed
        def _regressor(self, n, seed):
            return super()._regressor(n, 7)

    X, _ = linear(80, 6, rate=0.2)
    units = Units.of(X)  # a forest's ties turn on the last bit, so both get the same bits
    forest = RandomForestRegressor(n_estimators=4, max_depth=10, max_samples=0.5, random_state=7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = Reference(forest, max_iter=3, tol=0).fit_transform(units.standardise(X))
    imputer = OneSeed(max_iter=3, n_estimators=4, max_features=1.0, average=False)
    ours = imputer.fill(X, np.random.default_rng(0))
    np.testing.assert_allclose(ours, units.restore(theirs), rtol=1e-9, atol=1e-9)


@given(seed=st.integers(0, 2**20))
def test_units_there_and_back(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 5)) * 10.0 ** rng.integers(-100, 90, size=5)
    units = Units.of(X)
    Z = units.standardise(X)
    np.testing.assert_allclose(Z.std(axis=0), 1.0)
    size = np.abs(X).max(axis=0)
    np.testing.assert_allclose(units.restore(Z) / size, X / size, atol=1e-12)
    assert (units.low <= Z).all()
    assert (units.high >= Z).all()
