"""Drawings as figures of a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from euclio.analysis.drawing import WIDTH_IN
from euclio.core.figures import figure_style, svg_text
from euclio.report.blocks import Figure

Draw = Callable[[Sequence[Axes]], None]


def drawn(
    key: str,
    question: str,
    caption: str,
    draw: Draw,
    *,
    panels: int = 1,
    height: float = 3.3,
    width_ratios: Sequence[float] | None = None,
) -> Figure:
    """A figure with its question as title; `draw` fills the panels."""
    with figure_style():
        drawing = Drawing(figsize=(WIDTH_IN, height))
        axes = drawing.subplots(1, panels, squeeze=False, width_ratios=width_ratios)[0]
        draw(list(axes))
        drawing.suptitle(question, x=0.01, ha="left", fontsize=12, fontweight="bold")
        return Figure(key, svg_text(drawing, key, question), caption)
