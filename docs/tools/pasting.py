"""Puts what a tool has found into a page, between two marks, so that a number stands where it is read and once only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

FINDINGS = Path(__file__).resolve().parents[1] / "findings"


def paste(page: Path, found: dict[str, str]) -> None:
    """Replace what stands between `<!-- table: NAME -->` and `<!-- end: NAME -->` in a page, and print it.

    Args:
        page: the page.
        found: Markdown by name.

    Raises:
        ValueError: the page has no such marks.
    """
    text = page.read_text(encoding="utf-8")
    for name, block in found.items():
        start, end = f"<!-- table: {name} -->\n", f"<!-- end: {name} -->"
        before, mark, rest = text.partition(start)
        _, closing, after = rest.partition(end)
        if not mark or not closing:
            raise ValueError(f"{page.name}: there is no {start.strip()} with {end} behind it")
        text = f"{before}{start}\n{block.strip()}\n\n{end}{after}"
        print(f"\n[{page.name}: {name}]\n{block.strip()}")
    page.write_text(text, encoding="utf-8", newline="\n")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def spread(values: Sequence[float], digits: int, unit: str = "") -> str:
    """The least and the largest of some numbers: "12 to 30 %"."""
    low, high = (f"{value:.{digits}f}" for value in (min(values), max(values)))
    return f"{low if low == high else f'{low} to {high}'}{unit}"
