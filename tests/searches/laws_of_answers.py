"""Laws of further answers about a turned instance: explanations, provers, curves, what-ifs, attainments."""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.registry import find_solver
from euclio.core.result import Status
from euclio.core.solving import asked
from euclio.core.tolerances import BRACKET_TOLERANCE
from euclio.problems.session.least_latency import RESOLUTION
from euclio.questions.cost_curve import CostCurve, cost_curve
from euclio.questions.explain.explaining import explain
from euclio.questions.what_if import what_if
from euclio.serving.attainment.demand import Demand
from euclio.serving.attainment.lower_bound import bound_on
from euclio.serving.session.setup import Setup
from tests.drawn.cases import Case

from .turns import Optimum, Turned

LIMIT_S = 2.0
"""Limit of an answer, or of a step of it."""
UNITS = ("order", "names", "money", "time", "binary money", "binary time", "useless", "twin", "shortcut", "backwards")
"""Laws under which all answers are the same, in other units."""
BEYOND = (Fraction(0), Fraction(1, 10**6))
"""Shares of the optimum by which a cutoff is beyond it: none is better than the optimum, and one than more."""
ROUNDED = Fraction(1, 10**8)
"""The bound under an attainment adds prices and divides rates up in floating point (`bounding.ROUNDED`, module by
module)."""


def answer_laws(case: Case, turned: Turned, optimum: Any, rng: Random) -> Iterator[str | None]:
    """The fault of further answers about a turned instance; empty if there is none, None if one is left open."""
    if turned.law not in UNITS or turned.optimum is not Optimum.SAME:
        return
    if optimum is not None and optimum.status is Status.OPTIMAL:
        yield _prover(case, turned, optimum)
    if turned.law == "useless":
        return  # under a longer objective it is of use
    if case.family != "session":
        if case.family != "day":
            yield _explained(case, turned)
        return
    yield _room(case, turned)
    kind = rng.randrange(6)
    if kind == 0:
        yield _curve(case, turned)
    elif kind == 1 and turned.law != "backwards":  # rates are those of the modules that requests enter by
        yield _points(case, turned)
    elif kind == 2 and turned.law not in ("twin", "shortcut", "backwards"):  # it is a bound, and no least
        yield _kept(case, turned)


def _prover(case: Case, turned: Turned, optimum: Any) -> str | None:
    """Whether the independent prover shows the same of the same cutoff: nothing is better, or something is."""
    goal = family_of(case.instance).goal(optimum.space)
    find, away = family_of(case.instance).find_better, -1 if goal.maximised else 1
    space = turned.space if case.family in ("session", "fragments") else optimum.space
    for share in BEYOND:
        cutoff = optimum.value * (1 + away * share)
        one = find(case.instance, optimum.space, cutoff, time.perf_counter() + LIMIT_S)
        other = find(turned.instance, space, cutoff * turned.factor, time.perf_counter() + LIMIT_S)
        if (one.exhausted and other.plan is not None) or (other.exhausted and one.plan is not None):
            return f"prover: better than {cutoff}: {one.exhausted=}, {other.exhausted=}"
        if not (one.exhausted or one.plan) or not (other.exhausted or other.plan):
            return None
    return ""


def _explained(case: Case, turned: Turned) -> str:
    """Whether a cluster or a fleet is explained alike, with the same least times."""
    explained = family_of(case.instance).explain
    one, other = (explained(*asked_for, None) for asked_for in (_of(case), (turned.instance, turned.space)))
    least = [_least(data, turned.seconds if data is one.data else Fraction(1)) for data in (one.data, other.data)]
    same = one.status is other.status and least[0] == least[1]
    return "" if same else f"explain: {one.status.value} {least[0]}, then {other.status.value} {least[1]}"


def _of(case: Case) -> tuple[Any, Any]:
    return case.instance, case.space


def _least(data: dict[str, Any], seconds: Fraction) -> list[Fraction]:
    """The least times of an explanation, in ascending order; -1 if there is none."""
    rows = data.get("models") or data["fragments"]
    found = [row.get("least_latency_s", row.get("least_budget_s")) for row in rows]
    return sorted(Fraction(-1) if own is None else own * seconds for own in found)


