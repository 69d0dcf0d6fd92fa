"""The compiled exponential, sigmoid and Adam, against numpy and torch."""

import os
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from gapdag.core import compiled
from gapdag.core.adam import Adam
from gapdag.core.compiled import compiled as as_the_kernels
from gapdag.core.nodes import sigmoid
from gapdag.core.parameters import Parameters

PRECISION = {np.float32: 1e-6, np.float64: 4e-15}


@as_the_kernels
def exps(x):
    out = np.empty_like(x)
    for k in range(len(x)):
        out[k] = compiled.exp(x[k])
    return out


@as_the_kernels
def sigmoids(x):
    out = np.empty_like(x)
    for k in range(len(x)):
        out[k] = sigmoid(x[k])
    return out


@pytest.mark.parametrize("dtype", PRECISION)
def test_exp_and_sigmoid_are_numpys(dtype):
    x = np.linspace(-80, 80, 20_001).astype(dtype)
    exact = np.exp(x.astype(np.longdouble))
    np.testing.assert_allclose(exps(x), exact.astype(dtype), rtol=PRECISION[dtype])
    np.testing.assert_allclose(sigmoids(x), (1 / (1 + 1 / exact)).astype(dtype),
                               rtol=PRECISION[dtype])  # fmt: skip


FIT = """
import hashlib
from gapdag import simulate
from gapdag.methods.otm import OTM
p = simulate.problem(d=20, edges=20, n=300, rate=0.2, seed=1)
weights = OTM(steps=60, start="mean").fit(p.X).result_.weights.to_numpy()
print(hashlib.sha256(weights.tobytes()).hexdigest())
"""


def test_a_process_that_compiles_and_one_that_finds_it_compiled_give_the_same_bytes(tmp_path):
    """They did not, when compiled functions called each other: see `compiled.inlined`."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    words = [sys.executable, "-W", "ignore", "-c", FIT]
    first, second = (
        subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    assert list(tmp_path.rglob("*.nbc"))
    assert first == second


@pytest.mark.parametrize("dtype", PRECISION)
def test_sigmoid_far_out(dtype):
    x = np.array([-np.inf, -1e30, 0, 1e30, np.inf], dtype)
    np.testing.assert_allclose(sigmoids(x), [0, 0, 0.5, 1, 1], atol=1e-30)
    assert exps(x).min() > 0
    assert np.isfinite(exps(x)).all()


@given(st.floats(-1000, 1000))
def test_what_is_compiled_is_what_python_does(x):
    assert exps(np.array([x]))[0] == pytest.approx(compiled.exp(x), rel=1e-12)
    assert sigmoids(np.array([x]))[0] == pytest.approx(sigmoid(x), rel=1e-12)


def test_where_no_cache_can_be_written_it_is_compiled_all_the_same(monkeypatch):
    def refuse(*args, cache=False, **options):
        if cache:
            raise RuntimeError("no locator available")
        return njit(*args, **options)

    monkeypatch.setattr(compiled, "njit", refuse)
    assert compiled.compiled(lambda x: x + 1)(1) == 2


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_adam_is_torchs(kind):
    dtype = getattr(torch, kind)
    rng = np.random.default_rng(0)
    start, grads = rng.normal(size=7), rng.normal(size=(20, 7))

    class Objective:
        parameters = Parameters([{"a": start[:4]}, {"b": start[4:]}], kind)
        speeds = (1.0, 0.1)

    ours = Adam(Objective, (0.99, 0.999), decay=0.05)
    a, b = (torch.tensor(part, dtype=dtype) for part in (start[:4], start[4:]))
    groups = [{"params": [a], "lr": 0.01}, {"params": [b], "lr": 0.001}]
    theirs = torch.optim.Adam(groups, betas=(0.99, 0.999), weight_decay=0.05)
    for grad in grads:
        Objective.parameters.grad[:] = grad
        ours.step(0.01)
        a.grad, b.grad = (torch.tensor(part, dtype=dtype) for part in (grad[:4], grad[4:]))
        theirs.step()
    torch.testing.assert_close(torch.tensor(Objective.parameters.theta), torch.cat([a, b]))
