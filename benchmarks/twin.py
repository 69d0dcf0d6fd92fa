"""The OTM step as one writes it first: torch modules, float64, autograd, dense seven-scale MMD.

From the formulas (the paper's eqs. and docs of ``gapdag.core.objective``), for timing beside ours.
"""

from __future__ import annotations

import numpy as np
import torch

SCALES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Twin(torch.nn.Module):
    """SCM, completer and objective; ``step()`` is one Adam step on all of it."""

    def __init__(self, X: np.ndarray, hidden: int, lr: float = 2e-4, mu: float = 0.1) -> None:
        super().__init__()
        d = X.shape[1]
        self.d, self.hidden, self.mu = d, hidden, mu
        self.register_buffer("missing", torch.tensor(np.isnan(X)))
        self.register_buffer("x0", torch.tensor(np.nan_to_num(X)))
        self.first = torch.nn.Linear(d, d * hidden, dtype=torch.float64)
        torch.nn.init.zeros_(self.first.weight)
        bound = hidden**-0.5
        self.second = torch.nn.Parameter(torch.empty(d, hidden, dtype=torch.float64))
        self.second_bias = torch.nn.Parameter(torch.empty(d, dtype=torch.float64))
        for p in (self.second, self.second_bias):
            torch.nn.init.uniform_(p, -bound, bound)
        self.mean, self.logvar = (
            torch.nn.Sequential(
                torch.nn.Linear(d, d, dtype=torch.float64),
                torch.nn.ReLU(),
                torch.nn.Linear(d, d, dtype=torch.float64),
            )
            for _ in range(2)
        )
        self.adam = torch.optim.Adam(
            self.parameters(), lr=lr, betas=(0.99, 0.999), weight_decay=mu * 0.005
        )

    def mmd(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        n = len(x)

        def kernel(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            square = torch.cdist(a, b) ** 2
            return sum(torch.exp(-(2 * self.d / s) * square) for s in SCALES)

        off = 1 - torch.eye(n, dtype=x.dtype)
        within = (kernel(x, x) * off).sum() + (kernel(y, y) * off).sum()
        return within / (n * (n - 1)) - 2 * kernel(x, y).sum() / n**2

    def objective(self) -> torch.Tensor:
        draw = self.mean(self.x0)
        draw = draw + torch.exp(0.5 * self.logvar(self.x0)) * torch.randn_like(draw)
        x = torch.where(self.missing, draw, self.x0)
        units = torch.sigmoid(self.first(x)).view(len(x), self.d, self.hidden)
        prediction = (units * self.second).sum(-1) + self.second_bias
        score = 0.5 * self.d * torch.log(((prediction - x) ** 2).sum() / len(x))
        weights = self.first.weight
        A = (weights.view(self.d, self.hidden, self.d) ** 2).sum(1).T
        h = -torch.linalg.slogdet(torch.eye(self.d, dtype=A.dtype) - A)[1]
        penalty = 0.02 * weights.abs().sum()
        return self.mu * (score + penalty) + h + 0.01 * self.mmd(prediction, x)

    def step(self) -> None:
        self.adam.zero_grad()
        self.objective().backward()
        self.adam.step()
