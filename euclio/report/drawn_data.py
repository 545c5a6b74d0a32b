"""The numbers in a drawing, read back from its panels, so that a figure and its data cannot differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import PathCollection, PolyCollection
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator

from euclio.files.csv_files import csv_text

COLUMNS = ("panel", "mark", "label", "name", "x", "y")
DIGITS = 5
"""Significant digits of numbers, more than a drawing can show."""
NEAR = 0.5
"""A mark belongs to the nearest named place of an axis when it is nearer than this."""

_NUMERIC = re.compile(r"[\d.,\u2212 %×-]*")
"""Names of places that only repeat the numbers."""

DrawnRow = tuple[Any, ...]


def drawn_data(drawing: Figure) -> str:
    """The data of a figure as CSV: a row per point, end of a bar, corner of a band or text.

    Columns are `panel` (from 1), `mark` (line, bar, point, band, text or axis), `label`, `name`, `x` and `y`. A row of
    mark axis has the panel's title, and the meanings of `x` and `y` with their units. `label` is the name in the
    legend, or the words of a text. `name` is that of a place on an axis with names, such as a solver.

    Args:
        drawing: the figure.
    """
    rows = [row for number, panel in enumerate(drawing.axes, 1) for row in _panel(number, panel)]
    return csv_text(COLUMNS, rows)


def _panel(number: int, panel: Axes) -> Iterator[DrawnRow]:
    yield (
        number,
        "axis",
        *(" ".join(t.split()) for t in (panel.get_title(), "", panel.get_xlabel(), panel.get_ylabel())),
    )
    bars = [one for one in panel.containers if isinstance(one, BarContainer)]
    places = _Places(panel)
    for line in panel.lines:
        yield from (_row(number, "line", line, places, x, y) for x, y in _points(line, panel))
    for container in bars:
        for bar in container.patches:
            across, along = bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height() / 2
            lying = container.orientation == "horizontal"
            x, y = (bar.get_x() + bar.get_width(), along) if lying else (across, bar.get_y() + bar.get_height())
            yield _row(number, "bar", container, places, x, y)
    for marks in panel.collections:
        if isinstance(marks, PathCollection):
            for x, y in np.asarray(marks.get_offsets(), dtype=float):
                yield _row(number, "point", marks, places, x, y)
        elif isinstance(marks, PolyCollection):
            for path in marks.get_paths():
                low, high = path.vertices.min(axis=0), path.vertices.max(axis=0)  # type: ignore[union-attr]
                for x, y in (low, high):
                    yield _row(number, "band", marks, places, x, y)
    drawn_as_bars = {bar for container in bars for bar in container.patches}
    for patch in panel.patches:
        if isinstance(patch, Rectangle) and patch not in drawn_as_bars:
            across = patch.get_transform() == panel.get_xaxis_transform()  # from the lower to the upper edge
            low, high = patch.get_bbox().min, patch.get_bbox().max
            for x, y in (low, high):
                yield _row(number, "band", patch, places, x, None if across else y)
    for text in panel.texts:
        x, y = text.get_position()
        yield number, "text", " ".join(text.get_text().split()), places.name(x, y), _number(x), _number(y)


def _points(line: Line2D, panel: Axes) -> Iterator[tuple[Any, Any]]:
    """The points of a line; for one across the whole panel its place alone."""
    xs, ys = np.atleast_1d(line.get_xdata()), np.atleast_1d(line.get_ydata())
    if line.get_transform() == panel.get_xaxis_transform():
        yield xs[0], None
    elif line.get_transform() == panel.get_yaxis_transform():
        yield None, ys[0]
    else:
        points = list(zip(xs, ys, strict=True))
        stepped = line.get_drawstyle() != "default"
        for k, point in enumerate(points):
            # For a step that goes up at one place only its end counts.
            if not (stepped and k + 1 < len(points) and _number(points[k + 1][0]) == _number(point[0])):
                yield point


def _row(number: int, mark: str, artist: Any, places: _Places, x: Any, y: Any) -> DrawnRow:
    label = str(artist.get_label())
    return number, mark, "" if label.startswith("_") else label, places.name(x, y), _number(x), _number(y)


class _Places:
    """The named places of a panel's axes."""

    def __init__(self, panel: Axes) -> None:
        self._axes = [(k, _named(axis)) for k, axis in enumerate((panel.xaxis, panel.yaxis))]

    def name(self, x: Any, y: Any) -> str:
        """The names of a mark's places, those of x first."""
        found = []
        for k, named in self._axes:
            at = (x, y)[k]
            if at is not None and named:
                place = min(named, key=lambda place: abs(place - float(at)))
                if abs(place - float(at)) < NEAR:
                    found.append(named[place])
        return ", ".join(found)


def _named(axis: Axis) -> dict[float, str]:
    """Names by place of an axis whose places were given names."""
    if not isinstance(axis.get_major_locator(), FixedLocator):
        return {}
    places = [float(place) for place in axis.get_majorticklocs()]
    names = [" ".join(text.split()) for text in axis.get_major_formatter().format_ticks(places)]
    if all(_NUMERIC.fullmatch(name) for name in names):
        return {}
    return dict(zip(places, names, strict=True))


def _number(value: Any) -> float | None:
    """A number as it is written; None where there is none."""
    return None if value is None or not np.isfinite(float(value)) else float(f"{float(value):.{DIGITS}g}")
