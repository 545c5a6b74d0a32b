"""Random sessions with random plans and random requests, for simulators that have to agree event by event."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from session_reference.records import ELSEWHERE, counts_of

from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.objectives import Application, Objective, parts
from euclio.problems.session.packing import packs
from euclio.problems.session.placing import share_machines
from euclio.problems.session.policies import POLICIES
from euclio.problems.session.rules import DummyRule
from euclio.problems.session.space import PlanSpace
from euclio.serving.arrivals import duration_factors
from euclio.serving.session.setup import Dispatch, Dropping, Partial, Setup
from euclio.serving.session.system import System, build_system
from euclio.serving.session.targets import DEALINGS
from euclio.workloads.session.random_sessions import SHAPES, shape_edges
from tests.drawn.plans import random_plan

DURATIONS = ("0.1", "0.2", "0.05", "0.4", "0.01", "0.0333", "0.123456789", "1")
"""Durations that meet at equal times, and some that never do."""
RATIOS = ("1", "2", "0.5", "0.3", "1.7", "3", "0.01")
SHARING = [policy for policy in POLICIES if packs(policy)]
BATCHING = [dispatch for dispatch, dealing in DEALINGS.items() if dispatch is not Dispatch.SPLIT and not dealing.queued]
"""Dispatchers under which modules collect batches for machines that they share."""
MOST_PER_REQUEST = 40
"""Most invocations per request, dummies included, so that a case is small."""


@dataclass(frozen=True, slots=True)
class Case:
    """A plan, and what it is to serve.

    Attributes:
        system: what serves.
        arrival_ticks: when requests arrive.
        counts: invocations of each module by request; None: as the rates say.
        factors: what durations are multiplied by.
        clients: clients that send as they are answered, instead of arrivals; 0: none.
    """

    system: System
    arrival_ticks: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...] | None
    factors: tuple[float, ...]
    clients: int


def random_case(seed: int, requests: int = 120, *, shared: bool = False, several: bool = False) -> Case:
    """A random case; the same seed gives the same one.

    Args:
        seed: the seed.
        requests: how many come.
        shared: whether modules share machines.
        several: whether there are objectives of modules, delays and applications.
    """
    stream = random.Random(f"plans of sessions/{seed}{'/shared' * shared}{'/several' * several}")
    while True:
        session, space = random_session(stream), _space(stream)
        if several:
            session = _with_services(stream, session)
        plan = random_plan(stream, session, space)
        if plan is None:
            continue
        setup = _setup(stream)
        if shared:
            # Without an SLO in the way, whatever machines have the time for each other are one.
            space = replace(space, policy=stream.choice(SHARING), charging="packed")
            plan = share_machines(replace(session, slo_s=Fraction(10**6)), plan, space)
            setup = replace(setup, dispatch=stream.choice((None, *BATCHING)))
            if not plan.shared:
                continue
        system = build_system(session, plan, space, setup)
        if _per_request(system) <= MOST_PER_REQUEST:
            break
    arrivals = _arrivals(stream, float(system.rate_rps), requests)
    counts = None
    if stream.random() < 0.3:
        modules = range(len(session.modules))
        drawn = [tuple(stream.choice((0, 0, 1, 1, 2, 5)) for _ in modules) for _ in range(requests)]
        # A request that invokes nothing is none.
        counts = tuple(row if any(row) else (1,) * len(row) for row in drawn)
    if several:
        counts = _of_streams(stream, system, requests, counts)
    factors = tuple(duration_factors(setup.noise, seed).tolist()[:1000])
    # Clients whose requests are dropped at once would send without end.
    clients = 0 if system.drops else stream.choice((0, 0, 0, 1, 7))
    if len(system.shares) > 1 or not any(counts_of(system, 0)):
        clients = 0
    return Case(system, arrivals, counts, factors, clients)


def _per_request(system: System) -> Fraction:
    dummies = sum((m.dummy_rps for m in system.evaluation.modules), Fraction(0))
    return sum((m.per_request for m in system.modules), dummies / system.rate_rps)


def random_session(stream: random.Random, ratios: tuple[str, ...] = RATIOS) -> Session:
    """A random session of one to four modules, whose rates are these times a rate."""
    hardware = [Hardware("A", 1), Hardware("B", stream.choice(("1", "2", "0.5")))]
    count = stream.choice((1, 1, 2, 3, 4))
    base = Fraction(stream.choice(("1", "4", "8", "10", "12.5", "33.3", "100")))
    modules = [Module(f"m{i}", base * Fraction(stream.choice(ratios)), _profile(stream)) for i in range(count)]
    edges = [(f"m{i}", f"m{j}") for i, j in shape_edges(stream.choice(SHAPES), count, stream)]
    names = [module.name for module in modules]
    stream.shuffle(names)  # the order of modules need not be that of the graph
    by_name = {module.name: module for module in modules}
    return Session("random", stream.choice(("0.3", "1", "5")), hardware, [by_name[name] for name in names], edges)


def _with_services(stream: random.Random, session: Session) -> Session:
    """The session with fewer edges, delays that meet durations, objectives anywhere, and perhaps applications."""
    edges = tuple(edge for edge in session.edges if stream.random() < 0.8)
    delays = {edge: stream.choice(("0", "0", "0.1", "0.05", "0.0333", "0.000000001")) for edge in edges}
    names = [module.name for module in session.modules]
    objectives = [
        Objective(f"o{k}", stream.choice(names), stream.choice(("0.1", "0.3", "0.45", "1")))
        for k in range(stream.randint(0, 3))
    ]
    slo = None if objectives else session.slo_s
    session = replace(session, slo_s=slo, edges=edges, delay_s=delays, objectives=tuple(objectives))
    found = parts(session.parents())
    # With one application that is named, all parts have streams of their own.
    named = stream.sample(found, stream.randint(0, len(found)))
    applications = [
        Application(f"application {k}", (names[stream.choice(part)],), stream.choice((None, None, "3", "20")))
        for k, part in enumerate(named)
    ]
    return replace(session, applications=tuple(applications))


def _of_streams(
    stream: random.Random, system: System, requests: int, drawn: Sequence[Sequence[int]] | None
) -> tuple[tuple[int, ...], ...]:
    """Invocations of requests, each of a stream that is drawn, as the rates say or as they were drawn."""
    so_far, found = [0] * len(system.shares), []
    for k in range(requests):
        own = stream.randrange(len(system.shares))
        counts = counts_of(system, so_far[own], own)
        so_far[own] += 1
        if drawn is not None:
            counts = [count if count == ELSEWHERE else drawn[k][m] for m, count in enumerate(counts)]
        found.append(tuple(counts))
    return tuple(found)


def _profile(stream: random.Random) -> list[Configuration]:
    keys = [(h, b, e) for h in "AB" for b in (1, 2, 3, 4, 8) for e in (1, 2, 3)]
    return [Configuration(h, b, e, stream.choice(DURATIONS)) for h, b, e in stream.sample(keys, stream.randint(1, 5))]


def _space(stream: random.Random) -> PlanSpace:
    return PlanSpace(policy=stream.choice(POLICIES), dummy=stream.choice(tuple(DummyRule)))


def _setup(stream: random.Random) -> Setup:
    return Setup(
        dispatch=stream.choice((None, None, *Dispatch)),
        timeout_s=stream.choice((None, None, 0.0, 0.03, float("inf"))),
        hold=stream.random() < 0.3,
        dropping=stream.choice((Dropping.NEVER, Dropping.NEVER, Dropping.HOPELESS)),
        partial=stream.choice(tuple(Partial)),
        noise=stream.choice((0.0, 0.0, 0.3)),
    )


def _arrivals(stream: random.Random, rate: float, requests: int) -> tuple[int, ...]:
    """Evenly spaced, at random, or many at a time, at up to twice the rate."""
    period = 10**9 / rate / stream.choice((0.3, 1.0, 1.0, 2.0))
    kind = stream.randrange(4)
    if kind == 0:
        return tuple(int(k * period) for k in range(requests))
    if kind == 1:
        return tuple(int(k // 7 * 7 * period) for k in range(requests))
    times = sorted(stream.uniform(0, requests * period) for _ in range(requests))
    step = 1 if kind == 2 else 10**8
    return tuple(int(time) // step * step for time in times)


def without_noise(case: Case) -> Case:
    """The same case with durations as planned."""
    return replace(case, factors=(1.0,))
