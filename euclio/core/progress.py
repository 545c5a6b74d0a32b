"""Progress on standard error: lines, and bars for long work.

Work that takes more than two seconds shows its progress, on the command line and in Python alike. On a terminal a line
or a bar appears and vanishes at the end; elsewhere, as in a notebook, a line stays. The outermost display has the turn:
work inside it shows nothing unless the display is `weak`. Only the main thread of a process that is not a worker shows
progress, so a batch reports for its runs.

The environment variable ``EUCLIO_QUIET=1`` hides everything except warnings and errors. Unlike an argument, a variable
also reaches calls from other programs and libraries.
"""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from euclio.core.errors import printable
from euclio.core.system import after_fork

if TYPE_CHECKING:
    from rich.progress import Progress

P = ParamSpec("P")
R = TypeVar("R")

QUIET = "EUCLIO_QUIET"
"""Environment variable that hides progress; "0" or empty has no effect."""
AFTER_S = 2.0
"""Seconds of work after which its progress is shown."""
IDLE_S = 5.0
"""Seconds that the display thread waits for the next display."""
SAY_EVERY_S = 10.0
"""Seconds between lines about a bar's progress without a terminal."""


def say(message: str) -> None:
    """Write one line on standard error; control characters are escaped."""
    print("euclio:", printable(message), file=sys.stderr, flush=True)


