"""Whether both ends of an attainment hold, in drawn sessions.

What is stated to be kept is held against simulations of ten times the length with other seeds; what is said to cost too
little to keep it, against cheaper plans that a plain simulator serves.
"""

from __future__ import annotations

from . import attainment_floors
from .attainment_cases import Case, Held, draw, judge
from .search import Found, Search

SESSIONS = 5
"""Statements of a seed: if all of them are false, they are not such as hold 95 times in 100, for which the odds are
0.05^5 = 3e-7."""
FLOORS = 20
"""Sessions of a seed whose lower ends are looked at."""
DRAWS = 1000
"""Sessions that a seed may draw; those without a plan state nothing."""


def look(seed: int) -> Found:
    """Both ends of some sessions; single statements that do not hold are left open, as 5 % of all may."""
    found = statements(seed)
    missed = [one for one in found if not one.holds]
    faults = (
        (f"none of {SESSIONS} bounds holds: {'; '.join(map(in_words, missed))}",) if len(missed) == SESSIONS else ()
    )
    below = [floor for number in range(FLOORS) for floor in attainment_floors.judge(seed * FLOORS + number)]
    faults += tuple(f"{floor.session.name}: {floor.wrong}" for floor in below if floor.wrong)
    return Found(len(found) + len(below), faults, len(missed))


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
    "which 5 % may), and no cheaper plan keeps the attainment where a plain simulator serves it",
    "bounds",
    look,
    range(1),
    slow=True,
)
