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
        # the last input is the constant 1, whose weight is the bias: one product does both
        first = np.zeros((d, hidden, d + 1))
        self.start = {
            "w2": rng.uniform(-bound, bound, (d, hidden)),
            "b2": rng.uniform(-bound, bound, d),
            "first": first,
        }
        first[..., :d] = rng.normal(size=(d, hidden, d)) * np.sqrt(radius / (hidden * d))

    def bind(self, parameters: Parameters, n: int) -> None:
        """Take the parameters' views and make the buffers for n rows."""
        for named in (parameters.value, parameters.slope):
            named["w1"], named["b1"] = named["first"][..., : self.d], named["first"][..., self.d]
        self.p, self.g = parameters.value, parameters.slope
        d, h, dtype = self.d, self.hidden, parameters.theta.dtype
        self.input = torch.ones(d + 1, n, dtype=dtype)
        self.units = torch.empty(d, h, n, dtype=dtype)
        self.output = torch.empty(d, 1, n, dtype=dtype)
        self.input_pull = torch.empty(d, n, dtype=dtype)
        self.square = torch.empty(d, h, d, dtype=dtype)
        self._restrict()

    def _restrict(self) -> None:
        """Look up the live inputs of each node, and zero what is not allowed."""
        live = torch.from_numpy(np.vstack([self.allowed, np.ones(self.d, bool)]).T.copy())
        self.mask = live[:, None, :].to(self.p["first"].dtype)  # [node, 1, input]
        self.masked = not live.all()
        self.p["first"].mul_(self.mask)
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
        self.input[:d] = x
        if self.screened:
            n = x.shape[1]
            torch.index_select(self.input, 0, self.inputs.view(-1), out=self.gathered.view(-1, n))
            torch.bmm(p["first"].gather(2, self.where), self.gathered, out=units)
        else:
            torch.mm(p["first"].view(-1, d + 1), self.input, out=units.view(d * self.hidden, -1))
        units.sigmoid_()
        torch.baddbmm(p["b2"].view(d, 1, 1), p["w2"][:, None, :], units, out=self.output)
        return self.output[:, 0]

    def backward(self, pull: Tensor, to_input: bool = True) -> Tensor | None:
        """Gradients of the parameters (overwritten) and of x from those of x̂ (d, n).

        The hidden units are overwritten by their own gradient, but for the factor w2, which is
        multiplied in where there are fewer numbers: the step is bound by memory, not arithmetic.
        """
        p, g, d, units = self.p, self.g, self.d, self.units
        torch.sum(pull, dim=1, out=g["b2"])
        torch.bmm(pull[:, None, :], units.transpose(1, 2), out=g["w2"][:, None, :])
        spread = pull[:, None, :].expand(-1, self.hidden, -1)
        torch.ops.aten.sigmoid_backward(spread, units, grad_input=units)
        if self.screened:
            compact = torch.bmm(units, self.gathered.transpose(1, 2))
            g["first"].zero_().scatter_(2, self.where, compact)
        else:
            flat = units.view(d * self.hidden, -1)
            torch.mm(flat, self.input.T, out=g["first"].view(-1, d + 1))
        g["first"].mul_(p["w2"][:, :, None])
        if self.masked:
            g["first"].mul_(self.mask)
        return self._to_input() if to_input else None

    def _to_input(self) -> Tensor:
        p, d, n = self.p, self.d, self.units.shape[2]
        weights = torch.mul(p["w1"], p["w2"][:, :, None], out=self.square)
        if not self.screened:
            flat = self.units.view(d * self.hidden, n)
            return torch.mm(weights.view(-1, d).T, flat, out=self.input_pull)
        # the constant among the live inputs has a place to fall into, which is then cut off
        whole = torch.nn.functional.pad(weights, (0, 1)).gather(2, self.where)
        back = torch.bmm(whole.transpose(1, 2), self.units, out=self.gathered)
        pulled = torch.zeros_like(self.input).index_add_(0, self.inputs.view(-1), back.view(-1, n))
        return self.input_pull.copy_(pulled[:d])

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
