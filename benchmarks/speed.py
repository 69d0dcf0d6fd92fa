"""Time a step and memory of a fit, side by side with peers in one run: `make bench-speed`.

Each side of a contest is a process of its own, as its users have it, so that neither's memory,
caches or settings are the other's. Both take turns in alternating order, at one and at two threads,
and medians are compared: the ratio is the claim, the seconds are the machine's. Written to
benchmarks/results/speed.{json,md}.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).parent / "results"
FIT_STEPS = (500, 500, 500, 800)  # DAGMA's proportions
Turn = Callable[[], object]


def table(rate: float) -> np.ndarray:
    from gapdag import simulate

    return simulate.problem(d=50, edges=100, n=1000, rate=rate, seed=0).X


def our_step(rate: float, hidden: int, **options: object) -> Turn:
    """A step of ours, evaluation and Adam, with no input screened."""
    from gapdag.base import silent
    from gapdag.core.adam import Adam
    from gapdag.core.crew import Crew
    from gapdag.core.solver import threads_at_hand
    from gapdag.knowledge import Masks
    from gapdag.learners.dagma import DagmaMLP
    from gapdag.methods.otm import OTM

    X = table(rate)
    learner = (OTM if rate else DagmaMLP)(hidden=hidden, **options)
    settings, masks, rng = learner.settings(), Masks.free(X.shape[1]), np.random.default_rng(0)
    objective = learner._compose(X - np.nanmean(X, axis=0), masks, settings, rng, silent)
    objective.share(Crew(threads_at_hand()).__enter__())
    adam = Adam(objective, (0.99, 0.999), 5e-4)

    def step() -> None:
        objective(0.1, 1.0)
        adam.step(1e-6)

    return step


def our_fit() -> Turn:
    """A whole fit, screening and all, that may not stop early."""
    from gapdag.learners.dagma import DagmaMLP

    warnings.simplefilter("ignore")
    X = table(0.0)
    return lambda: DagmaMLP(steps=sum(FIT_STEPS), tol=0.0).fit(X)


def dagma_step() -> Turn:
    """A step of PyPI dagma 1.1.1, as its own `minimize` takes it."""
    import torch
    from dagma import nonlinear

    torch.set_default_dtype(torch.double)
    X = torch.from_numpy(table(0.0))
    model = nonlinear.DagmaMLP([X.shape[1], 10, 1], dtype=torch.double)
    fit = nonlinear.DagmaNonlinear(model, dtype=torch.double)
    adam = torch.optim.Adam(model.parameters(), lr=2e-4, betas=(0.99, 0.999), weight_decay=5e-4)

    def step() -> None:
        adam.zero_grad()
        h = model.h_func(1.0)
        h.item()
        loss = 0.1 * (fit.log_mse_loss(model(X), X) + 0.02 * model.fc1_l1_reg()) + h
        loss.backward()
        adam.step()

    return step


def dagma_fit() -> Turn:
    """PyPI dagma's own `fit` at our learning rate."""
    import torch
    from dagma import nonlinear

    torch.set_default_dtype(torch.double)
    X = table(0.0)
    warm, last = FIT_STEPS[0], FIT_STEPS[-1]

    def fit() -> None:
        model = nonlinear.DagmaMLP([X.shape[1], 10, 1], dtype=torch.double)
        theirs = nonlinear.DagmaNonlinear(model, dtype=torch.double)
        theirs.fit(X, lr=3e-3, T=len(FIT_STEPS), mu_init=0.1, warm_iter=warm, max_iter=last)

    return fit


def twin_step() -> Turn:
    from twin import Twin

    return Twin(table(0.3), 50).step


EXACT = {"dtype": "float64", "bandwidth": "reference", "divergence_rows": 1000}
CONTESTS: list[tuple[str, float | None, int, Callable[[], Turn], int, Callable[[], Turn], int]] = [
    ("DAGMA-MLP, a step with no input screened; PyPI dagma 1.1.1", 8, 1,
     lambda: our_step(0.0, 10), 80, dagma_step, 10),
    ("the same, ours in double precision too", None, 1,
     lambda: our_step(0.0, 10, dtype="float64"), 40, dagma_step, 10),
    (f"DAGMA-MLP, a whole fit of {sum(FIT_STEPS):,} steps; PyPI dagma 1.1.1", 8, sum(FIT_STEPS),
     our_fit, 1, dagma_fit, 1),
    ("OTM, a step at h = 50 with no input screened; autograd twin, MMD of all rows at 7 scales",
     25, 1, lambda: our_step(0.3, 50), 25, twin_step, 1),
    ("the same, ours in double precision, with the twin's MMD", None, 1,
     lambda: our_step(0.3, 50, **EXACT), 2, twin_step, 1),
]  # fmt: skip
"""what, its bar, steps a turn, then who takes turns and how many turns are timed at once

PyPI dagma and the twin are in double precision. Ours is in single, and its MMD has 128 rows and one
scale, unless said: both choices are part of what makes it fast, so there is a row without them."""


