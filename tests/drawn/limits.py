"""Sessions whose limits lie on ties: the SLO, the stock, the changes and the shares are those of a plan, or just not.

A session of `tests.adversary` has rates as floats print them and an SLO on a plan's latency. To that come an SLO on the
sum of durations, to the last digit or next to it, and limits that a plan of the session meets exactly or misses by one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import ceil
from random import Random

from euclio.core.solving import solve
from euclio.problems.session import Charging, DummyRule, Plan, PlanSpace, Policy, Session, evaluate, longest_path
from euclio.problems.session.largest_shares import LargestShare
from euclio.problems.session.machine_limits import counts_of
from euclio.problems.session.running import Running, RunningMachines

from .numbers import nearly, printed, supported
from .sessions import session_case

POLICIES = (
    Policy.TC,
    Policy.TC_SHARED,
    Policy.IN_TURN,
    Policy.RR,
    Policy.MACHINE_RATE,
    Policy.RR_EVEN,
    Policy.MACHINE_RATE_EVEN,
)
ASKED = ("nothing", "nothing", "stock", "stock", "changes", "changes", "spare", "all")
"""What sessions ask for beyond their SLO."""
REFERENCE, REFERENCE_S = "plan-bruteforce", 2.0
CHANGE_PRICES = ("0", "0.01", "0.5", "1", "2", "7", "10")


def case_at_ties(rng: Random) -> tuple[Session, PlanSpace]:
    """A session with limits on ties, and a plan space that `exact` covers."""
    session, space = session_case(rng, POLICIES)
    space = replace(space, charging=rng.choice((Charging.WHOLE, Charging.WHOLE, Charging.SHARE)), single_hardware=False)
    if rng.randrange(4) == 0:
        session = replace(session, slo_s=sum_of_durations(rng, session, space))
    asked = rng.choice(ASKED)
    if asked == "nothing":
        return session, space
    if not space.charging.whole and not space.dummy.countable:
        space = replace(space, dummy=DummyRule.MACHINE)
    return limited(rng, session, space, asked), space


def sum_of_durations(rng: Random, session: Session, space: PlanSpace) -> Fraction:
    """The durations along a path: of the fastest configurations, or of any, added up exactly or as floats.

    Plans come as close to a duration as machines are many. In a quarter of the modules it is the latency of full
    machines, which some plan has: next to the others' durations no plan keeps such a sum, and none is far from it.
    """
    chosen = []
    for module in session.modules:
        allowed = [c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)] or module.profile
        fastest = min(c.duration_s for c in allowed)
        own = fastest if rng.randrange(3) else rng.choice(allowed).duration_s
        if rng.randrange(4) == 0:
            full = rng.choice(allowed)
            own = full.duration_s + full.batch / (rng.randint(1, 3) * full.throughput_rps)
        chosen.append(own)
    path = longest_path(session, chosen)[0]
    slo = Fraction(nearly(rng, path) if rng.randrange(2) else path)
    return slo if supported(slo) else Fraction(printed(path))


def limited(rng: Random, session: Session, space: PlanSpace, asked: str) -> Session:
    """The session with limits that a plan of it meets exactly, or misses by one machine."""
    plan = _plan_of(session, space)
    machines = {} if plan is None else dict(_machines(session, space, plan))
    if asked in ("stock", "all"):
        held: dict[str, int] = {}
        for (_, name), n in machines.items():
            held[name] = held.get(name, 0) + n
        hardware = [
            replace(h, count=max(0, held.get(h.name, 0) + rng.choice((-1, 0, 0, 0, 1)))) if rng.randrange(3) else h
            for h in session.hardware
        ]
        session = replace(session, hardware=tuple(hardware))
    if asked == "floors":
        session = _floored(rng, session, machines)
    if asked == "shares" and plan is not None:
        session = _shared(rng, session, space, plan)
    if asked in ("spare", "all"):
        session = replace(session, spare_machines=1)
    if asked in ("changes", "all"):
        session = replace(session, running=_running(rng, session, machines))
    return session


def _plan_of(session: Session, space: PlanSpace) -> Plan | None:
    """A plan of the session, by the reference if that has one in time."""
    plan: Plan | None = solve(session, REFERENCE, space=space, time_limit_s=REFERENCE_S).plan
    return plan


def _machines(session: Session, space: PlanSpace, plan: Plan) -> dict[tuple[str, str], int]:
    """Machines of a plan by module and hardware, partial ones counted whole."""
    return dict(counts_of(session, plan, [m.partial_rps for m in evaluate(session, plan, space).modules]))


def _floored(rng: Random, session: Session, machines: dict[tuple[str, str], int]) -> Session:
    """The session with as many least machines and machines paid for as a plan has, or one or two more or fewer."""
    own, held = Counter[str](), Counter[str]()
    for (module, name), n in machines.items():
        own[module] += n
        held[name] += n
    least = {m.name: max(0, own[m.name] + rng.choice((-1, 0, 1, 2))) for m in session.modules if rng.randrange(3)}
    hardware = [
        replace(h, at_least=max(0, held[h.name] + rng.choice((-1, 0, 1, 2)))) if rng.randrange(2) else h
        for h in session.hardware
    ]
    return replace(session, hardware=tuple(hardware), least_machines=least)


def _shared(rng: Random, session: Session, space: PlanSpace, plan: Plan) -> Session:
    """The session with the share that a plan's module has on a group of types as that group's largest, or near it."""
    checked = evaluate(session, plan, space).modules
    groups: dict[frozenset[str], LargestShare] = {}
    for _ in range(rng.randint(1, 2)):
        types = rng.sample(sorted(session.price), rng.randint(1, min(2, len(session.price))))
        m = rng.randrange(len(plan.modules))
        *whole, last = plan.modules[m].allocations
        rates = [(a.configuration, a.machines * a.configuration.throughput_rps) for a in (*whole, last)]
        rates.append((last.configuration, checked[m].partial_rps))
        others = sum((rate for c, rate in rates if c.hardware not in types), Fraction(0))
        own = 1 - others / session.modules[m].rate_rps
        share = rng.choice((own, own, own * Fraction(999_999, 1_000_000), Fraction(1, 2), Fraction(2, 3)))
        if 0 < share <= 1:
            groups[frozenset(types)] = LargestShare(types, share)
    return replace(session, largest_shares=list(groups.values()))


def _running(rng: Random, session: Session, machines: dict[tuple[str, str], int]) -> Running:
    """What runs next to a plan, and as many changes as lead to it, one less, none, or any."""
    counts: dict[tuple[str, str], int] = {}
    changes = 0
    for module in session.modules:
        for name in sorted({c.hardware for c in module.profile}):
            here = machines.get((module.name, name), ceil(rng.random() * 2) - 1)
            runs = min(4, max(0, here + rng.choice((-2, -1, 0, 0, 1))))
            changes += abs(runs - machines.get((module.name, name), 0))
            if runs:
                counts[module.name, name] = runs
    most = rng.choice((0, changes, changes, max(0, changes - 1), None))
    price = Fraction(rng.choice(CHANGE_PRICES)) if most is not None else Fraction(rng.choice(CHANGE_PRICES[1:]))
    return Running(tuple(RunningMachines(*place, n) for place, n in counts.items()), most, price)
