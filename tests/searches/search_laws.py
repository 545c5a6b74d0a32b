"""Equivalent instances: cost, bound, status and every other answer of every solver must follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.objective import Goal
from euclio.core.registry import solvers
from euclio.core.result import AnyResult, Status
from euclio.core.solver import AnySolver
from euclio.core.solving import solve
from euclio.problems.session import Charging
from tests.adversary.worker import asked
from tests.drawn.cases import Case, drawn
from tests.drawn.days import nasty_day
from tests.drawn.limits import case_at_ties
from tests.drawn.services import as_service

from .laws_of_answers import answer_laws
from .search import Found, Search
from .turns import Optimum, Turned, day_turns, session_turns
from .turns_of_fixed_machines import cluster_turns, fleet_turns

LIMIT_S = 2.0
"""Time limit of a run in seconds; answers undecided by then are open."""
LAWS = 20
"""Laws that a seed tries at least, all of one family."""
TURNED = 4
"""Laws that an instance is held to, of all that there are: many instances find more than few."""
DEFAULT = {"session": "exact", "pipeline": "columns", "fragments": "fragment-columns", "day": "day-exact"}
"""The exact method of a family that is asked about every instance; of the others one, and one heuristic."""
TURNS: dict[str, Callable[[Any, Any, Random], Iterator[Turned]]] = {
    "session": session_turns,
    "pipeline": cluster_turns,
    "fragments": fleet_turns,
    "day": day_turns,
}
SERVICES_EVERY, SERVICES_AT = 12, 4
"""Of so many seeds one, a seed of sessions, draws objectives of modules and delays."""
BY_DEFINITION = {
    "order": ("graft", "regroup", "dart-r"),
    "binary time": ("nexus", ":q0.1", ":q0.01", ":0.1", ":0.01"),
}
"""Laws that heuristics are held to, beside new names and prices times four, and parts of the names of those that are
not: grouping goes through fragments in their order, DART-r pairs what one of equally fair allocations leaves, and
steps of so many seconds do not shrink with the times. Other factors are rounded in floating point, where a tie may
fall the other way; what no plan can use may still be looked at, as the cheapest hardware is. Exact methods are held
to every law."""
DECIDED = (Status.OPTIMAL, Status.INFEASIBLE)


def look(seed: int) -> Found:
    """Instances of one family, the families in turn, until so many laws were tried."""
    family = tuple(TURNS)[seed % len(TURNS)]
    rng = Random(f"laws {seed}")
    cases, faults, undecided, k = 0, [], 0, 0
    while cases < LAWS:
        k += 1
        for line in tried(_case(family, 1000 * seed + k, rng), rng):
            cases += 1
            undecided += line is None
            if line:
                faults.append(line)
    return Found(cases, tuple(faults), undecided)


def _case(family: str, seed: int, rng: Random) -> Case:
    """An instance and a plan space with all that they may ask for."""
    if family == "day":
        return Case(family, nasty_day(seed), None)
    if family != "session" or rng.randrange(3) == 0:
        case = drawn(family, seed)
        if family == "session":
            case = replace(case, space=replace(case.space, charging=rng.choice(tuple(Charging))))
        return case
    session, space = case_at_ties(rng)
    if seed // 1000 % SERVICES_EVERY == SERVICES_AT:
        session = as_service(rng, session, space)
    return Case(family, session, space)


def tried(case: Case, rng: Random) -> Iterator[str | None]:
    """The verdict of each law on an instance: empty if it holds, None if a limit left it open, else the fault."""
    turns = list(TURNS[case.family](case.instance, case.space, rng))
    turns = rng.sample(turns, min(TURNED, len(turns)))
    optimum = None
    for solver in _solvers(case, rng):
        space = solver.space if case.family == "day" else asked(solver.name, case)
        found = _solved(case.instance, solver, space)
        if found is None:
            continue
        optimum = found if solver.name == DEFAULT[case.family] else optimum
        for turned in turns:
            if not _held(solver, turned):
                continue
            name = f"{turned.law}, {solver.name}: "
            yield from (line and name + line for line in _laws(case, space, solver, found, turned))
    for turned in turns:
        yield from (line and f"{turned.law}, {line}" for line in answer_laws(case, turned, optimum, rng))


def _laws(case: Case, space: Any, solver: AnySolver, found: AnyResult, turned: Turned) -> Iterator[str | None]:
    """The checker's verdict on the same plan, and the solver's answer to the turned instance."""
    there = turned.space if case.family != "pipeline" and case.family != "day" else space
    there = space if case.family == "fragments" else there
    goal = family_of(case.instance).goal(space)
    if found.plan is not None and found.value is not None and turned.plan is not None:
        yield _same_plan(turned, there, found)
    again = _solved(turned.instance, solver, there)
    if again is None:
        return
    heuristic = solver.kind == "heuristic"
    yield _same_to_the_digit(found, again, turned) if heuristic else _followed(found, again, turned, goal)


def _solvers(case: Case, rng: Random) -> list[AnySolver]:
    """The exact method of the family, one of the others, and a heuristic."""
    own = [s for s in solvers().values() if s.family == case.family and not s.name.endswith("-split")]
    default = solvers()[DEFAULT[case.family]]
    exact = [s for s in own if s.kind != "heuristic" and s is not default and "split" not in s.name]
    heuristics = [s for s in own if s.kind == "heuristic"]
    return [default, *([rng.choice(exact)] if exact else []), rng.choice(heuristics)]


def _solved(instance: Any, solver: AnySolver, space: Any) -> AnyResult | None:
    """The solver's answer; None if it does not cover the demand."""
    try:
        found = solve(instance, solver, space=space, time_limit_s=LIMIT_S)
    except InputError:
        return None
    return None if found.status is Status.INAPPLICABLE else found


