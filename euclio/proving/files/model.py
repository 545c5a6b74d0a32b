"""Mixed-integer programs in rational numbers, whose least cost is proven to reach a cutoff (ours)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import ge

ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable.

    Attributes:
        name: its name, without spaces.
        lower: its least value.
        upper: its largest value.
        integer: whether it takes whole numbers alone.
        cost: its coefficient in the objective, which is minimised.
    """

    name: str
    lower: Fraction
    upper: Fraction
    integer: bool = False
    cost: Fraction = ZERO


@dataclass(frozen=True, slots=True)
class Row:
    """A constraint: the sum of its terms is at most, or exactly, a number.

    Attributes:
        name: its name, without spaces.
        terms: coefficients by index of the variable, none of them 0.
        most: the number.
        equal: whether the sum is the number.
    """

    name: str
    terms: Mapping[int, Fraction]
    most: Fraction
    equal: bool = False


@dataclass(frozen=True, slots=True)
class Model:
    """A mixed-integer program.

    Attributes:
        variables: its variables, all of them bounded.
        rows: its constraints, at least one.
        alternatives: lists of variables, 0 or 1, exactly one of which is 1 by the row of the same place in `rows`; in
            an order in which a split of the list makes two problems that differ. A proof branches on these first.
        notes: the meaning of the model, in lines.
    """

    variables: tuple[Variable, ...]
    rows: tuple[Row, ...]
    alternatives: tuple[tuple[int, ...], ...] = ()
    notes: tuple[str, ...] = ()

    def cost(self, point: Mapping[int, Fraction]) -> Fraction:
        """The objective at a point; variables that it leaves out are 0."""
        return sum((self.variables[j].cost * value for j, value in point.items()), ZERO)

    def problems(self, point: Mapping[int, Fraction]) -> list[str]:
        """The constraints that a point breaks, in words; empty if it is feasible."""
        found = []
        for j, variable in enumerate(self.variables):
            value = point.get(j, ZERO)
            if not variable.lower <= value <= variable.upper:
                found.append(f"{variable.name} is {value}, not from {variable.lower} to {variable.upper}")
            if variable.integer and value.denominator != 1:
                found.append(f"{variable.name} is {value}, not whole")
        for row in self.rows:
            total = sum((a * point.get(j, ZERO) for j, a in row.terms.items()), ZERO)
            if total > row.most or (row.equal and total != row.most):
                found.append(f"{row.name} is {total}, not {'' if row.equal else 'at most '}{row.most}")
        return found


@dataclass(frozen=True, slots=True)
class Posed:
    """A program with a point of it, without a proof.

    Attributes:
        model: the program.
        point: a feasible point, by index of the variable.
        maximised: whether the goal is to be maximised: the objective is the goal times -1, as programs are minimised.
    """

    model: Model
    point: Mapping[int, Fraction]
    maximised: bool = False


@dataclass(frozen=True, slots=True)
class Derivation:
    """A constraint that follows from earlier ones: sum of terms at least `least`, or at most.

    Attributes:
        sense: "G" for at least, "L" for at most.
        number: the number.
        terms: coefficients by index; None means the objective's.
        reason: why it follows, in the words of VIPR: ``asm``, ``lin …`` or ``uns …``.
    """

    sense: str
    number: Fraction
    terms: Mapping[int, Fraction] | None
    reason: str


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof that no feasible point costs less than a cutoff, or that there is none.

    Attributes:
        model: the program.
        cutoff: no feasible point costs less. None claims that there is no feasible point.
        point: a feasible point, by index of the variable; None if none is given.
        derivations: the steps, the last of which states the claim.
        nodes: nodes of the search that found it.
        whole: a finer program that `model` was made of and is no stronger than, with a point of it. None means that
            `model` is the finest, or that there is no point.
        is_sum: whether the program only adds up the results of a search, so that without its proof it is of no use.
    """

    model: Model
    cutoff: Fraction | None
    point: Mapping[int, Fraction] | None
    derivations: tuple[Derivation, ...] = field(repr=False)
    nodes: int = 0
    whole: Posed | None = field(default=None, repr=False)
    is_sum: bool = False


# Least vectors of machines or GPUs, which programs of proofs list as alternatives (ours).


def covers(more: tuple[int, ...], less: tuple[int, ...]) -> bool:
    """Whether one has at least as many of every type as the other."""
    return all(map(ge, more, less))


def least_vectors(some: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
    """Those that cover no other one, in the order in which they come, each once."""
    kept: list[tuple[int, ...]] = []
    # A covered vector has a smaller sum, so it comes before those that cover it.
    for one in sorted(set(some), key=sum):
        if not any(covers(one, other) for other in kept):
            kept.append(one)
    known = set(kept)
    return tuple(one for one in dict.fromkeys(some) if one in known)
