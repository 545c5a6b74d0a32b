"""True results to make false claims from: an instance of any family, what `solve` says of it, and the truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

from euclio.core.errors import InputError
from euclio.core.families import family_of, find_family
from euclio.core.family import Family
from euclio.core.result import Status, WrittenResult
from euclio.core.solving import solve
from euclio.files.json_reading import parse_json
from euclio.problems.session.policies import POLICIES
from euclio.proving.certifying import written
from tests.drawn.cases import Case, truth_of
from tests.drawn.clusters import cluster_case
from tests.drawn.days import nasty_day
from tests.drawn.fleets import fleet_case
from tests.drawn.services import service_case
from tests.drawn.sessions import session_case
from tests.drawn.ties import tie
from tests.drawn.truth import Truth

LIMIT_S = 2.0
"""Seconds for a solver; a result without a proof by then is no true claim."""

FAMILIES = ("session", "session", "session", "pipeline", "pipeline", "fragments", "day")


@dataclass(frozen=True)
class Base:
    """An instance and the result of its exact solver.

    Attributes:
        case: family, instance and plan space.
        result: the solver's result, which is optimal or infeasible.
        truth: the result of the enumeration.
        rng: draws the siblings.
    """

    case: Case
    result: WrittenResult
    truth: Truth
    rng: Random

    @property
    def family(self) -> Family:
        """The family of the instance."""
        return find_family(self.case.family)

    @cached_property
    def sibling(self) -> WrittenResult | None:
        """The solver's answer to an instance that differs in one number; None if it has no proof."""
        other = altered(self.rng, self.case.instance)
        return None if other is None else proven(Case(self.case.family, other, self.case.space))

    def truth_in(self, space: Any) -> Truth | None:
        """The enumeration's answer for another plan space; None if it is too large."""
        return self.truth if space == self.case.space else truth_of(self.case, space)


def base(seed: int) -> Base | None:
    """The true result of a seed; None if its solver has no proof, or its instance is too large to enumerate."""
    rng = Random(f"false-claims/{seed}")
    case = _drawn(rng, seed)
    truth = truth_of(case, case.space)
    if truth is None:
        return None
    result = proven(case)
    return None if result is None else Base(case, result, truth, rng)


def _drawn(rng: Random, seed: int) -> Case:
    name = FAMILIES[seed % len(FAMILIES)]
    if name == "pipeline":
        return Case(name, *cluster_case(rng))
    if name == "fragments":
        return Case(name, *fleet_case(rng, most=4))
    if name == "day":
        return Case(name, nasty_day(rng.randrange(10**6), modules=1, steps=2), find_family(name).full_space)
    if seed % 5 == 4:
        return Case(name, *service_case(rng, policies=POLICIES))
    return Case(name, *(session_case(rng, POLICIES) if seed % 2 else tie(rng)[:2]))


def proven(case: Case) -> WrittenResult | None:
    """The answer of the family's exact solver, if it is a proof."""
    result = solve(case.instance, space=case.space, time_limit_s=LIMIT_S)
    return written(case.instance, result) if result.status in (Status.OPTIMAL, Status.INFEASIBLE) else None


def altered(rng: Random, instance: Any) -> Any | None:
    """The instance with one number changed; None if that is no legal instance."""
    family = family_of(instance)
    data = parse_json(family.to_text(instance))
    holder, key = rng.choice(list(_numbers(data)))
    value = Fraction(str(holder[key]))
    times = rng.choice((Fraction(1, 2), Fraction(3, 2), Fraction(2), Fraction(1001, 1000)))
    holder[key] = max(1, int(value * times)) if isinstance(holder[key], int) else Decimal(repr(float(value * times)))
    try:
        return family.read(data, None)
    except InputError:
        return None


def _numbers(data: Any) -> Iterator[tuple[Any, Any]]:
    """Where numbers above 0 stand in plain data: what holds them, and under which key."""
    pairs = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in pairs:
        if isinstance(value, int | Decimal) and not isinstance(value, bool) and value > 0:
            yield data, key
        else:
            yield from _numbers(value)
