"""Why a session has no plan: the smallest conflict between modules, restrictions and SLO, and what would resolve it.

Modules are independent given their budgets, so a session is infeasible if and only if the longest path of its modules'
least worst-case latencies exceeds the SLO (with one hardware type per session: on every type). All of it is ours.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from euclio.core.lazy import late_value
from euclio.core.progress import told
from euclio.core.result import Status
from euclio.core.showing import Shown
from euclio.core.space_fields import space_fields
from euclio.problems.session import FULL_SPACE, Plan, PlanSpace, Session, evaluate, longest_path
from euclio.problems.session.latency.paths import times_until
from euclio.problems.session.least_latency import Least, bracket, least_latency
from euclio.problems.session.resources import without_limits


@dataclass(frozen=True, slots=True)
class Restriction:
    """One restriction of a plan space.

    Attributes:
        option: the option of the command that sets it.
        words: what it says, for a sentence.
        field: field of `PlanSpace`.
        lifted: value of the field without it.
    """

    option: str
    words: str
    field: str
    lifted: Any


def restrictions(space: PlanSpace) -> tuple[Restriction, ...]:
    """The restrictions of a plan space.

    Lifting any of them only adds plans or makes them faster: throughput-cost dispatch is never slower than round robin
    or dispatch at machine rate (a whole machine has w >= t there), and rule `none` is part of rule `machine`. A field
    that the full space does not widen, such as rule `continuous`, restricts nothing.
    """
    given: list[tuple[int, Restriction]] = []
    for name, field in space_fields(PlanSpace).items():
        value, full = getattr(space, name), getattr(FULL_SPACE, name)
        if value != full and field.contains(full, value):
            given.append((field.lifted, Restriction(*field.restriction(value), name, full)))
    return tuple(restriction for _, restriction in sorted(given, key=lambda pair: pair[0]))


def without(space: PlanSpace, lifted: Iterable[Restriction]) -> PlanSpace:
    """The plan space without some of its restrictions."""
    changes: dict[str, Any] = {restriction.field: restriction.lifted for restriction in lifted}
    return replace(space, **changes)


# Modules one after the other: which few of them take longest together.

Seconds = Fraction | float


def shortest_chain_above(session: Session, latency_s: Sequence[Fraction | None], limit_s: Fraction) -> tuple[int, ...]:
    """The fewest modules on one path whose latencies add up to more than a limit.

    Fewest, hence minimal: without any of them the rest stays within the limit. By dynamic programming over the DAG:
    most seconds with k modules on a path that ends in a module.

    Args:
        session: the DAG.
        latency_s: latency of each module in seconds; None means beyond any limit.
        limit_s: the limit in seconds.

    Returns:
        Indices of the modules in the order of the path; empty if no path exceeds the limit.
    """
    latency: list[Seconds] = [math.inf if value is None else value for value in latency_s]
    parents = session.parents()
    nothing: tuple[Seconds, tuple[int, ...]] = (Fraction(0), ())
    fewer = [nothing] * len(latency)
    if max(times_until(session, latency)) <= limit_s:
        return ()
    for _ in latency:
        best: list[tuple[Seconds, tuple[int, ...]]] = [nothing] * len(latency)
        for i in session.order:
            before = max((fewer[p] for p in parents[i]), key=lambda entry: entry[0], default=nothing)
            without = max((best[p] for p in parents[i]), key=lambda entry: entry[0], default=nothing)
            with_it = (before[0] + latency[i], (*before[1], i))
            best[i] = with_it if with_it[0] >= without[0] else without
        length, chain = max(best, key=lambda entry: entry[0])
        if length > limit_s:
            return chain
        fewer = best
    return ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Modules that follow one another and together need more than the SLO.

    Attributes:
        hardware: the hardware type that this holds on, where the session is to keep to one; None means any allowed
            type.
        modules: indices of the modules, in the order of the path.
        least: their brackets; None if the plan space allows none of the module's configurations.
    """

    hardware: str | None
    modules: tuple[int, ...]
    least: tuple[Least | None, ...]

    @property
    def needed_s(self) -> Fraction | None:
        """What the modules need together at least, in seconds; None if no latency is enough."""
        bounds = [entry.least_s for entry in self.least if entry is not None]
        return sum(bounds, Fraction(0)) if len(bounds) == len(self.least) else None


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Shown):
    """Why a session is infeasible, or how much room it has.

    Attributes:
        session: the session.
        space: the plan space.
        status: FEASIBLE, INFEASIBLE, or UNKNOWN where a time limit left it open.
        least_slo_s: the smallest SLO with a plan, in seconds, checked on that plan; None if no SLO has one.
        least_proven: whether no smaller one has a plan, up to `RESOLUTION`; a time limit may leave it open.
        free_slo_s: the same without any restriction.
        conflicts: the smallest conflict, one entry (one per hardware type where the session is to keep to one); empty
            where the session is not infeasible. Without any of its modules there is no conflict.
        kept: the restrictions that belong to the conflict.
        minimal: whether the session is feasible without any one of these, by a plan; a tie with the SLO, or a time
            limit, may leave that open.
        lifts: the restrictions of the plan space that make the session feasible when lifted alone.
        bottleneck: index of the module of the conflict, or of the longest path, that needs most; None if unknown.
    """

    _view = late_value("euclio.questions.explain.text", "EXPLANATION")

    session: Session
    space: PlanSpace
    status: Status
    least_slo_s: Fraction | None
    least_proven: bool
    free_slo_s: Fraction | None
    conflicts: tuple[Conflict, ...]
    kept: tuple[Restriction, ...]
    lifts: tuple[Restriction, ...]
    bottleneck: int | None
    minimal: bool = True

    @property
    def slack_s(self) -> Fraction | None:
        """How much tighter the SLO may get in seconds; None if the session is not known to be feasible."""
        if self.status is not Status.FEASIBLE or self.least_slo_s is None:
            return None
        return self.session.slo_s - self.least_slo_s


