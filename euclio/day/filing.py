"""Proof files of days of one module: no machines that serve all steps cost less than a cutoff, with changes (ours).

The prover lists which numbers of machines serve a step. Whoever believes that list needs no search over the day: that
no way through the steps is cheaper is a small program, and its proof a file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from euclio.core.certificate import NoProofError
from euclio.day.certifying import OUT_OF_TIME, OutOfTimeError, Vector, most_of, uses_of
from euclio.day.evaluate import evaluate
from euclio.day.instance import HOUR_S, Day
from euclio.day.plan import DayPlan
from euclio.proofs.branching import UnprovenError, prove
from euclio.proofs.corners import covers, least
from euclio.proofs.model import ZERO, Model, Proof, Row, Variable
from euclio.proofs.rounding import decimals, raised

ONE = Fraction(1)
ROOM = Fraction(5, 10**10)
"""Share of the cutoff by which the number in the file may be above it, so that it is short; below the tolerance."""
MOST_VARIABLES = 3_000
"""Variables of a program at most; beyond, a file would be too large to be of use."""


@dataclass(frozen=True, slots=True)
class Course:
    """What the prover knows of a day of one module.

    Attributes:
        day: the instance.
        most: by hardware type a number of machines of which no plan needs more.
        needs: by step the numbers of machines, by hardware type, of which each plan has one or more; no machine of them
            can be left out. Cheapest first.
    """

    day: Day
    most: Vector
    needs: tuple[tuple[Vector, ...], ...]

    def model(self) -> Model:
        """One need of each step is covered by the machines that are on; machines cost, and so do starts and stops."""
        variables: list[Variable] = []
        rows: list[Row] = []
        alternatives = []
        for k, some in enumerate(self.needs):
            alternatives.append(tuple(range(len(variables), len(variables) + len(some))))
            variables += [Variable(f"need_{k}_{i}", ZERO, ONE, True) for i in range(len(some))]
            rows.append(Row(f"one_{k}", dict.fromkeys(alternatives[-1], ONE), ONE, True))
        on: list[list[int]] = []
        for k, (some, step) in enumerate(zip(self.needs, self.day.steps, strict=True)):
            on.append([])
            for h, hardware in enumerate(self.day.session.hardware):
                cost = step.length_s / HOUR_S * hardware.price_per_h
                on[k].append(len(variables))
                variables.append(Variable(f"on_{k}_{h}", ZERO, Fraction(self.most[h]), False, cost))
                needed = {j: Fraction(one[h]) for j, one in zip(alternatives[k], some, strict=True) if one[h]}
                rows.append(Row(f"cover_{k}_{h}", {**needed, on[k][h]: -ONE}, ZERO))
        for k in range(1, len(self.needs)):
            for h, hardware in enumerate(self.day.session.hardware):
                changes = (
                    ("start", self.day.price_of_start(hardware.price_per_h), on[k][h], on[k - 1][h]),
                    ("stop", self.day.price_of_stop(hardware.price_per_h), on[k - 1][h], on[k][h]),
                )
                for name, price, more, less in changes:
                    # What changes for nothing needs no row.
                    if price:
                        rows.append(Row(f"{name}_{k}_{h}", {more: ONE, less: -ONE, len(variables): -ONE}, ZERO))
                        variables.append(Variable(f"{name}s_{k}_{h}", ZERO, Fraction(self.most[h]), False, price))
        return Model(tuple(variables), tuple(rows), tuple(alternatives), _notes(self.day))

    def point(self, machines: Iterable[Vector]) -> dict[int, Fraction]:
        """Machines of each step, by hardware type, as a point of the model; more than are needed at most are left out.

        Args:
            machines: by step machines that serve it.

        Returns:
            Values by index of the variable, none of them 0; they cost no more than the machines.
        """
        used = [tuple(min(n, top) for n, top in zip(own, self.most, strict=True)) for own in machines]
        values: dict[str, Fraction] = {}
        for k, (own, some) in enumerate(zip(used, self.needs, strict=True)):
            chosen = next(i for i, need in enumerate(some) if covers(own, need))
            values[f"need_{k}_{chosen}"] = ONE
            for h, n in enumerate(own):
                values[f"on_{k}_{h}"] = Fraction(n)
                if k:
                    values[f"starts_{k}_{h}"] = Fraction(max(0, n - used[k - 1][h]))
                    values[f"stops_{k}_{h}"] = Fraction(max(0, used[k - 1][h] - n))
        names = enumerate(variable.name for variable in self.model().variables)
        return {j: values[name] for j, name in names if values.get(name)}


def course_of(day: Day, deadline: float) -> Course:
    """What the prover knows of a day of one module; raises an `OutOfTimeError` after the deadline."""
    most = most_of(day)
    uses = uses_of(day, most, deadline)
    prices = [hardware.price_per_h for hardware in day.session.hardware]
    cheapest_first = sorted(uses, key=lambda on: (sum(p * n for p, n in zip(prices, on, strict=True)), on))
    known: dict[Fraction, tuple[Vector, ...]] = {}
    for step in day.steps:
        rate = step.rates_rps[0]
        if rate not in known:
            known[rate] = least([on for on in cheapest_first if uses[on][0] >= rate])
    return Course(day, tuple(most.values()), tuple(known[step.rates_rps[0]] for step in day.steps))


def day_proof(day: Day, space: object, plan: DayPlan | None, cutoff: Fraction | None, deadline: float) -> Proof:
    """A proof that no plan of a day costs less than a cutoff, or that there is none.

    Args:
        day: the instance; the prover covers it.
        space: there is nothing to restrict.
        plan: a feasible plan, which stands in the file as a solution; None: there is none.
        cutoff: money in all, above 0; None: there is no plan.
        deadline: `time.perf_counter` value at which to stop.

    Raises:
        NoProofError: there is none; says why in one line.
    """
    try:
        course = course_of(day, deadline)
        model = course.model()
        if len(model.variables) > MOST_VARIABLES:
            raise NoProofError(f"the day makes a program of more than {MOST_VARIABLES:,} variables")
        point = None if plan is None else course.point(own[0] for own in evaluate(day, plan).machines)
        reason = ""
        for promised in _promises(cutoff):
            try:
                return prove(model, promised, point, deadline)
            except UnprovenError as error:
                reason = str(error)
        raise NoProofError(reason)
    except OutOfTimeError:
        raise NoProofError(OUT_OF_TIME) from None


def _promises(cutoff: Fraction | None) -> list[Fraction | None]:
    """Numbers to be proven, one of which is enough: a short one a little above the cutoff, and the cutoff itself."""
    return [None] if cutoff is None else [raised(cutoff, decimals(cutoff * ROOM)), cutoff]


def _notes(day: Day) -> tuple[str, ...]:
    types = "; ".join(f"{h} is {hardware.name}" for h, hardware in enumerate(day.session.hardware))
    return (
        f"day {day.name}, {len(day.steps)} steps; hardware types: {types}",
        "need_k_i is 1 where the machines of step k are at least its coefficients in cover_k_h; on_k_h are the "
        "machines of type h in step k, starts_k_h and stops_k_h the changes before it. The objective is money in all.",
        "No plan costs less than the file shows, if every step needs one of its lists of machines. That was searched "
        "for by euclio's independent prover, and is not in this file.",
    )
