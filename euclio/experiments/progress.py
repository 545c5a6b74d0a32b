"""Progress of a batch: counts by status, rate and time left, as a bar on a terminal and as lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter, deque
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from euclio.core import progress
from euclio.core.result import Status
from euclio.core.words import amount, time_left
from euclio.experiments.record import MEASURED

SHOW_EVERY_S = 0.25
SAY_EVERY_S = 10.0
WINDOW_S = 30.0
"""Seconds over which the rate is taken."""


STATUSES = (*(status.value for status in Status), MEASURED)


class Pace:
    """Counts of finished runs.

    Args:
        total: runs of the experiment.
        kept: runs that were finished before.

    Attributes:
        by_status: runs finished now, by status.
    """

    def __init__(self, total: int, kept: int) -> None:
        self.total, self.kept, self.made = total, kept, 0
        self.by_status: Counter[str] = Counter()
        self._moments: deque[tuple[float, int]] = deque()

    def count(self, status: str) -> None:
        """Count a finished run; the rate leaves out the preparation before the first one."""
        self.made += 1
        self.by_status[status] += 1
        if self.made == 1:
            self._moments.append((time.monotonic(), 1))

    def look(self) -> tuple[float | None, float | None]:
        """Recent runs per second, and seconds left; None if not known yet."""
        if self.made < 2:
            return None, None
        now = time.monotonic()
        self._moments.append((now, self.made))
        while self._moments[1][0] < now - WINDOW_S:
            self._moments.popleft()
        since, before = self._moments[0]
        if self.made == before or now <= since:
            return None, None
        rate = (self.made - before) / (now - since)
        return rate, (self.total - self.kept - self.made) / rate


class Display:
    """The display of a batch's progress on standard error.

    Args:
        stream: the output stream; None means standard error.
        quiet: show nothing, as if `euclio.core.progress.is_quiet`.
    """

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._quiet = quiet = quiet or progress.is_quiet()
        self._bars = None if quiet or not self._stream.isatty() else _bars(self._stream)
        self._said_at = time.monotonic() - SAY_EVERY_S + progress.AFTER_S
        self._turn = ExitStack()
        self._instances = 0

    def __enter__(self) -> Display:
        if not self._quiet:
            self._turn.enter_context(progress.in_turn(weak=True))
        if self._bars is not None:
            self._bars.start()
            self._looking = self._bars.add_task("looking at instances", total=None, state="")
        return self

    def __exit__(self, *_: object) -> None:
        if self._bars is not None:
            self._bars.stop()
        self._turn.close()

    def count_instance(self) -> None:
        """One more instance was checked."""
        self._instances += 1
        if self._bars is not None:
            self._bars.update(self._looking, completed=self._instances)
        elif self._is_time():
            self._say(f"{self._instances} instances looked at so far")

    def drawing(self) -> AbstractContextManager[object]:
        """Inside, instances are drawn, which may take long before the first is there."""
        shown = self._quiet or self._bars is not None
        what = "looking at generated instances; they are drawn once and kept"
        return nullcontext() if shown else progress.waiting(what)

    def begin(self, pace: Pace) -> None:
        """All instances are known; runs begin."""
        if self._bars is not None:
            self._bars.update(self._looking, visible=False)
            done = pace.kept + pace.made
            self._running = self._bars.add_task("runs", total=pace.total, completed=done, state="")
        elif pace.kept:
            self._say(f"{pace.kept} of {pace.total} runs were made before")

    def show(self, pace: Pace, rate: float | None, left_s: float | None) -> None:
        """Show the progress."""
        state = described(pace.by_status, rate, left_s)
        if self._bars is not None:
            self._bars.update(self._running, completed=pace.kept + pace.made, state=state)
        elif self._is_time():
            self._say(f"{pace.kept + pace.made} of {pace.total} runs, {state}")

    def end(self, pace: Pace) -> None:
        """The batch is finished."""
        done = pace.kept + pace.made
        state = f": {described(pace.by_status)}" if pace.made else ""
        if self._bars is not None and pace.made:
            self._bars.update(self._running, completed=done, state=described(pace.by_status))
        if self._bars is not None:
            self._bars.stop()
        self._say(f"{done} of {pace.total} runs are finished, {pace.made} of them made now{state}")

    def _is_time(self) -> bool:
        if time.monotonic() < self._said_at + SAY_EVERY_S:
            return False
        self._said_at = time.monotonic()
        return True

    def _say(self, line: str) -> None:
        if not self._quiet:
            print(f"euclio: {line}", file=self._stream, flush=True)


def described(by_status: Mapping[str, int], rate: float | None = None, left_s: float | None = None) -> str:
    """Rate, time left and counts by status in one line."""
    parts = [] if rate is None else [f"{amount(rate, digits=3)}/s"]
    parts += [] if left_s is None else [f"{time_left(left_s)} left"]
    counts = ", ".join(f"{by_status[status]} {status}" for status in STATUSES if by_status.get(status))
    return ", ".join([*parts, counts or "none finished yet"])


def _bars(stream: TextIO) -> Progress:
    state = TextColumn("{task.fields[state]}")
    columns = (TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), state)
    return Progress(*columns, console=Console(file=stream))
