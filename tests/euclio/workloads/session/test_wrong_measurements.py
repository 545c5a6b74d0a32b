"""Kinds of wrong measurements, each with the first line that comes out, which docs/howto/doubts.md lists."""

import json
import re
from pathlib import Path

import pytest
from places import ROOT

import euclio
from euclio.cli import main
from euclio.core.errors import InputError

HEAD = "module,hardware,batch,duration_s"
RIGHT = {1: "0.0052", 2: "0.0096", 4: "0.0184", 8: "0.0366", 16: "0.0732", 32: "0.146"}
A10G = "detect on A10G, batch"


def rows(wrong=(), right=RIGHT):
    """A profile of one module, right but for some durations by batch size."""
    lines = [f"detect,A10G,{batch},{seconds}" for batch, seconds in (right | dict(wrong)).items()]
    return "\n".join([HEAD, *lines]) + "\n"


def table(more, *cells):
    return "\n".join([HEAD + more, *(f"detect,A10G,{one}" for one in cells)]) + "\n"


DOUBTED = [
    (
        "a larger batch that takes almost nothing",
        rows({32: "0.0001"}),
        f"line 7: {A10G} 32, concurrency 1: takes 0.0001 s, and batch 16 (line 6) 0.0732 s; "
        "the line through its neighbours says 0.146 s",
    ),
    (
        "a decimal point slipped to the right",
        rows({8: "0.366"}),
        f"line 5: {A10G} 8, concurrency 1: takes 0.366 s, and batch 16 (line 6) 0.0732 s; "
        "the line through its neighbours says 0.0367 s",
    ),
    (
        "a decimal point slipped to the left",
        rows({8: "0.00366"}),
        f"line 5: {A10G} 8, concurrency 1: takes 0.00366 s, and batch 4 (line 4) 0.0184 s; "
        "the line through its neighbours says 0.0367 s",
    ),
    (
        "one row in milliseconds",
        rows({4: "18.4"}),
        f"line 4: {A10G} 4, concurrency 1: takes 18.4 s, and batch 8 (line 5) 0.0366 s; "
        "the line through its neighbours says 0.0186 s",
    ),
    (
        "one row for an input, not for a batch",
        rows({16: "0.0046"}),
        f"line 6: {A10G} 16, concurrency 1: takes 0.0046 s, and batch 8 (line 5) 0.0366 s; "
        "the line through its neighbours says 0.0731 s",
    ),
    (
        "two rows swapped",
        rows({4: "0.0732", 16: "0.0184"}),
        f"line 4: {A10G} 4, concurrency 1: takes 0.0732 s, and batch 8 (line 5) 0.0366 s; "
        "the line through its neighbours says 0.0186 s",
    ),
    (
        "the largest batch ten times too long",
        rows({32: "1.46"}),
        f"line 7: {A10G} 32, concurrency 1: takes 1.46 s; the line through its neighbours says 0.146 s",
    ),
    (
        "the first batch with loading the model",
        rows({1: "1.9"}),
        f"line 2: {A10G} 1, concurrency 1: takes 1.9 s, and batch 2 (line 3) 0.0096 s; "
        "the line through its neighbours says 0.0052 s",
    ),
    (
        "other work on the machine during one batch size",
        rows({4: "0.045"}),
        f"line 4: {A10G} 4, concurrency 1: takes 0.045 s, and batch 2 (line 3) 0.0096 s and batch 32 (line 7) 0.146 s: "
        "throughput falls by over half and rises again; the line through its neighbours says 0.0186 s",
    ),
    (
        "a faster machine from some batch size on",
        rows({16: "0.012", 32: "0.023"}),
        f"line 4: {A10G} 4, concurrency 1: takes 0.0184 s, and batch 16 (line 6) 0.012 s; "
        "the line through its neighbours says 0.00994 s",
    ),
    (
        "two at a time, each faster than one alone",
        HEAD.replace("batch", "batch,concurrency") + "\ndetect,A10G,8,1,0.0366\ndetect,A10G,8,2,0.0183\n",
        f"line 3: {A10G} 8, concurrency 2: takes 0.0183 s, and concurrency 1 (line 2) 0.0366 s; "
        "its neighbour, concurrency 1, says 0.0366 s to 0.0732 s",
    ),
    (
        "four at a time, fifty times slower",
        HEAD.replace("batch", "batch,concurrency")
        + "\ndetect,A10G,8,1,0.0366\ndetect,A10G,8,2,0.06\ndetect,A10G,8,4,1.9\n",
        f"line 4: {A10G} 8, concurrency 4: takes 1.9 s; the line through its neighbours says 0.107 s",
    ),
    (
        "two rows that are far apart, and no others",
        rows({16: "0.0732", 32: "3"}, {}),
        f"line 3: {A10G} 32, concurrency 1: takes 3 s; its neighbour, batch 16, says 0.0732 s to 0.146 s",
    ),
    (
        "repetitions of two different things",
        rows() + "detect,A10G,4,0.061\n",
        f"lines 4, 8: {A10G} 4, concurrency 1: repetitions differ by more than 2 times (line 4 0.0184 s and "
        "line 8 0.061 s); their median is 0.0397 s",
    ),
    (
        "one quantile in another unit",
        table(",p95_s", "4,0.0184,0.021", "8,0.0366,42", "16,0.0732,0.08"),
        f"line 3: {A10G} 8, concurrency 1: p95 takes 42 s, and batch 16 (line 4) 0.08 s; "
        "the line through its neighbours says 0.0407 s",
    ),
    (
        "p95 below the duration",
        table(",p95_s", "8,0.0366,0.0312"),
        f"line 2: {A10G} 8, concurrency 1: takes 0.0366 s, and its p95 is 0.0312 s, which is less",
    ),
    (
        "all durations in milliseconds, and no column says so",
        rows({1: "5.2", 2: "9.6"}, {}),
        "the SLO is 0.4 s, and plans take at least about 5.21 s; SLO and durations have to be in seconds, both of them",
    ),
]
"""The mistake, the file and the warning, which `--strict` turns into an error."""

