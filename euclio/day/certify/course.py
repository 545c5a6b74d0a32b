"""What the prover knows of a day, and the program that it makes: no plan costs less than its least cost (ours)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from euclio.day.certify.choices import Choices, around, choices_of, longest
from euclio.day.certify.corners import Corner, Shape, Vector, refuse_late, uses_of
from euclio.day.instance import HOUR_S, Day
from euclio.proofs.model import ZERO, Model, Row, Variable
from euclio.session import Session

ONE = Fraction(1)
FIRST_END = 2
"""Machines of a type up to which the uses of a module are listed at first."""


@dataclass(frozen=True, slots=True)
class Course:
    """Corners of all modules in each step, within ends of the numbers of machines.

    The cheapest choice of corners with machines that cover them, changes included, costs no more than any plan. Of a
    plan keep in each step, module and type at most `tops` machines. Then

    - no term of the cost grows: prices are not below 0, and neither min(a, t) − min(b, t) is larger than what
      a − b is, if that is above 0, nor is it above 0 where a − b is not;
    - the stock is kept, as there are fewer machines;
    - each module covers a corner that its use lies beyond, since corners have at most `tops` machines. These corners
      take no longer than the uses of the plan, so that all paths keep the SLO.

    A module that is made faster by more machines, so that others may be slower, needs no argument of its own: a use
    with more machines than the ends has a corner of more than the end of one type, and of the least duration on it.

    Attributes:
        day: the instance.
        most: by module and type the ends: machines up to which uses are listed.
        tops: the same and one more where there may be more.
        steps: by step the choices of corners.
    """

    day: Day
    most: Shape
    tops: Shape
    steps: tuple[Choices, ...]

    @property
    def axes(self) -> list[tuple[int, int]]:
        """Modules and hardware types of which there may be machines, by their places."""
        return [(m, h) for m, row in enumerate(self.tops) for h, n in enumerate(row) if n]

    def ends_in_the_way(self, machines: Sequence[Sequence[Vector]]) -> set[tuple[int, int]]:
        """Modules and types whose ends a course of machines, by step and module, relies on; empty: all are uses."""
        found = set()
        for choices, on in zip(self.steps, machines, strict=True):
            if self.serving(choices, on) is None:
                fastest = [(m, choices.fastest(m, own, False)) for m, own in enumerate(on)]
                corners = [(m, choices.corners[m][i]) for m, i in fastest if i is not None]
                found |= {(m, next(h for h, n in enumerate(one.machines) if n)) for m, one in corners if one.above}
        return found

    def serving(self, choices: Choices, machines: Sequence[Vector]) -> list[Corner] | None:
        """Uses of some machines that serve a step, by module; None: there are none among its corners."""
        places = [choices.fastest(m, own, True) for m, own in enumerate(machines)]
        known = [i for i in places if i is not None]
        if len(known) < len(places):
            return None
        times = [choices.times[m][i] for m, i in enumerate(known)]
        if longest(self.day.session, times) > choices.slo:
            return None
        return [choices.corners[m][i] for m, i in enumerate(known)]

    def model(self) -> Model:
        """One corner of each module and step is covered by the machines that are on; these cost, and so do changes."""
        return _Program(self).model()

    def point(self, machines: Sequence[Sequence[Vector]]) -> dict[int, Fraction]:
        """Machines of each step and module as a point of the model; more than are needed at most are left out.

        Args:
            machines: by step and module machines that serve it.

        Returns:
            Values by index of the variable, none of them 0; they cost no more than the machines.
        """
        used = [
            [tuple(map(min, own, top)) for own, top in zip(on, self.tops, strict=True)] for on in machines
        ]
        values: dict[str, Fraction] = {}
        for k, (choices, on) in enumerate(zip(self.steps, used, strict=True)):
            fastest = [choices.fastest(m, own, False) for m, own in enumerate(on)]
            values |= {f"need_{k}_{m}_{i}": ONE for m, i in enumerate(fastest)}
            times = [choices.times[m][i] for m, i in enumerate(fastest) if i is not None]
            values |= {f"begin_{k}_{m}": Fraction(t, choices.slo) for m, t in begins(self.day.session, times).items()}
            for m, h in self.axes:
                n, before = on[m][h], used[k - 1][m][h] if k else on[m][h]
                values[f"on_{k}_{m}_{h}"] = Fraction(n)
                values[f"starts_{k}_{m}_{h}"] = Fraction(max(0, n - before))
                values[f"stops_{k}_{m}_{h}"] = Fraction(max(0, before - n))
        names = enumerate(variable.name for variable in self.model().variables)
        return {j: values[name] for j, name in names if values.get(name)}


def course_of(day: Day, most: Shape, deadline: float) -> Course:
    """What the prover knows of a day within ends.

    Args:
        day: the instance.
        most: the ends, by module and type.
        deadline: `time.perf_counter` value at which to stop.

    Raises:
        TooManyError: a module has too many numbers of machines.
        OutOfTimeError: the deadline has passed.
    """
    session = day.session
    given = zip(session.modules, budgets_of(day), most, strict=True)
    uses = [uses_of(session, module, budget, own, deadline) for module, budget, own in given]
    tops = tuple(
        tuple(map(max, *(corner.machines for corner in own.beyond), end, end)) for own, end in zip(uses, most, strict=True)
    )
    known: dict[tuple[int, Fraction], list[Corner]] = {}
    steps: dict[tuple[Fraction, ...], Choices] = {}
    for rates in dict.fromkeys(step.rates_rps for step in day.steps):
        for m, rate in enumerate(rates):
            refuse_late(deadline)
            if (m, rate) not in known:
                known[m, rate] = list(uses[m].corners(rate)) if rate else [Corner((0,) * len(most[m]), ZERO)]
        steps[rates] = choices_of(session, [known[m, rate] for m, rate in enumerate(rates)])
    return Course(day, most, tops, tuple(steps[step.rates_rps] for step in day.steps))


def first_ends(day: Day) -> Shape:
    """Few machines of each type on which a module is fast enough, and no more than the stock."""
    types = [(h.name, FIRST_END if h.count is None else min(FIRST_END, h.count)) for h in day.session.hardware]
    return tuple(
        tuple(n if any(c.hardware == name and c.duration_s < budget for c in module.profile) else 0 for name, n in types)
        for module, budget in zip(day.session.modules, budgets_of(day), strict=True)
    )


def longer_ends(course: Course, ends: Iterable[tuple[int, int]]) -> Shape:
    """The ends with some of them, by module and type, half as far again, and no further than the stock."""
    found = [list(row) for row in course.most]
    for m, h in ends:
        count = course.day.session.hardware[h].count
        further = found[m][h] + found[m][h] // 2 + 1
        found[m][h] = further if count is None else min(further, count)
    return tuple(map(tuple, found))


def budgets_of(day: Day) -> list[Fraction]:
    """By module seconds that no use within the SLO takes more of in any step: the others take their least durations."""
    session, count = day.session, len(day.session.modules)
    least = [min((c.duration_s for c in module.profile), default=ZERO) for module in session.modules]
    unit = lcm(session.slo_s.denominator, *(duration.denominator for duration in least))
    whole = [int(duration * unit) for duration in least]
    found = [0] * count
    for busy in {tuple(map(bool, step.rates_rps)) for step in day.steps}:
        times = [t * there for t, there in zip(whole, busy, strict=True)]
        for m in range(count):
            if busy[m]:
                found[m] = max(found[m], int(session.slo_s * unit) - around(session, times, m))
    return [Fraction(budget, unit) for budget in found]


def begins(session: Session, times: Sequence[int]) -> dict[int, int]:
    """When modules with several parents begin, by their place, where all take some times."""
    until = [0] * len(times)
    found: dict[int, int] = {}
    for m in session.order:
        before = [until[p] for p in session.parents()[m]]
        if len(before) > 1:
            found[m] = max(before)
        until[m] = max(before, default=0) + times[m]
    return found


class _Program:
    """The program of a course, as it is put together."""

    def __init__(self, course: Course) -> None:
        self._course, self._day = course, course.day
        self.variables: list[Variable] = []
        self.rows: list[Row] = []
        self.alternatives: list[tuple[int, ...]] = []

    def model(self) -> Model:
        """All of it."""
        needs = [self._needs(k) for k in range(len(self._course.steps))]
        for k, own in enumerate(needs):
            self._in_time(k, own)
        on = [self._on(k, own) for k, own in enumerate(needs)]
        for k in range(1, len(on)):
            self._changes(k, on[k - 1], on[k])
        return Model(tuple(self.variables), tuple(self.rows), tuple(self.alternatives), _notes(self._day))

    def _needs(self, k: int) -> list[tuple[int, ...]]:
        """One variable per corner of each module to which something comes in a step, of which exactly one is 1."""
        found: list[tuple[int, ...]] = []
        for m, some in enumerate(self._course.steps[k].corners):
            own = tuple(range(len(self.variables), len(self.variables) + len(some)))
            if not self._day.steps[k].rates_rps[m]:
                own = ()
            else:
                self.variables += [Variable(f"need_{k}_{m}_{i}", ZERO, ONE, True) for i in range(len(own))]
                self.rows.append(Row(f"one_{k}_{m}", dict.fromkeys(own, ONE), ONE, True))
                self.alternatives.append(own)
            found.append(own)
        return found

    def _in_time(self, k: int, needs: Sequence[Sequence[int]]) -> None:
        """Paths that end with a module keep the SLO; a module with several parents begins when the last one is over."""
        session, choices = self._day.session, self._course.steps[k]
        slowest = [max(own, default=0) for own in choices.times]
        parents = session.parents()
        until: list[dict[int, Fraction]] = [{} for _ in needs]
        for m in session.order:
            begin = until[parents[m][0]] if parents[m] else {}
            if len(parents[m]) > 1:
                begin = {len(self.variables): ONE}
                self.variables.append(Variable(f"begin_{k}_{m}", ZERO, ONE))
                for p in parents[m]:
                    self.rows.append(Row(f"after_{k}_{p}_{m}", {**until[p], **dict.fromkeys(begin, -ONE)}, ZERO))
            own = zip(needs[m], choices.times[m], strict=False)
            until[m] = {**begin, **{j: Fraction(t, choices.slo) for j, t in own if t}}
            ends = all(m not in some for some in parents)
            if ends and around(session, slowest, m) + slowest[m] > choices.slo:
                self.rows.append(Row(f"slo_{k}_{m}", until[m], ONE))

    def _on(self, k: int, needs: Sequence[Sequence[int]]) -> dict[tuple[int, int], int]:
        """Machines that are on in a step cover the corners; no more than the stock; they cost."""
        session, found = self._day.session, {}
        for m, h in self._course.axes:
            found[m, h] = len(self.variables)
            cost = self._day.steps[k].length_s / HOUR_S * session.hardware[h].price_per_h
            self.variables.append(Variable(f"on_{k}_{m}_{h}", ZERO, Fraction(self._course.tops[m][h]), False, cost))
            some = zip(needs[m], self._course.steps[k].corners[m], strict=False)
            needed = {j: Fraction(one.machines[h]) for j, one in some if one.machines[h]}
            if needed:
                self.rows.append(Row(f"cover_{k}_{m}_{h}", {**needed, found[m, h]: -ONE}, ZERO))
        for h, hardware in enumerate(session.hardware):
            own = [m for m, other in self._course.axes if other == h]
            if hardware.count is not None and sum(self._course.tops[m][h] for m in own) > hardware.count:
                terms = {found[m, h]: ONE for m in own}
                self.rows.append(Row(f"stock_{k}_{h}", terms, Fraction(hardware.count)))
        return found

    def _changes(self, k: int, before: dict[tuple[int, int], int], after: dict[tuple[int, int], int]) -> None:
        for (m, h), j in after.items():
            price = self._day.session.hardware[h].price_per_h
            changes = (
                ("start", self._day.price_of_start(price), j, before[m, h]),
                ("stop", self._day.price_of_stop(price), before[m, h], j),
            )
            for name, cost, more, less in changes:
                # What changes for nothing needs no row.
                if cost:
                    terms = {more: ONE, less: -ONE, len(self.variables): -ONE}
                    self.rows.append(Row(f"{name}_{k}_{m}_{h}", terms, ZERO))
                    top = Fraction(self._course.tops[m][h])
                    self.variables.append(Variable(f"{name}s_{k}_{m}_{h}", ZERO, top, False, cost))


def _notes(day: Day) -> tuple[str, ...]:
    types = "; ".join(f"{h} is {hardware.name}" for h, hardware in enumerate(day.session.hardware))
    modules = "; ".join(f"{m} is {module.name}" for m, module in enumerate(day.session.modules))
    return (
        f"day {day.name}, {len(day.steps)} steps; modules: {modules}; hardware types: {types}",
        "need_k_m_i is 1 where the machines of module m in step k are at least its coefficients in cover_k_m_h, and "
        "its latency, as a part of the SLO, at least that in slo_k_m or after_k_p_m; begin_k_m is when a module with "
        "several parents begins.",
        "on_k_m_h are the machines of type h in module m and step k, starts_k_m_h and stops_k_m_h the changes before "
        "it. The objective is money in all.",
        "No plan costs less than the file shows, if every step and module needs one of its list. That was searched "
        "for by euclio's independent prover, and is not in this file.",
    )
