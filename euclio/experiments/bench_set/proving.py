"""Proof files of the benchmark set's proofs: how many there are, how large, and what checking them takes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.certificate import Certificate, Verdict
from euclio.core.system import read_bytes
from euclio.core.tables import new_table
from euclio.core.words import DASH, duration
from euclio.experiments.bench_set.manifest import Difficulty, Entry
from euclio.proving.files.checker import check_text, text_of

COLUMNS = ("proofs", "files", "median bytes", "largest", "median check", "longest")


def proofs_table(made: Sequence[tuple[Entry, Certificate]]) -> RenderableType:
    """A row per class with the sizes of its proof files and the times of checking them again; what has none, and why.

    Raises:
        RefusedError: a file is refused, which it was not when it was written.
    """
    table = new_table("class", *COLUMNS, numbers=COLUMNS)
    for difficulty in (*Difficulty, None):
        own = [found for entry, found in made if difficulty in (None, entry.difficulty)]
        if own:
            table.add_row(str(difficulty or "all"), *_cells(own))
    return Group(table, Text("\n".join(_missing(made))))


def _cells(certificates: Sequence[Certificate]) -> Iterator[str]:
    files = [found.proof for found in certificates if found.proof is not None]
    yield from (f"{len(certificates):,}", f"{len(files):,}")
    if not files:
        yield from [DASH] * 4
        return
    sizes, times = [file.size for file in files], [_check_s(file.path) for file in files]
    yield from (f"{median(sizes):,.0f}", f"{max(sizes):,}", duration(median(times)), duration(max(times)))


def _check_s(path: str) -> float:
    """Seconds that reading and checking a file takes."""
    started = time.perf_counter()
    check_text(text_of(read_bytes(Path(path))))
    return time.perf_counter() - started


def _missing(made: Sequence[tuple[Entry, Certificate]]) -> Iterator[str]:
    """A line for each reason that proofs have no file, with how many."""
    reasons = Counter(
        found.reason if found.verdict is Verdict.OPEN else found.no_proof for _, found in made if found.proof is None
    )
    yield from (f"{count} without a file: {reason}" for reason, count in reasons.most_common())