REFUSED = [
    (
        "all durations in milliseconds, as the column says",
        rows().replace("duration_s", "duration_ms"),
        "line 1, duration_ms: is not known in this unit; write `duration_s`, in seconds",
    ),
    (
        "p99 below p95",
        table(",p95_s,p99_s", "8,0.0366,0.042,0.0402"),
        "line 2, p99_s: is 0.0402, less than p95 with 0.042; a higher quantile is no less",
    ),
    (
        "a quantile without its unit",
        table(",p95", "8,0.0366,0.042"),
        "line 1, p95: is a quantile without its unit; write `p95_s`, in seconds",
    ),
    (
        "a quantile in milliseconds",
        table(",p50_ms", "8,0.0366,42"),
        "line 1, p50_ms: is not known in this unit; write `p50_s`, in seconds",
    ),
    (
        "repetitions with quantiles",
        table(",p95_s", "8,0.0366,0.042", "8,0.0366,0.041"),
        "line 3: repeats line 2 (detect on A10G with batch 8 and concurrency 1), with quantiles; "
        "keep one of them, or leave out quantiles",
    ),
    (
        "a duration of 0",
        rows({8: "0"}),
        "line 5, duration_s: is '0'; it must be a decimal number greater than 0, such as 0.025",
    ),
    (
        "a duration with its unit",
        rows({8: "37 ms"}),
        "line 5, duration_s: is '37 ms'; it must be a decimal number greater than 0, such as 0.025",
    ),
    (
        "half an input",
        rows().replace(",8,", ",8.5,"),
        "line 5, batch: is '8.5'; it must be a whole number, at least 1",
    ),
    (
        "decimal commas between commas",
        rows({8: "0,0366"}),
        "line 5: has 5 cells for 4 columns; give one for each of module, hardware, batch, duration_s; "
        "where numbers have decimal commas, write points, or divide columns by semicolons",
    ),
    (
        "decimal commas in some rows, points in others",
        rows({16: "0,0732"}).replace(",", ";").replace("0;0732", "0,0732"),
        "line 6, duration_s: is '0,0732', and line 2 has '0.0052'; "
        "write all numbers with a decimal point and no other sign",
    ),
]
"""The mistake, the file and the error."""

