"""What is said on standard error: lines, and bars where work takes long."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from euclio.core.errors import printable

if TYPE_CHECKING:
    from rich.progress import Progress


def say(message: str) -> None:
    """Say something in one line on standard error; what a terminal would obey is written as escapes."""
    print("euclio:", printable(message), file=sys.stderr, flush=True)


@contextmanager
def _after(seconds: float, action: Callable[[], object]) -> Iterator[None]:
    """Do something if the work inside takes longer than that."""
    timer = threading.Timer(seconds, action)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def noticed(message: str, after_s: float = 3) -> Iterator[None]:
    """Say what is going on if the work inside takes longer than that."""
    with _after(after_s, lambda: say(message)):
        yield


@contextmanager
def waiting(what: str, after_s: float = 2) -> Iterator[None]:
    """Show what is going on and the time gone, if the work inside takes longer than that.

    On a terminal a line that is taken away at the end; elsewhere one that stays.
    """
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        with noticed(f"{what} …", after_s):
            yield
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, total=None, visible=False)
        with _after(after_s, lambda: progress.update(task, visible=True)):
            yield


def progress_bars() -> Progress:
    """Bars with count, time gone and time left."""
    from rich import progress
    from rich.console import Console

    return progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
        console=Console(stderr=True),
    )


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[], None]]:
    """One bar of so many steps; gives what counts a step that is done."""
    with progress_bars() as bars:
        task = bars.add_task(what, total=total)
        yield lambda: bars.advance(task)


@contextmanager
def late_bar(what: str, total: float, after_s: float = 2) -> Iterator[Callable[[float], None]]:
    """One bar up to a total, shown on a terminal if the work inside takes longer than that; gives what moves it."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn())
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True) as bars:
        task = bars.add_task(what, total=total, visible=False)
        with _after(after_s, lambda: bars.update(task, visible=True)):
            yield lambda reached: bars.update(task, completed=reached)
