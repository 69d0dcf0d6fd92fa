"""The shape of the code: which way imports point, how long things are, what tools say of it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gapdag import registry
from gapdag.learn import load_all

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "gapdag"
FILES = sorted(f for f in SOURCE.rglob("*.py") if "vendor" not in f.parts)
MAX_FILE, MAX_FUNCTION = 300, 60


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
    )


def tool(name: str, *arguments: str) -> None:
    done = run(str(Path(sys.executable).parent / name), *arguments)
    assert done.returncode == 0, f"{name} {' '.join(arguments)}\n{done.stdout}{done.stderr}"


def test_imports_point_one_way():
    tool("lint-imports")


def test_ruff():
    tool("ruff", "check", ".")


def test_ruff_format():
    tool("ruff", "format", "--check", ".")


def test_mypy():
    tool("mypy")


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(SOURCE)))
def test_a_file_is_short_and_a_function_fits_a_screen(file):
    text = file.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_FILE, f"{file.name} is over {MAX_FILE} lines"
    long = {
        node.name: node.end_lineno - node.lineno + 1
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno - node.lineno + 1 > _allowance(node)
    }
    assert not long, f"{file.name}: {long} lines; a function fits a screen ({MAX_FUNCTION})"


def _allowance(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """A docstring may be long, and so may an __init__ that only keeps its many parameters."""
    body = function.body
    keeps = all(isinstance(s, ast.Assign) and isinstance(s.value, ast.Name) for s in body)
    said = ast.get_docstring(function, clean=False) or ""
    return MAX_FUNCTION + said.count("\n") + (200 if function.name == "__init__" and keeps else 0)


def test_every_package_is_one():
    """A folder without __init__.py is found when developing but not installed."""
    folders = {f.parent for f in FILES}
    assert [str(d.relative_to(ROOT)) for d in folders if not (d / "__init__.py").exists()] == []


def entries() -> list[registry.Entry]:
    load_all()
    ours = [e for e in registry.entries() if e.object.__module__.startswith("gapdag.")]
    return sorted(ours, key=lambda e: (e.kind, e.name))


@pytest.mark.parametrize("entry", entries(), ids=lambda e: f"{e.kind}:{e.name}")
def test_every_name_has_an_example_a_summary_and_a_reference(entry):
    assert ">>>" in (entry.object.__doc__ or "")
    assert entry.summary.endswith(".")
    assert entry.reference


def test_names_are_written_with_hyphens():
    assert [e.name for e in entries() if e.name != e.name.lower() or "_" in e.name] == []


def test_importing_what_has_a_name_is_quiet_and_loads_no_engine():
    """torch and scikit-learn's regressions come in with the first fit that needs them."""
    code = (
        "import sys; from gapdag.learn import load_all; load_all();"
        "print(*[m for m in ('sklearn.ensemble', 'sklearn.linear_model') if m in sys.modules])"
    )
    done = run(sys.executable, "-W", "error", "-c", code)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


def test_importing_the_methods_loads_no_torch():
    homes = ("imputers", "learners", "methods")
    modules = [f for f in FILES if f.parent.name in homes and f.stem != "__init__"]
    names = ", ".join(f"gapdag.{f.parent.name}.{f.stem}" for f in modules)
    done = run(sys.executable, "-c", f"import sys, {names}; sys.exit('torch' in sys.modules)")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
