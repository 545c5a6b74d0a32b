"""The provers at ties, both ways: nothing false is certified, nothing true is refuted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import NamedTuple

from euclio.core.certificate import Verdict
from euclio.core.families import family_of
from euclio.core.result import WrittenResult
from euclio.problems.session import Plan
from euclio.problems.session.policies import POLICIES
from euclio.proving.certifying import certify
from tests.drawn.cases import Case, space_class, truth_of
from tests.drawn.clusters import cluster_case
from tests.drawn.fleets import fleet_case
from tests.drawn.sessions import session_case
from tests.drawn.ties import tie
from tests.drawn.truth import Truth

from .search import Found, Search
from .written_claims import bounded, infeasible, optimal

LIMIT_S = 1.0
"""Seconds for one claim; what is not decided then is counted as open."""

A_LITTLE = (Fraction(1, 10**9), Fraction(1, 10**13), Fraction(1, 10**16), Fraction(1, 10**20))
"""Shares by which a claim is off the truth."""

HONEST_REASONS = (
    "the time limit was reached",
    "its numbers lie too far apart",
    "the prover overran its limit",
    "costs closer to the cutoff than latencies can be distinguished",
)
"""What an open claim may say; anything else, such as a plan of its own that the checker refuses, is a fault."""

LEAST_CUT = Fraction(1, 10**30)


class Question(NamedTuple):
    """A claim, and whether it is true."""

    words: str
    claim: WrittenResult
    true: bool


class Asked(NamedTuple):
    """What was asked, what came out, and what is wrong with that; empty: nothing."""

    question: Question
    verdict: Verdict
    reason: str
    fault: str


def look(seed: int) -> Found:
    """The claims about one tie."""
    case, answers = judged(seed)
    faults = tuple(f"{case.family} {space_class(case.space)}: {one.fault}" for one in answers if one.fault)
    return Found(len(answers), faults, sum(one.verdict is Verdict.OPEN for one in answers))


def judged(seed: int) -> tuple[Case, list[Asked]]:
    """The tie of a seed and the claims about it; none where it is too large for the reference."""
    rng = Random(f"prover-ties/{seed}")
    case, plans = _drawn(rng, seed)
    truth = truth_of(case, case.space)
    return case, [] if truth is None else [_judged(case, one) for one in questions(rng, case, plans, truth)]


def _judged(case: Case, question: Question) -> Asked:
    found = certify(case.instance, question.claim, LIMIT_S)
    wrong = Verdict.REFUTED if question.true else Verdict.CERTIFIED
    odd = found.verdict is Verdict.OPEN and not found.reason.startswith(HONEST_REASONS)
    fault = f"{question.words} is {question.true}, but {found.verdict} {found.reason}".strip()
    return Asked(question, found.verdict, found.reason, fault if found.verdict is wrong or odd else "")


def _drawn(rng: Random, seed: int) -> tuple[Case, tuple[Plan, ...]]:
    """A session on a tie, or a nasty case of the adversary's, whose prices and rates go up to the extremes."""
    last = seed % 10
    if last == 7:
        return Case("pipeline", *cluster_case(rng)), ()
    if last == 9:
        return Case("fragments", *fleet_case(rng, most=4)), ()
    if last in (0, 5):
        return Case("session", *session_case(rng, POLICIES)), ()
    found = tie(rng)
    return Case("session", found.session, found.space), found.plans


def questions(rng: Random, case: Case, plans: Sequence[Plan], truth: Truth) -> Iterator[Question]:
    """Claims about a case, true and false ones, at the truth and next to it."""
    yield Question("infeasible", infeasible(case.instance, case.space), truth.infeasible)
    goal = family_of(case.instance).goal(case.space)
    # Towards the better: less money, or more throughput.
    better, tolerance = 1 if goal.maximised else -1, Fraction(str(goal.tolerance))
    for plan in plans:
        claimed = optimal(case.instance, case.space, plan)
        if claimed is not None and claimed.value is not None:
            # The bracket of an optimum leaves open whether a plan within it is one.
            true = _holds(truth, claimed.value * (1 + better * tolerance), better)
            if true is not None:
                yield Question(f"optimal at {float(claimed.value)!r}", claimed, true)
    best, reached = (truth.upper, truth.lower) if goal.maximised else (truth.lower, truth.upper)
    if best is None or reached is None:
        any_value = Fraction(rng.randint(1, 10**6))
        yield Question("a bound where there is no plan", bounded(case.instance, case.space, any_value), True)
        return
    little = rng.choice(A_LITTLE)
    cutoffs = {
        "the optimum": best * (1 + better * tolerance),
        "the optimum to the last digit": best,
        "a bound just short of the optimum": best * (1 + better * little),
        "a bound just beyond the optimum": reached * (1 - better * little) or little,
        "a bound far beyond the optimum": reached * Fraction(rng.randint(11, 40), 10) ** -better or Fraction(1),
    }
    for words, cutoff in cutoffs.items():
        true = _holds(truth, cutoff, better)
        if cutoff > LEAST_CUT and true is not None:
            yield Question(f"{words}, {float(cutoff)!r}", bounded(case.instance, case.space, cutoff), true)


def _holds(truth: Truth, cutoff: Fraction, better: int) -> bool | None:
    """Whether no plan is better than a cutoff; None: it lies within what encloses the optimum."""
    if truth.lower is None or truth.upper is None:
        return True
    best, reached = (truth.upper, truth.lower) if better > 0 else (truth.lower, truth.upper)
    if better * cutoff >= better * best:
        return True
    return False if better * cutoff < better * reached else None


SEARCH = Search(
    "prover-ties",
    "certify certifies nothing false and refutes nothing true at ties, under every policy and dummy rule",
    "claims at ties",
    look,
    # 133735: a throughput next to its rounding, for which a quintillion numbers of machines were tried.
    (*range(40), 133735),
)
