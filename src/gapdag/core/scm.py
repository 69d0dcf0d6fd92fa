"""Structural causal models: every column predicted from the others, and the weights this implies.

Tables are held transposed, (d, n): a node's rows are then contiguous, and its hidden units are one
(h, n) block. Forward and backward are written by hand (``gapdag.core.nodes``) into buffers that
are reused; the tests hold them against autograd.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapdag.core import nodes
from gapdag.core.crew import Crew
from gapdag.core.parameters import Parameters

SPANS = 4
"""shares that the nodes are cut into, whatever the number of threads, so that sums are the same"""


class MLPSCM:
    """One hidden layer a node: x̂_j = b2_j + Σ_k w2_jk · sigmoid(b1_jk + Σ_i w1_jki x_i).

    W[i, j] = ‖w1_j·i‖₂, Zheng et al. 2020. ``radius`` is the spectral radius of W∘W at the start,
    where every edge is as likely; at 0 the first layer, and so W, starts at zero.
    ``allowed[i, j]`` False holds i -> j at zero for good.
    """

    dense_share = 0.5
    """of live inputs above which BLAS's product of all of them is faster than ours of the live
    ones, as measured by benchmarks/screening.py"""

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
        self.crew = Crew()
        """who shares the work; the solver sets it"""
        bound = 1 / np.sqrt(hidden)
        # the last input is the constant 1, whose weight is the bias: one product does both
        first = np.zeros((d, hidden, d + 1))
        self.start = {
            "w2": rng.uniform(-bound, bound, (d, hidden)),
            "b2": rng.uniform(-bound, bound, d),
            "first": first,
        }
        first[..., :d] = rng.normal(size=(d, hidden, d)) * np.sqrt(radius / (hidden * d))
        edges = np.linspace(0, d, min(SPANS, d) + 1).astype(int).tolist()
        self.spans = list(pairwise(edges))

    def bind(self, parameters: Parameters, n: int) -> None:
        """Take the parameters' views and make the buffers for n rows."""
        for named in (parameters.value, parameters.slope):
            named["w1"], named["b1"] = named["first"][..., : self.d], named["first"][..., self.d]
        names = ("first", "w2", "b2")
        self.p = tuple(parameters.value[name] for name in names)
        self.g = tuple(parameters.slope[name] for name in names)
        d, dtype = self.d, self.p[0].dtype
        self.input = np.ones((d + 1, n), dtype)
        self.table = self.input[:d]
        """where the completer writes the rows that ``forward`` reads, (d, n)"""
        self.residual = np.empty((d, n), dtype)
        """x̂ - x after ``forward``"""
        self.ss, self.A = np.empty(d), np.empty((d, d))
        self.units = np.empty((d, self.hidden, n), dtype)
        self.pulls = np.empty((len(self.spans), d + 1, n), dtype)
        self._restrict()

    def _restrict(self) -> None:
        """Look up the live inputs of each node, and zero what is not allowed."""
        first = self.p[0]
        first[..., : self.d] *= self.allowed.T[:, None, :]
        self.counts = self.allowed.sum(axis=0)
        # live inputs first
        self.inputs = np.argsort(~self.allowed, axis=0, kind="stable").T.copy()
        self.dense = [self.allowed[:, a:b].mean() > self.dense_share for a, b in self.spans]

    def screen(self, floor: float) -> int:
        """Hold inputs weaker than ``floor`` at zero from now on; returns how many are left."""
        self.allowed &= self.weights() > floor
        self._restrict()
        return int(self.allowed.sum())

    def forward(self, and_back: bool = False) -> NDArray[np.float64]:
        """Σ (x̂ - x)² of each node over the rows of the ``table``.

        ``and_back``, also the gradients of ½·Σ (x̂ - x)² in one pass; see ``scale``.
        """
        live = self.inputs, self.counts
        args = *self.p, *live, self.input, self.units, self.residual, self.ss, *self.g
        self.crew.run(
            [
                partial(nodes.forward, *span, dense, and_back, *args)
                for span, dense in zip(self.spans, self.dense, strict=True)
            ]
        )
        return self.ss

    def scale(self, by: NDArray[np.float64]) -> None:
        """Multiply the gradients of each node's parameters by its number."""
        nodes.scale(by, *self.g)

    def backward(self, pull: NDArray[Any], to_input: bool = True) -> NDArray[Any] | None:
        """Gradients of the parameters (overwritten) and of the table from those of x̂ (d, n)."""
        first, w2, _ = self.p
        args = first, w2, self.inputs, self.counts, self.input, self.units, pull, *self.g
        self.crew.run(
            [
                partial(nodes.backward, *span, dense, to_input, *args, out)
                for span, dense, out in zip(self.spans, self.dense, self.pulls, strict=True)
            ]
        )
        if not to_input:
            return None
        out: NDArray[Any] = self.pulls[:, : self.d].sum(axis=0)
        return out

    def squared_weights(self) -> NDArray[np.float64]:
        """A = W∘W, (d, d) float64, A[i, j] for i -> j."""
        nodes.squares(self.p[0], self.A)
        return self.A

    def weights(self) -> NDArray[np.float64]:
        """W (d, d), W[i, j] for i -> j."""
        return np.sqrt(self.squared_weights())

    def penalise(self, slope: NDArray[np.float64], strength: float) -> float:
        """Add the gradients of what is said of W alone; returns the first layer's absolute sum.

        ``slope`` is that of the acyclicity in A = W∘W, ``strength`` the L1's factor.
        """
        return float(nodes.penalise(self.p[0], slope, strength, self.g[0]))
