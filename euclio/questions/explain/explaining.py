"""Why a session has no plan: the smallest conflict between modules, restrictions and SLO, and its remedies.

Modules are independent given their budgets. So a session without limits on machines is infeasible if and only if a path
exceeds its objective with its modules' least worst-case latencies and its delays. With one hardware type per session,
this has to hold on every type. The default solver decides whether a plan keeps a stock and other limits on machines.
All of it is ours.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

from euclio.core.errors import InputError
from euclio.core.lazy import late_value
from euclio.core.progress import told
from euclio.core.result import Status
from euclio.core.showing import Shown
from euclio.core.solving import solve
from euclio.core.space_fields import space_fields
from euclio.core.words import listed
from euclio.problems.session import FULL_SPACE, Evaluation, Plan, PlanSpace, Session, evaluate, longest_path
from euclio.problems.session.demands import SESSION_DEMANDS
from euclio.problems.session.latency.paths import path_length
from euclio.problems.session.least_latency import Least, bracket, least_latency
from euclio.problems.session.machine_limits import counts_of
from euclio.problems.session.objectives import Objective
from euclio.problems.session.resources import may_lack_machines, without_limits


@dataclass(frozen=True, slots=True)
class Restriction:
    """One restriction of a plan space.

    Attributes:
        option: the option of the command that sets it.
        words: its effect, for a sentence.
        field: field of `PlanSpace`.
        lifted: value of the field without it.
    """

    option: str
    words: str
    field: str
    lifted: Any


def restrictions(space: PlanSpace) -> tuple[Restriction, ...]:
    """The restrictions of a plan space.

    Lifting any of them only adds plans or makes them faster. Throughput-cost dispatch is never slower than round robin
    or dispatch at machine rate, as a whole machine has w >= t there. Rule `none` is part of rule `machine`. A field
    that the full space does not widen, such as rule `continuous`, restricts nothing.
    """
    given: list[tuple[int, Restriction]] = []
    for name, rule in space_fields(PlanSpace).items():
        value, full = getattr(space, name), getattr(FULL_SPACE, name)
        if value != full and rule.contains(full, value):
            given.append((rule.lifted, Restriction(*rule.restriction(value), name, full)))
    return tuple(restriction for _, restriction in sorted(given, key=lambda pair: pair[0]))


def without(space: PlanSpace, lifted: Iterable[Restriction]) -> PlanSpace:
    """The plan space without some of its restrictions."""
    changes: dict[str, Any] = {restriction.field: restriction.lifted for restriction in lifted}
    return replace(space, **changes)


# Modules one after the other: the fewest of them that together take too long.

Seconds = Fraction | float


class Chain(NamedTuple):
    """Modules on one path that take longer than its objective.

    Attributes:
        modules: their indices in the order of the path; empty if delays alone take longer.
        last: index of the module that the path ends with.
        delay_s: seconds of all delays on the path.
    """

    modules: tuple[int, ...]
    last: int
    delay_s: Fraction


class _Path(NamedTuple):
    """The longest path that ends with a module and on which a given number of modules takes time."""

    seconds: Seconds
    modules: tuple[int, ...]
    delay_s: Fraction


def shortest_chain_above(session: Session, latency_s: Sequence[Fraction | None]) -> Chain | None:
    """The fewest modules on one path whose latencies and delays add up to more than its objective.

    Fewest, hence minimal: without any of them the rest stays within the objective. The search is dynamic programming
    over the DAG, for the most seconds with k modules on a path that ends in a module.

    Args:
        session: the DAG, its objectives and delays.
        latency_s: latency of each module in seconds; None means beyond any limit.

    Returns:
        The chain; None if no path exceeds its objective.
    """
    latency: list[Seconds] = [math.inf if value is None else value for value in latency_s]
    if path_length(session, latency) <= session.slo_s:
        return None
    # A session with one SLO needs no choice of ends: a path that is too long at a module is too long at its children.
    ends = session.ends() if session.objectives else [Fraction(0)] * len(latency)
    fewer: list[_Path] | None = None
    for _ in range(len(latency) + 1):
        best = _longest_with(session, latency, fewer)
        compared = {i: path.seconds + end for i, path in enumerate(best) if (end := ends[i]) is not None}
        last = max(compared, key=lambda i: compared[i])
        if compared[last] > session.slo_s:
            return Chain(best[last].modules, last, best[last].delay_s)
        fewer = best
    raise RuntimeError("the longest path is too long, but no modules on it are")


def _longest_with(session: Session, latency_s: Sequence[Seconds], fewer: list[_Path] | None) -> list[_Path]:
    """For each module the longest path that ends with it and on which one more module takes time.

    Args:
        session: the DAG.
        latency_s: latency of each module in seconds.
        fewer: the same with one module less; None means that no module takes time.
    """
    parents, found = session.parents(), [_NOTHING] * len(latency_s)
    for i in session.order:
        without = _extended(session, found, parents[i], i)
        if fewer is None:
            found[i] = without
            continue
        before = _extended(session, fewer, parents[i], i)
        with_it = _Path(before.seconds + latency_s[i], (*before.modules, i), before.delay_s)
        found[i] = with_it if with_it.seconds >= without.seconds else without
    return found


_NOTHING = _Path(Fraction(0), (), Fraction(0))


def _extended(session: Session, paths: Sequence[_Path], parents: Sequence[int], child: int) -> _Path:
    """The longest of the parents' paths with the delay of the edge to a child."""
    delayed = (
        _Path(path.seconds + delay, path.modules, path.delay_s + delay) if delay else path
        for path, delay in ((paths[p], session.delay_between(p, child)) for p in parents)
    )
    return max(delayed, key=lambda path: path.seconds, default=_NOTHING)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Modules that follow one another and together, with the delays between, need more than their objective.

    Attributes:
        hardware: the hardware type of this conflict if the session uses one type only; None means any allowed type.
        modules: indices of the modules, in the order of the path.
        least: their brackets; None if the plan space allows none of the module's configurations.
        last: index of the module that the path ends with.
        delay_s: seconds of the delays on the path.
        objective: the objective that they exceed. None in a session with one SLO, and for a module that leads to no
            objective and has no configuration.
    """

    hardware: str | None
    modules: tuple[int, ...]
    least: tuple[Least | None, ...]
    last: int
    delay_s: Fraction = Fraction(0)
    objective: Objective | None = None

    @property
    def needed_s(self) -> Fraction | None:
        """The seconds that the modules and delays need together at least; None if no latency is enough."""
        bounds = [entry.least_s for entry in self.least if entry is not None]
        return sum(bounds, self.delay_s) if len(bounds) == len(self.least) else None


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Shown):
    """Why a session is infeasible, or how much room it has.

    Attributes:
        status: FEASIBLE, INFEASIBLE, or UNKNOWN where a time limit left it open.
        least_slo_s: the smallest SLO with a plan, in seconds, checked on that plan; None if no SLO has one.
        least_proven: whether no smaller one has a plan, up to `RESOLUTION`; a time limit may leave it open.
        free_slo_s: the smallest SLO with a plan without any restriction.
        conflicts: the smallest conflict, one entry, or one per hardware type if the session must use one type. Empty
            if the session is not infeasible. Without any of its modules there is no conflict.
        kept: the restrictions that belong to the conflict.
        minimal: whether a plan shows that the session is feasible without any one of these; a tie with the SLO, or a
            time limit, may leave that open.
        lifts: the restrictions of the plan space that make the session feasible when lifted alone.
        bottleneck: index of the module of the conflict, or of the longest path, that needs most; None if unknown.
        least_objectives_s: by name of each objective the smallest seconds with a plan, all at once. Empty in a session
            with one SLO, and if nothing has a plan. With several objectives `least_slo_s` is the longest one less the
            least room of all.
        free_objectives_s: the same without any restriction.
        limits: the limits on machines, such as the stock, that exclude every plan (INFEASIBLE) or may exclude every
            plan (UNKNOWN) although the objectives leave room. Empty if the status rests on latencies alone, or if a
            plan keeps all limits.
        without_limits: if these limits exclude every plan, the machines of a plan without them, and how it breaks
            each limit; empty if no plan was found.
        reason: if these limits exclude every plan, the solver's line on it, such as the number of missing machines;
            empty if it has none.
        limited: whether the session has limits on machines that may exclude plans. Least latencies and remedies
            disregard them.
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
    least_objectives_s: dict[str, Fraction] = field(default_factory=dict, hash=False)
    free_objectives_s: dict[str, Fraction] = field(default_factory=dict, hash=False)
    limits: tuple[str, ...] = ()
    without_limits: tuple[str, ...] = ()
    reason: str = ""
    limited: bool = False

    @property
    def binding(self) -> Objective | None:
        """The objective with the least room, or with the largest excess; None in a session with one SLO."""
        known = [one for one in self.session.objectives if one.name in self.least_objectives_s]
        return min(known, key=lambda one: one.slo_s - self.least_objectives_s[one.name], default=None)

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

    After the time limit, open brackets stay open without a search.
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
        slo, session = self._session.slo_s, self._session
        if any(path is not None and path <= slo for path in (entry.path_s(self._session) for entry in found)):
            return True
        proven = all(shortest_chain_above(session, entry.bounds()) is not None for entry in found)
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
    """Explain why a session has no plan in a plan space, or how much room it has.

    Least latencies and conflicts disregard limits on machines. Where latencies leave room, the default solver decides
    whether a plan keeps these limits too.

    Args:
        session: the session.
        space: the plan space.
        time_limit_s: limit in seconds of all searches together; None means no limit for least latencies, and
            `UNDER_LIMITS_S` for a plan within limits on machines.

    Returns:
        The explanation; every claim in it is proven, and the least SLO is that of a plan that the checker accepts.
    """
    began, limited = time.perf_counter(), session
    session = without_limits(session)
    search = _ConflictSearch(session, time_limit_s)
    given = restrictions(space)
    found = search.fastest(space, searched=True)
    free = _least(session, search.fastest(without(space, given), searched=True))
    least = _least(session, found)
    proven = all(one is None or one.known for entry in found for one in entry.least)
    slo = (least.latency_s, proven, free.latency_s)
    each, lacking = (least.objectives, free.objectives), may_lack_machines(limited)
    feasible = search.feasible(space)
    if feasible is None:
        return Explanation(session, space, Status.UNKNOWN, *slo, (), (), (), None, True, *each, limited=lacking)
    if feasible:
        slowest = _slowest_on_path(session, found)
        room = Explanation(session, space, Status.FEASIBLE, *slo, (), (), (), slowest, True, *each, limited=lacking)
        left_s = UNDER_LIMITS_S if time_limit_s is None else began + time_limit_s - time.perf_counter()
        return _under_limits(room, limited, left_s) if lacking else room
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
    why = Explanation(session, space, Status.INFEASIBLE, *slo, conflicts, tuple(kept), lifts, slowest, minimal, *each)
    return replace(why, limited=lacking)


