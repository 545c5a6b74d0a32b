"""Latency objectives within a session, delays of its edges, and the applications that share its machines (ours).

docs/model/services.md. An objective o bounds every path that ends with its module: latencies and delays on it take at
most L_o. With L the largest of them, `Session.slo_s`, a module that objectives name gets an *end* ω = L − min L_o. A
plan keeps all objectives if and only if the longest path with delays and ends takes at most L. So each method that
knows longest paths knows objectives. A plain session has an objective of L at each module without children, whose end
is 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from euclio.core.errors import InputError
from euclio.core.numbers import LARGEST, Number, exact_number
from euclio.core.words import full

if TYPE_CHECKING:
    from euclio.problems.session.instance import Session

Edge = tuple[str, str]
End = Fraction | None
"""An end in seconds; None: the module has children and no objective of its own."""


@dataclass(frozen=True, slots=True)
class Objective:
    """A latency objective.

    Attributes:
        name: its name, such as "first token".
        to: name of the module with which its paths end.
        slo_s: seconds that every such path takes at most.
    """

    name: str
    to: str
    slo_s: Fraction

    def __init__(self, name: str, to: str, slo_s: Number) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "to", to)
        object.__setattr__(self, "slo_s", exact_number(slo_s, "slo_s"))


@dataclass(frozen=True, slots=True)
class Application:
    """A name for a weakly connected part of the DAG.

    Attributes:
        name: its name.
        modules: some of its modules; one is enough.
        rate_rps: requests per second; None: the largest rate of a module that requests enter by.
    """

    name: str
    modules: tuple[str, ...]
    rate_rps: Fraction | None = None

    def __init__(self, name: str, modules: tuple[str, ...] | list[str], rate_rps: Number | None = None) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "modules", tuple(modules))
        object.__setattr__(self, "rate_rps", None if rate_rps is None else exact_number(rate_rps, "rate_rps"))


def longest_objective(slo_s: Number | None, objectives: tuple[Objective, ...]) -> Fraction:
    """The longest objective of a session, in seconds.

    Raises:
        InputError: there is none, or `slo_s` is given next to objectives and is not the longest of them.
    """
    if not objectives:
        if slo_s is None:
            raise InputError("is missing; give slo_s, or objectives of modules", field="slo_s")
        return exact_number(slo_s, "slo_s")
    longest = max(objective.slo_s for objective in objectives)
    if slo_s is not None and exact_number(slo_s, "slo_s") != longest:
        named = ", ".join(f"{objective.name}={full(objective.slo_s)}" for objective in objectives)
        raise InputError(f"the session has objectives of its own; change one by its name ({named})", field="slo_s")
    return longest


def exact_delays(given: Mapping[Edge, Number], edges: tuple[Edge, ...]) -> dict[Edge, Fraction]:
    """Delays of edges in seconds, those that are above 0.

    Raises:
        InputError: a number is out of range, or there is no such edge.
    """
    for edge in given:
        if edge not in edges:
            raise InputError(f"there is no edge {edge[0]} -> {edge[1]}; add it to edges", field="delay_s")
    numbers = {edge: exact_number(given[edge], f"edges[{edges.index(edge)}].delay_s", zero=True) for edge in given}
    return {edge: delay for edge, delay in numbers.items() if delay}


def check_objectives(session: Session) -> None:
    """Refuse objectives of unknown modules and names that are given twice, and applications that are no parts."""
    names = session.index
    for i, objective in enumerate(session.objectives):
        if objective.to not in names:
            raise InputError(
                f"unknown module {objective.to!r}; known: {', '.join(sorted(names))}", field=f"objectives[{i}].to"
            )
        if objective.name in [other.name for other in session.objectives[:i]]:
            raise InputError(f"{objective.name!r} is listed twice; rename one", field=f"objectives[{i}].name")
    part_of = {m: k for k, part in enumerate(parts(session)) for m in part}
    taken: dict[int, str] = {}
    for i, application in enumerate(session.applications):
        field = f"applications[{i}]"
        if application.name in [other.name for other in session.applications[:i]]:
            raise InputError(f"{application.name!r} is listed twice; rename one", field=f"{field}.name")
        for name in application.modules:
            if name not in names:
                raise InputError(
                    f"unknown module {name!r}; known: {', '.join(sorted(names))}", field=f"{field}.modules"
                )
        own = {part_of[names[name]] for name in application.modules}
        if len(own) != 1:
            raise InputError(
                "names modules that no edges connect; name modules of one part of the DAG"
                if own
                else "names no module; name one of its modules",
                field=f"{field}.modules",
            )
        (part,) = own
        if part in taken:
            raise InputError(f"is the same part of the DAG as {taken[part]!r}; keep one of them", field=field)
        taken[part] = application.name


def parts(session: Session) -> list[tuple[int, ...]]:
    """The weakly connected parts of a session's DAG: indices of their modules, by the first one."""
    root = list(range(len(session.modules)))

    def find(m: int) -> int:
        while root[m] != m:
            root[m] = root[root[m]]
            m = root[m]
        return m

    for m, parents in enumerate(session.parents()):
        for p in parents:
            low, high = sorted((find(m), find(p)))
            root[high] = low
    found: dict[int, list[int]] = {}
    for m in range(len(root)):
        found.setdefault(find(m), []).append(m)
    return [tuple(part) for part in found.values()]


def ends(session: Session) -> tuple[End, ...]:
    """The end of each module in seconds: what every path that ends with it has to spare of the longest objective.

    A module without children that no objective names may take any latency, so that its end is far below 0.
    """
    has_children = {p for parents in session.parents() for p in parents}
    if not session.objectives:
        return tuple(None if m in has_children else Fraction(0) for m in range(len(session.modules)))
    named: dict[str, Fraction] = {}
    for objective in session.objectives:
        named[objective.to] = min(objective.slo_s, named.get(objective.to, objective.slo_s))
    free = session.slo_s - LARGEST
    return tuple(
        session.slo_s - named[module.name] if module.name in named else None if m in has_children else free
        for m, module in enumerate(session.modules)
    )


def without_objective(session: Session) -> tuple[str, ...]:
    """Names of the modules that lead to no objective: a plan may let them take any latency."""
    if not session.objectives:
        return ()
    leads = {objective.to for objective in session.objectives}
    index, children = session.index, dict[str, list[str]]()
    for parent, child in session.edges:
        children.setdefault(parent, []).append(child)
    for m in reversed(session.order):
        name = session.modules[m].name
        if any(child in leads for child in children.get(name, ())):
            leads.add(name)
    return tuple(name for name in index if name not in leads)


def fixed_seconds(session: Session) -> list[Fraction]:
    """All seconds that are compared besides latencies: the longest objective, delays and ends."""
    return [session.slo_s, *session.delay_s.values(), *(end for end in session.ends() if end is not None)]


def least_end(session: Session) -> Fraction:
    """The least end of all modules, at most 0, in seconds: no path takes longer than the longest objective less it."""
    return min(Fraction(0), *(end for end in session.ends() if end is not None))


def is_plain(session: Session) -> bool:
    """Whether a session has one objective, of all modules without children, and no delays."""
    return not session.objectives and not session.delay_s


def refuse_several(session: Session, what: str) -> None:
    """Refuse objectives of modules and delays where they are not covered.

    Args:
        session: the session.
        what: what does not cover them, in words.

    Raises:
        InputError: there are some.
    """
    if not is_plain(session):
        raise InputError(
            f"{what} covers sessions with one slo_s and edges without delay_s; give it such a session",
            field="objectives" if session.objectives else "edges",
        )
