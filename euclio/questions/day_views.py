"""How loads over time, their plans and comparisons show themselves, and the rows of their frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType

from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.lazy import late
from euclio.core.showing import Head, View, fields_of
from euclio.core.showing.html import MOST_ROWS
from euclio.core.showing.results import checked_head
from euclio.core.words import counted, figures, full
from euclio.problems.day.evaluate import DayEvaluation
from euclio.problems.day.figures import machines_by_type
from euclio.problems.day.instance import HOUR_S, Day
from euclio.problems.day.plan import DayPlan
from euclio.questions.day_rules import DayComparison


def _day_head(day: Day) -> Head:
    sizes = f"{counted(len(day.steps), 'step')}, {figures(day.hours)} h, {counted(len(day.session.modules), 'module')}"
    times = f"warm-up {figures(day.warm_up_s)} s, keep-alive {figures(day.keep_alive_s)} s"
    changes = [f"{full(day.price_per_change)} per change"]
    changes += [f"{full(price)} more of {name}" for name, price in day.state.items()]
    return Head(day.name, "", (sizes, times, ", ".join(changes)))


def day_load_table(day: Day) -> RenderableType:
    """A row per module: its load over time."""
    seconds = sum(step.length_s for step in day.steps)
    rows = []
    for m, module in enumerate(day.session.modules[:MOST_ROWS]):
        rates = [step.rates_rps[m] for step in day.steps]
        mean = sum(step.length_s * step.rates_rps[m] for step in day.steps) / seconds
        rows.append([module.name, *map(figures, (min(rates), mean, max(rates)))])
    return table_of(rows, (Label("module"), *map(Column, ("lowest req/s", "mean req/s", "highest req/s"))))


def _day_rows(day: Day) -> Iterator[dict[str, Any]]:
    """A row per step."""
    names = [module.name for module in day.session.modules]
    begin = day.steps[0].length_s * 0
    for k, step in enumerate(day.steps):
        rates = {f"rate_rps:{name}": rate for name, rate in zip(names, step.rates_rps, strict=True)}
        yield {"step": k, "begin_h": begin / HOUR_S, "length_s": step.length_s, **rates}
        begin += step.length_s


def _plan_head(plan: DayPlan) -> Head:
    most = max((sum(on.values()) for on in _machines_on(plan)), default=0)
    return Head("", "", (counted(len(plan.steps), "step"), f"{most:,} machines at most"))


def _machines_on(plan: DayPlan) -> list[Counter[str]]:
    """Machines of each hardware type that are on, step by step."""
    found = []
    for step in plan.steps:
        on: Counter[str] = Counter()
        for own in step.modules:
            for one in own.serving:
                on[one.hardware] += one.machines
            for idle in own.idle:
                on[idle.hardware] += idle.machines
        on.update(machine.hardware for machine in step.shared)
        found.append(on)
    return found


def plan_only_table(plan: DayPlan) -> RenderableType:
    """A row per hardware type: the fewest and the most machines that are on."""
    steps = _machines_on(plan)
    rows = []
    for name in dict.fromkeys(name for on in steps for name in on):
        counts = [on[name] for on in steps]
        rows.append({"hardware": name, "fewest": min(counts), "most": max(counts)})
    return table_of(rows, (Label("hardware"), Column("fewest"), Column("most")))


def plan_rows(day: Day | None, plan: DayPlan, evaluation: DayEvaluation | None) -> list[dict[str, Any]]:
    """A row per step, module and configuration; idle machines have no configuration, shared machines their number."""
    names: list[Any] = [*range(max((len(step.modules) for step in plan.steps), default=0))]
    if day is not None:
        names = [module.name for module in day.session.modules]
    rows: list[dict[str, Any]] = []
    for k, step in enumerate(plan.steps):
        for name, own in zip(names, step.modules, strict=False):
            for one in own.serving:
                setting = fields_of(one, "hardware", "batch", "concurrency", "machines")
                rows.append({"step": k, "module": name, **setting, "idle": False})
            for idle in own.idle:
                setting = {"hardware": idle.hardware, "batch": None, "concurrency": None, "machines": idle.machines}
                rows.append({"step": k, "module": name, **setting, "idle": True})
        for machine in step.shared:
            for resident in machine.residents:
                setting = fields_of(resident, "batch", "concurrency")
                place = {"hardware": machine.hardware, **setting, "machines": None, "idle": False}
                rows.append({"step": k, "module": resident.module, **place, "shared": machine.number})
    return rows


def _evaluation_head(found: DayEvaluation) -> Head:
    value = "" if found.value is None else f"cost {full(found.value)} in all"
    return checked_head(found, value, f"{found.starts} starts and {found.stops} stops")


def _paid(found: DayEvaluation) -> list[str]:
    """Broken rules, then the parts of the cost."""
    lines = list(found.violations[1:MOST_ROWS])
    if found.running is not None and found.changing is not None:
        lines.append(f"running {full(found.running)}, changes {full(found.changing)}")
    return lines


def _evaluation_rows(found: DayEvaluation) -> list[dict[str, Any]]:
    """A row per step, with the machines of each hardware type by its place in the session."""
    by_type = machines_by_type(found)
    return [
        {"step": k, "machines": sum(on), **{f"machines:{h}": n for h, n in enumerate(on)}}
        for k, on in enumerate(by_type)
    ]


def _comparison_head(found: DayComparison) -> Head:
    best = found.best
    if best is None:
        return Head(found.day.name, "", ("no plan",))
    proven = "no proven optimum" if found.optimum is None else "proven"
    facts = (f"cost {full(best.value)} in all", proven, f"cheapest of {len(found.results)}: {best.solver}")
    return Head(found.day.name, best.status.value, facts)


def _comparison_rows(found: DayComparison) -> list[dict[str, Any]]:
    rows = []
    for row in found.describe()["solvers"]:
        hours = row.pop("machine_hours", {})
        rows.append(row | {f"machine_hours:{name}": n for name, n in hours.items()})
    return rows


DAY = View(_day_head, day_load_table, rows=_day_rows, draw=late("euclio.questions.day_figure", "draw_load_on"))
PLAN = View(_plan_head, plan_only_table, rows=lambda plan: plan_rows(None, plan, None))
EVALUATION = View(_evaluation_head, rows=_evaluation_rows, lines=_paid)
BEST = late("euclio.questions.day_figure", "draw_best_on")
COMPARISON = View(_comparison_head, DayComparison.table, rows=_comparison_rows, draw=BEST)
