"""What fills the holes while learning: Φ(X) = X where observed, a draw of a network where not."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gapdag.core.kernels import matmul
from gapdag.core.parameters import Parameters


class NoCompleter:
    """A complete table needs no filling.

    >>> c = NoCompleter(np.arange(6.0).reshape(3, 2))
    >>> c.bind(Parameters([{"unused": np.zeros(1)}], torch.float32), torch.zeros(2, 3))
    >>> c.draw().shape
    torch.Size([2, 3])
    """

    learns = False

    def __init__(self, X: NDArray[np.float64]) -> None:
        self.X, self.n = X, len(X)
        self.start: dict[str, NDArray[np.float64]] = {}

    def bind(self, parameters: Parameters, table: Tensor) -> None:
        """Write the rows into the SCM's ``table`` (d, n), once."""
        self.x = table.copy_(torch.from_numpy(self.X.T))

    def draw(self) -> Tensor:
        """The completed table (d, n)."""
        return self.x

    def backward(self, pull: Tensor) -> None:
        """Nothing to learn."""

    def filled(self) -> NDArray[np.float64]:
        """The table with each hole at its expected value, (n, d)."""
        return self.X.copy()


class GaussianCompleter:
    """Two networks, d -> hidden -> d with ReLU, give the mean and log-variance of each hole.

    They see the row with zeros at its holes; the noise is fresh at every draw (the paper, §3,
    'super imputer'). With ``standardise`` the networks see and give columns of unit variance.

    With ``guess``, the table as some imputer has filled it, the holes hold that instead of zeros
    and the networks correct it, from nothing at the start and with noise of ``spread`` standard
    deviations: the paper's h_c ('any off-the-shelf imputer') followed by its φ.
    """

    learns = True

    def __init__(
        self,
        X: NDArray[np.float64],
        hidden: int,
        rng: np.random.Generator,
        standardise: bool = True,
        guess: NDArray[np.float64] | None = None,
        spread: float = 1.0,
    ) -> None:
        self.missing, self.n = np.isnan(X), len(X)
        self.x0 = np.where(self.missing, 0.0 if guess is None else guess, X)
        d = X.shape[1]
        self.scale = np.nanstd(X, axis=0) if standardise else np.ones(d)
        self.seed = int(rng.integers(2**63))
        self.start = {}
        for net in ("mean", "logvar"):
            for layer, rows, cols in (("1", hidden, d), ("2", d, hidden)):
                bound = 1 / np.sqrt(cols)  # as torch.nn.Linear starts
                self.start[f"{net}_w{layer}"] = rng.uniform(-bound, bound, (rows, cols))
                self.start[f"{net}_b{layer}"] = rng.uniform(-bound, bound, rows)
        if guess is not None:
            for last in ("mean_w2", "mean_b2", "logvar_w2"):
                self.start[last] = np.zeros_like(self.start[last])
            self.start["logvar_b2"] = np.full(d, 2 * np.log(spread))
        self.base = 0.0 if guess is None else self.x0

    def bind(self, parameters: Parameters, table: Tensor) -> None:
        """Take the parameters' views and make the buffers; draws go into ``table`` (d, n)."""
        self.p, self.g, dtype = parameters.value, parameters.slope, parameters.theta.dtype
        n, d = self.x0.shape

        def tensor(a: NDArray[np.float64]) -> Tensor:
            return torch.from_numpy(a.T.copy()).to(dtype)

        self.observed = tensor(self.x0)
        self.input = tensor(self.x0 / self.scale)
        self.scales = tensor(self.scale[None, :])
        self.holes = tensor(self.missing.astype(np.float64)) * self.scales
        self.hidden: dict[str, Tensor] = {}
        self.noise = torch.empty(d, n, dtype=dtype)
        self.x = table
        self.spread, self.pull = (torch.empty(d, n, dtype=dtype) for _ in range(2))
        self.random = torch.Generator().manual_seed(self.seed)

    def draw(self, noise: Tensor | None = None) -> Tensor:
        """The completed table (d, n), with fresh noise unless it is given."""
        self.noise = self.noise.normal_(generator=self.random) if noise is None else noise
        mean, logvar = self._forward("mean"), self._forward("logvar")
        torch.mul(logvar, 0.5, out=self.spread).exp_().mul_(self.noise)
        torch.add(mean, self.spread, out=self.x).mul_(self.holes).add_(self.observed)
        return self.x

    def _forward(self, net: str) -> Tensor:
        p = self.p
        hidden = matmul(p[f"{net}_w1"], self.input).add_(p[f"{net}_b1"][:, None]).relu_()
        self.hidden[net] = hidden
        return matmul(p[f"{net}_w2"], hidden).add_(p[f"{net}_b2"][:, None])

    def backward(self, pull: Tensor) -> None:
        """Gradients of both networks (overwritten) from that of the completed table."""
        torch.mul(pull, self.holes, out=self.pull)
        self._backward("mean")
        self.pull.mul_(self.spread).mul_(0.5)
        self._backward("logvar")

    def _backward(self, net: str) -> None:
        p, g, pull, hidden = self.p, self.g, self.pull, self.hidden[net]
        torch.sum(pull, dim=1, out=g[f"{net}_b2"])
        g[f"{net}_w2"].copy_(matmul(pull, hidden.T))
        back = matmul(p[f"{net}_w2"].T, pull)
        torch.ops.aten.threshold_backward(back, hidden, 0, grad_input=back)
        torch.sum(back, dim=1, out=g[f"{net}_b1"])
        g[f"{net}_w1"].copy_(matmul(back, self.input.T))

    def filled(self) -> NDArray[np.float64]:
        """The table with each hole at its expected value, (n, d)."""
        mean = self._forward("mean").numpy().T.astype(np.float64) * self.scale
        return np.where(self.missing, self.base + mean, self.x0)
