"""Tables that fit the window without breaking or cutting a number.

If a table is too wide, its columns move together, its numbers are rounded, and long names are folded. In the end
columns are hidden, and a line below the table names them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, ClassVar, Literal

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

# Texts over several lines break between words, long words at their punctuation, and never inside a number (ours).

_NUMBER = re.compile(r"(?:(?<!\w)[+-])?\d[\d.,]*(?:e[+-]?\d+)?(?:\u00a0?%)?", re.IGNORECASE)
_SIGNS = frozenset("-_/\\.,:;=+|)]}>&")
"""Characters after which a long word is broken first."""


def _longest(pieces: Iterable[str]) -> int:
    """Columns that the longest of some texts takes."""
    return max(map(cell_len, pieces), default=1)


def folded(text: Text, width: int) -> Text:
    """The text in lines of at most so many columns; a longer number has a longer line."""
    lines = [piece for line in text.split("\n", allow_blank=True) for piece in _pieces(line, width)]
    return Text("\n").join(lines or [Text()])


def _pieces(line: Text, width: int) -> Iterator[Text]:
    while cell_len(line.plain) > width:
        place = _place(line.plain, width)
        if place >= len(line.plain):
            break
        first, rest = line.divide([place])
        first.rstrip()
        yield first
        # The space at a line break is dropped.
        line = rest[len(rest.plain) - len(rest.plain.lstrip(" ")) :] if rest.plain.strip(" ") else Text()
    yield line


def _place(line: str, width: int) -> int:
    """The number of characters of a too long line that go into its first piece."""
    most = 0
    taken = 0
    for sign in line:
        taken += cell_len(sign)
        if taken > width:
            break
        most += 1
    inside = {place for found in _NUMBER.finditer(line) for place in range(found.start() + 1, found.end())}
    space = line.rfind(" ", 1, most + 1)
    if space > 0 and line[:space].strip():
        return space
    places = [place for place in range(max(1, most), 0, -1) if place not in inside]
    behind_sign = [place for place in places if line[place - 1] in _SIGNS]
    if behind_sign or places:
        return (behind_sign or places)[0]
    return next((place for place in range(most + 1, len(line)) if place not in inside), len(line))


GAP, NARROW_GAP = 3, 2
"""Spaces between two columns of a table, and in a table that would be too wide."""
FIGURES = 4
"""Figures to which numbers are rounded in a table that would be too wide; digits before the decimal point stay."""
NAME = 24
"""Width to which names may be folded before a column of numbers is hidden."""
SHORT_NAME = 12
"""Width to which names may be folded if the table would not fit otherwise."""

_DECIMALS = re.compile(r"(?P<sign>[+-]?)(?P<number>[0-9][0-9,]*\.[0-9]+)(?P<unit> ?%?)")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of numbers: its heading, its cells, and its treatment in narrow windows.

    Attributes:
        of: the field of a row that it shows, or a function of the row; empty if the field has the heading's name.
        form: gives the value as text.
        spare: rank among the columns that a narrow window hides, from 1 on. Columns with 0 are hidden after these, from
            the right. The first column, which names the rows, always stays.
        means: meaning of a short heading or of signs in the column, printed below a table that shows it.
        none: the cell of a row that does not have the field.
    """

    heading: str
    of: str | Callable[[Any], Any] = ""
    form: Callable[[Any], str | Text] = str
    spare: int = 0
    means: str = ""
    none: str = ""
    justify: ClassVar[Literal["left", "right"]] = "right"
    sentences: ClassVar[bool] = False

    def cell(self, row: Any) -> Text:
        """Its cell for a row, with control characters replaced."""
        if callable(self.of):
            return visible(self.form(self.of(row)))
        if not isinstance(row, Mapping):
            return visible(self.form(getattr(row, self.field)))
        return visible(self.form(row[self.field]) if self.field in row else self.none)

    @property
    def field(self) -> str:
        """The field of a row that it shows."""
        return self.heading if callable(self.of) else self.of or self.heading


@dataclass(frozen=True, slots=True)
class Label(Column):
    """A column of names."""

    justify: ClassVar[Literal["left", "right"]] = "left"


@dataclass(frozen=True, slots=True)
class Sentence(Label):
    """A column of sentences, which is narrowed before names are."""

    sentences: ClassVar[bool] = True


def table_of(rows: Iterable[Any], columns: Sequence[Column], title: str = "") -> FittedTable:
    """A table of rows by columns.

    Args:
        rows: mappings or objects with the fields that columns show; the entries of a list are the cells.
        columns: the columns.
        title: title above the table; may be empty.
    """
    cells = [
        [visible(cell) for cell in row] if isinstance(row, list) else [column.cell(row) for column in columns]
        for row in rows
    ]
    return FittedTable(tuple(columns), cells, title)


def visible(text: str | Text) -> Text:
    """A text with control characters replaced, and as wide as its visible part."""
    if isinstance(text, str):
        return Text(harmless(text))
    text.plain = harmless(text.plain)
    return text


def harmless(text: str) -> str:
    """A text with each control character replaced."""
    return "".join(sign if _is_harmless(sign) else "\ufffd" for sign in text)


