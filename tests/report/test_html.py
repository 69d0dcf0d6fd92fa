"""The report page: closed to the network, safe against what a table calls its columns, small."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gapdag.report import content
from gapdag.report import html as page
from gapdag.report.html import render
from gapdag.result import CausalResult, load
from gapdag.table import read_table

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    '"><svg onload=alert(3)>',
    "",
    "   ",
    "متغير الجرعة",
    "quo\"te's \\back\\ `tick` {{ 7 * 7 }}",
    "new\nline\x00\x01",
    "\u2028\u202eevil",
    "=cmd()",
    "long " * 500,
    "]]><!-- &lt;",
]


def result(
    d: int = 6, edges: int = 8, n: int = 40, names: list[str] | None = None, undirected: int = 0
) -> CausalResult:
    """A DAG over random columns with holes, filled, and a history of its fit."""
    rng = np.random.default_rng(0)
    upper = np.argwhere(np.triu(np.ones((d, d)), 1))
    i, j = upper[rng.permutation(len(upper))[:edges]].T
    W = np.zeros((d, d))
    W[i, j] = rng.uniform(0.3, 2, len(i)) * rng.choice([-1, 1], len(i))
    A = W != 0
    A[j[:undirected], i[:undirected]] = True
    X = rng.normal(size=(n, d)).round(2)
    full = X.copy()
    X[rng.random((n, d)) < 0.2] = np.nan
    history = [{"step": 10 * k, "objective": 9.0 / (k + 1), "h": 10.0**-k} for k in range(8)]
    return CausalResult(
        names or [f"column{k}" for k in range(d)],
        W,
        A,
        "otm",
        {"steps": 100, "l1": 0.02, "random_state": 3},
        "converged",
        "What was assumed.",
        ("Look twice.",),
        {"history": history, "h": 1e-9},
        read_table(pd.DataFrame(X, columns=names or [f"column{k}" for k in range(d)])),
        np.where(np.isnan(X), full, X),
    )


class Tags(HTMLParser):
    """Every element with its attributes, and the text of the scripts and of all the rest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.text = ""
        self._in = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in = tag
        if tag in ("script", "style"):
            (self.scripts if tag == "script" else self.styles).append("")

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in == "script":
            self.scripts[-1] += data
        elif self._in == "style":
            self.styles[-1] += data
        else:
            self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]

    @property
    def data(self) -> dict[str, object]:
        at = [k for k, a in enumerate(self.all("script")) if a.get("id") == "data"]
        return dict(json.loads(self.scripts[at[0]]))

    @property
    def policy(self) -> str:
        policies = [a["content"] for a in self.all("meta") if "http-equiv" in a]
        assert len(policies) == 1
        return policies[0] or ""


def test_loads_nothing() -> None:
    tags = Tags(render(result()))
    for tag, attrs in tags.tags:
        for key in ("src", "href", "srcset", "action", "data", "poster", "formaction"):
            value = attrs.get(key) or ""
            assert value.startswith(("#", "data:")) or not value, (tag, key, value)
        assert "style" not in attrs, "the policy refuses style attributes"
        assert not [a for a in attrs if a.startswith("on")], "the policy refuses handlers"
    assert not re.search(r"url\(|@import", tags.styles[0])
    assert not {t for t, _ in tags.tags} & {"iframe", "object", "embed", "base", "form"}
    assert "sourceMappingURL" not in "".join(tags.scripts)


def test_policy_lets_in_only_what_is_on_the_page() -> None:
    tags = Tags(render(result()))
    rules = dict(rule.strip().split(" ", 1) for rule in tags.policy.split(";"))
    assert rules["default-src"] == "'none'"  # connections, frames, fonts, workers
    assert "unsafe" not in tags.policy
    assert "http" not in tags.policy
    runs = [s for s, a in zip(tags.scripts, tags.all("script"), strict=True) if "type" not in a]
    for allowed, texts in ((rules["script-src"], runs), (rules["style-src"], tags.styles)):
        sums = [base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in texts]
        assert allowed.split() == [f"'sha256-{s}'" for s in sums]


def test_column_names_are_text() -> None:
    said = result(len(HOSTILE), 20, names=HOSTILE, undirected=2)
    text = render(said)
    tags, harmless = Tags(text), Tags(render(result(len(HOSTILE), 20, undirected=2)))
    assert [t for t, _ in tags.tags] == [t for t, _ in harmless.tags]
    assert tags.data["columns"] == HOSTILE
    assert "<script>alert" not in text
    assert "onerror" not in "".join(f"{attrs}" for tag, attrs in tags.tags if tag == "img")
    assert html.escape(HOSTILE[0]) in text
    assert "(no name)" in tags.text
    assert "{{ 7 * 7 }}" in tags.text
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\u2028]", text)
    text.encode("utf-8")


