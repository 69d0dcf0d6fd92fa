"""What DAGMA and OTM share: a composition of terms whose central path is followed to a DAG."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gapdag import registry
from gapdag.base import Array, Fit, Progress, StructureLearner, stretch
from gapdag.core import acyclicity, score
from gapdag.core.divergence import LiveMMD
from gapdag.core.settings import Settings, resolve
from gapdag.knowledge import Masks

if TYPE_CHECKING:
    from gapdag.core.objective import Objective

COMPOSING = 0.1  # the share of the progress bar for what comes before the first step

__all__ = ["PathLearner", "acyclicity", "score"]


class PathLearner(StructureLearner):
    """Fits the terms named by its options; a subclass says how holes and divergence enter."""

    own = ("knowledge", "random_state", "preset", "scm", "acyclicity", "score", "divergence")
    """options that name parts; all others are constants of ``Settings``"""

    preset: str
    acyclicity: str | Callable[..., Any]
    score: str | Callable[..., Any]

    @abstractmethod
    def _compose(
        self,
        X: Array,
        masks: Masks,
        settings: Settings,
        rng: np.random.Generator,
        progress: Progress,
    ) -> Objective:
        """The objective for a centred table; ``progress`` is told what takes long."""

    def _ready(self) -> None:
        self.settings()
        acyclicity_term(self.acyclicity)
        part("score", self.score)

    def settings(self) -> Settings:
        """Every constant as it will be used, the preset's where an option is None."""
        chosen = {k: v for k, v in self.get_params(deep=False).items() if k not in self.own}
        return resolve(self.preset, chosen)

    def _learn(self, X: Array, masks: Masks, rng: np.random.Generator, progress: Progress) -> Fit:
        from gapdag.core.solver import PathFollowing, Stage, Status  # the engine, only when fitting

        s = self.settings()
        middle = np.nanmean(X, axis=0) if s.center else np.zeros(X.shape[1])
        objective = self._compose(X - middle, masks, s, rng, stretch(progress, 0.0, COMPOSING))
        solution = PathFollowing(
            stages=[Stage(*stage) for stage in s.schedule()],
            lr=s.lr,
            weight_decay=s.l2,
            window=s.window,
            check_every=s.check_every,
            tol=s.tol,
            screen=s.screen,
        ).minimise(objective, stretch(progress, COMPOSING, 1.0))
        failed = solution.status is Status.DOMAIN
        return Fit(
            weights=objective.scm.weights(),
            threshold=s.threshold,
            filled=np.where(np.isnan(X), objective.completer.filled() + middle, X),
            status=solution.status.value,
            settings={**self._parts(), **s.to_dict()},
            diagnostics={"steps": solution.steps, "history": solution.history},
            assumptions=self._assumptions(X, s),
            warnings=(solution.status.value,) if failed else (),
        )

    def _parts(self) -> dict[str, Any]:
        params = self.get_params(deep=False)
        names = {k: params[k] for k in self.own[2:] if k in params}
        return {k: getattr(v, "__name__", v) for k, v in names.items()}

    def _assumptions(self, X: Array, s: Settings) -> str:
        units = (
            "noise of one variance in all columns, in the units given, so that units matter"
            if self.score == "equal-variance"
            else "a noise variance of its own for each column"
        )
        return (
            "Assumed: each column is a smooth function of its causes plus independent noise; "
            f"{units}; no cycle and no hidden common cause. "
            f"Edges weaker than {s.threshold:g} were dropped."
        )


def part(kind: str, named: str | Callable[..., Any]) -> Callable[..., Any]:
    """A term by its registered name, or a function as it is."""
    return named if callable(named) else registry.find(kind, named)


def divergence_term(
    named: str | Callable[..., Any], bandwidth: str | float
) -> Callable[..., tuple[float, Any, Any]]:
    """Value and gradients in both samples; only the MMD has a use for ``bandwidth``."""
    if named == "mmd":
        return LiveMMD(bandwidth)
    f = part("divergence", named)

    def both(x: Any, y: Any) -> tuple[float, Any, Any]:
        value, to_x = f(x, y, return_grad=True)
        return value, to_x, f(y, x, return_grad=True)[1]

    return both


def acyclicity_term(named: str | Callable[..., Any]) -> Callable[[Array, float], Any]:
    """h as the objective calls it, (A, s) -> value and slope; only the log-det has a use for s."""
    h = part("acyclicity", named)
    if "s" in inspect.signature(h).parameters:
        return lambda A, s: h(A, s=s, return_grad=True)
    return lambda A, s: h(A, return_grad=True)
