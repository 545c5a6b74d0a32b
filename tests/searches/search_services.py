"""Sessions with objectives of modules, delays and several parts: all methods against enumeration, and laws of them.

Seeds are by share and whole in turn. By share the reference is the one of `tests.adversary`, which lists plans and
paths in fractions; whole machines within stock, resources, changes and spare machines have `plan-bruteforce`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random

from euclio import evaluate, pool, solve
from euclio.core.registry import solvers
from euclio.core.result import Result, Status
from euclio.problems.session import PlanSpace, Session
from euclio.problems.session.objectives import Objective
from tests.adversary.judging import UNDECIDED, WRONG, Outcome, judge
from tests.drawn.cases import Case, truth_of
from tests.drawn.numbers import LARGEST
from tests.drawn.plans import random_plan
from tests.drawn.reference_sessions import routes
from tests.drawn.services import service_case, service_within_limits

from .search import Found, Search
from .search_limits import enumerated

LIMIT_S = 20.0
HEURISTICS = 2
"""Heuristics that a session is given to, of all that cover it."""
PLANS = 3
"""Plans of a session that the checker is asked about."""


def look(seed: int) -> Found:
    """One session: exact methods and heuristics against the reference, the checker, and the laws."""
    rng = Random(f"services {seed}")
    session, space = service_within_limits(rng, seed) if seed % 2 else service_case(rng)
    truth = enumerated(session, space) if seed % 2 else truth_of(Case("session", session, space), space)
    faults, undecided, exact = [], 0, None
    for name in _methods(rng, session, space):
        found = solve(session, name, space=space, time_limit_s=LIMIT_S)
        judged = judge(found, truth, session, LIMIT_S)
        exact = found if name == "exact" else exact
        if solvers()[name].kind == "heuristic":
            # Its own plan space may hold none of the plans.
            faulty = judged.outcome in (Outcome.ERROR, Outcome.REFERENCE)
        else:
            undecided, faulty = undecided + (judged.outcome in UNDECIDED), judged.outcome in WRONG
        if faulty:
            faults.append(f"{name} in {space.describe()}: {judged.outcome}: {judged.why}")
    faults += _checked(rng, session, space)
    if exact is not None and exact.status in (Status.OPTIMAL, Status.INFEASIBLE):
        faults += _laws(rng, session, space, exact)
        faults += _pooled(rng, session, space, exact)
    return Found(1, tuple(faults), undecided)


def _methods(rng: Random, session: Session, space: PlanSpace) -> list[str]:
    """All exact methods that cover a session, and some heuristics."""
    able = [s for s in solvers().values() if s.family == "session" and not s.uncovered(session, space)]
    exact = [s.name for s in able if s.kind != "heuristic"]
    heuristics = [s.name for s in able if s.kind == "heuristic"]
    return [*exact, *rng.sample(heuristics, min(HEURISTICS, len(heuristics)))]


def _checked(rng: Random, session: Session, space: PlanSpace) -> Iterator[str]:
    """The checker refuses a plan for its latency if and only if a path of the reference is too long."""
    loose = replace(session, slo_s=LARGEST, objectives=(), delay_s={})
    for _ in range(PLANS):
        plan = random_plan(rng, loose, space)
        if plan is None:
            continue
        free, own = evaluate(loose, plan, space), evaluate(session, plan, space)
        if not free.feasible:
            continue
        latency = [module.worst_case_latency_s for module in free.modules]
        late = any(sum((latency[m] for m in modules), Fraction(0)) > room for modules, room in routes(session))
        if late is own.feasible:
            yield f"the checker says {own.violations} of a plan that is {'late' if late else 'in time'}"
        if own.feasible and own.cost_per_h != free.cost_per_h:
            yield f"the same plan costs {own.cost_per_h} with objectives and {free.cost_per_h} without"


def _laws(rng: Random, session: Session, space: PlanSpace, found: Result) -> Iterator[str]:
    """A tighter objective and a longer delay never cost less, and what says nothing changes nothing."""
    if session.objectives:
        k = rng.randrange(len(session.objectives))
        one = session.objectives[k]
        tighter = replace(one, slo_s=one.slo_s * Fraction(rng.choice(("0.9", "0.999", "0.5"))))
        yield from _no_less(
            "a tighter objective",
            replace(session, slo_s=None, objectives=(*session.objectives[:k], tighter, *session.objectives[k + 1 :])),
            space,
            found,
        )
        again = Objective("said again", one.to, one.slo_s * rng.choice((1, 1, 2)))
        if again.slo_s <= session.slo_s:
            yield from _same(
                "an objective again", replace(session, objectives=(*session.objectives, again)), space, found
            )
    if session.edges:
        edge = rng.choice(session.edges)
        longer = session.delay_s.get(edge, Fraction(0)) + Fraction(rng.choice(("1e-12", "0.01", "1")))
        slo = None if session.objectives else session.slo_s
        yield from _no_less(
            "a longer delay", replace(session, slo_s=slo, delay_s={**session.delay_s, edge: longer}), space, found
        )
    plain = replace(session, slo_s=session.slo_s, objectives=(), delay_s={}, applications=())
    last = [m.name for m, end in zip(plain.modules, plain.ends(), strict=True) if end is not None]
    said = replace(
        plain,
        slo_s=None,
        objectives=tuple(Objective(name, name, plain.slo_s) for name in last),
        delay_s=dict.fromkeys(plain.edges, 0),
    )
    yield from _same("an objective at each last module", said, space, solve(plain, "exact", space=space))


def _no_less(law: str, turned: Session, space: PlanSpace, found: Result) -> Iterator[str]:
    other = solve(turned, "exact", space=space, time_limit_s=LIMIT_S)
    if other.value is not None and (found.value is None or other.value < found.value * (1 - Fraction(1, 10**6))):
        yield f"{law} costs {other.value} in {space.describe()}, {found.status} {found.value} without"


def _same(law: str, turned: Session, space: PlanSpace, found: Result) -> Iterator[str]:
    """Every digit of the answer is the same."""
    other = solve(turned, "exact", space=space, time_limit_s=LIMIT_S)
    one, two = ((r.status, r.value, r.bound, r.plan) for r in (found, other))
    # Where one of them ended at its limit, the clock decided.
    if one != two and {found.status, other.status} <= {Status.OPTIMAL, Status.INFEASIBLE}:
        yield f"{law} changes {one[:3]} to {two[:3]} in {space.describe()}"


def _pooled(rng: Random, session: Session, space: PlanSpace, found: Result) -> Iterator[str]:
    """A pool of one is that session; of two that share no limit it costs the sum, and infeasible if one is."""
    if pool([session]) != session:
        yield "a pool of one session is another session"
    bare = replace(
        session,
        running=None,
        spare_machines=0,
        resources={},
        hardware=tuple(replace(h, count=None, takes={}, at_least=None) for h in session.hardware),
    )
    if space.charging.packs or space.single_hardware or len(session.modules) > 2:
        return
    factor = rng.choice((1, 2, Fraction("0.5")))
    other = replace(bare, name="other", modules=tuple(replace(m, rate_rps=m.rate_rps * factor) for m in bare.modules))
    answers = [solve(one, "exact", space=space, time_limit_s=LIMIT_S) for one in (bare, other, pool([bare, other]))]
    if any(answer.status not in (Status.OPTIMAL, Status.INFEASIBLE) for answer in answers):
        return
    one, two, both = (answer.value for answer in answers)
    least = None if one is None or two is None else one + two
    near = least is not None and both is not None and abs(both - least) <= Fraction(1, 10**6) * (least or 1)
    exact = near if not space.dummy.countable else both == least or (near and abs(both - least) <= least / 10**9)
    if not (exact or both is least):
        yield f"a pool costs {both} in {space.describe()}, its parts {one} and {two}"


SEARCH = Search(
    "services",
    "with objectives of modules, delays and several applications, exact methods find what an enumeration finds, "
    "the checker sums each path, and laws of objectives, delays and pools hold",
    "sessions",
    look,
    range(40),
)