UNDER_LIMITS_S = 10.0
"""Seconds of the search for a plan within limits on machines, where the caller gives no limit."""


def _under_limits(found: Explanation, limited: Session, left_s: float) -> Explanation:
    """The explanation of a session whose objectives leave room, with the answer for its limits on machines.

    Args:
        found: the explanation without these limits.
        limited: the session with them.
        left_s: seconds that are left.
    """
    status, reason, began = Status.UNKNOWN, "", time.perf_counter()
    try:
        if left_s > 0:
            result = solve(limited, space=found.space, time_limit_s=left_s)
            # A plan in a narrower space is one in this space too; a narrower space without a plan proves nothing here.
            if result.plan is not None or result.space == found.space:
                status, reason = Status.FEASIBLE if result.plan is not None else result.status, result.reason
    except InputError:
        # The solver does not cover a demand of the session, so the question stays open.
        pass
    if status is Status.FEASIBLE:
        return found
    # Only the single demands that the limits make; a combination of several adds nothing for a reader.
    single = (one for one in SESSION_DEMANDS if not one.meets)
    asked = (one for one in single if one.asked(limited, found.space) and not one.asked(found.session, found.space))
    limits = tuple(one.words for one in asked)
    if status is not Status.INFEASIBLE:
        return replace(found, status=Status.UNKNOWN, limits=limits)
    left_s -= time.perf_counter() - began
    plan = _without_limits(found, limited, left_s)
    return replace(found, status=status, limits=limits, without_limits=plan, reason=reason)


