"""Measuring what a batch takes: workers that are all busy at once, the median of what they took, and its spread."""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

import psutil

from euclio.core.errors import InputError
from euclio.core.parameters import option_text
from euclio.core.progress import told
from euclio.core.system import readable
from euclio.core.words import amount, full, percent
from euclio.problems.session.instance import Configuration
from euclio.supervision.keeper import Started, below_keeper
from euclio.workloads.session.csv_profiles import quantiles_of, whole_nanoseconds

# Workers: processes that run a batch for each line they are sent, and answer a line when it is done.
#
# The line says the batch size. Some lines are sent ahead, so that no worker waits for the next one. An answer `took
# 0.0123` gives the seconds that the batch took by the worker's own clock; other lines are timed from the answer before.

TOOK = re.compile(rb"took (\d{1,9}(?:\.\d{1,18})?)\s*")
FUNCTION = re.compile(r"(?P<file>.+\.py):(?P<name>\w+)")
NS_PER_S = 10**9
PIECE_BYTES = 1 << 16
ENDING_S = 1.0
"""How long a worker that closed its output is given to end by itself, so that it can be said how it ended."""
AHEAD = 4
"""Batches that a worker knows of next to the one that it runs."""


def worker_words(words: Sequence[str]) -> list[str]:
    """The words of a worker's command: those given, or for `FILE.py:FUNCTION` those that run the function."""
    function = FUNCTION.fullmatch(words[0]) if len(words) == 1 else None
    if function is None:
        return list(words)
    # With -P the folder of worker.py does not come before the user's own modules.
    return [sys.executable, "-P", str(Path(__file__).with_name("worker.py")), function["file"], function["name"]]


class Worker:
    """A process that runs batches of one size.

    Args:
        words: its command.
        batch: inputs of a batch.
        time_out_s: seconds after which an answer is not waited for any longer.
        name: what errors call it.

    Raises:
        InputError: it cannot be started.
    """

    def __init__(self, words: Sequence[str], batch: int, time_out_s: float, name: str) -> None:
        self._batch, self._time_out_s, self._name = batch, time_out_s, name
        if shutil.which(words[0]) is None:
            reason = "permission denied" if Path(words[0]).is_file() else "no such file or directory"
            raise InputError(f"cannot be run: {reason}", field=name)
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115
        self._heard, self._lines, self._sent, self._answered = b"", 0, 0, 0
        self._answered_ns = time.perf_counter_ns()
        try:
            process = psutil.Popen(
                below_keeper(list(words)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                start_new_session=True,
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            self._complaints.close()
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(f"cannot be run: {reason.lower()}", field=name) from None
        self._started = Started(process)
        self._input, self._output = process.stdin, process.stdout

    def run(self) -> int:
        """Wait for one batch; the nanoseconds that it took, of the first batch its preparation too if it is timed here.

        Raises:
            InputError: the worker ended, did not answer in time, or says more than a line for each batch.
        """
        while self._sent <= self._answered + AHEAD:
            self._send()
        before_ns = self._answered_ns
        line = self._line(time.perf_counter_ns() + int(self._time_out_s * NS_PER_S))
        self._answered, self._answered_ns = self._answered + 1, time.perf_counter_ns()
        took = TOOK.fullmatch(line)
        return max(1, round(float(took[1]) * NS_PER_S) if took else self._answered_ns - before_ns)

    def _send(self) -> None:
        try:
            self._input.write(f"{self._batch}\n".encode())
        except OSError:
            raise self._ended() from None
        self._sent += 1

    def close(self) -> None:
        """End the worker and all that it started."""
        self._started.end()
        for stream in (self._input, self._output, self._complaints):
            with suppress(OSError):  # a pipe that no process reads any longer
                stream.close()

    def _line(self, deadline_ns: int) -> bytes:
        """The next line that the worker answers, by a time of the clock."""
        while b"\n" not in self._heard:
            left_s = (deadline_ns - time.perf_counter_ns()) / NS_PER_S
            if left_s <= 0 or not self._ready(left_s):
                message = f"does not answer within {full(self._time_out_s)} s; print a line for each line that is read"
                raise InputError(f"{message}, and flush it, or raise {option_text('--time-out')}", field=self._name)
            if not self._hear():
                raise self._ended()
        line, _, self._heard = self._heard.partition(b"\n")
        return line

    def _ready(self, seconds: float) -> bool:
        """Whether the worker says something, or ends, within some seconds; `readable` says where they are not kept."""
        return readable(self._output.fileno(), seconds)

    def _hear(self) -> bool:
        """Take in what the worker has said; whether there was anything."""
        piece = os.read(self._output.fileno(), PIECE_BYTES)
        self._heard += piece
        self._lines += piece.count(b"\n")
        if self._lines > self._sent:
            raise InputError("prints more than a line for each batch; print one, when it is done", field=self._name)
        return bool(piece)

    def _ended(self) -> InputError:
        """The message about a worker that is gone, with the last line of its complaints."""
        self._complaints.seek(0)
        lines = self._complaints.read().decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "it says nothing")
        how = self._started.how_it_ended(ENDING_S) or "closed its output"
        return InputError(f"{how} before it answered: {last}", field=self._name)


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
    """The durations of batches of one size while so many ran at once.

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
        """A warning about the sample, in a line; empty if there is none."""
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
        # The first error in order of the workers; those that are left did not run next to as many.
        for one in busy:
            if one.error is not None:
                raise one.error
        stop.set()
        for thread in threads:
            thread.join()
    durations = sorted(duration for one in busy for duration in one.durations_ns)
    rate_rps = sum(batch * effort.repeats / one.seconds for one in busy)
    return Sample(batch, concurrency, tuple(durations), rate_rps)
