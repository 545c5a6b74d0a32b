"""How near `price-of-time` comes to the optimum, and what it takes: `PYTHONPATH=. python docs/tools/our_heuristic.py`.

Harpagon's and Piccolo's workloads and the sessions of folders (`../shared/instances/`) by `price-of-time`, `harpagon`,
`piccolo` and `exact`, all in the full plan space; layered DAGs of up to 1000 modules by the first two. It writes the
tables of `docs/findings/our-heuristic.md` and `docs/figures/our-heuristic.svg`. Times are of the process, the least of
three alternating runs in compiled kernels; all else has the same bytes again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median
from time import process_time
from typing import NamedTuple

import numpy as np
from drawn import MEASURED, of_folder
from matplotlib.figure import Figure
from pasting import FIGURES, FINDINGS, draw_plain, paste, table

from euclio.core.compiled import using
from euclio.core.registry import Limits, find_solver
from euclio.core.ways import Way
from euclio.problems.session import PlanSpace, Session
from euclio.workloads import population
from tests.bench.large_sessions import layered_sessions

FULL = PlanSpace()
OURS, HARPAGON, PICCOLO, EXACT = NAMES = ("price-of-time", "harpagon", "piccolo", "exact")
SIZES, EACH, LIMIT_S = (10, 20, 50, 100, 200, 500, 1000), 4, 5.0
HARPAGON_UP_TO, FIRST_SEED = 50, 200
ALIKE = 1e-6


class Found(NamedTuple):
    """One session: cost per hour and seconds of each solver, the cost None where it has no plan."""

    cost: dict[str, float | None]
    seconds: dict[str, float]


def found(session: Session, names: Sequence[str] = NAMES) -> Found:
    """What solvers find on a session, and the least processor time of three runs in turn."""
    cost, seconds = {}, dict.fromkeys(names, np.inf)
    for _ in range(3):
        for name in names:
            began = process_time()
            answer = find_solver(name).run(session, FULL, Limits())
            seconds[name] = min(seconds[name], process_time() - began)
            cost[name] = None if answer.plan is None else answer.claimed
    return Found(cost, seconds)


def excesses(all_found: Iterable[Found], name: str) -> list[float]:
    """What a solver's plans cost more than the optimum, as shares, where it has one."""
    return [
        here / best - 1.0
        for one in all_found
        if (here := one.cost[name]) is not None and (best := one.cost[EXACT]) is not None
    ]


def row(title: str, all_found: Sequence[Found], name: str) -> tuple[str, ...]:
    """A row of the first table."""
    solved = [one for one in all_found if one.cost[EXACT] is not None]
    more = excesses(solved, name)
    ratio = median(one.seconds[name] / one.seconds[HARPAGON] for one in solved)
    alike = sum(value <= ALIKE for value in more)
    return (
        title,
        f"`{name}`",
        f"{alike} of {len(solved)} ({100 * alike / len(solved):.1f} %)",
        str(len(solved) - len(more)),
        *(f"{100 * value:.2f} %" for value in (np.median(more), np.percentile(more, 95), max(more))),
        f"{ratio:.2f}",
    )


def growth() -> tuple[list[tuple[str, ...]], dict[str, list[tuple[int, float]]]]:
    """Rows of the second table, and median seconds by number of modules."""
    rows, times = [], {OURS: [], HARPAGON: []}
    for size in SIZES:
        names = (OURS, HARPAGON) if size <= HARPAGON_UP_TO else (OURS,)
        sessions = layered_sessions(size, EACH, FIRST_SEED)
        every = [found(session, names) for session in sessions]
        limited = [find_solver(EXACT).run(session, FULL, Limits(LIMIT_S)) for session in sessions]
        above = [
            100.0 * (one.cost[OURS] / answer.bound - 1.0)
            for one, answer in zip(every, limited, strict=True)
            if one.cost[OURS] is not None and answer.bound
        ]
        for name in names:
            times[name].append((size, median(one.seconds[name] for one in every)))
        rows.append(
            (
                str(size),
                str(sum(one.cost[OURS] is not None for one in every)),
                f"{times[OURS][-1][1] * 1e3:.3g} ms",
                f"{times[HARPAGON][-1][1] * 1e3:.3g} ms" if size <= HARPAGON_UP_TO else "not run",
                f"{median(above):.2f} %, {max(above):.2f} %",
            )
        )
    return rows, times


def draw(sets: dict[str, list[Found]], times: dict[str, list[tuple[int, float]]]) -> Figure:
    """Share of sessions by excess, and time by number of modules."""
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    every = [one for some in sets.values() for one in some]
    for name, colour in zip((OURS, HARPAGON, PICCOLO), ("C0", "C1", "C2"), strict=True):
        more = np.sort(np.maximum(excesses(every, name), 0.0)) * 100.0
        left.step(np.maximum(more, 1e-4), 100.0 * np.arange(1, more.size + 1) / more.size, color=colour, label=name)
        if name in times:
            right.plot(*zip(*times[name], strict=True), "o-", color=colour, label=name)
    left.set(xscale="log", xlabel="costs more than the optimum (%), at most", ylabel="sessions (%)", ylim=(0, 102))
    right.set(xscale="log", yscale="log", xlabel="modules", ylabel="processor time (s)")
    left.legend()
    right.legend()
    return figure


def main(collect: Callable[[Session], Found] = found) -> None:
    """Measure, write the tables and draw the figure."""
    with using(Way.COMPILED):
        drawn: dict[str, Iterable[Session]] = {
            "`harpagon`'s 1131 workloads": population("harpagon"),
            "`piccolo`'s 663 workloads": population("piccolo"),
            **{f"`{folder.name}`": of_folder(folder) for folder in MEASURED},
        }
        sets = {title: [collect(session) for session in sessions] for title, sessions in drawn.items()}
        rows, times = growth()
    first = [row(title, some, name) for title, some in sets.items() for name in NAMES]
    header = ("sessions", "solver", "plan-optimal", "no plan where one exists", "median", "95th percentile", "worst")
    large = ("modules", "of 4 have a plan", "`price-of-time`, median", "`harpagon`, median", "above the proven bound")
    tables = {"sets": table((*header, "time / `harpagon`, median"), first), "growth": table(large, rows)}
    paste(FINDINGS / "our-heuristic.md", tables)
    draw_plain(FIGURES / "our-heuristic.svg", lambda: draw(sets, times), {})


if __name__ == "__main__":
    main()
