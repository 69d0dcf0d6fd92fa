"""What fills the holes while learning: Φ(X) = X where observed, a draw of a network where not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gapdag.core.crew import Crew
from gapdag.core.parameters import Parameters


class NoCompleter:
    """A complete table needs no filling.

    >>> c = NoCompleter(np.arange(6.0).reshape(3, 2))
    >>> c.bind(Parameters([{"unused": np.zeros(1)}], np.float32), np.zeros((2, 3)))
    >>> c.draw().shape
    (2, 3)
    """

    learns = False

    def __init__(self, X: NDArray[np.float64]) -> None:
        self.X, self.n, self.crew = X, len(X), Crew()
        self.start: dict[str, NDArray[np.float64]] = {}

    def bind(self, parameters: Parameters, table: NDArray[Any]) -> None:
        """Write the rows into the SCM's ``table`` (d, n), once."""
        table[:] = self.X.T
        self.x = table

    def draw(self) -> NDArray[Any]:
        """The completed table (d, n)."""
        return self.x

    def backward(self, pull: NDArray[Any]) -> None:
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
        self.missing, self.n, self.crew = np.isnan(X), len(X), Crew()
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

    def bind(self, parameters: Parameters, table: NDArray[Any]) -> None:
        """Take the parameters' views and make the buffers; draws go into ``table`` (d, n)."""
        self.p = parameters.value
        self.g = parameters.slope
        self.x, dtype = table, table.dtype
        scale = self.scale[:, None]
        self.observed = self.x0.T.astype(dtype, order="C")
        self.input = (self.x0.T / scale).astype(dtype, order="C")
        self.holes = (self.missing.T * scale).astype(dtype, order="C")
        self.nets = {net: Net(net, self) for net in ("mean", "logvar")}
        self.spread = np.empty_like(table)
        self.noise = np.zeros_like(table)
        self.at_holes = np.flatnonzero(self.missing.T)
        self.drawn = np.empty(len(self.at_holes), dtype)
        self.random = np.random.default_rng(self.seed)

    def draw(self, noise: NDArray[Any] | None = None) -> NDArray[Any]:
        """The completed table (d, n), with fresh noise in its holes unless it is given."""

        def spread() -> None:
            logvar = self.nets["logvar"].forward()
            np.exp(np.multiply(logvar, 0.5, out=self.spread), out=self.spread)
            self.spread *= self.holes

        def rest() -> None:
            np.multiply(self.nets["mean"].forward(), self.holes, out=self.x)
            self._make_noise(noise)

        self.crew.run([rest, spread])
        self.spread *= self.noise
        self.x += self.spread
        self.x += self.observed
        return self.x

    def _make_noise(self, given: NDArray[Any] | None) -> None:
        if given is not None:
            self.noise[:] = given
            return
        self.random.standard_normal(out=self.drawn, dtype=self.drawn.dtype)
        self.noise.reshape(-1)[self.at_holes] = self.drawn

    def backward(self, pull: NDArray[Any]) -> None:
        """Gradients of both networks (overwritten) from that of the completed table."""

        def logvar() -> None:
            self.spread *= 0.5
            self.spread *= pull
            self.nets["logvar"].backward(self.spread)

        self.crew.run([lambda: self.nets["mean"].backward(pull * self.holes), logvar])

    def filled(self) -> NDArray[np.float64]:
        """The table with each hole at its expected value, (n, d)."""
        mean = self.nets["mean"].forward().T.astype(np.float64) * self.scale
        return np.where(self.missing, self.base + mean, self.x0)


class Net:
    """d -> hidden -> d with ReLU, on the columns of ``input``; buffers are reused."""

    def __init__(self, name: str, owner: GaussianCompleter) -> None:
        names = [f"{name}_{kind}{layer}" for layer in (1, 2) for kind in "wb"]
        self.p, self.g = [owner.p[k] for k in names], [owner.g[k] for k in names]
        self.input = owner.input
        n = self.input.shape[1]
        self.hidden, self.back = np.empty((2, len(self.p[1]), n), self.input.dtype)
        self.output: NDArray[Any] = np.empty_like(self.input)

    def forward(self) -> NDArray[Any]:
        """The network's output (d, n)."""
        w1, b1, w2, b2 = self.p
        np.dot(w1, self.input, out=self.hidden)
        self.hidden += b1[:, None]
        np.maximum(self.hidden, 0, out=self.hidden)
        np.dot(w2, self.hidden, out=self.output)
        self.output += b2[:, None]
        return self.output

    def backward(self, pull: NDArray[Any]) -> None:
        """Gradients of the weights (overwritten) from that of the output."""
        w1, b1, w2, b2 = self.g
        np.sum(pull, axis=1, out=b2)
        np.dot(pull, self.hidden.T, out=w2)
        np.dot(self.p[2].T, pull, out=self.back)
        self.back *= self.hidden > 0
        np.sum(self.back, axis=1, out=b1)
        np.dot(self.back, self.input.T, out=w1)
