"""DAGMA on neural networks: score + L1 under the log-det acyclicity, along the central path."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gapdag.base import Array, Progress
from gapdag.core.settings import Settings
from gapdag.knowledge import Knowledge, Masks
from gapdag.learners.path import PathLearner, acyclicity_term, part
from gapdag.registry import register

if TYPE_CHECKING:
    from gapdag.core.objective import Objective


@register("learner", "dagma-mlp", reference="Bello, Aragam & Ravikumar 2022 (DAGMA)")
class DagmaMLP(PathLearner):
    """One small network per column, made acyclic by the log-det along a central path.

    Options that are None take the value of ``preset``: "default" (what measures best), "paper" or
    "reference" (the authors' code); see ``gapdag.core.settings``.

    >>> from gapdag import simulate
    >>> p = simulate.problem(d=4, edges=4, n=200, missingness=None, seed=1)
    >>> result = DagmaMLP(steps=400).fit(p.frame).result_
    >>> result.is_dag, result.method
    (True, 'dagma-mlp')
    """

    name = "dagma-mlp"
    accepts_missing = False

    def __init__(
        self,
        acyclicity: str | Callable[..., Any] = "logdet",
        score: str | Callable[..., Any] = "equal-variance",
        preset: str = "default",
        hidden: int | None = None,
        lr: float | None = None,
        steps: int | None = None,
        stages: int | None = None,
        mu: float | None = None,
        s: float | tuple[float, ...] | None = None,
        l1: float | None = None,
        l2: float | None = None,
        start_radius: float | None = None,
        threshold: float | None = None,
        center: bool | None = None,
        screen: float | None = None,
        tol: float | None = None,
        dtype: str | None = None,
        knowledge: Knowledge | None = None,
        random_state: Any = 0,
    ) -> None:
        self.acyclicity = acyclicity
        self.score = score
        self.preset = preset
        self.hidden = hidden
        self.lr = lr
        self.steps = steps
        self.stages = stages
        self.mu = mu
        self.s = s
        self.l1 = l1
        self.l2 = l2
        self.start_radius = start_radius
        self.threshold = threshold
        self.center = center
        self.screen = screen
        self.tol = tol
        self.dtype = dtype
        self.knowledge = knowledge
        self.random_state = random_state

    def _compose(
        self,
        X: Array,
        masks: Masks,
        settings: Settings,
        rng: np.random.Generator,
        progress: Progress,
    ) -> Objective:
        from gapdag.core.completer import NoCompleter
        from gapdag.core.objective import Objective
        from gapdag.core.scm import MLPSCM

        d = X.shape[1]
        allowed = masks.allowed | (np.eye(d, dtype=bool) & settings.diagonal)
        (for_scm,) = rng.spawn(1)
        return Objective(
            scm=MLPSCM(d, settings.hidden or d, allowed, for_scm, settings.start_radius),
            completer=NoCompleter(X),
            score=part("score", self.score),
            acyclicity=acyclicity_term(self.acyclicity),
            l1=settings.l1,
            dtype=settings.dtype,
        )
