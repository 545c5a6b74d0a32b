"""Several sessions that share one pool of machines, as one session (ours; docs/model/services.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.problems.session.instance import Hardware, Module, Session
from euclio.problems.session.largest_shares import LargestShare
from euclio.problems.session.objectives import Application, Objective, parts


def pooled(sessions: Sequence[Session]) -> Session:
    """The session of several applications on the machines of all; a single session is returned as it is.

    Modules, objectives and applications keep their names unless two sessions share one: then each gets the name of its
    session in front, as in "shop/detect". Hardware of one name is one type.

    Args:
        sessions: the sessions, with names of their own.

    Raises:
        InputError: names that are equal, or machines that the sessions describe differently.
    """
    if len(sessions) == 1:
        return sessions[0]
    if not sessions:
        raise InputError("there is no session to pool; give at least one")
    twice = [name for name, count in Counter(one.name for one in sessions).items() if count > 1]
    if twice:
        raise InputError(f"two sessions are called {twice[0]!r}; rename one", field="name")
    if any(one.running is not None for one in sessions):
        raise InputError(
            "names modules of one session; leave it out, and give the plan of the pool instead", field="running"
        )
    rename = _renamer([[module.name for module in one.modules] for one in sessions])
    named = _renamer([[o.name for o in _objectives(one)] for one in sessions])
    called = _renamer([[a.name for a in _applications(one)] for one in sessions])
    modules: list[Module] = []
    edges: list[tuple[str, str]] = []
    delays: dict[tuple[str, str], Fraction] = {}
    objectives: list[Objective] = []
    applications: list[Application] = []
    for one in sessions:
        modules += [replace(module, name=rename(one, module.name)) for module in one.modules]
        edges += [(rename(one, a), rename(one, b)) for a, b in one.edges]
        delays |= {(rename(one, a), rename(one, b)): delay for (a, b), delay in one.delay_s.items()}
        objectives += [Objective(named(one, o.name), rename(one, o.to), o.slo_s) for o in _objectives(one)]
        applications += [
            Application(called(one, a.name), [rename(one, name) for name in a.modules], a.rate_rps)
            for a in _applications(one)
        ]
    return Session(
        " + ".join(one.name for one in sessions),
        None,
        _hardware(sessions),
        modules,
        edges,
        _currency(sessions),
        None,
        max(one.spare_machines for one in sessions),
        _resources(sessions),
        {rename(one, name): price for one in sessions for name, price in one.state.items()},
        objectives,
        delays,
        applications,
        {rename(one, name): least for one in sessions for name, least in one.least_machines.items()},
        _groups(sessions),
    )


def _renamer(names: list[list[str]]) -> Callable[[Session, str], str]:
    """A function of a session and a name within it that gives the name in the pool."""
    count = Counter(name for own in names for name in set(own))
    return lambda session, name: f"{session.name}/{name}" if count[name] > 1 else name


def _objectives(session: Session) -> list[Objective]:
    """The objectives of a session; a plain one has one for each module without children."""
    if session.objectives:
        return list(session.objectives)
    last = [module.name for module, end in zip(session.modules, session.ends(), strict=True) if end is not None]
    if len(last) == 1:
        return [Objective(session.name, last[0], session.slo_s)]
    return [Objective(f"{session.name} at {name}", name, session.slo_s) for name in last]


def _applications(session: Session) -> list[Application]:
    """The applications of a session; without any, it has one with the session's name, or its parts are numbered."""
    if session.applications:
        return list(session.applications)
    found = parts(session.parents())
    if len(found) == 1:
        return [Application(session.name, [session.modules[0].name])]
    return [Application(f"{session.name} {k}", [session.modules[part[0]].name]) for k, part in enumerate(found, 1)]


def _hardware(sessions: Sequence[Session]) -> list[Hardware]:
    """All types, each once; a session that does not state machines paid for takes those of the others."""
    known: dict[str, tuple[Hardware, str]] = {}
    paid_for: dict[str, tuple[int, str]] = {}
    for one in sessions:
        for hardware in one.hardware:
            name, least = hardware.name, hardware.at_least
            first, whose = (least, "") if least is None else paid_for.setdefault(name, (least, one.name))
            if first != least:
                raise InputError(
                    f"{name} has {first} in {whose} and {least} in {one.name}; state the machines that the pool pays "
                    "for in one of them, or the same number in each",
                    field="at_least",
                )
            other, owner = known.setdefault(name, (replace(hardware, at_least=None), one.name))
            if other != replace(hardware, at_least=None):
                raise InputError(
                    f"{name} differs between {owner} and {one.name}: price, stock, memory, largest share and takes of "
                    "a shared type have to be equal",
                    field="hardware",
                )
    return [
        replace(hardware, at_least=paid_for[name][0]) if name in paid_for else hardware
        for name, (hardware, _) in known.items()
    ]


def _groups(sessions: Sequence[Session]) -> list[LargestShare]:
    """The groups of types with a largest share, each of them in all sessions that have some of the types."""
    found = list(dict.fromkeys(group for one in sessions for group in one.largest_shares))
    for group in found:
        for one in sessions:
            if group not in one.largest_shares and any(h.name in group.hardware for h in one.hardware):
                raise InputError(
                    f"the group of {group.named} is none of {one.name}, which has some of these types; make them equal",
                    field="largest_shares",
                )
    return found


def _currency(sessions: Sequence[Session]) -> str | None:
    """The currency of all sessions that name one; None if none does."""
    named = {one.currency for one in sessions if one.currency is not None}
    if len(named) > 1:
        raise InputError(f"differs between the sessions: {', '.join(sorted(named))}; use one", field="currency")
    return min(named, default=None)


def _resources(sessions: Sequence[Session]) -> dict[str, Fraction]:
    """The capacities of all sessions, equal if several have one."""
    found: dict[str, Fraction] = {}
    for one in sessions:
        for name, capacity in one.resources.items():
            if found.setdefault(name, capacity) != capacity:
                raise InputError("differs between the sessions; use that of the pool", field=f"resources.{name}")
    return found
