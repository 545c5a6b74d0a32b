"""Sessions from one's own profiles in CSV: what is read, and the one line that names what is wrong."""

from fractions import Fraction

import pytest

from euclio.cli import main
from euclio.core.errors import InputError
from euclio.problems.session import Configuration, Hardware
from euclio.problems.session.files.instances import load_session
from euclio.workloads.session.csv_profiles import profiles_text, read_profiles, session_from_csv

GOOD = """module,hardware,batch,concurrency,duration_s
detect,A,1,1,0.010
detect,A,4,2,0.050

classify,B,2,1,0.1
"""
HELP = "; see `euclio import csv --help`\n"
PRICES = {"B": "0.5", "A": 2}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(GOOD, encoding="utf-8")
    return path


def session(file, **changes):
    return session_from_csv(file, **{"prices_per_h": PRICES, "rates_rps": 30, "slo_s": "0.4", **changes})


def problem(file, text=None, **changes):
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        session(file, **changes)
    return str(caught.value).replace(str(file), "FILE")


def test_profiles_are_read_exactly(file):
    found = read_profiles(file)
    assert found == {
        "detect": (Configuration("A", 1, 1, "0.01"), Configuration("A", 4, 2, "0.05")),
        "classify": (Configuration("B", 2, 1, "0.1"),),
    }
    assert found["detect"][1].throughput_rps == Fraction(160)


def test_concurrency_is_1_where_there_is_no_column(file):
    file.write_text("duration_s , batch, module, hardware\n0.2, 4, m, A\n", encoding="utf-8")
    assert read_profiles(file) == {"m": (Configuration("A", 4, 1, "0.2"),)}


def test_memory_may_be_said(file):
    text = "module,hardware,batch,duration_s,memory_mb\nm,A,4,0.2,1500.5\nm,A,8,0.3,\n"
    file.write_text(text, encoding="utf-8")
    found = read_profiles(file)
    assert [c.memory_mb for c in found["m"]] == [Fraction("1500.5"), None]
    assert profiles_text(found).splitlines()[1:] == ["m,A,4,1,0.2,1500.5", "m,A,8,1,0.3,"]
    prices = {"A": 2}
    found = session(file, prices_per_h=prices, memory_mb={"A": 24000})
    assert found.hardware == (Hardware("A", 2, memory_mb=24000),)
    assert (
        problem(file, prices_per_h=prices, memory_mb={"B": 1}) == "memory_mb: hardware 'B' has no row in FILE; it has A"
    )
    assert problem(file, text.replace("1500.5", "much")) == (
        "FILE: line 2, memory_mb: is 'much'; it must be a decimal number greater than 0, such as 0.025"
    )


def test_hardware_comes_in_the_order_of_its_prices(file):
    assert session(file).hardware == (Hardware("B", "0.5"), Hardware("A", 2))


def test_a_price_of_hardware_that_the_file_lacks_is_refused(file):
    """It is a name that was mistyped, or rows that are missing, and silence would hide both."""
    file.write_text(GOOD.replace(",A,", ",A100,"), encoding="utf-8")
    expected = "prices_per_h: hardware 'H100' has no row in FILE; did you mean A100?"
    assert problem(file, prices_per_h={"H100": 5, "B": 1}) == expected
    expected = "prices_per_h: hardware 'TPU' has no row in FILE; it has A100, B"
    assert problem(file, prices_per_h={"A100": 5, "B": 1, "TPU": 3}) == expected


def test_without_edges_the_modules_are_a_chain(file):
    assert session(file).edges == (("detect", "classify"),)


def test_modules_may_stand_side_by_side(file):
    assert session(file, edges=()).edges == ()


def test_rates_may_differ_by_module(file):
    rates = {"classify": 90, "detect": "30.5"}
    assert [m.rate_rps for m in session(file, rates_rps=rates).modules] == [Fraction("30.5"), 90]


def test_the_file_gives_the_name(file):
    assert session(file).name == "mine"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "FILE: has no rows below its header; give at least one configuration"),
        ("module,hardware,batch,duration_s\n", "FILE: has no rows below its header; give at least one configuration"),
        (
            "module|hardware|batch|duration_s\n",
            "FILE: line 1: has one column; divide columns by commas: module,hardware,batch,concurrency,duration_s",
        ),
        (
            "detect,A,1,0.1\n",
            "FILE: line 1: names no column that is known; begin the file with "
            "module,hardware,batch,concurrency,duration_s, or p50_s for the last; or --columns says which is which, as "
            "in batch=Batch Size; it has detect, a, 1, 0.1",
        ),
        (
            "module,hardware,batch,duration_ms\n",
            "FILE: line 1, duration_ms: is not known in this unit; write `duration_s`, in seconds",
        ),
        ("module,hardware,duration_s\n", "FILE: line 1, batch: is missing; add it"),
        (
            "module,hardware,batch,duration_s,batch\n",
            "FILE: line 1: names column 'batch' twice; keep one of them",
        ),
        (
            "module,hardware,batch,duration_s,concurency\n",
            "FILE: line 1, concurency: is an unknown field; did you mean `concurrency`?",
        ),
        (
            GOOD + "classify,B,4,1\n",
            "FILE: line 6: has 4 cells for 5 columns; give one for each of "
            "module, hardware, batch, concurrency, duration_s",
        ),
        (GOOD + "classify,B,4.5,1,1\n", "FILE: line 6, batch: is '4.5'; it must be a whole number, at least 1"),
        (GOOD + "classify,B,0,1,1\n", "FILE: line 6, batch: is 0; it must be a whole number from 1 to 1000000"),
        (
            GOOD + "classify,B,4,1,fast\n",
            "FILE: line 6, duration_s: is 'fast'; it must be a decimal number greater than 0, such as 0.025",
        ),
        (
            GOOD + "classify,B,4,1,1e999999999\n",
            "FILE: line 6, duration_s: is '1e999999999'; it must be a decimal number greater than 0, such as 0.025",
        ),
        (
            GOOD + ",B,4,1,1\n",
            "FILE: line 6, module: is the text ''; it must be a name of 1 to 200 printable characters",
        ),
        (
            GOOD + 'cl"ass"ify",B,"4"4,1,1\n',
            "FILE: line 6: is not CSV (',' expected after '\"'); correct the quotes there",
        ),
    ],
)
def test_a_bad_file_gets_one_line(file, text, expected):
    assert problem(file, text) == expected


