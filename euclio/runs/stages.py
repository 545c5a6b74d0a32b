"""Stages of a reproduction: a progress bar on stderr and the wall time of each."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


def progress_bars() -> Progress:
    """Bars with count, time gone and time left."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )


class Stage:
    """A stage of the run: a bar on stderr and its wall time."""

    def __init__(self, progress: Progress, seconds: dict[str, float], name: str, total: int) -> None:
        self._progress, self._seconds, self._name = progress, seconds, name
        self._task = progress.add_task(name, total=total)

    def advance(self, steps: int) -> None:
        """Count steps that are done."""
        self._progress.advance(self._task, steps)

    def __enter__(self) -> Stage:
        self._started = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self._seconds[self._name] = time.perf_counter() - self._started
