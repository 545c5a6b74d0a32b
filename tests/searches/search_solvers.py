"""Exact solvers against the references of `tests.adversary`, which also shrinks what this search finds."""

from __future__ import annotations

from euclio.core.registry import solvers
from tests.adversary.judging import UNDECIDED, WRONG
from tests.adversary.worker import asked, judge_case
from tests.drawn.cases import FAMILIES, drawn

from .search import Found, Search

LIMIT_S = 20.0


def look(seed: int) -> Found:
    """One instance of each family through every exact solver of it that searches a whole plan space."""
    cases, undecided, faults = 0, 0, []
    for word, family in FAMILIES.items():
        case = drawn(family, seed)
        for solver in solvers().values():
            if solver.kind != "exact" or solver.family != family or solver.name.endswith("-split"):
                continue
            found = judge_case(solver.name, case, asked(solver.name, case), LIMIT_S)
            cases, undecided = cases + 1, undecided + (found.outcome in UNDECIDED)
            if found.outcome in WRONG:
                again = f"--family {word} --seed {seed} --count 1 --solvers {solver.name} --shrink"
                faults.append(f"{solver.name}: {found.outcome}: {found.why}; python -m tests.adversary {again}")
    return Found(cases, tuple(faults), undecided)


SEARCH = Search(
    "solvers",
    "what exact solvers prove is what listing all plans in fractions finds",
    "runs",
    look,
    # `tests/adversary/test_solvers.py` has a sample of each solver.
    range(0),
)
