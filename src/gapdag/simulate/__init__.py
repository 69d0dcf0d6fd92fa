"""Learning problems whose answer is known: a random graph, data from it, holes in the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from gapdag.problem import Problem
from gapdag.simulate.graphs import GRAPHS, check_count, erdos_renyi, random_graph, scale_free
from gapdag.simulate.mechanisms import NOISE_SCALES, NOISES, draw_noise, sample
from gapdag.simulate.missingness import ampute

__all__ = [
    "GRAPHS",
    "NOISES",
    "NOISE_SCALES",
    "ampute",
    "draw_noise",
    "erdos_renyi",
    "problem",
    "random_graph",
    "sample",
    "scale_free",
]


def problem(
    graph: str = "ER",
    d: int = 50,
    edges: int = 100,
    n: int = 1000,
    mechanism: str = "mlp",
    noise: str = "gaussian",
    missingness: str | None = "mcar",
    rate: float = 0.3,
    seed: int = 0,
    noise_scale: str = "nv",
    p_obs: float = 0.3,
    quantile: float = 0.3,
) -> Problem:
    """A table with holes, its complete version and the causal graph that made it.

    The defaults are the paper's main setting (section 5): 50 nodes, 100 edges, 1000 rows,
    noise of a different variance in every node.

    graph: "ER" or "SF", with ``edges`` edges expected
    mechanism: "linear", "mlp", "mim", "gp" or "gp-add"
    noise: "gaussian", "exponential", "laplace", "gumbel" or "uniform"; mean 0
    noise_scale: standard deviation "nv": U(1, 2) drawn per node; "ev": 1 for all
    missingness, rate, p_obs, quantile: see ``ampute``; ``None`` or rate 0 leaves X complete

    The same seed gives the same problem. Graph, mechanism, noise and holes have random streams
    of their own: with another missingness, rate, p_obs or quantile the graph and the complete
    table stay as they are. ``about`` keeps every argument.

    >>> p = problem(graph="SF", d=6, edges=8, n=200, mechanism="linear", rate=0.2, seed=1)
    >>> p.columns, int(p.adjacency.sum()), round(p.missing.mean(), 1)
    (['x0', 'x1', 'x2', 'x3', 'x4', 'x5'], 8, np.float64(0.2))
    >>> whole = problem(graph="SF", d=6, edges=8, n=200, mechanism="linear", seed=1,
    ...                 missingness=None)
    >>> bool((whole.X == p.X_true).all())
    True
    """
    about = _plain(locals())
    check_count("seed", seed, 0)
    streams = np.random.default_rng(int(seed)).spawn(4)
    for_graph, for_mechanism, for_noise, for_holes = streams
    adjacency = random_graph(graph, d, edges, for_graph)
    X_true = sample(adjacency, n, mechanism, noise, noise_scale, for_mechanism, for_noise)
    missing = ampute(X_true, missingness, rate, for_holes, p_obs=p_obs, quantile=quantile)
    return Problem(
        X=np.where(missing, np.nan, X_true),
        X_true=X_true,
        adjacency=adjacency,
        columns=[f"x{j}" for j in range(d)],
        about=about,
    )


def _plain(arguments: dict[str, Any]) -> dict[str, Any]:
    # numpy scalars would not go into problem.json
    return {k: v.item() if isinstance(v, np.generic) else v for k, v in arguments.items()}
