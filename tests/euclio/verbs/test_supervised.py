"""No solver can break the limits of `solve`, `compare` and `explain` by misusing its process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from run_batches import HERE, is_alive, pid_in
from tiny_sessions import TEXT

from euclio import load
from euclio.cli import main
from euclio.core.own_solver import load_solver
from euclio.core.registry import Limits, Option, Solver, find_solver, solvers
from euclio.core.result import Answer, Status
from euclio.files.json_reading import parse_json
from euclio.problems.session import PlanSpace
from euclio.problems.session.family import FAMILY
from euclio.verbs.interface.supervised import Supervised

# Not in the quick tier: processes that are killed in time, each after a wait.
pytestmark = pytest.mark.slow

LIMIT_S = 0.5
OWN = json.loads(TEXT)["name"]
"""The session of these tests; warming up solves another one."""
FAULTS = f"{HERE}/faulty_solvers.py"
PROGRAM = "import sys; from euclio.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture
def instance(tmp_path, monkeypatch):
    monkeypatch.setenv("FAULTS", str(tmp_path))
    solvers()  # importing them is no part of what is timed
    path = tmp_path / "tiny.json"
    path.write_text(TEXT)
    return str(path)


def call(capfd, *arguments):
    code = main([str(a) for a in arguments])
    captured = capfd.readouterr()
    return code, captured.out, captured.err


def command(*arguments):
    """Exit code, output and errors of a command in its own process: its solver may write to all descriptors."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


HANGING = [
    "hang",
    "hang_in_compiled_code",
    "hang_ignoring_signals",
    "hang_with_a_child",
    "hang_with_a_session",
]


@pytest.mark.slow
@pytest.mark.parametrize("function", HANGING)
def test_solver_that_does_not_end_is_killed_at_the_limit(capfd, instance, tmp_path, function):
    out = tmp_path / "r.json"
    before = time.monotonic()
    options = ["--solver", f"{FAULTS}:{function}", "--time-limit", LIMIT_S, "--json", "--out", out]
    code, printed, said = call(capfd, "solve", instance, *options)
    overrun = time.monotonic() - before - LIMIT_S
    found = json.loads(printed)
    assert (code, found["status"], found["raw_status"]) == (4, "unknown", "killed")
    assert said == f"euclio: {instance}: unknown: no checked plan at the time limit of 0.5 s, and killed\n"
    assert out.read_text() == printed
    assert overrun < 1.3  # reading included


def _hang(session, *_):
    while session.name == OWN:
        time.sleep(1)
    return Answer(None, "no plan")


def _exit(session, *_):
    if session.name == OWN:
        os._exit(3)
    return Answer(None, "no plan")


def test_a_killed_solver_leaves_the_plan_that_it_started_from(instance):
    """HiGHS may not look at its clock for eleven seconds; its warm start must survive."""
    session = load(instance)
    starts = {"takes": frozenset({Option.WARM_START}), "starts_from": "harpagon"}
    stuck, gone = (Solver("stuck", "exact", "", run, PlanSpace(), **starts) for run in (_hang, _exit))
    with Supervised([session], [stuck, gone]) as supervised:
        found = supervised.solve(session, stuck, time_limit_s=LIMIT_S)
        assert (found.status, found.raw_status, found.bound) == (Status.FEASIBLE, "killed", None)
        assert found.plan == find_solver("harpagon").run(session, PlanSpace(), Limits()).plan
        assert found.reason == "killed at the time limit of 0.5 s; the plan is harpagon's, which it started from"
        assert found.wall_s >= LIMIT_S
        cold = supervised.solve(session, stuck, time_limit_s=LIMIT_S, warm_start="none")
        assert (cold.status, cold.plan) == (Status.UNKNOWN, None)
        # A solver that ends by itself is faulty, even with a warm start.
        assert supervised.solve(session, gone, time_limit_s=LIMIT_S).status is Status.ERROR


@pytest.mark.slow
@pytest.mark.parametrize("child", ["child", "session"])
def test_processes_that_a_killed_solver_started_are_killed_too(capfd, instance, tmp_path, child):
    call(capfd, "solve", instance, "--solver", f"{FAULTS}:hang_with_a_{child}", "--time-limit", LIMIT_S)
    started = pid_in(tmp_path / child)
    while is_alive(started):
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["answer", "hang", "exit"])
def test_daemon_that_a_solver_leaves_ends_with_the_command(instance, tmp_path, way):
    """It has a session of its own, no descriptor of the command's and, at the end, no parent but the keeper."""
    command("solve", instance, "--solver", f"{FAULTS}:leave_a_daemon_and_{way}", "--time-limit", LIMIT_S)
    assert not is_alive(pid_in(tmp_path / "daemon"))


