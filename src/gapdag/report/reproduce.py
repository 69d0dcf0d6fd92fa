"""The call that makes a result again, in Python and in a terminal."""

from __future__ import annotations

import json
import keyword
import math
import shlex
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from gapdag.errors import GapdagError
from gapdag.knowledge import Knowledge
from gapdag.learn import make, make_imputer
from gapdag.result import CausalResult

SHARED = ("knowledge", "random_state")


def arguments(result: CausalResult) -> dict[str, Any]:
    """The settings that ``learn`` takes; what a fit derived from them is left out.

    A pair keeps the settings of its two parts apart, which ``learn`` calls ``imputer__name`` and
    ``learner__name``.
    """
    said = result.settings
    imputer, plus, learner = result.method.partition("+")
    try:
        if not plus:
            accepted = make(result.method).get_params()
            return {k: v for k, v in said.items() if k in accepted}
        parts: dict[str, BaseEstimator] = {
            "imputer": make_imputer(imputer),
            "learner": make(learner),
        }
    except GapdagError:  # a name that this version does not know: all of it, then
        return {k: v for k, v in said.items() if k != "method"}
    out = {k: said[k] for k in SHARED if k in said}
    for part, estimator in parts.items():
        given = said.get(f"{part}_options") or {}
        accepted = estimator.get_params()
        own = {k: v for k, v in given.items() if k in accepted and k not in SHARED}
        out |= {f"{part}__{k}": v for k, v in own.items()}
    return out


def python_code(result: CausalResult) -> str:
    """The call that makes this result again, as far as its settings can be written down."""
    said, unsaid = [f"method={result.method!r}"], []
    for key, value in arguments(result).items():
        written = _written(value)
        if key == "knowledge" and isinstance(value, str):  # what a loaded result has left of it
            written = f"gd.{value}"
        if written is None or not key.isidentifier() or keyword.iskeyword(key):
            unsaid.append(f"# and with {key} = {' '.join(str(value).split())[:200]}")
        else:
            said.append(f"{key}={written}")
    if "random_state" not in arguments(result):
        unsaid.append("# and with the random_state it was fitted with, which is not recorded here")
    call = f"result = gd.learn(df, {', '.join(said)})"
    if len(call) > 88:
        call = "\n".join(["result = gd.learn(", "    df,", *(f"    {a}," for a in said), ")"])
    return "\n".join(["import gapdag as gd", "", call, *unsaid])


def shell_code(result: CausalResult) -> str:
    """The same for a terminal; knowledge is a file there."""
    words = ["gapdag learn DATA.csv", f"--method {shlex.quote(result.method)}"]
    for key, value in arguments(result).items():
        text = _typed(value)
        if key == "knowledge":
            words += ["--knowledge KNOWLEDGE.yaml"] if value else []
        elif key == "random_state":
            words += [f"--seed {text}"] if isinstance(value, int) else []
        elif text is not None:
            words.append(f"--set {shlex.quote(f'{key}={text}')}")
    one = " ".join([*words, "-o OUT"])
    return one if len(one) <= 88 else " \\\n    ".join([*words, "-o OUT"])


def _written(value: Any) -> str | None:
    """Python source for a plain value; None where there is no telling."""
    if isinstance(value, Knowledge):
        return f"gd.{value!r}"
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, list | tuple):
        parts = [_written(v) for v in value]
        if None in parts:
            return None
        inside = ", ".join(map(str, parts))
        if isinstance(value, tuple):
            return f"({inside},)" if len(parts) == 1 else f"({inside})"
        return f"[{inside}]"
    if isinstance(value, Mapping):
        pairs = [(repr(str(k)), _written(v)) for k, v in value.items()]
        if all(v is not None for _, v in pairs):
            return "{" + ", ".join(f"{k}: {v}" for k, v in pairs) + "}"
    return None


def _typed(value: Any) -> str | None:
    """A plain value as ``--set`` reads it: lists and mappings are JSON."""
    if isinstance(value, list | tuple | Mapping) and _written(value) is not None:
        return json.dumps(value)
    return str(value) if _written(value) is not None else None
