"""Tables of plans of fragments for people: one row per stage, by realigned set."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.result import Result
from euclio.core.space_fields import in_words
from euclio.core.tables import new_table, value_text
from euclio.core.words import counted, figures, listed, milliseconds, took
from euclio.problems.fragments.evaluate import FleetEvaluation, SetEvaluation, StageEvaluation
from euclio.problems.fragments.family import FAMILY
from euclio.problems.fragments.instance import Fleet
from euclio.problems.fragments.packing import gpus_needed
from euclio.problems.fragments.plan import FragmentPlan, RealignedSet, Stage
from euclio.problems.fragments.space import FragmentSpace

NAMES_SHOWN = 3
LEGEND = {
    "share %": "of a GPU, per instance",
    "of ms": "half of the least budget of the set",
    "req/s": "rate that comes",
    "serves req/s": "rate that the instances can serve",
}
"""What the columns mean."""


def fragment_table(fleet: Fleet, result: Result[FragmentPlan, FragmentSpace, FleetEvaluation]) -> RenderableType:
    """A header and, where there is a plan, one row per stage (times in ms)."""
    header = Text("\n".join(_header(fleet, result)))
    if result.plan is None or result.evaluation is None or result.value is None:
        return header
    return Group(header, Text(""), _stage_table(fleet, result.plan, result.evaluation))


def used(plan: FragmentPlan) -> str:
    """Sets, instances and GPUs of a plan in words."""
    instances = sum(stage.instances for own in plan.sets for stage in own.stages)
    return f"{counted(len(plan.sets), 'set')}, {counted(instances, 'instance')} on {counted(gpus_needed(plan), 'GPU')}"


def _header(fleet: Fleet, result: Result[FragmentPlan, FragmentSpace, FleetEvaluation]) -> list[str]:
    goal = FAMILY.goal(result.space)
    lines = [f"{result.instance}: {result.status.value}{value_text(result, goal)}"]
    if result.value is not None and result.plan is not None:
        lines.append(f"{fleet.network.name}, {counted(len(fleet.fragments), 'fragment')}: {used(result.plan)}")
    lines.append(
        f"solver {result.solver}, {took(result.wall_s, result.provenance)}; plan space: {in_words(result.space)}"
    )
    return lines


def _stage_table(fleet: Fleet, plan: FragmentPlan, evaluation: FleetEvaluation) -> RenderableType:
    numbers = ("batch", "share %", "instances", "latency ms", "of ms", "req/s", "serves req/s")
    spare = ("of ms", "serves req/s", "latency ms", "req/s", "layers", "batch")
    table = new_table("set", "fragments", "layers", *numbers, numbers=numbers, spare=spare, legend=LEGEND)
    for i, (own, found) in enumerate(zip(plan.sets, evaluation.sets, strict=True)):
        for k, row in enumerate(_set_rows(fleet, own, found)):
            table.add_row(*(Text(cell) for cell in (str(i) if k == 0 else "", *row)))
    return table


def _set_rows(fleet: Fleet, own: RealignedSet, found: SetEvaluation) -> list[list[str]]:
    """Own stages first, as requests pass them; the time of the set's least budget stands with the shared stage."""
    rows = [
        _row(_names(fleet, head.fragments), head.stage, stage, "")
        for head, stage in zip(own.heads, found.heads, strict=True)
        if head.stage is not None and stage is not None
    ]
    half = min(fleet.fragments[k].budget_s for k in own.fragments) / 2
    direct = [k for head in own.heads if head.stage is None for k in head.fragments]
    whose = "all" if rows else _names(fleet, direct)
    if rows and direct:
        whose = f"all, and {_names(fleet, direct)}"
    return [*rows, _row(whose, own.shared, found.shared, milliseconds(half))]


def _row(whose: str, stage: Stage, found: StageEvaluation, budget: str) -> list[str]:
    return [
        whose,
        f"{found.first}-{found.end - 1}",
        str(stage.batch),
        str(stage.share_pct),
        str(stage.instances),
        milliseconds(found.latency_s),
        budget,
        figures(found.rate_rps),
        figures(found.throughput_rps),
    ]


def _names(fleet: Fleet, places: tuple[int, ...] | list[int]) -> str:
    return listed((fleet.fragments[k].name for k in places), NAMES_SHOWN)
