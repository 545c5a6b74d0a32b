"""The program of a day's course: no plan costs less than its least cost (ours).

There are two forms. In the first, each module and step chooses one corner, and paths of these keep the SLO. In the
second, each step chooses one of the least machines of all modules together. It has no SLO, and its linear program is
sharper: the machines that are on in a step exceed a mixture of those that serve it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from euclio.problems.day.instance import HOUR_S, Day
from euclio.problems.session import Session
from euclio.proving.day.corners import ZERO, Shape, Vector
from euclio.proving.day.course import Course
from euclio.proving.files.model import Model, Row, Variable, covers
from euclio.proving.paths import through

ONE = Fraction(1)

Axis = tuple[int, int]
"""A module and a hardware type, by their places."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program of a course.

    Attributes:
        course: the course of the day.
        together: by step the least machines of all modules together, one of which each plan covers. None means that
            each module chooses a corner by itself.
    """

    course: Course
    together: Sequence[Sequence[Shape]] | None = None

    def model(self) -> Model:
        """The program: the machines that are on cover the choice; they cost, and so do changes."""
        return _Maker(self).model()

    def point(self, machines: Sequence[Shape]) -> dict[int, Fraction]:
        """Machines of each step and module as a point of the model; more than are needed at most are left out.

        Args:
            machines: by step and module machines that serve it.

        Returns:
            Values by index of the variable, none of them 0; they cost no more than the machines.
        """
        course = self.course
        used = [tuple(tuple(map(min, own, top)) for own, top in zip(on, course.tops, strict=True)) for on in machines]
        values: dict[str, Fraction] = {}
        for k, on in enumerate(used):
            values |= self._chosen(k, on)
            for m, h in course.axes:
                n, before = on[m][h], used[k - 1][m][h] if k else on[m][h]
                values[f"on_{k}_{m}_{h}"] = Fraction(n)
                values[f"starts_{k}_{m}_{h}"] = Fraction(max(0, n - before))
                values[f"stops_{k}_{m}_{h}"] = Fraction(max(0, before - n))
        names = enumerate(variable.name for variable in self.model().variables)
        return {j: values[name] for j, name in names if values.get(name)}

    def _chosen(self, k: int, on: Shape) -> dict[str, Fraction]:
        """The choice that some machines of a step cover, and when modules with several parents begin then."""
        if self.together is not None:
            i = next(i for i, least in enumerate(self.together[k]) if all(map(covers, on, least)))
            return {f"need_{k}_{i}": ONE}
        choices = self.course.steps[k]
        fastest = [choices.fastest(m, own, False) for m, own in enumerate(on)]
        times = [choices.times[m][i] for m, i in enumerate(fastest) if i is not None]
        begins = begins_of(self.course.day.session, times)
        return {
            **{f"need_{k}_{m}_{i}": ONE for m, i in enumerate(fastest)},
            **{f"begin_{k}_{m}": Fraction(t, choices.slo) for m, t in begins.items()},
        }


def begins_of(session: Session, times: Sequence[int]) -> dict[int, int]:
    """When modules with several parents begin, by their place, where all take some times."""
    until = [0] * len(times)
    found: dict[int, int] = {}
    for m in session.order:
        before = [until[p] for p in session.parents()[m]]
        if len(before) > 1:
            found[m] = max(before)
        until[m] = max(before, default=0) + times[m]
    return found


class _Maker:
    """A program as it is put together."""

    def __init__(self, program: Program) -> None:
        self._course, self._together = program.course, program.together
        self._day = program.course.day
        self._variables: list[Variable] = []
        self._rows: list[Row] = []
        self._alternatives: list[tuple[int, ...]] = []
        # By step the choices, with the machines that each needs.
        self._needs: list[dict[int, Mapping[Axis, int]]] = [{} for _ in self._day.steps]

    def model(self) -> Model:
        """All of it; the rows of the choices come first."""
        steps = range(len(self._day.steps))
        if self._together is not None:
            for k, some in enumerate(self._together):
                self._choose(k, f"{k}", [dict(enumerate(one)) for one in some])
        else:
            chosen = [self._choose_by_module(k) for k in steps]
            for k, own in enumerate(chosen):
                self._keep_slo(k, own)
        on = [self._turn_on(k) for k in steps]
        for k in steps[1:]:
            self._change(k, on[k - 1], on[k])
        notes = _notes(self._day, self._together is not None)
        return Model(tuple(self._variables), tuple(self._rows), tuple(self._alternatives), notes)

    def _choose(self, k: int, name: str, some: Sequence[Mapping[int, Vector]]) -> tuple[int, ...]:
        """One variable for each choice, machines by module and type; exactly one of them is 1."""
        own = tuple(range(len(self._variables), len(self._variables) + len(some)))
        self._variables += [Variable(f"need_{name}_{i}", ZERO, ONE, True) for i in range(len(own))]
        self._rows.append(Row(f"one_{name}", dict.fromkeys(own, ONE), ONE, True))
        self._alternatives.append(own)
        for j, one in zip(own, some, strict=True):
            self._needs[k][j] = {(m, h): n for m, row in one.items() for h, n in enumerate(row) if n}
        return own

    def _choose_by_module(self, k: int) -> list[tuple[int, ...]]:
        """By module the variables of its corners; without requests, of the one without machines."""
        corners = self._course.steps[k].corners
        return [self._choose(k, f"{k}_{m}", [{m: one.machines} for one in some]) for m, some in enumerate(corners)]

    def _keep_slo(self, k: int, chosen: Sequence[tuple[int, ...]]) -> None:
        """Paths keep the SLO; a module with several parents begins when the last one is over."""
        session, choices = self._day.session, self._course.steps[k]
        longest = through(session, [max(own, default=0) for own in choices.times])
        parents = session.parents()
        until: list[dict[int, Fraction]] = [{} for _ in chosen]
        for m in session.order:
            begin = until[parents[m][0]] if parents[m] else {}
            if len(parents[m]) > 1:
                begin = {len(self._variables): ONE}
                self._variables.append(Variable(f"begin_{k}_{m}", ZERO, ONE))
                for p in parents[m]:
                    self._rows.append(Row(f"after_{k}_{p}_{m}", {**until[p], **dict.fromkeys(begin, -ONE)}, ZERO))
            own = zip(chosen[m], choices.times[m], strict=True)
            until[m] = {**begin, **{j: Fraction(t, choices.slo) for j, t in own if t}}
            is_end = all(m not in some for some in parents)
            if is_end and longest[m] > choices.slo:
                self._rows.append(Row(f"slo_{k}_{m}", until[m], ONE))

    def _turn_on(self, k: int) -> dict[Axis, int]:
        """Machines that are on in a step: they cover the choice, keep to the stock, and cost."""
        hardware, found = self._day.session.hardware, {}
        for m, h in self._course.axes:
            found[m, h] = len(self._variables)
            cost = self._day.steps[k].length_s / HOUR_S * hardware[h].price_per_h
            self._variables.append(Variable(f"on_{k}_{m}_{h}", ZERO, self._top(m, h), False, cost))
            needed = {j: Fraction(one[m, h]) for j, one in self._needs[k].items() if (m, h) in one}
            if needed:
                self._rows.append(Row(f"cover_{k}_{m}_{h}", {**needed, found[m, h]: -ONE}, ZERO))
        for h, one_type in enumerate(hardware):
            own = [m for m, other in self._course.axes if other == h]
            if one_type.count is not None and sum(self._top(m, h) for m in own) > one_type.count:
                self._rows.append(Row(f"stock_{k}_{h}", {found[m, h]: ONE for m in own}, Fraction(one_type.count)))
        return found

    def _change(self, k: int, before: Mapping[Axis, int], after: Mapping[Axis, int]) -> None:
        for (m, h), j in after.items():
            changes = (
                ("start", self._day.price_of_start(m, h), j, before[m, h]),
                ("stop", self._day.price_of_stop(m, h), before[m, h], j),
            )
            for name, cost, more, less in changes:
                # Free changes need no row.
                if cost:
                    terms = {more: ONE, less: -ONE, len(self._variables): -ONE}
                    self._rows.append(Row(f"{name}_{k}_{m}_{h}", terms, ZERO))
                    self._variables.append(Variable(f"{name}s_{k}_{m}_{h}", ZERO, self._top(m, h), False, cost))

    def _top(self, m: int, h: int) -> Fraction:
        return Fraction(self._course.tops[m][h])


def _notes(day: Day, together: bool) -> tuple[str, ...]:
    types = "; ".join(f"{h} is {hardware.name}" for h, hardware in enumerate(day.session.hardware))
    modules = "; ".join(f"{m} is {module.name}" for m, module in enumerate(day.session.modules))
    needs = (
        "need_k_i is 1 where the machines of all modules in step k are at least its coefficients in cover_k_m_h."
        if together
        else "need_k_m_i is 1 where the machines of module m in step k are at least its coefficients in cover_k_m_h, "
        "its latency at least that in slo_k_m or after_k_m_n as a part of the SLO; begin_k_n is when module n begins."
    )
    return (
        f"day {day.name}, {len(day.steps)} steps; modules: {modules}; hardware types: {types}",
        needs,
        "on_k_m_h are the machines of type h for module m in step k, starts_k_m_h and stops_k_m_h the changes before "
        "it. The objective is money in all.",
        "No plan costs less than the file shows, if every step needs one of each of its lists. That was searched for "
        "by euclio's independent prover, and is not in this file.",
    )
