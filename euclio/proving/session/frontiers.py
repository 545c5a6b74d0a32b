"""A finished search's bounds on a session's modules, as a mixed-integer program whose cutoff a file can prove (ours).

The search leaves a list of cells per module (`euclio.proving.session.curves`): plans, and gaps between them, each with
its least latency and a cost that none of its plans stays below. Given these lists, a small program shows that no choice
of cells within the latency objective costs less than the cutoff, and its proof is a file. The file does not show that
the lists miss no plan: that rests on the search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import add

from euclio.problems.session.evaluate import Evaluation
from euclio.problems.session.instance import Session
from euclio.problems.session.space import PlanSpace
from euclio.proving.effort import Effort
from euclio.proving.files.model import ZERO, Model, Row, Variable
from euclio.proving.paths import ends, leads, path_before
from euclio.proving.session.branch_and_bound import Branching
from euclio.proving.session.curves import least_latency_bound
from euclio.proving.session.modules import ranked_modules

ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Corner:
    """Plans of a module that take at least `low` seconds and cost at least `cost` per hour.

    Attributes:
        low: seconds.
        cost: money per hour.
        part: number of the part of the plan space that they are in: every module's plan is in the same part.
    """

    low: Fraction
    cost: Fraction
    part: int = 0


@dataclass(frozen=True, slots=True)
class Frontiers:
    """Corners of every module of a session, fastest first in each part: each plan lies in at least one of them.

    Attributes:
        session: the session.
        corners: corners by module.
        parts: number of parts of the plan space.
    """

    session: Session
    corners: tuple[tuple[Corner, ...], ...]
    parts: int = 1

    def model(self) -> Model:
        """Exactly one corner per module; each module finishes its latency after its parents, and within its objective.

        A module that leads to no objective may finish at any time, so that it has no variable for that.
        """
        variables: list[Variable] = []
        alternatives: list[tuple[int, ...]] = []
        for m, some in enumerate(self.corners):
            first = len(variables)
            variables += [Variable(f"x_{m}_{k}", ZERO, ONE, True, one.cost) for k, one in enumerate(some)]
            alternatives.append(tuple(range(first, len(variables))))
        times = {m: len(variables) + i for i, m in enumerate(timed(self.session))}
        last = ends(self.session)
        variables += [Variable(f"t_{m}", ZERO, self.session.slo_s - (last[m] or ZERO)) for m in times]
        rows = [Row(f"one_{m}", dict.fromkeys(every, ONE), ONE, True) for m, every in enumerate(alternatives)]
        for m, p in waits(self.session):
            taken = {j: one.low for j, one in zip(alternatives[m], self.corners[m], strict=True) if one.low}
            before = {} if p is None else {times[p]: ONE}
            name, delay = (f"after_{m}", ZERO) if p is None else (f"after_{m}_{p}", self.session.delay_between(p, m))
            rows.append(Row(name, {**taken, **before, times[m]: -ONE}, -delay))
        for m, part in self.links():
            terms = self._in_part(m, part, alternatives[m], ONE) | self._in_part(0, part, alternatives[0], -ONE)
            rows.append(Row(f"part_{m}_{part}", terms, ZERO, True))
        return Model(tuple(variables), tuple(rows), tuple(alternatives), _notes(self.session))

    def covers(self, other: Frontiers) -> bool:
        """Whether each corner of others lies in one of these, so that a bound on choices of these holds for those."""
        return all(
            any(n.part == o.part and n.low <= o.low and n.cost <= o.cost for n in new)
            for new, old in zip(self.corners, other.corners, strict=True)
            for o in old
        )

    def links(self) -> list[tuple[int, int]]:
        """Module and part of each row that has a module in the part of the first one; empty if there is one part."""
        parts = range(self.parts if self.parts > 1 else 0)
        return [(m, part) for m in range(1, len(self.corners)) for part in parts]

    def _in_part(self, m: int, part: int, every: Sequence[int], sign: Fraction) -> dict[int, Fraction]:
        return {j: sign for j, one in zip(every, self.corners[m], strict=True) if one.part == part}

    def point(self, evaluation: Evaluation) -> dict[int, Fraction]:
        """A plan as a point of the model: corners that its modules lie in, and when each module has finished.

        Args:
            evaluation: the checker's result for a feasible plan.

        Returns:
            Values by index of the variable, none of them 0; they cost no more than the plan.
        """
        chosen = min(filter(None, (self._chosen(evaluation, part) for part in range(self.parts))))[1]
        found: dict[int, Fraction] = {}
        first = 0
        for some, k in zip(self.corners, chosen, strict=True):
            found[first + k] = ONE
            first += len(some)
        lows = [some[k].low for some, k in zip(self.corners, chosen, strict=True)]
        times = list(map(add, path_before(self.session, lows), lows))
        return found | {first + i: times[m] for i, m in enumerate(timed(self.session)) if times[m]}

    def _chosen(self, evaluation: Evaluation, part: int) -> tuple[Fraction, list[int]] | None:
        """Cost and place of the cheapest corners of a part that take no longer than a plan's modules, or None.

        The plan's own part has some: the corners of its modules, which cost no more than the plan.
        """
        cost, chosen = ZERO, []
        for some, module in zip(self.corners, evaluation.modules, strict=True):
            latency = module.worst_case_latency_s
            within = [(one.cost, k) for k, one in enumerate(some) if one.part == part and one.low <= latency]
            if not within:
                return None
            cost += min(within)[0]
            chosen.append(min(within)[1])
        return cost, chosen


def timed(session: Session) -> list[int]:
    """The modules that lead to an objective: the model has a time at which each of them has finished."""
    return [m for m, has_objective in enumerate(leads(session)) if has_objective]


def waits(session: Session) -> list[tuple[int, int | None]]:
    """Each timed module with each of its parents, or with None where it has none, in the order of the model's rows."""
    return [(m, p) for m in timed(session) for p in session.parents()[m] or (None,)]


