"""The table of a session's plan, and its plan space in words."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.lazy import late
from euclio.core.objective import LEAST_COST
from euclio.core.result import Result
from euclio.core.space_fields import in_words
from euclio.core.tables import bound_text, claimed_of
from euclio.core.words import (
    DASH,
    amount,
    counted,
    figures,
    full,
    joined,
    milliseconds,
    percent,
    plain,
    rounded_down,
    took,
)
from euclio.problems.session.bought_whole import whole_costs_in_words
from euclio.problems.session.changes import source_rate
from euclio.problems.session.costs import allocation_costs, costs_in_words, money
from euclio.problems.session.evaluate import Evaluation, ModuleEvaluation, bought_machines, machines_by_hardware
from euclio.problems.session.instance import Module, Session
from euclio.problems.session.latency.of_requests import caveat
from euclio.problems.session.latency.paths import times_from, times_until
from euclio.problems.session.machine_limits import limited_apart, needed_together, slice_layouts
from euclio.problems.session.packing import residents
from euclio.problems.session.plan import ModulePlan, Plan
from euclio.problems.session.policies import Form
from euclio.problems.session.rules import Charging
from euclio.problems.session.services import without_objective
from euclio.problems.session.space import PlanSpace

tables_of_parts = late("euclio.problems.session.parts_of_plans", "tables_of_parts")
tightest_of = late("euclio.problems.session.parts_of_plans", "tightest_of")

ANY = "any"
"""The budget of a module that leads to no objective."""
MOST_SAID = Fraction(995, 1000)
"""The largest share of a machine that two digits show as less than one."""


def space_for_planners(space: PlanSpace) -> str:
    """The plans of a space: dispatch of requests, spare capacity, then only the fields that restrict plans."""
    policy = str(space.policy)
    dispatch = f"{space.policy.words} ({policy})" if space.policy.words else policy
    rest = in_words(space).removeprefix(f"{policy}, {space.dummy.words}")
    return f"dispatch: {dispatch}; {space.dummy.spare}{rest}"


def machines_in_words(plan: Plan, evaluation: Evaluation, space: PlanSpace) -> str:
    """Machines by hardware type, such as "A100 3 whole and 0.46 of one".

    It is empty if machines are charged whole, so that none is used in part, and if equal machines take equal rates, so
    that none is whole.
    """
    if space.charging is not Charging.SHARE or space.policy.form is Form.EVEN:
        return ""
    whole: dict[str, int] = {}
    parts: dict[str, list[Fraction]] = {}
    for module, found in zip(plan.modules, evaluation.modules, strict=True):
        for place, allocation in enumerate(module.allocations):
            hardware = allocation.configuration.hardware
            whole[hardware] = whole.get(hardware, 0) + allocation.machines
            if place == len(module.allocations) - 1 and found.partial_rps:
                parts.setdefault(hardware, []).append(found.partial_rps / allocation.configuration.throughput_rps)
    return ", ".join(f"{name} {_machines(count, parts.get(name, ()))}" for name, count in whole.items())


def _machines(whole: int, parts: Sequence[Fraction]) -> str:
    """Whole machines, and those in use in part."""
    used = sum(parts, Fraction(0))
    if not parts:
        return f"{whole:,} whole"
    # Less than one machine must not read as one.
    said = "more than 0.99" if MOST_SAID <= used < 1 else plain(float(used), 2)
    of = f"{said} of one" if len(parts) == 1 else f"parts of {counted(len(parts), 'machine')}, {said} in all"
    return f"{whole:,} whole and {of}" if whole else of


PARTIAL = {" + ": "whole ones + the share of one more that is used", " x ": "number x load of each"}
"""Signs in the column of the machines, and their meaning."""
SPARE_ROW = "spare capacity"
SPARE_SAID = "spare capacity is paid for and serves nobody, so that batches fill in time (dummies)"
"""The row of dummies, and its meaning."""
MOST_SHARED = 20
"""The most shared machines that are listed."""
MOST_LISTED = 12
"""The most modules whose percentiles are printed in a line; results have all of them."""
MOST_MODULES = 1000
"""The most modules that a table of a plan shows: the layout of more takes longer than the solution."""


def plan_table(session: Session, result: Result) -> RenderableType:
    """A header and, if there is a plan, one row per allocation (times in ms, money per hour)."""
    header = Text("\n".join(_header(session, result)))
    if result.plan is None or result.evaluation is None or result.value is None:
        return header
    budgets, free = module_budgets(session, result.evaluation), set(without_objective(session))
    rows = zip(session.modules, result.plan.modules, result.evaluation.modules, budgets, strict=True)
    shown: list[dict[str, str]] = []
    for module, plan, found, budget in islice(rows, MOST_MODULES):
        room = ANY if module.name in free else milliseconds(budget)
        times = {"latency ms": milliseconds(found.worst_case_latency_s), "budget ms": room}
        rows_of_module = _module_rows(session.price, module, plan, found, result)
        shown += [{"module": module.name} | rows_of_module[0] | times, *rows_of_module[1:]]
    left_out = len(session.modules) - MOST_MODULES
    more = [Text(f"... and {left_out} more modules, which --json prints too")] if left_out > 0 else []
    above = []
    if session.objectives or session.applications:
        above = tables_of_parts(session, result.evaluation, result.value, _headroom(result))
    return Group(header, Text(""), *above, table_of(shown, _columns(session, result, shown)), *more)


def _columns(session: Session, result: Result, rows: Sequence[dict[str, str]]) -> list[Column]:
    """The columns, with remarks on those whose rows need one."""
    signs = (said for sign, said in PARTIAL.items() if any(sign in row.get("machines", "") for row in rows))
    spare = SPARE_SAID if any(row["hardware"] == SPARE_ROW for row in rows) else ""
    planned = "req/s with the headroom; util. and req/s are of the requests that come"
    return [
        Label("module"),
        Label("hardware", spare=9, means=spare),
        Column("batch", spare=8),
        Column("conc.", spare=3, means="executions at a time"),
        Column("machines", spare=10, means=next(signs, "")),
        Column("util.", spare=5, means="share of the time that the machines work, bought whole"),
        Column("req/s", spare=6),
        *([Column("planned", spare=4, means=planned)] if _headroom(result) else []),
        Column("latency ms", spare=7),
        Column("budget ms", spare=2, means="what the latency may grow to"),
        Column("cost/h", means=f"in {session.currency}" if session.currency else ""),
        Column("share", spare=1, means="of the cost"),
    ]


def module_budgets(session: Session, evaluation: Evaluation) -> list[Fraction]:
    """The latest value to which each module's worst-case latency could grow with the others unchanged, in seconds.

    It is the module's latency plus the part of the SLO that the longest path through it leaves.
    """
    latency = [m.worst_case_latency_s for m in evaluation.modules]
    until, rest = times_until(session, latency), times_from(session, latency)
    return [session.slo_s - u - r + 2 * own for u, r, own in zip(until, rest, latency, strict=True)]


def describe_space(space: PlanSpace) -> str:
    """A plan space in a few words: policy, dummy rule, then only the fields that restrict plans."""
    return in_words(space)


def _header(session: Session, result: Result) -> list[str]:
    lines = [f"{result.instance}: {result.status.value}"]
    if result.value is not None and result.evaluation is not None and result.evaluation.latency_s is not None:
        lines[0] += f", cost {money(session, result.value)} per hour, {bound_text(result, LEAST_COST)}"
        lines.append(
            f"{_latency(session, result.evaluation)}, "
            f"modules {len(session.modules)}, machines {amount(_total_machines(result), digits=6)}"
        )
        assert result.plan is not None
        by_type = machines_in_words(result.plan, result.evaluation, result.space)
        lines += [f"machines: {by_type}"] if by_type else []
    elif result.bound is not None:
        lines[0] += f", {bound_text(result, LEAST_COST)}"
    lines[0] += claimed_of(result)
    if result.changes is not None:
        lines.append(f"with {result.changes.in_words()}")
    lines.append(
        f"solver {result.solver}, {took(result.wall_s, result.provenance)}; {space_for_planners(result.space)}"
    )
    if result.value is not None:
        lines.append(costs_in_words(session, result.value, source_rate(session) / (1 + _headroom(result))))
    lines += whole_costs_in_words(session, result) + _shared(session, result) + _spare(session, result)
    lines += _floors(session, result)
    lines += _needed(session, result) + _slices(session, result)
    return lines + _changes(session, result) + _attainment(result) + _doubts(session, result)


def _latency(session: Session, evaluation: Evaluation) -> str:
    """The worst case against the SLO, or against the objective of which it leaves least."""
    assert evaluation.latency_s is not None
    if session.objectives:
        one = tightest_of(session, evaluation)
        share = percent(float(one.latency_s / one.slo_s), 1)
        return f"{one.name} {milliseconds(one.latency_s)} of {milliseconds(one.slo_s)} ms ({share}) has the least slack"
    share = percent(float(evaluation.latency_s / session.slo_s), 1)
    delays = ", delays included" if session.delay_s else ""
    return (
        f"latency {milliseconds(evaluation.latency_s)} of {milliseconds(session.slo_s)} ms ({share} of the SLO{delays})"
    )


def _headroom(result: Result) -> Fraction:
    """The share of additional requests that are planned for."""
    return Fraction(0) if result.changes is None else result.changes.headroom or Fraction(0)


def _doubts(session: Session, result: Result) -> list[str]:
    """Why the latency is not proven for requests; empty for a plan that was judged by serving them."""
    if result.value is None or "attainment" in result.options:
        return []
    said = caveat(session, result.space, result.plan, result.evaluation)
    return [said] if said else []


def _attainment(result: Result) -> list[str]:
    """The attainment of a plan under random arrivals, and its margins, if the plan is for an attainment."""
    asked, stats = result.options.get("attainment"), result.stats
    if asked is None or "rate_margin" not in stats or result.value is None:
        return []
    more = float(result.value) / stats["cost_without_margins"] - 1 if stats["cost_without_margins"] else 0.0
    least, steps = rounded_down(stats["attainment_at_least"]), int(stats.get("steps_downhill", 0))
    further = f", then {counted(steps, 'exchange')} of machines" if steps else ""
    return [
        f"attainment {percent(stats['attainment'])} under {asked['arrivals']} arrivals, dispatch {asked['dispatch']}: "
        f"at least {percent(least)} with {percent(asked['confidence'], 0)} confidence",
        *_modules_at_random(asked),
        f"planned for up to {percent(stats['rate_margin'], 1)} more requests, {percent(stats['slo_share'], 1)} of the "
        f"SLO{further}; {percent(more, 1)} more expensive than without",
        "spare capacity is kept free for the requests that come at random",
    ]


def _modules_at_random(asked: dict[str, Any]) -> list[str]:
    """The latencies of single modules at the required share, and whether they keep objectives of their own."""
    lines = []
    for own in asked.get("modules", []):
        if "kept" in own:
            asked_for = f"{full(100 * own['share'])} % through {own['module']} within {milliseconds(own['seconds'])} ms"
            least = percent(rounded_down(own["kept_at_least"]))
            lines.append(f"{asked_for}: {percent(own['kept'])} are, at least {least}")
    taken = asked.get("module_latency_s", {})
    if taken:
        each = [f"{name} {milliseconds(seconds)}" for name, seconds in taken.items()]
        more = f" and {len(each) - MOST_LISTED} more" if len(each) > MOST_LISTED else ""
        lines.append(
            f"{full(100 * asked['target'])} % pass each module within, in ms: {', '.join(each[:MOST_LISTED])}{more}"
        )
    return lines


def _spare(session: Session, result: Result) -> list[str]:
    """The line on spare machines."""
    found = result.evaluation
    if found is None or not session.spare_machines or result.value is None:
        return []
    machines, cost = counted(session.spare_machines, "machine"), money(session, found.spare_cost_per_h)
    return [f"spare machines: {machines} of every type used, {cost} per hour in all"]


def _floors(session: Session, result: Result) -> list[str]:
    """The lines on machines that are paid for and do not work."""
    found = result.evaluation
    if found is None or result.value is None:
        return []
    lines = [
        f"idle machines: {counted(n, 'machine')} of {name} for {module}, {money(session, n * session.price[name])} "
        "per hour"
        for (module, name), n in found.idle.items()
    ]
    return lines + [
        f"paid for and not used: {amount(n, digits=6)} of {name}, {money(session, n * session.price[name])} per hour"
        for name, n in found.unused.items()
    ]


def _needed(session: Session, result: Result) -> list[str]:
    """The line on types with largest shares that no group holds all of: the share that they have together."""
    found = result.evaluation
    types = limited_apart(session)
    if found is None or result.plan is None or result.value is None or not types:
        return []
    shares = needed_together(session, result.plan, [module.partial_rps for module in found.modules])
    parts = [f"{name} {percent(float(share), 1)}" for name, share in shares.items()]
    more = [f"{len(parts) - MOST_LISTED} more modules"] if len(parts) > MOST_LISTED else []
    without = joined([*parts[:MOST_LISTED], *more] or ["no module"])
    each = f"each {'group' if session.largest_shares else 'type'} is limited by itself, not all together"
    return [f"{joined(types)} together are needed for requests of {without}; {each}"]


def _slices(session: Session, result: Result) -> list[str]:
    """A line per resource of GPUs that are cut into slices: the positions of the plan's slices on them."""
    found, sliced = result.evaluation, any(h.slices for h in session.hardware)
    if not sliced or found is None or result.plan is None or result.value is None:
        return []
    partial = [module.partial_rps for module in found.modules]
    lines = []
    for name, cut in slice_layouts(session, bought_machines(session, result.plan, partial, result.space)).items():
        contents = cut or []
        needed, more = sum(content.gpus for content in contents), len(contents) - MOST_LISTED
        listed = [str(content) for content in contents[:MOST_LISTED]] + [f"{more} more contents"] * (more > 0)
        of = f"{needed:,} of {full(session.resources[name])}" if name in session.resources else f"{needed:,}"
        lines.append(f"{name}: {of} GPUs are cut, by first slice of memory: {'; '.join(listed)}")
    return lines


