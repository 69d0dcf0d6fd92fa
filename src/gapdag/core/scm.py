"""Structural causal models: every column predicted from the others, and the weights this implies.

Tables are held transposed, (d, n): a node's rows are then contiguous, and its hidden units are one
(h, n) block. Forward and backward are written by hand into buffers that are reused; the tests hold
them against autograd.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gapdag.core.parameters import Parameters

SCREEN_SHARE = 0.5  # of live inputs per node below which gathering them beats the dense product


class MLPSCM:
    """One hidden layer a node: x̂_j = b2_j + Σ_k w2_jk · sigmoid(b1_jk + Σ_i w1_jki x_i).

    W[i, j] = ‖w1_j·i‖₂, Zheng et al. 2020. ``radius`` is the spectral radius of W∘W at the start,
    where every edge is as likely; at 0 the first layer, and so W, starts at zero.
    ``allowed[i, j]`` False holds i -> j at zero for good.
    """

    def __init__(
        self,
        d: int,
        hidden: int,
        allowed: NDArray[np.bool_],
        rng: np.random.Generator,
        radius: float = 0.0,
    ) -> None:
        self.d, self.hidden = d, hidden
        self.allowed = np.array(allowed, dtype=bool)
        bound = 1 / np.sqrt(hidden)
        self.start = {
            "w2": rng.uniform(-bound, bound, (d, hidden)),
            "b2": rng.uniform(-bound, bound, d),
            "w1": rng.normal(size=(d, hidden, d)) * np.sqrt(radius / (hidden * d)),
            "b1": np.zeros((d, hidden)),
        }

    def bind(self, parameters: Parameters, n: int) -> None:
        """Take the parameters' views and make the buffers for n rows."""
        self.p, self.g = parameters.value, parameters.slope
        d, h, dtype = self.d, self.hidden, parameters.theta.dtype
        self.units = torch.empty(d, h, n, dtype=dtype)
        self.pull = torch.empty(d, h, n, dtype=dtype)
        self.output = torch.empty(d, 1, n, dtype=dtype)
        self.input_pull = torch.empty(d, n, dtype=dtype)
        self.square = torch.empty(d, h, d, dtype=dtype)
        self.screened_pull = torch.empty(0, dtype=dtype)
        self._restrict()

    def _restrict(self) -> None:
        """Look up the live inputs of each node, and zero what is not allowed."""
        live = torch.from_numpy(self.allowed.T.copy())  # [node, input]
        self.mask = live[:, None, :].to(self.p["w1"].dtype)
        self.masked = bool((~self.allowed).any())
        self.p["w1"].mul_(self.mask)
        most = int(live.sum(1).max())
        self.screened = most < SCREEN_SHARE * self.d
        if self.screened:
            # live inputs first; places left over point to dead inputs, whose weight is zero
            self.inputs = torch.argsort(~live, dim=1, stable=True)[:, :most].contiguous()
            self.where = self.inputs[:, None, :].expand(-1, self.hidden, -1).contiguous()
            shape = (self.d, most, self.units.shape[2])
            self.gathered = torch.empty(shape, dtype=self.units.dtype)

    def screen(self, floor: float) -> int:
        """Hold inputs weaker than ``floor`` at zero from now on; returns how many are left."""
        self.allowed &= self.weights() > floor
        self._restrict()
        return int(self.allowed.sum())

    def forward(self, x: Tensor) -> Tensor:
        """x̂ (d, n) from x (d, n)."""
        p, d, units = self.p, self.d, self.units
        if self.screened:
            torch.index_select(x, 0, self.inputs.view(-1), out=self.gathered.view(-1, x.shape[1]))
            torch.baddbmm(
                p["b1"][:, :, None], p["w1"].gather(2, self.where), self.gathered, out=units
            )
        else:
            flat = units.view(d * self.hidden, -1)
            torch.addmm(p["b1"].view(-1, 1), p["w1"].view(-1, d), x, out=flat)
        units.sigmoid_()
        torch.baddbmm(p["b2"].view(d, 1, 1), p["w2"][:, None, :], units, out=self.output)
        self.x = x
        return self.output[:, 0]

    def backward(self, pull: Tensor, to_input: bool = True) -> Tensor | None:
        """Gradients of the parameters (overwritten) and of x from those of x̂ (d, n)."""
        p, g, d, units = self.p, self.g, self.d, self.units
        torch.sum(pull, dim=1, out=g["b2"])
        torch.bmm(pull[:, None, :], units.transpose(1, 2), out=g["w2"][:, None, :])
        torch.mul(p["w2"][:, :, None], pull[:, None, :], out=self.pull)
        torch.ops.aten.sigmoid_backward(self.pull, units, grad_input=self.pull)
        torch.sum(self.pull, dim=2, out=g["b1"])
        if self.screened:
            return self._backward_screened(to_input)
        flat = self.pull.view(d * self.hidden, -1)
        torch.mm(flat, self.x.T, out=g["w1"].view(-1, d))
        if self.masked:
            g["w1"].mul_(self.mask)
        if not to_input:
            return None
        return torch.mm(p["w1"].view(-1, d).T, flat, out=self.input_pull)

    def _backward_screened(self, to_input: bool) -> Tensor | None:
        compact = torch.bmm(self.pull, self.gathered.transpose(1, 2))
        self.g["w1"].zero_().scatter_(2, self.where, compact).mul_(self.mask)
        if not to_input:
            return None
        weights = self.p["w1"].gather(2, self.where)
        back = torch.bmm(weights.transpose(1, 2), self.pull, out=self.gathered)
        n = self.x.shape[1]
        return self.input_pull.zero_().index_add_(0, self.inputs.view(-1), back.view(-1, n))

    def squared_weights(self) -> NDArray[np.float64]:
        """A = W∘W, (d, d) float64, A[i, j] for i -> j."""
        torch.mul(self.p["w1"], self.p["w1"], out=self.square)
        return np.ascontiguousarray(self.square.sum(1).numpy().T, dtype=np.float64)

    def weights(self) -> NDArray[np.float64]:
        """W (d, d), W[i, j] for i -> j."""
        return np.sqrt(self.squared_weights())

    def pull_squared_weights(self, slope: NDArray[np.float64]) -> None:
        """Add the gradient of a function of A = W∘W, given its slope in A."""
        toward = torch.from_numpy(2 * slope.T).to(self.p["w1"].dtype)
        self.g["w1"].addcmul_(self.p["w1"], toward[:, None, :])

    def l1(self, strength: float) -> float:
        """The first layer's absolute sum; its (sub)gradient times ``strength`` is added."""
        torch.sign(self.p["w1"], out=self.square)
        self.g["w1"].add_(self.square, alpha=strength)
        return float(self.square.mul_(self.p["w1"]).sum())
