"""The equation itself: score + divergence + acyclicity + L1, its value and its gradient.

    μ·[ score(X̃, f(X̃)) + λ1·|W|₁ ] + h(W∘W; s) + λ·divergence(X̃, f(X̃))

X̃ is the completer's draw; gradients flow through it in both places, as input and as target.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gapdag.core.completer import GaussianCompleter, NoCompleter
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
    """Between two tables (d, n), with both gradients, on a fresh draw of rows at every call."""

    def __init__(self, both: Both, rows: int | None, rng: np.random.Generator) -> None:
        self.both, self.rows, self.rng = both, rows, rng

    def __call__(self, x: Tensor, y: Tensor) -> tuple[float, Tensor, Tensor]:
        n = x.shape[1]
        if self.rows is None or self.rows >= n:
            value, gx, gy = self.both(x.T.numpy(), y.T.numpy())
            return value, torch.from_numpy(gx.T), torch.from_numpy(gy.T)
        pick = torch.from_numpy(self.rng.choice(n, self.rows, replace=False, shuffle=False))
        value, gx, gy = self.both(x[:, pick].T.numpy(), y[:, pick].T.numpy())
        to_x, to_y = torch.zeros_like(x), torch.zeros_like(y)
        to_x[:, pick], to_y[:, pick] = torch.from_numpy(gx.T), torch.from_numpy(gy.T)
        return value, to_x, to_y


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
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.scm, self.completer, self.score, self.acyclicity = scm, completer, score, acyclicity
        self.l1, self.divergence = l1, divergence if divergence_weight else None
        self.divergence_weight, self.scale_divergence = divergence_weight, scale_divergence
        self.parameters = Parameters([scm.start, completer.start], dtype)
        self.speeds = (1.0, completer_speed)  # shares of the learning rate
        self.n = completer.n
        scm.bind(self.parameters, self.n)
        completer.bind(self.parameters, scm.table)
        self.residual = torch.empty(scm.d, self.n, dtype=dtype)
        self.target_pull = torch.empty(scm.d, self.n, dtype=dtype)
        self.pull_scale = torch.empty(scm.d, 1, dtype=dtype)

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
        x = self.completer.draw()
        prediction = self.scm.forward()
        terms = self._fit(x, prediction, mu)
        terms.l1 = self.scm.penalise(slope, mu * self.l1)
        terms.h = float(h)
        terms.objective += mu * self.l1 * terms.l1 + terms.h
        return terms

    def _fit(self, x: Tensor, prediction: Tensor, mu: float) -> Terms:
        """Score and divergence, and their gradients in every parameter."""
        residual = torch.sub(prediction, x, out=self.residual)
        ss = torch.mul(residual, residual, out=self.target_pull).sum(1)
        score, slope = self.score(ss.numpy().astype(np.float64), self.n)
        np.multiply(slope, mu, out=self.pull_scale.numpy()[:, 0], casting="same_kind")
        residual.mul_(self.pull_scale)
        terms = Terms(mu * score, score, 0.0, 0.0)
        if not self.completer.learns and self.divergence is None:
            self.scm.backward(residual, to_input=False)
            return terms
        torch.neg(residual, out=self.target_pull)
        if self.divergence is not None:
            weight = self.divergence_weight * (mu if self.scale_divergence else 1.0)
            terms.divergence, to_prediction, to_x = self.divergence(prediction, x)
            residual.add_(to_prediction, alpha=weight)
            self.target_pull.add_(to_x, alpha=weight)
            terms.objective += weight * terms.divergence
        through = self.scm.backward(residual, to_input=self.completer.learns)
        if through is not None:
            self.completer.backward(self.target_pull.add_(through))
        return terms
