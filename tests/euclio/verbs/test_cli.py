import json
import os
import subprocess
import sys
import threading
import time
from importlib.metadata import version

import pytest
from bad_results import BAD_RESULTS
from bad_sessions import BAD_TEXTS
from tiny_sessions import TEXT, answering, first_configuration

from euclio.cli import main
from euclio.core.errors import InapplicableError, printable
from euclio.core.progress import waiting
from euclio.core.registry import Solver
from euclio.problems.session import Plan


def inapplicable(session, space, limits):
    raise InapplicableError("the DAG is not series-parallel")


def interrupted(session, space, limits):
    raise KeyboardInterrupt


def broken(session, space, limits):
    raise RuntimeError("two\nlines")


FAKES = [
    Solver("first", "heuristic", "first configuration", first_configuration),
    answering(None, name="nothing", infeasible=True),
    answering(None, name="slow"),
    answering(Plan(()), name="wrong"),
    Solver("choosy", "heuristic", "applies to nothing", inapplicable),
    Solver("stopped", "heuristic", "is interrupted", interrupted),
    Solver("broken", "heuristic", "fails", broken),
]


@pytest.fixture(autouse=True)
def fake_solvers(monkeypatch):
    monkeypatch.setattr(
        "euclio.core.registry.solvers", lambda family=None: {s.name: s for s in FAKES if family in (None, s.family)}
    )
    monkeypatch.setattr(
        "euclio.questions.comparison.comparison.solvers", lambda family=None: {"first": FAKES[0], "nothing": FAKES[1]}
    )
    monkeypatch.setattr("euclio.problems.session.bought_whole.solvers", lambda family: {})


@pytest.fixture
def instance(tmp_path):
    path = tmp_path / "tiny.json"
    path.write_text(TEXT)
    return str(path)


def call(capsys, *arguments):
    code = main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_solve_prints_the_plan_and_nothing_on_stderr(capsys, instance):
    code, out, err = call(capsys, "solve", instance, "--solver", "first")
    assert (code, err) == (0, "")
    assert out.startswith("tiny: feasible, cost 1.5 per hour")


def test_solve_prints_json_that_is_the_written_file(capsys, instance, tmp_path):
    code, out, _ = call(capsys, "solve", instance, "--solver", "first", "--json", "--out", tmp_path / "r.json")
    assert code == 0
    assert out == (tmp_path / "r.json").read_text()
    assert json.loads(out)["cost_per_h"] == 1.5


def test_options_reach_the_plan_space(capsys, instance):
    options = "--policy rr --dummy none --max-allocations 2 --hardware V100 --no-concurrency --seed 7 --time-limit 2.5"
    _, out, _ = call(capsys, "solve", instance, "--solver", "slow", "--json", *options.split())
    assert json.loads(out)["options"] == {
        "policy": "rr",
        "dummy": "none",
        "max_allocations": 2,
        "hardware": ["V100"],
        "single_hardware": False,
        "batching": True,
        "concurrency": False,
        "charging": "share",
        "objective": "cost",
        "time_limit_s": 2.5,
        "seed": 7,
    }


@pytest.mark.parametrize(
    ("solver", "code", "words"),
    [
        ("nothing", 3, "nothing found no plan, but its plan space has one"),
        ("slow", 4, "no plan was found within the limit"),
        ("choosy", 4, "not series-parallel"),
        ("wrong", 1, "the checker refused the plan"),
        ("broken", 1, "internal error"),
        ("stopped", 130, "interrupted"),
    ],
)
def test_exit_code_and_one_line_where_there_is_no_plan(capsys, instance, solver, code, words):
    found, _, err = call(capsys, "solve", instance, "--solver", solver)
    assert found == code
    assert words in err
    assert err.count("\n") == 1


def test_infeasible_session_names_the_module(capsys, tmp_path):
    path = tmp_path / "tight.json"
    path.write_text(TEXT.replace('"slo_s": 1.0', '"slo_s": 0.21'))
    code, _, err = call(capsys, "solve", path, "--solver", "nothing")
    assert code == 3
    assert "module classify needs at least 0.3 s (V100, batch 1, concurrency 2)" in err


def test_verify_accepts_what_solve_writes(capsys, instance, tmp_path):
    call(capsys, "solve", instance, "--solver", "first", "--out", tmp_path / "r.json")
    code, out, _ = call(capsys, "verify", instance, tmp_path / "r.json")
    assert code == 0
    assert out.startswith("accepted: cost 1.5 per hour")
    assert out.endswith("plan space: tc, dummies machine\n")


