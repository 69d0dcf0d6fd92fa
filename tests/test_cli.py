"""The command line: what it writes and prints, and that a reader finds whole files or none."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fake
import gapdag as gd
from gapdag.cli import main
from gapdag.cli.learning import FILES

TRICKY = ["dose", 'say "hi"', "a,b", "naïve 日本", "<script>alert(1)</script>"]


@pytest.fixture(autouse=True)
def _fake(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with fake.registered():
        yield


def holed(n=40, d=4, seed=0, columns=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).cumsum(axis=1)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[np.isnan(X).all(axis=1), 0] = 0.5
    return pd.DataFrame(X, columns=columns or [f"c{j}" for j in range(d)])


def write(frame, name="cells.csv"):
    frame.to_csv(name, index=False)
    return name


def run(capsys, *argv):
    """(status, stdout, stderr) of one command."""
    capsys.readouterr()
    status = main([str(a) for a in argv])
    out, err = capsys.readouterr()
    return status, out, err


def cells(path, delimiter=","):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.reader(f, delimiter=delimiter))


# learn


def test_learn_writes_every_file_and_prints_the_answer(capsys, tmp_path):
    frame = holed()
    status, out, err = run(
        capsys, "learn", write(frame), "-o", "out", "--method", "fake", "--set", "warn=true"
    )
    assert status == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cells.csv", "out"]
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == sorted(FILES)
    result = gd.load("out/graph.json")
    edges = pd.read_csv("out/edges.csv")
    pd.testing.assert_frame_equal(edges, result.edges, check_dtype=False)
    lines = out.splitlines()
    assert lines[0] == f"fake: {len(edges)} edges among 4 columns"
    assert lines[1].split() == ["source", "target", "weight"]
    assert "It assumes nothing, being a fake." in lines
    assert f"warning: {fake.WARNING}" in lines
    assert lines[-1] == "report: out/report.html"
    assert fake.WARNING in result.warnings
    assert len(err.splitlines()) <= 6
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "c0" in page
    assert fake.WARNING in page


def test_run_json_says_how_to_do_it_again(capsys, tmp_path):
    name = write(holed())
    argv = ["learn", name, "-o", "o ut", "--method", "fake", "--seed", "3", "--set", "threshold=.2"]
    assert run(capsys, *argv)[0] == 0
    said = json.loads((tmp_path / "o ut" / "run.json").read_text())
    assert said["command"] == (
        "gapdag learn cells.csv -o 'o ut' --method fake --seed 3 --set threshold=.2"
    )
    assert said["seed"] == 3
    assert said["options"] == {"threshold": 0.2}
    assert said["settings"] == {"threshold": 0.2, "random_state": 3, "knowledge": None}
    assert said["data"]["sha256"] == hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
    assert said["data"]["rows"] == 40
    assert said["data"]["missing"] == holed().isna().to_numpy().sum()
    assert {"gapdag", "python", "numpy", "scipy", "torch", "pandas"} <= set(said["versions"])
    assert said["timings_s"]["fit"] >= 0
    assert said["warnings"] == []


def test_the_same_seed_writes_the_same_bytes(capsys, tmp_path):
    name = write(holed())
    for out in ("a", "b"):
        assert run(capsys, "learn", name, "-o", out, "--method", "fake")[0] == 0
    for file in ("graph.json", "edges.csv", "imputed.csv"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_json_is_all_there_is_on_stdout(capsys):
    name = write(holed().assign(k=1.0))
    status, out, _ = run(capsys, "learn", name, "--method", "fake", "--json")
    assert status == 0
    said = json.loads(out)
    assert set(said["edges"][0]) == {"source", "target", "weight"}
    assert said["method"] == "fake"
    assert said["is_dag"] is True
    assert any("'k'" in w for w in said["warnings"])
    assert said["out"] == "cells"  # the folder is named after the file
    assert os.path.exists("cells/graph.json")


@pytest.mark.parametrize("name", ["cells.csv", "cells.tsv", "cells.csv.gz", "cells.parquet"])
def test_every_kind_of_file_is_read_alike(capsys, name):
    frame = holed()
    if name.endswith(".parquet"):
        frame.to_parquet(name)
    else:
        text = frame.to_csv(index=False, sep="\t" if name.endswith(".tsv") else ",").encode()
        with open(name, "wb") as f:
            f.write(gzip.compress(text) if name.endswith(".gz") else text)
    status, out, _ = run(capsys, "learn", name, "--method", "fake", "--json")
    assert status == 0
    pd.testing.assert_frame_equal(
        pd.DataFrame(json.loads(out)["edges"]),
        gd.learn(frame, method="fake").edges,
        check_dtype=False,
    )
    filled = pd.read_csv("cells/imputed.csv")
    seen = frame.notna()
    assert (filled.where(seen, 0.0) == frame.where(seen, 0.0)).all(axis=None)
    assert not filled.isna().any(axis=None)


def test_a_saved_index_is_left_out_with_a_warning(capsys):
    frame = holed()
    for start in (0, 1):
        frame.index = range(start, start + len(frame))
        frame.to_csv("cells.csv")
        status, out, _ = run(capsys, "learn", "cells.csv", "--method", "fake", "--json")
        assert status == 0
        assert json.loads(out)["columns"] == list(frame.columns)
        assert any("first column has no name" in w for w in json.loads(out)["warnings"])
        assert cells("cells/imputed.csv")[0] == list(frame.columns)


def test_a_byte_order_mark_and_a_delimiter_are_understood(capsys):
    holed().to_csv("cells.csv", index=False, sep=";", encoding="utf-8-sig")
    status, out, _ = run(
        capsys, "learn", "cells.csv", "--delimiter", ";", "--method", "fake", "--json"
    )
    assert status == 0
    assert json.loads(out)["columns"] == ["c0", "c1", "c2", "c3"]


def test_columns_are_chosen_by_name(capsys):
    frame = holed(columns=["a,b", "c1", "c2", "c3"]).assign(sex="m")
    argv = ["learn", write(frame), "--method", "fake", "--columns", '"a,b", c2,c3', "--json"]
    status, out, _ = run(capsys, *argv)
    assert status == 0
    assert json.loads(out)["columns"] == ["a,b", "c2", "c3"]
    assert cells("cells/imputed.csv")[0] == ["a,b", "c2", "c3"]


def test_names_of_any_letters_go_through_everything(capsys, tmp_path):
    frame = holed(d=5, columns=TRICKY)
    status, out, _ = run(capsys, "learn", write(frame), "--method", "fake", "-o", "out")
    assert status == 0
    assert gd.load("out/graph.json").columns == TRICKY
    assert cells("out/imputed.csv")[0] == TRICKY
    assert {r[0] for r in cells("out/edges.csv")[1:]} <= set(TRICKY)
    assert "naïve 日本" in out
    assert "<script>alert(1)" not in (tmp_path / "out/report.html").read_text(encoding="utf-8")


def test_control_characters_never_reach_the_terminal(capsys):
    frame = holed(columns=["a\x1b[31m", "b\nc", "c2", "c3"])
    status, out, _ = run(capsys, "learn", write(frame), "--method", "fake", "-o", "out")
    assert status == 0
    assert "\x1b" not in out
    assert r"b\nc" in out


def test_knowledge_is_read_and_obeyed(capsys):
    with open("known.yaml", "w") as f:
        f.write("forbidden: [[c0, c1]]\n")
    name = write(holed())
    argv = ["learn", name, "--method", "fake", "--knowledge", "known.yaml", "--json"]
    status, out, _ = run(capsys, *argv)
    assert status == 0
    pairs = {(e["source"], e["target"]) for e in json.loads(out)["edges"]}
    assert ("c0", "c1") not in pairs
    assert ("c1", "c2") in pairs


def test_truth_is_compared_with(capsys):
    name = write(holed())
    with open("true.csv", "w") as f:
        f.write("source,target\nc0,c1\nc2,c1\nc1,c3\n")
    argv = ["learn", name, "--method", "fake", "--truth", "true.csv"]
    status, out, _ = run(capsys, *argv)
    assert status == 0
    n = len(pd.read_csv("cells/edges.csv"))
    assert f"true edges found: 2 of 3; reversed: 1; extra: {n - 3}" in out
    said = json.loads(run(capsys, *argv, "--json")[1])["truth"]
    assert said == {"edges": 3, "found": 2, "reversed": 1, "extra": n - 3}


def test_what_was_in_the_folder_is_replaced_or_left_alone(capsys, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "edges.csv").write_text("old")
    (out / "notes.txt").write_text("mine")
    assert run(capsys, "learn", write(holed()), "-o", "out", "--method", "fake")[0] == 0
    assert (out / "notes.txt").read_text() == "mine"
    assert (out / "edges.csv").read_text().startswith("source,target,weight\n")
    assert sorted(p.name for p in out.iterdir()) == sorted([*FILES, "notes.txt"])


def test_a_folder_is_made_with_those_above_it(capsys):
    assert run(capsys, "learn", write(holed()), "-o", "a/b/c", "--method", "fake")[0] == 0
    assert sorted(os.listdir("a/b/c")) == sorted(FILES)
    assert os.stat("a/b/c").st_mode & 0o777 == 0o777 & ~_umask()


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("method", ["auto", "otm", "mean+dagma-mlp"])
def test_real_methods_work_by_name(capsys, method):
    argv = ["learn", write(holed()), "--method", method, "--set", "steps=40", "--json"]
    status, out, _ = run(capsys, *argv)
    assert status == 0
    assert json.loads(out)["is_dag"]


# the filled table


NUMBERS = st.sampled_from(
    ["1", "-0.0", "+3", "1e5", "1E-300", "007", "0.1000", ".5", "5.", "123456789.123456789", "1e22"]
)


@given(
    st.lists(
        st.lists(NUMBERS | st.floats(-1e9, 1e9).map(repr), min_size=12, max_size=12),
        min_size=2,
        max_size=3,
    ),
    st.integers(0, 2**14 - 1),
    st.sampled_from(["", "NA", "NaN", "null", "nan"]),
)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_observed_cells_are_printed_as_they_were(tmp_path, columns, holes, mark):
    for j, column in enumerate(columns):
        column[:2] = [str(j), str(j + 1)]  # it varies
    texts = list(zip(*columns, strict=True))
    rows = [
        [
            mark if r >= 5 and (j + r) % 3 == 0 and holes >> (r + j) & 1 else cell
            for j, cell in enumerate(row)
        ]
        for r, row in enumerate(texts)
    ]
    path, filled = tmp_path / "data.csv", tmp_path / "filled.csv"
    with open(path, "w", newline="") as f:
        csv.writer(f).writerows([[f"c{j}" for j in range(len(columns))], *rows])
    assert main(["impute", str(path), "-o", str(filled), "--method", "mean"]) == 0
    after = cells(filled)
    assert after[0] == [f"c{j}" for j in range(len(columns))]
    assert len(after) == len(rows) + 1
    for was, now in zip(rows, after[1:], strict=True):
        for before, cell in zip(was, now, strict=True):
            assert cell == before if before != mark else np.isfinite(float(cell))


def test_holes_are_filled_in_the_manner_of_the_column(capsys):
    with open("cells.csv", "w") as f:
        f.write("yes,whole,real,truth\n")
        f.writelines(
            f"{r % 2},{r % 5 * 10},{r / 7},{('TRUE', 'FALSE')[r % 2]}\n" for r in range(20)
        )
        f.write(",,,\n0,,0.5,\n")
    assert run(capsys, "impute", "cells.csv", "-o", "filled.csv", "--method", "mean")[0] == 0
    yes, whole, real, truth = cells("filled.csv")[-2]
    assert yes in "01"
    assert whole == "20"
    assert repr(float(real)) == real
    assert truth in ("TRUE", "FALSE")


@pytest.mark.parametrize("method", ["mean", "missforest", "fake", "mean+dagma-mlp"])
def test_impute_takes_imputers_methods_and_pairs(capsys, method):
    frame = holed()
    argv = ["impute", write(frame), "-o", "filled.csv", "--method", method]
    if "dagma" in method:
        argv += ["--set", "steps=40"]
    status, out, _ = run(capsys, *argv)
    assert status == 0
    assert f"{frame.isna().to_numpy().sum()} holes filled by {method}: filled.csv" in out
    filled = pd.read_csv("filled.csv")
    assert not filled.isna().any(axis=None)
    assert (filled.where(frame.notna(), 0.0) == frame.where(frame.notna(), 0.0)).all(axis=None)
    assert sorted(os.listdir()) == ["cells.csv", "filled.csv"]


def test_impute_writes_tabs_into_a_tsv(capsys):
    argv = ["impute", write(holed()), "-o", "filled.tsv", "--method", "mean"]
    assert run(capsys, *argv)[0] == 0
    assert cells("filled.tsv", "\t")[0] == ["c0", "c1", "c2", "c3"]


# audit, simulate, methods


def test_audit_prints_text_and_json(capsys):
    frame = holed().assign(sex="m")
    name = write(frame)
    status, out, err = run(capsys, "audit", name)
    assert (status, err) == (0, "")
    assert "40 rows, 5 columns" in out
    assert "learn refuses this table as it is: text in column 'sex'" in " ".join(out.split())
    status, out, _ = run(capsys, "audit", name, "--json", "--columns", "c0,c1,c2,c3")
    said = json.loads(out)
    assert {"statistic", "df", "p_value"} <= set(said["little"])
    assert said["columns"]["c1"]["missing"] == frame["c1"].isna().sum()
    assert said["complete_rows"] == frame.notna().all(axis=1).sum()
    assert isinstance(said["warnings"], list)


def test_simulate_writes_a_problem_that_can_be_learned_from(capsys, tmp_path):
    argv = ["simulate", "-o", "toy", "--nodes", 5, "--edges", 6, "--rows", 80, "--seed", 4]
    argv += ["--mechanism", "linear", "--missingness", "mcar", "--rate", 0.2, "--noise", "uniform"]
    assert run(capsys, *argv)[0] == 0
    assert sorted(os.listdir("toy")) == ["complete.csv", "data.csv", "edges.csv", "problem.json"]
    p = gd.simulate.problem(
        d=5, edges=6, n=80, mechanism="linear", noise="uniform", rate=0.2, seed=4
    )
    pd.testing.assert_frame_equal(pd.read_csv("toy/data.csv"), p.frame, check_exact=True)
    np.testing.assert_array_equal(pd.read_csv("toy/complete.csv").to_numpy(), p.X_true)
    truth = pd.read_csv("toy/edges.csv")
    assert list(zip(truth["source"], truth["target"], strict=True)) == p.edges
    about = json.loads((tmp_path / "toy" / "problem.json").read_text())
    assert about["about"]["seed"] == 4
    assert about["columns"] == p.columns
    argv = ["learn", "toy/data.csv", "--method", "fake", "--truth", "toy/edges.csv"]
    status, out, _ = run(capsys, *argv)
    assert status == 0
    assert "true edges found:" in out


def test_methods_are_listed_as_text_and_json(capsys):
    status, out, _ = run(capsys, "methods")
    assert status == 0
    assert "missforest" in out
    assert max(len(line) for line in out.splitlines()) <= 80
    said = json.loads(run(capsys, "methods", "--json")[1])
    assert set(said[0]) == {"name", "kind", "reference", "summary"}
    assert {"otm", "missforest"} <= {m["name"] for m in said}


# help and version


@pytest.mark.parametrize("command", [[], ["learn"], ["audit"], ["impute"], ["simulate"]])
def test_help_is_plain_and_has_examples(capsys, command):
    status, out, err = run(capsys, *command, "--help")
    assert (status, err) == (0, "")
    assert "Examples:" in out
    assert out.isascii()  # no drawn box
    assert max(len(line) for line in out.splitlines()) <= 80


def test_no_arguments_show_the_help(capsys):
    assert run(capsys)[:2] == run(capsys, "--help")[:2]


def test_version(capsys):
    assert run(capsys, "--version")[:2] == (0, f"gapdag {gd.__version__}\n")


# being stopped, watched and piped: real processes

SLOW = """
import sys
import fake
from gapdag.cli import main
with fake.registered():
    sys.exit(main(sys.argv[1:]))
