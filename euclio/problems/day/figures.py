"""What a plan for a load over time comes to: cost, machines, changes (ours)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from euclio.problems.day.evaluate import DayEvaluation
from euclio.problems.day.instance import HOUR_S, Day


@dataclass(frozen=True, slots=True)
class DayFigures:
    """Sums over a plan.

    Attributes:
        peak_machines: most machines on in a step.
        mean_machines: machines on, averaged over time.
        machine_hours: hours of all machines that are on; warm-ups and keep-alives are not in it.
        machine_hours_by_hardware: the same by hardware type.
        starts: machines that are started.
        stops: machines that are stopped.
        running: money for the machines that are on.
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
    """Machines that are on in each step, by hardware type, of all modules together."""
    return [[sum(counts) for counts in zip(*on, strict=True)] for on in evaluation.machines]


def figures_of(day: Day, evaluation: DayEvaluation) -> DayFigures:
    """The figures of a plan whose machines could be counted."""
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
