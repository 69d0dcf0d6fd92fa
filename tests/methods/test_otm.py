"""OTM: its limits are identities, its answer is deterministic, its holes are filled."""

import os
import subprocess
import sys

import numpy as np
import pytest

from gapdag import metrics, simulate
from gapdag.errors import GapdagError
from gapdag.learners.dagma import DagmaMLP
from gapdag.methods.otm import OTM


def small(rate=0.3, d=6, **kw):
    return simulate.problem(d=d, edges=d, n=300, rate=rate, seed=1, **kw)


@pytest.mark.parametrize("score", ["equal-variance", "per-node"])
@pytest.mark.parametrize("acyclicity", ["logdet", "expm", "polynomial"])
def test_without_holes_and_divergence_it_is_dagma(score, acyclicity):
    p = small()
    options = {"steps": 600, "score": score, "acyclicity": acyclicity}
    otm = OTM(divergence=None, **options).fit(p.X_true).result_
    dagma = DagmaMLP(**options).fit(p.X_true).result_
    np.testing.assert_array_equal(otm.weights, dagma.weights)
    assert (otm.adjacency == dagma.adjacency).all(axis=None)


def test_without_holes_the_filled_table_is_the_table():
    p = small()
    filled = OTM(steps=50).fit(p.X_true).result_.impute()
    np.testing.assert_array_equal(filled, p.X_true)


@pytest.mark.parametrize("divergence", ["mmd", None])
def test_holes_are_filled_better_than_by_the_mean(divergence):
    p = simulate.problem(d=6, edges=8, n=600, rate=0.2, seed=4)
    result = OTM(steps=4000, divergence=divergence).fit(p.X).result_
    ours = metrics.imputation(p.X_true, result.impute(), p.missing)["rmse"]
    mean = np.where(p.missing, np.nanmean(p.X, axis=0), p.X)
    assert ours < 0.95 * metrics.imputation(p.X_true, mean, p.missing)["rmse"]


def test_the_divergence_is_live_and_its_weight_is_used():
    p = small()
    weights = [
        OTM(steps=300, divergence_weight=w).fit(p.X).result_.weights.to_numpy() for w in (0.0, 50.0)
    ]
    off = OTM(steps=300, divergence=None).fit(p.X).result_.weights.to_numpy()
    np.testing.assert_array_equal(weights[0], off)
    assert not np.allclose(weights[0], weights[1], atol=1e-3)


def test_a_divergence_of_ones_own_takes_the_mmds_place():
    """Any function (x, y, return_grad) -> value and gradient in x: here, distance of the means."""

    def means(x, y, return_grad=False):
        gap = x.mean(0) - y.mean(0)
        value = float((gap**2).sum())
        slope = np.broadcast_to(2 * gap / len(x), x.shape)
        return (value, np.ascontiguousarray(slope)) if return_grad else value

    p = small()
    result = OTM(steps=300, divergence=means, divergence_weight=1.0).fit(p.X).result_
    assert result.is_dag
    assert result.settings["divergence"] == "means"


def test_a_wholly_missing_row_is_no_evidence():
    p = small()
    X = np.vstack([p.X, np.full((1, 6), np.nan)])
    with pytest.warns(UserWarning, match="every cell missing"):
        with_empty = OTM(steps=200).fit(X).result_
    without = OTM(steps=200).fit(p.X).result_
    np.testing.assert_array_equal(with_empty.weights, without.weights)
    assert np.isfinite(with_empty.impute()).all()


SAME = """
import sys, numpy as np
from gapdag import simulate
from gapdag.methods.otm import OTM
p = simulate.problem(d=int(sys.argv[2]), edges=2 * int(sys.argv[2]), n=1000, seed=5)
OTM(steps=int(sys.argv[3])).fit(p.frame).result_.save(sys.argv[1])
"""


def run_in_process(path, threads, d, steps):
    env = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    subprocess.run([sys.executable, "-c", SAME, path, str(d), str(steps)], env=env, check=True)
    return path.read_bytes()


def test_one_seed_gives_one_file_in_another_process_too(tmp_path):
    first = run_in_process(tmp_path / "a.json", 1, 6, 300)
    assert first == run_in_process(tmp_path / "b.json", 1, 6, 300)
    assert first == run_in_process(tmp_path / "c.json", 2, 6, 300)


@pytest.mark.slow
def test_edges_do_not_depend_on_the_number_of_threads(tmp_path):
    from gapdag.result import load

    for threads in (1, 2):
        run_in_process(tmp_path / f"{threads}.json", threads, 50, 4000)
    one, two = load(tmp_path / "1.json"), load(tmp_path / "2.json")
    assert (one.adjacency == two.adjacency).all(axis=None)


def test_another_seed_is_another_fit():
    p = small()
    a, b = (OTM(steps=200, random_state=s).fit(p.X).result_.weights for s in (0, 1))
    assert not np.array_equal(a, b)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("scm", "mpl", "unknown scm 'mpl'"),
        ("divergence", "mdd", "did you mean: mmd"),
        ("bandwidth", "medan", "bandwidth must be"),
        ("divergence_weight", -1.0, "divergence_weight must be a number from 0"),
        ("divergence_rows", 1, "divergence_rows must be a whole number from 2"),
        ("completer_hidden", 0, "completer_hidden must be a whole number from 1"),
    ],
)
def test_bad_options_are_one_line(option, value, said):
    with pytest.raises(GapdagError, match=said):
        OTM(steps=10, **{option: value}).fit(small().X)


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["paper", "reference"])
def test_presets_run(preset):
    p = small()
    result = OTM(preset=preset, steps=600).fit(p.X).result_
    assert result.is_dag
    assert result.settings["dtype"] == "float64"