def test_version_is_that_of_the_package(capsys):
    assert call(capsys, "--version")[:2] == (0, f"euclio {version('euclio')}\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("slove", "x"), "unknown 'slove'; did you mean solve or solvers?"),
        (("solve", "x", "--policy", "tc-share"), "argument --policy: unknown 'tc-share'; did you mean tc-shared?"),
        (("frobnicate",), "invalid choice: 'frobnicate' (choose from"),
    ],
)
def test_wrong_word_is_met_with_the_nearest_right_one(capsys, arguments, words):
    code, _, err = call(capsys, *arguments)
    assert code == 2
    assert words in err


def edited_result(capsys, instance, tmp_path, change):
    path = tmp_path / "r.json"
    call(capsys, "solve", instance, "--solver", "first", "--out", path)
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    return path


MUTATIONS = {
    "machine missing": (lambda d: d["plan"]["modules"][0]["allocations"][0].update(machines=-1), "has -1 machines"),
    "cost": (lambda d: d.update(cost_per_h=2.2), "cost_per_h is written as 2.2, checked as 1.5"),
    "no cost": (lambda d: d.update(cost_per_h=None), "cost_per_h is written as null"),
    "latency": (lambda d: d["plan"].update(latency_s=0.1), "plan.latency_s is written as 0.1"),
    "module latency": (
        lambda d: d["plan"]["modules"][1].update(worst_case_latency_s=0.1),
        "worst_case_latency_s of module classify",
    ),
    "partial rate": (lambda d: d["plan"]["modules"][0]["allocations"][0].update(partial_rps=9), "partial rate written"),
    "dummy rate": (lambda d: d["plan"]["modules"][0].update(dummy_rps=1), "dummy rate written"),
    "duration": (
        lambda d: d["plan"]["modules"][0]["allocations"][0].update(duration_s=0.09),
        "is not in the profile",
    ),
    "optimal without bound": (lambda d: d.update(status="optimal"), "bound_per_h does not reach the cost"),
    "bound above the cost": (lambda d: d.update(bound_per_h=2.3), "above the checked cost"),
    "infeasible with a plan": (lambda d: d.update(status="infeasible"), "there is a feasible plan"),
    "claim": (
        lambda d: d.update(claimed_cost_per_h=1.6),
        "claimed_cost_per_h is 1.6, the checked cost is 1.5",
    ),
    "no plan": (lambda d: d.update(plan=None), "the result has no plan"),
    "outside the space": (lambda d: d["options"].update(hardware=["P100"]), "is outside the plan space"),
}


@pytest.mark.fifth("case")
@pytest.mark.parametrize("case", MUTATIONS)
def test_verify_refuses_a_changed_result_with_the_reason(capsys, instance, tmp_path, case):
    change, words = MUTATIONS[case]
    path = edited_result(capsys, instance, tmp_path, change)
    code, out, _ = call(capsys, "verify", instance, path)
    assert code == 1
    assert out.startswith("refused: ")
    assert words in out


def test_solvers_lists_every_solver(capsys):
    code, out, _ = call(capsys, "solvers")
    assert code == 0
    assert [s.name for s in FAKES if s.name not in out] == []


def test_compare_prints_json(capsys, instance):
    code, out, _ = call(capsys, "compare", instance, "--json")
    assert code == 0
    assert [row["solver"] for row in json.loads(out)["systems"]] == ["first", "nothing"]


def test_compare_draws(capsys, instance, tmp_path):
    code, out, _ = call(capsys, "compare", instance, "--plot", tmp_path / "c.svg")
    assert code == 0
    assert "first" in out
    assert (tmp_path / "c.svg").read_text().lstrip().startswith("<?xml")


def test_generate_prints_the_paths(capsys, monkeypatch):
    monkeypatch.setattr("euclio.verbs.generate.write", lambda kind, out, **options: [out / kind])
    assert call(capsys, "generate", "random", "--out", "there") == (0, "there/random\n", "")


def assert_bad_input(capsys, arguments, *words):
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    for word in words:
        assert word in err


@pytest.mark.fifth("case")
@pytest.mark.parametrize("case", BAD_TEXTS)
@pytest.mark.parametrize("verb", ["solve", "compare", "verify"])
def test_bad_instance_is_one_line_and_exit_2(capsys, tmp_path, verb, case):
    text, field, words = BAD_TEXTS[case]
    path = tmp_path / "bad.json"
    path.write_text(text)
    assert_bad_input(capsys, [verb, path, *([path] if verb == "verify" else [])], str(path), field or "", words)


@pytest.mark.fifth("case")
@pytest.mark.parametrize("case", BAD_RESULTS)
def test_bad_result_is_one_line_and_exit_2(capsys, instance, tmp_path, case):
    change, field, words = BAD_RESULTS[case]
    path = edited_result(capsys, instance, tmp_path, change)
    assert_bad_input(capsys, ["verify", instance, path], str(path), field, words)


