"""Runs on a dask cluster give the same records when a dask worker dies."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import distributed
import psutil
import pytest
from places import ROOT
from run_batches import LONG, batch_of, lasting, pid_in, run_of

from euclio.core.errors import InputError
from euclio.experiments import dask_pool as dask_pool_module
from euclio.experiments.dask_pool import DaskPool, chunks, dask_pool
from euclio.experiments.execution import blank_record
from euclio.experiments.pool import Pool, local_pool
from euclio.experiments.record import Record
from euclio.experiments.task import LARGEST_BATCH, RunLimits, Task

# Not in the quick tier: a cluster of dask workers.
pytestmark = pytest.mark.slow

LIMIT_20_S = RunLimits(time_s=20.0, hard_time_s=50.0, memory_mb=4096)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where solvers leave their process numbers."""
    return tmp_path_factory.mktemp("faults")


@pytest.fixture(scope="module")
def pool(folder: Path) -> Iterator[Pool]:
    """A cluster of two dask workers on this machine."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("FAULTS", str(folder))
        with dask_pool(None, slots=2, logs=folder) as pool:
            yield pool


@pytest.mark.slow
def test_records_are_those_of_this_machine_without_dask(pool):
    functions = ("good", "fail", "claim_nan")
    batches = [batch_of(*(run_of(function, repeat=k) for function in functions)) for k in range(3)]
    with local_pool(1) as local:
        expected = {record.key: lasting(replace(record, provenance={})) for record in local.run(batches)}
    assert {record.key: lasting(replace(record, provenance={})) for record in pool.run(batches)} == expected


def test_dask_worker_killed_in_a_run_loses_nothing_and_is_said_to_be_gone(pool, folder, monkeypatch, capsys):
    monkeypatch.setattr("euclio.experiments.dask_pool.LOOK_EVERY_S", 0.05)
    killed = []

    def kill() -> None:
        keeper = psutil.Process(pid_in(folder / "pid")).parent()
        assert keeper is not None
        killed.append(keeper.parent())
        killed[0].kill()

    killer = threading.Thread(target=kill)
    killer.start()
    batches = [batch_of(run_of("good", repeat=0), run_of("wait_once"), run_of("good", repeat=1))]
    batches += [batch_of(run_of("good", repeat=repeat)) for repeat in range(2, 8)]
    records = list(pool.run(batches))
    killer.join()
    assert sorted(record.key for record in records) == sorted(task.key for batch in batches for task in batch.tasks)
    assert {record.status for record in records} == {"feasible"}
    assert not killed[0].is_running()
    assert re.search(r"the dask worker tcp://\S+ is gone; its runs are made by others", capsys.readouterr().err)


Outcome = list[Record] | Exception | str | None
"""The outcome of a batch: its records, an error, the status of a future without either, or nothing more."""


class _FakeFuture:
    """A dask future that is done."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        given = outcome if isinstance(outcome, str) else "error"
        self.status = {list: "finished", type(None): "cancelled"}.get(type(outcome), given)

    def add_done_callback(self, function: Callable[[object], None]) -> None:
        function(self)

    def exception(self) -> object:
        return self.outcome

    def result(self) -> object:
        return self.outcome


class _FakeDistributed:
    """The library, with a client whose batches end as given, one after the other."""

    def __init__(self, *outcomes: Outcome) -> None:
        self.outcomes = iter(outcomes)
        self.KilledWorker = distributed.KilledWorker

    def Client(self, *_: object, **__: object) -> _FakeDistributed:  # noqa: N802
        return self

    def submit(self, *_: object, **__: object) -> _FakeFuture:
        return _FakeFuture(next(self.outcomes))

    def run(self, *_: object, **__: object) -> dict[str, str]:
        return {}

    def nthreads(self) -> dict[str, int]:
        return {"tcp://one": 1}

    def close(self) -> None:
        pass


GIVEN_UP = distributed.KilledWorker("make_runs", "tcp://one", 3)


def records_with(*outcomes: Outcome) -> list[Record]:
    """The records of a batch of one run whose dask tasks end like this."""
    with DaskPool(_FakeDistributed(*outcomes), "tcp://fake", 1, None) as pool:
        return list(pool.run([batch_of(run_of("good"))]))


def test_batch_that_dask_gives_up_is_asked_for_again():
    record = blank_record(run_of("good"))
    assert records_with(GIVEN_UP, GIVEN_UP, [record]) == [record]


def test_batch_that_dask_gives_up_time_and_again_is_a_row():
    (record,) = records_with(GIVEN_UP, GIVEN_UP, GIVEN_UP)
    assert (record.status, record.raw_status) == ("error", "crashed")
    assert record.reason == "the worker process was lost with its dask worker, in 3 attempts"


def test_batch_whose_records_are_lost_before_they_are_fetched_is_asked_for_again():
    """Its dask worker ended after the last run; it is no sign that the scheduler is gone, however often it happens."""
    record = blank_record(run_of("good"))
    assert records_with(*["lost"] * 5, [record]) == [record]


