"""Timeline of a simulation in the manner of PPipe's Figure 12: rows are virtual GPUs, boxes batched inferences."""

from __future__ import annotations

from itertools import groupby

from matplotlib.figure import Figure

from euclio.core.words import full
from euclio.serving.pipeline.record import Simulation
from euclio.serving.pipeline.setup import Scheduler
from euclio.serving.timeline_figure import Boxes, Group, draw_timeline, window_ns


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
    setup, uses = simulation.setup, simulation.inferences
    begin = setup.seconds / 2 if begin_s is None else begin_s
    length = 1.5 * max(float(m.slo_s) for m in simulation.cluster.models) if length_s is None else length_s
    alike = "one batch of a pool" if setup.scheduler is Scheduler.REACTIVE else "the same batch in all partitions"
    title = (
        f"{simulation.cluster.name}: {setup.scheduler.value}, {setup.arrivals.value} arrivals at load "
        f"{full(setup.load)}\n"
        f"box: a batched inference; same number: {alike}"
    )
    first, last = window_ns(begin, length)
    in_window = (uses.end_ns > first) & (uses.start_ns < last)
    batch = uses.batch - uses.batch[in_window].min(initial=1 << 62)
    boxes = Boxes(uses.resource, batch, batch, uses.start_ns, uses.end_ns)
    return draw_timeline(_pools(simulation), boxes, begin, length, title, "virtual GPUs, one per row")


def _pools(simulation: Simulation) -> list[Group]:
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
