"""From a table to a graph in one call: the method by name, its options, its progress."""

from __future__ import annotations

import inspect
import pkgutil
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gapdag import registry
from gapdag.errors import GapdagError

if TYPE_CHECKING:  # `import gapdag` imports this module, and must stay light
    import pandas as pd

    from gapdag.base import Imputer, Progress, StructureLearner
    from gapdag.knowledge import Knowledge
    from gapdag.result import CausalResult

TERMS = ("gapdag.core.acyclicity", "gapdag.core.divergence", "gapdag.core.score")
"""the modules of core in which things with a name are written; the others name nothing"""
HOMES = ("simulate", "imputers", "learners", "methods")
"""the packages of which any module may hold things with a name"""


def learn(
    df: Any,
    method: str = "auto",
    knowledge: Knowledge | Mapping[str, Any] | None = None,
    random_state: Any = 0,
    progress: bool | Callable[[float, str], None] | None = None,
    **options: Any,
) -> CausalResult:
    """Learn a causal graph from a pandas, polars or numpy table; NaN (or null) is missing.

    method: a name from ``gapdag.methods()``, or a pair ``imputer+learner``
    knowledge: a ``Knowledge``, or a mapping with its keys; always obeyed
    random_state: the same seed gives the same graph
    progress: None shows a bar where stderr is a terminal or a notebook, True always, False
        never; a function is called with how far the fit is (0 to 1) and what it is doing
    options: passed to the method. Those of a pair are written ``imputer__name`` and
        ``learner__name``, or the bare name where only one of the two has it

    What the reader should know of the answer is warned of and kept in ``result.warnings``.

    >>> import gapdag as gd
    >>> p = gd.simulate.problem(d=3, edges=2, n=60, rate=0.1)
    >>> gd.learn(p.frame, method="otmm")
    Traceback (most recent call last):
    gapdag.errors.GapdagError: unknown method 'otmm'; did you mean: otm?
    """
    estimator = make(method, knowledge, random_state, **options)
    with shown(progress) as callback:
        result: CausalResult = estimator.fit(df, progress=callback).result_
    return result


def methods() -> pd.DataFrame:
    """Everything that can be named: name, kind, reference and a summary of one line.

    >>> methods().columns.tolist()
    ['name', 'kind', 'reference', 'summary']
    """
    import pandas as pd

    load_all()
    known = sorted(registry.entries(), key=lambda e: (registry.KINDS.index(e.kind), e.name))
    columns = ["name", "kind", "reference", "summary"]
    return pd.DataFrame([[getattr(e, c) for c in columns] for e in known], columns=columns)


def make(
    method: str,
    knowledge: Knowledge | Mapping[str, Any] | None = None,
    random_state: Any = 0,
    **options: Any,
) -> StructureLearner:
    """The estimator behind a name: a method, a pair ``imputer+learner``, or a bare learner."""
    if not isinstance(method, str):
        raise GapdagError(
            f"method must be a name from gapdag.methods(), got {type(method).__name__}; "
            "an estimator is fitted by its own fit(table)"
        )
    load_all()
    both = {"knowledge": knowledge, "random_state": random_state}
    imputer, plus, learner = method.partition("+")
    if plus:
        return _pair(imputer, learner, options, both)
    if method == "auto":  # its options are those of the method it chooses
        from gapdag.methods.auto import Auto

        _check_options(Auto.choice(), _accepted(registry.find("method", Auto.choice())), options)
        return Auto(options=options or None, **both)
    build = _find(method)
    _check_options(method, _accepted(build), options)
    estimator: StructureLearner = build(**options, **both)
    return estimator


def make_imputer(name: str, random_state: Any = 0, **options: Any) -> Imputer:
    """The imputer behind a name."""
    load_all()
    build = registry.find("imputer", name)
    _check_options(name, _accepted(build), options)
    imputer: Imputer = build(**options, random_state=random_state)
    return imputer


def load_all() -> None:
    """Import every module that registers something, so that its names are known."""
    for term in TERMS:
        import_module(term)
    for home in HOMES:
        package = import_module(f"gapdag.{home}")
        for module in pkgutil.walk_packages(package.__path__, f"gapdag.{home}."):
            import_module(module.name)


@contextmanager
def shown(progress: bool | Progress | None) -> Iterator[Progress | None]:
    """The callback that a fit tells its progress, as ``learn`` takes it; a bar ends with it."""
    if callable(progress):
        yield progress
    elif progress not in (None, True, False):
        raise GapdagError(f"progress must be None, True, False or a function, got {progress!r}")
    elif progress is False or (progress is None and not _someone_watches()):
        yield None
    else:
        from tqdm.auto import tqdm

        shape = "{desc} {percentage:3.0f}% |{bar}| {elapsed}<{remaining}"
        with tqdm(total=1.0, bar_format=shape, **_room()) as bar:

            def move(done: float, doing: str) -> None:
                bar.set_description_str(doing, refresh=False)
                bar.update(min(max(done, 0.0), 1.0) - bar.n)

            yield move
            move(1.0, "done")


def _room() -> dict[str, Any]:
    """The size of the terminal; tqdm shows nothing in one that gives its own as 0 by 0."""
    if sys.stderr is None or not sys.stderr.isatty():
        return {}
    size = shutil.get_terminal_size((80, 24))
    return {"ncols": size.columns - 1, "nrows": size.lines}


def _someone_watches() -> bool:
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())


def _find(method: str) -> Callable[..., Any]:
    named = {e.name: e.object for e in registry.entries("learner", "method")}
    if method not in named:
        raise GapdagError(registry.unknown("method", method, list(named)))
    return named[method]


def _pair(
    imputer: str, learner: str, options: dict[str, Any], both: dict[str, Any]
) -> StructureLearner:
    """ImputeThenLearn of two names; each option goes to the one of the two that has it."""
    from gapdag.methods.impute_then_learn import ImputeThenLearn

    parts = {
        "imputer": _accepted(registry.find("imputer", imputer)),
        "learner": _accepted(registry.find("learner", learner)),
    }
    home: dict[str, tuple[str, str]] = {}  # what may be written -> whose option it is
    for part, other in (("imputer", "learner"), ("learner", "imputer")):
        home |= {name: (part, name) for name in parts[part] if name not in parts[other]}
        home |= {f"{part}__{name}": (part, name) for name in parts[part]}
    _check_options(f"{imputer}+{learner}", [*home, "imputer_options", "learner_options"], options)
    given: dict[str, dict[str, Any]] = {
        part: dict(options.pop(f"{part}_options", None) or {}) for part in parts
    }
    for name, value in options.items():
        part, own = home[name]
        given[part][own] = value
    return ImputeThenLearn(
        imputer=imputer,
        learner=learner,
        imputer_options=given["imputer"] or None,
        learner_options=given["learner"] or None,
        **both,
    )


def _accepted(build: Callable[..., Any]) -> list[str]:
    """The options of a class or function, without what every estimator takes."""
    return [
        p for p in inspect.signature(build).parameters if p not in ("knowledge", "random_state")
    ]


def _check_options(method: str, accepted: list[str], options: Mapping[str, Any]) -> None:
    for name in options:
        if name not in accepted:
            if not accepted:
                raise GapdagError(f"unknown option {name!r}; {method} takes no options")
            raise GapdagError(registry.unknown(f"option of {method}", name, accepted))
