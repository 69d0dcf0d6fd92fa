"""What the options of the commands mean: --set, --knowledge, --truth, progress."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gapdag.base import Progress
from gapdag.errors import GapdagError, GapdagWarning
from gapdag.learn import shown

WORDS = {"true": True, "false": False, "none": None}
OWN = {"random_state": "--seed", "knowledge": "--knowledge", "progress": "", "method": "--method"}
MARKS = (0.0, 0.25, 0.5, 0.75)


def settings(said: Sequence[str]) -> dict[str, Any]:
    """``--set`` options: key=value, the value a number, true, false, none, a JSON list, or text.

    >>> settings(["lr=1e-3", "steps=50", "divergence=none", "s=[1, 0.9]", "preset=paper"])
    {'lr': 0.001, 'steps': 50, 'divergence': None, 's': [1, 0.9], 'preset': 'paper'}
    """
    out: dict[str, Any] = {}
    for one in said:
        key, equals, value = one.partition("=")
        key = key.strip()
        if not equals or not key:
            raise GapdagError(f"--set takes key=value, as in --set steps=500; got {one!r}")
        if key in OWN:
            instead = f"; use {OWN[key]}" if OWN[key] else ""
            raise GapdagError(f"--set cannot set {key!r}{instead}")
        if key in out:
            raise GapdagError(f"--set sets {key!r} twice")
        out[key] = _value(value.strip())
    return out


def _value(text: str) -> Any:
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    if text[:1] in ("[", "{"):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


@contextmanager
def progress() -> Iterator[Progress | None]:
    """A bar where stderr is a terminal, a few plain lines where it is not."""
    if sys.stderr.isatty():
        with shown(True) as bar, _quietly():
            yield bar
    else:
        with _quietly():
            yield _lines()


def _lines() -> Progress:
    left = list(MARKS)

    def tell(done: float, doing: str) -> None:
        passed = [m for m in left if done >= m]
        if passed and done < 1:
            del left[: len(passed)]
            print(f"gapdag: {passed[-1]:.0%} {doing}", file=sys.stderr, flush=True)

    return tell


@contextmanager
def _quietly() -> Iterator[None]:
    """Our warnings are in the result and printed at the end; those of libraries are not ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GapdagWarning)
        if not sys.warnoptions:
            warnings.simplefilter("ignore")
        yield
