"""Tables that fit the window without losing a character: names and numbers stay whole, columns are left out instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

UNLIMITED = 100_000


class FittedTable(Table):
    """A table whose least needed columns give way where it is too wide.

    Args:
        *columns: headings.
        numbers: headings of columns that are aligned to the right.
        wrapped: headings of columns of sentences, which may go on in the next line.
        spare: headings of columns that may be left out, the least needed first.
        title: set above; None: none.
    """

    def __init__(
        self,
        *columns: str,
        numbers: Iterable[str] = (),
        wrapped: Iterable[str] = (),
        spare: Sequence[str] = (),
        title: str | None = None,
    ) -> None:
        super().__init__(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, title=title, title_justify="left")
        right = set(numbers)
        for column in columns:
            self.add_column(column, justify="right" if column in right else "left", overflow="fold")
        self._wrapped, self._spare = frozenset(wrapped), tuple(spare)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table without the spare columns that it has no room for, and a line that names them."""
        for column in self.columns:
            if column.header not in self._wrapped:
                # Rows keep in one line, so a column is as wide as its longest cell; the heading may be broken.
                column.min_width = max(_longest(str(column.header).split()), _longest(_lines(column)))
        kept, left_out = list(self.columns), []
        for heading in self._spare:
            if self._least_width(console, options, kept) <= options.max_width:
                break
            if any(column.header == heading for column in kept):
                kept = [column for column in kept if column.header != heading]
                left_out.append(heading)
        every, self.columns = self.columns, kept
        width = max(options.max_width, self._least_width(console, options, kept))
        yield from super().__rich_console__(console, options.update(width=width))
        self.columns = every
        if left_out:
            yield Text(f"left out, as the window is narrow: {', '.join(left_out)}", style="dim")

    def _least_width(self, console: Console, options: ConsoleOptions, columns: list[Column]) -> int:
        every, self.columns = self.columns, columns
        least = Measurement.get(console, options.update(width=UNLIMITED, max_width=UNLIMITED), self).minimum
        self.columns = every
        return least


def _lines(column: Column) -> Iterator[str]:
    for cell in column.cells:
        yield from str(cell).splitlines()


def _longest(texts: Iterable[str]) -> int:
    return max(map(cell_len, texts), default=1)
