"""Fill the holes first, then learn from the filled table: the baseline of two separate steps."""

from __future__ import annotations

import copy
import pkgutil
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import clone

from gapdag.base import Array, Fit, Imputer, Progress, StructureLearner, stretch
from gapdag.errors import GapdagError
from gapdag.knowledge import Masks
from gapdag.registry import find, register, unknown

KINDS = {"imputer": Imputer, "learner": StructureLearner}
HOMES = {"imputer": "gapdag.imputers", "learner": "gapdag.learners"}
OURS = ("knowledge", "random_state")  # said once, to the pair
FILLING = 0.2  # the share of the progress bar; forests take about that against dagma-mlp

ASSUMPTIONS = (
    "The {holes} holes were filled by {imputer} before learning, which ignores the graph and takes "
    "the filled cells for measured ones: dependences that the filling weakened or invented are in "
    "the graph too."
)


@register("method", "impute-then-learn", reference="the paper, section 5 (baselines)")
class ImputeThenLearn(StructureLearner):
    """Fill the holes with an imputer, then learn from the filled table as if it were complete.

    ``imputer`` and ``learner`` are names (``gapdag.methods()`` has them) or instances; options for
    either go into its dict. Without holes the answer is the learner's own at the same seed.

    >>> from gapdag import simulate
    >>> p = simulate.problem(d=4, edges=4, n=200, rate=0.1, seed=1)
    >>> pair = ImputeThenLearn("mean", "dagma-mlp", learner_options={"steps": 400})
    >>> result = pair.fit(p.frame).result_
    >>> result.method, result.is_dag, int(result.impute().isna().sum().sum())
    ('mean+dagma-mlp', True, 0)
    """

    def __init__(
        self,
        imputer: str | Imputer = "missforest",
        learner: str | StructureLearner = "dagma-mlp",
        imputer_options: Mapping[str, Any] | None = None,
        learner_options: Mapping[str, Any] | None = None,
        knowledge: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.imputer = imputer
        self.learner = learner
        self.imputer_options = imputer_options
        self.learner_options = learner_options
        self.knowledge = knowledge
        self.random_state = random_state

    @property
    def name(self) -> str:  # type: ignore[override] # of the pair, not of the class
        """How the pair is written: imputer+learner."""
        return "+".join(str(getattr(p, "name", p)) for p in (self.imputer, self.learner))

    def _ready(self) -> None:
        part("imputer", self.imputer, self.imputer_options)._ready()
        part("learner", self.learner, self.learner_options)._ready()

    def _learn(self, X: Array, masks: Masks, rng: np.random.Generator, progress: Progress) -> Fit:
        imputer = part("imputer", self.imputer, self.imputer_options)
        learner = part("learner", self.learner, self.learner_options)
        filled = imputer.fill(X, _beside(rng), stretch(progress, 0.0, FILLING))
        fit: Fit = learner._learn(filled, masks, rng, stretch(progress, FILLING, 1.0))
        holes = int(np.isnan(X).sum())
        said = ASSUMPTIONS.format(holes=holes, imputer=imputer.name) if holes else ""
        return replace(
            fit,
            filled=filled,
            settings={
                "imputer": imputer.name,
                "imputer_options": _options(imputer),
                "learner": learner.name,
                "learner_options": {**_options(learner), **fit.settings},
            },
            diagnostics={**fit.diagnostics, "imputer": getattr(imputer, "diagnostics_", {})},
            assumptions=" ".join(s for s in (said, fit.assumptions) if s),
        )


def part(kind: str, said: Any, options: Mapping[str, Any] | None) -> Any:
    """The imputer or learner that a name or an instance stands for, with its options set."""
    if isinstance(said, str):
        _register_all(HOMES[kind])
        thing = find(kind, said)()
    elif isinstance(said, KINDS[kind]):
        thing = clone(said)
    else:
        raise GapdagError(f"{kind} must be a name or an instance of one, got {said!r}")
    if getattr(thing, "knowledge", None) is not None:
        raise GapdagError(f"give knowledge to ImputeThenLearn, not to its learner {thing.name!r}")
    if options is None:
        return thing
    if not isinstance(options, Mapping):
        raise GapdagError(f"{kind}_options must be a dict of options and values, got {options!r}")
    known = list(_options(thing))
    for option in options:
        if option not in known:
            what = f"option of {kind} {thing.name!r}:"
            raise GapdagError(
                unknown(what, option, known) if known else f"unknown {what} {option!r}; it has none"
            )
    return thing.set_params(**options)


def _register_all(home: str) -> None:
    """Import every module of a package, so that the names registered there are known."""
    package = import_module(home)
    for module in pkgutil.iter_modules(package.__path__, f"{home}."):
        import_module(module.name)


def _options(thing: Any) -> dict[str, Any]:
    return {k: v for k, v in thing.get_params(deep=False).items() if k not in OURS}


def _beside(rng: np.random.Generator) -> np.random.Generator:
    """A generator for the imputer that leaves the learner's stream, and what it spawns, as is.

    So the learner draws what it draws when it is fitted alone. The number looked at is one the
    learner will meet too, but as a seed it leads to an unrelated stream.
    """
    ahead = int(copy.deepcopy(rng).integers(2**63))
    return np.random.default_rng([ahead, len("imputer")])