@dataclass(frozen=True, slots=True)
class _Fastest:
    """Brackets of all modules within a plan space in which they are independent."""

    hardware: str | None
    space: PlanSpace
    least: tuple[Least | None, ...]

    def bounds(self) -> list[Fraction | None]:
        return [None if entry is None else entry.bound_s for entry in self.least]

    def path_s(self, session: Session) -> Fraction | None:
        """Longest path of the modules' fastest plans."""
        found = [entry.latency_s for entry in self.least if entry is not None]
        return longest_path(session, found)[0] if len(found) == len(self.least) else None


class _ConflictSearch:
    """Decides plan spaces of a session, and remembers the brackets of its modules.

    Once the time is up, brackets stay as they are without a search.
    """

    def __init__(self, session: Session, time_limit_s: float | None) -> None:
        self._session = session
        self._deadline = None if time_limit_s is None else time.perf_counter() + time_limit_s
        self._known: dict[tuple[int, PlanSpace], Least | None] = {}

    def fastest(self, space: PlanSpace, *, searched: bool) -> list[_Fastest]:
        """One entry, or one per hardware type; without a search brackets may be open."""
        alone = [(h.name, space.on(h.name)) for h in space.hardware_of(self._session)]
        spaces = alone if space.single_hardware else [(None, space)]
        count = range(len(self._session.modules))
        return [_Fastest(name, one, tuple(self._least(i, one, searched) for i in count)) for name, one in spaces]

    def feasible(self, space: PlanSpace) -> bool | None:
        """Whether the session has a plan in a space; None if the time limit left it open."""
        quick = self._decide(self.fastest(space, searched=False))
        return self._decide(self.fastest(space, searched=True)) if quick is None else quick

    def _decide(self, found: list[_Fastest]) -> bool | None:
        slo = self._session.slo_s
        if any(path is not None and path <= slo for path in (entry.path_s(self._session) for entry in found)):
            return True
        proven = all(shortest_chain_above(self._session, entry.bounds(), slo) for entry in found)
        return False if proven else None

    def _least(self, index: int, space: PlanSpace, searched: bool) -> Least | None:
        module = self._session.modules[index]
        if not searched:
            return self._known.get((index, space)) or bracket(self._session, module, space)
        if (index, space) not in self._known:
            self._known[index, space] = least_latency(self._session, module, space, self._deadline)
        return self._known[index, space]


