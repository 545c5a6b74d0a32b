"""What a report is made of, before it becomes HTML or Markdown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Heading:
    """A section heading; its anchor is made from the text.

    Attributes:
        text: the heading.
        level: 2 for a section, 3 for a part of one.
    """

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class Preformatted:
    """Text whose line breaks and columns matter."""

    text: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Named facts, as ``(name, what is so)`` pairs."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        caption: what it shows.
        columns: column names, units included.
        rows: cells as text, one tuple per row.
        numeric: indices of the columns that are set flush right.
        marked: indices of the rows that deserve attention.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    marked: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as SVG text (see `euclio.core.figures.svg_text`) with the sentence that says what to see in it.

    Attributes:
        key: its name, different from all others in the page.
        svg: the drawing, its title included.
        caption: the sentence.
        title: its title, for Markdown, which has no drawings.
    """

    key: str
    svg: str
    caption: str
    title: str = ""


Block = Heading | Paragraph | Preformatted | Facts | Table | Figure