def _changes(session: Session, result: Result) -> list[str]:
    """The line on machines that are added to those that run already, or removed."""
    running, found = session.running, result.evaluation
    if running is None or found is None or found.changes is None or result.value is None:
        return []
    made = counted(found.changes, "machine")
    if running.most_changes is not None:
        made = f"{found.changes:,} of at most {counted(running.most_changes, 'machine')}"
    others = sum((module.cost_per_h for module in found.modules), found.spare_cost_per_h + found.floor_cost_per_h)
    paid = Fraction(0) if found.cost_per_h is None else found.cost_per_h - others
    charged = running.price_per_change_per_h or any(session.state.values())
    price = f", {money(session, paid)} per hour for them" if charged else ""
    return [f"{made} added or removed{price}"]


def _shared(session: Session, result: Result) -> list[str]:
    """One line per machine that modules share: the modules, and the share of time that it works at planned rates."""
    if result.plan is None or result.evaluation is None or result.value is None:
        return []
    lines = []
    for group in residents(result.plan, [module.partial_rps for module in result.evaluation.modules])[:MOST_SHARED]:
        whose = ", ".join(session.modules[resident.module].name for resident in group)
        busy = percent(float(sum((resident.busy for resident in group), Fraction(0))), 0)
        lines.append(f"one machine of {group[0].configuration.hardware} is shared by {whose}, and busy {busy}")
    left_out = len(result.plan.shared) - MOST_SHARED
    return lines + [f"... and {left_out} more shared machines, which --json prints too"] * (left_out > 0)


