"""A line on standard error where work takes long."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from euclio.core.saying import say


@contextmanager
def noticed(message: str, after_s: float = 3) -> Iterator[None]:
    """Say what is going on if the work inside takes longer than that."""
    timer = threading.Timer(after_s, say, [message])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


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
        timer = threading.Timer(after_s, lambda: progress.update(task, visible=True))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
