"""Views: how the objects of a class are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import RenderableType

    from euclio.core.fitted_table import Column


class Head(NamedTuple):
    """The first facts shown of an object.

    Attributes:
        name: its name, or that of the instance that it is about; empty if it has none.
        status: its outcome in a word, such as "optimal"; empty if it has none.
        facts: its main facts, the most important first, such as its cost and bound.
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
        head: the first facts. It has to be quick, as debuggers ask for it too.
        table: the table that the command line prints. None means the rows, by the columns.
        drawing: a drawing between the head and the table, as HTML that is written unescaped; empty if there is none.
        rows: the rows of its frame, by name of the column; fractions are allowed. None means that it is no table.
        draw: draws it on axes, inside `euclio.core.figures.figure_style`. None means that it has no figure.
        lines: the lines between the head and the rows.
        columns: the columns of the shown rows; empty hides the rows.
        leads: whether the first line of the table adds something to the head, such as the currency.
    """

    head: Callable[[Any], Head]
    table: Callable[[Any], RenderableType | None] | None = None
    drawing: Callable[[Any], str] = lambda thing: ""
    rows: Callable[[Any], Iterable[dict[str, Any]]] | None = None
    draw: Callable[[Axes, Any], None] | None = None
    lines: Callable[[Any], Iterable[str]] = lambda thing: ()
    columns: Sequence[Column] = ()
    leads: bool = False
