"""Solver `cpsat-split`: latency splitting over frontiers in whole numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from euclio.core.registry import Limits
from euclio.core.result import WarmStart
from euclio.core.solving import solve
from formulations.session.split.problem import Mode, SplitProblem
from formulations.session.split.proof import solve_split
from tests.drawn.small_sessions import small_session

pytest.importorskip("ortools")
from formulations.session.cpsat.split import builder


def chain(slo: str, *modules: list[tuple[str, str]]) -> SplitProblem:
    """A chain of modules with (latency, cost) modes."""
    count = len(modules)
    return SplitProblem(
        modules=tuple(f"M{i}" for i in range(count)),
        edges=tuple((i, i + 1) for i in range(count - 1)),
        order=tuple(range(count)),
        slo_s=Fraction(slo),
        delays=(Fraction(0),) * (count - 1),
        ends=(*(None,) * (count - 1), Fraction(0)),
        modes=tuple(tuple(Mode(Fraction(s), Fraction(c)) for s, c in modes) for modes in modules),
    )


MODES = [("0.3", "1"), ("0.2", "2"), ("0.1", "4")]


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_brute_force(seed):
    """The split over steps in another engine, against all splits."""
    best, found = (solve(small_session(seed), name) for name in ("plan-bruteforce", "cpsat-split"))
    assert (found.status, found.value) == (best.status, best.value)


def test_latency_equal_to_the_slo_is_within():
    assert solve_split(chain("0.5", MODES, MODES), builder(Limits())).cost == 3


def test_latency_just_above_the_slo_is_refused_and_the_scale_refined():
    """At the coarse scale 0.5 and 0.4999999 s are the same number of units."""
    search = solve_split(chain("0.4999999", MODES, MODES), builder(Limits()))
    assert (search.cost, search.stats["refused"]) == (4, 1)


def test_what_the_finest_scale_cannot_distinguish_is_cut_off():
    """0.5 and 0.5 - 1e-12 s are the same number of units at every scale."""
    search = solve_split(chain("0.499999999999", MODES, MODES), builder(Limits()))
    assert search.cost == 4
    assert search.bound <= 4


def test_no_split_within_the_slo_is_proven():
    assert solve_split(chain("0.199999999999", MODES, MODES), builder(Limits())).infeasible


def test_module_without_a_mode_is_infeasible():
    assert solve_split(chain("1", MODES, []), builder(Limits())).infeasible


def test_bound_never_exceeds_the_cost():
    third = [("0.3", "1/3"), ("0.2", "2/3"), ("0.1", "4/3")]
    search = solve_split(chain("0.5", third, third), builder(Limits()))
    assert search.bound <= search.cost == 1


def test_warm_start_is_used():
    assert solve(small_session(1), "cpsat-split", warm_start="plan-bruteforce").warm_start is WarmStart.USED
