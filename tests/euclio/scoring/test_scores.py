"""Scores: the share of the way from the seed program to the proven optimum, in fractions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import pytest
from scored_programs import BEST, CASE, HONEST, MIDDLE, OPTIMUM, PRISM, WORST, placed, scored

from euclio.core.certificate import Verdict
from euclio.core.errors import InputError, RefutedError
from euclio.proving.prism import largest_pressure
from euclio.scoring.problems import NAMES, find_problem
from euclio.scoring.running import Limit
from euclio.scoring.scores import Score, Scored, below_one, drawn, named, score, share_of
from formulations.prism import draw_cases, greedy, price


@pytest.mark.parametrize(("placement", "share"), [(BEST, 1), (MIDDLE, Fraction(1, 2)), (WORST, 0)])
def test_a_share_is_that_of_the_way_from_the_seed_to_the_optimum(placement, share):
    """Pressures 5/40, 6/40 and 7/40 on a way from 7/40 to 5/40."""
    (one,) = scored(placed(placement))
    assert (one.share, one.why) == (share, "")


def test_a_plan_worse_than_the_seed_scores_0_and_keeps_its_value():
    """Loads 4, 3 and 2 on one GPU leave 20 GB: 9/20 is above 7/40."""
    (one,) = scored(placed([0, 0, 0, 1]))
    assert (one.share, one.value) == (0, Fraction(9, 20))


def test_the_largest_value_is_best_where_the_optimum_lies_above_the_seed():
    up = replace(CASE, seed=Fraction(2), optimum=Fraction(4))
    assert [share_of(up, Fraction(value)) for value in (1, 2, 3, 4)] == [0, 0, Fraction(1, 2), 1]


def test_a_plan_better_than_a_proven_optimum_is_an_error():
    """It would mean that the proof or the checker is wrong; no number may hide it."""
    wrong = replace(CASE, optimum=Fraction(6, 40))
    with pytest.raises(RefutedError, match="better than the proven optimum"):
        scored(HONEST, wrong)


def test_no_rounding_makes_a_share_1():
    least = Fraction(1, 10**30)
    assert below_one(1 - least) < 1 == below_one(Fraction(1))
    almost = Score("prism", (Scored("a", 1 - least, OPTIMUM, ""),), ())
    assert almost.score < 1
    assert almost.optimal == 0


def test_the_mean_is_over_all_instances_and_one_without_a_plan_counts_0():
    program = (
        f"calls = 0\ndef solve(instance):\n    return {{'placement': {BEST}}} if instance['gpus'] == 2 else None\n"
    )
    other = replace(CASE, source=replace(CASE.source, text=CASE.source.text.replace('"gpus": 2', '"gpus": 3')))
    found = score(PRISM, (CASE, other), program, Limit(1))
    assert (found.share, found.accepted, found.optimal) == (Fraction(1, 2), 1, 1)
    assert found.report()["metrics"] == {"combined_score": 0.5, "accepted": 0.5, "optimal": 0.5}
    assert "returns None" in found.report()["artifacts"]["feedback"]


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        ([0, 1, 1], "each model needs one GPU"),
        ([0, 1, 1, 2], "each model needs one GPU"),
        ([0, 0, 0, 0], "GPU 0 has no memory left"),
        ([0, 1, 1, True], "each model needs one GPU"),
        ([0, 1, 1, 0.0], "each model needs one GPU"),
        ("0110", "each model needs one GPU"),
    ],
)
def test_the_broken_rule_is_said_in_words(plan, why):
    (one,) = scored(placed(plan))
    assert one.share == 0
    assert why in one.why


@pytest.mark.parametrize("seed", range(50))
def test_the_two_prices_of_prism_agree(seed):
    """Guards the scorer's price against that of the exact method, which shares no code with it."""
    case = draw_cases(seed + 1)[seed]
    placement = greedy(case)
    assert largest_pressure(case.as_data(), [*placement]) == price(case, placement)


def test_the_stored_instances_of_prism_are_the_drawn_ones_and_all_are_proven():
    sources = [*PRISM.sources()]
    own = [{name: data for name, data in case.as_data().items() if name != "case"} for case in draw_cases()]
    assert [source.data for source in sources] == own
    assert all(source.prove() for source in sources[::10])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_problem_has_instances_on_which_each_of_its_programs_has_a_plan(name):
    problem = find_problem(name)
    cases = drawn(problem, 4, 1)
    assert len(cases) == 4
    assert named(problem, [case.source.name for case in cases]) == cases
    for own in problem.programs:
        found = score(problem, cases, problem.program(own), Limit(5))
        assert [one.why for one in found.scored] == [""] * 4
    assert score(problem, cases, problem.program(), Limit(5)).share == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["splitting", "whole", "pipelines", "fleets"])
def test_no_name_tells_the_instance(name):
    """The benchmark set's names would tell a program which stored answer to give."""
    source = next(iter(find_problem(name).sources()))
    assert source.order not in source.text
    assert source.data["name"] == "instance"


def test_an_unknown_problem_and_an_unknown_hash_are_named():
    with pytest.raises(InputError, match="no problem 'knapsack'; give one of splitting"):
        find_problem("knapsack")
    with pytest.raises(InputError, match="no instance abc of prism"):
        named(PRISM, ["abc"])


def test_seeds_are_drawn_alike():
    """The same seed gives the same instances; their order is that of a hash, not of the set."""
    first = [case.source.order for case in drawn(PRISM, 3, 5)]
    assert first == [case.source.order for case in drawn(PRISM, 3, 5)] != [f"prism-{k}" for k in range(3)]


def test_an_optimum_that_is_not_proven_in_time_is_an_error(monkeypatch) -> None:
    """The instance was left out, so that a busy machine drew other instances, and gave other scores."""
    source = next(iter(find_problem("whole").sources()))
    monkeypatch.setattr("euclio.scoring.problems.certify", lambda *given: SimpleNamespace(verdict=Verdict.OPEN))
    with pytest.raises(InputError, match=r"optimum of .*: is not proven within 120 s; use a faster machine"):
        source.prove()
