"""Scores of a program: the share of the way from the seed program to the proven optimum, on each instance.

The checker alone prices, in fractions, and shares are fractions too. A share is 1 exactly if the plan has the value of
the optimum, and 0 for the seed's value, a worse one, or no accepted plan.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import islice

from euclio.core.errors import InputError, RefutedError
from euclio.core.progress import progress_bar, waiting
from euclio.core.tolerances import PROOF_TOLERANCE
from euclio.core.words import full
from euclio.scoring.problems import Priced, Problem, Source
from euclio.scoring.running import Limit, not_prevented, run

SEED_LIMIT = Limit(10)
"""Limits of the seed program, whose values set the zero of the scale."""


@dataclass(frozen=True, slots=True)
class Case:
    """An instance to score on.

    Attributes:
        source: the instance.
        seed: value of the seed program's plan.
        optimum: the proven optimum, which is better.
    """

    source: Source
    seed: Fraction
    optimum: Fraction


@dataclass(frozen=True, slots=True)
class Scored:
    """A program's result on one instance.

    Attributes:
        name: hash of the instance.
        share: the score, from 0 to 1.
        value: value of the plan as checked; None without an accepted plan.
        why: the broken rule or the failure, in words; empty with an accepted plan.
    """

    name: str
    share: Fraction
    value: Fraction | None
    why: str


@dataclass(frozen=True, slots=True)
class Score:
    """A program's result on all instances.

    Attributes:
        problem: name of the problem.
        scored: the result on each instance.
        not_prevented: the rights that the program kept on this system, in words.
    """

    problem: str
    scored: tuple[Scored, ...]
    not_prevented: tuple[str, ...]

    @property
    def share(self) -> Fraction:
        """The mean over all instances, exactly."""
        return sum((one.share for one in self.scored), Fraction(0)) / max(1, len(self.scored))

    @property
    def score(self) -> float:
        """The mean as a number, which is 1 only if it is exactly 1."""
        return below_one(self.share)

    @property
    def optimal(self) -> int:
        """Instances on which the plan has the value of the optimum."""
        return sum(one.share == 1 for one in self.scored)

    @property
    def accepted(self) -> int:
        """Instances with an accepted plan."""
        return sum(one.value is not None for one in self.scored)

    def report(self) -> dict[str, dict[str, float | str]]:
        """Metrics and artifacts as frameworks take them; the feedback has a line on each instance."""
        count = max(1, len(self.scored))
        lines = (f"{one.name}: {one.why or f'{full(below_one(one.share))} of the way'}" for one in self.scored)
        metrics = {"accepted": self.accepted / count, "optimal": self.optimal / count}
        return {"metrics": {"combined_score": self.score, **metrics}, "artifacts": {"feedback": "\n".join(lines)}}

    def data(self) -> dict[str, object]:
        """Plain data, schema `euclio/score/1`."""
        return {
            "schema": "euclio/score/1",
            "problem": self.problem,
            "score": self.score,
            "instances": len(self.scored),
            "accepted": self.accepted,
            "optimal": self.optimal,
            "not_prevented": list(self.not_prevented),
            "scored": [
                {"instance": one.name, "score": below_one(one.share), "value": one.value, "why": one.why or None}
                for one in self.scored
            ],
        }


def below_one(share: Fraction) -> float:
    """A share as a number; rounding makes none 1."""
    return 1.0 if share == 1 else min(float(share), math.nextafter(1.0, 0.0))


def share_of(case: Case, value: Fraction) -> Fraction:
    """The share of the way from the seed's value to the optimum, from 0 to 1.

    Raises:
        RefutedError: the value is better than the optimum by more than the tolerance of proofs.
    """
    way = (value - case.seed) / (case.optimum - case.seed)
    beyond = abs(value - case.optimum) > abs(case.optimum) * Fraction(PROOF_TOLERANCE)
    if way > 1 and beyond:
        raise RefutedError(
            f"instance {case.source.name}: the checked value {full(value)} is better than the proven optimum "
            f"{full(case.optimum)}; please report this"
        )
    return min(max(way, Fraction(0)), Fraction(1))


def priced(problem: Problem, source: Source, program: str, limit: Limit) -> Priced:
    """The checker's answer about the plan of a program for an instance, or the reason for no plan."""
    plan, why = run(program, source.data, limit)
    return Priced(None, why) if why else problem.price(source.text, plan)


def score(problem: Problem, cases: Sequence[Case], program: str, limit: Limit) -> Score:
    """The score of a program on instances, one after the other.

    Args:
        problem: the problem.
        cases: the instances.
        program: text of the program, which defines `solve(instance)`.
        limit: limits of each call.

    Raises:
        RefutedError: a plan is better than a proven optimum.
        InputError: this system cannot confine a program.
    """
    kept, found = not_prevented(), []
    with progress_bar("scoring", len(cases)) as step:
        for case in cases:
            answer = priced(problem, case.source, program, limit)
            share = Fraction(0) if answer.value is None else share_of(case, answer.value)
            found.append(Scored(case.source.name, share, answer.value, answer.why))
            step()
    return Score(problem.name, tuple(found), kept)


def cases_of(problem: Problem, sources: Iterable[Source]) -> Iterator[Case]:
    """The instances with a proof on which the seed program has an accepted plan that is not yet optimal."""
    seed = problem.program()
    for source in sources:
        before = priced(problem, source, seed, SEED_LIMIT).value
        optimum = None if before is None else source.prove()
        if before is not None and optimum is not None and before != optimum:
            yield Case(source, before, optimum)


def drawn(problem: Problem, count: int, seed: int) -> tuple[Case, ...]:
    """So many instances in an order that the seed decides; fewer if the problem has no more."""
    order = sorted(problem.sources(), key=lambda source: sha256(f"{seed} {source.order}".encode()).digest())
    found = []
    with progress_bar("drawing instances", count) as step:
        for case in islice(cases_of(problem, order), count):
            found.append(case)
            step()
    return tuple(found)


def named(problem: Problem, names: Sequence[str]) -> tuple[Case, ...]:
    """The instances with these hashes, with the seed's value and the optimum computed anew.

    Raises:
        InputError: there is none with such a hash, or it could not be proven here.
    """
    known = {source.name: source for source in problem.sources()}
    for name in names:
        if name not in known:
            message = f"euclio has no instance {name} of {problem.name}; write the folder again with this version"
            raise InputError(message)
    with waiting("proving optima"):
        found = tuple(cases_of(problem, (known[name] for name in names)))
    if len(found) < len(names):
        lost = sorted({*names} - {case.source.name for case in found})
        raise InputError(f"instance {lost[0]} has no proven optimum here; try again when the machine is less busy")
    return found
