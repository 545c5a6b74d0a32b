"""Latency splitting as a problem of its own: one mode per module of a DAG, longest path within the SLO, least cost.

A *mode* is the result of one plan of a module: a worst-case latency and a cost. Both are exact, so that an answer can
be checked without a tolerance. Every formulation of latency splitting takes a `SplitProblem` and returns the number of
the mode chosen for each module.

Names that the formulations share, m a module's name and i the number of a mode:

    x_m_i        1 if module m takes mode i
    start_m      latest start of module m, seconds after the request came in
    choose_m     Σ_i x_m_i = 1
    after_a_m    start_m ≥ start_a + Σ_i latency_i · x_a_i + delay_a_m, for every edge (a, m)
    end_m        start_m + Σ_i latency_i · x_m_i ≤ SLO − end of m, if m has an end
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from euclio.problems.session import ModulePlan, Session
from euclio.problems.session.objectives import End


@dataclass(frozen=True, slots=True)
class Mode:
    """One way to run a module.

    Attributes:
        latency_s: worst-case latency in seconds, exact.
        cost_per_h: money per hour, exact.
        plan: the module's plan; None means that the mode does not come from a session.
        unsure_s: seconds, a few parts in 10^12 of the latency, by which plans that cost less than the next faster mode
            may be faster than this mode; 0 means that none is.
    """

    latency_s: Fraction
    cost_per_h: Fraction
    plan: ModulePlan | None = None
    unsure_s: Fraction = Fraction(0)

    @property
    def least_s(self) -> Fraction:
        """Lower bound in seconds on the latency of plans that cost less than the next faster mode."""
        return self.latency_s - self.unsure_s


@dataclass(frozen=True, slots=True)
class SplitProblem:
    """Modules with modes, a DAG and a latency objective.

    Attributes:
        modules: names of the modules.
        edges: pairs of indices of modules, from parent to child; every parent has the smaller place in `order`.
        order: indices of the modules, parents before children.
        slo_s: end-to-end latency objective in seconds, the longest one.
        delays: seconds between the modules of each edge.
        ends: end of each module in seconds; None means that it has children and no objective of its own.
        modes: for each module its modes, latency falling and cost rising; a module without modes cannot be served.
        complete: whether no mode that matters is missing, so that the optimum over them is the session's.
        refine: takes a module, one of its modes whose latency is unsure, and the cost of the next faster one (None if
            there is none). It returns the modes that replace it: the mode, made sure, and faster ones before the next.
            None means that this took too much work.
    """

    modules: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    order: tuple[int, ...]
    slo_s: Fraction
    delays: tuple[Fraction, ...]
    ends: tuple[End, ...]
    modes: tuple[tuple[Mode, ...], ...]
    complete: bool = True
    refine: Callable[[int, Mode, Fraction | None], tuple[Mode, ...] | None] | None = None

    def refined(self, m: int, i: int) -> SplitProblem | None:
        """The problem with mode i of module m made sure (`Mode.unsure_s`); None means that this took too much work."""
        modes = list(self.modes)
        next_cost = modes[m][i + 1].cost_per_h if i + 1 < len(modes[m]) else None
        found = None if self.refine is None else self.refine(m, modes[m][i], next_cost)
        if found is None:
            return None
        modes[m] = (*modes[m][:i], *found, *modes[m][i + 1 :])
        return replace(self, modes=tuple(modes))

    def critical_path(self, latency_s: list[Fraction]) -> tuple[Fraction, list[int]]:
        """Length of the longest path in seconds and the indices of the modules on it.

        Args:
            latency_s: latency of each module in seconds, shape (modules,).
        """
        finish: dict[int, Fraction] = {}
        before: dict[int, int | None] = {}
        for m in self.order:
            starts = {p: finish[p] + delay for p, delay in self.parents()[m]}
            before[m] = max(starts, key=lambda p: starts[p], default=None)
            finish[m] = latency_s[m] + max(starts.values(), default=Fraction(0))
        whole = {m: finish[m] + end for m in self.order if (end := self.ends[m]) is not None}
        node: int | None = max(whole, key=lambda m: whole[m])
        length, path = max(whole.values()), []
        while node is not None:
            path.append(node)
            node = before[node]
        return length, path[::-1]

    def parents(self) -> list[list[tuple[int, Fraction]]]:
        """For each module its parents, each with the seconds between its end and the module's start."""
        found: list[list[tuple[int, Fraction]]] = [[] for _ in self.modules]
        for (a, b), delay in zip(self.edges, self.delays, strict=True):
            found[b].append((a, delay))
        return found

    def room_s(self, latency_s: list[Fraction]) -> list[Fraction]:
        """For each module the largest latency that the others leave it, in seconds; below 0 if they leave none.

        Args:
            latency_s: latency of each module in seconds, shape (modules,).
        """
        before, after = self.around_s(latency_s)
        return [self.slo_s - b - a for b, a in zip(before, after, strict=True)]

    def around_s(self, latency_s: list[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
        """For each module the longest path before it and after it, ends included, in seconds.

        Args:
            latency_s: latency of each module in seconds, shape (modules,).
        """
        parents, before, after = self.parents(), [Fraction(0)] * len(self.modules), list(self.ends)
        for m in self.order:
            before[m] = max((before[p] + latency_s[p] + delay for p, delay in parents[m]), default=Fraction(0))
        for m in reversed(self.order):
            for p, delay in parents[m]:
                own, on = after[p], _known(after[m]) + latency_s[m] + delay
                after[p] = on if own is None else max(own, on)
        return before, [_known(one) for one in after]


def _known(end: End) -> Fraction:
    """The longest path after a module once all of its children are known; a module without children has an end."""
    assert end is not None
    return end


def without_modes(session: Session) -> SplitProblem:
    """The splitting problem of a session before its modes are known: modules, edges and latency objective."""
    index = session.index
    edges = tuple((index[a], index[b]) for a, b in session.edges)
    names = tuple(module.name for module in session.modules)
    delays = tuple(session.delay_between(a, b) for a, b in edges)
    return SplitProblem(names, edges, session.order, session.slo_s, delays, session.ends(), ())
