"""How few inputs a node must have left for gathering them to beat the dense product.

    .venv/bin/python benchmarks/screening.py

Time of an evaluation with ``live`` inputs a node, gathered, as a share of the dense one's; what
`MLPSCM.screen_share` rests on. n = 1000, medians, alternating.
"""

from __future__ import annotations

import time

import numpy as np
import torch

from gapdag.core.kernels import keep_freed_blocks
from gapdag.core.parameters import Parameters
from gapdag.core.scm import MLPSCM

SHARES = (0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
N = 1000


def scm(d: int, hidden: int, live: int, share: float) -> MLPSCM:
    """An SCM in which every node has ``live`` inputs; gathered if ``share`` is 1, dense if 0."""
    rng = np.random.default_rng(0)
    allowed = np.zeros((d, d), bool)
    for j in range(d):
        allowed[rng.choice(d, live, replace=False), j] = True
    made = MLPSCM(d, hidden, allowed, rng, 0.1)
    made.screen_share = share
    made.bind(Parameters([made.start], torch.float32), N)
    assert made.screened == bool(share)
    made.table.normal_()
    return made


def ratio(d: int, hidden: int, live: int, rounds: int = 11) -> float:
    """Median time of gathering over median time of the dense product, forward and backward."""
    pull, times = torch.randn(d, N), ([], [])
    both = [scm(d, hidden, live, share) for share in (0.0, 1.0)]
    inner = max(2, int(4e8 / (N * d * d * hidden)))
    for r in range(rounds):
        for k in (0, 1) if r % 2 else (1, 0):
            began = time.perf_counter()
            for _ in range(inner):
                both[k].forward()
                both[k].backward(pull)
            times[k].append(time.perf_counter() - began)
    return float(np.median(times[1]) / np.median(times[0]))


def main() -> None:
    keep_freed_blocks()
    print("| d, h, threads | " + " | ".join(f"{s:g}" for s in SHARES) + " |")
    print("|---|" + "---|" * len(SHARES))
    for d, hidden in ((20, 10), (50, 10), (50, 50), (200, 10)):
        for threads in (1, 2):
            torch.set_num_threads(threads)
            with torch.inference_mode():
                cells = [ratio(d, hidden, max(1, round(s * d)) - 1) for s in SHARES]
            print(f"| {d}, {hidden}, {threads} | " + " | ".join(f"{c:.2f}" for c in cells) + " |",
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