def _room(case: Case, turned: Turned) -> str | None:
    """Whether a session is explained alike: the least objective, and what restricts it."""
    one, other = explain(case.instance, case.space, LIMIT_S), explain(turned.instance, turned.space, LIMIT_S)
    if Status.UNKNOWN in (one.status, other.status) or not (one.least_proven and other.least_proven):
        return None
    said = f"explain: {one.status} {one.least_slo_s}, then {other.status} {other.least_slo_s}"
    # Where a tie with the SLO leaves the choice, one side may keep a restriction and the other drop it.
    kept = [[r.field for r in found.kept] for found in (one, other) if found.minimal]
    if one.status is not other.status or (len(kept) == 2 and kept[0] != kept[1]):
        return said
    for slo, again in ((one.least_slo_s, other.least_slo_s),):
        if (slo is None) is not (again is None):
            return said
        if slo is not None and again is not None and not _near(slo * turned.seconds, again, 2 * RESOLUTION):
            return said
    return ""


def _near(one: Fraction, other: Fraction, share: Fraction) -> bool:
    return abs(one - other) <= share * max(abs(one), abs(other))


def _curve(case: Case, turned: Turned) -> str | None:
    """Whether the least cost is the same function of the objective, in the middle of each step of either."""
    try:
        one = cost_curve(case.instance, space=case.space, time_limit_s=LIMIT_S)
        other = cost_curve(turned.instance, space=turned.space, time_limit_s=LIMIT_S)
    except InputError:
        return ""
    if not (one.proven and other.proven):
        return None
    at = {(step.start + step.end) / 2 for step in one.steps}
    at |= {(step.start + step.end) / 2 / turned.seconds for step in other.steps}
    for slo in sorted(at):
        here, there = _cost(one, slo), _cost(other, slo * turned.seconds)
        if here is not None and there is not None and not _alike(case, here, there, turned.factor):
            return f"curve: at {slo} it costs {here}, then {there}"
    return ""


def _cost(curve: CostCurve, slo_s: Fraction) -> tuple[Fraction | None] | None:
    """The cost of an objective, nothing if it has no plan; None if no proven step covers the objective."""
    step = curve.at(slo_s)
    return None if step is None else (step.cost_per_h,)


def _alike(case: Case, here: tuple[Fraction | None], there: tuple[Fraction | None], factor: Fraction) -> bool:
    one, other = here[0], there[0]
    if one is None or other is None:
        return one is other
    return _near(one * factor, other, Fraction(family_of(case.instance).goal(case.space).tolerance))


def _points(case: Case, turned: Turned) -> str | None:
    """Whether a what-if has the same costs at half of the rate and objective, at these, and at twice as much."""
    answers = []
    for instance, space, seconds in ((*_of(case), Fraction(1)), (turned.instance, turned.space, turned.seconds)):
        rate = max(m.rate_rps for m in case.instance.modules) / seconds
        slo = case.instance.slo_s * seconds
        try:
            found = what_if(instance, rates=[rate / 2, rate], slos=[slo, 2 * slo], space=space, time_limit_s=LIMIT_S)
        except InputError:
            return ""
        answers.append(list(found.points.values()))
    pairs = list(zip(*answers, strict=True))
    decided = (Status.OPTIMAL, Status.INFEASIBLE)
    for one, other in pairs:
        both = {one.result.status, other.result.status} <= set(decided)
        if both and not _alike(case, (one.result.value,), (other.result.value,), turned.factor):
            return f"what-if: {one.result.status} {one.result.value}, then {other.result.status} {other.result.value}"
    return ""


def _kept(case: Case, turned: Turned) -> str | None:
    """Whether the lower bound on plans that keep an attainment is the same."""
    found = []
    for instance, space in (_of(case), (turned.instance, turned.space)):
        try:
            ready = asked(instance, find_solver("exact"), space=space, time_limit_s=LIMIT_S)
            found.append(bound_on(ready, Demand(0.9, Setup()), LIMIT_S))
        except InputError:
            return ""
    one, other = found
    if one.infeasible is not other.infeasible:
        return f"attainment: {one}, then {other}"
    if one.cost_per_h is None or other.cost_per_h is None:
        return "" if one.cost_per_h is other.cost_per_h else None
    # By share the bound is that of a bracket: capacity may be kept free at any rate.
    within = ROUNDED if case.space.charging.whole else Fraction(BRACKET_TOLERANCE)
    same = _near(Fraction(one.cost_per_h) * turned.factor, Fraction(other.cost_per_h), within)
    return "" if same else f"attainment: at least {one.cost_per_h}, then {other.cost_per_h}"