def test_hostile_words_elsewhere_are_text_too() -> None:
    bad = "</script><script>alert(1)</script>"
    said = CausalResult(
        ["a", "b"],
        np.zeros((2, 2)),
        np.zeros((2, 2)),
        bad,
        {bad: bad},
        bad,
        bad,
        (bad,),
        {bad: bad},
    )
    text = render(said)
    assert "<script>alert" not in text
    assert Tags(text).policy


def test_size() -> None:
    limit = 3_000_000
    assert len(render(result(100, 200, 1000)).encode()) < limit / 2
    assert len(render(result(100, 4950, 1000)).encode()) < limit  # every edge there can be


def test_same_result_same_text() -> None:
    assert render(result()) == render(result())


def test_what_is_said() -> None:
    said = result()
    text = Tags(render(said)).text
    for words in ("otm", "Look twice.", "What was assumed.", "Convergence", "8 of 8 edges"):
        assert words in text
    assert "gd.learn(df, method='otm', steps=100, l1=0.02, random_state=3)" in text
    assert "gapdag learn DATA.csv --method otm" in text
    assert "--seed 3" in text
    assert text.index("Look twice.") < text.index("What was assumed.") < text.index("Find a column")


def test_unfinished_fit_comes_first() -> None:
    said = CausalResult(
        ["a", "b"],
        np.zeros((2, 2)),
        np.zeros((2, 2)),
        status="stopped; raise steps",
        warnings=("w",),
    )
    assert content.warnings(said) == ["The fit: stopped; raise steps", "w"]


def test_no_edge() -> None:
    tags = Tags(render(result(edges=0)))
    assert tags.data["edges"] == []
    assert "No edge was found." in tags.text
    assert not [a for _, a in tags.tags if a.get("id") in ("threshold", "edge-table")]


def test_loaded_result_says_what_it_lacks(tmp_path: Path) -> None:
    result().save(tmp_path / "graph.json")
    text = Tags(render(load(tmp_path / "graph.json"))).text
    assert text.count(content.NO_TABLE) == 2
    assert "8 of 8 edges" in text


def test_complete_table() -> None:
    said = result()
    table = read_table(pd.DataFrame(said.filled, columns=said.columns))
    text = Tags(render(CausalResult(said.columns, said.weights, said.adjacency, table=table))).text
    assert "No cell is missing" in text
    assert "does not say which method" in text


def test_undirected_edges_stand_once() -> None:
    said = result(undirected=3)
    found = content.edges(said)
    assert len(found) == 8
    assert sum(not e.directed for e in found) == 3
    assert [e.strength for e in found] == sorted((e.strength for e in found), reverse=True)
    tags = Tags(render(said))
    assert sorted(e[3] for e in tags.data["edges"]) == [0] * 3 + [1] * 5  # type: ignore[attr-defined]
    assert "3 edges have no arrowhead" in tags.text


@pytest.mark.parametrize(
    "adjacency", [[[0, 1, 0], [0, 0, 1], [1, 0, 0]], [[1, 1, 0], [0, 0, 0], [0, 0, 0]]]
)
def test_cycles_and_loops_are_shown(adjacency: list[list[int]]) -> None:
    said = CausalResult(["a", "b", "c"], np.array(adjacency) * 0.5, adjacency, "x")
    assert "form a cycle" in Tags(render(said)).text


def test_vendored_files_are_the_published_ones() -> None:
    said = (page.HERE / "vendor" / "VENDORED.md").read_text()
    for name in page.LIBRARIES:
        path = page.HERE / name
        assert f"| {path.name} |" in said
        assert hashlib.sha256(path.read_bytes()).hexdigest() in said


CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)


def dump(path: Path, profile: Path) -> tuple[str, str]:
    """The page after its scripts have run, and what the browser logged from the console."""
    off = ["gpu", "quic", "background-networking", "component-update", "sync"]
    command = [CHROMIUM, "--headless", "--no-sandbox", "--no-first-run"]
    command += [f"--disable-{feature}" for feature in off]
    command += [
        f"--user-data-dir={profile}",
        "--enable-logging=stderr",
        "--dump-dom",
        path.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, "\n".join(s for s in done.stderr.splitlines() if "CONSOLE" in s)


@pytest.mark.skipif(not CHROMIUM, reason="no chromium here; `apt-get install chromium` brings it")
def test_scripts_run_in_a_browser(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(render(result(len(HOSTILE), 20, names=HOSTILE, undirected=2)), encoding="utf-8")
    shown, logged = dump(path, tmp_path / "profile")
    assert logged == ""
    assert re.search(r"<body[^>]* data-ready=\"true\"", shown)
    assert "20 of 20 edges" in Tags(shown).text
    assert shown.count("<canvas") > 3, "Cytoscape draws on canvases of its own"

    # and the log is one in which an error would be seen
    path.write_text(path.read_text(encoding="utf-8") + "<script>1</script>", encoding="utf-8")
    assert "Content Security Policy" in dump(path, tmp_path / "profile")[1]
