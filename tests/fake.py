"""A learner that needs no time, for tests of everything around a fit."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from gapdag import registry
from gapdag.base import Fit, StructureLearner
from gapdag.errors import GapdagError

WARNING = "the fake learner warns, as any method may"


class Fake(StructureLearner):
    """Correlations above the diagonal are its edges, column means its fillings."""

    name = "fake"

    def __init__(
        self,
        threshold: float = 0.1,
        seconds: float = 0.0,
        warn: bool = False,
        knowledge=None,
        random_state=0,
    ) -> None:
        self.threshold = threshold
        self.seconds = seconds
        self.warn = warn
        self.knowledge = knowledge
        self.random_state = random_state

    def _ready(self) -> None:
        if not isinstance(self.threshold, float | int):
            raise GapdagError(f"threshold must be a number, got {self.threshold!r}")

    def _learn(self, X, masks, rng, progress) -> Fit:
        for k in range(5):
            progress(k / 5, f"pass {k}")
            time.sleep(self.seconds / 5)
        filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
        noise = 1e-3 * rng.normal(size=(X.shape[1],) * 2)
        weights = np.triu(np.corrcoef(filled.T) + noise, 1)
        return Fit(
            weights,
            self.threshold,
            filled,
            settings={"threshold": self.threshold},
            assumptions="It assumes nothing, being a fake.",
            warnings=(WARNING,) if self.warn else (),
        )


@contextmanager
def registered() -> Iterator[None]:
    """The name "fake" is known inside the block and nowhere else."""
    registry.register("method", "fake", reference="none")(Fake)
    try:
        yield
    finally:
        del registry._ENTRIES["method", "fake"]
