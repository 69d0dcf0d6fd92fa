"""What the imputers' settings cost and bring: RMSE at the holes and seconds of one core.

    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/imputers.py --nodes 20 50 --seeds 0 1

RMSE is in standard deviations of each column (the mean imputer is at 1), averaged over the tables;
n = 1000, 30% of the cells missing completely at random, edges = 2 x nodes.
"""

from __future__ import annotations

import argparse
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from gapdag import simulate
from gapdag.base import Imputer
from gapdag.imputers import IterativeImputer, MeanImputer, MissForestImputer
from gapdag.problem import Problem

PLAIN = {"sample_posterior": False, "average": False}
AUTHORS = {"max_iter": 50, "n_estimators": 4, "max_features": 1.0, "average": False}
VARIANTS: dict[str, Imputer] = {
    "mean": MeanImputer(),
    "iterative, authors (50 rounds, no draws, last)": IterativeImputer(max_iter=50, **PLAIN),
    "the same, 3 rounds": IterativeImputer(max_iter=3, **PLAIN),
    "the same, 2 rounds": IterativeImputer(max_iter=2, **PLAIN),
    "iterative, 5 rounds of draws, averaged": IterativeImputer(max_iter=5),
    "iterative, 20 rounds of draws, averaged": IterativeImputer(max_iter=20),
    "iterative, default, 10 nearest": IterativeImputer(n_nearest_features=10),
    "iterative, default (10 rounds of draws, averaged)": IterativeImputer(),
    "missforest, authors (50 rounds of 4 trees)": MissForestImputer(**AUTHORS),
    "the same, 4 rounds": MissForestImputer(**{**AUTHORS, "max_iter": 4}),
    "the same, 4 rounds, averaged": MissForestImputer(
        **{**AUTHORS, "max_iter": 4, "average": True}
    ),
    "10 trees of all features, 4 rounds, averaged": MissForestImputer(max_features=1.0),
    "10 trees of sqrt features, 4 rounds, averaged": MissForestImputer(max_features="sqrt"),
    "10 trees of 1/3, 4 rounds, last": MissForestImputer(average=False),
    "10 trees of 1/3, 3 rounds, averaged": MissForestImputer(max_iter=3),
    "10 trees of 1/3, 10 rounds, averaged": MissForestImputer(max_iter=10),
    "10 trees of 1/3, depth 5, averaged": MissForestImputer(max_depth=5),
    "10 trees of 1/3, no depth limit, averaged": MissForestImputer(max_depth=None),
    "10 trees of 1/3, 10 nearest, averaged": MissForestImputer(n_nearest_features=10),
    "10 trees of all, 10 nearest, averaged": MissForestImputer(
        max_features=1.0, n_nearest_features=10
    ),
    "20 trees of 1/3, 4 rounds, averaged": MissForestImputer(n_estimators=20),
    "missforest, default (10 trees of 1/3, 4 rounds, averaged)": MissForestImputer(),
}


def measure(imputer: Imputer, problem: Problem) -> tuple[float, float]:
    """RMSE at the holes in column standard deviations, and seconds of one core."""
    began = time.process_time()
    filled = imputer.fit_transform(problem.X)
    seconds = time.process_time() - began
    error = (filled - problem.X_true) / np.nanstd(problem.X, axis=0)
    return float(np.sqrt(np.mean(error[problem.missing] ** 2))), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[20])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--mechanisms", nargs="+", default=["linear", "mlp", "mim"])
    parser.add_argument("--only", default="", help="variants whose name holds this")
    said = parser.parse_args()
    for imputer in (MissForestImputer(), IterativeImputer()):  # imports
        imputer.fit_transform(simulate.problem(d=3, edges=3, n=50).X)
    for d in said.nodes:
        print(f"\n{d} nodes, seeds {said.seeds}\n")
        print(f"{'':58}" + "".join(f"{m:>8}" for m in said.mechanisms) + f"{'seconds':>9}")
        for name, imputer in VARIANTS.items():
            if said.only not in name:
                continue
            errors, seconds = [], []
            for mechanism in said.mechanisms:
                tables = [simulate.problem(d=d, edges=2 * d, mechanism=mechanism, seed=s)
                          for s in said.seeds]  # fmt: skip
                rows = [measure(imputer, p) for p in tables]
                errors.append(np.mean([r[0] for r in rows]))
                seconds += [r[1] for r in rows]
            cells = "".join(f"{e:8.3f}" for e in errors)
            print(f"{name:58}{cells}{np.median(seconds):9.2f}", flush=True)


if __name__ == "__main__":
    main()
