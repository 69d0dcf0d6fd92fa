"""Bad input: one clear line on stderr, exit status 2, and nothing written."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fake
from gapdag.cli import main


@pytest.fixture(autouse=True)
def _fake(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with fake.registered():
        yield


def rows(n=20, d=3, header="a,b,c", cell=lambda r, c: f"{r * (c + 1) % 7}.{c}"):
    lines = [header, *(",".join(cell(r, c) for c in range(d)) for r in range(n))]
    return "\n".join(lines) + "\n"


GOOD = rows()


def with_column(values, name="x"):
    lines = GOOD.splitlines()
    return "\n".join(f"{a},{b}" for a, b in zip(lines, [name, *values], strict=True)) + "\n"


FILES = {
    "empty": ("", "'data.csv' is empty"),
    "blanks": (" \n\n", "'data.csv' is empty"),
    "header only": ("a,b,c\n", "has a header and no rows"),
    "one column": ("a\n" + "1\n2\n" * 10, "a graph needs at least 2 columns, the table has 1"),
    "few rows": (rows(9), "the table has 9 rows; at least 10 are needed"),
    "all holes": (with_column([""] * 20), "every cell is missing in column 'x'"),
    "99% holes": (
        rows(1000, cell=lambda r, c: str(r + c) if r < 6 else "NA"),
        "99.4% of the cells are missing",
    ),
    "few values": (with_column(["1", "2"] + [""] * 18), "fewer than 5 values"),
    "text": (
        with_column(["male", "female"] * 10, "sex"),
        "text in column 'sex' (line 2: 'male'); code it as numbers or leave it out "
        "(--columns a,b,c)",
    ),
    "dates": (
        with_column([f"2021-03-{r + 1:02}" for r in range(20)], "when"),
        "dates or times in column 'when' (line 2: '2021-03-01'); turn them into numbers",
    ),
    "times": (with_column([f"{r}:30" for r in range(20)]), "dates or times in column 'x'"),
    "a mark for a hole": (
        with_column(["1", "2", "3", "?"] * 5),
        "column 'x' holds text among its numbers (line 5: '?'); empty such a cell",
    ),
    "text after a long cell": (
        with_column(['"1"'] * 19 + ["none of them"]),
        "(line 21: 'none of them')",
    ),
    "decimal commas": (
        GOOD.replace(",", ";").replace(".", ","),
        "--delimiter ';'",
    ),
    "inf": (with_column(["1", "inf"] * 10), "column 'x' holds an infinite value (row 1)"),
    "beyond floats": (with_column(["1", "1e400"] * 10), "column 'x' holds an infinite value"),
    "huge": (with_column(["1", "1e200"] * 10), "values beyond 1e+100 in column 'x'"),
    "same name": (with_column(["1", "2"] * 10, "a"), "duplicated column names: column 'a'"),
    "no name": (with_column(["1.5", "2.5"] * 10, ""), "column 4 of 'data.csv' has no name"),
    "semicolons": (
        GOOD.replace(",", ";"),
        "has one column whose name holds ';': if that is what parts its columns, add "
        "--delimiter ';'",
    ),
    "tabs": (GOOD.replace(",", "\t"), "add --delimiter tab"),
    "a long row": (GOOD + "1,2,3,4\n", "line 22 has 4 cells and the header 3"),
    "a short row": (GOOD.replace("\n0.0,0.1,0.2\n", "\n0.0,0.1\n", 1), "has 2 cells"),
    "an open quote": (GOOD + '"1,2,3\n', "'data.csv' line 22 has 1 cells and the header 3"),
    "constants": (rows(header="a,b,c", cell=lambda r, c: "1"), "fewer than 2 columns that vary"),
    "latin": (GOOD.encode() + b"\xe9,2,3\n", "is not UTF-8 text (line 22)"),
    "utf-16": (GOOD.encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
    "zip": (b"PK\x03\x04junk", "is no text but a binary file"),
    "junk": (bytes(range(256)) * 4, "is no text but a binary file"),
}


def refused(capsys, *argv):
    """The one line that a refused command prints; the folder is as it was."""
    before = sorted(os.walk("."))
    capsys.readouterr()
    status = main([str(a) for a in argv])
    out, err = capsys.readouterr()
    assert status == 2, err
    assert out == ""
    assert sorted(os.walk(".")) == before
    lines = err.splitlines()
    assert len(lines) == 1, err
    assert lines[0].startswith("gapdag: ")
    assert "Traceback" not in err
    return lines[0]


def put(content, name="data.csv"):
    with open(name, "wb") as f:
        f.write(content if isinstance(content, bytes) else content.encode())
    return name


@pytest.mark.parametrize("case", sorted(FILES))
def test_a_bad_file_is_refused_by_learn_and_impute(capsys, case):
    content, said = FILES[case]
    put(content)
    assert said in refused(capsys, "learn", "data.csv", "--method", "fake", "-o", "out")
    assert said in refused(capsys, "impute", "data.csv", "--method", "mean", "-o", "out.csv")


def test_decimal_commas_and_thousands_are_named_with_the_remedy(capsys):
    put(GOOD.replace(",", ";").replace(".", ","))
    line = refused(capsys, "learn", "data.csv", "--delimiter", ";", "--method", "fake")
    assert "column 'a' has decimal commas ('0,0'); write its numbers with a point" in line
    put(with_column(['"1,234"', '"2,345,678"', "7"] * 6 + ["1", "2"]))
    line = refused(capsys, "learn", "data.csv", "--method", "fake")
    assert "column 'x' parts thousands by commas ('1,234')" in line


def test_other_files_are_refused(capsys, tmp_path):
    put(b"no gzip", "data.csv.gz")
    assert "no whole gzip" in refused(capsys, "learn", "data.csv.gz")
    put(gzip.compress(GOOD.encode())[:-9], "cut.csv.gz")
    assert "no whole gzip" in refused(capsys, "learn", "cut.csv.gz")
    put(b"no parquet", "data.parquet")
    assert "is no Parquet file" in refused(capsys, "learn", "data.parquet")
    pd.DataFrame({"a": range(20), "t": ["x"] * 20}).to_parquet("text.parquet")
    assert "text in column 't'" in refused(capsys, "learn", "text.parquet")
    assert "no file 'none.csv'" in refused(capsys, "learn", "none.csv")
    put(GOOD, "cells.csv")
    assert "did you mean: 'cells.csv'?" in refused(capsys, "audit", "cell.csv")
    os.mkdir("folder")
    assert "'folder' is a folder" in refused(capsys, "learn", "folder")
    assert "a folder" in refused(capsys, "learn", "")


KNOWN = "forbidden: [[a, b]]\n"
OPTIONS = {
    "method": (["--method", "otn"], "unknown method 'otn'; did you mean: otm"),
    "pair": (["--method", "mena+dagma-mlp"], "unknown imputer 'mena'; did you mean: me"),
    "option": (["--set", "treshold=1"], "unknown option of fake 'treshold'; did you mean: thresh"),
    "option of auto": (["--method", "auto", "--set", "step=1"], "did you mean: steps"),
    "value": (["--set", "threshold=low"], "threshold must be a number, got 'low'"),
    "value of otm": (["--method", "otm", "--set", "lr=fast"], "lr must be a number"),
    "part of otm": (["--method", "otm", "--set", "divergence=mdd"], "did you mean: mmd"),
    "preset": (["--method", "otm", "--set", "preset=papr"], "paper"),
    "no value": (["--set", "threshold"], "--set takes key=value"),
    "twice": (["--set", "seconds=0", "--set", "seconds=1"], "--set sets 'seconds' twice"),
    "seed by set": (["--set", "random_state=1"], "--set cannot set 'random_state'; use --seed"),
    "seed": (["--seed", "-1"], "--seed"),
    "seed as text": (["--seed", "one"], "--seed"),
    "columns": (["--columns", "a,bb"], "--columns: unknown column 'bb'; did you mean: b"),
    "columns twice": (["--columns", "a,a"], "--columns names column 'a' twice"),
    "one of the columns": (["--columns", "a"], "a graph needs at least 2 columns, the table has 1"),
    "no columns": (["--columns", ""], "a graph needs at least 2 columns"),
    "delimiter": (["--delimiter", "ab"], "--delimiter must be one character"),
    "wrong delimiter": (["--delimiter", ";"], "add --delimiter ','"),
    "unknown option": (["--metod", "otm"], "--method"),
    "missing value": (["--seed"], "--seed"),
    "two files": (["more.csv"], "more.csv"),
    "no knowledge": (["--knowledge", "none.yaml"], "cannot read the knowledge file 'none.yaml'"),
    "bad knowledge": (["--knowledge", "bad.yaml"], "unknown knowledge key 'forbid'"),
    "a column of it": (["--knowledge", "c9.yaml"], "knowledge: unknown column 'c9'"),
    "no truth": (["--truth", "none.csv"], "no file 'none.csv'"),
    "truth of another kind": (["--truth", "data.csv"], "needs a header with the columns source"),
    "truth of others": (["--truth", "true.csv"], "'true.csv' line 2: unknown column 'z'"),
    "out is a file": (["-o", "data.csv"], "cannot write into 'data.csv': it is a file"),
    "out is below a file": (["-o", "data.csv/out"], "cannot write 'data.csv/out'"),
    "out holds a folder": (["-o", "full"], "cannot write 'full/edges.csv': a folder has that"),
    "out cannot be": (["-o", "/proc/nowhere/out"], "cannot write '/proc/nowhere/out'"),
}


@pytest.mark.parametrize("case", sorted(OPTIONS))
def test_a_bad_option_is_refused_before_the_fit(capsys, monkeypatch, case):
    options, said = OPTIONS[case]
    put(GOOD)
    put("forbid: []", "bad.yaml")
    put("roots: [c9]", "c9.yaml")
    put("source,target\nz,a\n", "true.csv")
    os.makedirs("full/edges.csv")
    if not said.startswith("threshold"):  # that one is the method's own business
        monkeypatch.setattr(fake.Fake, "_learn", lambda *_: pytest.fail("it was fitted"))
    argv = options if "--method" in options else ["--method", "fake", *options]
    assert said in refused(capsys, "learn", "data.csv", *argv)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_refused_before_the_fit(capsys, tmp_path):
    put(GOOD)
    os.mkdir("locked", 0o555)
    assert "cannot write" in refused(capsys, "learn", "data.csv", "-o", "locked/out")


OTHERS = {
    "no command": (["lern", "data.csv"], "learn"),
    "no data": (["learn"], "DATA"),
    "no out": (["impute", "data.csv"], "--out"),
    "into itself": (["impute", "data.csv", "-o", "./data.csv"], "overwrite its own input"),
    "into another kind": (["impute", "data.csv", "-o", "o.parquet"], "writes .csv or .tsv"),
    "into a folder": (["impute", "data.csv", "-o", "dir.csv"], "'dir.csv': it is a folder"),
    "into no folder": (["impute", "data.csv", "-o", "no/o.csv"], "cannot write 'no/o.csv'"),
    "no imputer": (["impute", "data.csv", "-o", "o.csv", "--method", "meen"], "did you mean: mean"),
    "its option": (
        ["impute", "data.csv", "-o", "o.csv", "--method", "missforest", "--set", "n_trees=3"],
        "unknown option of missforest 'n_trees'",
    ),
    "no mechanism": (["simulate", "-o", "toy", "--mechanism", "mpl"], "did you mean: mlp"),
    "no graph": (["simulate", "-o", "toy", "--graph", "ERR"], "ER"),
    "no missingness": (["simulate", "-o", "toy", "--missingness", "mcarr"], "did you mean: mcar"),
    "a rate": (["simulate", "-o", "toy", "--rate", "1.5"], "rate"),
    "nodes": (["simulate", "-o", "toy", "--nodes", "-3"], "-3"),
    "edges": (["simulate", "-o", "toy", "--nodes", "3", "--edges", "9"], "9"),
    "where to": (["simulate", "-o", "data.csv"], "'data.csv': it is a file"),
}


@pytest.mark.parametrize("case", sorted(OTHERS))
def test_other_commands_refuse_too(capsys, case):
    argv, said = OTHERS[case]
    put(GOOD)
    os.mkdir("dir.csv")
    assert said in refused(capsys, *argv)


@pytest.mark.parametrize("case", ["empty", "one column", "semicolons", "junk", "a long row"])
def test_audit_refuses_what_is_no_table(capsys, case):
    content, said = FILES[case]
    put(content)
    if case == "one column":  # it can be audited; that learn would refuse it is said
        assert main(["audit", "data.csv"]) == 0
        assert "learn refuses this table" in capsys.readouterr().out
    else:
        assert said in refused(capsys, "audit", "data.csv")


def test_binary_integer_and_constant_columns_are_accepted(capsys):
    put(with_column(["0", "1"] * 10, "sick").replace("a,b,c", "a,b,const", 1))
    text = pd.read_csv("data.csv").assign(const=3, count=lambda f: np.arange(len(f)) % 5)
    text.to_csv("data.csv", index=False)
    assert main(["learn", "data.csv", "--method", "fake"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "warning: constant columns take no part in learning: column 'const'" in out
    assert list(pd.read_csv("data/imputed.csv").columns) == ["a", "b", "const", "sick", "count"]


def test_rows_with_every_cell_missing_are_kept_with_a_warning(capsys):
    put(GOOD + ",,\nNA,NA,NA\n")
    assert main(["learn", "data.csv", "--method", "fake"]) == 0
    assert "2 rows have every cell missing" in capsys.readouterr().out
    filled = pd.read_csv("data/imputed.csv")
    assert len(filled) == 22
    assert not filled.isna().any(axis=None)


def test_blank_lines_are_no_rows(capsys):
    put(GOOD.replace("\n", "\n\n") + "  \n")
    assert main(["learn", "data.csv", "--method", "fake"]) == 0
    assert len(pd.read_csv("data/imputed.csv")) == 20


def test_a_refusal_through_a_real_process(tmp_path):
    put(GOOD.replace(",", ";"))
    done = subprocess.run(
        [sys.executable, "-m", "gapdag", "learn", "data.csv"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.csv"]


# whatever the bytes are, the answer is a result or one line

csv_like = st.lists(
    st.sampled_from([b"a", b"b", b"1", b"2.5", b",", b";", b"\t", b'"', b"\n", b"\r\n", b"\r", b" ",
                     b"NA", b"inf", b"-", b"\xc3\xa9", b"\xff", b"\x00", b"\xef\xbb\xbf", b"1e5"]),
    max_size=60,
).map(b"".join)  # fmt: skip
good_rows = b"".join(b"%d,%d,%d\n" % (r % 5, r % 3, r % 7) for r in range(12))


@given(st.binary(max_size=80) | csv_like, st.booleans(), st.booleans())
@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_bytes_give_a_result_or_one_line(capsys, tmp_path, junk, header, tail):
    put((b"a,b,c\n" if header else b"") + junk + (good_rows if tail else b""))
    capsys.readouterr()
    for command in (
        ["audit", "data.csv"],
        ["impute", "data.csv", "--method", "mean", "-o", "o.csv"],
    ):
        status = main(command)
        err = capsys.readouterr().err
        assert status in (0, 2), err
        said = [line for line in err.splitlines() if not line.endswith("% starting")]
        assert len(said) == (status == 2)
        if status == 2:
            assert err.splitlines() == said
    (tmp_path / "o.csv").unlink(missing_ok=True)


@given(st.lists(st.text(max_size=8), max_size=5))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_arguments_give_a_result_or_one_line(capsys, argv):
    status = main(argv)
    err = capsys.readouterr().err
    assert status in (0, 2), err
    assert len(err.splitlines()) == (status == 2)
