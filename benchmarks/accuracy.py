"""Graphs found by variants of OTM and by its rivals, side by side: what the defaults rest on.

    .venv/bin/python benchmarks/accuracy.py defaults      # d = 20, mlp and mim, seeds 0-3
    .venv/bin/python benchmarks/accuracy.py reference     # d = 50, 3 tables, against the authors

Rows are appended to benchmarks/results/<suite>.csv as they come, and rows that are there already
are not made again, so that a run can be stopped and resumed. One process, one thread a fit.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from gapdag import metrics, simulate
from gapdag.graph import to_dag
from gapdag.learn import make

RESULTS = Path(__file__).parent / "results"
THRESHOLDS = (0.1, 0.2, 0.3, 0.4)
SHORT = {"steps": 6000}
DEFAULTS: dict[str, tuple[str, dict[str, Any]]] = {
    "default at 6,000 steps": ("otm", SHORT),
    "10,000 steps": ("otm", {}),
    "10,000 steps, none saved (tol 0)": ("otm", {"tol": 0.0}),
    "no divergence": ("otm", {**SHORT, "divergence": None}),
    "divergence weight 1": ("otm", {**SHORT, "divergence_weight": 1.0}),
    "divergence weight 10": ("otm", {**SHORT, "divergence_weight": 10.0}),
    "reference bandwidth": ("otm", {**SHORT, "bandwidth": "reference"}),
    "holes start at zero": ("otm", {**SHORT, "start": "zeros"}),
    "holes start at zero, completer at full speed": (
        "otm", {**SHORT, "start": "zeros", "completer_speed": 1.0}),
    "completer at full speed": ("otm", {**SHORT, "completer_speed": 1.0}),
    "lr 2e-4 (the authors')": ("otm", {**SHORT, "lr": 2e-4}),
    "lr 1e-3": ("otm", {**SHORT, "lr": 1e-3}),
    "lr 1e-2": ("otm", {**SHORT, "lr": 1e-2}),
    "20 hidden units": ("otm", {**SHORT, "hidden": 20}),
    "5 hidden units": ("otm", {**SHORT, "hidden": 5}),
    "l1 .01": ("otm", {**SHORT, "l1": 0.01}),
    "l1 .04": ("otm", {**SHORT, "l1": 0.04}),
    "no screening": ("otm", {**SHORT, "screen": 0.0}),
    "mean+dagma-mlp": ("mean+dagma-mlp", SHORT),
    "iterative+dagma-mlp": ("iterative+dagma-mlp", SHORT),
    "missforest+dagma-mlp": ("missforest+dagma-mlp", SHORT),
}  # fmt: skip
SUITES: dict[str, dict[str, Any]] = {
    "defaults": {"methods": DEFAULTS, "d": 20, "mechanisms": ["mlp", "mim"], "seeds": range(4)},
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


def measure(method: str, options: dict[str, Any], p: Any, seed: int) -> dict[str, Any]:
    """One fit: F1 at several thresholds, and the rest at its own."""
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
    return row | {"wall_s": round(seconds, 1), "steps": result.diagnostics["steps"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", choices=sorted(SUITES))
    parser.add_argument("--only", default="", help="variants whose name holds this")
    parser.add_argument("--seeds", type=int, nargs="+")
    said = parser.parse_args()
    torch.set_num_threads(1)
    suite = SUITES[said.suite]
    path = RESULTS / f"{said.suite}.csv"
    done = set()
    if path.exists():
        rows = pd.read_csv(path)
        done = set(zip(rows.variant, rows.mechanism, rows.seed, strict=True))
    for seed in said.seeds or suite["seeds"]:
        for mechanism in suite["mechanisms"]:
            d = suite["d"]
            p = simulate.problem(d=d, edges=2 * d, mechanism=mechanism, rate=0.3, seed=seed)
            for variant, (method, options) in suite["methods"].items():
                if said.only in variant and (variant, mechanism, seed) not in done:
                    cell = {"variant": variant, "mechanism": mechanism, "seed": seed, "d": d}
                    row = cell | measure(method, options, p, seed)
                    append(path, row | {"method": method, "options": json.dumps(options)})
    show(path)


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


def show(path: Path) -> None:
    """Means over seeds, and each variant's difference to the first with its standard error."""
    rows = pd.read_csv(path)
    table = rows.pivot_table(index=["seed", "mechanism"], columns="variant", values="f1")
    order = list(dict.fromkeys(rows.variant))
    paired = table[order].sub(table[order[0]], axis=0)
    means = rows.groupby("variant")[["f1", "shd", "auprc", "rmse", "wall_s"]].mean()
    by = rows.pivot_table(index="variant", columns="mechanism", values="f1")
    out = means.join(by).loc[order]
    out["difference"] = paired.mean()
    out["its s.e."] = paired.sem()
    print(out.round(3).to_string())


if __name__ == "__main__":
    main()
