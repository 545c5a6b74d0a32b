"""Tables that fit the window: no number is broken or cut.

Where a table is too wide, its columns move together, its numbers are rounded, long names are folded, and in the end
columns are hidden, which a line below the table names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

# Texts over several lines: broken between words, long words at their signs, and never inside a number (ours).

_NUMBER = re.compile(r"(?:(?<!\w)[+-])?\d[\d.,]*(?:e[+-]?\d+)?(?:\u00a0?%)?", re.IGNORECASE)
_SIGNS = frozenset("-_/\\.,:;=+|)]}>&")
"""Signs behind which a long word is broken first."""


def longest_number(texts: Iterable[str]) -> int:
    """Columns that the longest number in some texts takes."""
    return max((cell_len(found) for text in texts for found in _NUMBER.findall(text)), default=1)


def longest_line(texts: Iterable[str]) -> int:
    """Columns that the longest line of some texts takes."""
    return max((cell_len(line) for text in texts for line in text.splitlines()), default=1)


def longest_word(texts: Iterable[str]) -> int:
    """Columns that the longest word of some texts takes."""
    return max((cell_len(word) for text in texts for word in text.split(" ")), default=1)


def folded(text: Text, width: int) -> Text:
    """The text in lines of so many columns at most; a number that is longer has a longer line."""
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
        # The space at which a line is broken stands at the beginning of neither.
        line = rest[len(rest.plain) - len(rest.plain.lstrip(" ")) :] if rest.plain.strip(" ") else Text()
    yield line


def _place(line: str, width: int) -> int:
    """How many characters of a line that is too long stand in the first of its pieces."""
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
"""Columns between two columns of a table, and where it would be too wide."""
FIGURES = 4
"""Figures to which numbers are rounded where a table would be too wide; none before the decimal point is lost."""
NAME = 24
"""Columns to which names may be folded before a column of numbers is hidden."""
SHORT_NAME = 12
"""Columns to which they may be folded where the table would not fit otherwise."""

_DECIMALS = re.compile(r"(?P<sign>[+-]?)(?P<number>[0-9][0-9,]*\.[0-9]+)(?P<unit> ?%?)")


@dataclass(frozen=True, slots=True)
class _Fitted:
    """A column as it may be drawn.

    Attributes:
        column: the column.
        width: how wide it is.
        whole: how wide it has to be for its cells to stay in one line; its heading may take several.
        least: how wide it has to be, whatever becomes of it: numbers and words of its heading stay whole.
        sentences: whether it is a column of sentences, which are narrowed before names are.
    """

    column: Column
    width: int
    whole: int
    least: int
    sentences: bool

    def floor(self, name: int) -> int:
        """How narrow it may get where names may be folded to so many columns."""
        return min(self.whole, max(self.least, name))


class FittedTable(Table):
    """A table whose least needed columns give way where it is too wide.

    Args:
        *columns: headings.
        numbers: headings of columns that are aligned to the right.
        wrapped: headings of columns of sentences, which may go on in the next line.
        spare: headings of columns that may be hidden, the least needed first; after them columns are hidden from the
            right, but for the first one, whose names say what the rows are.
        legend: what short headings and signs of their columns mean, by heading; those that are shown are explained in
            a line below the table.
        title: set above; None: none.
    """

    def __init__(
        self,
        *columns: str,
        numbers: Iterable[str] = (),
        wrapped: Iterable[str] = (),
        spare: Sequence[str] = (),
        legend: Mapping[str, str] | None = None,
        title: str | None = None,
    ) -> None:
        super().__init__(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, title=title, title_justify="left")
        self._right = frozenset(numbers)
        for column in columns:
            self.add_column(column, justify="right" if column in self._right else "left", overflow="fold")
        self._wrapped, self._spare, self._legend = frozenset(wrapped), tuple(spare), dict(legend or {})

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table without the columns that it has no room for, its legend, and a line that names them."""
        shown, hidden, gap = self._fit(options.max_width)
        every, self.columns = self.columns, [_drawn(fitted) for fitted in shown]
        for place, column in enumerate(self.columns):
            column._index = place
        self.collapse_padding = gap == NARROW_GAP
        width = max(options.max_width, _total(shown, gap))
        yield from super().__rich_console__(console, options.update(width=width))
        self.columns = every
        said = self.legend(str(one.column.header) for one in shown)
        if said:
            yield Text(said, style="dim")
        if hidden:
            yield Text(f"hidden at this width: {', '.join(hidden)}", style="dim")

    def legend(self, headings: Iterable[str]) -> str:
        """What short headings mean, in a line; empty: none of them is short, or there are no rows.

        Args:
            headings: those of the columns that are shown.
        """
        said = [f"{heading}: {self._legend[heading]}" for heading in headings if heading in self._legend]
        return "; ".join(said) if self.row_count else ""

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """As wide as the window, if need be."""
        widest = _total([self._fitted(column) for column in self.columns], GAP)
        return Measurement(min(widest, options.max_width), min(widest, options.max_width))

    def _fit(self, width: int) -> tuple[list[_Fitted], list[str], int]:
        """The columns that are shown, with their widths, the headings of those that are not, and the gap between."""
        shown = [self._fitted(column) for column in self.columns]
        for gap in (GAP, NARROW_GAP):
            narrowed = _narrowed(shown, width, NAME, gap)
            if _total(narrowed, gap) <= width:
                return narrowed, [], gap
        return *self._fit_rounded(width), NARROW_GAP

    def _fit_rounded(self, width: int) -> tuple[list[_Fitted], list[str]]:
        """The columns that are shown, with rounded numbers, and the headings of those that are not."""
        shown = [self._fitted(_rounded(column)) for column in self.columns]
        hidden: list[str] = []
        order = [*self._spare, *(str(column.header) for column in reversed(self.columns[1:]))]
        for name, give_way in ((NAME, self._spare), (SHORT_NAME, tuple(dict.fromkeys(order)))):
            for heading in ("", *give_way):
                if heading in hidden or (heading and all(one.column.header != heading for one in shown)):
                    continue
                if heading:
                    shown = [one for one in shown if one.column.header != heading]
                    hidden.append(heading)
                narrowed = _narrowed(shown, width, name, NARROW_GAP)
                if _total(narrowed, NARROW_GAP) <= width:
                    return narrowed, hidden
        return _narrowed([replace(one, least=1) for one in shown], width, 1, NARROW_GAP), hidden

    def _fitted(self, column: Column) -> _Fitted:
        texts = [_text(cell).plain for cell in column.cells]
        sentences = column.header in self._wrapped
        heading = str(column.header)
        word = longest_word([heading])
        whole = max(word, longest_line(texts))
        folds = sentences or column.header not in self._right
        least = max(word, longest_number(texts)) if folds else whole
        return _Fitted(column, max(whole, longest_line([heading])), whole, least, sentences)


