"""What becomes of runs whose solver misbehaves; the runs before and after are as if nothing had happened."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from run_batches import HERE, LONG, batch_of, is_alive, lasting, pid_in, run_of

from euclio.core.errors import InputError
from euclio.core.own_solver import load_solver
from euclio.experiments.record import Record
from euclio.experiments.slot import LONGEST_LOG_BYTES, Log, Slot
from euclio.experiments.task import Batch, SolverSetting

# Not in the quick tier: workers that are killed and replaced take seconds of waiting.
pytestmark = pytest.mark.slow

SHORT = replace(LONG, hard_time_s=0.5)
SMALL = replace(LONG, memory_mb=1000)

GARBLED = "the solver wrote to descriptors that are not its own, the worker's among them"
WRONG_CLAIM = "the solver's claim is wrong: claimed_cost_per_h is 1, the checked cost is 1.5"
RETURNED_NUMBER = (
    f"InputError: {HERE}/faulty_solvers.py: return_number: returned a int; return a Plan, an Answer or None"
)

EXPECTED = {
    "hang": (SHORT, "unknown", "killed", "killed at the hard limit of 0.5 s"),
    "grow": (SMALL, "unknown", "killed", "killed above 1000 MiB of memory"),
    "run_out_of_memory": (SMALL, "unknown", "killed", "killed above 1000 MiB of memory"),
    "segfault": (LONG, "error", "crashed", "the worker process died of signal SIGSEGV"),
    "leave": (LONG, "error", "crashed", "the worker process exited with code 3"),
    "kill_itself": (LONG, "error", "crashed", "the worker process died of signal SIGKILL"),
    "claim_nan": (LONG, "error", "done", "the solver's claim is nan, no finite number"),
    "bound_nan": (LONG, "error", "done", "the solver's bound is nan, no finite number"),
    "claim_text": (LONG, "error", "done", "the solver's claim is 'cheap', no finite number"),
    "claim_too_little": (LONG, "error", "done", WRONG_CLAIM),
    "plan_too_little": (LONG, "error", "done", "the checker refused the plan: module detect: no allocation"),
    "fail": (LONG, "error", "raised", "ValueError: first line second line"),
    "fail_without_text": (LONG, "error", "raised", "SilentError: it cannot say its text"),
    "fail_in_colour": (LONG, "error", "raised", "ValueError: \ufffd[31mred"),
    "say_much": (LONG, "unknown", "x" * 499 + "…", ""),
    "quit_python": (LONG, "error", "raised", "SystemExit: 3"),
    "interrupt": (LONG, "error", "raised", "KeyboardInterrupt"),
    "answer_nonsense": (LONG, "error", "raised", "TypeError: the solver's plan is str, not Plan"),
    "return_number": (LONG, "error", "raised", RETURNED_NUMBER),
    "write_junk": (LONG, "error", "garbled", GARBLED),
    "write_little_junk": (LONG, "error", "garbled", GARBLED),
    "write_a_message_that_never_ends": (SHORT, "unknown", "killed", "killed at the hard limit of 0.5 s"),
    "close_everything": (LONG, "error", "crashed", "the worker process stopped answering"),
    "change_the_instance": (LONG, "error", "raised", "ValueError: the solver changed the instance"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the slot logs and faulty solvers leave their process numbers."""
    return tmp_path_factory.mktemp("faults")


@pytest.fixture(scope="module")
def slot(folder: Path) -> Iterator[Slot]:
    """A slot that all tests share, as all runs of an experiment do."""
    with pytest.MonkeyPatch.context() as environment, Slot(folder / "log") as slot:
        environment.setenv("FAULTS", str(folder))
        yield slot


@pytest.fixture(scope="module")
def records(slot: Slot) -> dict[str, list[Record]]:
    """Every fault after a good run, all in one batch of one slot."""
    tasks = []
    for repeat, (function, (limits, *_)) in enumerate(EXPECTED.items()):
        tasks += [run_of("good", repeat=repeat), run_of(function, limits)]
    made = list(slot.run(batch_of(*tasks, run_of("good", repeat=len(EXPECTED)))))
    assert [record.key for record in made[: len(tasks)]] == [task.key for task in tasks]
    found: dict[str, list[Record]] = {}
    for record in made:
        found.setdefault(record.label, []).append(record)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("function", EXPECTED)
