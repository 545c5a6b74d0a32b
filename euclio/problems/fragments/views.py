"""How fleets, their plans and the checker's answers show themselves: tables of plans, and the rows of frames."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.result import Result
from euclio.core.showing import Head, View
from euclio.core.showing.html import MOST_ROWS
from euclio.core.space_fields import in_words
from euclio.core.tables import new_table, value_text
from euclio.core.words import counted, figures, full, listed, milliseconds, took
from euclio.problems.fragments.evaluate import FleetEvaluation, SetEvaluation, StageEvaluation
from euclio.problems.fragments.family import FAMILY
from euclio.problems.fragments.instance import Fleet
from euclio.problems.fragments.plan import FragmentPlan, RealignedSet, Stage, gpus_needed
from euclio.problems.fragments.space import FragmentSpace

# Tables of plans of fragments for people: one row per stage, by realigned set.

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
        _stage_row(_names(fleet, head.fragments), head.stage, stage, "")
        for head, stage in zip(own.heads, found.heads, strict=True)
        if head.stage is not None and stage is not None
    ]
    half = min(fleet.fragments[k].budget_s for k in own.fragments) / 2
    direct = [k for head in own.heads if head.stage is None for k in head.fragments]
    whose = "all" if rows else _names(fleet, direct)
    if rows and direct:
        whose = f"all, and {_names(fleet, direct)}"
    return [*rows, _stage_row(whose, own.shared, found.shared, milliseconds(half))]


def _stage_row(whose: str, stage: Stage, found: StageEvaluation, budget: str) -> list[str]:
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


def _fleet_head(fleet: Fleet) -> Head:
    network = f"{fleet.network.name} of {counted(fleet.network.layers, 'layer')}"
    rate = sum(fragment.rate_rps for fragment in fleet.fragments)
    limits = () if fleet.network.server is None else (fleet.network.server.words,)
    facts = (counted(len(fleet.fragments), "fragment"), network, f"{full(rate)} req/s in all", *limits)
    return Head(fleet.name, "", facts)


def fleet_table(fleet: Fleet) -> RenderableType:
    """A row per fragment."""
    numbers = ("first layer", "budget ms", "req/s")
    table = new_table("fragment", *numbers, numbers=numbers)
    for own in fleet.fragments[:MOST_ROWS]:
        cells = (own.name, str(own.partition_point), milliseconds(own.budget_s), figures(own.rate_rps))
        table.add_row(*(Text(cell) for cell in cells))
    left_out = len(fleet.fragments) - MOST_ROWS
    return Group(table, *([Text(f"... and {left_out:,} more fragments")] if left_out > 0 else []))


def _fleet_rows(fleet: Fleet) -> list[dict[str, Any]]:
    return [
        {
            "fragment": own.name,
            "partition_point": own.partition_point,
            "budget_s": own.budget_s,
            "rate_rps": own.rate_rps,
        }
        for own in fleet.fragments
    ]


def _plan_head(plan: FragmentPlan) -> Head:
    stages = [stage for own in plan.sets for stage in own.stages]
    instances = counted(sum(stage.instances for stage in stages), "instance")
    share = f"{sum(stage.total_pct for stage in stages):,} % of a GPU in all"
    return Head("", "", (share, f"{instances} on {counted(gpus_needed(plan), 'GPU')}", counted(len(plan.sets), "set")))


def plan_only_table(plan: FragmentPlan) -> RenderableType:
    """A row per stage; which layers it runs for how many requests, only the fleet knows."""
    numbers = ("fragments", "batch", "share %", "instances")
    table = new_table("set", "stage", *numbers, numbers=numbers)
    for row in plan_rows(None, plan, None)[:MOST_ROWS]:
        cells = (row["set"], row["stage"], row["fragments"], row["batch"], row["share_pct"], row["instances"])
        table.add_row(*(Text(str(cell)) for cell in cells))
    return table


def plan_rows(fleet: Fleet | None, plan: FragmentPlan, evaluation: FleetEvaluation | None) -> list[dict[str, Any]]:
    """A row per stage, own ones before the shared one; what only the checker knows is left out without its answer."""
    rows: list[dict[str, Any]] = []
    for i, own in enumerate(plan.sets):
        found = evaluation.sets[i] if evaluation is not None and evaluation.sets else None
        for k, head in enumerate(own.heads):
            if head.stage is not None:
                checked = None if found is None else found.heads[k]
                rows.append(_row(i, "own", len(head.fragments), head.stage, checked))
        rows.append(_shared(i, own, None if found is None else found.shared))
    return rows


def _shared(place: int, own: RealignedSet, found: StageEvaluation | None) -> dict[str, Any]:
    return _row(place, "shared", len(own.fragments), own.shared, found)


def _row(place: int, which: str, fragments: int, stage: Stage, found: StageEvaluation | None) -> dict[str, Any]:
    row = {
        "set": place,
        "stage": which,
        "fragments": fragments,
        "batch": stage.batch,
        "share_pct": stage.share_pct,
        "instances": stage.instances,
    }
    if found is None:
        return row
    layers = {"first_layer": found.first, "last_layer": found.end - 1}
    rates = {"rate_rps": found.rate_rps, "throughput_rps": found.throughput_rps}
    return row | layers | {"latency_s": found.latency_s} | rates


def _evaluation_head(found: FleetEvaluation) -> Head:
    value = () if found.value is None else (f"{full(found.value)} % of a GPU in all",)
    status = "accepted" if found.feasible else "refused"
    return Head("", status, (*value, counted(len(found.sets), "set"), *found.violations[:1]))


def evaluation_table(found: FleetEvaluation) -> RenderableType:
    """Broken rules, then a row per set."""
    numbers = ("latency ms", "req/s", "serves req/s")
    table = new_table("set", *numbers, numbers=numbers)
    for i, own in enumerate(found.sets[:MOST_ROWS]):
        rates = figures(own.shared.rate_rps), figures(own.shared.throughput_rps)
        table.add_row(*(Text(cell) for cell in (str(i), milliseconds(own.latency_s), *rates)))
    return Group(*map(Text, found.violations[1:MOST_ROWS]), *([table] if found.sets else []))


def _evaluation_rows(found: FleetEvaluation) -> list[dict[str, Any]]:
    return [
        {
            "set": i,
            "latency_s": own.latency_s,
            "rate_rps": own.shared.rate_rps,
            "throughput_rps": own.shared.throughput_rps,
        }
        for i, own in enumerate(found.sets)
    ]


FLEET = View(_fleet_head, fleet_table, rows=_fleet_rows)
PLAN = View(_plan_head, plan_only_table, rows=lambda plan: plan_rows(None, plan, None))
EVALUATION = View(_evaluation_head, evaluation_table, rows=_evaluation_rows)