def test_daemon_and_folders_of_a_killed_command_end_with_it(instance, tmp_path):
    """The keeper ends the solver's processes and removes its temporary files, although the command is gone."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    words = [sys.executable, "-c", PROGRAM, "solve", instance, "--solver", f"{FAULTS}:leave_a_daemon_and_hang"]
    variables = {**os.environ, "TMPDIR": str(scratch)}
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=variables) as running:
        daemon = pid_in(tmp_path / "daemon")
        assert list(scratch.iterdir())
        running.kill()
    while is_alive(daemon) or list(scratch.iterdir()):
        time.sleep(0.01)


def test_solver_that_finds_no_memory_is_unknown(capfd, instance):
    code, _, said = call(capfd, "solve", instance, "--solver", f"{FAULTS}:run_out_of_memory")
    assert (code, "unknown: there is not enough memory for this solver" in said) == (4, True)


DYING = {
    "segfault": "died of signal SIGSEGV",
    "leave": "exited with code 3",
    "kill_itself": "died of signal SIGKILL",
    "write_junk": "wrote to descriptors that are not its own",
    "write_little_junk": "wrote to descriptors that are not its own",
}


@pytest.mark.fifth("function")
@pytest.mark.parametrize("function", DYING)
def test_end_of_the_solvers_process_is_an_error(instance, function):
    code, printed, said = command("solve", instance, "--solver", f"{FAULTS}:{function}", "--json")
    assert (code, json.loads(printed)["status"]) == (1, "error")
    assert said.endswith(f"euclio: {instance}: error: the solver's process {DYING[function]}\n")


@pytest.mark.slow
def test_message_that_never_ends_is_waited_for_until_the_limit(instance):
    options = ["--solver", f"{FAULTS}:write_a_message_that_never_ends", "--time-limit", LIMIT_S, "--json"]
    code, printed, said = command("solve", instance, *options)
    assert (code, json.loads(printed)["status"]) == (4, "unknown")
    assert said.endswith("and killed\n")


def test_what_a_solver_prints_goes_to_standard_error(instance):
    code, printed, said = command("solve", instance, "--solver", f"{FAULTS}:print_much", "--json")
    assert (code, json.loads(printed)["status"]) == (0, "feasible")
    assert "written to the descriptor\n" in said
    assert "said by a child\n" in said


def test_solver_that_forks_answers_once(capfd, instance):
    code, printed, _ = call(capfd, "solve", instance, "--solver", f"{FAULTS}:come_back_twice", "--json")
    assert (code, json.loads(printed)["status"]) == (0, "feasible")


@pytest.mark.slow
def test_solver_that_hangs_while_it_is_warmed_up_is_killed_and_then_pays(capfd, instance, monkeypatch):
    monkeypatch.setattr("euclio.supervision.limits.OWN_PREPARATION_LIMIT_S", 0.5)
    before = time.monotonic()
    code, _, said = call(capfd, "solve", instance, "--solver", f"{FAULTS}:hang_always", "--time-limit", LIMIT_S)
    assert (code, "and killed" in said) == (4, True)
    assert time.monotonic() - before < 3.5


def test_ctrl_c_ends_the_command_and_the_solver_at_once(instance, tmp_path):
    command = [sys.executable, "-c", PROGRAM, "solve", instance, "--solver", f"{FAULTS}:wait_to_be_killed"]
    # A busy machine takes more than the two seconds after which a command says what it waits for.
    quiet = {**os.environ, "EUCLIO_QUIET": "1"}
    with subprocess.Popen(command, env=quiet, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        solver = pid_in(tmp_path / "pid")
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=20)
    assert (running.returncode, said) == (130, "euclio: interrupted\n")
    assert not is_alive(solver)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_solver_dies_with_a_command_that_is_killed(instance, tmp_path):
    command = [sys.executable, "-c", PROGRAM, "solve", instance, "--solver", f"{FAULTS}:wait_to_be_killed"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as running:
        solver = pid_in(tmp_path / "pid")
        running.kill()
        while is_alive(solver):
            time.sleep(0.01)


def test_compare_goes_on_after_a_system_that_was_killed(capfd, instance):
    systems = f"{FAULTS}:hang,{FAULTS}:good,{FAULTS}:leave"
    code, printed, _ = call(capfd, "compare", instance, "--solvers", systems, "--time-limit", LIMIT_S, "--json")
    found = {Path(row["solver"]).name.partition(":")[2]: row["status"] for row in json.loads(printed)["systems"]}
    assert (code, found) == (0, {"good": "feasible", "hang": "unknown", "leave": "error"})


def test_explanation_that_takes_too_long_is_unknown(monkeypatch):
    session = FAMILY.read(parse_json(TEXT), None)
    monkeypatch.setattr("euclio.questions.explain.explaining.explain", lambda *_: time.sleep(1000))
    with Supervised([session]) as supervised:
        found = supervised.explain(FAMILY, session, FAMILY.full_space, LIMIT_S)
    assert found.status == "unknown"
    assert found.text.endswith("open: killed at the time limit of 0.5 s")


def test_infeasible_answer_stands_where_its_explanation_takes_too_long(monkeypatch):
    session = FAMILY.read(parse_json(TEXT.replace('"slo_s": 1.0', '"slo_s": 0.01')), None)
    monkeypatch.setattr("euclio.questions.explain.explaining.explain", lambda *_: time.sleep(1000))
    with Supervised([session]) as supervised:
        found = supervised.solve_and_explain(session, "plan-bruteforce", time_limit_s=LIMIT_S)
    assert found.status == "infeasible"


def test_proof_stands_where_the_solver_looks_too_long_for_words():
    """No test saw that a proof was lost with its words: only words of `Family.why_infeasible` were made to hang."""
    session = FAMILY.read(parse_json(TEXT), None)
    answer = Answer(None, "infeasible", infeasible=True, reason="proven", why=lambda: str(time.sleep(1000)))
    solver = Solver("wordy", "exact", "looks for words", lambda *_: answer)
    with Supervised([session], [solver]) as supervised:
        found = supervised.solve(session, solver, time_limit_s=LIMIT_S)
    assert (found.status, found.reason) == ("infeasible", "proven")


def test_process_is_forked_again_for_an_instance_that_it_does_not_know():
    session = FAMILY.read(parse_json(TEXT), None)
    good = load_solver("faulty_solvers.py:good", HERE)
    with Supervised([]) as supervised:
        assert supervised.solve(session, good).status == "feasible"


def test_nothing_is_left_behind(instance):
    before = psutil.Process().children(recursive=True)
    main(["solve", instance, "--solver", f"{FAULTS}:good", "--json"])
    assert psutil.Process().children(recursive=True) == before
