"""The default method: it chooses one by name, and says which and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gapdag.base import Array, Fit, Progress, StructureLearner
from gapdag.knowledge import Knowledge, Masks
from gapdag.methods.otm import OTM
from gapdag.registry import register


@register("method", "auto", reference="this package")
class Auto(StructureLearner):
    """Chooses a method for the table; for now always otm with its defaults.

    ``result_.method`` is the name of the method that ran, and ``result_.assumptions`` says why
    it was chosen. ``options`` are passed on to it.

    >>> Auto.choice()
    'otm'
    """

    name = "auto"

    def __init__(
        self,
        options: Mapping[str, Any] | None = None,
        knowledge: Knowledge | Mapping[str, Any] | None = None,
        random_state: Any = 0,
    ) -> None:
        self.options = options
        self.knowledge = knowledge
        self.random_state = random_state

    @staticmethod
    def choice() -> str:
        """The name of the method that will run."""
        return OTM.name

    def fit(self, X: Any, y: Any = None, *, progress: Progress | None = None) -> Auto:
        """Learn from a pandas, polars or numpy table. NaN (or null) is missing; y is ignored."""
        super().fit(X, y, progress=progress)
        self.result_ = replace(self.result_, method=self.choice())
        return self

    def _ready(self) -> None:
        OTM(**(self.options or {}))._ready()

    def _learn(self, X: Array, masks: Masks, rng: np.random.Generator, progress: Progress) -> Fit:
        chosen = OTM(**(self.options or {}))  # knowledge is in the masks
        fit = chosen._learn(X, masks, rng, progress)
        why = (
            "Method otm, chosen by default: it learns the graph and goes on filling the holes "
            "together, so it drops no row. "
        )
        return replace(fit, assumptions=why + fit.assumptions)
