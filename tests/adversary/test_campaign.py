"""A campaign survives its solvers, says what they did, and keeps what is wrong as small cases."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from euclio.core.result import Result, Status
from euclio.problems.pipeline import PipelineSpace
from euclio.problems.session import PlanSpace
from tests.drawn.cases import drawn, from_data, read_data, space_class, to_data, truth_of
from tests.drawn.truth import NO_PLAN, Truth

from .__main__ import main
from .campaign import Settings, Tally, campaign
from .judging import Outcome, judge
from .shrinking import shrink

# Not in the quick tier: a campaign in worker processes.
pytestmark = pytest.mark.slow

SOLVERS = """
import os, time
from euclio.core.result import Answer

def abort(session, space):
    return Answer(None, "no plan") if session.name == "warm-up" else os.abort()

def hang(session, space):
    while session.name != "warm-up":
        time.sleep(1)
    return Answer(None, "no plan")

def wrong(session, space):
    return Answer(None, "no plan", infeasible=True)

def raises(session, space):
    raise ZeroDivisionError("division by zero")

def silent(session, space):
    return Answer(None, "no plan")
"""


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(SOLVERS)
    return lambda name: f"{path}:{name}"


def settings(folder: Path, *solvers: str) -> Settings:
    return Settings({"session": solvers}, 3, None, 0, 5.0, 1, folder, shrinks=False, silence_s=20.0)


def outcomes(tally: Tally, solver: str) -> set[Outcome]:
    return {key[3] for key in tally.counts if key[1] == solver}


def test_a_crash_is_a_row_and_the_next_solver_runs(own, tmp_path):
    """A solver that aborts its process is counted three times, and does not end the campaign of the next."""
    tally = campaign(settings(tmp_path / "kept", own("abort"), own("silent")), lambda _: None)
    assert outcomes(tally, own("abort")) == {Outcome.CRASH}
    assert outcomes(tally, own("silent")) == {Outcome.UNKNOWN}
    assert sum(tally.counts.values()) == 6


@pytest.mark.slow
def test_a_hang_is_a_row(own, tmp_path):
    """A solver that does not come back is killed and counted, so that a campaign of hours ends."""
    asked = replace(settings(tmp_path / "kept", own("hang")), count=1, limit_s=0.5, silence_s=10.0)
    assert outcomes(campaign(asked, lambda _: None), own("hang")) == {Outcome.HANG}


def test_an_exception_is_an_error_in_words(own, tmp_path):
    """What a solver raises stands in the row with its class, without a traceback to search through."""
    tally = campaign(settings(tmp_path / "kept", own("raises")), lambda _: None)
    assert {row.why for row in tally.failures} == {"ZeroDivisionError: division by zero"}


@pytest.mark.slow
def test_what_is_wrong_is_kept_shrunk_with_its_truth_and_exits_1(own, tmp_path, capsys):
    """A wrong answer is left behind as a case of one module and one configuration that can be kept."""
    folder = tmp_path / "kept"
    arguments = ["--family", "session", "--count", "3", "--solvers", own("wrong"), "--shrink", "--folder", str(folder)]
    assert main(arguments) == 1
    kept = [read_data(path) for path in folder.glob("*.json")]
    assert kept
    assert all(data["found"]["outcome"] == "wrong infeasible" for data in kept)
    assert all(len(data["instance"]["modules"]) == len(data["instance"]["modules"][0]["profile"]) == 1 for data in kept)
    case = from_data(kept[0])
    assert Fraction(kept[0]["truth"][0]) == truth_of(case, case.space).lower
    assert "wrong infeasible" in capsys.readouterr().out


def test_nothing_wrong_exits_0_and_the_seeds_are_printed(capsys, tmp_path):
    """The line that is printed says which seeds were tried, so that the next campaign goes on from there."""
    arguments = ["--family", "session", "--count", "2", "--seed", "7", "--solvers", "plan-bruteforce"]
    assert main([*arguments, "--folder", str(tmp_path)]) == 0
    assert "seeds from 7: 0 wrong, 0 undecided" in capsys.readouterr().out


def test_an_unknown_solver_exits_2(capsys):
    """A misspelt solver ends at once with the name that was meant, not after a campaign of errors."""
    assert main(["--solvers", "exakt"]) == 2
    assert "did you mean exact" in capsys.readouterr().err


def test_shrinking_ends_at_the_one_thing_that_matters():
    """Of a case that fails whenever some price is above 2, one module and one short price are left."""
    seed = next(k for k in range(100) if most(to_data(drawn("session", k))) > 2 and modules(k) == 4)

    def fails(data):
        try:
            from_data(data)
        except ValueError:
            return False
        return most(data) > 2

    small = shrink(to_data(drawn("session", seed)), fails, attempts=2000)["instance"]
    assert len(small["modules"]) == len(small["modules"][0]["profile"]) == 1
    assert small["slo_s"] == 1
    assert all(len(str(hardware["price_per_h"])) <= 6 for hardware in small["hardware"])


def most(data) -> Decimal:
    return max(Decimal(hardware["price_per_h"]) for hardware in data["instance"]["hardware"])


def modules(seed: int) -> int:
    return len(drawn("session", seed).instance.modules)


def test_every_smaller_cluster_is_worth_trying():
    """Whatever is left out of a cluster, the rest is a cluster or is refused as bad input, and shrinking ends."""
    data = to_data(drawn("pipeline", 3))

    def fails(candidate):
        try:
            from_data(candidate)
        except ValueError:
            return False
        return True

    small = shrink(data, fails, attempts=3000)["instance"]
    assert len(small["models"]) == len(small["gpus"]) == 1
    assert small["models"][0]["transfer_s_per_request"] == []


def result(status: Status, value: str | None = None, bound: float | None = None) -> Result:
    found = None if value is None else Fraction(value)
    return Result("", "", {}, PlanSpace(), status, "", found, None, bound, 0.0, None, None)


ONE = Truth(Fraction(1), Fraction(1))
JUDGED = [
    (result(Status.OPTIMAL, "1", 1.0), ONE, Outcome.RIGHT),
    (result(Status.OPTIMAL, "1.00000001", 1.00000001), ONE, Outcome.WRONG_BOUND),
    (result(Status.OPTIMAL, "1.00000001"), ONE, Outcome.WRONG_OPTIMUM),
    (result(Status.OPTIMAL, "0.99", 0.99), ONE, Outcome.REFERENCE),
    (result(Status.FEASIBLE, "2", 1.1), ONE, Outcome.WRONG_BOUND),
    (result(Status.FEASIBLE, "2", 0.9), ONE, Outcome.FEASIBLE),
    (result(Status.UNKNOWN, None, 1.1), ONE, Outcome.WRONG_BOUND),
    (result(Status.UNKNOWN), ONE, Outcome.UNKNOWN),
    (result(Status.INFEASIBLE), ONE, Outcome.WRONG_INFEASIBLE),
    (result(Status.INFEASIBLE), NO_PLAN, Outcome.RIGHT),
    (result(Status.UNKNOWN), NO_PLAN, Outcome.UNKNOWN),
    (result(Status.OPTIMAL, "1", 1.0), NO_PLAN, Outcome.REFERENCE),
    (result(Status.OPTIMAL, "0", 0.0), Truth(Fraction(0), Fraction(0)), Outcome.RIGHT),
    (result(Status.OPTIMAL, "1e-12", 1e-12), Truth(Fraction(0), Fraction(0)), Outcome.WRONG_OPTIMUM),
    (result(Status.OPTIMAL, "1", 1.0), None, Outcome.UNJUDGED),
    (result(Status.ERROR), ONE, Outcome.ERROR),
    (replace(result(Status.OPTIMAL, "1", 1.0), wall_s=6.1), ONE, Outcome.OVERRUN),
]


@pytest.mark.parametrize(("answer", "truth", "outcome"), JUDGED)
def test_an_answer_is_judged(answer, truth, outcome):
    """Each kind of wrong claim has its verdict; a cost one part in 10^8 above the optimum is wrong, too."""
    assert judge(answer, truth, drawn("session", 0).instance, 5.0).outcome is outcome


def test_classes_of_plan_spaces():
    """Counts are by policy and rule, or by objective; all further limits are one class, `limited`."""
    assert space_class(PlanSpace("rr", "none")) == "rr none"
    assert space_class(PlanSpace(max_allocations=1)) == "tc machine limited"
    assert space_class(PipelineSpace("cost", one_per_sequence=True)) == "cost one per sequence"
