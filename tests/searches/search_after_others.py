"""Solvers before and after other work of the same process, as notebooks and batches have them.

Tests ask each solver by itself on one thread. What a process keeps of a run, such as the scheduler of HiGHS with its
number of threads, is met by whatever comes next there.
"""

from __future__ import annotations

import random
from typing import Any

from euclio import solve
from euclio.core.registry import solvers
from euclio.core.solver import AnySolver, Option
from tests.drawn.cases import FAMILIES, Case, drawn

from .search import Found, Search

THREADS = (1, 2, 3)
SOLVERS = 4
"""How many solvers of a family are asked about a case."""
LIMIT_S = 5.0
DISTURBED_S = 0.5
"""Seconds that a model is given to leave its traces."""


def look(seed: int) -> Found:
    """One case of each family: some solvers, then models on another number of threads, then the solvers again."""
    draw, cases, undecided, faults = random.Random(f"after others/{seed}"), 0, 0, []
    for family in FAMILIES.values():
        case = drawn(family, seed)
        able = [
            one for one in solvers().values() if one.family == family and not one.uncovered(case.instance, one.space)
        ]
        models = [one for one in able if Option.THREADS in one.takes]
        asked = draw.sample(able, min(SOLVERS, len(able)))
        before, after = draw.sample(THREADS, 2)
        # No model may cover a case, such as one of shared machines: then a program of HiGHS alone disturbs.
        _disturb(draw.choice(models) if models else None, case, before)
        answers = [_answer(solver, case) for solver in asked]
        _disturb(draw.choice(models) if models else None, case, after)
        for solver, answer in zip(asked, answers, strict=True):
            again = _answer(solver, case)
            cases += 1
            if answer is None or again is None:
                undecided += 1
            elif again != answer:
                faults.append(f"{solver.name} on {family}: {answer} after {before} threads, {again} after {after}")
    return Found(cases, tuple(faults), undecided)


def _disturb(model: AnySolver | None, case: Case, threads: int) -> None:
    """Leave the process as a model on so many threads does, one of ours and a program of the user's own."""
    import highspy

    if model is not None:
        solve(case.instance, model.name, threads=threads, time_limit_s=DISTURBED_S)
    own = highspy.Highs()
    own.setOptionValue("output_flag", False)
    own.setOptionValue("threads", threads)
    own.addVar(0.0, 1.0)
    own.run()


def _answer(solver: AnySolver, case: Case) -> Any:
    """What a solver says, to the digit, without times; None: the limit decided it."""
    result = solve(case.instance, solver.name, time_limit_s=LIMIT_S)
    if result.wall_s >= LIMIT_S:
        return None
    return result.status, result.cost, result.bound, result.plan


SEARCH = Search(
    "after-others",
    "a solver answers the same whatever the process did before: other solvers, other threads, programs of HiGHS",
    "runs",
    look,
    # After a model on two threads the linear programs of `columns`, of heuristics and of provers had no solution.
    range(10),
)