def _narrowed(columns: Sequence[_Fitted], width: int, name: int, gap: int) -> list[_Fitted]:
    """The columns, narrowed to fit if that is enough: headings first, then sentences, then names, the widest first."""
    found = list(columns)
    steps: tuple[Callable[[_Fitted], int], ...] = (
        lambda one: one.whole,
        lambda one: one.floor(name) if one.sentences else one.whole,
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


def _rounded(column: Column) -> Column:
    """The column with its numbers in `FIGURES` figures; what is no number with decimals stays as it is."""
    found = column.copy()
    found._cells = [Text(_rounded_text(text.plain), style=text.style) for text in map(_text, column.cells)]
    return found if column.justify == "right" else column


def _rounded_text(text: str) -> str:
    number = _DECIMALS.fullmatch(text)
    if number is None:
        return text
    digits = number["number"].replace(",", "")
    before, _, after = digits.partition(".")
    figures = len(before) if before.strip("0") else len(after.lstrip("0")) - len(after)
    places = min(len(after), max(FIGURES - figures, 0))
    separator = "," if "," in number["number"] else ""
    return f"{number['sign']}{Decimal(digits):{separator}.{places}f}{number['unit']}"


def _drawn(fitted: _Fitted) -> Column:
    """The column with its cells in lines of its width."""
    column = fitted.column.copy()
    column.header = folded(Text(str(column.header)), fitted.width)
    column._cells = [folded(_text(cell), fitted.width) for cell in fitted.column.cells]
    column.width, column.no_wrap = fitted.width, True
    return column


def _text(cell: object) -> Text:
    return cell if isinstance(cell, Text) else Text.from_markup(str(cell))