def _is_harmless(sign: str) -> bool:
    """Whether a terminal only shows it: a printable character, a line break, or a space such as a non-breaking one."""
    return sign.isprintable() or sign == "\n" or unicodedata.category(sign) == "Zs"


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A column with its widths.

    Attributes:
        whole: the width at which its cells stay in one line; its heading may take several.
        least: its minimum width: numbers and words of its heading stay whole.
    """

    column: Column
    cells: Sequence[Text]
    width: int
    whole: int
    least: int

    def floor(self, name: int) -> int:
        """Its minimum width if names may be folded to so many columns."""
        return min(self.whole, max(self.least, name))


@dataclass(frozen=True, slots=True)
class FittedTable:
    """A table that hides its least needed columns if it is too wide.

    Attributes:
        rows: cells by row.
        title: title above the table; may be empty.
    """

    columns: Sequence[Column]
    rows: list[list[Text]]
    title: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table with the columns that fit, its legend, and a line that names the hidden columns."""
        shown, hidden, gap = self._fit(options.max_width)
        table = Table(
            box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, title=self.title or None, title_justify="left",
            collapse_padding=gap == NARROW_GAP,
        )  # fmt: skip
        for one in shown:
            heading = folded(Text(one.column.heading), one.width)
            table.add_column(heading, justify=one.column.justify, width=one.width, no_wrap=True, overflow="fold")
        for cells in zip(*([folded(cell, one.width) for cell in one.cells] for one in shown), strict=True):
            table.add_row(*cells)
        yield from console.render(table, options.update(width=max(options.max_width, _total(shown, gap))))
        said = self.legend(one.column for one in shown)
        if said:
            yield Text(said, style="dim")
        if hidden:
            yield Text(f"hidden at this width: {', '.join(hidden)}", style="dim")

    def legend(self, columns: Iterable[Column]) -> str:
        """The meanings of the columns' headings, in a line; empty if none needs one or there are no rows."""
        said = dict.fromkeys(f"{column.heading}: {column.means}" for column in columns if column.means)
        return "; ".join(said) if self.rows else ""

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Up to the width of the window."""
        width = min(_total(self._fitted(), GAP), options.max_width)
        return Measurement(width, width)

    def _fit(self, width: int) -> tuple[list[_Fitted], list[str], int]:
        """The shown columns with their widths, the headings of the hidden ones, and the gap between columns."""
        shown = self._fitted()
        for gap in (GAP, NARROW_GAP):
            narrowed = _narrowed(shown, width, NAME, gap)
            if _total(narrowed, gap) <= width:
                return narrowed, [], gap
        return *self._fit_rounded(width), NARROW_GAP

    def _fit_rounded(self, width: int) -> tuple[list[_Fitted], list[str]]:
        """The shown columns, with rounded numbers, and the headings of the hidden ones."""
        fitted = shown = self._fitted(_rounded)
        spare = sorted((column for column in self.columns if column.spare), key=lambda column: column.spare)
        first = len({column.heading for column in spare})
        order = list(dict.fromkeys(column.heading for column in (*spare, *reversed(self.columns[1:]))))
        for name, counts in ((NAME, range(first + 1)), (SHORT_NAME, range(first, len(order) + 1))):
            for count in counts:
                shown = [one for one in fitted if one.column.heading not in order[:count]]
                narrowed = _narrowed(shown, width, name, NARROW_GAP)
                if _total(narrowed, NARROW_GAP) <= width:
                    return narrowed, order[:count]
        return _narrowed([replace(one, least=1) for one in shown], width, 1, NARROW_GAP), order

    def _fitted(self, form: Callable[[Text], Text] = lambda cell: cell) -> list[_Fitted]:
        """The columns at full width; `form` changes cells of numbers."""
        return [_measured(column, [row[k] for row in self.rows], form) for k, column in enumerate(self.columns)]


def _measured(column: Column, cells: list[Text], form: Callable[[Text], Text]) -> _Fitted:
    is_number = column.justify == "right"
    cells = [form(cell) for cell in cells] if is_number else cells
    word = _longest(column.heading.split(" "))
    whole = max(word, _longest(line for cell in cells for line in cell.plain.splitlines()))
    least = (
        whole if is_number else max(word, _longest(found for cell in cells for found in _NUMBER.findall(cell.plain)))
    )
    return _Fitted(column, cells, max(whole, cell_len(column.heading)), whole, least)


def _narrowed(columns: Sequence[_Fitted], width: int, name: int, gap: int) -> list[_Fitted]:
    """The columns, narrowed to fit if possible: headings first, then sentences, then names, the widest first."""
    found = list(columns)
    steps: tuple[Callable[[_Fitted], int], ...] = (
        lambda one: one.whole,
        lambda one: one.floor(name) if one.column.sentences else one.whole,
        lambda one: one.floor(name),
    )
    for least in steps:
        while _total(found, gap) > width:
            wide = [k for k, one in enumerate(found) if one.width > least(one)]
            if not wide:
                break
            k = max(wide, key=lambda k: found[k].width)
            found[k] = replace(found[k], width=found[k].width - 1)
    return found


def _total(columns: Sequence[_Fitted], gap: int) -> int:
    return sum(one.width for one in columns) + gap * (len(columns) - 1)


def _rounded(cell: Text) -> Text:
    """A number in `FIGURES` figures; text without a decimal number stays."""
    number = _DECIMALS.fullmatch(cell.plain)
    if number is None:
        return cell
    digits = number["number"].replace(",", "")
    before, _, after = digits.partition(".")
    figures = len(before) if before.strip("0") else len(after.lstrip("0")) - len(after)
    places = min(len(after), max(FIGURES - figures, 0))
    separator = "," if "," in number["number"] else ""
    return Text(f"{number['sign']}{Decimal(digits):{separator}.{places}f}{number['unit']}", style=cell.style)
