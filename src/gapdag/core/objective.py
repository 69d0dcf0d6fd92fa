"""The equation itself: score + divergence + acyclicity + L1, its value and its gradient.

    μ·[ score(X̃, f(X̃)) + λ1·|W|₁ ] + h(W∘W; s) + λ·divergence(X̃, f(X̃))

X̃ is the completer's draw; gradients flow through it in both places, as input and as target.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gapdag.core.completer import GaussianCompleter, NoCompleter
from gapdag.core.crew import Crew
from gapdag.core.parameters import Parameters
from gapdag.core.scm import MLPSCM

Score = Callable[[NDArray[np.float64], int], tuple[float, NDArray[np.float64]]]
Acyclicity = Callable[..., Any]
Both = Callable[[NDArray[Any], NDArray[Any]], tuple[float, NDArray[Any], NDArray[Any]]]
"""a divergence of two samples (n, d): its value and its gradients in the first and the second"""


@dataclass
class Terms:
    """The parts of one evaluation: ``objective`` is their weighted sum."""

    objective: float
    score: float
    h: float
    l1: float
    divergence: float = 0.0

    @property
    def feasible(self) -> bool:
        """Inside the domain of h, and finite."""
        return bool(np.isfinite(self.objective))


class Divergence:
    """Between x̂ and x (d, n), on a fresh draw of rows at every call."""

    def __init__(self, both: Both, rows: int | None, rng: np.random.Generator) -> None:
        self.both, self.rows, self.rng = both, rows, rng

    def __call__(
        self, residual: NDArray[Any], x: NDArray[Any]
    ) -> tuple[float, NDArray[np.int64] | slice, NDArray[Any], NDArray[Any]]:
        """The value, from x̂ - x and x; the rows drawn; and there the gradients in x̂ and in x."""
        n = x.shape[1]
        rows: NDArray[np.int64] | slice = slice(None)
        if self.rows is not None and self.rows < n:
            rows = self.rng.choice(n, self.rows, replace=False, shuffle=False)
        at, prediction = (np.array(a[:, rows].T, order="C") for a in (x, residual))
        value, to_prediction, to_x = self.both(np.add(prediction, at, out=prediction), at)
        return value, rows, to_prediction.T, to_x.T


class Objective:
    """One differentiable function of all parameters, evaluated by hand in one pass."""

    def __init__(
        self,
        scm: MLPSCM,
        completer: NoCompleter | GaussianCompleter,
        score: Score,
        acyclicity: Acyclicity,
        l1: float,
        divergence: Divergence | None = None,
        divergence_weight: float = 0.0,
        scale_divergence: bool = True,
        completer_speed: float = 1.0,
        dtype: DTypeLike = np.float32,
    ) -> None:
        self.scm, self.completer, self.score, self.acyclicity = scm, completer, score, acyclicity
        self.l1, self.divergence = l1, divergence if divergence_weight else None
        self.divergence_weight, self.scale_divergence = divergence_weight, scale_divergence
        self.parameters = Parameters([scm.start, completer.start], dtype)
        self.speeds = (1.0, completer_speed)  # shares of the learning rate
        self.n = completer.n
        scm.bind(self.parameters, self.n)
        completer.bind(self.parameters, scm.table)
        self.pull = np.empty_like(scm.table)

    def share(self, crew: Crew) -> None:
        """Let these threads do the work."""
        self.scm.crew = self.completer.crew = crew

    @property
    def flops(self) -> float:
        """Floating-point operations in one evaluation's largest matrix products."""
        d, products = self.scm.d, 3 if self.completer.learns else 2
        return 2.0 * products * self.n * d * d * self.scm.hidden

    def __call__(self, mu: float, s: float) -> Terms:
        """Evaluate at the present parameters; gradients are left in ``parameters.grad``."""
        h, slope = self.acyclicity(self.scm.squared_weights(), s)
        if not np.isfinite(h):
            return Terms(np.inf, np.inf, h, np.inf)
        terms = self._fit(self.completer.draw(), mu)
        terms.l1 = self.scm.penalise(slope, mu * self.l1)
        terms.h = float(h)
        terms.objective += mu * self.l1 * terms.l1 + terms.h
        return terms

    def _fit(self, x: NDArray[Any], mu: float) -> Terms:
        """Score and divergence, and their gradients in every parameter."""
        learns = self.completer.learns
        if not learns and self.divergence is None:
            score, slope = self.score(self.scm.forward(and_back=True), self.n)
            self.scm.scale(mu * slope)
            return Terms(mu * score, score, 0.0, 0.0)
        score, slope = self.score(self.scm.forward(), self.n)
        terms = Terms(mu * score, score, 0.0, 0.0)
        residual = self.scm.residual
        by = (mu * slope).astype(residual.dtype)[:, None]
        pull = np.multiply(residual, by, out=self.pull)
        target_pull = -pull if learns else None
        if self.divergence is not None:
            weight = self.divergence_weight * (mu if self.scale_divergence else 1.0)
            terms.divergence, rows, to_prediction, to_x = self.divergence(residual, x)
            terms.objective += weight * terms.divergence
            pull[:, rows] += weight * to_prediction
            if target_pull is not None:
                target_pull[:, rows] += weight * to_x
        through = self.scm.backward(pull, to_input=learns)
        if target_pull is not None and through is not None:
            self.completer.backward(np.add(through, target_pull, out=target_pull))
        return terms