def test_fault_is_a_row(records, function):
    (record,) = records[function]
    assert (record.status, record.raw_status, record.reason) == EXPECTED[function][1:]
    assert (record.value, record.plan) == (None, None)


@pytest.mark.slow
def test_runs_before_and_after_faults_are_alike(records):
    first, *others = [lasting(replace(record, key="", repeat=0, provenance={})) for record in records["good"]]
    assert len(others) == len(EXPECTED)
    assert all(other == first for other in others)


def test_good_run_is_priced_by_the_checker(records):
    record = records["good"][0]
    assert (record.status, record.value, record.claimed, record.options["policy"]) == ("feasible", 1.5, None, "tc")


def test_killed_run_says_what_was_asked(records):
    killed, good = records["hang"][0], records["good"][0]
    for field in ("instance", "instance_hash", "features", "options", "objective", "host"):
        assert getattr(killed, field) == getattr(good, field)


def test_worker_killed_from_outside_is_a_row_and_the_batch_goes_on(slot, folder):
    killer = threading.Thread(target=lambda: os.kill(pid_in(folder / "pid"), signal.SIGKILL))
    killer.start()
    killed, good = slot.run(batch_of(run_of("wait_to_be_killed"), run_of("good")))
    killer.join()
    assert (killed.status, killed.reason) == ("error", "the worker process died of signal SIGKILL")
    assert good.status == "feasible"


@pytest.mark.parametrize("child", ["child", "session"])
def test_processes_of_a_killed_solver_are_killed_with_it(slot, folder, child):
    (killed,) = slot.run(batch_of(run_of(f"hang_with_a_{child}", SHORT)))
    assert killed.raw_status == "killed"
    child = pid_in(folder / child)
    while is_alive(child):
        time.sleep(0.01)


def test_solver_that_forks_has_one_record_per_run(slot):
    tasks = [run_of("come_back_twice", repeat=k) for k in range(5)]
    assert [record.key for record in slot.run(batch_of(*tasks))] == [task.key for task in tasks]


def test_what_a_solver_prints_goes_to_the_log_and_says_of_which_run(slot, folder, capfd):
    task = run_of("print_much")
    (record,) = slot.run(batch_of(task))
    assert record.status == "feasible"
    assert capfd.readouterr() == ("", "")
    assert (folder / "log").read_text().splitlines()[-4:] == [
        "printed in Python",
        "written to the descriptor",
        "said by a child",
        f"-- printed by print_much on tiny (run {task.key})",
    ]


def test_traceback_of_a_crash_is_in_the_log(records, folder):
    assert "in segfault" in (folder / "log").read_text()


def test_memory_that_a_run_leaves_behind_is_not_held_against_the_next(slot):
    tasks = [run_of("leave_behind", replace(LONG, memory_mb=600), repeat=repeat) for repeat in range(6)]
    records = list(slot.run(batch_of(*tasks)))
    assert [record.status for record in records] == ["feasible"] * 6
    assert len({record.worker for record in records}) > 1


@pytest.mark.slow
@pytest.mark.parametrize("way", ["answer", "hang", "exit"])
def test_daemon_that_a_solver_leaves_ends_with_its_worker(tmp_path, monkeypatch, way):
    monkeypatch.setenv("FAULTS", str(tmp_path))
    with Slot() as slot:
        limits = replace(LONG, hard_time_s=3.0, preparation_s=20.0)
        list(slot.run(batch_of(run_of(f"leave_a_daemon_and_{way}", limits))))
    assert not is_alive(pid_in(tmp_path / "daemon"))


def test_worker_killed_between_batches_is_replaced(slot):
    (before,) = slot.run(batch_of(run_of("good")))
    os.kill(before.worker, signal.SIGKILL)
    (after,) = slot.run(batch_of(run_of("good")))
    assert (after.status, after.worker != before.worker) == ("feasible", True)


