"""The commands and their options, and how a line of arguments becomes a call."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gapdag.errors import GapdagError

app = typer.Typer(
    name="gapdag",
    add_completion=False,
    rich_markup_mode=None,  # no boxes, in help and errors alike
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)

Data = Annotated[Path, typer.Argument(metavar="DATA", help="A .csv, .tsv, .csv.gz or .parquet.")]
Columns = Annotated[
    str | None, typer.Option(metavar="a,b,...", help="Use these columns and no others.")
]
Delimiter = Annotated[
    str | None,
    typer.Option(metavar="CHAR", help="What parts the columns of DATA: ';' or tab, say."),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="key=value", help="An option of the method; may be repeated."),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="The same seed, the same answer.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]


def run(argv: list[str]) -> int:
    """Call what the arguments ask for; every mistake in them is a GapdagError."""
    try:
        command = typer.main.get_command(app)
        status = command.main(args=argv, prog_name="gapdag", standalone_mode=False, obj=argv)
    except Exception as e:
        if not isinstance(e, _usage_errors()):
            raise
        raise GapdagError(_usage(e)) from None
    return status if isinstance(status, int) else 0


def _usage_errors() -> tuple[type, ...]:
    # typer has its own copy of click in some versions: found by name above what it does export
    return tuple(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


def _usage(e: Any) -> str:
    said = " ".join(e.format_message().split()).rstrip(".")
    where = getattr(getattr(e, "ctx", None), "command_path", "gapdag")
    return f"{said[:1].lower()}{said[1:]}; see {where} --help"


@app.callback(invoke_without_command=True)
def _gapdag(
    ctx: typer.Context,
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.")
    ] = False,
) -> None:
    """Causal graphs from tables with holes.

    \b
    Examples:
      gapdag audit cells.csv            what is missing, and what that endangers
      gapdag learn cells.csv -o cells   graph, filled table and report into cells/
      gapdag methods                    everything that --method takes

    Exit status: 0 done; 2 the input or an option is wrong; 130 interrupted.
    """
    if show_version:
        from importlib.metadata import version

        print(f"gapdag {version('gapdag')}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())


@app.command("learn")
def _learn(
    ctx: typer.Context,
    data: Data,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", metavar="OUT", help="The folder to write; default: DATA's name."
        ),
    ] = None,
    method: Annotated[
        str, typer.Option(metavar="NAME", help="A name that gapdag methods shows, or a pair.")
    ] = "auto",
    settings: Set = None,
    knowledge: Annotated[
        Path | None,
        typer.Option(metavar="FILE.yaml", help="forbidden, required, tiers, roots, sinks."),
    ] = None,
    seed: Seed = 0,
    columns: Columns = None,
    delimiter: Delimiter = None,
    truth: Annotated[
        Path | None,
        typer.Option(metavar="EDGES.csv", help="True edges (source,target) to compare with."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Learn the causal graph behind a table with holes.

    Writes graph.json, edges.csv, imputed.csv, report.html and run.json into OUT: all of them, or
    none. An empty cell, NA, NaN and null are holes. With --columns, imputed.csv holds the columns
    that were learned from.

    \b
    Examples:
      gapdag learn cells.csv
      gapdag learn cells.csv -o out --method missforest+dagma-mlp --seed 1
      gapdag learn cells.csv --columns dose,age,effect --set steps=2000
      gapdag learn cells.csv --knowledge known.yaml --json > answer.json
    """
    from gapdag.cli import learning, options

    learning.learn(
        learning.Request(
            data=data,
            out=out or _folder_named_after(data),
            method=method,
            options=options.settings(settings or []),
            knowledge=knowledge,
            seed=seed,
            columns=columns,
            delimiter=delimiter,
            truth=truth,
            as_json=as_json,
            argv=tuple(ctx.obj or ()),
        )
    )


def _folder_named_after(data: Path) -> Path:
    name = data.name
    for suffix in (".gz", ".csv", ".tsv", ".parquet", ".txt"):
        name = name[: -len(suffix)] if name.lower().endswith(suffix) else name
    return Path(name or "gapdag-out")


@app.command("audit")
def _audit(
    data: Data, columns: Columns = None, delimiter: Delimiter = None, as_json: Json = False
) -> None:
    """What is missing in a table, how, and what that endangers.

    \b
    Examples:
      gapdag audit cells.csv
      gapdag audit cells.csv --json | jq .little.p_value
    """
    from gapdag.cli import others

    others.audit(data, columns, delimiter, as_json)


@app.command("impute")
def _impute(
    data: Data,
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="FILLED.csv", help="The file to write.")
    ],
    method: Annotated[
        str, typer.Option(metavar="NAME", help="An imputer, a method or a pair.")
    ] = "auto",
    settings: Set = None,
    seed: Seed = 0,
    columns: Columns = None,
    delimiter: Delimiter = None,
) -> None:
    """Fill the holes of a table.

    Observed cells are written as they were.

    \b
    Examples:
      gapdag impute cells.csv -o filled.csv
      gapdag impute cells.csv -o filled.csv --method missforest --seed 1
    """
    from gapdag.cli import options, others

    others.impute(data, out, method, options.settings(settings or []), seed, columns, delimiter)


@app.command("simulate")
def _simulate(
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="The folder to write.")],
    graph: Annotated[str, typer.Option(metavar="NAME", help="ER or SF.")] = "ER",
    nodes: Annotated[int, typer.Option(metavar="N", help="Columns of the table.")] = 50,
    edges: Annotated[int, typer.Option(metavar="N", help="Edges to expect.")] = 100,
    rows: Annotated[int, typer.Option(metavar="N", help="Rows of the table.")] = 1000,
    mechanism: Annotated[
        str, typer.Option(metavar="NAME", help="linear, mlp, mim, gp or gp-add.")
    ] = "mlp",
    noise: Annotated[
        str,
        typer.Option(metavar="NAME", help="gaussian, exponential, laplace, gumbel or uniform."),
    ] = "gaussian",
    missingness: Annotated[
        str,
        typer.Option(metavar="NAME", help="mcar, mar, mnar-logistic, mnar-quantile or mnar-self."),
    ] = "mcar",
    rate: Annotated[float, typer.Option(metavar="P", help="The share of cells missing.")] = 0.3,
    seed: Seed = 0,
) -> None:
    """Make a table with holes whose causal graph is known.

    Writes data.csv (with holes), complete.csv, edges.csv and problem.json into DIR.

    \b
    Examples:
      gapdag simulate -o toy --nodes 10 --edges 20 --rows 500
      gapdag learn toy/data.csv --truth toy/edges.csv
    """
    from gapdag.cli import others

    others.simulate(
        out,
        {
            "graph": graph,
            "d": nodes,
            "edges": edges,
            "n": rows,
            "mechanism": mechanism,
            "noise": noise,
            "missingness": missingness,
            "rate": rate,
            "seed": seed,
        },
    )


@app.command("methods")
def _methods(as_json: Json = False) -> None:
    """List everything that can be named.

    With its reference and one line about it.

    \b
    Examples:
      gapdag methods
      gapdag methods --json
    """
    from gapdag.cli import others

    others.methods(as_json)
