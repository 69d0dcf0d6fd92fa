"""What is missing in a table, in which patterns, and what that endangers."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # `import gapdag` imports this module, and must stay light
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from gapdag.mcar import Little

FEW_PAIRS = 30  # rows behind a pair of columns below which their dependence is a guess
MUCH_MISSING = 0.5
LEVEL = 0.05
MOST_PATTERNS = 100  # in JSON; nearly every row of a wide table has one of its own
UNITS_APART = 100.0  # ratio of standard deviations beyond which units decide what is an edge


@dataclass(frozen=True, repr=False)
class Audit:
    """What ``audit`` found; printing it shows the summary.

    >>> audit([[1, 2.5], [2, None], [None, 0.5]]).complete_rows
    1
    """

    rows: int
    columns: pd.DataFrame
    """one row a column: missing, rate, observed, unique, kind, std"""
    patterns: pd.DataFrame
    """the distinct sets of missing columns, most frequent first: rows, share, missing, holes_in"""
    pairs: pd.DataFrame
    """(d, d) in how many rows both columns are observed"""
    complete_rows: int
    empty_rows: int
    smallest_pair: tuple[str, str, int] | None
    """the two columns that are observed together least, and in how many rows"""
    little: Little
    warnings: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON: all but the matrix of pairs, and the most frequent patterns alone."""
        from gapdag.audit_text import records

        names = [str(c) for c in self.columns.index]
        pair = self.smallest_pair
        return {
            "rows": self.rows,
            "complete_rows": self.complete_rows,
            "empty_rows": self.empty_rows,
            "missing": int(self.columns["missing"].sum()),
            "columns": dict(zip(names, records(self.columns), strict=True)),
            "n_patterns": len(self.patterns),
            "patterns": records(self.patterns.head(MOST_PATTERNS)),
            "smallest_pair": None if pair is None else {"columns": pair[:2], "rows": pair[2]},
            "little": self.little.to_dict(),
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        from gapdag.audit_text import text

        return text(self)

    __repr__ = __str__


def audit(df: Any) -> Audit:
    """What is missing in a pandas, polars or numpy table, how, and what that endangers.

    Nothing is refused but what is no table: what ``learn`` would refuse stands in the warnings.
    Little's test (1988) asks whether the holes are missing completely at random.

    >>> import gapdag as gd
    >>> p = gd.simulate.problem(d=4, edges=4, n=300, mechanism="linear", rate=0.2, seed=0)
    >>> found = gd.audit(p.frame)
    >>> found.complete_rows, found.little.p_value > 0.05
    (119, True)
    """
    import numpy as np
    import pandas as pd

    from gapdag.columns import as_frame
    from gapdag.mcar import little

    frame = as_frame(df)
    names = [str(c) for c in frame.columns]
    missing = frame.isna().to_numpy(dtype=bool)
    values, kinds = _numbers(frame)
    numeric = np.array([k == "number" for k in kinds], dtype=bool)
    with np.errstate(invalid="ignore", over="ignore"):
        std = pd.DataFrame(np.where(np.isinf(values), np.nan, values)).std().to_numpy()
    columns = pd.DataFrame(
        {
            "missing": missing.sum(axis=0),
            "rate": missing.mean(axis=0) if len(frame) else np.zeros(len(names)),
            "observed": (~missing).sum(axis=0),
            "unique": [_unique(frame.iloc[:, j]) for j in range(len(names))],
            "kind": kinds,
            "std": std,
        },
        index=names,
    )
    seen = (~missing).astype(np.float64)
    pairs = pd.DataFrame((seen.T @ seen).astype(int), names, names)
    found = Audit(
        rows=len(frame),
        columns=columns,
        patterns=_patterns(missing, names),
        pairs=pairs,
        complete_rows=int((~missing).all(axis=1).sum()),
        empty_rows=int(missing.all(axis=1).sum()),
        smallest_pair=_smallest_pair(pairs, numeric),
        little=little(values, names),
    )
    object.__setattr__(found, "warnings", tuple(_warnings(found, df)))
    return found


def _numbers(frame: pd.DataFrame) -> tuple[NDArray[np.float64], list[str]]:
    """The columns that hold numbers as floats (others all NaN), and each column's kind."""
    import numpy as np

    from gapdag.columns import column_numbers

    values = np.full(frame.shape, np.nan)
    kinds = []
    for j in range(frame.shape[1]):
        found = column_numbers(frame.iloc[:, j])
        kinds.append(found if isinstance(found, str) else "number")
        if not isinstance(found, str):
            values[:, j] = found
    return values, kinds


def _unique(s: pd.Series[Any]) -> int | None:
    try:
        return int(s.nunique())
    except TypeError:  # lists and the like cannot be compared
        return None


def _patterns(missing: NDArray[np.bool_], names: list[str]) -> pd.DataFrame:
    import numpy as np
    import pandas as pd

    columns = ["rows", "share", "missing", "holes_in"]
    if not missing.size:
        return pd.DataFrame(columns=columns)
    _, first, counts = np.unique(
        np.packbits(missing, axis=1), axis=0, return_index=True, return_counts=True
    )
    order = np.lexsort((missing[first].sum(axis=1), -counts))
    holes = missing[first[order]]
    return pd.DataFrame(
        {
            "rows": counts[order],
            "share": counts[order] / len(missing),
            "missing": holes.sum(axis=1),
            "holes_in": [tuple(compress(names, h)) for h in holes.tolist()],
        },
        columns=columns,
    )


def _smallest_pair(pairs: pd.DataFrame, numeric: NDArray[np.bool_]) -> tuple[str, str, int] | None:
    import numpy as np

    names = pairs.index[numeric]
    if len(names) < 2:
        return None
    i, j = np.triu_indices(len(names), 1)
    counts = pairs.to_numpy()[np.ix_(numeric, numeric)][i, j]
    k = int(counts.argmin())
    return str(names[i[k]]), str(names[j[k]]), int(counts[k])


def _warnings(found: Audit, df: Any) -> list[str]:
    from gapdag.errors import GapdagError
    from gapdag.table import read_table

    out = []
    try:
        out += list(read_table(df).warnings)
    except GapdagError as e:
        out.append(f"learn refuses this table as it is: {e}")
    gone = int(found.columns["missing"].sum())
    if gone and not found.complete_rows:
        out.append("no row is complete: a method that drops incomplete rows has nothing to go by")
    elif gone and found.complete_rows < found.rows / 2:
        out.append(
            f"only {found.complete_rows} of {found.rows} rows are complete: dropping the others "
            "throws most of the evidence away"
        )
    out += [*_thin(found), *_units(found)]
    p = found.little.p_value
    if p is not None and p < LEVEL:
        out.append(
            f"the holes are not missing completely at random (Little's test, p = {p:.2g}): what is "
            "left of the table is not a fair sample, and filling by means or dropping rows biases "
            "edges; whether the holes depend on seen values alone (mar) or on the unseen ones "
            "themselves (mnar) no test on this table can tell"
        )
    return out


def _thin(found: Audit) -> list[str]:
    """Columns and pairs with little evidence behind them."""
    from gapdag.columns import names_of

    out = []
    rate = found.columns["rate"]
    often = [str(c) for c in found.columns.index[(rate > MUCH_MISSING) & (rate < 1)]]
    if often:
        out.append(f"more than half of the cells are missing in {names_of(often)}")
    pair = found.smallest_pair
    if pair is not None and pair[2] < min(FEW_PAIRS, found.rows):
        a, b, count = pair
        few = int((found.pairs.to_numpy() < FEW_PAIRS).sum() // 2)
        more = f" ({few} pairs have fewer than {FEW_PAIRS})" if few > 1 else ""
        out.append(
            f"{a!r} and {b!r} are observed together in {count or 'no'} row{'s' * (count != 1)}"
            f"{more}: whether such a pair is joined rests on the model, not on data"
        )
    return out


def _units(found: Audit) -> list[str]:
    std = found.columns["std"]
    std = std[std > 0]
    if len(std) < 2 or std.max() < UNITS_APART * std.min():
        return []
    return [
        f"the spread of {str(std.idxmax())!r} (standard deviation {std.max():.3g}) is "
        f"{std.max() / std.min():.0f} times that of {str(std.idxmin())!r} ({std.min():.3g}): edge "
        "strengths ride on units, so give the columns comparable ones if these are arbitrary"
    ]
