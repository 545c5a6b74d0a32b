"""Equivalent instances: the way an instance was turned implies a law for each answer.

Sessions and days are here, clusters and fleets in `turns_of_fixed_machines`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from random import Random
from typing import Any

from euclio.core.errors import InputError
from euclio.problems.day import Day, DayPlan, Staffing, Step, StepPlan
from euclio.problems.session import Configuration, Hardware, Module, ModulePlan, Plan, PlanSpace, Session
from euclio.problems.session.objectives import Application, Objective
from euclio.problems.session.running import Running
from euclio.problems.session.services import is_plain

MONEY, SECONDS = Fraction(3), Fraction(1, 1000)
BINARY_MONEY, BINARY_SECONDS = Fraction(4), Fraction(1, 1024)
"""By these floats are multiplied without rounding, so that what decides in floats has to decide the same."""
LONGER = Fraction(11, 10)
TWIN = "~"
"""Ends the name of a hardware type that is another one again; it ranks next behind that."""


class Optimum(Enum):
    """How the optimum of a turned instance stands to that of the other one."""

    SAME = "the same"
    NO_WORSE = "no worse"
    """The plans of the other instance are plans of it, among others."""
    NO_BETTER = "no better"
    """Its plans are plans of the other instance."""


NO_WORSE = ("slower", "longer", "stock")
"""Laws of sessions under which plans are gained."""


@dataclass(frozen=True, slots=True)
class Turned:
    """An instance made of another one.

    Attributes:
        law: name of the law, as `LAWS` has it.
        instance: the instance.
        space: the plan space.
        factor: the optimum is that of the other instance times this.
        plan: the same plan of this instance, which costs so many times as much; None means it is not given.
        optimum: how its optimum stands to that.
        seconds: what times were multiplied by, and rates divided.
    """

    law: str
    instance: Any
    space: Any
    factor: Fraction = Fraction(1)
    plan: Callable[[Any], Any] | None = None
    optimum: Optimum = Optimum.SAME
    seconds: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class How:
    """How a session is turned.

    Attributes:
        shuffle: the generator that reorders modules, hardware, rows of profiles and edges; None keeps their order.
        hardware: new names of hardware types by their old ones; those that are not there keep theirs.
        modules: the same of modules.
        money: what prices are multiplied by.
        seconds: what times are multiplied by, and rates divided.
    """

    shuffle: Random | None = None
    hardware: dict[str, str] | None = None
    modules: dict[str, str] | None = None
    money: Fraction = Fraction(1)
    seconds: Fraction = Fraction(1)

    def order(self, count: int) -> list[int]:
        """Places in their new order."""
        return list(range(count)) if self.shuffle is None else self.shuffle.sample(range(count), count)

    def on(self, name: str) -> str:
        """A hardware type by its new name."""
        return (self.hardware or {}).get(name, name)

    def of(self, name: str) -> str:
        """A module by its new name."""
        return (self.modules or {}).get(name, name)


def optimum(law: str) -> Optimum:
    """How the optimum of a changed session stands to that of the other one."""
    return Optimum.NO_WORSE if law in NO_WORSE else Optimum.SAME


def legal(law: str, made: Callable[[], Turned | None]) -> Iterator[Turned]:
    """The result, if instances may hold its numbers."""
    try:
        found = made()
    except InputError:
        return
    if found is not None:
        yield replace(found, law=law)


def new_names(rng: Random, names: Sequence[str], *, in_order: bool) -> dict[str, str]:
    """Other names, in the same order of the alphabet or in any."""
    fresh = [f"{chr(97 + k)} {rng.randrange(1000)}" for k in range(len(names))]
    if in_order:
        return dict(zip(sorted(names), fresh, strict=True))
    rng.shuffle(fresh)
    return dict(zip(names, fresh, strict=True))


def configuration(c: Configuration, how: How) -> Configuration:
    """A configuration, turned."""
    return Configuration(how.on(c.hardware), c.batch, c.concurrency, c.duration_s * how.seconds)


def turned_session(session: Session, how: How) -> tuple[Session, list[int]]:
    """A session, turned, and the old places of its modules."""
    places = how.order(len(session.modules))
    hardware = [
        replace(h, name=how.on(h.name), price_per_h=h.price_per_h * how.money)
        for h in (session.hardware[k] for k in how.order(len(session.hardware)))
    ]
    modules = []
    for module in (session.modules[k] for k in places):
        rows = [configuration(module.profile[k], how) for k in how.order(len(module.profile))]
        modules.append(Module(how.of(module.name), module.rate_rps / how.seconds, rows))
    edges = [(how.of(a), how.of(b)) for a, b in (session.edges[k] for k in how.order(len(session.edges)))]
    runs = session.running
    if runs is not None:
        machines = tuple(replace(m, module=how.of(m.module), hardware=how.on(m.hardware)) for m in runs.machines)
        runs = Running(machines, runs.most_changes, runs.price_per_change_per_h * how.money)
    state = {how.of(name): price * how.money for name, price in session.state.items()}
    turned = replace(
        session,
        slo_s=session.slo_s * how.seconds,
        hardware=tuple(hardware),
        modules=tuple(modules),
        edges=tuple(edges),
        running=runs,
        state=state,
        objectives=tuple(
            Objective(o.name, how.of(o.to), o.slo_s * how.seconds)
            for o in (session.objectives[k] for k in how.order(len(session.objectives)))
        ),
        delay_s={(how.of(a), how.of(b)): delay * how.seconds for (a, b), delay in session.delay_s.items()},
        applications=tuple(
            Application(a.name, [how.of(name) for name in a.modules], a.rate_rps and a.rate_rps / how.seconds)
            for a in session.applications
        ),
    )
    return turned, places


def turned_plan(plan: Plan, how: How, places: Sequence[int]) -> Plan:
    """The same plan of the turned session."""
    modules = []
    for own in (plan.modules[k] for k in places):
        allocations = tuple(
            replace(a, configuration=configuration(a.configuration, how), partial_rps=a.partial_rps / how.seconds)
            for a in own.allocations
        )
        modules.append(ModulePlan(allocations, own.dummy_rps / how.seconds))
    shared = tuple(tuple(places.index(k) for k in group) for group in plan.shared)
    return Plan(tuple(modules), shared)


def session_turns(session: Session, space: PlanSpace, rng: Random) -> Iterator[Turned]:
    """A session in other words, by every law."""

    def turned(how: How, factor: Fraction = Fraction(1)) -> Turned:
        found, places = turned_session(session, how)
        allowed = space if space.hardware is None else replace(space, hardware=tuple(map(how.on, space.hardware)))
        return Turned("", found, allowed, factor, lambda plan: turned_plan(plan, how, places), seconds=how.seconds)

    for law, how, factor in _hows(session, rng):
        yield from legal(law, lambda how=how, factor=factor: turned(how, factor))
    for law, changed in session_changes(session, rng):
        wide = space
        if law == "twin" and space.hardware is not None:
            twin = changed.hardware[-1].name
            wide = replace(space, hardware=(*space.hardware, *[twin] * (twin[: -len(TWIN)] in space.hardware)))
        yield Turned(law, changed, wide, plan=lambda plan: plan, optimum=optimum(law))


def _hows(session: Session, rng: Random) -> Iterator[tuple[str, How, Fraction]]:
    """Laws under which each plan has its like, and what its cost is multiplied by."""
    one = Fraction(1)
    yield "order", How(shuffle=rng), one
    # The name decides between configurations that are equal in ratio, duration and batch: it is part of the rank.
    hardware = new_names(rng, [h.name for h in session.hardware], in_order=_tied(session))
    modules = new_names(rng, [m.name for m in session.modules], in_order=False)
    yield "names", How(hardware=hardware, modules=modules), one
    yield "money", How(money=MONEY), MONEY
    yield "time", How(seconds=rng.choice((SECONDS, 1 / SECONDS))), one
    yield "binary money", How(money=BINARY_MONEY), BINARY_MONEY
    yield "binary time", How(seconds=rng.choice((BINARY_SECONDS, 1 / BINARY_SECONDS))), one


def _tied(session: Session) -> bool:
    """Whether configurations on two hardware types rank by the names of these."""
    price = session.price
    for module in session.modules:
        ranks: dict[Any, set[str]] = {}
        for c in module.profile:
            key = (price[c.hardware] / c.throughput_rps, c.duration_s, c.batch)
            ranks.setdefault(key, set()).add(c.hardware)
        if any(len(names) > 1 for names in ranks.values()):
            return True
    return False


def session_changes(session: Session, rng: Random) -> Iterator[tuple[str, Session]]:
    """Sessions with something more that no plan gains by, or that leaves every plan as it is."""
    for law, made in (
        ("twin", lambda: with_twin(session, rng)),
        ("useless", lambda: with_row(session, rng, session.slo_s)),
        ("slower", lambda: with_row(session, rng, None)),
        ("shortcut", lambda: _with_shortcut(session)),
        ("backwards", lambda: _backwards(session)),
        ("longer", lambda: _with_longer(session)),
        ("stock", lambda: _with_more(session, rng)),
    ):
        try:
            found = made()
        except InputError:
            continue
        if found is not None and (found != session or law == "backwards"):
            yield law, found


def with_twin(session: Session, rng: Random) -> Session | None:
    """The session with a hardware type twice, at the same price and with the same profile.

    Machines on the twin can be put onto the first one: they stand next to each other in the rank, and one allocation is
    never later than two of the same configuration. Where machines cost nothing the rank orders by hardware before
    concurrency, so that others may stand between. Of a type in stock the twin has no machines, as two stocks would be
    more; two largest shares would be too.
    """
    able = [h for h in session.hardware if h.price_per_h and h.largest_share is None]
    if not able:
        return None
    one = rng.choice(able)
    twin = replace(one, name=one.name + TWIN, count=None if one.count is None else 0)
    modules = []
    for m in session.modules:
        rows = [*m.profile, *(_on(c, twin.name) for c in m.profile if c.hardware == one.name)]
        modules.append(Module(m.name, m.rate_rps, rows))
    return replace(session, hardware=(*session.hardware, twin), modules=tuple(modules))


def _on(c: Configuration, hardware: str) -> Configuration:
    return Configuration(hardware, c.batch, c.concurrency, c.duration_s)


def with_row(session: Session, rng: Random, at_least_s: Fraction | None) -> Session | None:
    """The session with a configuration that takes longer than another one at the same price, batch and concurrency.

    If it takes the whole SLO no plan can use it, as every latency is more than the duration. If it takes half as long
    again as the other one, plans may gain by it: a slower machine ranks later, or is full where the other one is not.
    """
    place = rng.randrange(len(session.modules))
    module = session.modules[place]
    like = rng.choice(module.profile)
    keys = {(c.hardware, c.batch, c.concurrency) for c in module.profile}
    free = range(like.batch, like.batch + len(module.profile) + 1)
    batch = next(b for b in free if (like.hardware, b, like.concurrency) not in keys)
    duration = max(like.duration_s * batch / like.batch * Fraction(3, 2), at_least_s or Fraction(0))
    rows = [*module.profile, Configuration(like.hardware, batch, like.concurrency, duration)]
    rng.shuffle(rows)
    modules = list(session.modules)
    modules[place] = Module(module.name, module.rate_rps, rows)
    return replace(session, modules=tuple(modules))


def _backwards(session: Session) -> Session | None:
    """The session with every edge the other way round; an objective would bound other paths then."""
    edges = tuple((b, a) for a, b in session.edges)
    return replace(session, edges=edges) if is_plain(session) else None


def _with_longer(session: Session) -> Session:
    """The session with longer objectives."""
    longer = tuple(replace(o, slo_s=o.slo_s * LONGER) for o in session.objectives)
    return replace(session, slo_s=session.slo_s * LONGER, objectives=longer)


def _with_shortcut(session: Session) -> Session | None:
    """The session with an edge past a module between: no path is longer for it."""
    edges = set(session.edges)
    past = sorted({(a, d) for a, b in edges for c, d in edges if b == c} - edges)
    return replace(session, edges=(*session.edges, past[0])) if past else None


def _with_more(session: Session, rng: Random) -> Session | None:
    """The session with one more machine in stock of a type."""
    able = [k for k, h in enumerate(session.hardware) if h.count is not None]
    if not able:
        return None
    place, hardware = rng.choice(able), list(session.hardware)
    own: Hardware = hardware[place]
    hardware[place] = replace(own, count=(own.count or 0) + 1)
    return replace(session, hardware=tuple(hardware))


def day_turns(day: Day, space: Any, rng: Random) -> Iterator[Turned]:
    """A day in other words, by every law."""

    def turned(how: How, factor: Fraction) -> Turned:
        session, places = turned_session(day.session, how)
        steps = [Step(s.length_s, [s.rates_rps[k] / how.seconds for k in places]) for s in day.steps]
        state = {how.of(name): price * how.money for name, price in day.state.items()}
        change = day.price_per_change * how.money
        found = replace(day, session=session, steps=tuple(steps), price_per_change=change, state=state)
        return Turned("", found, space, factor, lambda plan: _turned_day_plan(plan, how, places), seconds=how.seconds)

    for law, how, factor in _hows(day.session, rng):
        yield from legal(law, lambda how=how, factor=factor: turned(how, factor))
    for law, changed in session_changes(day.session, rng):
        # On a path, the neighbours of a module without requests become adjacent, in either direction of edges.
        found = replace(day, session=changed)
        yield Turned(law, found, space, plan=lambda plan: plan, optimum=optimum(law))
    yield from legal("clock", lambda: _on_another_clock(day, space))
    yield from legal("halves", lambda: _in_halves(day, space, rng))


def _turned_day_plan(plan: DayPlan, how: How, places: Sequence[int]) -> DayPlan:
    def staffing(own: Staffing) -> Staffing:
        serving = tuple(replace(s, hardware=how.on(s.hardware)) for s in own.serving)
        return Staffing(serving, tuple(replace(i, hardware=how.on(i.hardware)) for i in own.idle))

    return DayPlan(tuple(StepPlan(tuple(staffing(step.modules[k]) for k in places)) for step in plan.steps))


def _on_another_clock(day: Day, space: Any) -> Turned:
    """The day a thousand times as short, changes a thousand times as cheap."""
    steps = tuple(Step(s.length_s * SECONDS, s.rates_rps) for s in day.steps)
    state = {name: price * SECONDS for name, price in day.state.items()}
    warm_up, keep_alive, change = (x * SECONDS for x in (day.warm_up_s, day.keep_alive_s, day.price_per_change))
    found = Day(day.name, day.session, steps, warm_up, keep_alive, change, state)
    return Turned("", found, space, SECONDS, lambda plan: plan)


def _in_halves(day: Day, space: Any, rng: Random) -> Turned:
    """The day with a step as two, one after the other, at the same rates."""
    k = rng.randrange(len(day.steps))
    half = Step(day.steps[k].length_s / 2, day.steps[k].rates_rps)
    found = replace(day, steps=(*day.steps[:k], half, half, *day.steps[k + 1 :]))
    return Turned("", found, space, plan=lambda plan: DayPlan((*plan.steps[: k + 1], *plan.steps[k:])))
