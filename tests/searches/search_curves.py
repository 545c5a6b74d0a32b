"""Curves over the rate and the SLO, whole, packed and by share, at, next to and inside their steps.

The reference is `plan-bruteforce`, and where machines are charged by share also the one of `tests.adversary`. The
search asks it at each point anew, so no rate or objective uses another one's answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from euclio import solve
from euclio.core.errors import InputError
from euclio.core.registry import find_solver
from euclio.core.result import Status
from euclio.problems.session import Charging, DummyRule, Module, PlanSpace, Policy, Session, evaluate, longest_path
from euclio.problems.session.policies import POLICIES, find_policy
from euclio.questions.cost_curve import JUST, CostCurve, CostStep, cost_curve
from tests.drawn.reference_sessions import session_truth
from tests.drawn.small_sessions import bought_session
from tests.drawn.truth import TooLargeError

from .search import Found, Search

REFERENCE, LIMIT_S = "plan-bruteforce", 5.0
RELATIVE = Fraction(1, 10**9)
"""Methods may leave plans that are cheaper by less."""
POINTS = 8
"""Points of a curve."""
OWN = str(Path(__file__).parents[1] / "helpers" / "own_rate_policy.py")
ONE_BY_ONE = replace(find_solver("exact"), pieces=None)


def case(rng: Random, seed: int) -> tuple[Session, dict[str, Any]]:
    """A session, and what is asked of it."""
    session = bought_session(seed, modules=2)
    over = rng.choice(("rate", "rate", "slo"))
    policy: Policy = rng.choice((*POLICIES, Policy.RR, Policy.RR, find_policy(f"{OWN}:OWN_RATE")))
    if policy is Policy.RR and rng.randrange(3):
        session = tight(rng, session)
    rule = rng.choice((DummyRule.MACHINE, DummyRule.MACHINE, DummyRule.NONE, DummyRule.CONTINUOUS))
    charging = rng.choice((Charging.WHOLE, Charging.WHOLE, Charging.WHOLE, Charging.SHARE, Charging.PACKED))
    if over == "rate":
        charging, rule = (Charging.WHOLE if charging is Charging.SHARE else charging), DummyRule.MACHINE
    elif charging is not Charging.WHOLE and rule is DummyRule.CONTINUOUS:
        rule = DummyRule.MACHINE
    by_listing = charging.packs or policy not in POLICIES
    solver = REFERENCE if by_listing else rng.choice(("exact", "exact", ONE_BY_ONE))
    if rng.randrange(4) == 0 and not by_listing:
        held = rng.choice(("stock", "spare", "share"))
        first, *others = session.hardware
        if held == "stock":
            session = replace(session, hardware=(replace(first, count=rng.randint(1, 4)), *others))
        elif held == "spare" and charging.whole:
            session = replace(session, spare_machines=1)
        elif held == "share":
            session = replace(session, hardware=(replace(first, largest_share=Fraction(1, 2)), *others))
    space = PlanSpace(policy, rule, rng.choice((None, None, 2)), charging=charging)
    return session, {"over": over, "space": space, "solver": solver, "time_limit_s": LIMIT_S}


def tight(rng: Random, session: Session) -> Session:
    """Several batches at a time, and an SLO that machines keep only where they are nearly full: more than d + d/e."""
    modules, kept = [], []
    for module in session.modules:
        several = [replace(c, concurrency=rng.randint(2, 4)) for c in module.profile]
        profile = list({(c.hardware, c.batch, c.concurrency): c for c in (*several, *module.profile)}.values())
        c = rng.choice(several)
        modules.append(Module(module.name, c.throughput_rps * Fraction(rng.randint(5, 15), 10), profile))
        # A machine that takes two thirds of its rate or more, as drawn, keeps this; a full one, 2d, does not.
        kept.append(c.duration_s * (1 + Fraction(rng.randint(11, 15), 10) / c.concurrency))
    tighter = replace(session, modules=tuple(modules))
    return replace(tighter, slo_s=longest_path(tighter, kept)[0])


def points(rng: Random, curve: CostCurve) -> list[Fraction]:
    """At, just below and just above the ends of steps, and inside of them."""
    asked = curve.question
    ends = {asked.start, asked.end, *(end for step in curve.steps for end in (step.start, step.end))}
    near = [end * (1 + k * JUST) for end in ends for k in (-2, Fraction(-1, 2), 0, Fraction(1, 2), 2)]
    inside = [s.start + (s.end - s.start) * Fraction(rng.randint(1, 99), 100) for s in curve.steps]
    within = sorted({value for value in (*near, *inside) if asked.start <= value <= asked.end})
    return sorted(rng.sample(within, min(POINTS, len(within))))


def truth_at(session: Session, space: PlanSpace) -> Fraction | str | None:
    """The optimum by enumeration; None if there is no plan, a word if it is not known."""
    found = solve(session, REFERENCE, space=space, time_limit_s=LIMIT_S)
    if found.status not in (Status.OPTIMAL, Status.INFEASIBLE):
        return "open"
    if not space.charging.whole and space.policy in POLICIES and not (session.stock or session.share_groups):
        try:
            other = session_truth(session, space)
        except TooLargeError:
            return found.value
        if other.upper != found.value:
            return f"open: references differ, {other.upper} and {found.value}"
    return found.value


def wrong(curve: CostCurve, step: CostStep, session: Session, truth: Fraction | None) -> str:
    """The false statement of a step about a point; empty if there is none."""
    result, space = step.result, step.result.space
    if result.status is Status.INFEASIBLE:
        return "" if truth is None else f"no plan is said to be there, and one costs {truth}"
    if result.value is None:
        return ""
    if truth is None or result.value < truth:
        return f"a plan of {result.value}, where {truth} is the least"
    if result.status is Status.OPTIMAL and result.value > truth * (1 + RELATIVE):
        return f"{result.value} is called optimal, and {truth} is"
    if result.bound is not None and result.bound > float(truth) * (1 + float(RELATIVE)):
        return f"a bound of {result.bound} above the optimum {truth}"
    assert result.plan is not None
    if step.start == step.end or curve.question.over == "slo":
        own = evaluate(session, result.plan, space)
        return "" if own.feasible and own.value == result.value else f"its plan is none there: {own.violations}"
    return ""


def ends(curve: CostCurve) -> Iterator[str]:
    """The checker's objection to the plan of a step at either end."""
    for step in curve.steps:
        checked = step.result.evaluation
        if step.result.value is not None and checked is not None and not checked.feasible:
            space = step.result.space.describe()
            yield f"{curve.question.over} in {space}: the plan of a step up to {float(step.end)!r} is none"


def look(seed: int) -> Found:
    """Hold a curve against the enumeration at its points, and the plan of each step against the checker."""
    rng = Random(f"curves {seed}")
    session, asked = case(rng, seed)
    try:
        curve = cost_curve(session, **asked)
    except InputError:
        # Curves without steps are refused: by share over the rate, or demands that no solver covers.
        return Found(0)
    faults, undecided = list(ends(curve)), 0
    for value in points(rng, curve):
        faults_here, left = _at(curve, value)
        faults += faults_here
        undecided += left
    return Found(1, tuple(faults), undecided)


def _at(curve: CostCurve, value: Fraction) -> tuple[list[str], int]:
    step = curve.at(value)
    if step is None:
        return [], 0
    session = curve.question.at(value)
    truth = truth_at(session, step.result.space)
    if isinstance(truth, str):
        return ([truth] if ":" in truth else []), 1
    fault = wrong(curve, step, session, truth)
    return ([f"{curve.question.over} {float(value)!r} in {step.result.space.describe()}: {fault}"] if fault else []), 0


SEARCH = Search(
    "curves",
    "at, next to and inside its steps a curve over rate or SLO says what an enumeration of that point finds",
    "curves",
    look,
    range(60),
)
