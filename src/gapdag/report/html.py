"""The report: one HTML page with everything inlined, so that it opens offline and tells nobody."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from gapdag.report import charts, content, reproduce
from gapdag.result import CausalResult

HERE = Path(__file__).parent
LIBRARIES = ("vendor/cytoscape.min.js", "vendor/cytoscape-dagre.min.js")
PAGE_SCRIPTS = ("page.js", "tables.js", "holes.js", "graph.js", "hands.js")
LICENCES = ("cytoscape", "cytoscape-dagre", "dagre")
PANELS_SHOWN = 12


def render(result: CausalResult) -> str:
    """One self-contained page; the same result gives the same text."""
    css = _read("page.css")
    # the theme is chosen before anything is painted, so that a dark page does not flash white
    head = [_script("theme.js")]
    # an element each: should one fail, the others still run
    body = [_script(name) for name in (*LIBRARIES, *PAGE_SCRIPTS)]
    page = _environment().get_template("template.html")
    text = page.render(
        csp=_csp(css, [*head, *body]),
        css=Markup(css),
        head_scripts=[Markup(s) for s in head],
        body_scripts=[Markup(s) for s in body],
        licences=[_read(f"vendor/{name}.LICENSE.txt").strip() for name in LICENCES],
        made_by=_made_by(),
        **_said(result),
    )
    # half a surrogate pair, which a badly decoded CSV header can hold, is no text
    return text.encode("utf-8", "replace").decode("utf-8")


def _said(result: CausalResult) -> dict[str, Any]:
    """Everything the template shows."""
    table, found, plain = result.table, content.edges(result), result.to_dict()
    filled = content.imputed(result)
    checks = []
    if table is not None and filled is not None:
        checks = charts.panels(result.columns, table.values, filled)
    names = [content.label(c) for c in result.columns]
    return {
        "result": result,
        "names": names,
        "edges": found,
        "undirected": sum(not e.directed for e in found),
        "alone": len(names) - len({i for e in found for i in (e.source, e.target)}),
        "strongest": max((e.strength for e in found), default=0.0),
        "negative": any(e.weight < 0 for e in found),
        "warnings": content.warnings(result),
        "table": table,
        "holes": content.column_holes(table) if table else [],
        "share": float(table.missing.mean()) if table else None,
        "complete_rows": int((~table.missing.any(axis=1)).sum()) if table else None,
        "no_table": content.NO_TABLE,
        "panels": checks[:PANELS_SHOWN],
        "more_panels": checks[PANELS_SHOWN:],
        "lines": charts.lines(result.diagnostics.get("history")),
        "settings": content.rows(plain["settings"]),
        "diagnostics": content.rows(plain["diagnostics"], skip=("history",)),
        "python_code": reproduce.python_code(result) if result.method else "",
        "shell_code": reproduce.shell_code(result) if result.method else "",
        "data": _embedded(_payload(result, names, found)),
    }


def _payload(result: CausalResult, names: list[str], found: list[content.Edge]) -> dict[str, Any]:
    """What the scripts work on. A further measure of an edge (confidence) gets a place here."""
    picture = None
    if result.table is not None and result.table.missing.any():
        picture = content.holes_picture(result.table)
    return {
        "columns": result.columns,
        "labels": names,
        "edges": [[e.source, e.target, e.weight, int(e.directed)] for e in found],
        "holes": picture,
    }


def _embedded(payload: dict[str, Any]) -> Markup:
    """JSON that cannot end its script element, whatever the column names are."""
    text = json.dumps(payload, allow_nan=False, separators=(",", ":"))  # ASCII: no U+2028 either
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)


def _csp(css: str, scripts: list[str]) -> str:
    """Only what stands on this page runs, and nothing may be fetched from anywhere."""
    allowed = " ".join(_hash(s) for s in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(css)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _script(name: str) -> str:
    """A script as it may stand in HTML: no control signs, no source map to be looked for."""
    text = re.sub(r"^//# sourceMappingURL=.*$", "", _read(name), flags=re.MULTILINE)
    return re.sub(r"[\x00-\x08\x0b-\x1f]", lambda m: f"\\x{ord(m[0]):02x}", text)


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = content.number
    environment.filters["percent"] = content.percent
    environment.filters["count"] = content.count
    return environment


def _made_by() -> str:
    try:
        return f"gapdag {version('gapdag')}"
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "gapdag"
