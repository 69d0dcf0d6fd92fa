"""The constants of a path-following fit: presets, and how an estimator's options override them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from numbers import Integral, Real
from typing import Any

from gapdag.errors import GapdagError
from gapdag.registry import unknown

START_RADIUS = 0.7  # the most: random weights scatter about it, and the domain ends at s = 0.7


@dataclass(frozen=True)
class Settings:
    """Every number that decides a fit; what is None follows from the table (d columns)."""

    hidden: int | None = 10
    """units per node of the SCM; None: d"""
    lr: float = 3e-3
    steps: int = 5_000
    """over all stages, shared out 5 : 5 : … : 8"""
    stages: int = 4
    mu: float = 0.1
    """weight of the score in the first stage; a tenth of it in each next"""
    s: tuple[float, ...] = (1.0,)
    """domain of the log-det by stage; the last is kept"""
    l1: float = 0.02
    l2: float = 0.005
    start_radius: float = 0.1
    """spectral radius of W∘W at the start; 0: the first layer starts at zero"""
    threshold: float = 0.3
    center: bool = True
    """subtract the observed column means first"""
    diagonal: bool = False
    """leave a column's weight on itself to the acyclicity term instead of ruling it out"""
    window: int = 250
    check_every: int = 250
    tol: float = 1e-4
    """a stage ends when the objective's mean over a window improves by less than this share"""
    screen: float = 0.01
    """after each stage, inputs weaker than this are dropped for good"""
    dtype: str = "float32"
    start: str = "missforest"
    """the imputer whose filling the completer corrects; "zeros": none, the holes start at zero"""
    spread: float = 0.2
    """of the completer's noise at the start, in standard deviations of a column"""
    completer_speed: float = 0.05
    """learning rate of the completer as a share of the SCM's"""
    completer_hidden: int | None = None
    """units of the completer's networks; None: d"""
    standardise: bool = True
    """the completer sees and gives columns of unit variance"""
    divergence_weight: float = 5.0
    scale_divergence: bool = True
    """multiply the divergence by mu, like the score"""
    bandwidth: str | float = "median/32"
    divergence_rows: int | None = 128
    """rows drawn a step for the divergence; None: all"""

    def __post_init__(self) -> None:
        for key, low in _AT_LEAST.items():
            value = getattr(self, key)
            if value is None and key in _MAY_BE_NONE:
                continue
            kind = Integral if key in _WHOLE else Real
            if isinstance(value, bool) or not isinstance(value, kind) or not float(value) >= low:
                number = "a whole number" if key in _WHOLE else "a number"
                raise GapdagError(f"{key} must be {number} from {low:g} up, got {value!r}")
        for key in ("center", "diagonal", "standardise", "scale_divergence"):
            if not isinstance(getattr(self, key), bool):
                raise GapdagError(f"{key} must be true or false, got {getattr(self, key)!r}")
        if self.dtype not in ("float32", "float64"):
            raise GapdagError(f"dtype must be 'float32' or 'float64', got {self.dtype!r}")
        if self.start_radius > START_RADIUS:
            raise GapdagError(
                f"start_radius must be at most {START_RADIUS}, or the fit starts outside of the "
                f"domain of the acyclicity term, got {self.start_radius!r}"
            )
        if not self.s or not all(isinstance(v, Real) and float(v) > 0 for v in self.s):
            raise GapdagError(f"s must be one or more numbers above 0, got {self.s!r}")

    def schedule(self) -> list[tuple[float, float, int]]:
        """(mu, s, steps) of each stage."""
        unit = self.steps / (5 * (self.stages - 1) + 8)
        lengths = [round(5 * unit)] * (self.stages - 1)
        lengths.append(self.steps - sum(lengths))
        s = list(self.s) + [self.s[-1]] * self.stages
        return [(self.mu * 0.1**k, float(s[k]), lengths[k]) for k in range(self.stages)]

    def to_dict(self) -> dict[str, Any]:
        """As plain numbers, for the record."""
        return asdict(self)


_AT_LEAST = {
    "hidden": 1,
    "lr": 1e-12,
    "steps": 1,
    "stages": 1,
    "mu": 1e-12,
    "l1": 0.0,
    "l2": 0.0,
    "start_radius": 0.0,
    "threshold": 0.0,
    "window": 1,
    "check_every": 1,
    "tol": 0.0,
    "screen": 0.0,
    "spread": 1e-6,
    "completer_speed": 0.0,
    "completer_hidden": 1,
    "divergence_weight": 0.0,
    "divergence_rows": 2,
}
_WHOLE = {"hidden", "steps", "stages", "window", "check_every", "completer_hidden"} | {
    "divergence_rows"
}
_MAY_BE_NONE = {"hidden", "completer_hidden", "divergence_rows"}

_REFERENCE = Settings(
    hidden=None,
    start_radius=0.0,
    lr=2e-4,
    steps=23_000,
    center=False,
    diagonal=True,
    screen=0.0,
    window=1,
    check_every=1000,
    tol=1e-6,
    dtype="float64",
    start="zeros",
    completer_speed=1.0,
    standardise=False,
    divergence_weight=0.01,
    scale_divergence=False,
    bandwidth="reference",
    divergence_rows=None,
)

PRESETS = {
    # what measures best: benchmarks/results, docs/log.md
    "default": Settings(),
    # the text of the paper, appendix B: mu from 1, s falling, one RBF kernel (its bandwidth is not
    # given: the median), 8·10³ iterations as DAGMA counts them (the last stage)
    "paper": replace(
        _REFERENCE,
        mu=1.0,
        s=(1.0, 0.9, 0.8, 0.7),
        scale_divergence=True,
        bandwidth="median",
    ),
    # the authors' code, constant for constant (June 2024)
    "reference": _REFERENCE,
}


def resolve(preset: str, chosen: Mapping[str, Any]) -> Settings:
    """The preset's settings, overridden by every chosen option that is not None.

    >>> resolve("reference", {"lr": 1e-3, "hidden": None}).lr
    0.001
    """
    if preset not in PRESETS:
        raise GapdagError(unknown("preset", preset, list(PRESETS)))
    options = {k: v for k, v in chosen.items() if v is not None}
    if isinstance(options.get("s"), Real):
        options["s"] = (options["s"],)
    if "s" in options:
        options["s"] = tuple(options["s"])
    return replace(PRESETS[preset], **options)
