"""`gapdag audit`, `impute`, `simulate` and `methods`."""

from __future__ import annotations

import json
import shutil
import textwrap
from pathlib import Path
from typing import Any

import pandas as pd

from gapdag.cli import show
from gapdag.cli.filled import filled_text
from gapdag.cli.options import progress
from gapdag.cli.reading import read_data
from gapdag.cli.signals import SIGNALS
from gapdag.errors import GapdagError
from gapdag.files import check_file, check_folder, write_folder, write_text


def audit(data: Path, columns: str | None, delimiter: str | None, as_json: bool) -> None:
    """Print what is missing in the table, how, and what that endangers."""
    from dataclasses import replace

    from gapdag.audit import audit as audited

    source = read_data(data, delimiter, columns, numbers=False)
    found = audited(source.frame)
    found = replace(found, warnings=(*source.warnings, *found.warnings))
    if as_json:
        show.print_json(found.to_dict())
    else:
        print(found)


def impute(
    data: Path,
    out: Path,
    method: str,
    options: dict[str, Any],
    seed: int,
    columns: str | None,
    delimiter: str | None,
) -> None:
    """Write the table with its holes filled, by an imputer's name or by a method's."""
    if out.suffix.lower() not in (".csv", ".tsv"):
        raise GapdagError(f"impute writes .csv or .tsv, got -o {str(out)!r}")
    source = read_data(data, delimiter, columns)
    if out.exists() and data.samefile(out):
        raise GapdagError("impute would overwrite its own input; name another file with -o")
    fill = _filler(method, options, seed)
    check_file(out)
    with progress() as callback:
        filled, warnings = fill(source.frame, callback)
    text = filled_text(source, filled, "\t" if out.suffix.lower() == ".tsv" else ",")
    with SIGNALS.held():
        write_text(out, text)
    for warning in (*source.warnings, *warnings):
        show.print_paragraph(f"warning: {show.clean(warning)}")
    holes = int(source.frame.isna().to_numpy().sum())
    print(f"{holes} holes filled by {method}: {show.clean(out)}")


def _filler(method: str, options: dict[str, Any], seed: int) -> Any:
    """What fills a table and what it warns of; the name and the options have been checked."""
    from gapdag import registry
    from gapdag.learn import load_all, make, make_imputer
    from gapdag.table import read_table

    load_all()
    imputers = [e.name for e in registry.entries("imputer")]
    if method in imputers:
        imputer = make_imputer(method, seed, **options)

        def by_imputer(frame: pd.DataFrame, callback: Any) -> Any:
            table = read_table(frame)
            return imputer.fit_transform(table, progress=callback), table.warnings

        return by_imputer
    if "+" not in method:
        methods = [e.name for e in registry.entries("method", "learner")]
        if method not in methods:
            raise GapdagError(registry.unknown("method", method, imputers + methods))
    estimator = make(method, None, seed, **options)

    def by_method(frame: pd.DataFrame, callback: Any) -> Any:
        result = estimator.fit(frame, progress=callback).result_
        return result.impute(), result.warnings

    return by_method


def simulate(out: Path, arguments: dict[str, Any]) -> None:
    """Write a problem whose answer is known."""
    from gapdag.simulate import problem

    names = ("data.csv", "complete.csv", "edges.csv", "problem.json")
    check_folder(out, names)
    p = problem(**arguments)
    about = {
        "schema": "gapdag/problem",
        "version": 1,
        "about": p.about,
        "columns": p.columns,
        "edges": p.edges,
    }
    edges = pd.DataFrame(p.edges, columns=["source", "target"])
    tables = (p.frame, pd.DataFrame(p.X_true, columns=p.columns), edges)
    texts = [t.to_csv(index=False, lineterminator="\n") for t in tables]
    texts.append(json.dumps(about, indent=2, allow_nan=False) + "\n")
    with SIGNALS.held():
        write_folder(out, dict(zip(names, texts, strict=True)))
    print(
        f"{len(p.X)} rows, {len(p.columns)} columns, {p.missing.mean():.1%} of the cells missing, "
        f"{len(p.edges)} edges: {show.clean(out)}"
    )


def methods(as_json: bool) -> None:
    """Print everything that can be named."""
    from gapdag.learn import methods as known

    table = known()
    if as_json:
        show.print_json(table.to_dict("records"))
        return
    width = min(shutil.get_terminal_size((80, 24)).columns, 100)
    wide = max(len(name) for name in table["name"])
    for kind, group in table.groupby("kind", sort=False):
        print(f"{kind}:")
        for name, reference, summary in zip(
            group["name"], group["reference"], group["summary"], strict=True
        ):
            lines = textwrap.wrap(f"{summary} [{reference}]", width - wide - 4)
            print(f"  {name:<{wide}}  {lines[0]}")
            for line in lines[1:]:
                print(" " * (wide + 4) + line)
        print()
    print("A pair imputer+learner is a method too, as in missforest+dagma-mlp.")
