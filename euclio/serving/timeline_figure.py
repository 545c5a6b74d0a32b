"""Timelines of simulations in the manner of PPipe's Figure 12: rows are executors, boxes executions of batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from euclio.core.figures import INK, MUTED, PALETTE, new_figure
from euclio.core.words import full
from euclio.serving.units import NS_PER_S, Floats, Ints

WIDTH_IN = 10.0
ROW_IN = 0.19
GAP_ROWS = 1.25
"""Space between two groups, in rows."""
MOST_ROWS = 90
"""Rows that are drawn; of larger plans the first executors of each group, which are the busiest, are shown."""
NS_PER_MS = 10**6
LETTER_SHARE = 0.0085
"""Width of a digit as a share of the axis."""


@dataclass(frozen=True, slots=True)
class Group:
    """Executors that are drawn one below the other.

    Attributes:
        label: what stands above them.
        executors: their numbers, one after the other.
    """

    label: str
    executors: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Boxes:
    """Executions of batches, one entry each.

    Attributes:
        executor: number of the executor.
        colour: equal numbers have one colour, from 0.
        number: what stands in the box, where there is room.
        start_ns: begin.
        end_ns: end.
    """

    executor: Ints
    colour: Ints
    number: Ints
    start_ns: Ints
    end_ns: Ints


def draw_timeline(
    groups: Sequence[Group], boxes: Boxes, begin_s: float, length_s: float, title: str, rows_are: str
) -> Figure:
    """A part of a simulation.

    Args:
        groups: the executors, from above.
        boxes: all executions.
        begin_s: where the part begins.
        length_s: how long it is.
        title: title.
        rows_are: label of the vertical axis.

    Returns:
        Groups one below the other.
    """
    window = window_ns(begin_s, length_s)
    shown = _shown([len(group.executors) for group in groups])
    rows = sum(shown) + GAP_ROWS * len(groups)
    with new_figure(WIDTH_IN, 1.6 + ROW_IN * rows) as figure:
        axes = figure.subplots()
        top = 0.0
        for group, count in zip(groups, shown, strict=True):
            _boxes(axes, boxes, group.executors[:count], top, window)
            name = group.label if count == len(group.executors) else f"{group.label}, {count} shown"
            axes.text(0, top - 0.25, name, fontsize=8.5, fontweight="bold", va="bottom")
            axes.hlines(top - 0.1, 0, (window[1] - window[0]) / NS_PER_MS, color=MUTED, linewidth=0.6)
            top += count + GAP_ROWS
        _finish(axes, window, top, title, rows_are)
    return figure


def window_ns(begin_s: float, length_s: float) -> tuple[int, int]:
    """Begin and end of a part that is drawn, in nanoseconds."""
    return int(begin_s * NS_PER_S), int((begin_s + length_s) * NS_PER_S)


def _shown(sizes: list[int]) -> list[int]:
    """Rows per group: all, or the same limit for each so that the sum stays within MOST_ROWS."""
    limit = max(sizes, default=0)
    while limit > 1 and sum(min(size, limit) for size in sizes) > MOST_ROWS:
        limit -= 1
    return [min(size, limit) for size in sizes]


def _boxes(axes: Axes, boxes: Boxes, executors: Sequence[int], top: float, window: tuple[int, int]) -> None:
    begin, end = window
    seen = np.isin(boxes.executor, executors) & (boxes.end_ns > begin) & (boxes.start_ns < end)
    row = (top + boxes.executor[seen] - executors[0]).astype(np.float64)
    left = (np.maximum(boxes.start_ns[seen], begin) - begin) / NS_PER_MS
    right = (np.minimum(boxes.end_ns[seen], end) - begin) / NS_PER_MS
    corners = _corners(left, right, row)
    colors = [PALETTE[c % len(PALETTE)] for c in boxes.colour[seen]]
    axes.add_collection(PolyCollection(list(corners), facecolors=colors, edgecolors="white", linewidths=0.5))
    span = (end - begin) / NS_PER_MS
    for x0, x1, y, number in zip(left, right, row, boxes.number[seen], strict=True):
        text = str(number)
        if x1 - x0 > span * LETTER_SHARE * (len(text) + 0.6):
            axes.text((x0 + x1) / 2, y + 0.47, text, ha="center", va="center", fontsize=6, color="white")


def _corners(left: Floats, right: Floats, row: Floats) -> Floats:
    """Corners of boxes, shape (boxes, 4, 2)."""
    low, high = row + 0.06, row + 0.9
    return np.stack([np.stack([left, right, right, left], 1), np.stack([low, low, high, high], 1)], 2)


def _finish(axes: Axes, window: tuple[int, int], top: float, title: str, rows_are: str) -> None:
    axes.set(xlim=(0, (window[1] - window[0]) / NS_PER_MS), ylim=(top - GAP_ROWS + 0.2, -1.2))
    axes.set_yticks([])
    axes.set(ylabel=rows_are, xlabel=f"time (ms after {full(window[0] / NS_PER_S)} s)")
    axes.spines["left"].set_visible(False)
    axes.tick_params(colors=INK)
    axes.set_title(title, fontsize=9.5)
