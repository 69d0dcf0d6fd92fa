"""What is known of the graph beforehand; always obeyed, by masks inside every method."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from gapdag.errors import GapdagError
from gapdag.registry import unknown

KEYS = ("forbidden", "required", "tiers", "roots", "sinks")


@dataclass(frozen=True)
class Masks:
    """Knowledge about d columns as matrices: i -> j may be there, must be there."""

    allowed: NDArray[np.bool_]
    required: NDArray[np.bool_]

    @classmethod
    def free(cls, d: int) -> Masks:
        """Nothing is known, but that no column causes itself."""
        return cls(~np.eye(d, dtype=bool), np.zeros((d, d), dtype=bool))


class Knowledge:
    """Edges that must or may not be there, by column name.

    ``tiers`` are groups in causal order: no edge runs from a later tier to an earlier one.
    ``roots`` have no cause in the table, ``sinks`` no effect.

    >>> k = Knowledge(forbidden=[("effect", "dose")], roots=["dose"])
    >>> k.masks(["dose", "effect"]).allowed.astype(int).tolist()
    [[0, 1], [0, 0]]
    """

    def __init__(
        self,
        forbidden: Iterable[Sequence[str]] = (),
        required: Iterable[Sequence[str]] = (),
        tiers: Iterable[Iterable[str]] = (),
        roots: Iterable[str] = (),
        sinks: Iterable[str] = (),
    ) -> None:
        self.forbidden = tuple(_pair(e, "forbidden") for e in _listed(forbidden, "forbidden"))
        self.required = tuple(_pair(e, "required") for e in _listed(required, "required"))
        self.tiers = tuple(
            tuple(str(c) for c in _listed(t, "tiers")) for t in _listed(tiers, "tiers")
        )
        self.roots = tuple(str(c) for c in _listed(roots, "roots"))
        self.sinks = tuple(str(c) for c in _listed(sinks, "sinks"))
        self._check_alone()

    def __repr__(self) -> str:
        said = ", ".join(f"{k}={getattr(self, k)!r}" for k in KEYS if getattr(self, k))
        return f"Knowledge({said})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Knowledge) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, k) for k in KEYS))

    def to_dict(self) -> dict[str, Any]:
        """The constructor's keys, those that say something, as lists."""
        return {
            k: [list(e) if isinstance(e, tuple) else e for e in getattr(self, k)]
            for k in KEYS
            if getattr(self, k)
        }

    @classmethod
    def from_dict(cls, said: Any) -> Knowledge:
        """From the constructor's keys; an unknown key is an error."""
        if said is None:
            return cls()
        if not isinstance(said, dict):
            raise GapdagError(f"knowledge must be a mapping with the keys {', '.join(KEYS)}")
        for key in said:
            if key not in KEYS:
                raise GapdagError(unknown("knowledge key", key, list(KEYS)))
        return cls(**{k: v for k, v in said.items() if v is not None})

    @classmethod
    def from_yaml(cls, path: str | Path) -> Knowledge:
        """From a YAML file with the constructor's keys."""
        import yaml

        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as e:
            reason = getattr(e, "strerror", None) or "it is not UTF-8 text"
            raise GapdagError(f"cannot read the knowledge file {str(path)!r}: {reason}") from None
        try:
            return cls.from_dict(yaml.safe_load(text))
        except yaml.YAMLError as e:
            mark = getattr(e, "problem_mark", None)
            where = f" (line {mark.line + 1})" if mark else ""
            raise GapdagError(f"the knowledge file {str(path)!r} is not YAML{where}") from None

    def masks(self, columns: Sequence[str]) -> Masks:
        """Which edges may and must be there among these columns; what cannot be is refused."""
        at = {c: i for i, c in enumerate(columns)}
        for name in sorted(self._names()):
            if name not in at:
                raise GapdagError(f"knowledge: {unknown('column', name, list(columns))}")
        d = len(columns)
        allowed = ~np.eye(d, dtype=bool)
        for a, b in self.forbidden:
            allowed[at[a], at[b]] = False
        for k, later in enumerate(self.tiers):
            for earlier in self.tiers[:k]:
                allowed[np.ix_([at[c] for c in later], [at[c] for c in earlier])] = False
        allowed[:, [at[c] for c in self.roots]] = False
        allowed[[at[c] for c in self.sinks], :] = False
        required = np.zeros((d, d), dtype=bool)
        for a, b in self.required:
            if not allowed[at[a], at[b]]:
                raise GapdagError(
                    f"knowledge: the edge {a!r} -> {b!r} is required but also ruled out "
                    "(forbidden, tiers, roots or sinks)"
                )
            required[at[a], at[b]] = True
        return Masks(allowed & ~_reachable(required).T, required)

    def _names(self) -> set[str]:
        pairs = {c for e in self.forbidden + self.required for c in e}
        return pairs | {c for t in self.tiers for c in t} | set(self.roots) | set(self.sinks)

    def _check_alone(self) -> None:
        """What is wrong whatever the table: cycles, a column in two tiers."""
        seen: set[str] = set()
        for c in (c for t in self.tiers for c in t):
            if c in seen:
                raise GapdagError(f"knowledge: {c!r} stands in the tiers twice")
            seen.add(c)
        G = nx.DiGraph(list(self.required))
        try:
            cycle = nx.find_cycle(G)
        except nx.NetworkXNoCycle:
            return
        path = " -> ".join(repr(e[0]) for e in cycle) + f" -> {cycle[0][0]!r}"
        raise GapdagError(f"knowledge: the required edges form a cycle: {path}")


def _reachable(A: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """R[i, j]: a path of one or more edges leads from i to j."""
    R = A.copy()
    for k in range(len(A)):
        R |= np.outer(R[:, k], R[k])
    return R


def _listed(value: Any, key: str) -> list[Any]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise GapdagError(f"knowledge: {key!r} must be a list, got {value!r}")
    return list(value)


def _pair(edge: Any, key: str) -> tuple[str, str]:
    if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
        raise GapdagError(f"knowledge: each of {key!r} is a pair [source, target], got {edge!r}")
    a, b = str(edge[0]), str(edge[1])
    if a == b:
        raise GapdagError(f"knowledge: {key!r} holds an edge from {a!r} to itself")
    return a, b
