"""Results of all solvers for the search of round trips: instances of every family, with numbers that are hard to write.

Sessions are those of `tests.adversary`, some of them with modules that are called rarely or with numbers of up to 40
characters, with a stock, changes, machines to spare and largest shares, under every policy, dummy rule and charging.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.registry import Limits, Solver, solvers_of
from euclio.core.result import Answer, AnyResult, Status
from euclio.core.solving import asked, solve
from euclio.problems.day import Day, Step
from euclio.problems.session import Allocation, DummyRule, Hardware, ModulePlan, Plan, PlanSpace, Session
from euclio.problems.session.changes import SessionChanges
from euclio.problems.session.policies import POLICIES
from euclio.problems.session.rules import Charging
from euclio.problems.session.running import RunningMachines
from tests.drawn.clusters import cluster_case
from tests.drawn.fleets import fleet_case
from tests.drawn.numbers import LARGEST, SMALLEST, cut, printed, spread, supported
from tests.drawn.sessions import session_case

LIMIT_S = 0.3
"""Seconds of a solver."""
SOLVERS = 5
"""Solvers that are asked on one instance."""
LONG_DIGITS = (17, 30, 38)
FAMILIES = ("session",) * 12 + ("pipeline", "fragments", "day", "attainment")


@dataclass(frozen=True, slots=True)
class Written:
    """A result that is to be written, with the file's instance and the one that it is a result of."""

    original: Any
    instance: Any
    result: AnyResult


def results(seed: int) -> Iterator[Written]:
    """The results of some solvers on the instance of a seed."""
    rng = Random(f"round trips/{seed}")
    family = FAMILIES[seed % len(FAMILIES)]
    if family == "attainment":
        yield from _attaining(rng)
        return
    original, changes, space = _case(rng, family)
    instance = original if changes is None else changes.applied_to(original)
    for solver in _solvers(rng, instance, space):
        result = solve(instance, solver, space=space if rng.randrange(4) else None, time_limit_s=LIMIT_S)
        if result.status is not Status.INAPPLICABLE:
            yield Written(original, instance, replace(result, changes=changes))
        if family == "session" and result.value is not None:
            again = _with_dummies(rng, instance, result)
            if again is not None:
                yield Written(original, instance, replace(again, changes=changes))


def _case(rng: Random, family: str) -> tuple[Any, SessionChanges | None, Any]:
    """The instance of a file, changes of it, and a plan space."""
    if family == "pipeline":
        cluster, pipelines = cluster_case(rng)
        return cluster, None, pipelines
    if family == "fragments":
        fleet, fragments = fleet_case(rng)
        return fleet, None, fragments
    if family == "day":
        return _day(rng), None, None
    while True:
        session, space = session_case(rng)
        with suppress(InputError):
            session = _odd_numbers(rng, session)
            changes = _changes(rng, session) if rng.randrange(3) == 0 else None
            if changes is not None:
                changes.applied_to(session)
            return session, changes, _space(rng, space)


def _space(rng: Random, space: PlanSpace) -> PlanSpace:
    policy = rng.choice((space.policy, *POLICIES))
    most = policy.most_allocations or space.max_allocations
    charging = rng.choice((Charging.SHARE, Charging.SHARE, Charging.WHOLE, Charging.PACKED))
    return replace(space, policy=policy, max_allocations=most, charging=charging)


def _odd_numbers(rng: Random, session: Session) -> Session:
    """The session, or it with rates far below a machine's, or with as many digits as files hold."""
    kind = rng.randrange(4)
    if kind == 0:
        return replace(session, modules=tuple(replace(m, rate_rps=_rare(rng, m.rate_rps)) for m in session.modules))
    if kind == 1:
        hardware = tuple(replace(h, price_per_h=_long(rng, h.price_per_h)) for h in session.hardware)
        modules = []
        for m in session.modules:
            profile = tuple(replace(c, duration_s=_long(rng, c.duration_s)) for c in m.profile)
            modules.append(replace(m, rate_rps=_long(rng, m.rate_rps), profile=profile))
        return replace(session, hardware=hardware, modules=tuple(modules), slo_s=_long(rng, session.slo_s * 2))
    return session


def _rare(rng: Random, rate: Fraction) -> Fraction:
    """A rate of a module that is called rarely."""
    found = Decimal(rng.choice(("0.001", "1e-6", "1e-12", "7.3e-10", repr(spread(rng, 1e-12, 1e-3)))))
    return Fraction(found) if rng.randrange(3) else rate


def _long(rng: Random, value: Fraction) -> Fraction:
    """A number with as many digits as measured ones have, or as files hold."""
    if not value or rng.randrange(3) == 0:
        return value
    near = value * Fraction(9 * 10**30 + rng.randrange(3 * 10**30), 10**31)
    found = cut(near, rng.choice(LONG_DIGITS), 0)
    return Fraction(found) if supported(found) and len(str(found).replace("+", "")) <= 40 else value