class Side:
    """One side of a contest, in a process of its own."""

    def __init__(self, contest: int, side: int, threads: int) -> None:
        words = [sys.executable, __file__, "--serve", f"{contest},{side},{threads}"]
        self.said = tempfile.TemporaryFile("w+")  # noqa: SIM115  as long as the process
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said,
            text=True, bufsize=1, env={**os.environ, "OMP_NUM_THREADS": str(threads)},
        )  # fmt: skip

    def seconds(self) -> float:
        """Of one turn."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        said = self.process.stdout.readline()
        if not said:
            self.said.seek(0)
            sys.exit(f"a side of a contest died:\n{self.said.read()}")
        return float(said)

    def close(self) -> None:
        self.process.communicate()


def serve(contest: int, side: int, threads: int) -> None:
    """Take a turn for every line on stdin, pinned to as many cores as threads."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    import torch
    from threadpoolctl import threadpool_limits

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    make, inner = CONTESTS[contest][3 + 2 * side : 5 + 2 * side]
    turn = make()
    with threadpool_limits(1 if side == 0 else threads, user_api="blas"):  # ours has its own crew
        turn()
        for _ in sys.stdin:
            began = time.perf_counter()
            for _ in range(inner):
                turn()
            print((time.perf_counter() - began) / inner, flush=True)


def run(contest: int, threads: int, rounds: int) -> dict:
    """Medians of time a step, in alternating order."""
    what, bar, steps, *_ = CONTESTS[contest]
    if steps > 1:
        rounds = max(3, rounds // 8)
    sides = [Side(contest, side, threads) for side in (0, 1)]
    times: dict[int, list[float]] = {0: [], 1: []}
    for r in range(rounds):
        for k in (0, 1) if r % 2 else (1, 0):
            times[k].append(sides[k].seconds() / steps)
    for side in sides:
        side.close()
    ours, theirs = (1e3 * float(np.median(times[k])) for k in (0, 1))
    return {"what": what, "bar": bar, "threads": threads, "rounds": rounds,
            "ours_ms": round(ours, 3), "theirs_ms": round(theirs, 3),
            "ratio": round(theirs / ours, 1)}  # fmt: skip


WHOLE_FIT = """
import time
from gapdag import metrics, simulate
from gapdag.methods.otm import OTM
p = simulate.problem(d=50, edges=100, n=1000, rate=0.3, seed=0)
began = time.perf_counter()
result = OTM().fit(p.frame).result_
wall = time.perf_counter() - began
# not getrusage, which starts at the size of the process that forked this one
(peak,) = (line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(wall, int(peak) / 1e6, metrics.f1(p.adjacency, result.adjacency))
"""
IMPORT = """
import sys, time
began = time.perf_counter()
import gapdag
print(time.perf_counter() - began, "torch" in sys.modules)
"""


def in_process(code: str) -> list[str]:
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return out.stdout.split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=41)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    said = parser.parse_args()
    if said.serve:
        serve(*map(int, said.serve.split(",")))
        return
    rows = []
    for contest in range(len(CONTESTS)):
        for threads in (1, 2):
            rows.append(run(contest, threads, said.rounds))
            print(json.dumps(rows[-1]), flush=True)
    wall, peak, f1 = map(float, in_process(WHOLE_FIT))
    imports = [in_process(IMPORT) for _ in range(5)]
    seconds = sorted(float(s) for s, _ in imports)[2]
    report = {
        "steps": rows,
        "fit": {"wall_s": round(wall, 1), "peak_GB": round(peak, 2), "f1": round(f1, 3)},
        "import_s": round(seconds, 2),
        "import_loads_torch": any(loaded == "True" for _, loaded in imports),
        "cores": os.cpu_count(),
        "machine": platform.processor() or platform.machine(),
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "speed.json").write_text(json.dumps(report, indent=1) + "\n")
    (RESULTS / "speed.md").write_text(markdown(report))
    print(markdown(report))


def markdown(report: dict) -> str:
    lines = [
        "| d = 50, n = 1000 | threads | ours, ms a step | theirs | ratio | bar |",
        "|---|---|---|---|---|---|",
    ]
    for r in report["steps"]:
        bar = f"{r['bar']}×" if r["bar"] else ""
        lines.append(f"| {r['what']} | {r['threads']} | {r['ours_ms']:.2f} | {r['theirs_ms']:.1f} "
                     f"| **{r['ratio']:.1f}×** | {bar} |")  # fmt: skip
    fit = report["fit"]
    torch = "loads" if report["import_loads_torch"] else "does not load"
    lines += [
        "",
        f"A whole default OTM fit with 100 edges and 30% of the cells missing (mcar): "
        f"{fit['wall_s']} s, peak {fit['peak_GB']} GB, F1 {fit['f1']}. `import gapdag`: "
        f"{report['import_s']} s, and {torch} torch. ({report['cores']} cores; `make bench-speed`)",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
