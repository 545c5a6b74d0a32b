"""Timeline of a simulation in the manner of PPipe's Figure 12: rows are virtual GPUs, boxes batched inferences."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from euclio.core.figures import INK, MUTED, PALETTE, figure_style
from euclio.pipeline.simulation.record import Simulation
from euclio.pipeline.simulation.setup import Scheduler
from euclio.simulation.units import NS_PER_S, Floats

WIDTH_IN = 10.0
ROW_IN = 0.19
GAP_ROWS = 1.25
"""Space between two pools, in rows."""
MOST_ROWS = 90
"""Rows that are drawn; of larger plans the first virtual GPUs of each pool, which are the busiest, are shown."""
NS_PER_MS = 10**6
LETTER_SHARE = 0.0085
"""Width of a digit as a share of the axis."""


def draw(simulation: Simulation, begin_s: float | None = None, length_s: float | None = None) -> Figure:
    """The timeline of a part of a simulation.

    Args:
        simulation: what is drawn.
        begin_s: where the part begins; by default in the middle of the arrivals.
        length_s: how long it is; by default one and a half times the longest SLO.

    Returns:
        Pools one below the other in the order of the plan. A batch has one colour, and where there is room its number
        (from the first one shown), in all partitions; with reactive pools, which batch anew, in one.
    """
    begin = simulation.setup.seconds / 2 if begin_s is None else begin_s
    length = 1.5 * max(float(m.slo_s) for m in simulation.cluster.models) if length_s is None else length_s
    window = int(begin * NS_PER_S), int((begin + length) * NS_PER_S)
    pools = _pools(simulation)
    shown = _shown([len(gpus) for _, gpus in pools])
    rows = sum(shown) + GAP_ROWS * len(pools)
    with figure_style():
        figure = Figure(figsize=(WIDTH_IN, 1.6 + ROW_IN * rows))
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        top = 0.0
        for (label, gpus), count in zip(pools, shown, strict=True):
            _boxes(axes, simulation, gpus[:count], top, window)
            name = label if count == len(gpus) else f"{label}, {count} shown"
            axes.text(0, top - 0.25, name, fontsize=8.5, fontweight="bold", va="bottom")
            axes.hlines(top - 0.1, 0, (window[1] - window[0]) / NS_PER_MS, color=MUTED, linewidth=0.6)
            top += count + GAP_ROWS
        _finish(axes, simulation, window, top)
    return figure


def _pools(simulation: Simulation) -> list[tuple[str, list[int]]]:
    """Label and virtual GPUs of every pool."""
    found = []
    numbered = enumerate(simulation.gpus)
    for (pipeline, partition), members in groupby(numbered, key=lambda pair: (pair[1].pipeline, pair[1].partition)):
        gpus = list(members)
        first = gpus[0][1]
        size = "" if first.share == 1 else f" 1/{first.share}"
        model = simulation.plan.pipelines[pipeline].model
        label = f"{model}, pipeline {pipeline}, partition {partition}: {len(gpus)} × {first.gpu}{size}"
        found.append((label, [i for i, _ in gpus]))
    return found


def _shown(sizes: list[int]) -> list[int]:
    """Rows per pool: all, or the same limit for each so that the sum stays within MOST_ROWS."""
    limit = max(sizes, default=0)
    while limit > 1 and sum(min(size, limit) for size in sizes) > MOST_ROWS:
        limit -= 1
    return [min(size, limit) for size in sizes]


def _boxes(axes: Axes, simulation: Simulation, gpus: list[int], top: float, window: tuple[int, int]) -> None:
    uses = simulation.inferences
    begin, end = window
    seen = np.isin(uses.resource, gpus) & (uses.end_ns > begin) & (uses.start_ns < end)
    row = (top + uses.resource[seen] - gpus[0]).astype(np.float64)
    left = (np.maximum(uses.start_ns[seen], begin) - begin) / NS_PER_MS
    right = (np.minimum(uses.end_ns[seen], end) - begin) / NS_PER_MS
    batch = uses.batch[seen] - uses.batch[(uses.end_ns > begin) & (uses.start_ns < end)].min(initial=1 << 62)
    corners = _corners(left, right, row)
    colors = [PALETTE[b % len(PALETTE)] for b in batch]
    axes.add_collection(PolyCollection(list(corners), facecolors=colors, edgecolors="white", linewidths=0.5))
    span = (end - begin) / NS_PER_MS
    for x0, x1, y, number in zip(left, right, row, batch, strict=True):
        text = str(number)
        if x1 - x0 > span * LETTER_SHARE * (len(text) + 0.6):
            axes.text((x0 + x1) / 2, y + 0.47, text, ha="center", va="center", fontsize=6, color="white")


def _corners(left: Floats, right: Floats, row: Floats) -> Floats:
    """Corners of boxes, shape (boxes, 4, 2)."""
    low, high = row + 0.06, row + 0.9
    return np.stack([np.stack([left, right, right, left], 1), np.stack([low, low, high, high], 1)], 2)


def _finish(axes: Axes, simulation: Simulation, window: tuple[int, int], top: float) -> None:
    setup = simulation.setup
    axes.set_xlim(0, (window[1] - window[0]) / NS_PER_MS)
    axes.set_ylim(top - GAP_ROWS + 0.2, -1.2)
    axes.set_yticks([])
    axes.set_ylabel("virtual GPUs, one per row")
    axes.set_xlabel(f"time (ms after {window[0] / NS_PER_S:g} s)")
    axes.spines["left"].set_visible(False)
    axes.tick_params(colors=INK)
    alike = "one batch of a pool" if setup.scheduler is Scheduler.REACTIVE else "the same batch in all partitions"
    axes.set_title(
        f"{simulation.cluster.name}: {setup.scheduler.value}, {setup.arrivals.value} arrivals at load {setup.load:g}\n"
        f"box: a batched inference; same number: {alike}",
        fontsize=9.5,
    )
