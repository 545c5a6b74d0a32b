"""Whether stated attainments hold: drawn sessions, against simulations of ten times the length with other seeds."""

from __future__ import annotations

from .attainment_cases import Case, Held, draw, judge
from .search import Found, Search

SESSIONS = 5
"""Statements of a seed: if all of them are false, they are not such as hold 95 times in 100, for which the odds are
0.05^5 = 3e-7."""
DRAWS = 1000
"""Sessions that a seed may draw; those without a plan state nothing."""


def look(seed: int) -> Found:
    """The statements of some sessions; single ones that do not hold are left open, as 5 % of all may."""
    found = statements(seed)
    missed = [one for one in found if not one.holds]
    faults = (
        (f"none of {SESSIONS} bounds holds: {'; '.join(map(in_words, missed))}",) if len(missed) == SESSIONS else ()
    )
    return Found(len(found), faults, len(missed))


def statements(seed: int, sessions: int = SESSIONS) -> list[Held]:
    """The first statements that a seed comes to."""
    found: list[Held] = []
    for number in range(DRAWS):
        held = judge(draw(seed * DRAWS + number))
        if held is not None:
            found.append(held)
        if len(found) == sessions:
            break
    return found


def in_words(held: Held) -> str:
    """A statement and what came out."""
    case: Case = held.case
    asked = f"{case.solver}, {case.target:g} under {case.setup.arrivals.value} arrivals"
    return f"{asked}: at least {held.stated:.6f}, {held.kept:.6f} of {held.requests} requests"


SEARCH = Search(
    "attainment-bounds",
    "what `solve --attainment` states holds in simulations of ten times the length (open: the bounds that did not, of "
    "which 5 % may)",
    "bounds",
    look,
    range(1),
    slow=True,
)
