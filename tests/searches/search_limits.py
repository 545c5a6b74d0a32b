"""`exact` where limits lie on ties: no error, no wrong answer, and what it leaves open is counted."""

from __future__ import annotations

from random import Random

from euclio import solve
from euclio.core.errors import InputError
from euclio.core.result import Status
from tests.adversary.judging import UNDECIDED, WRONG, judge
from tests.adversary.truth import NO_PLAN, Truth

from .search import Found, Search
from .sessions_at_ties import REFERENCE, REFERENCE_S, case_at_ties

LIMIT_S = 20.0
CASES = 5
"""Cases of a seed."""


def look(seed: int) -> Found:
    """Hold the answers of `exact` to some sessions against those of an enumeration."""
    cases, undecided, faults = 0, 0, []
    for place in range(CASES):
        try:
            session, space = case_at_ties(Random(f"limits at ties {seed} {place}"))
        except InputError:
            continue
        found = solve(session, "exact", space=space, time_limit_s=LIMIT_S)
        if found.status is Status.INAPPLICABLE:
            continue
        judged = judge(found, _truth(session, space), session, LIMIT_S)
        cases += 1
        undecided += judged.outcome in UNDECIDED
        if judged.outcome in WRONG:
            faults.append(f"case {place}, {space}: {judged.outcome}: {judged.why}")
    return Found(cases, tuple(faults), undecided)


def _truth(session, space):
    """What the enumeration says; None: it lists too much."""
    listed = solve(session, REFERENCE, space=space, time_limit_s=REFERENCE_S)
    if listed.status is Status.INFEASIBLE:
        return NO_PLAN
    return Truth(listed.value, listed.value) if listed.status is Status.OPTIMAL else None


SEARCH = Search(
    "limits-at-ties",
    "the SLO, stock, changes, spare machines or shares lie on a plan's own: `exact` is right",
    "sessions",
    look,
    range(12),
)
