"""The savings of the first changes: `python docs/tools/change_costs.py FOLDER`.

The sessions of a folder, each with the cheapest whole machines for its load running. The load then is 0.8 to 1.2 of
that, and `exact` says what the cheapest plan costs by how many machines may change. It prints the table of
`docs/howto/staying-close.md` and writes `docs/figures/change-costs.svg`, of two of the sessions.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
from drawn import of_folder
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pasting import FIGURES

from euclio import solve
from euclio.core.figures import PALETTE, grid, new_figure
from euclio.core.result import Status
from euclio.problems.session import Charging, Session
from euclio.problems.session.changes import SessionChanges, source_rate
from euclio.problems.session.machine_limits import machine_counts, named_plan
from euclio.problems.session.running import RunningMachines
from euclio.questions.change_costs import Curve, Step, change_costs
from euclio.report.figure_files import save_figure

LOADS = ("0.8", "0.9", "1.1", "1.2")
DRAWN = ("real-traffic-104", "real-actdet-044")
LIMIT_S = 10.0
FIRST = (1, 2, 4, 8)
"""Changes beyond the fewest that have a plan, for which the table says what they save."""


def running(session: Session) -> tuple[RunningMachines, ...] | None:
    """The machines of the cheapest whole plan of a session; None means that it has no plan."""
    plan = solve(session, "exact", charging=Charging.WHOLE, time_limit_s=LIMIT_S).plan
    if plan is None:
        return None
    counts = machine_counts(named_plan(session, plan))
    return tuple(RunningMachines(*place, count) for place, count in sorted(counts.items()))


def curve(session: Session, machines: tuple[RunningMachines, ...], factor: str) -> Curve:
    """The least cost by changes where the load is so many times what the machines are for."""
    changes = SessionChanges(rate_rps=source_rate(session) * Fraction(factor), running=machines)
    return change_costs(session, changes=changes, time_limit_s=LIMIT_S)


def part(found: Curve, more: int) -> float:
    """Share of all that can be saved that so many changes beyond the fewest save."""
    first = found.steps[0].most or 0
    within = [step for step in found.steps if (step.most or 0) <= first + more]
    return float(found.part_of_saving(within[-1]) or 0)


def table(curves: dict[tuple[str, str], Curve]) -> None:
    """Print a row per load: sessions, those that changes save anything on, and what the first ones save."""
    more = " | ".join(f"{n} more" for n in FIRST)
    print(f"\n| load | sessions | fewest changes | with something to save | {more} | all that save |")
    print("|" + "---|" * (5 + len(FIRST)))
    for factor in LOADS:
        own = [found for (_, load), found in curves.items() if load == factor and found.steps]
        saving = [found for found in own if found.saved(found.free)]
        fewest = np.mean([found.steps[0].most or 0 for found in own])
        parts = [100 * np.mean([part(found, n) for found in saving]) for n in FIRST]
        last = np.mean([(found.steps[-1].most or 0) - (found.steps[0].most or 0) for found in saving])
        shown = " | ".join(f"{p:.0f} %" for p in parts)
        print("|", factor, "|", len(own), "|", f"{fewest:.1f} | {len(saving)} | {shown} | {last:.1f} |")
    print("proven:", sum(_proven(found) for found in curves.values()), "of", len(curves))


def _proven(found: Curve) -> bool:
    """Whether every fall of the cost is known, each with a proof."""
    decided = (Status.OPTIMAL, Status.INFEASIBLE)
    return found.complete and all(step.result.status in decided for step in (*found.tried, found.free))


def draw(curves: dict[tuple[str, str], Curve]) -> Figure:
    """Extra cost of plans close to the running plan over the cheapest of all; two sessions, a curve per load."""
    with new_figure(7.2, 3.3) as figure:
        both = figure.subplots(1, 2, sharey=True)
        for axes, name in zip(both, DRAWN, strict=True):
            own = {factor: curves[name, factor] for factor in LOADS}
            end = 1.04 * max(found.free.changes or 0 for found in own.values())
            for (factor, found), colour in zip(own.items(), PALETTE, strict=False):
                most, above = [step.most or 0 for step in found.steps], [_above(found, step) for step in found.steps]
                axes.step(
                    [*most, end], [*above, 0], where="post", color=colour, linewidth=1.5, label=f"{factor} of the load"
                )
                axes.plot(most, above, "o", color=colour, markersize=3.5)
            axes.set_xlim(-0.02 * end, end)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            axes.set_xlabel("machines added and removed, at most", fontsize=8)
            running = curves[name, LOADS[0]].question.changed.running
            count = 0 if running is None else sum(own.machines for own in running.machines)
            axes.set_title(f"{name}, {count} machines run", fontsize=9, loc="left")
            axes.tick_params(labelsize=8)
            grid(axes, "y")
        both[0].set_ylabel("cost above the cheapest plan of all (%)", fontsize=8)
        handles, labels = both[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(LOADS), fontsize=8)
    return figure


def _above(found: Curve, step: Step) -> float:
    """The extra cost of a step over the cheapest plan without a limit, in per cent."""
    assert step.cost_per_h is not None
    assert found.free.cost_per_h is not None
    return 100 * float(step.cost_per_h / found.free.cost_per_h - 1)


def main(folder: Path) -> None:
    """Solve, print, draw."""
    curves: dict[tuple[str, str], Curve] = {}
    for session in of_folder(folder):
        machines = running(session)
        if machines is not None:
            curves |= {(session.name, factor): curve(session, machines, factor) for factor in LOADS}
    table(curves)
    save_figure(draw(curves), FIGURES / "change-costs.svg")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
