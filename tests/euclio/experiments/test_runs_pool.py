"""The pool of this machine: all runs are made, threads keep to the cores, and nothing outlives the runner."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from run_batches import HERE, batch_of, is_alive, pid_in, run_of

from euclio.experiments.execution import blank_record
from euclio.experiments.pool import cores_of, local_pool
from euclio.experiments.record import Record
from euclio.experiments.task import Batch

# Not in the quick tier: worker processes, one per library.
pytestmark = pytest.mark.slow


def test_every_run_of_every_batch_has_one_record():
    batches = [batch_of(*(run_of("good", repeat=10 * k + i) for i in range(3))) for k in range(5)]
    with local_pool(2) as pool:
        keys = Counter(record.key for record in pool.run(batches))
    assert keys == Counter(task.key for batch in batches for task in batch.tasks)


def test_batches_are_taken_as_places_get_free():
    taken = 0

    def batches() -> Iterator[Batch]:
        nonlocal taken
        for repeat in range(20):
            taken += 1
            yield batch_of(run_of("good", repeat=repeat))

    with local_pool(1) as pool:
        for done, _ in enumerate(pool.run(batches()), 1):
            assert taken <= done + 2


def test_empty_batches_and_no_batches_are_done_at_once():
    with local_pool(1) as pool:
        assert list(pool.run([])) == []
        assert list(pool.run([batch_of()])) == []


def test_libraries_have_a_process_each():
    tasks = [run_of("good", repeat=k, library=library) for k, library in enumerate(("", "highs", "", "highs"))]
    with local_pool(1) as pool:
        workers = [record.worker for record in pool.run([batch_of(task) for task in tasks])]
    assert workers[:2] == workers[2:]
    assert workers[0] != workers[1]


def test_a_batch_takes_the_most_threads_of_its_solvers():
    assert cores_of(batch_of(run_of("good"), run_of("good", threads=3)), 4) == 3


def test_a_batch_takes_no_more_cores_than_there_are():
    assert cores_of(batch_of(run_of("good", threads=8)), 4) == 4


class _FakeSlot:
    """A slot that makes runs in no time and adds up the threads of all that are at work."""

    adding = threading.Lock()
    at_work = most = 0

    def __init__(self, log: Path | None) -> None:
        self.stopped = False

    def has_loaded(self, library: str) -> bool:
        return False

    def run(self, batch: Batch) -> Iterator[Record]:
        threads = max(task.setting.threads for task in batch.tasks)
        self.add(threads)
        for task in batch.tasks:
            time.sleep(0.001)
            yield blank_record(task)
        self.add(-threads)

    def add(self, threads: int) -> None:
        with self.adding:
            _FakeSlot.at_work += threads
            _FakeSlot.most = max(_FakeSlot.most, _FakeSlot.at_work)

    def close(self) -> None:
        pass


def test_threads_of_runs_at_a_time_fill_the_cores_and_no_more(monkeypatch):
    monkeypatch.setattr("euclio.experiments.pool.Slot", _FakeSlot)
    threads = [1, 2, 3, 1, 1, 3, 2, 1, 2, 2, 1] * 5
    batches = [batch_of(*[run_of("good", repeat=k, threads=n)] * (k % 4 + 1)) for k, n in enumerate(threads)]
    with local_pool(3) as pool:
        assert len(list(pool.run(batches))) == sum(len(batch.tasks) for batch in batches)
    assert _FakeSlot.most == 3


def test_a_pool_that_was_left_in_the_middle_of_its_runs_makes_others():
    """The run at hand is given up with its process; what comes next is made all the same."""
    with local_pool(1) as pool:
        runs = pool.run([batch_of(run_of("good"), run_of("hang"))])
        assert next(runs).status == "feasible"
        runs.close()
        assert [record.status for record in pool.run([batch_of(run_of("good", repeat=1))])] == ["feasible"]


def test_no_process_outlives_its_pool():
    with local_pool(2) as pool:
        workers = {record.worker for record in pool.run([batch_of(run_of("good", repeat=k)) for k in range(2)])}
    assert not any(psutil.pid_exists(worker) for worker in workers)


RUNNER = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
from run_batches import batch_of, run_of
from euclio.experiments.pool import local_pool
with local_pool(1) as pool:
    for record in pool.run([batch_of(run_of("good"), run_of("hang"))]):
        print(record.worker, flush=True)
"""


def test_no_process_outlives_a_killed_runner():
    runner = subprocess.Popen([sys.executable, "-c", RUNNER], stdout=subprocess.PIPE, text=True)
    worker = psutil.Process(int(runner.stdout.readline()))
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    # It may end between two looks at it.
    with suppress(psutil.NoSuchProcess):
        while worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.01)


LEAVING = RUNNER.replace('run_of("hang")', 'run_of("hang_with_a_child")')


def test_neither_programs_nor_folders_of_workers_outlive_a_killed_runner(tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    variables = os.environ | {"FAULTS": str(tmp_path), "TMPDIR": str(scratch)}
    runner = subprocess.Popen([sys.executable, "-c", LEAVING], stdout=subprocess.PIPE, env=variables)
    child = pid_in(tmp_path / "child")
    assert list(scratch.iterdir())
    runner.kill()
    runner.communicate()
    while is_alive(child) or list(scratch.iterdir()):
        time.sleep(0.01)