class _Watcher:
    """One thread that shows all displays when they are due; it ends when it is idle for a while.

    Starting a thread for each display would take as long as a small solve.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._next: tuple[float, _Shown] | None = None
        self._wakes_at = math.inf
        self._watches = False

    def show(self, shown: _Shown, after_s: float) -> None:
        """Show something after so many seconds, unless it is dropped before."""
        due = time.monotonic() + after_s
        with self._changed:
            self._next = due, shown
            if not self._watches:
                self._watches = True
                threading.Thread(target=self._watch, name="euclio-progress", daemon=True).start()
            elif due < self._wakes_at:
                self._changed.notify()

    def drop(self, shown: _Shown) -> None:
        """Stop showing something; wait if it is just being shown."""
        with self._changed:
            if self._next is not None and self._next[1] is shown:
                self._next = None

    def _watch(self) -> None:
        with self._changed:
            idle_since = time.monotonic()
            while self._next is not None or time.monotonic() < idle_since + IDLE_S:
                now = time.monotonic()
                if self._next is None:
                    self._wakes_at = idle_since + IDLE_S
                elif self._next[0] <= now:
                    shown, self._next = self._next[1], None
                    again_s = shown.show()
                    idle_since = time.monotonic()
                    if again_s is not None:
                        self._next = idle_since + again_s, shown
                    continue
                else:
                    self._wakes_at = idle_since = self._next[0]
                self._changed.wait(max(0.0, self._wakes_at - now))
            self._watches = False


_watcher = _Watcher()


class _Shown(AbstractContextManager[Any]):
    """A display of long work, hidden at first. As a context it takes the turn, if that is free.

    It is a class because each solve makes one, and a generator would double the time to begin and end.

    Args:
        what: what is going on.
        after_s: seconds until it is shown. None means `AFTER_S`.
        total: total of the bar. None shows the elapsed time instead of a bar.
        counted: whether the bar counts steps.
        weak: whether what is inside may take the turn.
        far: returns the progress in words, empty if unknown; it is called repeatedly while the work runs.

    Attributes:
        given: the function by which the work inside reports its progress.
    """

    def __init__(
        self,
        what: str,
        after_s: float | None,
        total: float | None = None,
        *,
        counted: bool = False,
        weak: bool = False,
        far: Callable[[], str] | None = None,
    ) -> None:
        self.what, self.weak = what, weak
        self._far, self._is_known, self._said = far, False, ""
        self._after_s = AFTER_S if after_s is None else after_s
        self._total, self._counted = total, counted
        self._done = 0.0
        self._began = time.monotonic()
        self._said_at: float | None = None
        self._bars: Progress | None = None
        self.given: Callable[..., None] | None = None
        self._outer: _Shown | None = None
        self._shows = False

    def __enter__(self) -> Callable[..., None] | None:
        global _turn
        self._shows = _may_show()
        if self._shows:
            self._outer, _turn = _turn, self
            if self._outer is not None:
                self._outer.end()
            self.begin()
        return self.given

    def __exit__(self, *_: object) -> None:
        global _turn
        if self._shows:
            self.end()
            _turn = self._outer
            if self._outer is not None:
                self._outer.begin()

    def begin(self) -> None:
        """Count the seconds from now."""
        if self._after_s == math.inf:
            return
        _watcher.show(self, self._after_s)

    def end(self) -> None:
        """Show no more; on a terminal nothing stays."""
        _watcher.drop(self)
        if self._bars is not None:
            self._bars.stop()
            self._bars = None

    def change(self, what: str) -> None:
        """Something else is going on now."""
        self.what = what
        if self._bars is not None:
            self._bars.update(self._bars.task_ids[0], description=what)
        elif self._said_at is not None:  # another line, if this takes long too
            self.end()
            self.begin()

    def reach(self, done: float) -> None:
        """The bar has come so far."""
        self._done = done
        if self._bars is not None:
            self._bars.update(self._bars.task_ids[0], completed=done)
        elif self._said_at is not None and time.monotonic() > self._said_at + SAY_EVERY_S:
            self._say()

    def step(self, total: int | None = None) -> None:
        """One step of the bar is done; how many there are need not be known before the first one."""
        if total is not None:
            self._total = total
            if self._bars is not None:
                self._bars.update(self._bars.task_ids[0], total=total)
        self.reach(self._done + 1)

    def show(self) -> float | None:
        """Show it now; returns the seconds until it is to be shown again. None means that it updates itself."""
        if not _is_terminal():
            self._say()
            if self._far is None:
                return None
            return SAY_EVERY_S if self._is_known else AFTER_S
        self._bars = _bars(self._total is not None or self._counted, self._counted, has_far=self._far is not None)
        far = None if self._far is None else _AskedText(self._far)
        task = self._bars.add_task(self.what, total=self._total, completed=int(self._done), far=far)
        self._bars.tasks[0].start_time = self._bars.get_time() - (time.monotonic() - self._began)
        self._bars.update(task, completed=self._done)
        self._bars.start()
        return None

    def _say(self) -> None:
        self._said_at = time.monotonic()
        far = f"{self._done:.0f} of {self._total:.0f}" if self._total and self._done else ""
        if self._far is not None:
            far = self._far()
            self._is_known = far != ""
        line = f"{self.what}: {far} …" if far else f"{self.what} …"
        # Nothing is said twice in a row, such as a gap that has not become smaller.
        if line != self._said or self._far is None:
            say(line)
        self._said = line


_turn: _Shown | None = None
_muted = False


def mute() -> None:
    """Hide the progress of this process: it works for another one that shows it."""
    global _muted, _watcher
    # A fork may have happened while the thread held what it waits for.
    _muted, _watcher = True, _Watcher()


after_fork(mute)


def is_quiet() -> bool:
    """Whether progress is hidden, by `QUIET` or because this process works for another one."""
    processes = sys.modules.get("multiprocessing.process")
    is_child = processes is not None and processes.parent_process() is not None
    return _muted or is_child or os.environ.get(QUIET, "0") not in ("", "0")


def _may_show() -> bool:
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and (_turn is None or _turn.weak) and not is_quiet()


def waiting(
    what: str, after_s: float | None = None, *, weak: bool = False, far: Callable[[], str] | None = None
) -> AbstractContextManager[Callable[[str], None]]:
    """Show what is going on and the time gone, if the work inside takes longer than that.

    Args:
        what: what is going on.
        after_s: seconds until it is shown. None means `AFTER_S`.
        weak: whether work inside may show its own display instead, for a caller without details.
        far: returns the progress in words, such as plan, bound and gap; empty if unknown. A terminal shows it all the
            time. Elsewhere another line shows it once it is known, and then its changes every `SAY_EVERY_S`.

    Returns:
        A context that yields a function to change the displayed text.
    """
    shown = _Shown(what, after_s, weak=weak, far=far)
    shown.given = shown.change
    return shown


def told(what: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator that makes a long-running function show its progress, as `waiting` does."""

    def around(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def shown(*args: P.args, **kwargs: P.kwargs) -> R:
            with waiting(what):
                return function(*args, **kwargs)

        return shown

    return around


def late_bar(what: str, total: float, after_s: float | None = None) -> AbstractContextManager[Callable[[float], None]]:
    """A bar up to a total, shown after `after_s` seconds; yields the function that moves it."""
    shown = _Shown(what, after_s, total)
    shown.given = shown.reach
    return shown


def progress_bar(what: str, total: int, after_s: float | None = None) -> AbstractContextManager[Callable[[], None]]:
    """A bar of `total` steps, shown after `after_s` seconds; yields the function that counts one step as done."""
    shown = _Shown(what, after_s, total, counted=True)
    shown.given = shown.step
    return shown


def counted_bar(what: str) -> AbstractContextManager[Callable[[int], None]]:
    """As `progress_bar`, with a total known only at the first step; yields the function that counts a step."""
    shown = _Shown(what, None, counted=True)
    shown.given = shown.step
    return shown


@contextmanager
def in_turn(*, weak: bool = False) -> Iterator[bool]:
    """Take the turn for a display of the caller's own; yields whether it may show.

    Args:
        weak: whether work inside may show its own display too.
    """
    if not _may_show():
        yield False
        return
    with _Shown("", math.inf, weak=weak):
        yield True


def progress_bars() -> Progress:
    """Bars with count, time gone and time left, of which there may be several; they take no turn."""
    return _bars(True, True, transient=False, disable=is_quiet())


def _is_terminal() -> bool:
    from rich.console import Console

    return Console(stderr=True).is_terminal


class _AskedText:
    """A text that is computed each time it is written."""

    def __init__(self, ask: Callable[[], str]) -> None:
        self._ask = ask

    def __format__(self, spec: str) -> str:
        return self._ask()


def _bars(
    barred: bool,
    counted: bool,
    *,
    transient: bool = True,
    disable: bool = False,
    has_far: bool = False,
) -> Progress:
    from rich import progress
    from rich.console import Console
    from rich.table import Column

    how_far = (progress.MofNCompleteColumn() if counted else progress.TaskProgressColumn(),) if barred else ()
    left = (progress.TimeRemainingColumn(),) if barred else ()
    return progress.Progress(
        *(() if barred else (progress.SpinnerColumn(),)),
        # If a line is too short for both, the description takes several, and the progress stays in one.
        progress.TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=not has_far)),
        *(() if not has_far else (progress.TextColumn("{task.fields[far]}", markup=False),)),
        *((progress.BarColumn(),) if barred else ()),
        *how_far,
        progress.TimeElapsedColumn(),
        *left,
        console=Console(stderr=True),
        transient=transient,
        disable=disable,
    )
