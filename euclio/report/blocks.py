"""The parts of a report, before it becomes HTML or Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Tone(StrEnum):
    """A colour of a count or of a word in a table; its meaning is always written next to it."""

    GOOD = "good"
    OPEN = "open"
    SET = "set"
    BAD = "bad"


class Code(str):
    """A cell of a table with text to type as it stands, such as a command."""

    __slots__ = ()


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
    """Named facts, as ``(name, fact)`` pairs."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        caption: its content in words.
        columns: column names, units included.
        rows: cells as text, one tuple per row.
        numeric: indices of the columns that are set flush right.
        marked: indices of the rows that deserve attention.
        tones: tones of words; a cell that is one of them is set as a coloured label.
        behind: one text per row, which the row's last cell opens, lines as paragraphs; empty if there is none.
        stacks: whether in a narrow window every row becomes a block of lines, each with its column's name.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    marked: frozenset[int] = frozenset()
    tones: tuple[tuple[str, Tone], ...] = ()
    behind: tuple[str, ...] = ()
    stacks: bool = False


@dataclass(frozen=True, slots=True)
class KeyNumber:
    """A number for a reader to see first.

    Attributes:
        value: the number with its unit.
        label: its meaning in a few words.
        note: context, such as an interval or the published value.
    """

    value: str
    label: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class KeyNumbers:
    """A few numbers side by side."""

    numbers: tuple[KeyNumber, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """A count of things.

    Attributes:
        label: name of the things.
        n: their number.
        tone: its colour.
        note: the meaning of the label.
    """

    label: str
    n: int
    tone: Tone
    note: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """Parts of a whole as one bar with a legend; empty parts stand in the legend alone.

    Attributes:
        caption: the whole, in words.
        parts: its parts, in the order of the bar.
    """

    caption: str
    parts: tuple[Count, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as SVG text (see `euclio.core.figures.svg_text`) with a sentence that explains it.

    Attributes:
        key: its name, different from all others in the page.
        svg: the drawing, its title included.
        caption: the sentence.
        title: its title, for Markdown, which has no drawings.
        data: its numbers as CSV (`euclio.report.drawn_data`), which the page offers; empty offers nothing.
    """

    key: str
    svg: str
    caption: str
    title: str = ""
    data: str = ""


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks behind a line that opens them.

    Attributes:
        summary: the line.
        blocks: the hidden blocks; no headings, since the table of contents does not look into folds.
        counts: counts for the line, which shows those above 0.
        key: its anchor; empty if there is none.
        closed: whether it is closed at first.
    """

    summary: str
    blocks: tuple[Heading | Paragraph | Preformatted | Facts | Table | Figure, ...]
    counts: tuple[Count, ...] = ()
    key: str = ""
    closed: bool = True


Block = Heading | Paragraph | Preformatted | Facts | Table | Figure | KeyNumbers | Counts | Fold