def frontiers(
    session: Session, parts: Sequence[PlanSpace], cutoff: Fraction, margin: Fraction, deadline: float
) -> Frontiers | None:
    """The corners that the prover ends with; None if it ended without a proof.

    Args:
        session: the instance.
        parts: the parts of the plan space; in each of them every module has some configuration.
        cutoff: cost per hour that no plan stays below, above 0.
        margin: money per hour by which least costs of modules may be off.
        deadline: `time.perf_counter` value at which to stop.

    Raises:
        GivenUpError: the deadline passed, or numbers lie too far apart for the prover.
    """
    corners: list[list[Corner]] = [[] for _ in session.modules]
    for part, space in enumerate(parts):
        modules = ranked_modules(session, space)
        branching = Branching(session, modules, cutoff, margin, Effort(deadline))
        if not branching.run().exhausted:
            return None
        cells = branching.cells()
        for m, module in enumerate(modules):
            # A search that ended at one module knows only a floor of those after it. A module without cells has no
            # plan within the time that the others leave it, and its floor says so too.
            # A plan may be faster by less than an instant than the one that stands for it.
            own = cells[m] if m < len(cells) else ()
            known = [Corner(max(cell.low - module.instant, ZERO), cell.cost, part) for cell in own]
            corners[m] += known or [Corner(least_latency_bound(module) or ZERO, ZERO, part)]
    return Frontiers(session, tuple(map(tuple, corners)), len(parts))


def _notes(session: Session) -> tuple[str, ...]:
    names = "; ".join(f"{m} is {module.name}" for m, module in enumerate(session.modules))
    has_ends = (
        "Row after_m_n has the delay from module n to module m, in seconds: m finishes later by at least that. t_m is "
        "at most the objective of module m, or the longest of all if m has none. A module without t_m leads to no "
        "objective.",
    )
    return (
        f"session {session.name}: {names}",
        "x_m_k is 1 where module m has a worst-case latency of at least its coefficient in after_m, in seconds, and "
        "costs at least its coefficient in the objective, per hour; t_m is when module m has finished, in seconds. "
        "Rows part_m_h, where there are any, keep all modules to one type of hardware.",
        *(has_ends if session.objectives or session.delay_s else ()),
        "No plan costs less than the file shows, if the lists of x_m_k miss no plan of a module. That they miss none "
        "was searched for by euclio's independent prover, and is not in this file.",
    )