@told("looking for least latencies")
def explain(session: Session, space: PlanSpace = FULL_SPACE, time_limit_s: float | None = None) -> Explanation:
    """Explain why a session has no plan in a plan space, or how much room it has, whatever machines are in stock.

    Args:
        session: the session.
        space: the plan space.
        time_limit_s: limit in seconds of all searches for least latencies together; None means no limit.

    Returns:
        The explanation; every claim in it is proven, and the least SLO is that of a plan that the checker accepts.
    """
    session = without_limits(session)
    search = _ConflictSearch(session, time_limit_s)
    given = restrictions(space)
    found = search.fastest(space, searched=True)
    free = _least_slo(session, search.fastest(without(space, given), searched=True))
    proven = all(least is None or least.known for entry in found for least in entry.least)
    slo = (_least_slo(session, found), proven, free)
    feasible = search.feasible(space)
    if feasible is None:
        return Explanation(session, space, Status.UNKNOWN, *slo, (), (), (), None)
    if feasible:
        return Explanation(session, space, Status.FEASIBLE, *slo, (), (), (), _slowest_on_path(session, found))
    lifts = tuple(r for r in given if search.feasible(without(space, [r])))
    kept, minimal = list(given), True
    for restriction in given:
        rest = [r for r in kept if r is not restriction]
        feasible = search.feasible(without(space, [r for r in given if r not in rest]))
        if feasible is False:
            kept = rest
        elif feasible is None:
            minimal = False
    core = search.fastest(without(space, [r for r in given if r not in kept]), searched=True)
    conflicts = _conflicts(session, core)
    slowest = _slowest(conflicts)
    return Explanation(session, space, Status.INFEASIBLE, *slo, conflicts, tuple(kept), lifts, slowest, minimal)


def _least_slo(session: Session, found: list[_Fastest]) -> Fraction | None:
    """The smallest SLO with a plan, checked by the checker."""
    reached = [(path, entry) for entry in found if (path := entry.path_s(session)) is not None]
    if not reached:
        return None
    least, entry = min(reached, key=lambda pair: pair[0])
    plan = Plan(tuple(module.plan for module in entry.least if module is not None))
    checked = evaluate(session, plan, entry.space, slo_s=least)  # it may be longer than any SLO that a session can have
    if not checked.feasible:
        raise RuntimeError(f"the plan of the least SLO is refused: {'; '.join(checked.violations)}")
    return least


def _conflicts(session: Session, core: list[_Fastest]) -> tuple[Conflict, ...]:
    """The fewest modules per hardware type, then without those that the conflict stands without."""
    bounds = [entry.bounds() for entry in core]
    members = {i for entry in bounds for i in shortest_chain_above(session, entry, session.slo_s)}

    def chains(kept: set[int]) -> list[tuple[int, ...]]:
        only = [[value if i in kept else Fraction(0) for i, value in enumerate(entry)] for entry in bounds]
        return [shortest_chain_above(session, entry, session.slo_s) for entry in only]

    for i in sorted(members):
        if len(core) > 1 and all(chains(members - {i})):
            members.discard(i)
    return tuple(
        Conflict(entry.hardware, chain, tuple(entry.least[i] for i in chain))
        for entry, chain in zip(core, chains(members), strict=True)
    )


def _slowest(conflicts: tuple[Conflict, ...]) -> int | None:
    """The module that needs most in the conflict; one without a configuration above all."""
    members = [pair for conflict in conflicts for pair in zip(conflict.modules, conflict.least, strict=True)]
    without_any = [i for i, least in members if least is None]
    if without_any:
        return without_any[0]
    return max(((least.bound_s, i) for i, least in members if least is not None), default=(0, None))[1]


def _slowest_on_path(session: Session, found: list[_Fastest]) -> int | None:
    """The module that needs most on the longest path of the fastest plans."""
    reached = [(path, entry) for entry in found if (path := entry.path_s(session)) is not None]
    entry = min(reached, key=lambda pair: pair[0])[1]
    latency = [least.latency_s for least in entry.least if least is not None]
    names = longest_path(session, latency)[1]
    return max((session.index[name] for name in names), key=lambda i: latency[i])
