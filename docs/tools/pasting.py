"""Puts what a tool has found into a page, between two marks, and its figures next to the pages.

So a number stands where it is read and once only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from euclio.core.figures import figure_style, rounded_svg
from euclio.files.marked import put_between

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FINDINGS, FIGURES = DOCS / "findings", DOCS / "figures"
PAPERS = {"harpagon": "Harpagon", "piccolo": "Piccolo", "scrooge": "Scrooge", "ppipe": "PPipe", "graft": "Graft"}
"""The papers whose numbers are counted."""
OPENED = '<details markdown="1">'
PLAIN: Mapping[str, object] = {"svg.fonttype": "none", "font.size": 9}
"""Settings of figures in matplotlib's own look."""
OPEN: Mapping[str, object] = {**PLAIN, "axes.spines.top": False, "axes.spines.right": False}
"""The same without a frame above and to the right."""


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


def fold(title: str, body: str, kind: str = "<details>") -> str:
    """A part of a page that is folded at first; `OPENED` where the page builder has to read Markdown in it."""
    return f"{kind}<summary>{title}</summary>\n\n{body}\n\n</details>"


def spread(values: Sequence[float], digits: int, unit: str = "") -> str:
    """The least and the largest of some numbers: "12 to 30 %"."""
    low, high = (f"{value:.{digits}f}" for value in (min(values), max(values)))
    return f"{low if low == high else f'{low} to {high}'}{unit}"


def less_same_more(ratios: Iterable[float]) -> tuple[int, int, int]:
    """How many ratios are below 1, equal to it, above it."""
    own = list(ratios)
    less, more = sum(ratio < 1 - 1e-9 for ratio in own), sum(ratio > 1 + 1e-9 for ratio in own)
    return less, len(own) - less - more, more


def draw_plain(path: Path, draw: Callable[[], Figure], style: Mapping[str, object] = PLAIN, *, salt: str = "") -> None:
    """Draw a figure in matplotlib's own look and write it; the same figure is the same bytes.

    Args:
        path: the file.
        draw: draws the figure.
        style: matplotlib's settings.
        salt: what ids in an SVG are made of; empty: the name of the file.
    """
    with mpl.rc_context({"svg.hashsalt": salt or path.stem, **style}):
        draw().savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def draw_styled(path: Path, draw: Callable[[], Figure]) -> None:
    """Draw a figure in the look of all reports and write it as SVG."""
    with figure_style():
        draw().savefig(path, metadata={"Date": None})
    path.write_text(rounded_svg(path.read_text(encoding="utf-8")), encoding="utf-8")
