"""What an export holds, as text for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.families import families
from euclio.core.tables import new_table
from euclio.core.words import DASH
from euclio.experiments.bench_set.export.record import MODEL, PROOF, Export, ExportedInstance

COLUMNS = ("instances", "programs", "median bytes", "proofs", "median bytes of proofs")


def exported_table(export: Export) -> RenderableType:
    """A row per family with its programs and proofs; what has no program, or no proof, and why."""
    table = new_table("family", *COLUMNS, numbers=COLUMNS, spare=COLUMNS[-1:])
    names = [family.name for family in families()]
    for name in (*names, None):
        own = [entry for entry in export.entries if name in (None, entry.family)]
        if own:
            table.add_row(name or "all", str(len(own)), *_cells(own, MODEL), *_cells(own, PROOF))
    return Group(table, Text("\n".join(_missing(export))))


def _cells(entries: Sequence[ExportedInstance], ending: str) -> Iterator[str]:
    sizes = [file.size for entry in entries if (file := entry.file(ending)) is not None]
    yield from (str(len(sizes)), f"{median(sizes):,.0f}" if sizes else DASH)


def _missing(export: Export) -> Iterator[str]:
    for what, reasons in (
        ("program", Counter(entry.no_model for entry in export.entries if entry.no_model)),
        ("proof", Counter(entry.no_proof for entry in export.entries if entry.no_proof and not entry.no_model)),
    ):
        yield from (f"{count} without a {what}: {reason}" for reason, count in reasons.most_common())
