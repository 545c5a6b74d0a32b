"""The same work on many things, in threads of this process on all cores (ours).

Machine code and engines release Python's lock while they run, so other threads can run Python. With processes, every
instance and every result would have to be sent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from euclio.core.progress import progress_bar
from euclio.core.system import cores

T = TypeVar("T")
R = TypeVar("R")

SHORT_S = 0.003
"""Seconds below which a thing is done in this thread: threads that wait for Python's lock in turn would take longer."""
BLOCK, BLOCK_S = 8, 0.2
"""How many things in a row, or for how long, one thread does before it is looked how long they take."""


def on_all_cores(work: Callable[[T], R], things: Sequence[T], what: str, jobs: int | None = None) -> list[R]:
    """The results of the work on each thing, in their order, with a progress bar.

    Args:
        work: the work.
        things: the inputs of the work.
        what: description of the work for the bar.
        jobs: threads. None means one per core.

    Raises:
        Exception: the work raised it; work that has not begun then never does.
    """
    count = min(jobs or cores(), len(things))
    with progress_bar(what, len(things)) as step:
        done: list[R] = []
        while len(done) < len(things):
            began, before = time.perf_counter(), len(done)
            while len(done) < min(len(things), before + BLOCK) and time.perf_counter() < began + BLOCK_S:
                done.append(_counted(work(things[len(done)]), step))
            if count > 1 and time.perf_counter() - began > SHORT_S * (len(done) - before):
                break
        if len(done) == len(things):
            return done
        pool = ThreadPoolExecutor(count)
        try:
            return [*done, *(_counted(made, step) for made in pool.map(work, things[len(done) :]))]
        finally:
            pool.shutdown(cancel_futures=True)


def _counted(made: R, step: Callable[[], None]) -> R:
    step()
    return made