def test_log_keeps_its_newest_part(tmp_path):
    log = Log(tmp_path / "log")
    for number in range(30):
        os.write(log.stream.fileno(), f"{number} ".encode() + b"x" * 100_000)
        log.trim()
    log.close()
    text = (tmp_path / "log").read_text()
    assert "29 x" in text
    assert len(text) <= LONGEST_LOG_BYTES


def test_crash_of_a_warm_up_is_not_lost_and_then_the_run_pays(slot):
    crashed, good = slot.run(batch_of(run_of("segfault_always"), run_of("good")))
    assert (crashed.status, crashed.reason) == ("error", "the worker process died of signal SIGSEGV")
    assert good.status == "feasible"


@pytest.mark.slow
def test_warm_up_that_hangs_is_killed_at_the_limit_of_preparations(slot):
    before = time.monotonic()
    records = list(slot.run(batch_of(run_of("hang_at_once", replace(SHORT, preparation_s=1.5)), run_of("good"))))
    assert [record.reason for record in records] == ["killed at the hard limit of 0.5 s", ""]
    assert time.monotonic() - before < 10


@pytest.mark.slow
def test_warm_up_that_hangs_is_killed_and_then_the_run_pays(slot):
    records = list(slot.run(batch_of(run_of("hang_always", replace(SHORT, preparation_s=1.5)), run_of("good"))))
    assert [record.reason for record in records] == ["killed at the hard limit of 0.5 s", ""]


def test_import_is_no_part_of_the_time_of_a_run(slot, tmp_path):
    source = "import time\ntime.sleep(0.3)\ndef solve(session):\n    time.sleep(0.1)\n"
    (tmp_path / "slow.py").write_text(source)
    setting = SolverSetting("slow.py:solve", "", "slow", folder=str(tmp_path))
    tasks = [replace(run_of("good", repeat=repeat), setting=setting) for repeat in range(2)]
    first, second = slot.run(batch_of(*tasks))
    assert (first.import_s >= 0.4, first.wall_s >= 0.1, second.import_s) == (True, True, 0.0)


def test_solver_file_that_has_changed_since_the_runs_were_planned_is_not_run(slot):
    setting = replace(run_of("good").setting, version="0123456789abcdef")
    (record,) = slot.run(batch_of(replace(run_of("good"), setting=setting)))
    assert record.status == "error"
    assert "'0123456789abcdef' where the runs were planned; bring both to one version" in record.reason


def test_solver_file_that_was_edited_is_read_again_by_the_same_worker(slot, tmp_path):
    def run() -> Record:
        setting = SolverSetting(
            "own.py:solve", load_solver("own.py:solve", tmp_path).version, "own", folder=str(tmp_path)
        )
        (record,) = slot.run(batch_of(replace(run_of("good"), setting=setting)))
        return record

    (tmp_path / "own.py").write_text("def solve(session):\n    raise ValueError('old')\n")
    old = run()
    (tmp_path / "own.py").write_text("def solve(session):\n    raise ValueError('new')\n")
    new = run()
    assert (old.reason, new.reason, new.worker) == ("ValueError: old", "ValueError: new", old.worker)


def test_instance_that_cannot_be_read_is_a_row(slot):
    (record,) = slot.run(Batch("{}", (run_of("good"),)))
    assert (record.status, record.raw_status) == ("error", "raised")
    assert record.reason.startswith("InputError: ")


def test_what_cannot_be_sent_is_a_row_and_the_batch_goes_on(slot):
    odd = replace(run_of("good").setting, measure="faulty_solvers:measure_code")
    unsent, good = slot.run(batch_of(replace(run_of("good"), setting=odd), run_of("good")))
    assert (unsent.status, unsent.raw_status, good.status) == ("error", "raised", "feasible")
    assert "pickle" in unsent.reason


def test_workers_that_do_not_start_are_one_clear_line(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.executable", "/bin/false")
    with (
        Slot(tmp_path / "log") as slot,
        pytest.raises(InputError, match=r"do not start \(the worker process exited with code 1\); .*log may say why"),
    ):
        list(slot.run(batch_of(run_of("good"))))
