"""The sums of a plan for a load over time, and its table: cost, machines, changes (ours)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.result import Result
from euclio.core.tables import value_text
from euclio.core.words import figures
from euclio.problems.day.evaluate import WHOLE, DayEvaluation
from euclio.problems.day.family import LEAST_COST_IN_ALL
from euclio.problems.day.instance import HOUR_S, Day
from euclio.problems.day.plan import DayPlan
from euclio.problems.session.costs import money
from euclio.problems.session.latency.of_requests import caveat


@dataclass(frozen=True, slots=True)
class DayFigures:
    """Sums over a plan.

    Attributes:
        peak_machines: most running machines in a step.
        mean_machines: running machines, averaged over time.
        machine_hours: hours of all running machines, without warm-ups and keep-alives.
        machine_hours_by_hardware: the same by hardware type.
        starts: number of started machines.
        stops: number of stopped machines.
        running: money for running machines.
        changing: money for starts and stops.
    """

    peak_machines: int
    mean_machines: Fraction
    machine_hours: Fraction
    machine_hours_by_hardware: dict[str, Fraction]
    starts: int
    stops: int
    running: Fraction
    changing: Fraction


def machines_by_type(evaluation: DayEvaluation) -> list[list[int]]:
    """Running machines of all modules in each step, by hardware type."""
    return [[sum(counts) for counts in zip(*on, strict=True)] for on in evaluation.machines]


def figures_of(day: Day, evaluation: DayEvaluation) -> DayFigures:
    """The figures of a plan with countable machines."""
    assert evaluation.running is not None
    assert evaluation.changing is not None
    by_type = machines_by_type(evaluation)
    hours = {
        hardware.name: sum(
            (step.length_s / HOUR_S * on[h] for step, on in zip(day.steps, by_type, strict=True)), Fraction(0)
        )
        for h, hardware in enumerate(day.session.hardware)
    }
    total = sum(hours.values(), Fraction(0))
    return DayFigures(
        max(map(sum, by_type)),
        total / day.hours,
        total,
        hours,
        evaluation.starts,
        evaluation.stops,
        evaluation.running,
        evaluation.changing,
    )


def day_table(day: Day, result: Result[DayPlan, Any, DayEvaluation]) -> RenderableType:
    """A header, the sums of the plan and, per hardware type, the fewest, most and mean running machines."""
    head = f"{result.instance}: {result.status.value}"
    evaluation = result.evaluation
    if result.value is None or evaluation is None:
        return Text(f"{head}\n{result.reason}" if result.reason else head)
    found = figures_of(day, evaluation)
    lines = [
        head + value_text(result, LEAST_COST_IN_ALL.priced_in(day.session.currency)),
        f"running {money(day.session, found.running)}, changes {money(day.session, found.changing)}: "
        f"{found.starts:,} starts and {found.stops:,} stops in {len(day.steps):,} steps, {figures(day.hours)} h",
    ]
    said = caveat(day.session, WHOLE)
    lines += [said] if said else []
    rows = []
    for hardware, on in zip(day.session.hardware, zip(*machines_by_type(evaluation), strict=True), strict=True):
        hours = found.machine_hours_by_hardware[hardware.name]
        rows.append([hardware.name, f"{min(on)}", f"{max(on)}", figures(hours / day.hours), figures(hours)])
    columns = (Label("hardware"), *map(Column, ("fewest", "most", "mean", "machine-hours")))
    return Group(*map(Text, lines), Text(""), table_of(rows, columns))
