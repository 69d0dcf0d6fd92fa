"""Graphs found by variants of OTM and by its rivals, side by side: what the defaults rest on.

    .venv/bin/python benchmarks/accuracy.py defaults      # d = 20, mlp and mim, seeds 0-4
    .venv/bin/python benchmarks/accuracy.py wide          # the same at d = 50, seeds 0-2
    .venv/bin/python benchmarks/accuracy.py reference     # d = 50, 3 tables, against the authors

Rows are appended to benchmarks/results/<suite>.csv as they come, and rows that are there already
are not made again, so that a run can be stopped and resumed. `--jobs` fits run at once, each on
`--threads` threads; both are 1 unless said, and `wall_s` means something only if nothing else runs.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import time
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import Parallel, delayed

from gapdag import metrics, simulate
from gapdag.graph import to_dag
from gapdag.learn import make

RESULTS = Path(__file__).parent / "results"
THRESHOLDS = (0.1, 0.2, 0.3, 0.4)
BEFORE: dict[str, Any] = {"steps": 10_000, "bandwidth": "median", "divergence_weight": 0.01}
"""the default until 2026-11-19"""
REFERENCE = {"bandwidth": "reference", "divergence_weight": 1.5}
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "default": ("otm", {}),
    "no divergence": ("otm", {"divergence": None}),
    "start radius 0": ("otm", {"start_radius": 0.0}),
    "holes start at zero, completer at full speed": (
        "otm", {"start": "zeros", "completer_speed": 1.0}),
    "missforest+dagma-mlp": ("missforest+dagma-mlp", {}),
    "before": ("otm", BEFORE),
    "before, start radius 0": ("otm", {**BEFORE, "start_radius": 0.0}),
    "before, hidden 20": ("otm", {**BEFORE, "hidden": 20}),
    "before, hidden 50": ("otm", {**BEFORE, "hidden": 50}),
    "before, lr 1e-3": ("otm", {**BEFORE, "lr": 1e-3}),
    "before, l1 .03": ("otm", {**BEFORE, "l1": 0.03}),
    "before, l2 .05": ("otm", {**BEFORE, "l2": 0.05}),
    "before, steps 5,000": ("otm", {**BEFORE, "steps": 5_000}),
    "reference bandwidth, weight 1.5": ("otm", {**BEFORE, **REFERENCE}),
    "reference bandwidth, weight 1.5, l1 .025": ("otm", {**BEFORE, **REFERENCE, "l1": 0.025}),
    "reference bandwidth, weight 1.5, l1 .03": ("otm", {**BEFORE, **REFERENCE, "l1": 0.03}),
    "reference bandwidth, weight 1.5, steps 5,000": (
        "otm", {**BEFORE, **REFERENCE, "steps": 5_000}),
} | {
    f"bandwidth {bandwidth}, weight {weight}, steps {steps:,}": (
        "otm", {"bandwidth": bandwidth, "divergence_weight": float(weight), "steps": steps})
    for bandwidth, weight, steps in (
        (0.5, 5, 5_000), (1.0, 5, 5_000), (2.0, 5, 5_000), (2.0, 50, 5_000), (4.0, 5, 5_000),
        ("median/16", 5, 5_000), ("median/32", 5, 5_000), ("median/64", 5, 5_000),
        ("median/32", 20, 5_000), ("median/32", 5, 10_000),
    )
}  # fmt: skip
SUITES: dict[str, dict[str, Any]] = {
    "defaults": {"methods": VARIANTS, "d": 20, "mechanisms": ["mlp", "mim"], "seeds": range(5)},
    "wide": {"methods": VARIANTS, "d": 50, "mechanisms": ["mlp", "mim"], "seeds": range(3)},
    "reference": {
        "methods": {
            "default": ("otm", {}),
            "missforest+dagma-mlp": ("missforest+dagma-mlp", {}),
            "reference": ("otm", {"preset": "reference"}),
        },
        "d": 50,
        "mechanisms": ["mlp"],
        "seeds": range(3),
    },
}
"""the reference's 23,000 steps take 20 to 50 minutes a table: run it in the background"""


def measure(
    cell: dict[str, Any], method: str, options: dict[str, Any], threads: int
) -> dict[str, Any]:
    """One fit: F1 at several thresholds, and the rest at its own."""
    os.environ["OMP_NUM_THREADS"] = str(threads)
    d, seed = cell["d"], cell["seed"]
    p = simulate.problem(d=d, edges=2 * d, mechanism=cell["mechanism"], rate=0.3, seed=seed)
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = make(method, None, seed, **options).fit(p.frame).result_
    seconds = time.perf_counter() - began
    score = metrics.score(p.adjacency, result.adjacency.to_numpy())
    row = {k: round(score[k], 4) for k in ("f1", "precision", "recall", "skeleton_f1", "shd")}
    for t in THRESHOLDS:
        row[f"f1_at_{t}"] = round(metrics.f1(p.adjacency, to_dag(result.weights, t) != 0), 4)
    row["auprc"] = round(metrics.auprc(p.adjacency, result.weights.to_numpy()), 4)
    filled = result.impute().to_numpy()
    row["rmse"] = round(metrics.imputation(p.X_true, filled, p.missing)["rmse"], 4)
    row |= {"wall_s": round(seconds, 1), "steps": result.diagnostics["steps"]}
    return cell | row | {"method": method, "options": json.dumps(options), "commit": commit()}


def commit() -> str:
    """Which code made a row; a + where it was not committed."""
    words = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", choices=sorted(SUITES))
    parser.add_argument("--only", nargs="+", help="variants of these names")
    parser.add_argument("--mechanisms", nargs="+")
    parser.add_argument("--seeds", type=int, nargs="+")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    said = parser.parse_args()
    suite = SUITES[said.suite]
    path = RESULTS / f"{said.suite}.csv"
    done = set()
    if path.exists():
        rows = pd.read_csv(path)
        done = set(zip(rows.variant, rows.mechanism, rows.seed, strict=True))
    cells = [
        ({"variant": variant, "mechanism": mechanism, "seed": seed, "d": suite["d"]}, *method)
        for variant, method in suite["methods"].items()
        for mechanism, seed in product(
            said.mechanisms or suite["mechanisms"], said.seeds or suite["seeds"]
        )
        if (not said.only or variant in said.only) and (variant, mechanism, seed) not in done
    ]
    fits = (delayed(measure)(*cell, said.threads) for cell in cells)
    for row in Parallel(n_jobs=said.jobs, return_as="generator_unordered")(fits):
        append(path, row)
    show(path, list(suite["methods"]))


def append(path: Path, row: dict[str, Any]) -> None:
    """One line more; the header first when the file is new."""
    new = not path.exists()
    path.parent.mkdir(exist_ok=True)
    with path.open("a", newline="") as f:
        writer = csv.DictWriter(f, list(row))
        if new:
            writer.writeheader()
        writer.writerow(row)
    print(row, flush=True)


def show(path: Path, variants: list[str]) -> None:
    """Means over seeds, and each variant's difference to the first with its standard error."""
    rows = pd.read_csv(path)
    table = rows.pivot_table(index=["seed", "mechanism"], columns="variant", values="f1")
    order = [v for v in variants if v in table]
    paired = table[order].sub(table[order[0]], axis=0)
    means = rows.groupby("variant")[["f1", "shd", "auprc", "rmse", "wall_s"]].mean()
    by = rows.pivot_table(index="variant", columns="mechanism", values="f1")
    out = means.join(by).loc[order]
    out["difference"] = paired.mean()
    out["its s.e."] = paired.sem()
    print(out.round(3).to_string())


if __name__ == "__main__":
    main()
