"""Sessions with objectives of modules, delays of edges and named applications: nasty numbers next to a plan's own.

Objectives name modules anywhere on paths, several may name one module, and some are equal. Delays are nothing, tiny,
multiples as floats print them, another number's neighbour, or longer than any objective.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random

from euclio.problems.session import Charging, DummyRule, PlanSpace, Session
from euclio.problems.session.objectives import Application, Objective, parts
from euclio.problems.session.policies import POLICIES

from .limits import limited
from .numbers import digits, nearly, printed, spread, supported
from .sessions import SHAPES, plan_latency, session_case
from .small_sessions import bought_session, small_session

TINY = ("1e-12", "3e-12", "1e-9")
"""Delays in seconds that a sum of floats may lose."""
ASKED = ("nothing", "nothing", "stock", "stock", "resource", "changes", "spare", "all", "floors", "floors", "shares")
"""Limits on the machines of sessions, as often as they stand here."""
APART = tuple(name for name, (count, edges) in SHAPES.items() if len(edges) + 1 < count)
"""Shapes of several weakly connected parts."""


def service_case(rng: Random, **policies_and_rules: tuple[object, ...]) -> tuple[Session, PlanSpace]:
    """A nasty session with all of these, and a plan space."""
    session, space = session_case(rng, **policies_and_rules)  # type: ignore[arg-type]
    return as_service(rng, session, space), space


def service_within_limits(rng: Random, seed: int) -> tuple[Session, PlanSpace]:
    """A tame session of few machines with all of these and limits on its machines, whole, packed or by share."""
    session = bought_session(seed) if rng.randrange(2) else small_session(seed)
    charging = rng.choice((Charging.WHOLE, Charging.WHOLE, Charging.SHARE, Charging.PACKED))
    rule = rng.choice((DummyRule.MACHINE, DummyRule.MACHINE, DummyRule.NONE))
    space = PlanSpace(rng.choice(tuple(POLICIES)), rule, rng.choice((None, None, 2)), charging=charging)
    session = as_service(rng, session, space)
    asked = rng.choice(ASKED) if not charging.packs else "nothing"
    if asked == "nothing":
        return session, space
    if asked == "floors" and not charging.whole:
        asked = "shares"
    if asked != "resource":
        return limited(rng, session, space, asked), space
    hardware = tuple(replace(h, takes={"gpu": rng.choice((1, 2, 8, "0.5"))}) for h in session.hardware)
    return replace(session, hardware=hardware, resources={"gpu": rng.randint(1, 12)}), space


def as_service(rng: Random, session: Session, space: PlanSpace) -> Session:
    """The session with delays, with objectives next to the latencies of a plan, and with names of its parts.

    A fifth keeps its one objective and has delays alone; a fifth has no delays.
    """
    delay = _delays(rng, session) if rng.randrange(5) else {}
    finish = _finish(rng, session, space, delay)
    names = [module.name for module in session.modules]
    if rng.randrange(5) == 0:
        return replace(session, slo_s=_near(rng, max(finish)), delay_s=delay)
    objectives = _objectives(rng, names, finish)
    if rng.randrange(3) and not set(_last(session)) <= {objective.to for objective in objectives}:
        # Most sessions have an objective behind each module; models cover no others.
        named = {objective.to for objective in objectives}
        rest = [name for name in _last(session) if name not in named]
        objectives += [Objective(f"end of {name}", name, _near(rng, finish[names.index(name)])) for name in rest]
    return replace(
        session,
        slo_s=None,
        objectives=tuple(objectives),
        delay_s=delay,
        applications=_applications(rng, session),
    )


def _delays(rng: Random, session: Session) -> dict[tuple[str, str], Decimal]:
    """Delays of edges, often none and one and the same."""
    whole = session.slo_s
    usual = _delay(rng, whole)
    return {edge: rng.choice((Decimal(0), usual, _delay(rng, whole))) for edge in session.edges}


def _delay(rng: Random, slo: Fraction) -> Decimal:
    kind = rng.randrange(8)
    if kind == 0:
        return Decimal(rng.choice(TINY))
    if kind <= 3:  # 0.1 * 3 prints as 0.30000000000000004
        found = printed(float(digits(rng, float(slo) * spread(rng, 0.01, 0.2))) * rng.choice((1, 3, 7)))
    elif kind == 4:
        found = nearly(rng, slo * Fraction(rng.choice(("0.1", "0.5"))))
    elif kind == 5 and rng.randrange(2):  # longer than what any objective may be
        found = digits(rng, float(slo) * spread(rng, 1, 20))
    else:
        found = digits(rng, float(slo) * spread(rng, 1e-3, 0.3))
    return found if supported(found) else Decimal(0)


def _finish(
    rng: Random, session: Session, space: PlanSpace, delay: Mapping[tuple[str, str], Decimal]
) -> list[Fraction]:
    """For each module the seconds after which it ends in a plan drawn at random."""
    names = [module.name for module in session.modules]
    own = [plan_latency(rng, module, session.price, space) for module in session.modules]
    finish = list(own)
    for m in session.order:
        before = [finish[names.index(a)] + Fraction(delay.get((a, b), 0)) for a, b in session.edges if b == names[m]]
        finish[m] = own[m] + max(before, default=Fraction(0))
    return finish


def _objectives(rng: Random, names: list[str], finish: list[Fraction]) -> list[Objective]:
    """From one to all modules have one or two, near the ends of a plan; one of a module may be another's number."""
    found: list[Objective] = []
    for name in rng.sample(names, rng.randint(1, len(names))):
        for k in range(rng.choice((1, 1, 1, 2))):
            seconds = _near(rng, finish[names.index(name)])
            if found and rng.randrange(5) == 0:
                seconds = rng.choice(found).slo_s
            found.append(Objective(f"{name} {k}", name, seconds))
    return found


def _near(rng: Random, seconds: Fraction) -> Fraction:
    """The number, a neighbour of it, or some other one near by."""
    kind = rng.randrange(10)
    if kind <= 5:
        found = nearly(rng, seconds)
    elif kind <= 7:
        found = digits(rng, float(seconds) * rng.uniform(0.9, 1.5))
    else:
        found = digits(rng, float(seconds) * spread(rng, 0.5, 4))
    return Fraction(found) if supported(found) else Fraction(printed(min(max(seconds, Fraction(1, 10**9)), 10**9)))


def _last(session: Session) -> list[str]:
    parents = {a for a, _ in session.edges}
    return [module.name for module in session.modules if module.name not in parents]


def _applications(rng: Random, session: Session) -> tuple[Application, ...]:
    """Names of some parts, by any of their modules, with a rate of their own or that of their first modules."""
    found = []
    for k, part in enumerate(parts(session.parents())):
        if rng.randrange(4):
            named = rng.sample(part, rng.randint(1, len(part)))
            rate = rng.choice((None, session.modules[part[0]].rate_rps, Decimal("7.5")))
            found.append(Application(f"application {k}", [session.modules[m].name for m in named], rate))
    return tuple(found)
