"""Plans of sessions and how they are simulated, drawn; what must hold of each simulation."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

import numpy as np
from random_plans import BATCHING, SHARING, random_session
from session_reference import serve, serve_clients

from euclio.problems.session import Configuration, DummyRule, Module, PlanSpace, Policy, Session
from euclio.problems.session.evaluate import evaluate
from euclio.problems.session.latency.of_requests import caveat, session_rate
from euclio.problems.session.placing import share_machines
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.problems.session.policies import POLICIES as ALL_POLICIES
from euclio.serving.arrivals import duration_factors
from euclio.serving.session.record import Simulation
from euclio.serving.session.service import DEPLOYED
from euclio.serving.session.setup import Dispatch, Dropping, Partial, Setup
from euclio.serving.session.simulation import incoming, simulate
from euclio.serving.session.system import LONGEST, System
from euclio.serving.setup import Arrivals
from euclio.serving.units import NS_PER_S
from tests.drawn.plans import random_plan
from tests.drawn.sessions import EVEN_POLICIES, POLICIES, session_case

if TYPE_CHECKING:
    from .simulation_cases import Check

SETUPS = 5
"""Setups that a plan is simulated under."""
REQUESTS = 300
MOST_MACHINES = 60
MOST_WORK = 30
"""Invocations per request, dummies included, so that a simulation is short."""
DRAWS = 50
"""Plans that are drawn for a claim at most; many are none."""
CLAIMED_RATIOS = ("1", "1", "1", "0.5", "0.7", "1.5", "2", "3", "17")
"""How often a request invokes a module: all, some, and several times at once."""
CLAIMED_POLICIES = (*ALL_POLICIES, *[policy for policy in ALL_POLICIES if policy.most_allocations == 1] * 2)
COMPARED = 4
"""Of so many simulations one is compared with the plain simulator."""


def session_cases(rng: Random) -> Iterator[tuple[str, Check]]:
    """A session with a plan, under some setups."""
    drawn = _in_turn(rng) if rng.randrange(2) else _any(rng)
    if drawn is None:
        return
    session, plan, space = drawn
    for k in range(SETUPS):
        setup = (
            _proven_setup(rng) if space.policy is Policy.IN_TURN and rng.randrange(2) else _setup(rng, session, plan)
        )
        setup = _of_length(rng, session, plan, space, setup)
        if setup is None:
            continue
        compared = rng.randrange(COMPARED) == 0
        yield (
            f"{session.name} {space.policy} setup {k}",
            lambda setup=setup, compared=compared: _check(session, plan, space, setup, compared),  # type: ignore[misc]
        )
    yield from claim_cases(rng)


def claim_cases(rng: Random) -> Iterator[tuple[str, Check]]:
    """A session whose modules are invoked at rates of their own, its requests evenly spaced, with dummies and without.

    Where no line under its plan says that the latency is not proven of requests, none takes longer.
    """
    for _ in range(DRAWS):
        session = random_session(rng, CLAIMED_RATIOS)
        space = PlanSpace(rng.choice(CLAIMED_POLICIES), rng.choice(tuple(DummyRule)))
        plan = random_plan(rng, session, space)
        if plan is not None and _small(session, plan, space):
            break
    else:
        return
    # Machines that pull are never sent dummies.
    for served in (Setup(Arrivals.UNIFORM, dummies=not space.policy.pulls), Setup(Arrivals.UNIFORM, **DEPLOYED)):
        setup = _of_even(session, plan, space, served)
        if setup is not None:
            yield (
                f"{session.name} {space.policy} claimed, dummies {setup.dummies}",
                lambda setup=setup: _check_claim(session, plan, space, setup),  # type: ignore[misc]
            )


def _of_even(session: Session, plan: Plan, space: PlanSpace, setup: Setup) -> Setup | None:
    """The setup for a few hundred requests; None if that means too many invocations."""
    rate, checked = session_rate(session), evaluate(session, plan, space)
    work = sum(m.rate_rps + found.dummy_rps for m, found in zip(session.modules, checked.modules, strict=True))
    most = min(REQUESTS, int(REQUESTS * MOST_WORK * rate / work))
    return replace(setup, seconds=float(most / rate)) if most >= 3 else None


def _check_claim(session: Session, plan: Plan, space: PlanSpace, setup: Setup) -> list[str]:
    """Simulate, and hold the checked latency against what requests take, unless it is said not to be proven of them."""
    found = simulate(session, plan, setup, space)
    if caveat(session, space, plan, found.system.evaluation):
        return []
    latency = found.system.evaluation.latency_s
    assert latency is not None
    # Each module rounds up by at most a tick, and no tick is longer than a nanosecond.
    limit_ns = math.ceil(latency * NS_PER_S) + len(session.modules)
    if found.latencies.largest_ns <= limit_ns:
        return []
    return [f"a request took {found.latencies.largest_ns} ns, {limit_ns} are claimed ({setup.describe()})"]


def _any(rng: Random) -> tuple[Session, Plan, PlanSpace] | None:
    """A nasty session with a plan under any policy, perhaps with shared machines."""
    session, space = session_case(rng, (*POLICIES, *EVEN_POLICIES))
    shared = rng.randrange(3) == 0
    if shared:
        space = PlanSpace(rng.choice(SHARING), space.dummy)
    plan = random_plan(rng, session, space)
    if plan is None or not _small(session, plan, space):
        return None
    if shared:
        space = replace(space, charging="packed")
        # Without an SLO, any machines with enough time for each other's batches may be one.
        plan = share_machines(replace(session, slo_s=Fraction(10**6)), plan, space)
    return session, plan, space


def _in_turn(rng: Random) -> tuple[Session, Plan, PlanSpace] | None:
    """A session, half of the time one module, whose machines take turns and are as full as can be."""
    session, _ = session_case(rng)
    if rng.randrange(2):
        session = Session("adversary", session.slo_s, session.hardware, session.modules[:1], [])
    rule = rng.choice(tuple(DummyRule))
    space = PlanSpace(Policy.IN_TURN, rule)
    plan = Plan(tuple(_turns(rng, module, rule) for module in session.modules))
    return (session, plan, space) if _small(session, plan, space) else None


def _turns(rng: Random, module: Module, rule: DummyRule) -> ModulePlan:
    c: Configuration = rng.choice(module.profile)
    n, left = divmod(module.rate_rps, c.throughput_rps)
    if not left or rule is DummyRule.NONE or rng.randrange(3) == 0:
        return ModulePlan((Allocation(c, int(n), left),))
    if rule is DummyRule.MACHINE or rng.randrange(2):
        return ModulePlan((Allocation(c, int(n) + 1),), c.throughput_rps - left)
    dummies = (c.throughput_rps - left) * Fraction(rng.randint(1, 9), 10)
    return ModulePlan((Allocation(c, int(n), left + dummies),), dummies)


def _small(session: Session, plan: Plan, space: PlanSpace) -> bool:
    """Whether a plan can be priced and simulated in a moment."""
    machines = sum(a.machines + 1 for module in plan.modules for a in module.allocations)
    batches = max(a.configuration.duration_s for module in plan.modules for a in module.allocations)
    checked = evaluate(session, plan, space)
    return machines <= MOST_MACHINES and batches <= 10**5 and bool(checked.modules)


def _setup(rng: Random, session: Session, plan: Plan) -> Setup:
    """How a plan is simulated, apart from arrivals."""
    longest = float(max(a.configuration.duration_s for module in plan.modules for a in module.allocations))
    dispatch = rng.choice((None, None, *Dispatch))
    if plan.shared and dispatch not in (None, *BATCHING):
        dispatch = None
    dropping = rng.choice((Dropping.NEVER, Dropping.NEVER, Dropping.HOPELESS))
    return Setup(
        dispatch=dispatch,
        timeout_s=rng.choice((None, None, 0.0, longest / 3, 2 * longest, float("inf"))),
        dummies=rng.randrange(4) > 0,
        hold=rng.randrange(3) == 0,
        dropping=dropping,
        partial=rng.choice(tuple(Partial)),
        clients=0 if dropping is Dropping.HOPELESS else rng.choice((0, 0, 0, 1, 7)),
    )


def _proven_setup(rng: Random) -> Setup:
    """Evenly spaced requests at no more than the planned rate, served as the plan counts on."""
    return Setup(Arrivals.UNIFORM, rng.choice((1.0, 1.0, 1.0, 0.7)), hold=rng.randrange(2) == 0)


def _of_length(rng: Random, session: Session, plan: Plan, space: PlanSpace, setup: Setup) -> Setup | None:
    """The setup with arrivals of a few hundred requests at most; None if dummies or invocations would be too many."""
    from .simulation_cases import arrivals, odd_seconds

    rate = float(session_rate(session))
    checked = evaluate(session, plan, space)
    work = sum(
        float(m.rate_rps + found.dummy_rps) / rate for m, found in zip(session.modules, checked.modules, strict=True)
    )
    most = min(REQUESTS, int(REQUESTS * MOST_WORK / work))
    if most < 3:
        return None
    if setup.seed < 0:
        return replace(setup, seconds=odd_seconds(rng, rng.uniform(0.1, 1) * most / rate), seed=0)
    given = arrivals(rng, rate, most)
    dummies = float(sum(found.dummy_rps for found in checked.modules)) * float(given["seconds"])  # type: ignore[arg-type]
    if given.get("full_load_rps") is not None and dummies > REQUESTS * MOST_WORK:
        # Dummies come at their own rate, however slowly requests do.
        given.pop("full_load_rps")
        given["seconds"] = odd_seconds(rng, rng.uniform(0.1, 1) * most / rate)
    if setup.clients:
        # They send as they are answered, however slowly that is planned.
        slowest = max(a.configuration.duration_s for module in plan.modules for a in module.allocations)
        given["seconds"] = min(float(given["seconds"]), 100 * float(slowest))  # type: ignore[arg-type]
    seconds = min(max(float(given["seconds"]), 1e-9), 1e9)  # type: ignore[arg-type]
    return replace(setup, **{**given, "seconds": seconds})  # type: ignore[arg-type]


def _check(session: Session, plan: Plan, space: PlanSpace, setup: Setup, compared: bool) -> list[str]:
    """Simulate, and say what does not hold."""
    found = simulate(session, plan, setup, space)
    faults = _accounts(found)
    if _is_proven(found, space):
        faults += _proven(found)
    if compared:
        faults += _as_plain(found)
    return [f"{line} (seconds {setup.seconds!r}, {setup.describe()})" for line in faults]


def _accounts(found: Simulation) -> list[str]:
    """Every request that came was answered or dropped, and stands in the window of its arrival."""
    answered, faults = found.latencies.entries, []
    if found.arrived != answered + found.dropped:
        faults.append(f"{found.arrived} requests came, {answered} were answered and {found.dropped} dropped")
    if found.windows.sum(axis=0).tolist() != [found.arrived, found.attained]:
        faults.append(
            f"windows have {found.windows.sum(axis=0)}, {found.arrived} came and {found.attained} were in time"
        )
    for m, tally in enumerate(found.modules):
        if tally.latencies.entries + found.dropped < min(tally.ready, 1):
            faults.append(f"module {m}: {tally.ready} invocations became ready, none was answered")
    return faults


def _is_proven(found: Simulation, space: PlanSpace) -> bool:
    """Whether what the modules count on is proven (docs/findings/theorem-1.md): in turn, evenly, nothing changed."""
    setup, system = found.setup, found.system
    plain = (setup.arrivals, setup.timeout_s, setup.dispatch, setup.dropping) == (Arrivals.UNIFORM, None, None, "never")
    plain = plain and not setup.noise and not setup.clients and setup.full_load_rps is None
    return (
        plain
        and space.policy is Policy.IN_TURN
        and setup.load <= 1
        and setup.partial is Partial.ALONE
        and (setup.dummies or not any(m.dummy_rps for m in system.evaluation.modules))
    )


def _proven(found: Simulation) -> list[str]:
    """No module takes longer than it counts on, where its requests come as evenly as that is proven for."""
    faults, system = [], found.system
    tick = 0 if system.clock.ticks_per_ns > 1 else 1
    kept = [_even_enough(system, m) for m in range(len(system.modules))]
    for m, (module, tally) in enumerate(zip(system.modules, found.modules, strict=True)):
        held = found.setup.hold and all(kept)
        # Longer times are counted as the largest representable one.
        if not kept[m] or (module.parents and not held) or module.latency_ticks >= LONGEST:
            continue
        limit = -(-module.latency_ticks // system.clock.ticks_per_ns) + (
            tick * len(system.modules) if module.parents else 0
        )
        if tally.latencies.largest_ns > limit:
            faults.append(f"module {m} took {tally.latencies.largest_ns} ns, {limit} are proven")
    # An objective of more than 36 years is counted as that, and so is what takes longer.
    if found.setup.hold and all(kept) and system.evaluation.feasible and found.late and system.slo_ticks < LONGEST:
        faults.append(f"{found.late} requests were late, none can be")
    return faults


def _even_enough(system: System, m: int) -> bool:
    """Whether W = u/v + 1 − 1/v, one more with dummies, is at most 2, so that b/F is enough to collect a batch."""
    ratio = system.modules[m].per_request
    uneven = ratio + 1 - Fraction(1, ratio.denominator) + bool(system.evaluation.modules[m].dummy_rps)
    return uneven <= 2 and not (system.modules[m].parents and system.evaluation.modules[m].dummy_rps)


def _as_plain(found: Simulation) -> list[str]:
    """The simulator in plain Python serves the same requests with the same latencies."""
    setup, system = found.setup, found.system
    until = system.clock.up(setup.seconds)
    pieces = list(incoming(system, setup))
    factors = duration_factors(setup.noise, setup.seed).tolist()
    if setup.clients:
        served = serve_clients(system, setup.clients, until, pieces[0][1][0].tolist(), factors, setup.seed)
    else:
        times = [int(tick) for piece in pieces for tick in piece[0]]
        counts = [row.tolist() for piece in pieces for row in piece[1]]
        served = serve(system, times, counts, factors, until, setup.seed)
    arrival, finish = np.array(served.arrival_ticks, np.int64), np.array(served.finish_ticks, np.int64)
    latency = (finish - arrival)[finish >= 0]
    wanted = {
        "arrived": arrival.size,
        "dropped": int((finish < 0).sum()),
        "late": int((latency > system.slo_ticks).sum()),
        "largest": int(latency.max(initial=0)) // system.clock.ticks_per_ns,
        "total": float(latency.astype(np.float64).sum()) / system.clock.ticks_per_ns,
    }
    known = {
        "arrived": found.arrived,
        "dropped": found.dropped,
        "late": found.late,
        "largest": found.latencies.largest_ns,
        "total": found.latencies.total_ns,
    }
    return [
        f"{name} is {known[name]}, {wanted[name]} by the plain simulator"
        for name in wanted
        if abs(known[name] - wanted[name]) > (1e-9 * wanted[name] if name == "total" else 0)
    ]
