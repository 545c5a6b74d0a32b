"""Views of sessions, their plans and the checker's answers, and the rows of their frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

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
from euclio.problems.session.parts_of_plans import any_latency_in_words
from euclio.problems.session.plan import Allocation, Plan
from euclio.problems.session.services import application_modules, application_rate

# The modules of a session as a small drawing: requests come from the left.

MOST_DRAWN = 40
"""Modules of the largest session that is drawn."""
BOX, HIGH, GAP, ROW = 132, 36, 34, 46
"""Width and height of a box, the room between two columns, and the height of a row, in pixels."""
LINE, DELAY_GAP = 13, 74
"""Height of a line for an objective, and the room between two columns if edges have delays."""
LETTERS, FEWER = 18, 12
"""Letters of a name that fit into a box, and those of an objective next to its seconds."""

Place = tuple[float, float]


class _Sizes(NamedTuple):
    """Height of a box, room between two columns, and height of a row, in pixels."""

    high: int
    gap: int
    row: int


def _sizes(session: Session) -> _Sizes:
    """The sizes of the drawing: an objective takes a line in the box of its module, a delay room on its edge."""
    lines = max(Counter(one.to for one in session.objectives).values(), default=0)
    return _Sizes(HIGH + LINE * lines, DELAY_GAP if session.delay_s else GAP, ROW + LINE * lines)


def dag_svg(session: Session) -> str:
    """The drawing as an inline `<svg>` in a box that scrolls; empty for sessions that are too large for one."""
    if len(session.modules) > MOST_DRAWN:
        return ""
    sizes = _sizes(session)
    places = _places(session, sizes)
    index = session.index
    edges = "".join(
        _edge(places[index[a]], places[index[b]], sizes, session.delay_s.get((a, b))) for a, b in session.edges
    )
    boxes = "".join(_box(session, m, place, sizes) for m, place in enumerate(places))
    width = max(x for x, _ in places) + BOX + 2
    height = max(y for _, y in places) + sizes.high + 2
    label = html_text(f"{len(session.modules)} modules, {len(session.edges)} edges")
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    return f'<div class="scroll"><svg role="img" aria-label="{label}" {size}>{edges}{boxes}</svg></div>'


def _places(session: Session, sizes: _Sizes) -> list[Place]:
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
        above = (tallest - len(own)) * sizes.row / 2
        for row, m in enumerate(own):
            places[m] = (1 + k * (BOX + sizes.gap), 1 + above + row * sizes.row)
    return places


def _edge(parent: Place, child: Place, sizes: _Sizes, delay_s: Fraction | None) -> str:
    x0, y0, x1, y1 = parent[0] + BOX, parent[1] + sizes.high / 2, child[0], child[1] + sizes.high / 2
    bend = f"M{x0:g} {y0:g}C{x0 + sizes.gap / 2:g} {y0:g} {x1 - sizes.gap / 2:g} {y1:g} {x1 - 6:g} {y1:g}"
    tip = f"M{x1:g} {y1:g}l-7 -3.5v7z"
    drawn = f'<path class="edge" d="{bend}"/><path class="tip" d="{tip}"/>'
    if not delay_s:
        return drawn
    # The label is next to the parent, where edges to other columns have not yet come together.
    return drawn + _line(x0 + sizes.gap / 2 - 3, (3 * y0 + y1) / 4 - 5, f"{full(1000 * delay_s)} ms", small=True)


def _box(session: Session, m: int, place: Place, sizes: _Sizes) -> str:
    module, (x, y) = session.modules[m], place
    middle = x + BOX / 2
    rate = f"{figures(module.rate_rps)} req/s"
    lines = [
        f"{_short(one.name, FEWER)} ≤ {full(1000 * one.slo_s)} ms"
        for one in session.objectives
        if one.to == module.name
    ]
    return (
        f'<rect class="box" x="{x:g}" y="{y:g}" width="{BOX}" height="{sizes.high}" rx="4"/>'
        + _line(middle, y + 15, _short(module.name))
        + "".join(_line(middle, y + 29 + LINE * k, text, small=True) for k, text in enumerate([rate, *lines]))
    )


def _short(name: str, letters: int = LETTERS) -> str:
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


def _line(x: float, y: float, text: str, *, small: bool = False) -> str:
    kind = ' class="small"' if small else ""
    return f'<text{kind} x="{x:g}" y="{y:g}" text-anchor="middle">{html_text(text)}</text>'


NO_NAMES = "modules by their place in the session, from 0: a plan does not know their names"


def _session_head(session: Session) -> Head:
    sizes = f"{counted(len(session.modules), 'module')}, {counted(len(session.edges), 'edge')}"
    limits = listed(f"{one.name} within {milliseconds(one.slo_s)} ms" for one in session.objectives)
    asked = (
        f"{full(source_rate(session))} req/s{f': {limits}' if limits else f' within {milliseconds(session.slo_s)} ms'}"
    )
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


OBJECTIVE_COLUMNS = (Label("objective", "name"), Label("to"), Column("limit ms", "slo_s", milliseconds))
DELAY_COLUMNS = (
    Label("edge", lambda row: " -> ".join(row[0])),
    Column("delay ms", lambda row: row[1], milliseconds),
)


def _service_tables(session: Session) -> list[RenderableType]:
    """The objectives, delays and applications, if there are any; then the modules that lead to no objective."""
    applications = [
        {
            "name": one.name,
            "rate": application_rate(session, one.name),
            "members": application_modules(session, one.name),
        }
        for one in session.applications
    ]
    columns = (
        Label("application", "name"),
        Column("req/s", "rate", full),
        Label("modules", "members", lambda members: listed(session.modules[m].name for m in members)),
    )
    found = [
        (session.objectives, OBJECTIVE_COLUMNS),
        ([*session.delay_s.items()], DELAY_COLUMNS),
        (applications, columns),
    ]
    said = any_latency_in_words(session)
    tables = [table_of(rows[:MOST_ROWS], columns) for rows, columns in found if rows]
    return [*tables, *([Text(said)] if said else [])]


def session_table(session: Session) -> RenderableType:
    """A row per module with the range of its profile, then objectives and applications, then hardware types."""
    modules = table_of(session.modules[:MOST_ROWS], MODULE_COLUMNS)
    prices = (
        Label("hardware", "name"),
        Column("price/h", "price_per_h", lambda price: money(session, price)),
        Column("stock", "count", lambda count: decimals(count, none=DASH)),
        *([Label("price from", "price_source", lambda source: source or DASH)] * _has_sources(session)),
    )
    left_out = len(session.modules) - MOST_ROWS
    more = [Text(f"... and {left_out:,} more modules")] if left_out > 0 else []
    return Group(modules, *more, *_service_tables(session), table_of(session.hardware, prices))


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
    """A row per allocation; costs of machines and latencies of requests need the session."""
    return Group(table_of(plan_rows(None, plan, None)[:MOST_ROWS], PLAN_COLUMNS), Text(NO_NAMES))


def plan_rows(session: Session | None, plan: Plan, evaluation: Evaluation | None) -> list[dict[str, Any]]:
    """A row per allocation; columns that need the session or the checker are left out without them."""
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
    # With several objectives the longest path has the end of its module, which is no latency.
    latencies = listed(f"{name} {milliseconds(taken)} ms" for name, taken in found.objectives.items())
    return checked_head(found, cost, latencies or latency)


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
