"""Latency objectives within a session, delays of its edges, and the applications that share its machines (ours).

docs/model/services.md. An objective o bounds every path that ends with its module: latencies and delays on it take at
most L_o. Let L be the largest of them, `Session.slo_s`. A module that objectives name gets an *end* ω = L − min L_o. A
plan keeps all objectives if and only if the longest path with delays and ends takes at most L. So each method that
knows longest paths also covers objectives. A plain session has an objective of L at each module without children, whose
end is 0. The functions below also handle the DAG itself: its parts, its order and its parents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.core.numbers import LARGEST, Number, exact_number
from euclio.core.words import full

Edge = tuple[str, str]
MOST_NAMED = 20
"""The most names that an error lists."""
End = Fraction | None
"""An end in seconds; None if the module has children and no objective of its own."""


@dataclass(frozen=True, slots=True)
class Objective:
    """A latency objective.

    Attributes:
        name: its name, such as "first token".
        to: name of the module with which its paths end.
        slo_s: most seconds of every such path.
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
        modules: some of its modules; one is enough.
        rate_rps: requests per second; None means the largest rate of a module by which requests enter.
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
            raise InputError("is missing; add it, in seconds, or objectives of modules", field="slo_s")
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


Parents = Sequence[Sequence[int]]
"""For each module the indices of its parents."""


def check_objectives(
    objectives: Sequence[Objective], applications: Sequence[Application], names: Mapping[str, int], parents: Parents
) -> None:
    """Refuse objectives of unknown modules, names that are given twice, and applications that are no parts of the DAG.

    Args:
        objectives: the objectives.
        applications: the applications.
        names: indices of the modules by name.
        parents: parents of the modules.
    """
    for i, objective in enumerate(objectives):
        if objective.to not in names:
            raise InputError(
                f"unknown module {objective.to!r}; known: {', '.join(sorted(names))}", field=f"objectives[{i}].to"
            )
        if objective.name in [other.name for other in objectives[:i]]:
            raise InputError(f"{objective.name!r} is listed twice; rename one", field=f"objectives[{i}].name")
    part_of = {m: k for k, part in enumerate(parts(parents)) for m in part} if applications else {}
    taken: dict[int, str] = {}
    for i, application in enumerate(applications):
        field = f"applications[{i}]"
        if application.name in [other.name for other in applications[:i]]:
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


def parts(parents: Parents) -> list[tuple[int, ...]]:
    """The weakly connected parts of a DAG: indices of their modules, by the first one."""
    root = list(range(len(parents)))

    def find(m: int) -> int:
        while root[m] != m:
            root[m] = root[root[m]]
            m = root[m]
        return m

    for m, own in enumerate(parents):
        for p in own:
            low, high = sorted((find(m), find(p)))
            root[high] = low
    found: dict[int, list[int]] = {}
    for m in range(len(root)):
        found.setdefault(find(m), []).append(m)
    return [tuple(part) for part in found.values()]


def ends(
    slo_s: Fraction, objectives: Sequence[Objective], names: Mapping[str, int], parents: Parents
) -> tuple[End, ...]:
    """The end of each module in seconds: the part of the longest objective that no path to it may use.

    A path to a module without children that no objective names may take `LARGEST` seconds, so its end is far below 0.

    Args:
        slo_s: the longest objective in seconds.
        objectives: the objectives.
        names: indices of the modules by name.
        parents: parents of the modules.
    """
    has_children = {p for own in parents for p in own}
    if not objectives:
        return tuple(None if m in has_children else Fraction(0) for m in range(len(parents)))
    least: dict[int, Fraction] = {}
    for objective in objectives:
        m = names[objective.to]
        least[m] = min(objective.slo_s, least.get(m, objective.slo_s))
    free = slo_s - LARGEST
    return tuple(slo_s - least[m] if m in least else None if m in has_children else free for m in range(len(parents)))


def topological_order(index: Mapping[str, int], edges: Sequence[Edge]) -> tuple[int, ...]:
    """The modules' indices, parents before children.

    Args:
        index: index of each module, by name and in rising order.
        edges: the edges, between these modules.

    Raises:
        InputError: the edges form a cycle; names it.
    """
    children: list[list[int]] = [[] for _ in index]
    waiting = [0] * len(index)
    for a, b in edges:
        children[index[a]].append(index[b])
        waiting[index[b]] += 1
    ready = [i for i, n in enumerate(waiting) if n == 0]
    for node in ready:  # it grows during the loop, and is the order in the end
        for child in children[node]:
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)
    if len(ready) < len(index):
        named = _name_cycle(list(index), children, waiting)
        raise InputError(f"the edges form a cycle: {named}; remove one of them", field="edges")
    return tuple(ready)


def parents_of(index: Mapping[str, int], edges: Sequence[Edge]) -> tuple[tuple[int, ...], ...]:
    """For each module the indices of its parents, in the order of the edges; arguments as of `topological_order`."""
    lists: list[list[int]] = [[] for _ in index]
    for a, b in edges:
        lists[index[b]].append(index[a])
    return tuple(tuple(parents) for parents in lists)


def _name_cycle(names: list[str], children: list[list[int]], waiting: list[int]) -> str:
    """A cycle in words: walk backwards among the modules that never became ready until one repeats."""
    parent = {c: p for p, cs in enumerate(children) if waiting[p] > 0 for c in cs}
    node = next(i for i, n in enumerate(waiting) if n > 0)
    place: dict[int, int] = {}
    while node not in place:
        place[node] = len(place)
        node = parent[node]
    cycle = [*reversed(list(place)[place[node] :])]
    found = [names[i] for i in (node, *cycle[:MOST_NAMED])]
    left_out = ["..."] if len(cycle) > MOST_NAMED else []
    return " -> ".join([*found, *left_out, *([names[node]] if left_out else [])])
