"""Least costs by changes, by objective or rate, and of what-if questions: tables for people, CSV files, plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.fitted_table import Column, Label, Sentence, table_of
from euclio.core.result import Status
from euclio.core.showing import fields_of
from euclio.core.words import DASH, amount, counted, decimals, figures, full, milliseconds, percent
from euclio.files.csv_files import rows_csv
from euclio.problems.session.changes import SessionChanges, source_rate
from euclio.problems.session.costs import money, per_million, per_month
from euclio.problems.session.rules import Charging
from euclio.questions.change_costs import Curve, Step
from euclio.questions.cost_curve import CostCurve, CostStep, Over, OverRange
from euclio.questions.question import described
from euclio.questions.sweep.axes import Axis
from euclio.questions.sweep.grid import Grid, Point
from euclio.questions.what_if import WhatIf

CHANGE_COSTS_SCHEMA = "euclio/change-costs/1"
NO_BREAK = "\u00a0"
"""A space at which no line is broken, so that a number stays with its name."""


def change_table(curve: Curve) -> RenderableType:
    """A header, a row for each number of changes at which the cost falls, and the cost without a limit.

    A plan that is not proven to be the cheapest has the distance of its bound.
    """
    none = curve.without_plan
    columns = [
        Column("changes", "most", decimals),
        Column("cost/h", lambda step: step.cost_in_words()),
        *([Column("in time", "kept", in_time)] if curve.question.demand is not None else []),
        Column("saved/h", curve.saved, figures),
        Column("of all that can be", lambda step: _part(curve, step), spare=1),
        Sentence("machines added and removed", _moves),
    ]
    rows: list[Any] = list(curve.steps)
    if none is not None:
        upto = "0" if not none.most else f"0 to {none.most:,}"
        rows = [[upto, none.result.status.value, *(DASH for _ in columns[2:])], *rows]
    table = table_of(rows, columns)
    return Group(Text("\n".join(_header(curve))), Text(""), table, Text(""), Text("\n".join(_footer(curve))))


def in_time(kept: Any) -> str:
    """The share of requests in time that a plan keeps."""
    return DASH if kept is None else str(kept.in_words())


def _part(curve: Curve, step: Step) -> str:
    part = curve.part_of_saving(step)
    return percent(None if part is None else float(part), 1)


def describe_change_costs(curve: Curve) -> dict[str, Any]:
    """The answer as plain data with fractions."""
    asked = curve.question
    none = curve.without_plan
    return {
        **asked.described(CHANGE_COSTS_SCHEMA),
        "running_cost_per_h": curve.running_per_h,
        "no_plan_up_to": None if none is None else none.most,
        "complete": curve.complete,
        "steps": [_change_step(curve, step) for step in curve.steps],
        "without_limit": _change_step(curve, curve.free),
    }


def change_costs_rows(curve: Curve, names: Iterable[str] | None = None) -> list[dict[str, Any]]:
    """A row per number of changes at which the cost falls, and a row without a limit, whose `most_changes` is empty.

    Args:
        curve: the answer.
        names: hardware types that have columns of their own; None means those with machines in the row.
    """
    rows = [_change_step(curve, step) for step in (*curve.steps, curve.free)]
    return [_spread(_spread(row, "added", "added", names), "removed", "removed", names) for row in rows]


def _spread(row: dict[str, Any], field: str, prefix: str, names: Iterable[str] | None = None) -> dict[str, Any]:
    """A row with the numbers of a field in columns of their own: all of them, or those of some names."""
    numbers = row.pop(field, {})
    return row | {f"{prefix}_{name}": numbers.get(name, 0) for name in (numbers if names is None else names)}


def change_costs_csv(curve: Curve) -> str:
    """The answer as a CSV file."""
    return rows_csv(change_costs_rows(curve, [h.name for h in curve.question.changed.hardware]))


def _header(curve: Curve) -> list[str]:
    asked, running = curve.question, curve.question.changed.running
    assert running is not None
    count = counted(sum(own.machines for own in running.machines), "machine")
    cost = money(asked.session, curve.running_per_h)
    return asked.lines("machines added and removed", f"running: {count}, {cost} per hour")


def _footer(curve: Curve) -> list[str]:
    free = curve.free
    if free.cost_per_h is None:
        why = f": {free.result.reason}" if free.result.reason else ""
        return [f"without a limit on changes: {free.result.status.value}{why}"]
    lines = []
    if not curve.reached:
        lines.append(f"without a limit: {free.cost_in_words()}, with {counted(free.changes or 0, 'change')}")
    if not curve.complete:
        lines.append("between these numbers of changes there may be others at which the cost falls")
    found = "this is the cheapest plan" if free.result.status is Status.OPTIMAL else "no cheaper plan was found"
    return lines or [f"more changes save nothing: {found}, {free.cost_in_words()}"]


def _moves(step: Step) -> str:
    """Machines added and removed by hardware type, such as "+2 T4, -1 A100"."""
    added, removed = _by_hardware(step.moves.added), _by_hardware(step.moves.removed)
    names = [h.name for h in step.session.hardware]
    names += sorted((set(added) | set(removed)) - set(names))
    words = [f"+{added[name]:,}{NO_BREAK}{name}" for name in names if added[name]]
    words += [f"-{removed[name]:,}{NO_BREAK}{name}" for name in names if removed[name]]
    return ", ".join(words) or DASH


def _by_hardware(moved: dict[tuple[str, str], int]) -> Counter[str]:
    found: Counter[str] = Counter()
    for (_, hardware), count in moved.items():
        found[hardware] += count
    return found


def _change_step(curve: Curve, step: Step) -> dict[str, Any]:
    result = step.result
    return {
        "most_changes": step.most,
        "changes": step.changes,
        "status": result.status.value,
        "cost_per_h": result.value,
        "bound_per_h": result.bound,
        "saved_per_h": curve.saved(step),
        "share_of_saving": curve.part_of_saving(step),
        "added": dict(_by_hardware(step.moves.added)),
        "removed": dict(_by_hardware(step.moves.removed)),
        **({} if curve.question.demand is None else described(step.kept)),
        "reason": result.reason,
    }


COST_CURVE_SCHEMA = "euclio/cost-curve/1"
FIELDS = {Over.SLO: ("from_slo_s", "below_slo_s"), Over.RATE: ("above_rps", "up_to_rps")}
"""The fields for the beginning and the end of a step, by the variable of the cost."""


def curve_table(curve: CostCurve) -> RenderableType:
    """A header, a row for each step, and the extent of the proof."""
    asked = curve.question
    form = milliseconds if asked.over is Over.SLO else full
    headings = (heading_of_curve(asked), "to")
    ends = (Column(heading, end, form) for heading, end in zip(headings, ("start", "end"), strict=True))
    columns = (*ends, Column("cost/h", lambda step: step.cost_in_words()), Label("machines", machines_in_words))
    table = table_of(curve.steps, columns)
    lines = asked.lines(asked.over.in_words(), range_in_words(asked))
    return Group(Text("\n".join(lines)), Text(""), table, Text(""), Text(_proven(curve)))


def heading_of_curve(asked: OverRange) -> str:
    """The heading above the beginnings of steps."""
    if asked.over is Over.SLO:
        return f"{asked.of or 'SLO'} from (ms)"
    return f"req/s of {asked.of} above" if asked.of else "req/s above"


def range_in_words(asked: OverRange) -> str:
    """The objectives or rates of the question."""
    what = f"{asked.over.in_words()} of {asked.of}" if asked.of else asked.over.in_words()
    if asked.over is Over.SLO:
        return f"{what} from {milliseconds(asked.start)} to {milliseconds(asked.end)} ms"
    return f"{what} from {full(asked.start)} to {full(asked.end)} req/s"


def describe_cost_curve(curve: CostCurve) -> dict[str, Any]:
    """The answer as plain data with fractions."""
    asked = curve.question
    return {
        **asked.described(COST_CURVE_SCHEMA),
        "over": asked.over.value,
        **({"of": asked.of} if asked.of else {}),
        "range": [asked.start, asked.end],
        "complete": curve.complete,
        "proven": curve.proven,
        "steps": [_curve_step(asked, step) for step in curve.steps],
    }


def cost_curve_rows(curve: CostCurve) -> list[dict[str, Any]]:
    """A row per step, with a column for the machines of each hardware type."""
    steps = (_curve_step(curve.question, step) for step in curve.steps)
    return [_spread(step, "machines", "machines", curve.hardware) for step in steps]


def cost_curve_csv(curve: CostCurve) -> str:
    """The answer as a CSV file."""
    return rows_csv(cost_curve_rows(curve))


def _proven(curve: CostCurve) -> str:
    """The extent to which the function is proven."""
    asked = curve.question
    if not asked.steps_proven:
        return (
            "nothing is said between the rates that were asked: the cost may fall with the rate where a full machine "
            "may be slower than one that is not (policy rr with several batches at a time, a policy of your own), or "
            "where machines are shared"
        )
    if not curve.complete:
        return "the other steps of the range are not known: ask for a narrower one"
    if not curve.proven:
        return "a limit of time was hit: not all steps are proven"
    hair = "last billionth before each step" if asked.over is Over.SLO else "first billionth of each step but the first"
    return (
        f"proven: no plan in this plan space costs less, but for the {hair}, where nothing is proven but what its "
        "neighbours cost"
    )


def machines_in_words(step: CostStep | Point) -> str:
    """Machines by hardware type, such as "T4 2, A100 0.5"."""
    machines = step.machines
    names = [h.name for h in step.session.hardware if machines.get(h.name)]
    return ", ".join(f"{name}{NO_BREAK}{amount(machines[name], digits=4)}" for name in names) or DASH


def _curve_step(asked: OverRange, step: CostStep) -> dict[str, Any]:
    result = step.result
    start, end = FIELDS[asked.over]
    latency = None if step.checked is None else asked.taken_s(step.checked[1])
    return {
        start: step.start,
        end: step.end,
        "status": result.status.value,
        "cost_per_h": result.value,
        "bound_per_h": result.bound,
        "latency_s": latency,
        "machines": {name: count for name, count in step.machines.items() if count},
        "reason": result.reason,
    }


WHAT_IF_SCHEMA = "euclio/what-if/1"


def what_if_table(answer: WhatIf) -> RenderableType:
    """A header, and one row per rate and objective with the ways of charging next to each other.

    A plan that is not proven to be the cheapest has the distance of its bound.
    """
    asked = answer.question
    columns = [
        Column(f"req/s of {rate_of}" if (rate_of := _of(asked.rate_axis)) else "req/s", lambda row: full(row[0])),
        Column(f"{slo_in_words(asked)} ms", lambda row: milliseconds(row[1])),
    ]
    for way in asked.chargings:
        of = partial(lambda way, row: answer.points[*row, way], way)
        columns += charging_columns(way, of, machines_in_words, is_kept=asked.demand is not None)
    table = table_of(product(asked.rates, asked.slos), columns)
    return Group(Text("\n".join((*asked.lines("rate and SLO"), *_judged(answer)))), Text(""), table)


def _of(axis: Axis | None) -> str:
    """The name of the application or objective on an axis; empty if there is none."""
    return "" if axis is None else axis.of


def slo_in_words(asked: Grid) -> str:
    """The objective of the points of an answer."""
    return _of(asked.slo_axis) or ("longest SLO" if asked.session.objectives else "SLO")


def _judged(answer: WhatIf) -> list[str]:
    """The number of requests by which attainments were judged, and the meaning of the judgement."""
    kept = [point.kept for point in answer.points.values() if point.kept is not None]
    if not kept:
        return []
    requests = min(one.requests for one in kept), max(one.requests for one in kept)
    span = " to ".join(dict.fromkeys(f"{number:,}" for number in requests))
    return [
        f"judged by {span} requests each: at least what is said, with {percent(kept[0].confidence, 0)} confidence each"
    ]


def describe_what_if(answer: WhatIf, *more: WhatIf) -> dict[str, Any]:
    """The answer, and answers at other capacities of a resource, as plain data with fractions."""
    asked = answer.question
    return {
        **asked.described(WHAT_IF_SCHEMA),
        **{name: of for name, of in (("rate_of", _of(asked.rate_axis)), ("slo_of", _of(asked.slo_axis))) if of},
        **_fixed(asked.changes),
        "space": {k: v for k, v in asked.space.describe().items() if k != "charging"},
        "points": [_point(one, point) for one in (answer, *more) for point in one.points.values()],
    }


def _fixed(changes: SessionChanges | None) -> dict[str, Any]:
    """The rates and objectives by name that are the same at all points."""
    given = {} if changes is None else fields_of(changes, "rates_rps", "objectives_s")
    return {name: value for name, value in given.items() if value}


def what_if_rows(*answers: WhatIf) -> list[dict[str, Any]]:
    """One row per point: the fields of `describe_what_if`, with columns for the machines of each hardware type."""
    hardware = [h.name for h in answers[0].question.session.hardware if any(h.name in one.hardware for one in answers)]
    points = (_point(one, point) for one in answers for point in one.points.values())
    return [_spread(point, "machines", "machines", hardware) for point in points]


def what_if_csv(*answers: WhatIf) -> str:
    """The answers as a CSV file, with columns for the capacities of each resource in the question."""
    return rows_csv([_spread(row, "resources", "resource") for row in what_if_rows(*answers)])


def charging_columns(
    way: Charging, point_of: Callable[[Any], Any], machines: Callable[[Any], str], *, is_kept: bool = False
) -> list[Column]:
    """The columns of a way of charging.

    Args:
        way: the way.
        point_of: the point of a row that is charged in this way.
        machines: the machines of a point in words.
        is_kept: whether plans keep an attainment.
    """

    def of(form: Callable[[Any], str]) -> Callable[[Any], str]:
        return lambda row: form(point_of(row))

    return [
        Column(f"{way} cost/h", of(lambda point: point.cost_in_words())),
        *([Column(f"in time, {way}", of(lambda point: in_time(point.kept)))] * is_kept),
        Sentence(f"machines, {way}", of(machines)),
        *([Column("rounded up", of(lambda point: figures(point.rounded_up_per_h)), spare=1)] * (not way.whole)),
    ]


def _point(answer: WhatIf, point: Point) -> dict[str, Any]:
    result, changes = point.result, answer.question.changes
    rate = source_rate(point.session) / (1 + ((changes and changes.headroom) or 0))
    latency = None if point.checked is None else point.checked[1].latency_s
    if point.checked is not None and (slo_of := _of(answer.question.slo_axis)):
        latency = point.checked[1].objectives[slo_of]
    return {
        "rate_rps": point.rate_rps,
        "slo_s": point.slo_s,
        "charging": point.charging.value,
        "status": result.status.value,
        "cost_per_h": result.value,
        "bound_per_h": result.bound,
        "rounded_up_per_h": point.rounded_up_per_h,
        "cost_per_month": None if result.value is None else per_month(result.value),
        "cost_per_million_requests": None if result.value is None else per_million(rate, result.value),
        "latency_s": latency,
        **({} if answer.question.demand is None else described(point.kept)),
        "machines": {name: count for name, count in point.machines.items() if count},
        "reason": result.reason,
        **({"resources": changes.resources} if changes is not None and changes.resources else {}),
    }
