"""Capacities of resources on and next to ties: exact methods and the prover agree with an enumeration.

A stock is one of them, and GPUs that are cut into slices are several.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

from euclio import solve
from euclio.core.registry import find_solver
from euclio.core.result import Result, Status
from euclio.problems.session import Charging, DummyRule, PlanSpace, Session, evaluate
from euclio.problems.session.evaluate import machines_by_hardware
from euclio.problems.session.gpu_slices import PROFILES, Parts, least_gpus
from euclio.problems.session.policies import POLICIES
from euclio.problems.session.running import Running, RunningMachines
from tests.drawn.small_sessions import bought_session, small_session

from .search import Found, Search
from .search_limits import proven

METHODS = ("exact", "milp", "cpsat")
REFERENCE, REFERENCE_S, LIMIT_S = "plan-bruteforce", 5.0, 30.0
RELATIVE = Fraction(1, 10**9)
"""Methods may leave plans that are cheaper by less."""
AMOUNTS = ("0", "1", "1", "2", "3", "0.5", "350", "400.25", "1e-9")
"""What a machine takes of a resource."""
LEAST = Fraction(1, 10**12)
DECIDED = (Status.OPTIMAL, Status.INFEASIBLE)


def case(rng: Random, seed: int) -> tuple[Session, PlanSpace]:
    """A session with one or two resources, whose capacities are what a plan takes, or a little less or more."""
    session = bought_session(seed) if rng.randrange(2) else small_session(seed)
    charging = rng.choice((Charging.WHOLE, Charging.WHOLE, Charging.SHARE))
    rule = rng.choice((DummyRule.MACHINE, DummyRule.MACHINE, DummyRule.NONE, DummyRule.CONTINUOUS))
    if not charging.whole and rule is DummyRule.CONTINUOUS:
        rule = DummyRule.MACHINE
    space = PlanSpace(rng.choice(tuple(POLICIES)), rule, rng.choice((None, None, 2)), charging=charging)
    names = ("power", "licences")[: rng.randint(1, 2)]
    hardware = tuple(replace(h, takes={name: rng.choice(AMOUNTS) for name in names}) for h in session.hardware)
    session = replace(session, hardware=hardware)
    free = solve(session, "exact", space=space, time_limit_s=REFERENCE_S)
    used = _used(session, free)
    resources = {}
    for name in names:
        amounts = [h.takes[name] for h in hardware]
        if any(amounts):
            taken = sum((used.get(h.name, 0) * h.takes[name] for h in hardware), Fraction(0))
            near = taken + rng.choice((-1, -1, 0, 0, 1, 2)) * rng.choice([a for a in amounts if a])
            capacity = near * rng.choice((1, 1, 1, Fraction(3, 4), Fraction(1, 2)))
            # A file takes nothing between 0 and the least magnitude.
            resources[name] = capacity if capacity >= LEAST else Fraction(0)
    session = replace(session, resources=resources)
    held = _held(rng, session, used)
    return (_sliced(Random(f"slices {seed}"), held, used) if charging.whole else held), space


def _sliced(rng: Random, session: Session, used: dict[str, Fraction]) -> Session:
    """One session in three with machines that are slices of GPUs: as many GPUs as a plan needs, one less or more."""
    if rng.randrange(3):
        return session
    chosen = {h.name: rng.choice(tuple(PROFILES)) for h in session.hardware if rng.randrange(4)}
    if not chosen:
        return session
    parts: Parts = {}
    for name, profile in chosen.items():
        parts[profile] = parts.get(profile, 0) + int(used.get(name, 0))
    gpus = max(0, least_gpus(parts) + rng.choice((-1, 0, 0, 1)))
    hardware = [replace(h, slices={"gpus": chosen[h.name]} if h.name in chosen else {}) for h in session.hardware]
    return replace(session, hardware=tuple(hardware), resources={**session.resources, "gpus": gpus})


def _used(session: Session, found: Result) -> dict[str, Fraction]:
    """Machines of a plan by hardware; none without a plan."""
    if found.plan is None:
        return {}
    checked = evaluate(session, found.plan, found.space)
    return machines_by_hardware(found.plan, [module.partial_rps for module in checked.modules], found.space)


def _held(rng: Random, session: Session, used: dict[str, Fraction]) -> Session:
    """The session with something else that it asks for, or nothing."""
    asked = rng.choice(("nothing", "nothing", "nothing", "stock", "changes", "spare"))
    if asked == "stock":
        counts = {h.name: int(used.get(h.name, 0)) + rng.randint(0, 2) for h in session.hardware}
        return replace(
            session,
            hardware=tuple(replace(h, count=counts[h.name]) for h in session.hardware[:1]) + session.hardware[1:],
        )
    if asked == "changes":
        runs = tuple(RunningMachines(m.name, m.profile[0].hardware, 1) for m in session.modules)
        return replace(session, running=Running(runs, rng.randint(0, 5), Fraction(rng.choice(("0", "0.1")))))
    return replace(session, spare_machines=1) if asked == "spare" else session


def look(seed: int) -> Found:
    """Hold exact methods and the prover against the enumeration, and resources of one machine each against a stock."""
    rng = Random(f"resources {seed}")
    session, space = case(rng, seed)
    if not session.resources:
        return Found(0)
    truth = solve(session, REFERENCE, space=space, time_limit_s=REFERENCE_S)
    if truth.status not in DECIDED:
        return Found(0)
    faults, undecided = [], 0
    for name in METHODS:
        if find_solver(name).uncovered(session, space):
            continue
        found = solve(session, name, space=space, time_limit_s=LIMIT_S)
        wrong = _wrong(found, truth)
        if wrong:
            faults.append(f"{name} in {space.describe()}: {wrong}")
        undecided += found.status not in DECIDED
    faults += (f"the prover in {space.describe()} {fault}" for fault in proven(session, space, truth.value))
    return Found(1, (*faults, *_as_stock(rng, session, space)), undecided)


def _wrong(found: Result, truth: Result) -> str:
    """What contradicts the enumeration; empty: nothing."""
    if found.status is Status.ERROR or (found.status in DECIDED and found.status is not truth.status):
        return f"{found.status} ({found.reason}), and not {truth.status}"
    if truth.value is None:
        return f"a plan of {found.value} where there is none" if found.value is not None else ""
    if found.value is not None and not truth.value <= found.value:
        return f"a plan of {found.value}, cheaper than the optimum {truth.value}"
    if found.status is Status.OPTIMAL and found.value > truth.value * (1 + RELATIVE):
        return f"{found.value} is called optimal, and {truth.value} is"
    if found.bound is not None and found.bound > float(truth.value) * (1 + float(RELATIVE)):
        return f"a bound of {found.bound} above the optimum {truth.value}"
    return ""


def _as_stock(rng: Random, session: Session, space: PlanSpace) -> list[str]:
    """A stock written as resources has to give the same plan."""
    if session.spare_machines:
        return []
    counts = {h.name: rng.randint(0, 4) for h in session.hardware}
    bare = replace(session, resources={}, hardware=tuple(replace(h, takes={}, slices={}) for h in session.hardware))
    stock = replace(bare, hardware=tuple(replace(h, count=counts[h.name]) for h in bare.hardware))
    written = replace(
        bare,
        hardware=tuple(replace(h, count=None, takes={f"machines of {h.name}": 1}) for h in bare.hardware),
        resources={f"machines of {name}": count for name, count in counts.items()},
    )
    first, second = (solve(one, "exact", space=space, time_limit_s=LIMIT_S) for one in (stock, written))
    same = (first.status, first.value, first.plan) == (second.status, second.value, second.plan)
    return [] if same else [f"as a stock {first.status} {first.value}, as resources {second.status} {second.value}"]


SEARCH = Search(
    "resources",
    "with capacities of resources, exact methods find what an enumeration finds, nothing false is proven, and a stock "
    "is such a capacity",
    "sessions",
    look,
    range(40),
)