def _same_plan(turned: Turned, space: Any, found: AnyResult) -> str:
    """The same plan is one there too, and costs so many times as much, as fractions."""
    assert turned.plan is not None
    checked = family_of(turned.instance).evaluate(turned.instance, turned.plan(found.plan), space)
    if not checked.feasible:
        return f"the checker refuses the same plan: {'; '.join(checked.violations)}"
    if checked.value != found.value * turned.factor:
        return f"the checker prices the same plan at {checked.value}, {found.value} x {turned.factor}"
    return ""


def _same_to_the_digit(found: AnyResult, again: AnyResult, turned: Turned) -> str | None:
    if max(found.wall_s, again.wall_s) > LIMIT_S / 2:
        return None
    value = None if found.value is None else found.value * turned.factor
    same = (found.status, value) == (again.status, again.value)
    return "" if same else f"{_said(found)}, then {_said(again)}"


def _followed(found: AnyResult, again: AnyResult, turned: Turned, goal: Goal) -> str | None:
    """The contradiction of the law; None if there is none and one of the answers is no proof."""
    for one, other, factor, optimum in (
        (found, again, turned.factor, turned.optimum),
        (again, found, 1 / turned.factor, _other_way(turned.optimum)),
    ):
        if one.status is Status.ERROR:
            return f"{_said(one)}"
        if optimum is Optimum.NO_WORSE:
            continue
        # A proof for one instance holds for another one whose plans are all plans of the first.
        if one.status is Status.INFEASIBLE and other.value is not None:
            return f"{_said(found)}, then {_said(again)}"
        if one.bound is not None and other.value is not None:
            wrong = goal.contradiction(other.value, Fraction(one.bound) * factor)
            if wrong:
                return f"{wrong}; {_said(found)}, then {_said(again)}"
        if one.status is Status.OPTIMAL and other.value is not None:
            wrong = goal.contradiction(other.value, one.value * factor)
            if wrong:
                return f"{wrong}; {_said(found)}, then {_said(again)}"
    decided = found.status in DECIDED and again.status in DECIDED
    if decided and turned.optimum is Optimum.SAME and found.status is not again.status:
        return f"{_said(found)}, then {_said(again)}"
    return "" if decided else None


def _other_way(optimum: Optimum) -> Optimum:
    turned = {Optimum.NO_WORSE: Optimum.NO_BETTER, Optimum.NO_BETTER: Optimum.NO_WORSE}
    return turned.get(optimum, optimum)


def _said(found: AnyResult) -> str:
    value = "" if found.value is None else f" {float(found.value)!r}"
    return f"{found.status.value}{value} (bound {found.bound!r}) {found.reason}".strip()


def _held(solver: AnySolver, turned: Turned) -> bool:
    """Whether a solver is held to a law."""
    if solver.kind != "heuristic":
        return True
    exempt = BY_DEFINITION.get(turned.law, () if turned.law in ("names", "binary money") else ("",))
    return not any(part in solver.name for part in exempt)


SEARCH = Search(
    "laws",
    "in another order, other names and units, with a hardware type twice or with what no plan can use, an instance has "
    "the same optimum, bound, status, explanation, curve and proof; with more that plans can use, no worse an optimum",
    "laws",
    look,
    # Where a change costs 7 and a machine 1e-12, the limit of a search for states never rose (192).
    (*range(12), 192),
)