def test_dask_workers_without_euclio_are_one_clear_line():
    with pytest.raises(InputError, match=r"\(ModuleNotFoundError: No module.*\); install the same version of euclio"):
        records_with(ModuleNotFoundError("No module named 'euclio'"))


def test_dask_worker_of_another_version_is_refused_by_name(tmp_path):
    """The request names the version, so that a worker of another version makes no run even if it joins late."""
    package = tmp_path / "euclio-9.9.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: euclio\nVersion: 9.9\n")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0") as cluster:
        address = cluster.scheduler_address
        words = (sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--no-dashboard")
        worker = subprocess.Popen(words, env=environment, cwd=tmp_path, stderr=subprocess.DEVNULL)
        try:
            with dask_pool(address) as pool, pytest.raises(InputError, match=r"\(tcp://\S+ has version 9\.9; here is"):
                list(pool.run([batch_of(run_of("good"))]))
        finally:
            worker.kill()
            worker.wait()


def test_scheduler_that_is_gone_is_one_clear_line():
    with pytest.raises(InputError, match="the dask scheduler is gone; the same command goes on"):
        records_with(None)


@pytest.mark.parametrize("question", ["nthreads", "result"])
def test_scheduler_that_goes_while_it_is_asked_is_one_clear_line(monkeypatch, question):
    def lost(*_: object) -> None:
        raise distributed.comm.CommClosedError("connection reset by peer")

    monkeypatch.setattr(_FakeFuture if question == "result" else _FakeDistributed, question, lost)
    with pytest.raises(InputError, match="the dask scheduler is gone; the same command goes on"):
        records_with([blank_record(run_of("good"))])


def test_what_solvers_print_is_kept_by_dask_worker(pool, folder):
    (record,) = pool.run([batch_of(run_of("print_much"))])
    assert any("printed in Python" in log.read_text() for log in folder.glob(f"{record.host}-*.log"))


def test_scheduler_that_does_not_answer_is_one_clear_line(monkeypatch):
    monkeypatch.setattr("euclio.experiments.dask_pool.CONNECT_S", 0.2)
    with pytest.raises(InputError, match=r"--dask: no dask scheduler answers at tcp://127.0.0.1:9: .*dask scheduler"):
        dask_pool("tcp://127.0.0.1:9").__enter__()


@pytest.mark.parametrize("address", ["nonsense", "tcp://host", "tcp://host:port", "no-scheme://host:1", ""])
def test_what_is_no_address_is_one_clear_line(address):
    with pytest.raises(InputError, match=r"--dask: is .*; give an address such as tcp://HOST:8786, or local"):
        dask_pool(address)


def test_absent_dask_is_one_clear_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"--dask: dask is not installed; run `pip install euclio\[dask\]`"):
        dask_pool(None)


def test_runs_that_may_take_long_are_asked_for_few_at_a_time():
    batch = batch_of(*(run_of("good", LIMIT_20_S, repeat=k) for k in range(8)))
    assert [len(chunk.tasks) for chunk in chunks(batch)] == [3, 3, 2]


def test_runs_without_a_limit_are_asked_for_in_large_parts():
    batch = batch_of(*(run_of("good", LONG, repeat=k) for k in range(40)))
    assert [len(chunk.tasks) for chunk in chunks(batch)] == [LARGEST_BATCH, 8]


def test_folder_of_a_solver_file_is_named_in_full_under_the_same_key(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    task = run_of("good")
    relative = replace(task.setting, folder="below")
    (chunk,) = chunks(batch_of(Task(task.family, task.instance, task.instance_hash, relative, LONG, 0, 0)))
    assert (chunk.tasks[0].setting.folder, chunk.tasks[0].key) == (str(tmp_path / "below"), task.key)


def test_batches_of_a_dask_worker_never_take_more_cores_than_it_has_and_get_them_in_turn():
    """Of two cores two batches take one each; one that takes both waits for them, and the one after it for that one."""
    began: list[str] = []
    ends = {name: threading.Event() for name in ("one", "other", "both", "last")}

    def take(name: str, wanted: int) -> threading.Thread:
        def work() -> None:
            with dask_pool_module._taken(wanted, 2):
                began.append(name)
                ends[name].wait()

        thread = threading.Thread(target=work)
        thread.start()
        thread.join(0.1)
        return thread

    threads = [take("one", 1), take("other", 1), take("both", 2), take("last", 1)]
    assert began == ["one", "other"]
    for name, thread, expected in zip(ends, threads, (2, 3, 4, 4), strict=True):
        ends[name].set()
        thread.join()
        time.sleep(0.1)
        assert began == list(ends)[:expected]


@pytest.mark.slow
def test_interrupted_while_the_cluster_starts_it_is_closed_once_it_stands():
    happened = []

    class Cluster:
        def __init__(self, **_):
            signal.raise_signal(signal.SIGINT)
            happened.append("started")

        def close(self):
            happened.append("closed")

    fake = SimpleNamespace(LocalCluster=Cluster, Client=lambda *_, **__: SimpleNamespace(close=lambda: None))
    with pytest.raises(KeyboardInterrupt), DaskPool(fake, None, 1, None):
        pytest.fail("went on")
    assert happened == ["started", "closed"]