"""


def started(*argv, **how):
    here = os.path.dirname(os.path.abspath(__file__))
    return subprocess.Popen(
        [sys.executable, "-c", SLOW, *argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": here},
        **how,
    )


def until(process, said):
    """Read stderr until it says this."""
    lines = []
    while not lines or said not in lines[-1]:
        lines.append(process.stderr.readline())
        assert lines[-1], "".join(lines)
    return lines


@pytest.mark.parametrize(
    ("number", "status", "word"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
@pytest.mark.parametrize("there", [False, True])
def test_stopped_in_mid_fit_nothing_is_left_behind(tmp_path, number, status, word, there):
    write(holed())
    if there:
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "edges.csv").write_text("old")
    before = sorted(p.name for p in tmp_path.rglob("*"))
    process = started("learn", "cells.csv", "-o", "out", "--method", "fake", "--set", "seconds=60")
    until(process, "starting")
    time.sleep(0.3)
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert process.returncode == status
    assert out == ""
    assert err == f"gapdag: {word}\n"
    assert sorted(p.name for p in tmp_path.rglob("*")) == before


def test_stopped_while_importing_it_says_so_and_nothing_else(tmp_path):
    write(holed())
    process = subprocess.Popen(
        [sys.executable, "-c", IMPORTING + RUN_LEARN],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until(process, "importing")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, "", "gapdag: interrupted\n")


IMPORTING = """
import importlib.abc, sys, time
class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "sklearn":
            print("importing", file=sys.stderr, flush=True)
            time.sleep(60)
