"""What a fit gives back: the graph, the filled table, and what to know about both."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gapdag import graph
from gapdag.errors import GapdagError
from gapdag.files import write_text
from gapdag.table import Table

SCHEMA = "gapdag/graph"
VERSION = 1


@dataclass(frozen=True, repr=False)
class CausalResult:
    """A causal graph over named columns, and the table it was learned from with its holes filled.

    ``weights`` are the fitted strengths before thresholding; ``adjacency`` is the graph.

    >>> r = CausalResult(["dose", "effect"], [[0, 1.5], [0.1, 0]], [[0, 1], [0, 0]])
    >>> r.edges
      source  target  weight
    0   dose  effect     1.5
    >>> r.is_dag
    True
    """

    columns: list[str]
    _weights: NDArray[np.float64]
    _adjacency: NDArray[np.bool_]
    method: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """every setting as it was used, defaults resolved"""
    status: str = "converged"
    """converged, or why not and what to do"""
    assumptions: str = ""
    """one paragraph: what was assumed and why"""
    warnings: tuple[str, ...] = ()
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    table: Table | None = None
    filled: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        d = len(self.columns)
        for name, dtype in (("_weights", np.float64), ("_adjacency", np.bool_)):
            M = np.asarray(getattr(self, name), dtype=dtype)
            if M.shape != (d, d):
                raise ValueError(f"{name[1:]} must be ({d}, {d}), got {M.shape}")
            object.__setattr__(self, name, M)
        if not np.isfinite(self._weights).all():
            raise ValueError("weights must be finite")

    @property
    def weights(self) -> pd.DataFrame:
        """(d, d) strengths before thresholding; ``weights.loc[i, j]`` is i -> j."""
        return pd.DataFrame(self._weights, self.columns, self.columns)

    @property
    def adjacency(self) -> pd.DataFrame:
        """(d, d) bool; an undirected edge is held in both directions."""
        return pd.DataFrame(self._adjacency, self.columns, self.columns)

    @property
    def edges(self) -> pd.DataFrame:
        """source, target, weight; the strongest first."""
        i, j = np.nonzero(self._adjacency)
        weight = self._weights[i, j]
        order = np.argsort(-np.abs(weight), kind="stable")
        # not by way of numpy's own texts, which lose a NUL at the end of a name
        source = pd.Series([self.columns[k] for k in i[order]], dtype="str")
        target = pd.Series([self.columns[k] for k in j[order]], dtype="str")
        return pd.DataFrame({"source": source, "target": target, "weight": weight[order]})

    @property
    def is_dag(self) -> bool:
        """Whether every edge is directed and no path returns to where it began."""
        return graph.is_dag(self._adjacency)

    def impute(self) -> Any:
        """The table with its holes filled from the fitted model; observed cells are untouched.

        It comes back as it went in (pandas, polars or numpy; same columns and index). A column
        of whole numbers is filled with whole numbers inside its observed range.
        """
        if self.table is None or self.filled is None:
            raise GapdagError(
                "this result carries no table (a loaded graph.json never does); "
                "fit again, or use the imputed.csv that was written beside it"
            )
        return self.table.fill(self.filled)

    def to_networkx(self) -> Any:
        """A networkx.DiGraph with a ``weight`` on each edge."""
        return graph.to_networkx(np.where(self._adjacency, self._weights, 0.0), self.columns)

    def to_dot(self) -> str:
        """Graphviz DOT.

        >>> print(CausalResult(["a", "b"], [[0, 1], [0, 0]], [[0, 1], [0, 0]]).to_dot())
        digraph {
          "a";
          "b";
          "a" -> "b" [label="1.00"];
        }
        """
        lines = [f"  {_quoted(c)};" for c in self.columns]
        lines += [
            f'  {_quoted(e.source)} -> {_quoted(e.target)} [label="{e.weight:.2f}"];'
            for e in self.edges.itertuples()
        ]
        return "\n".join(["digraph {", *lines, "}"])

    def to_dagitty(self) -> str:
        """The text that dagitty.net and the R package dagitty read."""
        lines = [_quoted(c) for c in self.columns]
        lines += [f"{_quoted(e.source)} -> {_quoted(e.target)}" for e in self.edges.itertuples()]
        return "\n".join(["dag {", *lines, "}"])

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write one self-contained page that shows the graph, the table's holes and the fit."""
        from gapdag.report.html import render  # the one late import upwards

        write_text(path, render(self))

    def to_dict(self) -> dict[str, Any]:
        """Everything but the table, ready for JSON."""
        return {
            "schema": SCHEMA,
            "version": VERSION,
            "columns": self.columns,
            "edges": self.edges.to_dict("records"),
            "weights": self._weights.tolist(),
            "adjacency": self._adjacency.astype(int).tolist(),
            "method": self.method,
            "settings": _plain(self.settings),
            "status": self.status,
            "assumptions": self.assumptions,
            "warnings": list(self.warnings),
            "diagnostics": _plain(self.diagnostics),
        }

    def to_json(self) -> str:
        """What graph.json holds: all but the table. The same fit gives the same text."""
        return json.dumps(self.to_dict(), allow_nan=False, separators=(",", ":")) + "\n"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write graph.json: all but the table. The same fit gives the same bytes."""
        write_text(path, self.to_json())

    def __repr__(self) -> str:
        n_edges = int(self._adjacency.sum())
        head = f"CausalResult({self.method or 'unknown method'}): "
        head += f"{n_edges} edge{'s' * (n_edges != 1)} among {len(self.columns)} columns"
        lines = [head, self.assumptions, f"status: {self.status}"]
        lines += [f"warning: {w}" for w in self.warnings]
        if n_edges:
            lines.append(self.edges.to_string(max_rows=20, index=False))
        return "\n".join(line for line in lines if line)


def load(path: str | os.PathLike[str]) -> CausalResult:
    """Read a graph.json that ``CausalResult.save`` has written.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "graph.json")
    >>> CausalResult(["a", "b"], [[0, 1], [0, 0]], [[0, 1], [0, 0]], "otm").save(path)
    >>> load(path).method
    'otm'
    """
    name = str(path)
    try:
        said = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as e:
        raise GapdagError(f"cannot read {name!r}: {e.strerror or e}") from None
    except (ValueError, RecursionError):
        raise GapdagError(f"{name!r} is not JSON") from None
    if not isinstance(said, dict) or said.get("schema") != SCHEMA:
        raise GapdagError(f"{name!r} is not a gapdag graph (no schema {SCHEMA!r})")
    if said.get("version") != VERSION:
        raise GapdagError(
            f"{name!r} has version {said.get('version')!r}; this gapdag reads version {VERSION}"
        )
    try:
        return _from_dict(said)
    except (KeyError, TypeError, ValueError, OverflowError) as e:
        raise GapdagError(f"{name!r} is damaged: {e}") from None


def _from_dict(said: dict[str, Any]) -> CausalResult:
    columns = said["columns"]
    if not isinstance(columns, list) or not all(isinstance(c, str) for c in columns):
        raise ValueError("columns must be a list of names")
    if len(set(columns)) < len(columns):
        raise ValueError("a column name stands twice")
    texts = {k: said.get(k, "") for k in ("method", "status", "assumptions")}
    if not all(isinstance(v, str) for v in texts.values()):
        raise ValueError("method, status and assumptions must be text")
    maps = {k: said.get(k, {}) for k in ("settings", "diagnostics")}
    if not all(isinstance(v, dict) for v in maps.values()):
        raise ValueError("settings and diagnostics must be mappings")
    warnings = said.get("warnings", [])
    if not isinstance(warnings, list):
        raise ValueError("warnings must be a list")
    return CausalResult(
        columns, said["weights"], said["adjacency"], **texts, **maps, warnings=tuple(warnings)
    )


def _quoted(name: object) -> str:
    escaped = str(name).replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'


def _plain(value: Any) -> Any:
    """numpy numbers and arrays as Python's own; what is not finite as None."""
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)
