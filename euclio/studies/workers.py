"""Worker processes: each loads what it needs once, then turns chunks of work into results."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")


@contextmanager
def worker_pool(jobs: int, warm_up: Callable[..., None], *arguments: Any) -> Iterator[ProcessPoolExecutor]:
    """Worker processes, each of which has called `warm_up` with the arguments.

    Fresh processes rather than forks: the parent may hold threads by then.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=warm_up, initargs=arguments) as pool:
        yield pool


def run_chunks(
    pool: ProcessPoolExecutor, run: Callable[[T], Sequence[R]], chunks: Sequence[T], advance: Callable[[int], None]
) -> list[R]:
    """Run all chunks; the results come in their order."""
    results: list[R] = []
    for done in pool.map(run, chunks):
        results += done
        advance(len(done))
    return results