def bad_paths(tmp_path):
    binary, large, locked = tmp_path / "binary", tmp_path / "large", tmp_path / "locked"
    binary.write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    locked.write_text(TEXT)
    locked.chmod(0)
    with large.open("wb") as stream:
        stream.truncate(200 * 1024**2)
    return {
        "missing": (tmp_path / "none.json", "no such file"),
        "directory": (tmp_path, "is a directory"),
        "binary": (binary, "binary data"),
        "large": (large, "limit of 64 MiB"),
        "locked": (locked, "permission denied"),
        "null byte": ("a\0b", "cannot be read"),
        "endless": ("/dev/zero", "limit of 64 MiB"),
    }


@pytest.mark.parametrize("case", ["missing", "directory", "binary", "large", "locked", "null byte", "endless"])
def test_unreadable_file_is_one_line_and_exit_2(capsys, tmp_path, case):
    path, words = bad_paths(tmp_path)[case]
    if case == "locked" and os.access(path, os.R_OK):
        pytest.skip("this user may read every file")
    assert_bad_input(capsys, ["solve", path], printable(str(path)), words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--solver", "frist"], "did you mean first?"),
        (["--hardware", "V10"], "did you mean V100?"),
        (["--hardware", ","], "at least one name"),
        (["--time-limit", "0"], "--time-limit"),
        (["--time-limit", "nan"], "--time-limit"),
        (["--max-allocations", "0"], "--max-allocations"),
        (["--max-allocations", "1.5"], "--max-allocations"),
        (["--seed", "-1"], "--seed"),
        (["--policy", "fifo"], "--policy"),
        (["--dummy", "some"], "--dummy"),
        (["--no-such-option"], "--no-such-option"),
        (["--out", "/no/such/folder/r.json"], "/no/such/folder/r.json: cannot be written"),
        (["--out", "/"], "/: cannot be written"),
    ],
)
def test_bad_option_is_one_line_and_exit_2(capsys, instance, options, words):
    """Each option is refused by its name before anything is solved or written."""
    assert_bad_input(capsys, ["solve", instance, "--solver", "first", *options], words)


@pytest.mark.parametrize("arguments", [["sovle"], ["solve"], ["reproduce", "nothing"]])
def test_bad_command_line_is_one_line_and_exit_2(capsys, arguments):
    assert_bad_input(capsys, arguments, "--help")


def test_figure_of_unknown_format_is_refused_before_solving(capsys, instance):
    assert_bad_input(capsys, ["compare", instance, "--plot", "c.doc"], "c.doc", ".svg")