def _without_limits(found: Explanation, limited: Session, left_s: float) -> tuple[str, ...]:
    """The machines of the cheapest plan without limits on them, then the limits that it breaks."""
    result = solve(found.session, space=found.space, time_limit_s=left_s) if left_s > 0 else None
    if result is None or result.plan is None or result.evaluation is None:
        return ()
    broken = evaluate(limited, result.plan, result.space).violations
    counts = counts_of(limited, result.plan, [own.partial_rps for own in result.evaluation.modules])
    machines = listed(f"{count} {hardware} for {module}" for (module, hardware), count in counts.items())
    return (machines, *broken) if broken else ()


def _least(session: Session, found: list[_Fastest]) -> Evaluation:
    """The checked plan of the smallest SLO, or objectives; an evaluation without a latency if there is none."""
    reached = [(path, entry) for entry in found if (path := entry.path_s(session)) is not None]
    if not reached:
        return Evaluation((), None, None, ())
    least, entry = min(reached, key=lambda pair: pair[0])
    plan = Plan(tuple(module.plan for module in entry.least if module is not None))
    checked = evaluate(session, plan, entry.space, slo_s=least)  # it may be longer than any SLO that a session can have
    if not checked.feasible:
        raise RuntimeError(f"the plan of the least SLO is refused: {'; '.join(checked.violations)}")
    return checked


def _conflicts(session: Session, core: list[_Fastest]) -> tuple[Conflict, ...]:
    """The smallest conflict: the fewest modules per hardware type, less those that the conflict does not need."""
    bounds = [entry.bounds() for entry in core]
    first = [shortest_chain_above(session, entry) for entry in bounds]
    members = {i for chain in first if chain is not None for i in chain.modules}

    def chains(kept: set[int]) -> list[Chain | None]:
        only = [[value if i in kept else Fraction(0) for i, value in enumerate(entry)] for entry in bounds]
        return [shortest_chain_above(session, entry) for entry in only]

    for i in sorted(members):
        if len(core) > 1 and all(chain is not None for chain in chains(members - {i})):
            members.discard(i)
    return tuple(
        Conflict(
            entry.hardware,
            chain.modules,
            tuple(entry.least[i] for i in chain.modules),
            chain.last,
            chain.delay_s,
            _objective_at(session, chain.last),
        )
        for entry, chain in zip(core, chains(members), strict=True)
        if chain is not None
    )


def _objective_at(session: Session, module: int) -> Objective | None:
    """The shortest objective that names a module; None if none does."""
    own = (one for one in session.objectives if one.to == session.modules[module].name)
    return min(own, key=lambda one: one.slo_s, default=None)


def _slowest(conflicts: tuple[Conflict, ...]) -> int | None:
    """The module that needs most in the conflict; a module without a configuration ranks highest."""
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
