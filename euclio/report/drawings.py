"""Drawings as figures of a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import update_wrapper, wraps
from typing import Concatenate, Generic, ParamSpec

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from euclio.core.figures import figure_style, svg_text
from euclio.report.analysis.panels import WIDTH_IN
from euclio.report.blocks import Figure
from euclio.report.drawn_data import drawn_data

P = ParamSpec("P")


class Drawn(Generic[P]):
    """A function that makes a figure, with the figure's name and the question that it answers.

    Attributes:
        key: the name.
        question: the question.
    """

    def __init__(self, key: str, question: str, made: Callable[P, Figure]) -> None:
        self.key, self.question, self._made = key, question, made
        update_wrapper(self, made)

    def __call__(self, *data: P.args, **options: P.kwargs) -> Figure:
        """The figure of some data."""
        return self._made(*data, **options)


def drawn(
    key: str, question: str, *, panels: int = 1, height: float = 3.3, width_ratios: Sequence[float] | None = None
) -> Callable[[Callable[Concatenate[Sequence[Axes], P], str]], Drawn[P]]:
    """Make what fills panels a figure with its question as title; it is given the panels and returns the caption.

    Args:
        key: name of the figure, different from all others in its page.
        question: what it answers.
        panels: panels side by side.
        height: height in inches.
        width_ratios: widths of the panels next to each other; None means equal widths.
    """

    def figure(fill: Callable[Concatenate[Sequence[Axes], P], str]) -> Drawn[P]:
        @wraps(fill)
        def made(*data: P.args, **options: P.kwargs) -> Figure:
            with figure_style():
                drawing = Drawing(figsize=(WIDTH_IN, height))
                axes = drawing.subplots(1, panels, squeeze=False, width_ratios=width_ratios)[0]
                caption = fill(list(axes), *data, **options)
                drawing.suptitle(question, x=0.01, ha="left")
                svg = svg_text(drawing, key, question)
                return Figure(key, svg, caption, question, drawn_data(drawing))

        return Drawn(key, question, made)

    return figure
