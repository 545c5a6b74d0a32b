"""What is said on standard error: lines, and bars where work takes long.

Whoever waits for more than two seconds is told what for, on the command line and in Python alike: on a terminal by a
line or a bar that is taken away at the end, elsewhere, as in a notebook, by a line that stays. What is shown holds the
turn: nothing inside it shows itself too. Only the main thread of a process that is nobody's worker shows anything, so
that a batch says what its runs do not.

The environment variable ``EUCLIO_QUIET=1`` has nothing shown, but for warnings and errors. A variable reaches all of
it, also what other programs and libraries call; an argument would have to be passed on by all of them.
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
"""Environment variable that has nothing shown of what takes long; "0" or empty: as if it were not set."""
AFTER_S = 2.0
"""What takes longer than this is shown."""
IDLE_S = 5.0
"""How long the thread that shows things waits for the next one."""
SAY_EVERY_S = 10.0
"""How often a line says how far a bar is where there is no terminal."""


def say(message: str) -> None:
    """Say something in one line on standard error; what a terminal would obey is written as escapes."""
    print("euclio:", printable(message), file=sys.stderr, flush=True)


class _Watcher:
    """One thread that shows what is due, for all that takes the turn, until nothing has asked for it for a while.

    Starting one for each would take as long as a small solve does.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._next: tuple[float, _Shown] | None = None
        self._wakes_at = math.inf
        self._watches = False

    def show(self, shown: _Shown, after_s: float) -> None:
        """Have something shown after so many seconds, unless it is dropped before."""
        due = time.monotonic() + after_s
        with self._changed:
            self._next = due, shown
            if not self._watches:
                self._watches = True
                threading.Thread(target=self._watch, name="euclio-progress", daemon=True).start()
            elif due < self._wakes_at:
                self._changed.notify()

    def drop(self, shown: _Shown) -> None:
        """Show something no more; what is just being shown is waited for."""
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
    """What is shown while work takes long: nothing at first. As a context it has the turn inside, if that is free.

    A class, since each solve takes a turn, and a generator takes as long again to begin and to end.

    Args:
        what: what is going on.
        after_s: seconds until it is shown; None: the usual ones.
        total: what a bar goes up to; None: no bar, the time gone.
        counted: whether the bar counts steps.
        weak: whether what is inside may take the turn.
        far: says how far the work is; empty: not known. Asked again as long as it goes on.

    Attributes:
        given: what the work inside is given to say how it goes on.
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
        """Show it now; gives the seconds after which it is to be shown again (None: it changes by itself)."""
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
    """Let this process show nothing of what takes long: it works for one that waits for it and says so."""
    global _muted, _watcher
    # A fork may have happened while the thread held what it waits for.
    _muted, _watcher = True, _Watcher()


after_fork(mute)


def is_quiet() -> bool:
    """Whether nothing is to be shown: that is asked for, or this process works for another."""
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
        after_s: seconds until it is shown; None: the usual ones.
        weak: whether what is inside may show itself instead: for what knows no more than that there is work.
        far: says how far the work is, such as plan, bound and gap; empty: not known. On a terminal it is asked all the
            time; elsewhere another line says it as soon as it is known, and then what has changed every `SAY_EVERY_S`.

    Returns:
        A context that gives what says that something else is going on now.
    """
    shown = _Shown(what, after_s, weak=weak, far=far)
    shown.given = shown.change
    return shown


def told(what: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """What makes a function show what is going on while it takes long, as `waiting` does."""

    def around(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def shown(*args: P.args, **kwargs: P.kwargs) -> R:
            with waiting(what):
                return function(*args, **kwargs)

        return shown

    return around


def late_bar(what: str, total: float, after_s: float | None = None) -> AbstractContextManager[Callable[[float], None]]:
    """A bar up to a total, shown if the work inside takes longer than that; gives what moves it."""
    shown = _Shown(what, after_s, total)
    shown.given = shown.reach
    return shown


def progress_bar(what: str, total: int, after_s: float | None = None) -> AbstractContextManager[Callable[[], None]]:
    """A bar of so many steps, shown if the work inside takes longer than that; gives what counts one that is done."""
    shown = _Shown(what, after_s, total, counted=True)
    shown.given = shown.step
    return shown


def counted_bar(what: str, after_s: float | None = None) -> AbstractContextManager[Callable[[int], None]]:
    """As `progress_bar`, where how many steps there are is known at the first one; gives what counts one of so many."""
    shown = _Shown(what, after_s, counted=True)
    shown.given = shown.step
    return shown


@contextmanager
def in_turn(*, weak: bool = False) -> Iterator[bool]:
    """Take the turn for what shows itself in its own way; gives whether it may.

    Args:
        weak: whether what is inside may show itself too.
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
    """A text that is asked for each time that it is written."""

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
        # Where a line is too short for both, what is going on takes several, and not how far it is.
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
