"""What can be named: every method, learner, imputer or term, registered where it is written."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from gapdag.errors import GapdagError

KINDS = (
    "method",
    "learner",
    "imputer",
    "acyclicity",
    "divergence",
    "score",
    "mechanism",
    "missingness",
)
T = TypeVar("T", bound=Callable[..., Any])


@dataclass(frozen=True)
class Entry:
    """One thing with a name: ``object`` is the class or function behind it."""

    name: str
    kind: str
    reference: str
    summary: str
    object: Callable[..., Any]


_ENTRIES: dict[tuple[str, str], Entry] = {}


def register(kind: str, name: str, *, reference: str) -> Callable[[T], T]:
    """Give a class or a function a name; its docstring's first line becomes the summary."""
    if kind not in KINDS:
        raise TypeError(f"kind {kind!r} is not one of {', '.join(KINDS)}")

    def keep(thing: T) -> T:
        summary = (thing.__doc__ or "").strip().split("\n")[0]
        if not summary:
            raise TypeError(f"{name}: a registered {kind} needs a docstring")
        _ENTRIES[kind, name] = Entry(name, kind, reference, summary, thing)
        return thing

    return keep


def entries(*kinds: str) -> list[Entry]:
    """Everything registered so far of these kinds (all kinds when none is named)."""
    return [e for e in _ENTRIES.values() if not kinds or e.kind in kinds]


def find(kind: str, name: str) -> Callable[..., Any]:
    """The class or function behind a name; an unknown name is answered with the nearest ones."""
    entry = _ENTRIES.get((kind, name))
    if entry is None:
        raise GapdagError(unknown(kind, name, [e.name for e in entries(kind)]))
    return entry.object


def unknown(what: str, name: object, known: list[str]) -> str:
    """One line for a name that is not known: the nearest ones, or all when few.

    >>> unknown("imputer", "mcar", ["mean", "missforest"])
    "unknown imputer 'mcar'; the names are: mean, missforest"
    >>> unknown("imputer", "misforest", ["mean", "missforest"])
    "unknown imputer 'misforest'; did you mean: missforest?"
    """
    lower = {k.lower(): k for k in known}
    near = difflib.get_close_matches(str(name).lower(), list(lower), n=3, cutoff=0.6)
    near = [lower[k] for k in near]
    if near:
        return f"unknown {what} {str(name)!r}; did you mean: {', '.join(near)}?"
    return f"unknown {what} {str(name)!r}; the names are: {', '.join(sorted(known))}"
