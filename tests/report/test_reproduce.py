"""The code that the page gives makes the same result again."""

from __future__ import annotations

import shlex
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

import gapdag as gd
from gapdag.cli.options import settings
from gapdag.report.reproduce import arguments, python_code, shell_code
from gapdag.result import CausalResult


def unfitted(method: str, said: dict[str, Any]) -> CausalResult:
    return CausalResult(["a", "b"], np.zeros((2, 2)), np.zeros((2, 2)), method, said)


@pytest.mark.filterwarnings("ignore::gapdag.errors.GapdagWarning")
@pytest.mark.parametrize(
    ("method", "seed", "options"),
    [("otm", 5, {"hidden": 4}), ("mean+dagma-mlp", 0, {"l1": 0.03})],
)
def test_code_runs_and_gives_the_same(method: str, seed: int, options: dict[str, Any]) -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    X[:, 1] += 2 * X[:, 0]
    X[::7, 2] = np.nan
    df = pd.DataFrame(X, columns=["a", "b", "c"])
    first = gd.learn(df, method=method, random_state=seed, steps=40, **options)
    names: dict[str, Any] = {"df": df}
    exec(python_code(first), names)
    pd.testing.assert_frame_equal(names["result"].weights, first.weights)

    words = shlex.split(shell_code(first).replace("\\\n", " "))
    assert words[:5] == ["gapdag", "learn", "DATA.csv", "--method", method]
    if "random_state" in first.settings:
        assert words[words.index("--seed") + 1] == str(seed)
    typed = settings([b for a, b in pairwise(words) if a == "--set"])
    said = {k: v for k, v in arguments(first).items() if k not in ("random_state", "knowledge")}
    assert typed == {k: list(v) if isinstance(v, tuple) else v for k, v in said.items()}


def test_what_cannot_be_written_is_said() -> None:
    said = {"scm": object(), "class": 1, "blur": float("inf"), "hidden": (3, 1), "n": np.int64(4)}
    code = python_code(unfitted("of another version", said))
    compile(code, "code", "exec")
    for words in ("blur=float('inf'),", "hidden=(3, 1),", "n=4,"):
        assert words in code
    assert "# and with scm = <object" in code
    assert "# and with class = 1" in code


def test_what_a_fit_derived_is_left_out() -> None:
    assert arguments(unfitted("otm", {"steps": 3, "of_its_own": 1})) == {"steps": 3}


def test_knowledge() -> None:
    known = gd.Knowledge(forbidden=[("a", "b")])
    code = python_code(unfitted("otm", {"knowledge": known}))
    assert f"knowledge=gd.{known!r}" in code
    assert python_code(unfitted("otm", {"knowledge": str(known)})) == code  # as loaded
    assert "--knowledge KNOWLEDGE.yaml" in shell_code(unfitted("otm", {"knowledge": known}))


def test_shell_code_is_one_command() -> None:
    text = shell_code(unfitted("otm", {"scm": "it's; rm", "random_state": None}))
    assert shlex.split(text)[5:] == ["--set", "scm=it's; rm", "-o", "OUT"]
