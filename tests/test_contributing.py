"""The three diffs of CONTRIBUTING.md, applied to a copy of the package and put under contract."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DIFFS = re.findall(r"```diff\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.S)

CHECK = """
import numpy as np, gapdag
from gapdag.graph import is_dag
from gapdag.learn import make, make_imputer, methods
from gapdag.simulate import problem
names = set(methods().name)
assert {{"last-seen", "inverse", "chain"}} & names == {{{name!r}}}, names
p = problem(d=4, edges=4, n=200, rate=0.2, seed=1)
if {name!r} == "last-seen":
    assert not np.isnan(make_imputer("last-seen").fit_transform(p.X)).any()
elif {name!r} == "chain":
    assert len(make("mean+chain").fit(p.X).result_.edges) == 3
else:
    assert make("otm", acyclicity="inverse", steps=300).fit(p.X).result_.is_dag
    from gapdag.core.acyclicity import inverse
    A = np.random.default_rng(0).uniform(0.01, 0.1, (4, 4))
    step = np.zeros((4, 4)); step[1, 2] = 1e-6
    slope = inverse(A, return_grad=True)[1][1, 2]
    assert abs(slope - (inverse(A + step) - inverse(A - step)) / 2e-6) < 1e-6
"""


@pytest.mark.parametrize(("k", "name"), list(enumerate(["last-seen", "inverse", "chain"])))
def test_each_addition_works_as_it_is_printed(k, name, tmp_path):
    copy = tmp_path / "src"
    subprocess.run(["cp", "-r", str(ROOT / "src"), str(copy)], check=True)
    apply(DIFFS[k], tmp_path)
    environment = {"PYTHONPATH": str(copy), "OMP_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"}
    out = subprocess.run(
        [sys.executable, "-c", CHECK.format(name=name)], env=environment, capture_output=True,
        text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert out.returncode == 0, out.stderr
    ruff = subprocess.run(
        [str(Path(sys.executable).parent / "ruff"), "check", "--config",
         str(ROOT / "pyproject.toml"), str(copy)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ruff.returncode == 0, ruff.stdout


def apply(diff, root):
    """Append the added lines to the file named, which is new or grows at its end or in place."""
    path = root / re.search(r"^\+\+\+ b/(\S+)", diff, flags=re.M)[1]
    hunk = re.search(r"^@@ -(\d+)(?:,\d+)? \+\S+ @@", diff, flags=re.M)
    added = [line[1:] for line in diff.splitlines() if re.match(r"\+(?!\+\+ )", line)]
    at = int(hunk[1])
    lines = path.read_text().splitlines() if path.exists() else []
    if lines:
        # in front of the helper at the end, where the diff's line number points to
        at = next(i for i, line in enumerate(lines) if line.startswith("def _square"))
        added = [*added, "", ""]
    lines[at:at] = added
    path.write_text("\n".join(lines) + "\n")
