"""OTM (Vo et al. 2024): learn the graph and the filling of the holes together, Algorithm 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gapdag import imputers as _  # noqa: F401  registers what `start` can name
from gapdag.base import Array, Progress
from gapdag.core.settings import Settings
from gapdag.errors import GapdagError
from gapdag.knowledge import Knowledge, Masks
from gapdag.learners.path import PathLearner, acyclicity_term, divergence_term, part
from gapdag.registry import register, unknown

if TYPE_CHECKING:
    from gapdag.core.completer import GaussianCompleter, NoCompleter
    from gapdag.core.objective import Objective


@register("method", "otm", reference="Vo, Zhao, Le, Bonilla & Phung 2024 (OTM)")
class OTM(PathLearner):
    """Graph and filling learned together: SCM + completer + divergence + acyclicity.

    The completer corrects what the imputer ``start`` filled in ("zeros": no imputer, the holes
    start at zero, as in the paper's experiments). Options that are None take the value of
    ``preset``: "default" (what measures best), "paper" (its text) or "reference" (its authors'
    code); see ``gapdag.core.settings``.

    >>> from gapdag import simulate
    >>> p = simulate.problem(d=4, edges=4, n=200, rate=0.2, seed=1)
    >>> result = OTM(steps=400).fit(p.frame).result_
    >>> result.is_dag, int(result.impute().isna().sum().sum())
    (True, 0)
    """

    name = "otm"

    def __init__(
        self,
        scm: str = "mlp",
        acyclicity: str | Callable[..., Any] = "logdet",
        divergence: str | Callable[..., Any] | None = "mmd",
        score: str | Callable[..., Any] = "equal-variance",
        preset: str = "default",
        start: str | None = None,
        divergence_weight: float | None = None,
        bandwidth: str | float | None = None,
        divergence_rows: int | None = None,
        completer_hidden: int | None = None,
        completer_speed: float | None = None,
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
        self.scm = scm
        self.acyclicity = acyclicity
        self.divergence = divergence
        self.score = score
        self.preset = preset
        self.start = start
        self.divergence_weight = divergence_weight
        self.bandwidth = bandwidth
        self.divergence_rows = divergence_rows
        self.completer_hidden = completer_hidden
        self.completer_speed = completer_speed
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

    def _ready(self) -> None:
        super()._ready()
        settings = self.settings()
        if self.scm != "mlp":
            raise GapdagError(unknown("scm", self.scm, ["mlp"]))
        if self.divergence is not None:
            divergence_term(self.divergence, settings.bandwidth)
        if settings.start != "zeros":
            part("imputer", settings.start)

    def _compose(
        self,
        X: Array,
        masks: Masks,
        settings: Settings,
        rng: np.random.Generator,
        progress: Progress,
    ) -> Objective:
        from gapdag.core.objective import Divergence, Objective
        from gapdag.core.scm import MLPSCM

        d = X.shape[1]
        allowed = masks.allowed | (np.eye(d, dtype=bool) & settings.diagonal)
        for_scm, for_completer, for_divergence = rng.spawn(3)
        divergence = None
        if self.divergence is not None:
            both = divergence_term(self.divergence, settings.bandwidth)
            divergence = Divergence(both, settings.divergence_rows, for_divergence)
        return Objective(
            scm=MLPSCM(d, settings.hidden or d, allowed, for_scm, settings.start_radius),
            completer=completer_for(X, settings, for_completer, progress),
            score=part("score", self.score),
            acyclicity=acyclicity_term(self.acyclicity),
            l1=settings.l1,
            divergence=divergence,
            divergence_weight=settings.divergence_weight,
            scale_divergence=settings.scale_divergence,
            completer_speed=settings.completer_speed,
            dtype=settings.dtype,
        )


def completer_for(
    X: Array, settings: Settings, rng: np.random.Generator, progress: Progress
) -> GaussianCompleter | NoCompleter:
    """Nothing for a complete table; else two networks that correct an imputer's filling."""
    from gapdag.core.completer import GaussianCompleter, NoCompleter

    if not np.isnan(X).any():
        return NoCompleter(X)
    hidden = settings.completer_hidden or X.shape[1]
    if settings.start == "zeros":
        return GaussianCompleter(X, hidden, rng, settings.standardise)
    guess = part("imputer", settings.start)().fill(X, rng, progress)
    return GaussianCompleter(X, hidden, rng, settings.standardise, guess, settings.spread)
