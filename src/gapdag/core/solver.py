"""Solvers, and how a fit ended: a status with advice, never a bare bool."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import scipy.linalg  # noqa: F401  its BLAS, which compiled products use, must be there to be held
from joblib import cpu_count
from threadpoolctl import threadpool_limits

from gapdag.core import nodes
from gapdag.core.adam import Adam
from gapdag.core.crew import Crew
from gapdag.core.objective import Objective, Terms
from gapdag.core.scm import SPANS

ONE_THREAD_FLOPS = 4e7  # a step's matrix products at d = 20, hidden = 10, n = 1000 are 2.4e7


class Status(Enum):
    """How a solver stopped, and what to do about it."""

    CONVERGED = "converged"
    STEPS = "the step limit was reached before the objective settled: raise `steps`"
    DOMAIN = (
        "the weights left the domain of the acyclicity term at every learning rate tried, the last "
        "feasible weights are returned: lower `lr` or mind the units of the columns"
    )


@dataclass(frozen=True)
class Stage:
    """One stop on the central path: minimise μ·(score + L1) + h(·; s) in at most ``steps``."""

    mu: float
    s: float
    steps: int


@dataclass
class Solution:
    """What came out: status, steps taken and a history of window means for the report."""

    status: Status = Status.CONVERGED
    steps: int = 0
    history: list[dict[str, float]] = field(default_factory=list)


@dataclass(frozen=True)
class PathFollowing:
    """DAGMA's central path: μ decreases from stage to stage, Adam restarted at each.

    Out of the domain of h the stage starts again at half the learning rate, decayed by .8 a
    thousand steps (Bello et al. 2022). A stage ends when the objective's mean over ``window``
    steps improves by less than ``tol`` relative to the mean before, so that the completer's noise
    is averaged out; ``window=1`` with ``check_every=1000`` is the authors' rule.
    """

    stages: Sequence[Stage]
    lr: float
    betas: tuple[float, float] = (0.99, 0.999)
    weight_decay: float = 0.0
    window: int = 250
    check_every: int = 250
    tol: float = 1e-6
    screen: float = 0.0
    restarts: int = 20

    def minimise(
        self, objective: Objective, progress: Callable[[float, str], None] | None = None
    ) -> Solution:
        """Run every stage; the objective's parameters are left at the last feasible point."""
        with threads(objective.flops) as crew:
            objective.share(crew)
            return self._follow(objective, progress)

    def _follow(
        self, objective: Objective, progress: Callable[[float, str], None] | None
    ) -> Solution:
        solution, lr = Solution(), self.lr
        total = sum(stage.steps for stage in self.stages)
        if progress is not None and not nodes.forward.signatures:
            progress(0.0, "loading the engine (the first fit on a machine compiles it)")
        for k, stage in enumerate(self.stages):
            before = sum(s.steps for s in self.stages[:k])

            def tell(step: int, k: int = k, before: int = before) -> None:
                if progress is not None:
                    progress((before + step) / total, f"stage {k + 1} of {len(self.stages)}")

            start = objective.parameters.theta.copy()
            s, decay = stage.s, 1.0
            for _ in range(self.restarts + 1):
                status = self._descend(objective, stage, s, lr, decay, solution, tell)
                if status is not Status.DOMAIN:
                    break
                objective.parameters.theta[:] = start
                lr, s, decay = lr / 2, max(s, 1.0), 0.8
            solution.status = status
            if status is Status.DOMAIN:
                break
            if self.screen:
                objective.scm.screen(self.screen)
        return solution

    def _descend(
        self,
        objective: Objective,
        stage: Stage,
        s: float,
        lr: float,
        decay: float,
        solution: Solution,
        tell: Callable[[int], None],
    ) -> Status:
        adam = Adam(objective, self.betas, stage.mu * self.weight_decay)
        recent: list[float] = []
        previous = np.nan  # compares as not settled
        for step in range(stage.steps):
            terms = objective(stage.mu, s)
            if not terms.feasible:
                return Status.DOMAIN
            adam.step(lr * decay ** (step // 1000))
            solution.steps += 1
            recent.append(terms.objective)
            if (step + 1) % self.check_every == 0:
                mean = float(np.mean(recent[-self.window :]))
                solution.history.append(_entry(solution.steps, mean, terms))
                tell(step + 1)
                if abs(previous - mean) <= self.tol * abs(previous):
                    return Status.CONVERGED
                previous, recent = mean, []
        return Status.STEPS


class _OneBlasThread:
    """BLAS at one thread as long as any fit of this process runs, then as it was before."""

    def __init__(self) -> None:
        self.lock, self.fits = threading.Lock(), 0

    def __enter__(self) -> None:
        with self.lock:
            if self.fits == 0:
                self.limits = threadpool_limits(1, user_api="blas")
            self.fits += 1

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.fits -= 1
            if self.fits == 0:
                self.limits.restore_original_limits()


_one_blas_thread = _OneBlasThread()


def threads_at_hand() -> int:
    """The cores this process may use, or fewer where OMP_NUM_THREADS says so."""
    said = os.environ.get("OMP_NUM_THREADS", "")
    most: int = cpu_count()
    return max(1, min(most, int(said))) if said.isdigit() else most


@contextmanager
def threads(flops: float) -> Iterator[Crew]:
    """As many threads as pay for a step of so much work.

    They are ours: BLAS's pool would fight with them, and gets one thread. Small steps stay on one
    thread: on a busy machine two that wait for each other at every call take a hundred times
    longer (docs/log.md).
    """
    size = 1 if flops < ONE_THREAD_FLOPS else min(threads_at_hand(), SPANS)
    with _one_blas_thread, Crew(size) as crew:
        yield crew


def _entry(step: int, mean: float, terms: Terms) -> dict[str, float]:
    return {
        "step": step,
        "objective": mean,
        "score": terms.score,
        "h": terms.h,
        "divergence": terms.divergence,
    }
