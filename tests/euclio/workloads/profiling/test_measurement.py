"""Samples of durations: what is written of them, and what is said."""

import json
import sys
from fractions import Fraction

import pytest

from euclio.cli import main
from euclio.problems.session import Configuration
from euclio.workloads.profiling.measurement import Sample
from euclio.workloads.session.csv_profiles import read_profiles

# Not in the quick tier: what is measured takes the time that it takes.
pytestmark = pytest.mark.slow

MS = 10**6
# Batches of 8 ms by their own clock, whatever they really take.
CLOCKED = "import sys\nfor line in sys.stdin:\n    print(f'took {0.002 * int(line)}', flush=True)\n"
SLEEPING = "import sys, time\nfor line in sys.stdin:\n    time.sleep(0.1)\n    print('done', flush=True)\n"
FUNCTION = """
import time

def work(batch):
    print("loading")  # which is no answer
    def run():
        time.sleep(0.002 * batch)
    return run

def nothing(batch):
    return None

def fails(batch):
    raise RuntimeError("no such device")
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FUNCTION)
    return tmp_path


def profiled(*arguments, repeats=3):
    given = ["--model", "detect", "--hardware", "cpu", "--out", "p.csv", "--warm-up", "1", "--repeats", str(repeats)]
    split = arguments.index("--") if "--" in arguments else len(arguments)
    return main(["profile", *arguments[:split], *given, *arguments[split:]])


def command(text):
    return ["--", sys.executable, "-c", text]


def test_the_median_counts_and_the_spread_is_that_of_the_quartiles():
    sample = Sample(4, 2, tuple(MS * ms for ms in (9, 10, 10, 10, 11, 11, 12, 90)), 700.0)
    assert sample.configuration("cpu") == Configuration("cpu", 4, 2, "0.0105")
    assert sample.quartiles_s == pytest.approx((0.010, 0.01125))
    assert sample.spread == pytest.approx(0.00125 / 0.0105)
    assert (sample.outliers, sample.longest_s) == (1, 0.09)
    assert sample.remark() == ("batch 4, concurrency 2: 700 inputs/s were served, 8.1 % less than the median promises")


def test_a_rate_as_the_median_promises_needs_no_remark():
    assert Sample(4, 1, (10 * MS, 10 * MS), 399.0).remark() == ""


def test_a_single_duration_has_no_spread():
    sample = Sample(1, 1, (5,), 1.0)
    assert (sample.spread, sample.outliers, sample.median_s) == (0.0, 0, Fraction(5, 10**9))


def test_halves_of_nanoseconds_are_rounded_up():
    assert Sample(1, 1, (1, 2), 1.0).configuration("cpu").duration_s == Fraction(2, 10**9)


def test_a_command_by_its_own_clock(folder, capsys):
    assert profiled("--batch", "4,1,4", "--concurrency", "1,2", *command(CLOCKED)) == 0
    out, _ = capsys.readouterr()
    assert out.splitlines()[0] == "detect on cpu"
    assert out.splitlines()[-1] == "p.csv"
    assert (folder / "p.csv").read_text() == (
        "module,hardware,batch,concurrency,duration_s\n"
        "detect,cpu,4,1,0.008\ndetect,cpu,4,2,0.008\ndetect,cpu,1,1,0.002\ndetect,cpu,1,2,0.002\n"
    )


def test_a_command_without_a_clock_is_timed(folder):
    assert profiled("--batch", "8", *command(SLEEPING), repeats=5) == 0
    (c,) = read_profiles("p.csv")["detect"]
    # Batches are sent ahead: a reader that a busy machine wakes late sees the next answer sooner.  The sleep is long
    # against such delays.
    assert 0.09 < c.duration_s < 0.3


def test_a_function_is_timed_where_it_runs(folder, capsys):
    assert profiled("mine.py:work", "--batch", "1,5", "--concurrency", "2", "--json", repeats=5) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["module"], data["hardware"]) == ("detect", "cpu")
    rows = data["measured"]
    assert [(row["batch"], row["concurrency"], row["repeats"]) for row in rows] == [(1, 2, 10), (5, 2, 10)]
    for row in rows:
        assert 0.002 * row["batch"] <= row["duration_s"] <= row["longest_s"] < 0.1
        assert row["first_quartile_s"] <= row["duration_s"] <= row["third_quartile_s"]
    profile = read_profiles("p.csv")["detect"]
    assert [float(c.duration_s) for c in profile] == [row["duration_s"] for row in rows]


def test_what_is_measured_is_appended(folder, capsys):
    assert profiled("--batch", "1", *command(CLOCKED)) == 0
    assert profiled("--batch", "2", "--append", *command(CLOCKED)) == 0
    assert [c.batch for c in read_profiles("p.csv")["detect"]] == [1, 2]
    capsys.readouterr()
    # It is refused before anything is measured: nothing is run.
    assert profiled("--batch", "2", "--append", "--", "no-such-command") == 2
    assert capsys.readouterr().err.startswith("euclio: p.csv: has detect on cpu with batch 2 and concurrency 1 already")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--", "no-such-command"], "no-such-command: cannot be run: no such file or directory"),
        (
            ["--", "sh", "-c", "echo bad weights >&2; exit 3"],
            "sh -c echo bad weights >&2; exit 3: exited with code 3 before it answered: bad weights",
        ),
        (["--", "sh", "-c", "exit 0"], "sh -c exit 0: exited with code 0 before it answered: it says nothing"),
        (
            ["--time-out", "0.2", "--", "sleep", "100"],
            "sleep 100: does not answer within 0.2 s; print a line for each line that is read, and flush it, or raise "
            "--time-out",
        ),
        (
            ["--", "sh", "-c", "while read b; do echo a; echo b; done"],
            "sh -c while read b; do echo a; echo b; done: prints more than a line for each batch; print one, when it "
            "is done",
        ),
        (
            ["none.py:work"],
            "none.py:work: exited with code 1 before it answered: FileNotFoundError: [Errno 2] No such file or "
            "directory: 'none.py'",
        ),
        (["mine.py:other"], "mine.py:other: exited with code 1 before it answered: mine.py has no function 'other'"),
        (
            ["mine.py:nothing"],
            "mine.py:nothing: exited with code 1 before it answered: nothing returns a NoneType; return a function "
            "that runs one batch",
        ),
        (
            ["mine.py:fails", "--concurrency", "2"],
            "mine.py:fails: exited with code 1 before it answered: RuntimeError: no such device",
        ),
        (["mine.py:work", "--concurrency", "1001"], "--concurrency: is more than 1000 processes"),
    ],
)
def test_what_goes_wrong_is_one_line(folder, capsys, arguments, expected):
    assert profiled("--batch", "1", *arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.replace(f"{folder}/", "")) == ("", f"euclio: {expected}\n")
    assert not (folder / "p.csv").exists()


def test_the_function_s_file_is_not_written_to(folder, capsys):
    given = ["--model", "m", "--hardware", "cpu", "--out", "mine.py"]
    assert main(["profile", "mine.py:work", *given]) == 2
    assert "mine.py: --out: is read by this command" in capsys.readouterr().err


def test_a_name_that_cannot_be_read_again_is_refused_before_anything_runs(folder, capsys):
    assert main(["profile", "--model", "", "--hardware", "c", "--out", "p.csv", "--", "no-such-command"]) == 2
    assert "module: is the text ''" in capsys.readouterr().err


def test_workers_are_gone_afterwards(folder):
    import psutil

    assert profiled("mine.py:work", "--batch", "1", "--concurrency", "3") == 0
    assert not [
        child for child in psutil.Process().children(recursive=True) if "worker.py" in " ".join(child.cmdline())
    ]
