"""The front door: every public name, whatever is imported first, quickly and without torch."""

from __future__ import annotations

import subprocess
import sys

import pytest

import gapdag as gd

NAMES = [
    *("learn", "audit", "methods", "load", "OTM", "ImputeThenLearn", "Auto", "Knowledge"),
    *("CausalResult", "Problem", "GapdagError", "GapdagWarning"),
    *("simulate", "metrics", "graph", "core"),
]


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_is_there(name):
    assert getattr(gd, name) is not None
    assert name in dir(gd)
    assert name in gd.__all__


def test_names_that_modules_have_too_are_functions():
    for f in (gd.learn, gd.audit, gd.methods):
        assert callable(f)
        assert f.__doc__


@pytest.mark.parametrize(
    "first",
    [
        "import gapdag.audit",
        "import gapdag.learn",
        "import gapdag.methods",
        "from gapdag.learn import methods",
        "from gapdag.audit import Audit",
        "import gapdag.methods.otm; import gapdag; gapdag.OTM, gapdag.Auto",
    ],
)
def test_no_import_shadows_a_function(first):
    code = (
        f"{first}\nimport gapdag as gd\nfrom gapdag import learn, audit, methods\n"
        "import types\n"
        "print([isinstance(f, types.FunctionType) for f in "
        "(gd.learn, gd.audit, gd.methods, learn, audit, methods)])"
    )
    assert python(code) == str([True] * 6)


def test_import_is_quick_and_light():
    code = (
        "import sys, time; t = time.perf_counter(); import gapdag; t = time.perf_counter() - t\n"
        "print(t < 1.5, [m for m in ('torch', 'sklearn', 'pandas', 'scipy') if m in sys.modules])"
    )
    assert python(code) == "True []"


def test_naming_every_method_needs_no_torch():
    code = "import sys, gapdag; gapdag.methods(); print('torch' in sys.modules)"
    assert python(code) == "False"


def test_auditing_a_table_needs_neither_torch_nor_sklearn():
    code = (
        "import sys, gapdag; gapdag.audit([[1, 2.5], [2, None], [None, 0.5]])\n"
        "print([m for m in ('torch', 'sklearn') if m in sys.modules])"
    )
    assert python(code) == "[]"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'lern'"):
        _ = gd.lern


def test_terms_are_reachable_from_the_package():
    code = "import gapdag; print(gapdag.core.acyclicity.logdet.__name__, gapdag.__version__ != '')"
    assert python(code) == "logdet True"


def test_the_error_is_a_value_error_and_the_warning_a_user_warning():
    assert issubclass(gd.GapdagError, ValueError)
    assert issubclass(gd.GapdagWarning, UserWarning)
