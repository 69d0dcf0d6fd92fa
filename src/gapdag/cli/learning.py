"""`gapdag learn`: read, check everything that can be checked, fit, write, print."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import Any

from gapdag.cli import show
from gapdag.cli.filled import filled_text
from gapdag.cli.options import progress
from gapdag.cli.reading import Source, read_data, read_edges
from gapdag.cli.signals import SIGNALS
from gapdag.files import check_folder, write_folder
from gapdag.knowledge import Knowledge
from gapdag.learn import make
from gapdag.report.html import render
from gapdag.result import CausalResult
from gapdag.table import read_table

FILES = ("graph.json", "edges.csv", "imputed.csv", "report.html", "run.json")
PARTS = ("gapdag", "numpy", "scipy", "pandas", "numba", "scikit-learn", "torch")


@dataclass(frozen=True)
class Request:
    """What `gapdag learn` was asked for."""

    data: Path
    out: Path
    method: str
    options: dict[str, Any]
    knowledge: Path | None
    seed: int
    columns: str | None
    delimiter: str | None
    truth: Path | None
    as_json: bool
    argv: tuple[str, ...]


def learn(asked: Request) -> None:
    """Fit and write; whatever is wrong with the request is found before the fit."""
    times = {"start": time.perf_counter()}
    started = datetime.now(UTC).isoformat(timespec="seconds")
    source = read_data(asked.data, asked.delimiter, asked.columns)
    knowledge = Knowledge.from_yaml(asked.knowledge) if asked.knowledge else None
    names = [str(c) for c in source.frame.columns]
    truth = read_edges(asked.truth, names) if asked.truth else None
    estimator = make(asked.method, knowledge, asked.seed, **asked.options)
    table = read_table(source.frame)
    if knowledge:
        knowledge.masks(table.columns)
    check_folder(asked.out, FILES)
    times["prepare"] = time.perf_counter()
    with progress() as callback:
        result = estimator.fit(table, progress=callback).result_
    result = replace(result, warnings=(*source.warnings, *result.warnings))
    times["fit"] = time.perf_counter()
    said = _said(asked, result, truth)
    files = {
        "graph.json": result.to_json(),
        "edges.csv": result.edges.to_csv(index=False, lineterminator="\n"),
        "imputed.csv": filled_text(source, result.impute()),
        "report.html": render(result),
    }
    times["report"] = time.perf_counter()
    run = _run(asked, source, result, started, times) | {"truth": said.get("truth")}
    files["run.json"] = json.dumps(run, indent=2, allow_nan=False) + "\n"
    with SIGNALS.held():
        write_folder(asked.out, files)
    if asked.as_json:
        show.print_json(said)
    else:
        _print(result, said)


def _said(
    asked: Request, result: CausalResult, truth: Sequence[tuple[str, str]] | None
) -> dict[str, Any]:
    """What --json prints."""
    said: dict[str, Any] = {
        "method": result.method,
        "status": result.status,
        "columns": list(result.columns),
        "edges": result.edges.to_dict("records"),
        "is_dag": result.is_dag,
        "assumptions": result.assumptions,
        "warnings": list(result.warnings),
        "out": str(asked.out),
        "files": list(FILES),
    }
    if truth is not None:
        said["truth"] = against_truth(result, truth)
    return said


def against_truth(result: CausalResult, truth: Sequence[tuple[str, str]]) -> dict[str, int]:
    """How many true edges were found, found reversed, and how many edges are extra."""
    true = set(truth)
    held = set(zip(result.edges["source"], result.edges["target"], strict=True))
    turned = {(b, a) for a, b in held - true} & (true - held)
    extra = {(a, b) for a, b in held - true if (b, a) not in true}
    return {
        "edges": len(true),
        "found": len(held & true),
        "reversed": len(turned),
        "extra": len(extra),
    }


def _run(
    asked: Request, source: Source, result: CausalResult, started: str, times: dict[str, float]
) -> dict[str, Any]:
    """run.json: what it takes to do the same again."""
    stops = list(times)
    return {
        "schema": "gapdag/run",
        "version": 1,
        "command": shlex.join(["gapdag", *asked.argv]),
        "started": started,
        "seed": asked.seed,
        "versions": versions(),
        "data": {
            "path": str(asked.data),
            "sha256": source.sha256,
            "rows": len(source.frame),
            "columns": list(result.columns),
            "missing": int(source.frame.isna().to_numpy().sum()),
        },
        "method": result.method,
        "options": asked.options,
        "settings": result.to_dict()["settings"],
        "knowledge": None if asked.knowledge is None else str(asked.knowledge),
        "status": result.status,
        "warnings": list(result.warnings),
        "timings_s": {
            after: round(times[after] - times[before], 3) for before, after in pairwise(stops)
        },
    }


def versions() -> dict[str, str]:
    """Of Python and of what computes."""
    out = {"python": sys.version.split()[0]}
    for part in PARTS:
        try:
            out[part] = version(part)
        except PackageNotFoundError:
            continue
    return out


def _print(result: CausalResult, said: dict[str, Any]) -> None:
    edges = [(e["source"], e["target"], e["weight"]) for e in said["edges"]]
    n = len(edges)
    print(f"{result.method}: {n} edge{'s' * (n != 1)} among {len(result.columns)} columns")
    if edges:
        show.print_edges(edges)
    if result.status != "converged":
        show.print_paragraph(f"status: {result.status}")
    if result.assumptions:
        print()
        show.print_paragraph(result.assumptions, indent="")
    for warning in result.warnings:
        show.print_paragraph(f"warning: {show.clean(warning)}")
    if "truth" in said:
        t = said["truth"]
        print(
            f"\ntrue edges found: {t['found']} of {t['edges']}; reversed: {t['reversed']}; "
            f"extra: {t['extra']}"
        )
    print(f"\nreport: {show.clean(Path(said['out']) / 'report.html')}")
