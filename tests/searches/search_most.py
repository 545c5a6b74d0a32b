"""The most requests for a budget, against a bisection that lists all plans at each rate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random

from euclio import most, solve
from euclio.core.errors import InputError
from euclio.core.result import Status
from euclio.problems.session import Charging, DummyRule, PlanSpace, Session
from euclio.problems.session.objectives import Application, parts
from euclio.problems.session.policies import POLICIES
from tests.drawn.limits import limited
from tests.drawn.services import as_service
from tests.drawn.small_sessions import bought_session

from .search import Found, Search

REFERENCE, REFERENCE_S, LIMIT_S = "plan-bruteforce", 5.0, 20.0
FEW = Fraction(1, 10**6)
"""So small a part of a session's requests that one machine takes them."""
HALVINGS = 12
"""How often the reference halves the range between two rates."""
ROOM = 1 + Fraction(3, 10**9)
"""The answer may lie below the most requests by this factor."""
SHARES = ("0.4", "0.999999999", "1", "1", "1.000000001", "1.5", "2")
"""Budgets as shares of what the session's own rates cost."""


class LargeError(Exception):
    """There are too many plans to list."""


def look(seed: int) -> Found:
    """One session with a budget: the answer, what is said of it, and a bisection."""
    rng = Random(f"most {seed}")
    session, space, of = _case(rng, seed)
    own = solve(session, REFERENCE, space=space, time_limit_s=REFERENCE_S)
    if own.status not in (Status.OPTIMAL, Status.INFEASIBLE):
        return Found(0)
    budget = (own.value or 2) * Fraction(rng.choice(SHARES))
    try:
        found = most(session, budget=budget, of=of, space=space, time_limit=LIMIT_S)
    except InputError as error:
        # A budget that pays for no plan, however few requests come, is refused.
        few = "least machines cost" in str(error) and not _listed(session, space, of, budget)(FEW)
        return Found(1, () if few else (f"bad input: {error}",))
    within = _listed(session, space, of, budget)
    try:
        faults = [f"{line} in {space.describe()}, of {of or 'all'}" for line in _wrong(found, within)]
    except LargeError:
        return Found(1, (), 1)
    return Found(1, tuple(faults), int(None not in (found.best, found.above) and not found.proven))


def _case(rng: Random, seed: int) -> tuple[Session, PlanSpace, str]:
    """A tiny session, a plan space, and the application whose requests are counted; empty means all."""
    session = bought_session(seed, modules=2)
    session = replace(session, hardware=tuple(replace(h, price_per_h=h.price_per_h or 1) for h in session.hardware))
    charging = rng.choice((Charging.WHOLE, Charging.WHOLE, Charging.WHOLE, Charging.SHARE))
    rule = rng.choice((DummyRule.MACHINE, DummyRule.MACHINE, DummyRule.NONE))
    space = PlanSpace(rng.choice(tuple(POLICIES)), rule, charging=charging)
    if rng.randrange(2):
        session = as_service(rng, session, space)
    if rng.randrange(3) == 0:
        session = limited(rng, session, space, rng.choice(("stock", "spare", "changes", "floors", "shares")))
    own = [session.modules[part[0]].name for part in parts(session.parents())]
    named = tuple(Application(f"of {name}", [name]) for name in own)
    return replace(session, applications=named), space, rng.choice(("", named[0].name))


def _listed(session: Session, space: PlanSpace, of: str, budget: Fraction) -> Callable[[Fraction], bool]:
    """Whether some plan is within the budget with the counted rates times a factor, by listing all."""
    counted = next(
        (part for part in parts(session.parents()) if f"of {session.modules[part[0]].name}" == of),
        tuple(range(len(session.modules))),
    )

    def within(factor: Fraction) -> bool:
        modules = tuple(
            replace(module, rate_rps=module.rate_rps * factor) if m in counted else module
            for m, module in enumerate(session.modules)
        )
        listed = solve(replace(session, modules=modules), REFERENCE, space=space, time_limit_s=REFERENCE_S)
        if listed.status not in (Status.OPTIMAL, Status.INFEASIBLE):
            raise LargeError
        return listed.value is not None and listed.value <= budget

    return within


def _wrong(found, within: Callable[[Fraction], bool]) -> list[str]:
    """What contradicts the list of all plans."""
    best, above = found.best, found.above
    faults = []
    if best is not None and not within(best.factor):
        faults.append(f"no plan at {best.factor}, which is called the most")
    if found.proven and above is not None and within(above.factor):
        faults.append(f"a plan at {above.factor}, which is called too much")
    if not (found.largest_of_all or (best is None and found.question.monotone)):
        return faults
    # Costs never fall with the rate: what the reference finds within the budget is at most the answer.
    if best is None:
        return [*faults, *(f"a plan at {f}" for f in (Fraction(1), Fraction(2)) if within(f))]
    low, high = best.factor * ROOM, best.factor * 3
    if within(low):
        faults.append(f"a plan at {low}, and {best.factor} is called the most")
    # From below the answer nothing is missing, and above it nothing is there.
    for k in range(1, HALVINGS):
        factor = low + (high - low) / 2**k
        if within(factor):
            faults.append(f"a plan at {factor}, above {best.factor}")
            break
        if not within(best.factor * (1 - Fraction(1, 2**k))):
            faults.append(f"no plan at {best.factor} less its part 1/{2**k}")
            break
    return faults


SEARCH = Search(
    "most",
    "the most requests for a budget have a plan, and no more have one where that is said, by listing all plans",
    "budgets",
    look,
    range(15),
)
