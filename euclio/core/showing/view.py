"""What is shown of the objects of a class."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType

    from euclio.core.fitted_table import Column


class Head(NamedTuple):
    """What is said of an object before all else.

    Attributes:
        name: its name, or that of the instance that it is about; empty: it has none.
        status: its outcome in a word, such as "optimal"; empty: it has none.
        facts: what is to be known of it, the most important first, such as its cost and what is proven of that.
    """

    name: str
    status: str = ""
    facts: tuple[str, ...] = ()


def fields_of(thing: Any, *names: str) -> dict[str, Any]:
    """Some fields of a thing by name, for a row of a frame."""
    return {name: getattr(thing, name) for name in names}


@dataclass(frozen=True, slots=True)
class View:
    """How the objects of a class show themselves; fields are functions of the object, but for the last two.

    Attributes:
        head: what is said first; it has to be quick, as debuggers ask for it too.
        table: the table that the command line prints; None: the rows, by the columns.
        drawing: a drawing between the head and the table, as HTML that is written out as it is; empty: none.
        rows: the rows of its frame, by name of the column, fractions allowed; None: it is no table.
        draw: draws it on axes, inside `euclio.core.figures.figure_style`; None: it has no figure.
        lines: what is said between the head and the rows.
        columns: the columns by which the rows are shown; empty: they are not.
        leads: whether the first line of the table says more than the facts of the head, such as the currency.
    """

    head: Callable[[Any], Head]
    table: Callable[[Any], RenderableType | None] | None = None
    drawing: Callable[[Any], str] = lambda thing: ""
    rows: Callable[[Any], Iterable[dict[str, Any]]] | None = None
    draw: Callable[[Axes, Any], None] | None = None
    lines: Callable[[Any], Iterable[str]] = lambda thing: ()
    columns: Sequence[Column] = ()
    leads: bool = False
