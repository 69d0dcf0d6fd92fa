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

from gapdag.core.kernels import keep_freed_blocks, matmul
from gapdag.core.parameters import Parameters


class MLPSCM:
    """One hidden layer a node: x̂_j = b2_j + Σ_k w2_jk · sigmoid(b1_jk + Σ_i w1_jki x_i).

    W[i, j] = ‖w1_j·i‖₂, Zheng et al. 2020. ``radius`` is the spectral radius of W∘W at the start,
    where every edge is as likely; at 0 the first layer, and so W, starts at zero.
    ``allowed[i, j]`` False holds i -> j at zero for good.
    """

    screen_share = 0.2
    """of live inputs per node below which gathering them beats the dense product, as measured by
    benchmarks/screening.py"""

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
        self.p, self.g = p, g = parameters.value, parameters.slope
        first, d, h, dtype = p["first"], self.d, self.hidden, parameters.theta.dtype
        self.input = torch.ones(d + 1, n, dtype=dtype)
        self.table = self.input[:d]
        """where the completer writes the rows that ``forward`` reads, (d, n)"""
        self.output = torch.empty(d, 1, n, dtype=dtype)
        self.square = torch.empty(d, h, d + 1, dtype=dtype)
        self.sums = torch.empty(d, d + 1, dtype=dtype)
        # the bias is not part of W: zero here for good
        self.toward, self.signs = torch.zeros(d, 1, d + 1, dtype=dtype), torch.zeros_like(first)
        # the same numbers in other shapes, made once: a view costs as much as a small product
        self.squared, self.toward_inputs = self.sums.numpy()[:, :d].T, self.toward.numpy()[:, 0, :d]
        self.first, self.w2_column, self.w2_row = (
            first.view(-1, d + 1),
            p["w2"][:, :, None],
            p["w2"][:, None],
        )
        self.b2_cell, self.w2_row_slope = p["b2"].view(d, 1, 1), g["w2"][:, None]
        keep_freed_blocks()
        self._restrict()

    def _restrict(self) -> None:
        """Look up the live inputs of each node, and zero what is not allowed."""
        live = torch.from_numpy(np.vstack([self.allowed, np.ones(self.d, bool)]).T.copy())
        self.mask = live[:, None, :].to(self.p["first"].dtype)  # [node, 1, input]
        self.masked = not live.all()
        self.p["first"].mul_(self.mask)
        most = int(live.sum(1).max())
        self.screened = most < self.screen_share * self.d
        if self.screened:
            # live inputs first; places left over point to dead inputs, whose weight is zero
            self.inputs = torch.argsort(~live, dim=1, stable=True)[:, :most].contiguous()
            self.where = self.inputs[:, None, :].expand(-1, self.hidden, -1).contiguous()
            self.gathered = self.input.new_empty(self.d, most, self.input.shape[1])
            self.gathered_rows = self.gathered.view(self.d * most, -1)

    def screen(self, floor: float) -> int:
        """Hold inputs weaker than ``floor`` at zero from now on; returns how many are left."""
        self.allowed &= self.weights() > floor
        self._restrict()
        return int(self.allowed.sum())

    def forward(self) -> Tensor:
        """x̂ (d, n) from the ``table``."""
        d, h = self.d, self.hidden
        if self.screened:
            torch.index_select(self.input, 0, self.inputs.view(-1), out=self.gathered_rows)
            self.units = torch.bmm(self.p["first"].gather(2, self.where), self.gathered)
        else:
            self.units = matmul(self.first, self.input).view(d, h, -1)
        self.units.sigmoid_()
        torch.baddbmm(self.b2_cell, self.w2_row, self.units, out=self.output)
        return self.output[:, 0]

    def backward(self, pull: Tensor, to_input: bool = True) -> Tensor | None:
        """Gradients of the parameters (overwritten) and of the table from those of x̂ (d, n).

        The hidden units are overwritten by their own gradient, but for the factor w2, which is
        multiplied in where there are fewer numbers: the step is bound by memory, not arithmetic.
        """
        g, units, row = self.g, self.units, pull[:, None]
        torch.sum(pull, dim=1, out=g["b2"])
        torch.bmm(row, units.transpose(1, 2), out=self.w2_row_slope)
        spread = row.expand(-1, self.hidden, -1)
        torch.ops.aten.sigmoid_backward(spread, units, grad_input=units)
        if self.screened:
            compact = torch.bmm(units, self.gathered.transpose(1, 2))
            g["first"].zero_().scatter_(2, self.where, compact)
            g["first"].mul_(self.w2_column)
        else:
            slope = matmul(units.view(self.d * self.hidden, -1), self.input.T)
            torch.mul(slope.view_as(g["first"]), self.w2_column, out=g["first"])
        if self.masked:
            g["first"].mul_(self.mask)
        return self._to_input() if to_input else None

    def _to_input(self) -> Tensor:
        weights = torch.mul(self.p["first"], self.w2_column, out=self.square)
        if not self.screened:
            flat = self.units.view(self.d * self.hidden, -1)
            return matmul(weights.view(-1, self.d + 1)[:, : self.d].T, flat)
        back = weights.gather(2, self.where).transpose(1, 2)
        back = torch.bmm(back, self.units, out=self.gathered)
        pulled = torch.zeros_like(self.input)
        pulled.index_add_(0, self.inputs.view(-1), back.view_as(self.gathered_rows))
        return pulled[: self.d]

    def squared_weights(self) -> NDArray[np.float64]:
        """A = W∘W, (d, d) float64, A[i, j] for i -> j."""
        torch.mul(self.p["first"], self.p["first"], out=self.square)
        torch.sum(self.square, dim=1, out=self.sums)
        return self.squared.astype(np.float64)

    def weights(self) -> NDArray[np.float64]:
        """W (d, d), W[i, j] for i -> j."""
        return np.sqrt(self.squared_weights())

    def penalise(self, slope: NDArray[np.float64], strength: float) -> float:
        """Add the gradients of what is said of W alone; returns the first layer's absolute sum.

        ``slope`` is that of the acyclicity in A = W∘W, ``strength`` the L1's factor.
        """
        np.multiply(slope.T, 2.0, out=self.toward_inputs, casting="same_kind")
        self.g["first"].addcmul_(self.p["first"], self.toward)
        torch.sign(self.p["w1"], out=self.signs[..., : self.d])
        self.g["first"].add_(self.signs, alpha=strength)
        return float(torch.mul(self.signs, self.p["first"], out=self.square).sum())