def test_verify_needs_no_compiled_code(capsys, instance, tmp_path):
    call(capsys, "solve", instance, "--solver", "first", "--out", tmp_path / "r.json")
    program = "import sys; from euclio.cli import main; print(main(sys.argv[1:]), 'numba' in sys.modules)"
    command = [sys.executable, "-c", program, "verify", instance, str(tmp_path / "r.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 False"


def test_reader_that_goes_away_causes_no_traceback(capsys, instance, tmp_path):
    call(capsys, "solve", instance, "--solver", "first", "--out", tmp_path / "r.json")
    program = "import sys; from euclio.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "verify", instance, str(tmp_path / "r.json")]
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (141, b"")


def test_long_preparation_is_announced_on_stderr(capsys):
    with waiting("preparing", after_s=0.01):
        time.sleep(0.3)
    with waiting("not reached", after_s=5):
        pass
    assert capsys.readouterr().err == "euclio: preparing …\n"


HOSTILE = {
    "field": (TEXT.replace('"slo_s"', '"\\u001b[31mslo_s"'), r"\x1b[31mslo_s"),
    "value": (TEXT.replace("1.0", '"\\u001b[2J"'), r"\x1b[2J"),
    "edge": (TEXT.replace('["detect"', '["\\u202edetect"'), r"\u202edetect"),
    "key written twice": ('{"a\\u009b": 1, "a\\u009b": 2}', r"a\x9b"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_what_an_error_repeats_is_written_as_escapes(capsys, tmp_path, case):
    text, words = HOSTILE[case]
    path = tmp_path / "hostile.json"
    path.write_text(text)
    code, _, err = call(capsys, "solve", path)
    assert (code, err.removesuffix("\n").isprintable()) == (2, True)
    assert words in err


def test_name_of_a_file_is_written_as_escapes(capsys):
    assert_bad_input(capsys, ["solve", "no\x1b[31m.json"], r"no\x1b[31m.json: no such file")


def test_reason_of_a_solver_is_written_as_escapes(capsys, instance, tmp_path):
    own = tmp_path / "own.py"
    own.write_text(
        "from euclio.core.result import Answer\ndef solve(session):\n    return Answer(None, 'x', reason='\\x1b[2J')\n"
    )
    code, _, err = call(capsys, "solve", instance, "--solver", f"{own}:solve")
    assert (code, err.count(r"\x1b[2J"), "\x1b" in err) == (4, 1, False)


@pytest.mark.parametrize(
    "text", ['{"\\ud800": 1}', TEXT.replace('"tiny"', '"\\udfff"'), '{"schema": ["a", "\\uDABC"]}']
)
def test_half_a_surrogate_pair_is_bad_input(capsys, tmp_path, text):
    path = tmp_path / "half.json"
    path.write_text(text)
    assert_bad_input(capsys, ["solve", path], "holds half of a surrogate pair, no character; correct it")


def test_characters_that_take_two_escapes_are_read(capsys, tmp_path):
    path = tmp_path / "whole.json"
    path.write_text(TEXT.replace('"tiny"', '"\\ud83d\\ude00"'))
    assert call(capsys, "solve", path, "--solver", "first")[0] == 0


@pytest.mark.parametrize("verb", ["solve", "compare", "explain"])
def test_pipe_that_nobody_writes_to_is_bad_input(capsys, monkeypatch, tmp_path, verb):
    monkeypatch.setattr("euclio.core.system.WRITER_PATIENCE_S", 0.1)
    os.mkfifo(tmp_path / "pipe")
    said = "nothing was written to it for 0.1 s, and no program has it open for writing"
    assert_bad_input(capsys, [verb, tmp_path / "pipe"], said)


def test_pipe_whose_writer_says_nothing_is_bad_input(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("euclio.core.system.PATIENCE_S", 0.1)
    os.mkfifo(tmp_path / "pipe")
    silent = os.open(tmp_path / "pipe", os.O_RDWR)
    try:
        assert_bad_input(capsys, ["solve", tmp_path / "pipe"], "nothing was written to it for 0.1 s; check")
    finally:
        os.close(silent)


def test_writer_that_takes_its_time_is_waited_for(capsys, monkeypatch, tmp_path):
    """Whoever has the pipe open is given longer than whoever has not."""
    monkeypatch.setattr("euclio.core.system.WRITER_PATIENCE_S", 0.1)
    os.mkfifo(tmp_path / "pipe")
    writer = os.open(tmp_path / "pipe", os.O_RDWR)

    def write():
        time.sleep(0.4)
        os.write(writer, TEXT.encode())
        os.close(writer)

    later = threading.Thread(target=write)
    later.start()
    assert call(capsys, "solve", tmp_path / "pipe", "--solver", "first")[0] == 0
    later.join()


def test_pipe_that_nobody_reads_is_no_output(capsys, monkeypatch, instance, tmp_path):
    monkeypatch.setattr("euclio.files.json_writing.READER_PATIENCE_S", 0.1)
    os.mkfifo(tmp_path / "out")
    code, _, err = call(capsys, "solve", instance, "--solver", "first", "--out", tmp_path / "out")
    assert code == 2
    assert err.endswith("out: cannot be written: no program reads the pipe for 0.1 s; choose another path\n")


def test_result_is_written_to_a_pipe_that_is_read(capsys, instance, tmp_path):
    os.mkfifo(tmp_path / "out")
    with subprocess.Popen(["cat", str(tmp_path / "out")], stdout=subprocess.PIPE, text=True) as reader:
        assert call(capsys, "solve", instance, "--solver", "first", "--out", tmp_path / "out")[0] == 0
        assert '"schema": "euclio/result/1"' in reader.communicate()[0]


@pytest.mark.parametrize(("path", "words"), [("/dev/zero", "is larger than the limit of 64 "), ("/", "is a directory")])
def test_devices_without_an_end_and_folders_are_bad_input(capsys, tmp_path, path, words):
    given = ["--rates", "1", "--prices", "a=1", "--slo", "1", "--out", tmp_path / "x.json"]
    assert_bad_input(capsys, ["solve", path], words)
    assert_bad_input(capsys, ["import", "csv", path, *given], words)


def test_pipe_is_read_until_its_writer_closes_it(capsys, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["sh", "-c", 'sleep 0.2; printf %s "$0" > "$1"', TEXT, str(tmp_path / "pipe")]):
        assert call(capsys, "solve", tmp_path / "pipe", "--solver", "first")[0] == 0


def test_standard_input_is_read(capsys):
    """A pipe as this process's own standard input: another process would take seconds to start."""
    ours, theirs = os.pipe()
    os.write(theirs, TEXT.encode())
    os.close(theirs)
    before = os.dup(0)
    try:
        os.dup2(ours, 0)
        code, out, _ = call(capsys, "solve", "/dev/stdin", "--solver", "first")
    finally:
        os.dup2(before, 0)
        os.close(before)
        os.close(ours)
    assert (code, out[:4]) == (0, "tiny")


def test_the_module_is_the_command(tmp_path):
    """`python -m euclio` is what a user types where the script is on no path; it exits with the command's code."""
    command = [sys.executable, "-m", "euclio", "solve", str(tmp_path / "missing.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "missing.json" in done.stderr