def test_a_file_that_is_no_text_is_refused(file):
    file.write_bytes(b"\xff\xfe\x00")
    remedy = "in a spreadsheet, save it as CSV UTF-8"
    assert problem(file) == f"FILE: cannot be read: is not UTF-8 text ({remedy}); name a CSV file of profiles"


def test_a_module_without_a_rate_is_named(file):
    assert problem(file, rates_rps={"detect": 1}) == "rates_rps: lacks module 'classify', which FILE has; add it"


def test_a_rate_without_a_module_is_named(file):
    expected = "rates_rps: module 'clasify' has no row in FILE; did you mean classify?"
    assert problem(file, rates_rps={"detect": 1, "clasify": 1}) == expected


def test_hardware_without_a_price_is_named(file):
    assert problem(file, prices_per_h={"A": 1}) == "prices_per_h: lacks hardware 'B', which FILE has; add it"


def test_a_rate_out_of_range_names_its_module(file):
    expected = "rates_rps['classify'].rate_rps: is 0; it must be greater than 0"
    assert problem(file, rates_rps={"detect": 1, "classify": 0}) == expected


def imported(file, *options):
    out = file.with_suffix(".json")
    return main(["import", "csv", str(file), "--prices", "A=2.5,B=0.5", "--slo", "0.4", "--out", str(out), *options])


def test_the_command_writes_the_same_session(file, capsys):
    assert imported(file, "--rates", "detect=30,classify=60.1", "--edges", "detect:classify") == 0
    out = file.with_suffix(".json")
    assert capsys.readouterr().out.strip() == str(out)
    rates = {"detect": 30, "classify": "60.1"}
    assert load_session(out) == session(file, prices_per_h={"A": "2.5", "B": "0.5"}, rates_rps=rates)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--rates", "detect=1"), "euclio: --rates: lacks module 'classify', which FILE has; add it\n"),
        (("--rates", "many"), "euclio: argument --rates: 'many' must be a number greater than 0" + HELP),
        (
            ("--rates", "1", "--edges", "a>b"),
            "euclio: argument --edges: 'a>b' must be PARENT:CHILD; pairs are divided by commas" + HELP,
        ),
        (("--rates", "1", "--memory", "C=1"), "euclio: --memory: hardware 'C' has no row in FILE; it has A, B\n"),
        (("--rates", "1", "--edges", "detect:x"), "euclio: --edges: unknown module 'x'; known: detect, classify\n"),
    ],
)
def test_the_command_names_the_option(file, capsys, options, expected):
    assert imported(file, *options) == 2
    assert capsys.readouterr().err.replace(str(file), "FILE") == expected


BROKEN = [
    ('"a\nb"', 3, "'a\\nb'"),
    ('"a\r\nb"', 3, "'a\\r\\nb'"),
    ('"a\n"', 3, "'a\\n'"),
    ('"a\u2028b"', 2, "'a\\u2028b'"),
]


@pytest.mark.parametrize(("cell", "line", "said"), BROKEN)
def test_a_line_break_in_a_name_is_refused(file, cell, line, said):
    """Without it, the module would be another one's, or merged with it."""
    file.write_bytes(f"module,hardware,batch,duration_s\n{cell},A,1,0.1\nab,A,2,0.2\n".encode())
    assert problem(file) == f"FILE: line {line}: has a line break in the cell {said}; write each cell in one line"


def test_what_a_spreadsheet_would_run_is_written_with_an_apostrophe_and_read_without(file):
    """`=x` and `'=x` are two modules."""
    profiles = {name: (Configuration("+A", 1, 1, 1),) for name in ("=x", "'=x", "x")}
    file.write_text(profiles_text(profiles), encoding="utf-8")
    assert "\n'=x,'+A,1,1,1\n''=x," in file.read_text(encoding="utf-8")
    assert read_profiles(file) == profiles


def test_a_name_with_white_space_around_it_is_refused_where_it_is_written():
    """It would be read without, and might be another one's."""
    with pytest.raises(InputError, match="module: is ' a'; take the white space around it out"):
        profiles_text({" a": (Configuration("A", 1, 1, 1),)})
