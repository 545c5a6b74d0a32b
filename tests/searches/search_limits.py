"""`exact` and the prover where limits lie on ties: no error, no wrong answer, and what they leave open is counted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction
from random import Random

from euclio import solve
from euclio.core.errors import InputError
from euclio.core.result import Status
from euclio.problems.session.evaluate import evaluate
from euclio.proving.session.certifying import find_better
from tests.adversary.judging import UNDECIDED, WRONG, judge
from tests.drawn.limits import REFERENCE, REFERENCE_S, case_at_ties
from tests.drawn.services import as_service
from tests.drawn.truth import NO_PLAN, Truth

from .search import Found, Search

LIMIT_S = 20.0
PROVER_S = 2.0
CASES = 5
"""Cases of a seed."""
SERVICES_EVERY = 4
"""Of so many seeds one draws objectives of modules and delays next to the limits."""
LEAST = Fraction(1, 10**20)
"""Share of the optimum by which a cutoff lies above it."""


def look(seed: int) -> Found:
    """Hold the answers of `exact` to some sessions, and those of the prover, against those of an enumeration."""
    cases, undecided, faults = 0, 0, []
    for place in range(CASES):
        try:
            session, space = case_at_ties(Random(f"limits at ties {seed} {place}"))
            if seed % SERVICES_EVERY == 0:
                session = as_service(Random(f"services at ties {seed} {place}"), session, space)
        except InputError:
            continue
        found = solve(session, "exact", space=space, time_limit_s=LIMIT_S)
        if found.status is Status.INAPPLICABLE:
            continue
        truth = enumerated(session, space)
        judged = judge(found, truth, session, LIMIT_S)
        cases += 1
        undecided += judged.outcome in UNDECIDED
        if judged.outcome in WRONG:
            faults.append(f"case {place}, {space}: {judged.outcome}: {judged.why}")
        if truth is not None and truth.exact:
            faults += (f"case {place}, {space}: the prover {fault}" for fault in proven(session, space, truth.upper))
    return Found(cases, tuple(faults), undecided)


def proven(session, space, optimum) -> Iterator[str]:
    """What the prover says that is false: of a cutoff at the optimum, and of one a hair above it."""
    below = find_better(session, space, optimum, time.perf_counter() + PROVER_S)
    if below.plan is not None:
        yield f"found a plan below {optimum}"
    if optimum is None:
        return
    cutoff = optimum + max(optimum, 1) * LEAST
    above = find_better(session, space, cutoff, time.perf_counter() + PROVER_S)
    if above.exhausted:
        yield f"found none at {optimum}"
    # What costs less than the cutoff need not be the optimum where prices lie far apart.
    if above.plan is not None and not optimum <= evaluate(session, above.plan, space).cost_per_h < cutoff:
        yield f"found a plan that costs less than {optimum}, or too much"


def enumerated(session, space):
    """What the enumeration says of a session, as a `Truth`; None: it lists too much."""
    listed = solve(session, REFERENCE, space=space, time_limit_s=REFERENCE_S)
    if listed.status is Status.INFEASIBLE:
        return NO_PLAN
    return Truth(listed.value, listed.value) if listed.status is Status.OPTIMAL else None


SEARCH = Search(
    "limits-at-ties",
    "the SLO, stock, changes, spare machines or shares lie on a plan's own: `exact` and the prover are right",
    "sessions",
    look,
    range(12),
)
