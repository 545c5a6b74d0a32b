"""Puts what a tool has found into a page, between two marks, so that a number stands where it is read and once only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from euclio.files.marked import put_between

FINDINGS = Path(__file__).resolve().parents[1] / "findings"


def paste(page: Path, found: dict[str, str]) -> None:
    """Write tables between their marks in a page (`euclio.files.marked`), and print them.

    Args:
        page: the page.
        found: Markdown by name.

    Raises:
        InputError: the page has no such marks.
    """
    for name, block in found.items():
        put_between(page, name, block)
        print(f"\n[{page.name}: {name}]\n{block.strip()}")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def spread(values: Sequence[float], digits: int, unit: str = "") -> str:
    """The least and the largest of some numbers: "12 to 30 %"."""
    low, high = (f"{value:.{digits}f}" for value in (min(values), max(values)))
    return f"{low if low == high else f'{low} to {high}'}{unit}"
