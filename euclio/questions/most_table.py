"""The most requests within a budget: lines and plan for people, plain data (ours)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.showing import Head, View
from euclio.core.words import amount, full
from euclio.problems.session.costs import HOURS_PER_MONTH, money
from euclio.problems.session.table import plan_table
from euclio.questions.most import Most

SCHEMA = "euclio/most/1"


def in_lines(found: Most) -> list[str]:
    """The answer in sentences."""
    asked = found.question
    budget, whose = f"{money(asked.session, asked.budget_per_h)} per hour", f" of {asked.of}" if asked.of else ""
    if found.best is None or found.rate_rps is None:
        least = asked.rate_rps * (Fraction(1) if found.above is None else found.above.factor)
        lines = [
            f"{asked.session.name}: {amount(least)} req/s{whose} has no plan within {budget}, nor has any higher rate"
        ]
        if not (found.question.monotone and found.above is not None and found.above.is_beyond(asked.budget_per_h)):
            lines = [f"{asked.session.name}: no rate{whose} with a plan within {budget} was found"]
    else:
        share = f"{amount(found.best.factor)} times the session's {amount(asked.rate_rps)}"
        lines = [f"{asked.session.name}: {amount(found.rate_rps)} req/s{whose} within {budget}, {share}"]
    if found.best is None:
        lines.append("lower rates were not tried")
    elif found.above is None:
        lines.append("nothing limits the requests: rates as high as a session may have are within the budget")
    elif not found.proven:
        lines.append("not proven: a run ended at its limit")
    elif found.largest_of_all:
        lines.append("proven: no rate that is higher by a billionth has a plan within the budget")
    else:
        lines.append("proven: a billionth above, no plan is within the budget; higher rates may cost less")
    if found.lacking_per_h is not None:
        month = money(asked.session, found.lacking_per_h * HOURS_PER_MONTH)
        lines.append(f"the session's own {amount(asked.rate_rps)} req/s{whose}: needs {month} per month more")
    elif found.own.result.value is None:
        lines.append(f"the session's own {amount(asked.rate_rps)} req/s{whose}: {found.own.result.status.value}")
    return lines


def most_table(found: Most) -> RenderableType:
    """The answer in sentences, and the plan."""
    parts: list[RenderableType] = [Text("\n".join(in_lines(found)))]
    if found.best is not None:
        parts += [Text(""), plan_table(found.best.session, found.best.result)]
    return Group(*parts)


def describe_most(found: Most) -> dict[str, Any]:
    """The answer as plain data with fractions."""
    asked, best, above = found.question, found.best, found.above
    return {
        **asked.described(SCHEMA),
        "budget_per_h": asked.budget_per_h,
        "of": asked.of,
        "rate_rps": found.rate_rps,
        "factor": None if best is None else best.factor,
        "cost_per_h": None if best is None else best.result.value,
        "next_rate_rps": None if above is None else asked.rate_rps * above.factor,
        "next_cost_per_h": None if above is None else above.result.value,
        "proven": found.proven,
        "largest_of_all": found.largest_of_all,
        "lacking_per_h": found.lacking_per_h,
    }


def _head(found: Most) -> Head:
    rate = "no rate" if found.rate_rps is None else f"{full(found.rate_rps)} req/s"
    budget = f"within {money(found.question.session, found.question.budget_per_h)} per hour"
    return Head(found.question.session.name, "", (rate, budget, "proven" if found.proven else "not proven"))


VIEW = View(_head, most_table, rows=lambda found: [describe_most(found)])