KINDS = DOUBTED + REFUSED


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def imported(text, *options):
    Path("m.csv").write_text(text, encoding="utf-8")
    given = ["--prices", "A10G=1.006", "--rates", "200", "--slo", "0.4", "--out", "s.json", *options]
    return main(["import", "csv", "m.csv", *given])


def warnings(capsys):
    return [line for line in capsys.readouterr().err.splitlines() if "measured several times" not in line]


@pytest.mark.fifth("text")
@pytest.mark.parametrize(("text", "said"), [kind[1:] for kind in DOUBTED], ids=[kind[0] for kind in DOUBTED])
def test_what_is_doubted_is_said_in_a_line(folder, capsys, text, said):
    """One wrong row can halve a cost unnoticed."""
    assert imported(text) == 0
    assert warnings(capsys)[0] == f"euclio: warning: m.csv: {said}"


@pytest.mark.fifth("text")
@pytest.mark.parametrize(("text", "said"), [kind[1:] for kind in DOUBTED], ids=[kind[0] for kind in DOUBTED])
def test_strict_refuses_what_is_doubted(folder, capsys, text, said):
    """Pipelines read no warnings."""
    assert imported(text, "--strict") == 2
    (line,) = warnings(capsys)
    assert line.startswith(f"euclio: m.csv: {said}")
    assert line.endswith("; measure it again, or correct it, or leave out --strict")
    assert not (folder / "s.json").exists()


@pytest.mark.parametrize(("text", "said"), [kind[1:] for kind in REFUSED], ids=[kind[0] for kind in REFUSED])
def test_what_cannot_be_a_measurement_is_refused(folder, capsys, text, said):
    """Certain mistakes are errors, not warnings."""
    assert imported(text) == 2
    assert warnings(capsys) == [f"euclio: m.csv: {said}"]


def test_right_measurements_are_not_doubted(folder, capsys):
    """Users ignore a warning that always appears."""
    assert imported(rows(), "--strict") == 0
    assert capsys.readouterr().err == ""


def test_the_page_lists_them_all():
    """The page's table quotes the program word by word."""
    page = (ROOT / "docs/howto/doubts.md").read_text(encoding="utf-8")
    listed = [tuple(cells) for cells in re.findall(r"^\| ([^|]+) \| `m\.csv: ([^|]+)` \|$", page, re.MULTILINE)]
    assert listed == [(what, said.replace("`", "")) for what, _, said in KINDS]
    assert len(KINDS) >= 25


def session_file(folder):
    """A session whose file has a wrong row."""
    assert imported(rows({32: "0.0001"})) == 0
    return folder / "s.json"


@pytest.mark.parametrize(
    "words",
    [
        ("solve", "FILE", "--solver", "harpagon"),
        ("explain", "FILE"),
        ("compare", "FILE", "--solvers", "harpagon"),
        ("what-if", "FILE", "--rate", "100", "--solver", "harpagon"),
        ("plan-day", "FILE", "--load", "load.csv"),
        ("decompose", "FILE", "--solvers", "harpagon"),
    ],
    ids=lambda words: words[0],
)
def test_strict_refuses_a_session_file_in_every_verb(folder, capsys, words):
    """Sessions are edited by hand as well as imported."""
    (folder / "load.csv").write_text("time_s,factor\n0,1\n3600,1\n", encoding="utf-8")
    file = str(session_file(folder))
    capsys.readouterr()
    assert main([file if word == "FILE" else word for word in words] + ["--strict"]) == 2
    said = capsys.readouterr().err
    place = "modules[0].profile[5]"
    assert said.startswith(f"euclio: {file}: {place}: {A10G} 32, concurrency 1: takes 0.0001 s, and batch 16 ")


