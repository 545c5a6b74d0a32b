"""Timelines of simulations in the manner of PPipe's Figure 12: rows are executors, boxes executions of batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from euclio.core.figures import INK, MUTED, PALETTE, new_figure
from euclio.core.words import counted, full, listed
from euclio.serving.fragments.record import Simulation as FleetSimulation
from euclio.serving.fragments.system import ServedStage
from euclio.serving.pipeline.record import Simulation as ClusterSimulation
from euclio.serving.pipeline.setup import Scheduler
from euclio.serving.session.record import Simulation as SessionSimulation
from euclio.serving.units import NS_PER_S, Floats, Ints

MOST_ALLOCATIONS = 16
"""Allocations of a session that are drawn: those of the first modules."""
MOST_STAGES = 12
"""Stages of a fleet that are drawn: those of the first sets."""
NAMES_SHOWN = 3
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
    """Executors that are drawn one below the other."""

    label: str  # what stands above them
    executors: tuple[int, ...]  # their numbers, one after the other


@dataclass(frozen=True, slots=True)
class Boxes:
    """Executions of batches, one entry each."""

    executor: Ints  # number of the executor
    colour: Ints  # equal numbers have one colour, from 0
    number: Ints  # what stands in the box, where there is room
    start_ns: Ints  # begin
    end_ns: Ints  # end


def draw(
    simulation: SessionSimulation | ClusterSimulation | FleetSimulation,
    begin_s: float | None = None,
    length_s: float | None = None,
) -> Figure:
    """The timeline of a part of a simulation.

    For a session, rows are slots of machines, and colours are modules. For a cluster, rows are virtual GPUs. A batch
    has one colour and number (from the first one shown) in all partitions; with reactive pools, in one. For a fleet,
    rows are instances, and colours are sets. Where there is room, a box shows the number of requests, dummies included.

    Args:
        simulation: the simulation.
        begin_s: where the part begins; by default in the middle of the arrivals.
        length_s: its length; by default one and a half times the longest latency objective or time budget. A session
            keeps no other part.
    """
    if isinstance(simulation, SessionSimulation):
        return _of_session(simulation)
    begin = simulation.setup.seconds / 2 if begin_s is None else begin_s
    if isinstance(simulation, ClusterSimulation):
        longest = max(float(model.slo_s) for model in simulation.cluster.models)
        return _of_cluster(simulation, begin, 1.5 * longest if length_s is None else length_s)
    longest = max(float(fragment.budget_s) for fragment in simulation.fleet.fragments)
    return _of_fleet(simulation, begin, 1.5 * longest if length_s is None else length_s)


def _of_session(simulation: SessionSimulation) -> Figure:
    """Allocations one below the other, in the order of the plan."""
    setup, done = simulation.setup, simulation.executions
    groups = _allocations(simulation)
    shown = groups[:MOST_ALLOCATIONS]
    part = "" if len(shown) == len(groups) else f", {len(shown)} of {len(groups)} allocations"
    load = (
        f"{setup.clients} clients" if setup.clients else f"{setup.arrivals.value} arrivals at load {full(setup.load)}"
    )
    title = (
        f"{simulation.session.name}: {load}, dispatch {simulation.dispatch.value}{part}\n"
        "box: an execution; number: invocations in its batch; colour: module"
    )
    boxes = Boxes(_slots(simulation), done.module, done.invocations, done.start_ns, done.end_ns)
    return _drawn(shown, boxes, done.begin_s, done.length_s, title, "slots of machines, one per row")


def _of_cluster(simulation: ClusterSimulation, begin_s: float, length_s: float) -> Figure:
    """Pools one below the other, in the order of the plan."""
    setup, uses = simulation.setup, simulation.inferences
    alike = "one batch of a pool" if setup.scheduler is Scheduler.REACTIVE else "the same batch in all partitions"
    title = (
        f"{simulation.cluster.name}: {setup.scheduler.value}, {setup.arrivals.value} arrivals at load "
        f"{full(setup.load)}\n"
        f"box: a batched inference; same number: {alike}"
    )
    first, last = _window_ns(begin_s, length_s)
    in_window = (uses.end_ns > first) & (uses.start_ns < last)
    batch = uses.batch - uses.batch[in_window].min(initial=1 << 62)
    boxes = Boxes(uses.resource, batch, batch, uses.start_ns, uses.end_ns)
    return _drawn(_pools(simulation), boxes, begin_s, length_s, title, "virtual GPUs, one per row")


def _of_fleet(simulation: FleetSimulation, begin_s: float, length_s: float) -> Figure:
    """Stages one below the other, own ones before the shared one of their set."""
    setup, done = simulation.setup, simulation.executions
    shown = simulation.stages[:MOST_STAGES]
    part = "" if len(shown) == len(simulation.stages) else f", {len(shown)} of {len(simulation.stages)} stages"
    title = (
        f"{simulation.fleet.name}: {setup.arrivals.value} arrivals at load {full(setup.load)}{part}\n"
        "box: an execution; number: requests in its batch; colour: set"
    )
    colour = np.array([stage.place for stage in simulation.stages])[done.stage]
    boxes = Boxes(done.instance, colour, done.requests, done.start_ns, done.end_ns)
    groups = [_stage(simulation, stage) for stage in shown]
    return _drawn(groups, boxes, begin_s, length_s, title, "instances, one per row")


def _slots(simulation: SessionSimulation) -> Ints:
    """The slot of each execution, numbered machine by machine: the first slot that is free when it starts."""
    done = simulation.executions
    slots = [machine.slots for machine in simulation.system.machines]
    first = np.concatenate(([0], np.cumsum(slots)))
    free_at = np.zeros(first[-1], np.int64)
    found = np.zeros(done.machine.size, np.int64)
    for k in np.lexsort((done.end_ns, done.start_ns)):
        own = slice(first[done.machine[k]], first[done.machine[k] + 1])
        found[k] = own.start + int(np.argmax(free_at[own] <= done.start_ns[k]))
        free_at[found[k]] = done.end_ns[k]
    return found


def _allocations(simulation: SessionSimulation) -> list[Group]:
    """Label and slots of every allocation."""
    found, first = [], 0
    for (module, place), alike in groupby(simulation.system.machines, key=lambda m: (m.module, m.allocation)):
        machines = list(alike)
        slots = tuple(range(first, first + sum(machine.slots for machine in machines)))
        first += len(slots)
        c = simulation.plan.modules[module].allocations[place].configuration
        whose = simulation.system.modules[module].name
        size = f"{counted(len(machines), 'machine')} of {c.hardware}, batch {c.batch}, concurrency {c.concurrency}"
        found.append(Group(f"{whose}: {size}", slots))
    return found


def _pools(simulation: ClusterSimulation) -> list[Group]:
    """Label and virtual GPUs of every pool."""
    found = []
    numbered = enumerate(simulation.gpus)
    for (pipeline, partition), members in groupby(numbered, key=lambda pair: (pair[1].pipeline, pair[1].partition)):
        gpus = list(members)
        first = gpus[0][1]
        size = "" if first.share == 1 else f" 1/{first.share}"
        model = simulation.plan.pipelines[pipeline].model
        label = f"{model}, pipeline {pipeline}, partition {partition}: {len(gpus)} × {first.gpu}{size}"
        found.append(Group(label, tuple(i for i, _ in gpus)))
    return found


def _stage(simulation: FleetSimulation, stage: ServedStage) -> Group:
    """Label and instances of a stage."""
    whose = listed((simulation.fleet.fragments[k].name for k in stage.fragments), NAMES_SHOWN)
    size = f"{counted(stage.stage.instances, 'instance')} of {stage.stage.share_pct} %, batch {stage.stage.batch}"
    label = f"set {stage.place}, layers {stage.first}-{stage.end - 1} of {whose}: {size}"
    return Group(label, tuple(range(stage.first_instance, stage.first_instance + stage.stage.instances)))


def _drawn(groups: Sequence[Group], boxes: Boxes, begin_s: float, length_s: float, title: str, rows_are: str) -> Figure:
    """Groups of executors one below the other, with the executions of a part of the time."""
    window = _window_ns(begin_s, length_s)
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


def _window_ns(begin_s: float, length_s: float) -> tuple[int, int]:
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
