"""Time a step and memory of a fit, side by side with peers in one run: `make bench-speed`.

Every contest runs in alternating order, at one and at two threads, and medians are compared: the
ratio is the claim, the seconds are the machine's. Written to benchmarks/results/speed.{json,md}.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

SCREEN = 0.01  # inputs weaker than this after a whole fit count as dead
RESULTS = Path(__file__).parent / "results"
Step = Callable[[], object]


def table(d: int, rate: float, seed: int = 0) -> np.ndarray:
    from gapdag import simulate

    return simulate.problem(d=d, edges=2 * d, n=1000, rate=rate, seed=seed).X


def ours(X: np.ndarray, hidden: int, screened: bool, **options: object) -> Step:
    """A step of ours: evaluation and Adam. ``screened``: on the inputs alive after a whole fit."""
    import torch

    from gapdag.base import silent
    from gapdag.core.solver import Adam
    from gapdag.knowledge import Masks
    from gapdag.learners.dagma import DagmaMLP
    from gapdag.methods.otm import OTM

    complete = not np.isnan(X).any()
    learner = (DagmaMLP if complete else OTM)(hidden=hidden, **options)
    settings = learner.settings()
    masks = Masks.free(X.shape[1])
    if screened:
        fitted = learner.fit(X).result_.weights.to_numpy()
        masks = Masks(fitted > SCREEN, masks.required)
    objective = learner._compose(
        X - np.nanmean(X, axis=0), masks, settings, np.random.default_rng(0), silent
    )
    adam = Adam(objective, (0.99, 0.999), 5e-4)

    @torch.inference_mode()  # as the solver does
    def step() -> None:
        objective(0.1, 1.0)
        adam.step(1e-6)

    return step


def dagma(X: np.ndarray, hidden: int) -> Step:
    """A step of PyPI dagma 1.1.1, as its own `minimize` takes it."""
    import torch
    from dagma import nonlinear

    X = torch.from_numpy(X)
    model = nonlinear.DagmaMLP([X.shape[1], hidden, 1], dtype=torch.double)
    fit = nonlinear.DagmaNonlinear(model, dtype=torch.double)
    torch.set_default_dtype(torch.float32)  # the package sets it for the whole process
    adam = torch.optim.Adam(model.parameters(), lr=2e-4, betas=(0.99, 0.999), weight_decay=5e-4)

    def step() -> None:
        adam.zero_grad()
        h = model.h_func(1.0)
        h.item()
        loss = 0.1 * (fit.log_mse_loss(model(X), X) + 0.02 * model.fc1_l1_reg()) + h
        loss.backward()
        adam.step()

    return step


def contest(a: Step, b: Step, threads: int, rounds: int, inner: tuple[int, int]) -> dict:
    """Medians of time a step, in alternating order."""
    import torch
    from threadpoolctl import threadpool_limits

    times: dict[int, list[float]] = {0: [], 1: []}
    torch.set_num_threads(threads)
    with threadpool_limits(1, user_api="blas"):
        for step in (a, b):
            step()
        for r in range(rounds):
            for k in (0, 1) if r % 2 else (1, 0):
                began = time.perf_counter()
                for _ in range(inner[k]):
                    (a, b)[k]()
                times[k].append((time.perf_counter() - began) / inner[k])
    mine, theirs = (1e3 * float(np.median(times[k])) for k in (0, 1))
    return {
        "threads": threads,
        "ours_ms": round(mine, 3),
        "theirs_ms": round(theirs, 3),
        "ratio": round(theirs / mine, 1),
    }


def step_contests(rounds: int) -> list[dict]:
    import torch

    from twin import Twin

    rows = []
    complete, holes = table(50, 0.0), table(50, 0.3)
    torch.manual_seed(0)
    pairs = [
        ("DAGMA-MLP step, d 50, h 10, no input screened; PyPI dagma 1.1.1", 8,
         ours(complete, 10, False), dagma(complete, 10), (20, 5)),
        ("the same, on the inputs alive after the first stage", 8,
         ours(complete, 10, True), dagma(complete, 10), (20, 5)),
        ("OTM step, d = h = 50, no input screened; autograd float64 twin", 25,
         ours(holes, 50, False), Twin(holes, 50).step, (5, 1)),
        ("the same, on the inputs alive after the first stage", 25,
         ours(holes, 50, True), Twin(holes, 50).step, (5, 1)),
    ]  # fmt: skip
    for what, bar, a, b, inner in pairs:
        for threads in (1, 2):
            row = {"what": what, "bar": bar, **contest(a, b, threads, rounds, inner)}
            print(json.dumps(row), flush=True)
            rows.append(row)
    return rows


WHOLE_FIT = """
import resource, sys, time
from gapdag import metrics, simulate
from gapdag.methods.otm import OTM
p = simulate.problem(d=50, edges=100, n=1000, rate=0.3, seed=0)
began = time.perf_counter()
result = OTM().fit(p.frame).result_
wall = time.perf_counter() - began
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(wall, peak, metrics.f1(p.adjacency, result.adjacency))
"""
IMPORT = """
import sys, time
began = time.perf_counter()
import gapdag
print(time.perf_counter() - began, "torch" in sys.modules)
"""


def in_process(code: str, *argv: str) -> list[str]:
    out = subprocess.run(
        [sys.executable, "-c", code, *argv], capture_output=True, text=True, check=True
    )
    return out.stdout.split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    rows = step_contests(rounds)
    wall, peak, f1 = map(float, in_process(WHOLE_FIT))
    imports = sorted(float(in_process(IMPORT)[0]) for _ in range(5))[2]
    whole = {"wall_s": round(wall, 1), "peak_GiB": round(peak, 2), "f1": round(f1, 3)}
    machine = {"cores": os.cpu_count(), "machine": platform.processor() or platform.machine()}
    report = {"steps": rows, "fit": whole, "import_s": round(imports, 2), **machine}
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "speed.json").write_text(json.dumps(report, indent=1) + "\n")
    (RESULTS / "speed.md").write_text(markdown(report))
    print(markdown(report))


def markdown(report: dict) -> str:
    lines = [
        "| contest | threads | ours, ms | theirs, ms | ratio | bar |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {r['what']} | {r['threads']} | {r['ours_ms']:.2f} | {r['theirs_ms']:.1f} | "
        f"**{r['ratio']:.1f}×** | {r['bar']}× |"
        for r in report["steps"]
    ]
    fit = report["fit"]
    lines += [
        "",
        f"Whole default OTM fit, d = 50, 100 edges, n = 1000, mcar 30%: {fit['wall_s']} s, peak "
        f"{fit['peak_GiB']} GiB, F1 {fit['f1']}. `import gapdag`: {report['import_s']} s. "
        f"({report['cores']} cores; `make bench-speed`)",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