def _changes(rng: Random, session: Session) -> SessionChanges:
    """Changes of a session, each now and then."""
    names = [h.name for h in session.hardware]
    some = {
        "rate_rps": Fraction(printed(spread(rng, 1e-3, 1e3))),
        "slo_s": Fraction(printed(session.slo_s * rng.choice((1, 2, Fraction(3, 2))))),
        "price_per_h": {rng.choice(names): Fraction(rng.randint(0, 9), 4)},
        "headroom": Fraction(rng.randint(0, 40), 100),
        "stock": {rng.choice(names): rng.randint(0, 9)},
        "spare_machines": rng.randint(0, 2),
        "largest_share": {rng.choice(names): Fraction(rng.randint(1, 10), 10)},
        "running": tuple(
            RunningMachines(m.name, rng.choice(names), rng.randint(1, 4)) for m in session.modules if rng.randrange(3)
        ),
        "most_changes": rng.randint(0, 9),
        "price_per_change_per_h": Fraction(rng.randint(0, 9), 100),
    }
    chosen = {name: value for name, value in some.items() if rng.randrange(4) == 0}
    if "running" not in chosen:
        chosen.pop("most_changes", None)
        chosen.pop("price_per_change_per_h", None)
    return SessionChanges(**chosen)  # type: ignore[arg-type]


def _day(rng: Random) -> Day:
    """A session of at most two modules for a few steps at rates of its own."""
    while True:
        session, _ = session_case(rng)
        with suppress(InputError):
            if len(session.modules) > 2:
                continue
            steps = [
                Step(rng.choice((60, 300, "333.3333333333333")), [_factor(rng, m.rate_rps) for m in session.modules])
                for _ in range(rng.randint(1, 3))
            ]
            state = rng.choice((None, {session.modules[-1].name: rng.choice((0, "0.1", "1e-6"))}))
            times = rng.choice((0, 60)), rng.choice((0, "0.1"))
            return Day("day", session, steps, *times, rng.choice((0, "0.01")), state)


def _factor(rng: Random, rate: Fraction) -> Fraction:
    """A rate of a step: some multiple, as a float prints it, or in ratio, which is seldom a decimal."""
    found = min(max(rate * Fraction(rng.choice((1, 1, "0.5", "0.001", "1.7"))), SMALLEST), LARGEST)
    return Fraction(printed(found)) if rng.randrange(2) else found * Fraction(rng.randint(1, 9), 9)


def _solvers(rng: Random, instance: Any, space: Any) -> list[str]:
    """Some of the solvers that cover the instance and the plan space."""
    family = family_of(instance)
    asked_for = family.full_space if space is None else space
    names = sorted(solver.name for solver in solvers_of(family.name) if not solver.uncovered(instance, asked_for))
    return rng.sample(names, min(SOLVERS, len(names)))


def _with_dummies(rng: Random, session: Session, result: AnyResult) -> AnyResult | None:
    """The same machines with dummies at a rate that no decimal says, as a solver of rule `continuous` may choose it."""
    plan: Plan = result.plan
    space: PlanSpace = replace(result.space, dummy=DummyRule.CONTINUOUS)
    if plan.shared or rng.randrange(3):
        return None
    modules = []
    for own, found in zip(plan.modules, result.evaluation.modules, strict=True):
        last, t = own.allocations[-1], own.allocations[-1].configuration.throughput_rps
        partial = found.partial_rps
        if partial:
            digits = rng.choice((1, 5, 20, 200))
            more = (t - partial) * Fraction(rng.randint(1, 10**digits), 3 * 10**digits + rng.randrange(10**digits))
            own = ModulePlan(
                (*own.allocations[:-1], Allocation(last.configuration, last.machines, partial + more)),
                found.dummy_rps + more,
            )
        modules.append(own)
    filled = Plan(tuple(modules))

    def run(given: Session, asked_for: PlanSpace, limits: Limits) -> Answer[Plan]:
        return Answer(filled, "made")

    covers = frozenset(demand.name for demand in family_of(session).demands)
    found = solve(session, Solver("made", "heuristic", "gives a plan", run, covers=covers), space=space)
    return found if found.value is not None else None


def _attaining(rng: Random) -> Iterator[Written]:
    """A plan for an attainment, whose margins are no decimals."""
    from euclio.problems.session import Configuration, Module
    from euclio.serving.attainment.attaining import attaining
    from euclio.serving.attainment.demand import Demand
    from euclio.serving.session.setup import Setup

    profile = [Configuration("h", b, 1, cut(Fraction(rng.randint(20, 60) + 7 * b, 999), 17, 0)) for b in (1, 3, 6)]
    modules = [Module(f"m{i}", printed(spread(rng, 3, 60)), profile) for i in range(rng.randint(1, 2))]
    session = Session("attaining", "1.9", [Hardware("h", "0.37")], modules, [("m0", "m1")][: len(modules) - 1])
    charging = rng.choice((Charging.SHARE, Charging.WHOLE))
    ready = asked(session, "harpagon", charging=charging, time_limit_s=2.0)
    yield Written(session, session, attaining(Demand(0.8, Setup()), ready))
