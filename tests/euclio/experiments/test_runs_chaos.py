"""Runs at scale: an experiment on a dask cluster whose processes are killed loses nothing, and ends in bounded memory.

1,000 runs, a worker killed every 10 seconds; EUCLIO_CHAOS=100000 sets another number, of which workers are killed every
minute, in about ten minutes. `-s` shows the table.
"""

from __future__ import annotations

import os

import pytest
from dask_chaos import WORKERS, Chaos, Toll, alone_ms, write_experiment

# Not in the quick tier: a cluster of dask workers.
pytestmark = pytest.mark.slow

FEW = 1000
RUNS = int(os.environ.get("EUCLIO_CHAOS", str(FEW)))
MOST_MB, MOST_GROWTH_MB = 1024, 64
MOST_OVERHEAD_MS = 2.0


@pytest.fixture(scope="module")
def alone() -> list[float]:
    """Milliseconds a run in one process."""
    return []


@pytest.fixture(scope="module")
def toll(tmp_path_factory: pytest.TempPathFactory, alone: list[float]) -> Toll:
    """What became of the experiment."""
    path = write_experiment(tmp_path_factory.mktemp("chaos"), RUNS)
    found = Chaos(path, RUNS, 60.0 if RUNS > FEW else 10.0).run()
    times = alone_ms(path, min(RUNS, 5 * FEW))
    alone.extend(times)
    print("\n" + found.table(times))
    return found


def test_no_run_is_lost_and_none_counted_twice(toll):
    assert (len(toll.rows), toll.rows.total()) == (toll.runs, toll.runs)
    assert "error" not in toll.statuses


def test_each_kill_was_made_and_each_end_is_said(toll):
    """The scheduler's death ends the client with one line, its own with none; the last one ends well."""
    assert toll.kills["worker"] > 0
    assert (toll.kills["scheduler"], toll.kills["client"]) == (1, 1)
    assert toll.ends == [2, -9, 0]
    assert toll.said.count("the dask scheduler is gone; the same command goes on with the runs left") == 1
    assert "Traceback" not in toll.said


def test_a_worker_that_is_lost_is_said(toll):
    """Each of them, but those that a client or scheduler follows within the second after which it is looked for."""
    said = toll.said.count("is gone; its runs are made by others")
    assert said >= max(1, toll.kills["worker"] - 2)


def test_memory_of_scheduler_and_client_is_flat_and_bounded(toll):
    for role in ("scheduler", "client"):
        assert toll.peak_mb(role) <= MOST_MB
        assert toll.growth_mb(role) <= MOST_GROWTH_MB


def test_nothing_is_left(toll):
    assert toll.left == []


@pytest.mark.skipif(RUNS <= FEW, reason="few runs are over before workers have started")
def test_a_run_takes_two_milliseconds_more_than_in_one_process_at_most(toll, alone):
    """In seconds of processors, which other work hardly touches, spread over as many as there are workers."""
    assert toll.processor_ms() / WORKERS - alone[1] <= MOST_OVERHEAD_MS
