"""Small cases whose optimum is known, in each plan space that they list, for every exact solver.

A file in `cases/` has a note, the family, the instance and answers: the fields of a plan space that are not the full
one's, and the optimum as a fraction's text (null: no plan). Cases that a campaign found and shrunk end up here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from places import SHARED

from euclio import load
from euclio.core.families import find_family
from euclio.core.registry import find_solver
from euclio.problems.pipeline import PipelineSpace
from euclio.problems.session import PlanSpace, Session
from tests.drawn.cases import Case, from_data, read_data, truth_of
from tests.drawn.truth import Truth

from .judging import UNDECIDED, WRONG, judge
from .worker import asked, judge_case, run

FOLDER = Path(__file__).parent / "cases"
SHARED = SHARED / "adversary"
SOLVERS = {
    "session": ("plan-bruteforce", "exact", "milp", "cpsat"),
    "pipeline": ("pipeline-bruteforce", "columns", "ppipe", "ppipe-cpsat"),
    "fragments": ("fragments-bruteforce", "fragment-columns", "set-partition", "set-partition-cpsat"),
}
MAY_LEAVE_OPEN = ("milp", "cpsat", "ppipe", "ppipe-cpsat")
LIMIT_S = 20.0

SHARED_SPACES: dict[str, list[Any]] = {
    "session": [PlanSpace(dummy=rule) for rule in ("machine", "none", "continuous")],
    "pipeline": [PipelineSpace(), PipelineSpace(unify_batch=False), PipelineSpace(objective="cost")],
}


@dataclass(frozen=True)
class Known:
    """A case with its optimum."""

    case: Case
    truth: Truth


def known_cases() -> dict[str, Known]:
    found = {}
    for path in sorted(FOLDER.glob("*.json")):
        data = read_data(path)
        for i, answer in enumerate(data["answers"]):
            case = from_data({**data, "space": answer["space"]})
            value = None if answer["value"] is None else Fraction(answer["value"])
            found[f"{path.stem}-{i}"] = Known(case, Truth(value, value))
    return found


KNOWN = known_cases()


@pytest.mark.parametrize("name", KNOWN)
def test_the_reference_finds_the_known_optimum(name):
    """The number in the file is what listing finds, so that a wrong truth is not what solvers are held to."""
    truth = truth_of(KNOWN[name].case, KNOWN[name].case.space)
    if truth.exact:
        assert truth == KNOWN[name].truth
    else:
        assert truth.lower <= KNOWN[name].truth.lower <= truth.upper


def runs(cases: dict[str, Known]) -> list[tuple[str, str]]:
    return [(name, solver) for name, known in cases.items() for solver in SOLVERS[known.case.family]]


@pytest.mark.fifth("solver")
@pytest.mark.parametrize(("name", "solver"), runs(KNOWN))
def test_a_solver_finds_the_known_optimum(name, solver):
    """What a campaign once found wrong stays right, in every solver of the family and not only in that one."""
    case = KNOWN[name].case
    if asked(solver, case) != case.space:
        pytest.skip("the solver has one pipeline per sequence of GPU types, this plan space has any number")
    answer = run(solver, case, case.space, LIMIT_S)
    found = judge(answer, KNOWN[name].truth, case.instance, LIMIT_S) if hasattr(answer, "status") else answer
    assert found.outcome not in WRONG | (set() if solver in MAY_LEAVE_OPEN else UNDECIDED), found.why


@pytest.mark.fifth("name")
@pytest.mark.parametrize("name", KNOWN)
def test_the_prover_knows_the_optimum_from_what_is_beside_it(name):
    """No plan is better than the optimum, and one is better than a value short of it by one part in 10^15."""
    case, best = KNOWN[name].case, KNOWN[name].truth.lower
    family = find_family(case.family)
    deadline = perf_counter() + LIMIT_S
    found = family.find_better(case.instance, case.space, best, deadline)
    assert (found.plan, found.exhausted) == (None, True) if best is not None else found.exhausted
    if best is None or KNOWN[name].truth.lower == 0:
        return
    short = best * (1 + (-1 if family.goal(case.space).maximised else 1) * Fraction(1, 10**15))
    assert family.find_better(case.instance, case.space, short, deadline).plan is not None


SHARED_RUNS = [
    (path.stem, solver, space)
    for path in sorted(SHARED.glob("*.json"))
    for family in ["session" if '"euclio/session/1"' in path.read_text(encoding="utf-8") else "pipeline"]
    for solver in SOLVERS[family]
    for space in SHARED_SPACES[family]
]


@pytest.mark.fifth("name")
@pytest.mark.skipif(not SHARED.is_dir(), reason="the adversarial instances are not next to the checkout")
@pytest.mark.parametrize(("name", "solver", "space"), SHARED_RUNS or [("none", "exact", PlanSpace())])
def test_a_solver_is_right_on_the_shared_instances(name, solver, space):
    """Instances that others wrote to break solvers, in each plan space, against the reference."""
    instance = load(SHARED / f"{name}.json")
    case = Case("session" if isinstance(instance, Session) else "pipeline", instance, space)
    found = judge_case(solver, case, asked(solver, case), LIMIT_S)
    assert found.outcome not in WRONG | (set() if solver in MAY_LEAVE_OPEN else UNDECIDED), found.why


def test_every_case_asks_for_a_family_that_there_is():
    """A case of a misspelt family would be skipped by everything above."""
    for known in KNOWN.values():
        assert find_family(known.case.family).instance is type(known.case.instance)
        assert all(find_solver(solver).family == known.case.family for solver in SOLVERS[known.case.family])
