"""`exact` and the prover where modules share machines, against an enumeration; sharing never costs more than not."""

from __future__ import annotations

from dataclasses import replace

from euclio import solve
from euclio.core.result import Result, Status
from euclio.problems.session import Charging, PlanSpace, Session
from tests.adversary.judging import UNDECIDED, WRONG, judge
from tests.drawn.packed import limited_case, packed_case

from .search import Found, Search
from .search_limits import LIMIT_S, enumerated, proven

CASES = 3
"""Cases of a seed."""


def look(seed: int) -> Found:
    """Hold the answers of `exact` to some sessions, and those of the prover, against those of an enumeration."""
    cases, undecided, faults = 0, 0, []
    for place in range(CASES):
        session, space = (limited_case if place else packed_case)(CASES * seed + place)
        found = solve(session, "exact", space=space, time_limit_s=LIMIT_S)
        if found.status is Status.INAPPLICABLE:
            continue
        truth = enumerated(session, space)
        judged = judge(found, truth, session, LIMIT_S)
        cases += 1
        undecided += judged.outcome in UNDECIDED
        if judged.outcome in WRONG:
            faults.append(f"case {place}, {space}: {judged.outcome}: {judged.why}")
        faults += (f"case {place}, {space}: {fault}" for fault in against_whole(session, space, found))
        if truth is not None and truth.exact:
            faults += (f"case {place}, {space}: the prover {fault}" for fault in proven(session, space, truth.upper))
    return Found(cases, tuple(faults), undecided)


def against_whole(session: Session, space: PlanSpace, found: Result) -> list[str]:
    """Laws that an answer breaks, next to the cheapest plan without shared machines."""
    whole = solve(session, "exact", space=replace(space, charging=Charging.WHOLE), time_limit_s=LIMIT_S)
    if whole.status is not Status.OPTIMAL or found.status is not Status.OPTIMAL:
        return []
    assert found.plan is not None
    assert found.value is not None
    assert whole.value is not None
    if found.value > whole.value:
        return [f"sharing costs {found.value}, more than {whole.value}"]
    alone = len(session.modules) == 1 or not found.plan.shared
    return (
        [f"without a shared machine it costs {found.value}, less than {whole.value}"]
        if (alone and found.value < whole.value)
        else []
    )


SEARCH = Search(
    "packed",
    "modules may share machines: `exact` and the prover are right, and sharing never costs more than not",
    "sessions",
    look,
    range(8),
)
