"""How sessions, their plans and the checker's answers show themselves, and the rows of their frames."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.showing import Head, View
from euclio.core.tables import new_table
from euclio.core.words import DASH, counted, figures, full, listed, milliseconds
from euclio.problems.session.changes import source_rate
from euclio.problems.session.costs import allocation_costs, money
from euclio.problems.session.dag_drawing import dag_svg
from euclio.problems.session.evaluate import Evaluation
from euclio.problems.session.instance import Module, Session
from euclio.problems.session.plan import Allocation, Plan

MOST_ROWS = 200
"""Modules and allocations that a table shows at most."""
NO_NAMES = "modules by their place in the session, from 0: a plan does not know their names"


def _session_head(session: Session) -> Head:
    sizes = f"{counted(len(session.modules), 'module')}, {counted(len(session.edges), 'edge')}"
    asked = f"{full(source_rate(session))} req/s within {milliseconds(session.slo_s)} ms"
    hardware = listed(f"{h.name} {money(session, h.price_per_h)}/h" for h in session.hardware)
    return Head(session.name, "", (asked, sizes, hardware))


def session_table(session: Session) -> RenderableType:
    """A row per module with the range of its profile, then one per hardware type."""
    numbers = ("req/s", "configurations", "batches", "latency ms")
    modules = new_table("module", *numbers, "hardware", numbers=numbers)
    for module in islice(session.modules, MOST_ROWS):
        modules.add_row(*(Text(cell) for cell in _module_cells(module)))
    prices = ("price/h", "stock")
    sources = ["price from"] if any(own.price_source for own in session.hardware) else []
    hardware = new_table("hardware", *prices, *sources, numbers=prices)
    for own in session.hardware:
        stock = DASH if own.count is None else f"{own.count:,}"
        cells = [own.name, money(session, own.price_per_h), stock, *[own.price_source or DASH for _ in sources]]
        hardware.add_row(*map(Text, cells))
    left_out = len(session.modules) - MOST_ROWS
    more = [Text(f"... and {left_out:,} more modules")] if left_out > 0 else []
    return Group(modules, *more, hardware)


def _module_cells(module: Module) -> tuple[str, ...]:
    batches, times = [c.batch for c in module.profile], [c.duration_s for c in module.profile]
    used = dict.fromkeys(c.hardware for c in module.profile)
    return (
        module.name,
        full(module.rate_rps),
        str(len(module.profile)),
        _range(str(min(batches)), str(max(batches))),
        _range(milliseconds(min(times)), milliseconds(max(times))),
        listed(used),
    )


def _range(low: str, high: str) -> str:
    return low if low == high else f"{low} - {high}"


def _session_rows(session: Session) -> list[dict[str, Any]]:
    """A row per configuration."""
    price = session.price
    return [
        {
            "module": module.name,
            "rate_rps": module.rate_rps,
            "hardware": c.hardware,
            "batch": c.batch,
            "concurrency": c.concurrency,
            "duration_s": c.duration_s,
            "throughput_rps": c.throughput_rps,
            "price_per_h": price[c.hardware],
        }
        for module in session.modules
        for c in module.profile
    ]


def _plan_head(plan: Plan) -> Head:
    allocations = [own for module in plan.modules for own in module.allocations]
    machines = sum(own.machines for own in allocations)
    partial = sum(1 for own in allocations if own.partial_rps)
    used = dict.fromkeys(own.configuration.hardware for own in allocations)
    size = f"{counted(machines, 'whole machine')} and {counted(partial, 'partial one')}"
    shared = (f"{counted(len(plan.shared), 'shared machine')}",) if plan.shared else ()
    return Head("", "", (counted(len(plan.modules), "module"), size, *shared, listed(used)))


def plan_only_table(plan: Plan) -> RenderableType:
    """A row per allocation; what machines cost and how long requests take, only the session knows."""
    numbers = ("batch", "conc.", "machines", "partial req/s", "dummy req/s")
    table = new_table("#", "hardware", *numbers, numbers=numbers)
    for row in islice(plan_rows(None, plan, None), MOST_ROWS):
        c = (row["hardware"], str(row["batch"]), str(row["concurrency"]), str(row["whole_machines"]))
        rates = (figures(row["partial_rps"]), figures(row["dummy_rps"]))
        table.add_row(*(Text(cell) for cell in (str(row["module"]), *c, *rates)))
    return Group(table, Text(NO_NAMES))


def plan_rows(session: Session | None, plan: Plan, evaluation: Evaluation | None) -> list[dict[str, Any]]:
    """A row per allocation; what only the session or the checker knows is left out without them."""
    names: Sequence[Any] = range(len(plan.modules)) if session is None else [m.name for m in session.modules]
    rows: list[dict[str, Any]] = []
    for m, module in enumerate(plan.modules):
        found = evaluation.modules[m] if evaluation is not None and evaluation.modules else None
        costs: list[Any] = [None] * len(module.allocations)
        if session is not None and found is not None:
            costs = [*allocation_costs(session.price, module, found)]
        for k, (own, cost) in enumerate(zip(module.allocations, costs, strict=True)):
            last = found is not None and k == len(module.allocations) - 1
            partial = found.partial_rps if found is not None and last else own.partial_rps
            row = {"module": names[m], **_allocation(own, partial), "dummy_rps": module.dummy_rps}
            if found is not None:
                row |= {"worst_case_latency_s": found.worst_case_latency_s, "cost": cost}
            rows.append(row)
    return rows


def _allocation(own: Allocation, partial_rps: Fraction) -> dict[str, Any]:
    c = own.configuration
    return {
        "hardware": c.hardware,
        "batch": c.batch,
        "concurrency": c.concurrency,
        "machines": own.machines + partial_rps / c.throughput_rps,
        "whole_machines": own.machines,
        "partial_rps": partial_rps,
    }


def _evaluation_head(found: Evaluation) -> Head:
    cost = () if found.cost_per_h is None else (f"cost {full(found.cost_per_h)} per hour",)
    latency = () if found.latency_s is None else (f"latency {milliseconds(found.latency_s)} ms",)
    return Head("", "accepted" if found.feasible else "refused", (*cost, *latency, *found.violations[:1]))


def evaluation_table(found: Evaluation) -> RenderableType:
    """Broken rules, then a row per module."""
    numbers = ("latency ms", "cost/h", "partial req/s", "dummy req/s")
    table = new_table("#", *numbers, numbers=numbers)
    for m, own in enumerate(found.modules[:MOST_ROWS]):
        rates = figures(own.partial_rps), figures(own.dummy_rps)
        cells = (str(m), milliseconds(own.worst_case_latency_s), figures(own.cost_per_h), *rates)
        table.add_row(*(Text(cell) for cell in cells))
    return Group(*map(Text, found.violations[1:MOST_ROWS]), *([table] if found.modules else []))


def _evaluation_rows(found: Evaluation) -> list[dict[str, Any]]:
    return [
        {
            "module": m,
            "worst_case_latency_s": own.worst_case_latency_s,
            "cost": own.cost_per_h,
            "partial_rps": own.partial_rps,
            "dummy_rps": own.dummy_rps,
        }
        for m, own in enumerate(found.modules)
    ]


SESSION = View(_session_head, session_table, dag_svg, _session_rows)
PLAN = View(_plan_head, plan_only_table, rows=lambda plan: plan_rows(None, plan, None))
EVALUATION = View(_evaluation_head, evaluation_table, rows=_evaluation_rows)
