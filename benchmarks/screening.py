"""From which share of live inputs on BLAS's product of all of them beats ours of the live ones.

    .venv/bin/python benchmarks/screening.py

Time of an evaluation that treats the live inputs only, as a share of the dense one's; what
`MLPSCM.dense_share` rests on. n = 1000, one thread, medians, alternating.
"""

from __future__ import annotations

import time

import numpy as np
import scipy.linalg  # noqa: F401  its BLAS must be there to be held at one thread
from threadpoolctl import threadpool_limits

from gapdag.core.parameters import Parameters
from gapdag.core.scm import MLPSCM

SHARES = (0.1, 0.3, 0.5, 0.7, 1.0)
N = 1000


def scm(d: int, hidden: int, live: int, dense: bool) -> MLPSCM:
    """An SCM in which every node has ``live`` inputs."""
    rng = np.random.default_rng(0)
    allowed = np.zeros((d, d), bool)
    for j in range(d):
        allowed[rng.choice(d, live, replace=False), j] = True
    made = MLPSCM(d, hidden, allowed, rng, 0.1)
    made.dense_share = 0.0 if dense else 1.0
    made.bind(Parameters([made.start], np.float32), N)
    assert made.dense == [dense] * len(made.spans)
    made.table[:] = rng.normal(size=made.table.shape)
    return made


def ratio(d: int, hidden: int, live: int, learns: bool, rounds: int = 7) -> float:
    """Median time of ours over median time with BLAS, forward and backward."""
    pull, times = np.random.default_rng(1).normal(size=(d, N)).astype(np.float32), ([], [])
    both = [scm(d, hidden, live, dense) for dense in (True, False)]
    inner = max(2, int(4e8 / (N * d * d * hidden)))
    for r in range(rounds):
        for k in (0, 1) if r % 2 else (1, 0):
            began = time.perf_counter()
            for _ in range(inner):
                if learns:
                    both[k].forward()
                    both[k].backward(pull)
                else:
                    both[k].forward(and_back=True)
            times[k].append(time.perf_counter() - began)
    return float(np.median(times[1]) / np.median(times[0]))


def main() -> None:
    print("| d, h, completer | " + " | ".join(f"{s:g}" for s in SHARES) + " |")
    print("|---|" + "---|" * len(SHARES))
    with threadpool_limits(1, user_api="blas"):
        for d, hidden in ((20, 10), (50, 10), (50, 50), (200, 10)):
            for learns in (False, True):
                cells = [ratio(d, hidden, max(1, round(s * d)), learns) for s in SHARES]
                row = " | ".join(f"{c:.2f}" for c in cells)
                print(f"| {d}, {hidden}, {'yes' if learns else 'no'} | {row} |", flush=True)


if __name__ == "__main__":
    main()
