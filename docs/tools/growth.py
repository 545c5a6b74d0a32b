"""How the processor time of each method grows with a session: `PYTHONPATH=. python docs/tools/growth.py`.

The sessions of `tests/bench/growth.py`, which grow in modules, configurations, rate or edges, by `exact`, by the models
of MILP and CP-SAT and by two heuristics, all in the full plan space and within a limit. It writes the tables of
`docs/findings/growth.md` and `docs/figures/growth.svg`. Times are of the process, on one thread, in compiled kernels;
all else has the same bytes again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from time import process_time
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pasting import FIGURES, FINDINGS, draw_styled, paste, table

from euclio.core.compiled import using
from euclio.core.figures import PALETTE, grid
from euclio.core.result import Status
from euclio.core.solving import asked
from euclio.core.ways import Way
from euclio.core.words import duration
from euclio.problems.session import PlanSpace, Session
from tests.bench.growth import LIMIT_S, PARAMETERS, SEEDS, Parameter
from tests.bench.measuring import REPEATED_WITHIN_S, REPEATS, forget

LOOKS = {
    "price-of-time": (PALETTE[0], "o"),
    "harpagon": (PALETTE[1], "s"),
    "exact": (PALETTE[2], "D"),
    "milp": (PALETTE[3], "^"),
    "cpsat": (PALETTE[5], "v"),
}
"""Colour and mark of each method, in the order of the tables."""
SECONDS = {0.001: "0.001", 0.01: "0.01", 0.1: "0.1", 1.0: "1"}
"""Ticks of times."""
NARROW = 0.16
"""Values closer to the next one than this share of an axis have no label."""
PROVING = ("exact", "milp", "cpsat")
MARKS = ("modules", "configurations", "rate", "edges")
"""Where the tables stand in the page, in the order of the parameters."""


class Cell(NamedTuple):
    """What a method took at one value of a parameter.

    Attributes:
        seconds: median of the seeds, where a run that ended without a proof counts with the limit.
        unproven: seeds without a proof, of a method that has proofs.
    """

    seconds: float
    unproven: int

    @property
    def at_limit(self) -> bool:
        """Whether the median is that of a run without a proof."""
        return 2 * self.unproven > len(SEEDS)


def seconds_of(session: Session, name: str) -> tuple[float, bool]:
    """Least processor time of a few runs of a method in seconds, and whether it ended without a proof that it owed."""
    least, spent = math.inf, 0.0
    for _ in range(REPEATS):
        forget(session)
        ready = asked(session, name, space=PlanSpace(), time_limit_s=LIMIT_S)
        began = process_time()
        answer = ready.answer()
        took = process_time() - began
        result = ready.check(*answer)
        if result.status is Status.ERROR:
            raise ValueError(f"{name} on {session.name}: {result.reason}")
        if name in PROVING and result.status not in (Status.OPTIMAL, Status.INFEASIBLE):
            return LIMIT_S, True
        least, spent = min(least, took), spent + answer[1]
        if spent >= REPEATED_WITHIN_S:
            break
    return least, False


def measured(parameter: Parameter) -> dict[str, list[Cell]]:
    """What each method took at the values of a parameter, up to the first where no seed was proven in time."""
    cells: dict[str, list[Cell]] = {name: [] for name in LOOKS}
    for value in parameter.values:
        sessions = [parameter.make(seed, value) for seed in SEEDS]
        for name, so_far in cells.items():
            if so_far and so_far[-1].unproven == len(SEEDS):
                continue
            runs = [seconds_of(session, name) for session in sessions]
            so_far.append(Cell(median(took for took, _ in runs), sum(late for _, late in runs)))
    return cells


def power(values: Sequence[int], cells: Sequence[Cell]) -> str:
    """The power of the parameter with which the time grows from the first value to the last one that was not late."""
    last = max((i for i, cell in enumerate(cells) if not cell.at_limit), default=0)
    if last == 0:
        return "-"
    return f"{math.log(cells[last].seconds / cells[0].seconds) / math.log(values[last] / values[0]):.1f}"


def rows(parameter: Parameter, cells: dict[str, list[Cell]]) -> list[tuple[str, ...]]:
    """The table of a parameter: a row for each value, and one of powers."""
    lines = [
        (str(value), *(in_words(found[i]) if i < len(found) else "not asked" for found in cells.values()))
        for i, value in enumerate(parameter.values)
    ]
    return [*lines, ("power", *(power(parameter.values, found) for found in cells.values()))]


def in_words(cell: Cell) -> str:
    """A cell of a table."""
    took = "limit" if cell.at_limit else duration(cell.seconds)
    return f"{took} ({cell.unproven})" if cell.unproven else took


def draw(found: Sequence[tuple[Parameter, dict[str, list[Cell]]]]) -> Figure:
    """A panel for each parameter: processor time by its value, and one legend above all."""
    figure = Figure(figsize=(6.4, 6.0))
    panels = figure.subplots(2, 2, sharey=True)
    for axes, (parameter, cells) in zip(panels.flat, found, strict=True):
        for name, line in cells.items():
            draw_line(axes, parameter.values, line, name)
        axes.axhline(LIMIT_S, color=PALETTE[4], linewidth=0.8, linestyle=":")
        axes.set(xscale="log", yscale="log", xlabel=parameter.what)
        axes.set_xticks(parameter.values, labels_of(parameter.values))
        axes.set_yticks([*SECONDS], [*SECONDS.values()])
        axes.minorticks_off()
        grid(axes)
    for axes in panels[:, 0]:
        axes.set_ylabel("processor time (s)")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(LOOKS))
    return figure


def labels_of(values: Sequence[int]) -> list[str]:
    """Labels of values on a logarithmic axis, empty where the next one is too near."""
    room = NARROW * math.log(values[-1] / values[0])
    near = [math.log(b / a) < room for a, b in pairwise(values)]
    return [*("" if close else str(value) for value, close in zip(values, near, strict=False)), str(values[-1])]


def draw_line(axes: Axes, values: Sequence[int], cells: Sequence[Cell], name: str) -> None:
    """The times of a method, hollow where its median is the limit."""
    colour, mark = LOOKS[name]
    axes.plot(values[: len(cells)], [cell.seconds for cell in cells], "-", color=colour, linewidth=1.2)
    axes.plot([], [], color=colour, marker=mark, label=name, markersize=5)
    for value, cell in zip(values, cells, strict=False):
        axes.plot(value, cell.seconds, mark, color=colour, markersize=5, mfc="none" if cell.at_limit else colour)


def main() -> None:
    """Measure, write the tables and draw the figure."""
    with using(Way.COMPILED):
        for parameter in PARAMETERS:
            first = parameter.make(SEEDS[0], parameter.values[0])
            for name in LOOKS:  # imports and machine code, before anything is timed
                asked(first, name, space=PlanSpace(), time_limit_s=0.5).answer()
        found = [(parameter, measured(parameter)) for parameter in PARAMETERS]
    header = [f"`{name}`" for name in LOOKS]
    tables = {
        mark: table((parameter.what, *header), rows(parameter, cells))
        for mark, (parameter, cells) in zip(MARKS, found, strict=True)
    }
    paste(FINDINGS / "growth.md", tables)
    draw_styled(FIGURES / "growth.svg", lambda: draw(found))


if __name__ == "__main__":
    main()