def test_python_warns_and_is_strict_alike(folder, capsys):
    """Notebooks have the same measurements."""
    file = session_file(folder)
    capsys.readouterr()
    euclio.load(file)
    assert "warning" in capsys.readouterr().err
    for call in (lambda: euclio.load(file, strict=True), lambda: euclio.solve(file, "harpagon", strict=True)):
        with pytest.raises(InputError, match=r"profile\[5\].*leave out strict"):
            call()


def test_a_day_names_the_field_of_its_session(folder, capsys):
    """A load over time carries a session, and its measurements."""
    day = {
        "schema": "euclio/day/1",
        "name": "d",
        "session": {k: v for k, v in json.loads(session_file(folder).read_text()).items() if k != "schema"},
        "steps": [{"length_s": 3600, "rates_rps": [200]}],
    }
    (folder / "day.json").write_text(json.dumps(day), encoding="utf-8")
    capsys.readouterr()
    euclio.load("day.json")
    assert "day.json: session.modules[0].profile[5]" in capsys.readouterr().err


def test_a_profile_that_is_added_to_is_doubted_as_a_whole(folder, capsys):
    """A new batch size may be wrong only next to those that are there already."""
    script = "import sys\nfor line in sys.stdin:\n    print('took', 0.00001 * int(line), flush=True)\n"
    (folder / "work.py").write_text(script, encoding="utf-8")
    (folder / "p.csv").write_text(rows(), encoding="utf-8")
    given = ["--model", "detect", "--hardware", "A10G", "--batch", "64", "--repeats", "3", "--warm-up", "1"]
    command = ["profile", *given, "--out", "p.csv", "--append"]
    work = ["--", "python3", "work.py"]
    assert main([*command, "--strict", *work]) == 2
    assert "p.csv: batch 64, concurrency 1: detect on A10G, batch 64" in capsys.readouterr().err
    assert (folder / "p.csv").read_text(encoding="utf-8") == rows()
    assert main([*command, *work]) == 0
    assert "warning" in capsys.readouterr().err


def test_many_doubted_rows_are_summed_up(folder, capsys):
    """A broken file must not fill the screen."""
    wrong = rows() + "".join(f"m{k},A10G,1,0.05\nm{k},A10G,2,0.001\n" for k in range(9))
    assert imported(wrong) == 0
    said = warnings(capsys)
    assert len(said) == 6
    assert said[-1] == "euclio: warning: m.csv: 4 more rows like these"


EXCEL = {
    "semicolons and decimal commas": rows().replace(",", ";").replace(".", ",").encode(),
    "capitals": rows().replace(HEAD, "Module,Hardware,Batch,Duration_S").encode(),
    "a byte order mark": rows().encode("utf-8-sig"),
    "UTF-16 with tabs": rows().replace(",", "\t").encode("utf-16"),
    "UTF-16 with tabs and decimal commas": rows().replace(",", "\t").replace(".", ",").encode("utf-16"),
    "a line that says the separator": b"sep=;\r\n" + rows().replace(",", ";").replace("\n", "\r\n").encode(),
}


@pytest.mark.parametrize("data", EXCEL.values(), ids=EXCEL)
def test_what_spreadsheets_write_is_read(folder, data):
    """The numbers do not depend on the spreadsheet's language."""
    given = {"prices": {"A10G": 1}, "rates": 200, "slo": 0.4}
    (folder / "m.csv").write_bytes(rows().encode())
    expected = euclio.import_csv("m.csv", **given)
    (folder / "m.csv").write_bytes(data)
    assert euclio.import_csv("m.csv", **given) == expected


@pytest.mark.parametrize(
    "data", [rows().encode("utf-16-le"), rows().replace("A10G", "Gr\u00f6\u00dfe").encode("latin-1")]
)
def test_what_is_no_unicode_gets_the_remedy(folder, capsys, data):
    """A spreadsheet has several kinds of CSV, and says little about them."""
    (folder / "m.csv").write_bytes(data)
    with pytest.raises(InputError, match="in a spreadsheet, save it as CSV UTF-8"):
        euclio.import_csv("m.csv", prices={"A10G": 1}, rates=200, slo=0.4)