sys.meta_path.insert(0, Slow())
"""
RUN_LEARN = "from gapdag.cli import main; sys.exit(main(['learn', 'cells.csv']))"


def test_a_bar_is_shown_on_a_terminal(tmp_path):
    write(holed())
    master, slave = pty.openpty()  # of no size, as some give themselves out
    argv = ["learn", "cells.csv", "--method", "fake", "--set", "seconds=1"]
    here = os.path.dirname(os.path.abspath(__file__))
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, *argv],
        stdout=subprocess.PIPE,
        stderr=slave,
        env={**os.environ, "PYTHONPATH": here},
    )
    os.close(slave)
    out = process.communicate(timeout=60)[0]
    shown = os.read(master, 100_000).decode()
    os.close(master)
    assert process.returncode == 0
    assert b"fake: " in out
    assert "100% |" in shown
    assert "pass" in shown


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path):
    process = started("methods")
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_an_output_that_cannot_be_written_is_one_line():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gapdag", "--version"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "gapdag: cannot write to stdout: No space left on device\n"


def test_a_bug_is_one_line_and_a_traceback_only_when_asked(capsys, monkeypatch):
    def broken(*_):
        raise RuntimeError("no such luck")

    monkeypatch.setattr(fake.Fake, "_learn", broken)
    argv = ["learn", write(holed()), "--method", "fake"]
    status, out, err = run(capsys, *argv)
    assert (status, out) == (1, "")
    assert err.splitlines()[-1].startswith("gapdag: this is a bug of gapdag (RuntimeError: no such")
    assert "Traceback" not in err
    monkeypatch.setenv("GAPDAG_DEBUG", "1")
    assert "Traceback" in run(capsys, *argv)[2]
    assert os.listdir() == ["cells.csv"]


def test_a_full_disk_leaves_nothing(capsys, monkeypatch):
    import gapdag.files

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(gapdag.files.os, "rename", full)
    status, _, err = run(capsys, "learn", write(holed()), "--method", "fake", "-o", "out")
    assert status == 2
    assert err.splitlines()[-1] == "gapdag: cannot write 'out': No space left on device"
    assert os.listdir() == ["cells.csv"]


def test_handlers_of_signals_are_put_back(capsys):
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    run(capsys, "audit", "none.csv")
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_a_signal_waits_for_the_files(monkeypatch):
    from gapdag.cli.signals import SIGNALS, Stopped

    done = []

    def write_files():
        with SIGNALS.held():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
            done.append("written")

    with SIGNALS.caught(), pytest.raises(Stopped):
        write_files()
    assert done == ["written"]


def test_a_terminal_that_lacks_letters_gets_escapes(monkeypatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    name = write(holed(columns=["naïve", "c1", "c2", "c3"]))
    assert main(["learn", name, "--method", "fake"]) == 0
    out.flush()
    assert rb"na\xefve" in out.buffer.getvalue()
