"""Days of one to three modules against enumeration and against every rule."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from unittest.mock import patch

from euclio.core.certificate import Verdict
from euclio.core.result import AnyResult, Status
from euclio.core.solving import solve
from euclio.core.tolerances import PROOF_TOLERANCE
from euclio.problems.day import Day, evaluate
from euclio.proving.certifying import certify
from euclio.proving.day.certifying import find_better
from tests.drawn.days import nasty_day
from tests.drawn.reference_days import ends, least_cost

from .search import Found, Search

RULES = ("day-peak", "day-per-machine", "day-thresholds", "day-per-step")
CELLS = 20_000
"""Joint vectors of machines that the reference lists at most."""
LIMIT_S = 20.0
"""Limit of each run: far more than such a day takes."""
OPEN, LATE = {Status.UNKNOWN, Status.INAPPLICABLE}, "time limit"
"""A rule may have no plan; day-exact always has one, or proves that there is none."""
CLOSE = 1 - Fraction(PROOF_TOLERANCE)


def look(seed: int) -> Found:
    """One drawn day; those that are too large to enumerate are no cases."""
    day = nasty_day(seed)
    most = ends(day, CELLS)
    if most is None:
        return Found(0)
    least = least_cost(day, most)
    best = solve(day, "day-exact", time_limit_s=LIMIT_S)
    answers = [best]
    if len(day.session.modules) > 1 and best.value is not None:
        answers.append(searched(day))
    rules = [solve(day, name, time_limit_s=LIMIT_S) for name in RULES]
    faults = [line for answer in (*answers, *rules) for line in _wrong(day, answer, least)]
    faults += [line for answer in answers for line in _unproven(day, answer, least)]
    for rule, answer in product(rules, answers):
        if rule.value is not None and (answer.value is None or answer.value * CLOSE > rule.value):
            faults.append(f"{rule.solver} costs {float(rule.value):.9g}, day-exact {_said(answer)}")
    return Found(1, tuple(faults), int(best.status not in {Status.OPTIMAL, Status.INFEASIBLE}))


def searched(day: Day) -> AnyResult:
    """What `day-exact` says of a day as if it were too large for vectors of all modules together, and of one part."""
    apart = "formulations.day.solver.cheapest_by_parts"
    with patch("formulations.day.joint.MOST_CELLS", 0), patch(apart, return_value=None):
        return solve(day, "day-exact", time_limit_s=LIMIT_S)


def _wrong(day: Day, result: AnyResult, least: Fraction | None) -> Iterator[str]:
    """What is wrong with an answer, given the cost of the best plan that was enumerated."""
    name = result.solver
    if result.status is Status.ERROR or (result.status in OPEN and (name == "day-exact" or LATE in result.reason)):
        yield f"{name} has no answer: {_said(result)}"
    if result.value is not None:
        checked = evaluate(day, result.plan)
        if not checked.feasible or checked.value != result.value:
            yield f"{name}: the checker says {checked.violations or checked.value}, the result {result.value}"
    if least is None:
        return
    if result.status is Status.INFEASIBLE:
        yield f"{name} says infeasible; a plan costs {float(least):.12g}"
    if result.status is Status.OPTIMAL and result.value * CLOSE > least:
        yield f"{name} says optimal at {float(result.value):.12g}; a plan costs {float(least):.12g}"
    if result.bound is not None and Fraction(result.bound) * CLOSE > least:
        yield f"{name} has the bound {result.bound:.12g}; a plan costs {float(least):.12g}"


def _unproven(day: Day, result: AnyResult, least: Fraction | None) -> Iterator[str]:
    """What the independent prover says that is wrong; it may leave open the claims of days that are no longer small."""
    if result.status in {Status.OPTIMAL, Status.INFEASIBLE} or result.bound is not None:
        certificate = certify(day, result, LIMIT_S)
        if certificate.verdict is Verdict.REFUTED:
            yield f"the prover refutes {_said(result)}: {certificate.reason}"
    above = None if least is None else least * (2 - CLOSE) or 1 - CLOSE
    if least is not None and find_better(day, None, above, math.inf).exhausted:
        yield f"the prover certifies more than {float(least):.12g}, which a plan costs"


def _said(result: AnyResult) -> str:
    return f"{result.status.value} {'' if result.value is None else f'{float(result.value):.9g}'} {result.reason}"


SEARCH = Search(
    "days",
    "a day's optimum is the least of all plans, its bounds lie below, no rule costs less, every plan is accepted, the "
    "prover says the same",
    "days",
    look,
    range(20, 70),
)
