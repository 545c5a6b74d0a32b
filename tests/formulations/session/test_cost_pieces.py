"""The whole least cost by SLO against enumeration, against solving one by one, and on DAGs that do not fall apart."""

import itertools
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from random_splittings import longest_path, random_splitting
from whole_enumeration import enough_of_each, modes

from euclio.core.registry import Limits
from euclio.core.solving import solve
from euclio.problems.session import FULL_SPACE, DummyRule, PlanSpace, Session, evaluate
from euclio.problems.session import longest_path as session_longest_path
from euclio.problems.session.rules import Charging
from euclio.questions.cost_curve import cost_curve
from formulations.effort import UndecidedError
from formulations.session import curve as merging
from formulations.session.curve import Choices, Merge, components, cost_pieces
from tests.drawn.small_sessions import bought_session, small_session

SPACES = (
    FULL_SPACE,
    PlanSpace(dummy=DummyRule.NONE),
    PlanSpace(max_allocations=2),
    PlanSpace(policy="rr"),
    PlanSpace(policy="machine-rate", single_hardware=True),
    PlanSpace(dummy=DummyRule.NONE, charging=Charging.WHOLE),
)
LATE = Fraction(1, 10**8)
"""Share of an objective below a step that may be left open, which is ten times what is where each step is solved."""


def paths(session: Session, space: PlanSpace) -> list[tuple[Fraction, Fraction]]:
    """Longest path and cost of every choice of one undominated plan per module."""
    found = []
    for own in [space.on(h.name) for h in space.hardware_of(session)] if space.single_hardware else [space]:
        for chosen in itertools.product(*(modes(session, m, own, enough_of_each) for m in session.modules)):
            latency = session_longest_path(session, [seconds for seconds, _, _ in chosen])[0]
            found.append((latency, sum((cost for _, cost, _ in chosen), Fraction(0))))
    return sorted(found)


def least(every: list[tuple[Fraction, Fraction]], slo: Fraction) -> Fraction | None:
    return min((cost for latency, cost in every if latency <= slo), default=None)


def alike(a: Fraction | None, b: Fraction | None) -> bool:
    return a == b if a is None or b is None else abs(a - b) <= b / 10**9


@pytest.mark.parametrize("seed", range(30))
def test_the_whole_function_is_that_of_enumeration(seed: int) -> None:
    """Ties between modules and floats as rates: at every latency that a plan can have, the cost is the least there."""
    space = SPACES[seed % len(SPACES)]
    session = bought_session(seed)
    start, end = session.slo_s / 3, session.slo_s * 3
    every = paths(replace(session, slo_s=end), space)
    curve = cost_curve(session, space=space, between=(start, end))
    assert curve.proven
    assert (curve.steps[0].start, curve.steps[-1].end) == (start, end)
    for latency in {start, end, *(latency for latency, _ in every if start <= latency <= end)}:
        step = curve.at(latency)
        if step is None:
            after = next(step for step in curve.steps if step.start > latency)
            assert after.start - latency <= after.start * LATE
        else:
            assert alike(step.cost_per_h, least(every, latency))


@pytest.mark.parametrize("seed", range(10))
def test_plans_cost_what_is_proven_of_them(seed: int) -> None:
    """The checker finds the cost that is bounded, and each plan no slower than where its piece ends."""
    session = small_session(seed)
    pieces = cost_pieces(session, FULL_SPACE, Limits(), session.slo_s / 2, session.slo_s * 2)
    assert pieces is not None
    bounds = [piece.bound for piece in pieces if piece.plan is not None]
    assert bounds == sorted(bounds, reverse=True)
    for piece in pieces:
        if piece.plan is not None:
            checked = evaluate(replace(session, slo_s=piece.until_s), piece.plan, FULL_SPACE)
            assert checked.feasible
            assert float(checked.cost_per_h) == pytest.approx(piece.bound, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_it_says_what_solving_one_by_one_does(seed: int) -> None:
    """Against `exact` at objectives that are drawn, and at and just above the steps, where floats tie."""
    session, space = small_session(1000 + seed), SPACES[seed % len(SPACES)]
    start, end = session.slo_s / 2, session.slo_s * 2
    curve, draw = cost_curve(session, space=space, between=(start, end)), random.Random(seed)
    assert curve.proven
    asked = [Fraction(draw.uniform(float(start), float(end))) for _ in range(10)]
    asked += [step.start for step in draw.sample(curve.steps, min(5, len(curve.steps)))]
    for slo in asked:
        step = curve.at(slo)
        if step is not None:
            assert alike(step.cost_per_h, solve(replace(session, slo_s=slo), "exact", space=space).value)


@pytest.mark.parametrize("seed", range(10))
def test_choices_on_any_dag_are_those_of_enumeration(seed: int) -> None:
    """Few of these DAGs are series-parallel: they fall apart only with the mode of a module fixed."""
    p = random_splitting(seed, 6, 3, "non-convex", 0.5)
    found, latencies, costs = _merged(p, 10**9)
    best: list[tuple[int, int]] = []
    chosen = itertools.product(range(3), repeat=6)
    totals = ((longest_path(p.edges, _at(latencies, c)), sum(_at(costs, c))) for c in chosen)
    for latency, cost in sorted(totals):
        if not best or cost < best[-1][1]:
            best.append((latency, cost))
    assert list(zip(found.latency.tolist(), found.cost.tolist(), strict=True)) == best
    for latency, cost, taken in zip(found.latency, found.cost, found.taken, strict=True):
        assert (longest_path(p.edges, _at(latencies, taken)), sum(_at(costs, taken))) == (latency, cost)


def test_too_many_choices_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks is told at once, and solves one objective after the other."""
    monkeypatch.setattr(merging, "MOST_PAIRS", 10)
    with pytest.raises(UndecidedError):
        _merged(random_splitting(0, 6, 3, "non-convex", 0.5), 10**9)


def _at(rows: list[list[int]], chosen: tuple[int, ...]) -> list[int]:
    return [row[i] for row, i in zip(rows, chosen, strict=True)]


def _merged(p, longest: int) -> tuple[Choices, list[list[int]], list[list[int]]]:
    """The choices of a splitting problem, its latencies in milliseconds and its costs in parts of 10,000."""
    latencies = [[round(1000 * value) for value in row] for row in p.latencies]
    costs = [[round(10_000 * value) for value in row] for row in p.costs]
    rows = []
    for m, (latency, cost) in enumerate(zip(latencies, costs, strict=True)):
        taken = np.full((len(latency), len(latencies)), -1)
        taken[:, m] = range(len(latency))
        rows.append(Choices(np.array(latency), np.array(cost), taken))
    return Merge(longest).merged(components(p.edges, range(len(rows)), rows)), latencies, costs
