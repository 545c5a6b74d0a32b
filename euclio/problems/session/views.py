"""How sessions, their plans and the checker's answers show themselves, and the rows of their frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.showing import Head, View, fields_of
from euclio.core.showing.html import MOST_ROWS, html_text
from euclio.core.showing.results import checked_head, checked_view
from euclio.core.words import DASH, counted, decimals, figures, full, listed, milliseconds
from euclio.problems.session.changes import source_rate
from euclio.problems.session.costs import allocation_costs, money
from euclio.problems.session.evaluate import Evaluation
from euclio.problems.session.instance import Session
from euclio.problems.session.plan import Allocation, Plan

# The modules of a session as a small drawing: requests come from the left.

MOST_DRAWN = 40
"""Modules of the largest session that is drawn."""
BOX, HIGH, GAP, ROW = 132, 36, 34, 46
"""Width and height of a box, the room between two columns, and the height of a row, in pixels."""
LETTERS = 18
"""Letters of a name that fit into a box."""

Place = tuple[float, float]


def dag_svg(session: Session) -> str:
    """The drawing as an inline `<svg>` in a box that scrolls; empty for sessions that are too large for one."""
    if len(session.modules) > MOST_DRAWN:
        return ""
    places = _places(session)
    index = session.index
    edges = "".join(_edge(places[index[a]], places[index[b]]) for a, b in session.edges)
    boxes = "".join(_box(session, m, place) for m, place in enumerate(places))
    width = max(x for x, _ in places) + BOX + 2
    height = max(y for _, y in places) + HIGH + 2
    label = html_text(f"{len(session.modules)} modules, {len(session.edges)} edges")
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    return f'<div class="scroll"><svg role="img" aria-label="{label}" {size}>{edges}{boxes}</svg></div>'


def _places(session: Session) -> list[Place]:
    """The left upper corner of each box: a column per number of modules before it on the longest path."""
    parents = session.parents()
    column = [0] * len(session.modules)
    for m in session.order:
        column[m] = max((column[p] + 1 for p in parents[m]), default=0)
    members: dict[int, list[int]] = {}
    for m in session.order:
        members.setdefault(column[m], []).append(m)
    tallest = max(map(len, members.values()))
    places: list[Place] = [(0.0, 0.0)] * len(session.modules)
    for k, own in members.items():
        above = (tallest - len(own)) * ROW / 2
        for row, m in enumerate(own):
            places[m] = (1 + k * (BOX + GAP), 1 + above + row * ROW)
    return places


def _edge(parent: Place, child: Place) -> str:
    x0, y0, x1, y1 = parent[0] + BOX, parent[1] + HIGH / 2, child[0], child[1] + HIGH / 2
    bend = f"M{x0:g} {y0:g}C{x0 + GAP / 2:g} {y0:g} {x1 - GAP / 2:g} {y1:g} {x1 - 6:g} {y1:g}"
    tip = f"M{x1:g} {y1:g}l-7 -3.5v7z"
    return f'<path class="edge" d="{bend}"/><path class="tip" d="{tip}"/>'


def _box(session: Session, m: int, place: Place) -> str:
    module, (x, y) = session.modules[m], place
    name = module.name if len(module.name) <= LETTERS else f"{module.name[: LETTERS - 1]}…"
    middle = x + BOX / 2
    return (
        f'<rect class="box" x="{x:g}" y="{y:g}" width="{BOX}" height="{HIGH}" rx="4"/>'
        f'<text x="{middle:g}" y="{y + 15:g}" text-anchor="middle">{html_text(name)}</text>'
        f'<text class="small" x="{middle:g}" y="{y + 29:g}" text-anchor="middle">'
        f"{html_text(figures(module.rate_rps))} req/s</text>"
    )


NO_NAMES = "modules by their place in the session, from 0: a plan does not know their names"


def _session_head(session: Session) -> Head:
    sizes = f"{counted(len(session.modules), 'module')}, {counted(len(session.edges), 'edge')}"
    asked = f"{full(source_rate(session))} req/s within {milliseconds(session.slo_s)} ms"
    hardware = listed(f"{h.name} {money(session, h.price_per_h)}/h" for h in session.hardware)
    return Head(session.name, "", (asked, sizes, hardware))


MODULE_COLUMNS = (
    Label("module", "name"),
    Column("req/s", "rate_rps", full),
    Column("configurations", "profile", lambda profile: str(len(profile))),
    Column("batches", "profile", lambda profile: _range(str, [c.batch for c in profile])),
    Column("latency ms", "profile", lambda profile: _range(milliseconds, [c.duration_s for c in profile])),
    Label("hardware", "profile", lambda profile: listed(dict.fromkeys(c.hardware for c in profile))),
)


def session_table(session: Session) -> RenderableType:
    """A row per module with the range of its profile, then one per hardware type."""
    modules = table_of(session.modules[:MOST_ROWS], MODULE_COLUMNS)
    prices = (
        Label("hardware", "name"),
        Column("price/h", "price_per_h", lambda price: money(session, price)),
        Column("stock", "count", lambda count: decimals(count, none=DASH)),
        *([Label("price from", "price_source", lambda source: source or DASH)] * _has_sources(session)),
    )
    left_out = len(session.modules) - MOST_ROWS
    more = [Text(f"... and {left_out:,} more modules")] if left_out > 0 else []
    return Group(modules, *more, table_of(session.hardware, prices))


def _has_sources(session: Session) -> bool:
    return any(own.price_source for own in session.hardware)


def _range(form: Callable[[Any], str], values: list[Any]) -> str:
    low, high = form(min(values)), form(max(values))
    return low if low == high else f"{low} - {high}"


def _session_rows(session: Session) -> list[dict[str, Any]]:
    """A row per configuration."""
    fields = ("hardware", "batch", "concurrency", "duration_s", "throughput_rps")
    return [
        {
            "module": module.name,
            "rate_rps": module.rate_rps,
            **fields_of(c, *fields),
            "price_per_h": session.price[c.hardware],
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


PLAN_COLUMNS = (
    Label("#", "module"),
    Label("hardware"),
    Column("batch"),
    Column("conc.", "concurrency"),
    Column("machines", "whole_machines"),
    Column("partial req/s", "partial_rps", figures),
    Column("dummy req/s", "dummy_rps", figures),
)


def plan_only_table(plan: Plan) -> RenderableType:
    """A row per allocation; what machines cost and how long requests take, only the session knows."""
    return Group(table_of(plan_rows(None, plan, None)[:MOST_ROWS], PLAN_COLUMNS), Text(NO_NAMES))


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
        **fields_of(c, "hardware", "batch", "concurrency"),
        "machines": own.machines + partial_rps / c.throughput_rps,
        "whole_machines": own.machines,
        "partial_rps": partial_rps,
    }


def _evaluation_head(found: Evaluation) -> Head:
    cost = "" if found.cost_per_h is None else f"cost {full(found.cost_per_h)} per hour"
    latency = "" if found.latency_s is None else f"latency {milliseconds(found.latency_s)} ms"
    return checked_head(found, cost, latency)


EVALUATION_COLUMNS = (
    Label("#", "module"),
    Column("latency ms", "worst_case_latency_s", milliseconds),
    Column("cost/h", "cost", figures),
    *PLAN_COLUMNS[-2:],
)


def _evaluation_rows(found: Evaluation) -> list[dict[str, Any]]:
    return [
        {
            "module": m,
            "worst_case_latency_s": own.worst_case_latency_s,
            "cost": own.cost_per_h,
            **fields_of(own, "partial_rps", "dummy_rps"),
        }
        for m, own in enumerate(found.modules)
    ]


SESSION = View(_session_head, session_table, dag_svg, _session_rows)
PLAN = View(_plan_head, plan_only_table, rows=lambda plan: plan_rows(None, plan, None))
EVALUATION = checked_view(_evaluation_head, _evaluation_rows, *EVALUATION_COLUMNS)
