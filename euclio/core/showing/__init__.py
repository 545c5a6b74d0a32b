"""Objects that show themselves: a line of text, HTML for notebooks, frames and figures (docs/howto/jupyter.md).

A class that shows itself is a `Shown` and names its `View`, which stands with its tables and is imported when it is
asked for, so that a record stays as light as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from euclio.core.errors import printable
from euclio.core.showing.view import Head, View, fields_of

__all__ = ["Framed", "Head", "Plotted", "Shown", "View", "fields_of", "frame_of", "html_of", "line_of", "plotted"]

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


MOST_CHARACTERS = 200
"""Maximum characters of an object as text."""
PLACES: tuple[Literal["left", "center", "right"], ...] = ("left", "center", "right")
"""Places of titles of axes."""

Views = Callable[[], View]
"""Gives a view, which is imported then (`euclio.core.lazy.late_value`)."""


class Shown:
    """An object that shows itself as a line of text, and in a notebook as HTML.

    A dataclass that inherits from it has `repr=False`. Showing solves nothing and never fails.
    """

    __slots__ = ()
    _view: ClassVar[Views]

    def __repr__(self) -> str:
        return line_of(self, type(self)._view)

    def _repr_html_(self) -> str | None:
        return html_of(self, type(self)._view)


class Framed(Shown):
    """An object that is a table."""

    __slots__ = ()

    def frame(self) -> pd.DataFrame:
        """The table as a pandas `DataFrame`, with floats in place of fractions; units stand in the names of columns."""
        return frame_of(self, type(self)._view)


class Plotted(Shown):
    """An object that has a figure."""

    __slots__ = ()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw it with matplotlib.

        Args:
            ax: axes to draw on, such as one of `pyplot.subplots`, which keep their own title. None means those of a new
                figure of pyplot.

        Returns:
            The axes.
        """
        return plotted(self, type(self)._view, ax)


def line_of(thing: object, view: Views) -> str:
    """An object as a line of `MOST_CHARACTERS` at most."""
    kind = type(thing).__name__
    try:
        name, status, facts = view().head(thing)
        said = printable(", ".join(filter(None, (status, *facts))))
        line = " ".join(filter(None, (kind, printable(name))))
        line = f"<{line}: {said}>" if said else f"<{line}>"
    # Tracebacks and debuggers also show incomplete objects.
    except Exception:
        return f"<{kind}>"
    return line if len(line) <= MOST_CHARACTERS else f"{line[: MOST_CHARACTERS - 2]}…>"


def html_of(thing: object, view: Views) -> str | None:
    """An object as HTML for a notebook; None if it cannot be shown, so that the notebook shows its line."""
    try:
        from euclio.core.showing.html import content_of, view_html

        found = view()
        return view_html(found.head(thing), found.drawing(thing), content_of(thing, found), leads=found.leads)
    # A cell should not end in a traceback because its object cannot be shown.
    except Exception:
        return None


def frame_of(thing: object, view: Views) -> pd.DataFrame:
    """The rows of an object as a frame."""
    import pandas as pd

    rows = view().rows
    assert rows is not None, f"{type(thing).__name__} is no table"
    return pd.DataFrame.from_records([{key: _plain(value) for key, value in row.items()} for row in rows(thing)])


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    return float(value) if isinstance(value, Fraction) else value


def plotted(thing: object, view: Views, ax: Axes | None) -> Axes:
    """Draw an object on axes, whose title stays as it is, or on those of a new figure, which notebooks show."""
    from euclio.core.figures import figure_style

    draw = view().draw
    assert draw is not None, f"{type(thing).__name__} has no figure"
    with figure_style():
        if ax is None:
            from matplotlib import pyplot

            # Ink is dark under every theme of the notebook.
            _, ax = pyplot.subplots(figsize=(7.2, 3.8), facecolor="white")
            draw(ax, thing)
            return ax
        titles = {place: ax.get_title(loc=place) for place in PLACES}
        draw(ax, thing)
        for place, own in titles.items():
            if ax.get_title(loc=place) != own:
                ax.set_title(own, loc=place)
    return ax
