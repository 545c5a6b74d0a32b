"""Displays of fleets, their plans and the checker's answers: tables of plans, and the rows of frames."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.result import Result
from euclio.core.showing import Head, View, fields_of
from euclio.core.showing.results import checked_head, checked_view
from euclio.core.space_fields import in_words
from euclio.core.tables import value_text
from euclio.core.words import counted, figures, full, listed, milliseconds, took
from euclio.problems.fragments.evaluate import FleetEvaluation, SetEvaluation, StageEvaluation
from euclio.problems.fragments.family import FAMILY
from euclio.problems.fragments.instance import Fleet
from euclio.problems.fragments.memory import gpus_needed
from euclio.problems.fragments.plan import FragmentPlan, RealignedSet, Stage
from euclio.problems.fragments.space import FragmentSpace

# Tables of plans of fragments for people: one row per stage, by realigned set.

NAMES_SHOWN = 3


def fragment_table(fleet: Fleet, result: Result[FragmentPlan, FragmentSpace, FleetEvaluation]) -> RenderableType:
    """A header and, if there is a plan, one row per stage (times in ms)."""
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


STAGE_COLUMNS = (
    Label("set"),
    Label("fragments"),
    Label("layers", lambda row: f"{row['first_layer']}-{row['last_layer']}", spare=5),
    Column("batch", spare=6),
    Column("share %", "share_pct", means="of a GPU, per instance"),
    Column("instances"),
    Column("latency ms", "latency_s", milliseconds, spare=3),
    Column("of ms", "half_s", milliseconds, spare=1, means="half of the least budget of the set"),
    Column("req/s", "rate_rps", figures, spare=4, means="rate that comes"),
    Column("serves req/s", "throughput_rps", figures, spare=2, means="rate that the instances can serve"),
)


def _stage_table(fleet: Fleet, plan: FragmentPlan, evaluation: FleetEvaluation) -> RenderableType:
    """Own stages first, in the order of requests; the time of the set's least budget is with the shared stage."""
    rows: list[dict[str, Any]] = []
    for i, (own, found) in enumerate(zip(plan.sets, evaluation.sets, strict=True)):
        whose = [_names(fleet, head.fragments) for head in own.heads if head.stage is not None]
        direct = _names(fleet, [k for head in own.heads if head.stage is None for k in head.fragments])
        shared = ("all" if whose else "") + (", and " if whose and direct else "") + direct
        half_s = min(fleet.fragments[k].budget_s for k in own.fragments) / 2
        said: list[dict[str, Any]] = [{"fragments": names} for names in whose]
        said.append({"fragments": shared, "half_s": half_s})
        stages = [row | more for row, more in zip(_set_rows(i, own, found), said, strict=True)]
        rows += [row if k == 0 else row | {"set": ""} for k, row in enumerate(stages)]
    return table_of(rows, STAGE_COLUMNS)


def _names(fleet: Fleet, places: tuple[int, ...] | list[int]) -> str:
    return listed((fleet.fragments[k].name for k in places), NAMES_SHOWN)


def _fleet_head(fleet: Fleet) -> Head:
    network = f"{fleet.network.name} of {counted(fleet.network.layers, 'layer')}"
    rate = sum(fragment.rate_rps for fragment in fleet.fragments)
    limits = () if fleet.network.server is None else (fleet.network.server.words,)
    facts = (counted(len(fleet.fragments), "fragment"), network, f"{full(rate)} req/s in all", *limits)
    return Head(fleet.name, "", facts)


FLEET_COLUMNS = (
    Label("fragment"),
    Column("first layer", "partition_point"),
    Column("budget ms", "budget_s", milliseconds),
    Column("req/s", "rate_rps", figures),
)


def _fleet_rows(fleet: Fleet) -> list[dict[str, Any]]:
    fields = ("partition_point", "budget_s", "rate_rps")
    return [{"fragment": own.name, **fields_of(own, *fields)} for own in fleet.fragments]


def _plan_head(plan: FragmentPlan) -> Head:
    stages = [stage for own in plan.sets for stage in own.stages]
    instances = counted(sum(stage.instances for stage in stages), "instance")
    share = f"{sum(stage.total_pct for stage in stages):,} % of a GPU in all"
    return Head("", "", (share, f"{instances} on {counted(gpus_needed(plan), 'GPU')}", counted(len(plan.sets), "set")))


PLAN_COLUMNS = (
    Label("set"),
    Label("stage"),
    *map(Column, ("fragments", "batch")),
    Column("share %", "share_pct"),
    Column("instances"),
)


def plan_rows(fleet: Fleet | None, plan: FragmentPlan, evaluation: FleetEvaluation | None) -> list[dict[str, Any]]:
    """A row per stage, own ones before the shared one; without the checker's answer, its numbers are left out."""
    checked = evaluation.sets if evaluation is not None and evaluation.sets else [None] * len(plan.sets)
    return [
        row for i, (own, found) in enumerate(zip(plan.sets, checked, strict=True)) for row in _set_rows(i, own, found)
    ]


def _set_rows(place: int, own: RealignedSet, found: SetEvaluation | None) -> list[dict[str, Any]]:
    """The rows of a set, own stages first, in the order of requests."""
    heads = [None] * len(own.heads) if found is None else found.heads
    rows = [
        _row(place, "own", len(head.fragments), head.stage, checked)
        for head, checked in zip(own.heads, heads, strict=True)
        if head.stage is not None
    ]
    return [*rows, _row(place, "shared", len(own.fragments), own.shared, None if found is None else found.shared)]


def _row(place: int, which: str, fragments: int, stage: Stage, found: StageEvaluation | None) -> dict[str, Any]:
    row = {"set": place, "stage": which, "fragments": fragments, **fields_of(stage, "batch", "share_pct", "instances")}
    if found is None:
        return row
    layers = {"first_layer": found.first, "last_layer": found.end - 1}
    return row | layers | fields_of(found, "latency_s", "rate_rps", "throughput_rps")


def _evaluation_head(found: FleetEvaluation) -> Head:
    value = "" if found.value is None else f"{full(found.value)} % of a GPU in all"
    return checked_head(found, value, counted(len(found.sets), "set"))


EVALUATION_COLUMNS = (
    Label("set"),
    Column("latency ms", "latency_s", milliseconds),
    Column("req/s", "rate_rps", figures),
    Column("serves req/s", "throughput_rps", figures),
)


def _evaluation_rows(found: FleetEvaluation) -> list[dict[str, Any]]:
    return [
        {"set": i, "latency_s": own.latency_s, **fields_of(own.shared, "rate_rps", "throughput_rps")}
        for i, own in enumerate(found.sets)
    ]


FLEET = View(_fleet_head, rows=_fleet_rows, columns=FLEET_COLUMNS)
PLAN = View(_plan_head, rows=lambda plan: plan_rows(None, plan, None), columns=PLAN_COLUMNS)
EVALUATION = checked_view(_evaluation_head, _evaluation_rows, *EVALUATION_COLUMNS)
