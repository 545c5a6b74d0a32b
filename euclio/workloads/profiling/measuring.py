"""Measuring what a batch takes: workers that are all busy at once, the median of what they took, and its spread."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from euclio.core.progress import told
from euclio.core.words import amount, percent
from euclio.problems.session.instance import Configuration
from euclio.workloads.profiling.workers import AHEAD, NS_PER_S, Worker, worker_words
from euclio.workloads.session.csv_profiles import quantiles_of, whole_nanoseconds

FAR_OUT = 3
"""A duration is an outlier if it is above the third quartile by more than so many times the distance of the first and
third quartile (Tukey's outer fence)."""
PROMISED = 0.05
"""Part by which the measured rate may miss what the median promises before that is said."""
LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured.

    Attributes:
        warm_up: batches that each worker runs before it is measured.
        repeats: batches of each worker that are measured.
        time_out_s: seconds after which a batch is given up.
    """

    warm_up: int
    repeats: int
    time_out_s: float


@dataclass(frozen=True, slots=True)
class Sample:
    """What batches of one size took while so many ran at once.

    Attributes:
        batch: inputs of a batch.
        concurrency: workers that were busy at once.
        durations_ns: nanoseconds that the batches of all workers took, in ascending order.
        rate_rps: inputs per second of all workers together.
    """

    batch: int
    concurrency: int
    durations_ns: tuple[int, ...]
    rate_rps: float

    @property
    def median_s(self) -> Fraction:
        """The median in seconds."""
        return Fraction(statistics.median(self.durations_ns)) / NS_PER_S

    @property
    def quartiles_s(self) -> tuple[float, float]:
        """The first and the third quartile in seconds."""
        if len(self.durations_ns) < 2:
            return float(self.median_s), float(self.median_s)
        first, _, third = statistics.quantiles(self.durations_ns, n=4, method="inclusive")
        return first / NS_PER_S, third / NS_PER_S

    @property
    def spread(self) -> float:
        """The distance of the quartiles as a part of the median."""
        first_s, third_s = self.quartiles_s
        return (third_s - first_s) / float(self.median_s)

    @property
    def longest_s(self) -> float:
        """The longest duration in seconds."""
        return self.durations_ns[-1] / NS_PER_S

    @property
    def outliers(self) -> int:
        """How many durations are far above the others."""
        first_s, third_s = self.quartiles_s
        return sum(duration / NS_PER_S > third_s + FAR_OUT * (third_s - first_s) for duration in self.durations_ns)

    def configuration(self, hardware: str) -> Configuration:
        """The configuration whose duration is the median, rounded up to whole nanoseconds, with its quantiles."""
        durations = [Fraction(duration, NS_PER_S) for duration in self.durations_ns]
        median_s = whole_nanoseconds(self.median_s)
        return Configuration(hardware, self.batch, self.concurrency, median_s, quantiles_s=quantiles_of(durations))

    def remark(self) -> str:
        """What has to be said of the sample, in a line; empty: nothing."""
        promised = self.batch * self.concurrency / float(self.median_s)
        if self.rate_rps >= promised * (1 - PROMISED):
            return ""
        return (
            f"batch {self.batch}, concurrency {self.concurrency}: {amount(self.rate_rps, digits=4)} inputs/s were "
            f"served, {percent(1 - self.rate_rps / promised, 1)} less than the median promises"
        )


@told("measuring")
def measure(
    words: Sequence[str],
    batches: Sequence[int],
    concurrencies: Sequence[int],
    effort: Effort,
    move: Callable[[float], None],
) -> list[Sample]:
    """Samples by batch size and then by concurrency, in the order in which they are given, one after the other.

    Args:
        words: a worker's command, or `FILE.py:FUNCTION` alone.
        batches: batch sizes.
        concurrencies: workers at once.
        effort: how much is measured.
        move: is given how many batches of all have been measured.

    Raises:
        InputError: a worker cannot be started, ends, or does not answer.
    """
    found: list[Sample] = []
    for batch in batches:
        for concurrency in concurrencies:
            done = sum(len(sample.durations_ns) for sample in found)
            found.append(_sample(words, batch, concurrency, effort, partial(_moved, move, done)))
    return found


def _moved(move: Callable[[float], None], done: int, more: int) -> None:
    move(done + more)


class _Busy:
    """A worker that runs batches in a thread until all have been measured."""

    def __init__(self, worker: Worker, effort: Effort) -> None:
        self._worker, self._effort = worker, effort
        self.durations_ns: list[int] = []
        self.seconds = 0.0
        self.error: BaseException | None = None

    def run(self, start: threading.Barrier, stop: threading.Event) -> None:
        """Warm up, wait for the others, measure, and keep on so that the others do not run alone."""
        try:
            for _ in range(self._effort.warm_up):
                self._worker.run()
            start.wait()
            for _ in range(AHEAD + 1):  # may have been run before the others were ready
                self._worker.run()
            began = time.perf_counter()
            for _ in range(self._effort.repeats):
                self.durations_ns.append(self._worker.run())
            self.seconds = time.perf_counter() - began
            while not stop.is_set():
                self._worker.run()
        except threading.BrokenBarrierError:  # another worker failed, and says so
            pass
        except BaseException as error:
            self.error = error
            start.abort()

    @property
    def measured(self) -> bool:
        """Whether all its batches are measured."""
        return self.seconds > 0


def _sample(words: Sequence[str], batch: int, concurrency: int, effort: Effort, move: Callable[[int], None]) -> Sample:
    command = worker_words(words)
    start, stop = threading.Barrier(concurrency), threading.Event()
    with ExitStack() as stack:
        workers = [
            stack.enter_context(closing(Worker(command, batch, effort.time_out_s, " ".join(words))))
            for _ in range(concurrency)
        ]
        busy = [_Busy(worker, effort) for worker in workers]
        threads = [threading.Thread(target=one.run, args=(start, stop), daemon=True) for one in busy]
        for thread in threads:
            thread.start()
        while not all(one.measured for one in busy) and not any(one.error for one in busy):
            time.sleep(min(LOOK_S, effort.time_out_s))
            move(sum(len(one.durations_ns) for one in busy))
        _raise_first(busy)
        stop.set()
        for thread in threads:
            thread.join()
    durations = sorted(duration for one in busy for duration in one.durations_ns)
    rate_rps = sum(batch * effort.repeats / one.seconds for one in busy)
    return Sample(batch, concurrency, tuple(durations), rate_rps)


def _raise_first(busy: Sequence[_Busy]) -> None:
    """Raise what went wrong first in order of the workers; those that are left did not run next to as many."""
    for one in busy:
        if one.error is not None:
            raise one.error
