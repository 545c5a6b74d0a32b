"""Seeded random sessions whose plans are held to more than latency and cost: for the oracle ladder next to them.

What a session asks for has its turn by seed: most changes, a price per change, both, spare machines, a largest share,
all together. Machines that run are near what some configuration needs, so that few changes often leave a plan.
"""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from math import ceil

from euclio.problems.session import Session
from euclio.problems.session.running import Running, RunningMachines

from .small_sessions import bought_session

ASKED = ("limit", "price", "limit and price", "spare", "share", "all")
"""What the sessions of seeds 0, 1, … ask for, in turn."""
MOST_CHANGES = (0, 1, 2, 3, 4, 5)
CHANGE_PRICES = ("0.01", "0.1", "0.5", "1", "2", "7")
SHARES = ("0.1", "0.5", "0.5", "0.75", "1")


def close_session(seed: int, modules: int = 3, configurations: int = 3) -> Session:
    """The session of a seed.

    Args:
        seed: seed.
        modules: most modules.
        configurations: most configurations of a module.
    """
    rng, asked = random.Random(f"close {seed}"), ASKED[seed % len(ASKED)]
    session = bought_session(rng.randrange(10**6), modules, configurations)
    while asked in ("share", "all") and any(len({c.hardware for c in m.profile}) == 1 for m in session.modules):
        session = bought_session(rng.randrange(10**6), modules, configurations)  # one type alone cannot be taken away
    if rng.random() < 0.4:
        counts = [rng.choice((None, 1, 2, 4, 6)) for _ in session.hardware]
        session = replace(
            session, hardware=tuple(replace(h, count=n) for h, n in zip(session.hardware, counts, strict=True))
        )
    if asked in ("spare", "all"):
        session = replace(session, spare_machines=rng.choice((1, 1, 2)))
    if asked in ("share", "all"):
        session = _with_shares(rng, session)
    if asked not in ("spare", "share"):
        session = replace(session, running=_running(rng, session, asked))
    return replace(session, name=f"close {seed}: {asked}")


def _with_shares(rng: random.Random, session: Session) -> Session:
    """The session with a largest share of one type, or of more."""
    chosen = rng.choice(session.hardware).name
    hardware = [
        replace(h, largest_share=Fraction(rng.choice(SHARES)) if h.name == chosen or rng.random() < 0.2 else None)
        for h in session.hardware
    ]
    return replace(session, hardware=tuple(hardware))


def _running(rng: random.Random, session: Session, asked: str) -> Running:
    """Machines that one configuration of each module needs, or a few more or fewer; some of what is there no more."""
    counts: dict[tuple[str, str], int] = {}
    for module in session.modules:
        for c in rng.sample(module.profile, rng.randint(1, min(2, len(module.profile)))):
            machines = ceil(module.rate_rps / c.throughput_rps) + rng.choice((-1, 0, 0, 0, 1, 2))
            counts[module.name, c.hardware] = min(4, max(0, machines))
    if rng.random() < 0.15:
        counts["gone", session.hardware[0].name] = 1
    if rng.random() < 0.15:
        counts[session.modules[0].name, "gone"] = 1
    return Running(
        tuple(RunningMachines(*place, n) for place, n in counts.items() if n),
        rng.choice(MOST_CHANGES) if asked != "price" else None,
        Fraction(rng.choice(CHANGE_PRICES)) if asked != "limit" else Fraction(0),
    )


def state_session(seed: int, modules: int = 3, configurations: int = 3) -> Session:
    """A session close to running machines, some modules of which hold state; a third of them charges nothing else.

    Args:
        seed: seed.
        modules: most modules.
        configurations: most configurations of a module.
    """
    rng = random.Random(f"state {seed}")
    session = close_session(len(ASKED) * seed + (0, 1, 2, 5)[seed % 4], modules, configurations)
    running = session.running or _running(rng, session, "price")
    if seed % 3 == 0:
        running = Running(running.machines)
    chosen = [module.name for module in session.modules if rng.random() < 0.6] or [session.modules[-1].name]
    state = {name: Fraction(rng.choice((*CHANGE_PRICES, "0", "0.3"))) for name in chosen}
    return replace(session, name=f"state {seed}", running=running, state=state)