def _total_machines(result: Result) -> float:
    assert result.plan is not None
    assert result.evaluation is not None
    partial = [module.partial_rps for module in result.evaluation.modules]
    idle = sum(result.evaluation.idle.values())
    return float(idle + sum(machines_by_hardware(result.plan, partial, result.space).values()))


def _module_rows(
    price: dict[str, Fraction], module: Module, plan: ModulePlan, found: ModuleEvaluation, result: Result
) -> list[dict[str, str]]:
    """One row per allocation, then one for dummies, without module, latency and budget.

    Machines are whole ones + the share of a partial one, as in `2 + 0.500`. If they take equal rates, they are number x
    load, as in `3 x 0.833`. The utilisation is the share of the time in which the machines of a row, bought whole, work
    for requests. Dummies, which go to all machines alike, do not count, nor does headroom.
    """
    rows: list[dict[str, str]] = []
    assert result.value is not None
    comes_rps, total_rps = module.rate_rps / (1 + _headroom(result)), module.rate_rps + found.dummy_rps
    come, real = (comes_rps + found.dummy_rps) / total_rps, comes_rps / total_rps
    costs = allocation_costs(price, plan, found)
    for i, (allocation, cost) in enumerate(zip(plan.allocations, costs, strict=True)):
        c = allocation.configuration
        partial = found.partial_rps if i == len(plan.allocations) - 1 else Fraction(0)
        machines = f"{allocation.machines:,}"
        bought = allocation.machines + bool(partial)
        count = allocation.machines + partial / c.throughput_rps
        if partial and result.space.policy.form is Form.EVEN:
            machines = f"{bought:,} x {float(count / bought):.3f}"
        elif partial:
            machines = f"{machines} + {float(partial / c.throughput_rps):.3f}"
        rows.append(
            {
                "hardware": c.hardware,
                "batch": str(c.batch),
                "conc.": str(c.concurrency),
                "machines": machines,
                "util.": percent(float(real * count / bought), 0),
                "req/s": figures(count * c.throughput_rps * come),
                "planned": figures(count * c.throughput_rps),
                "cost/h": figures(cost),
                "share": percent(float(cost / result.value), 1) if result.value else DASH,
            }
        )
    if found.dummy_rps:
        rows.append({"hardware": SPARE_ROW} | dict.fromkeys(("req/s", "planned"), figures(found.dummy_rps)))
    return rows
