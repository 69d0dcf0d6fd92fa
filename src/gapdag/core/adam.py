"""Adam (Kingma & Ba 2015) with coupled weight decay, as torch.optim.Adam has it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapdag.core.compiled import compiled
from gapdag.core.objective import Objective

EPSILON = 1e-8


@compiled
def descend(theta, grad, first, second, lr, beta1, beta2, decay, unbias1, unbias2):  # type: ignore[no-untyped-def]
    """One step in place; ``unbias`` are 1 - beta^t."""
    for k in range(len(theta)):
        g = grad[k] + decay * theta[k]
        first[k] += (1 - beta1) * (g - first[k])
        second[k] += (1 - beta2) * (g * g - second[k])
        theta[k] -= lr / unbias1 * first[k] / (np.sqrt(second[k] / unbias2) + EPSILON)


class Adam:
    """Adam on the flat parameter vector; each part of the model has a learning rate of its own."""

    def __init__(self, objective: Objective, betas: tuple[float, float], decay: float) -> None:
        theta, grad = objective.parameters.theta, objective.parameters.grad
        self.betas, self.decay, self.steps = betas, decay, 0
        self.parts: list[tuple[float, tuple[NDArray[Any], ...]]] = [
            (speed, (theta[part], grad[part], *np.zeros((2, part.stop - part.start), theta.dtype)))
            for part, speed in zip(objective.parameters.parts, objective.speeds, strict=True)
        ]

    def step(self, lr: float) -> None:
        """One update from the gradient at hand."""
        self.steps += 1
        unbias = [1 - beta**self.steps for beta in self.betas]
        for speed, arrays in self.parts:
            kind = arrays[0].dtype.type
            numbers = (lr * speed, *self.betas, self.decay, *unbias)
            descend(*arrays, *map(kind, numbers))
