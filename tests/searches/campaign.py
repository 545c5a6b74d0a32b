"""Searches through many seeds in processes; the death of a process counts as a fault and does not end the campaign."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field

from .search import Found, searches

BLOCK = 10
"""Seeds that a process is given at a time; what it has not begun when the time is up is searched first later."""
START = "spawn"
"""How processes start: afresh, since solver libraries do not survive a fork of a process that has used them."""
GRACE_S = 180.0
"""Seconds that a running seed may go on when the time is up, except in slow searches: an endless one would take the
time of all later searches.
"""
UNENDED = f"one of the ten from here on was not done {GRACE_S:g} s after its time"
KEPT = 200
"""Faults of one search that are kept in full; the others are counted."""


@dataclass(slots=True)
class Tally:
    """The findings of a search so far; it goes on with the seeds in `left`, then from `seed`."""

    search: str
    seed: int = 0
    left: list[int] = field(default_factory=list)
    seeds: int = 0
    cases: int = 0
    undecided: int = 0
    wrong: int = 0
    faults: list[tuple[int, str]] = field(default_factory=list)
    seconds: float = 0.0

    def block(self) -> list[int]:
        """The next seeds that are searched."""
        fresh = max(0, BLOCK - len(self.left))
        seeds = [*self.left[:BLOCK], *range(self.seed, self.seed + fresh)]
        del self.left[:BLOCK]
        self.seed += fresh
        return seeds

    def add(self, seed: int, found: Found) -> None:
        """Count what came out of a seed."""
        self.seeds += 1
        self.cases += found.cases
        self.undecided += found.undecided
        self.wrong += len(found.faults)
        self.faults += [(seed, line) for line in found.faults[: max(0, KEPT - len(self.faults))]]


def go_on(
    tally: Tally,
    cases: int | None,
    seconds: float | None,
    jobs: int,
    notice: Callable[[Tally], None] = lambda tally: None,
) -> None:
    """Search on until so many cases are judged in all, or until so many more seconds are over.

    A seed that is under way when the time is up is looked at to its end, within `GRACE_S`; none is begun.
    """
    started = time.monotonic()
    # Processes compare this with their own clocks, which all count from the same begin only if it is the time of day.
    until = None if seconds is None else time.time() + seconds

    def over() -> bool:
        late = seconds is not None and time.monotonic() - started > seconds
        return late or (cases is not None and tally.cases >= cases)

    try:
        while not over():
            broken = _until_broken(tally, jobs, over, until, notice)
            for one in (seed for block in broken for seed in block):
                tally.add(one, _alone(tally.search, one))
    finally:
        tally.seconds += time.monotonic() - started


def _until_broken(
    tally: Tally, jobs: int, over: Callable[[], bool], until: float | None, notice: Callable[[Tally], None]
) -> list[list[int]]:
    """Search until it is over, a process dies or does not end; returns the blocks that are to be tried seed by seed."""
    with _pool(jobs) as pool:
        running: dict[Future[list[Found]], list[int]] = {}
        while True:
            while len(running) < jobs and not over():
                block = tally.block()
                running[pool.submit(_look, tally.search, block, until)] = block
            if not running:
                return []
            left_s = None if until is None or searches()[tally.search].slow else until + GRACE_S - time.time()
            done, _ = wait(running, None if left_s is None else max(0.0, left_s), FIRST_COMPLETED)
            if not done:
                # They are not tried again: they would not end the next time either.
                for block in running.values():
                    tally.add(block[0], Found(1, (UNENDED,)))
                _end_processes()
                return []
            for future in done:
                if isinstance(future.exception(), BrokenProcessPool):
                    return list(running.values())
                block, looked = running.pop(future), future.result()
                for one, found in zip(block, looked, strict=False):
                    tally.add(one, found)
                tally.left += block[len(looked) :]
            notice(tally)


def _alone(name: str, seed: int) -> Found:
    """One seed in a process of its own."""
    with _pool(1) as pool:
        try:
            return pool.submit(_look, name, [seed]).result()[0]
        except BrokenProcessPool:
            return Found(1, ("the process died",))


def _end_processes() -> None:
    """End all processes of the pool at once; a campaign has no others."""
    for process in multiprocessing.active_children():
        process.kill()


def _pool(jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, multiprocessing.get_context(START), initializer=_be_quiet)


def _be_quiet() -> None:
    """Leave Ctrl-C to the campaign, which ends its processes, and print nothing over its table."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)


def _look(name: str, seeds: list[int], until: float | None = None) -> list[Found]:
    """The outcomes of the seeds that begin in time; the first always runs, so a late process makes progress."""
    looked = []
    for seed in seeds:
        if looked and until is not None and time.time() > until:
            break
        looked.append(look(name, seed))
    return looked


def look(name: str, seed: int) -> Found:
    """The outcome of one seed; an exception is a fault."""
    try:
        return searches()[name].look(seed)
    except Exception as error:
        return Found(1, (f"{type(error).__name__}: {error}",))
