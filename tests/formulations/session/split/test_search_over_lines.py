"""Lines below the costs of modules under rule `continuous`, and the choice among lines, against plain sampling."""

import random

import numpy as np
import pytest

from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.arrays import SessionArrays, session_arrays
from euclio.problems.session.policies import POLICIES
from formulations.session.module.continuous import continuous_problem, search_continuous
from formulations.session.module.line import search_line
from formulations.session.split.course import unwatched
from formulations.session.split.modes import new_modes
from formulations.session.split.search import search_choices

SAMPLES = 41


def module_case(seed: int) -> tuple[SessionArrays, float]:
    """A module of up to four configurations, and the longest of their durations."""
    chance = random.Random(seed)
    hardware = [Hardware("a", 1), Hardware("b", chance.choice(["0.3", "2.5"]))]
    profile = {
        (name, batch): Configuration(name, batch, chance.choice([1, 2]), f"{chance.uniform(0.1, 0.6):.3f}")
        for name, batch in [(chance.choice("ab"), chance.choice([1, 2, 4, 8])) for _ in range(4)]
    }
    session = Session("line", 10, hardware, [Module("m", f"{chance.uniform(1, 60):.2f}", list(profile.values()))])
    space = PlanSpace(chance.choice(POLICIES), "continuous", chance.choice([None, 1, 2]))
    return session_arrays(session, space), max(float(c.duration_s) for c in profile.values())


def cost_at(arrays: SessionArrays, budget: float) -> float:
    return search_continuous(continuous_problem(arrays, 0, budget), 0.0, 1 << 20).cost


@pytest.mark.parametrize("seed", range(120))
def test_no_plan_of_the_interval_is_below_the_line(seed: int) -> None:
    """And some plan comes near to it: to that of the samples that is nearest."""
    arrays, longest = module_case(seed)
    chance = random.Random(-seed)
    left = longest * chance.uniform(0.6, 3)
    right = left * (1 + chance.choice([0.5, 0.05, 0.001]))
    high, low = cost_at(arrays, left), cost_at(arrays, right)
    if not np.isfinite(high) or high == low:
        return
    slope = (high - low) / (right - left)
    found = search_line(continuous_problem(arrays, 0, right), left, slope, high, 0.0, 1 << 20)
    assert found.complete
    x = np.linspace(left, right, SAMPLES)
    sums = np.array([cost_at(arrays, budget) for budget in x]) + slope * (x - left)
    assert found.start <= sums.min() * (1 + 1e-9)
    # Costs never rise with the budget, so between two samples no sum is below the later one less a step of time.
    assert found.start >= sums.min() - (high - low) / (SAMPLES - 1) - 1e-9 * high


@pytest.mark.parametrize("seed", range(120))
def test_search_finds_the_cheapest_latencies_of_a_chain(seed: int) -> None:
    """The best of two or three modules lies where all but one are at a point, and the last one takes what is left."""
    chance = random.Random(seed)
    size = chance.choice([2, 3])
    modules = [Module(f"m{i}", 1, [Configuration("a", 1, 1, 1)]) for i in range(size)]
    edges = [(f"m{i}", f"m{i + 1}") for i in range(size - 1)]
    arrays = session_arrays(Session("chain", 100, [Hardware("a", 1)], modules, edges), PlanSpace())
    modes, leads = new_modes(size, 8), np.zeros((size, 8), np.bool_)
    for m in range(size):
        modes.size[m] = points = chance.randint(1, 7)
        modes.latency[m, :points] = sorted(chance.sample(range(10, 100), points))
        modes.cost[m, :points] = sorted((chance.uniform(1, 10) for _ in range(points)), reverse=True)
        leads[m, : points - 1] = [chance.random() < 0.6 for _ in range(points - 1)]
    least = sum(modes.latency[m, 0] for m in range(size))
    arrays = arrays._replace(slo=least + chance.uniform(0, 120))

    def bound(m: int, latency: float) -> float:
        points = int(modes.size[m])
        i = int(np.searchsorted(modes.latency[m, :points], latency * (1 + 1e-13), side="right")) - 1
        if i < 0:
            return np.inf
        if i == points - 1 or not leads[m, i]:
            return float(modes.cost[m, i])
        return float(np.interp(latency, modes.latency[m, i : i + 2], modes.cost[m, i : i + 2]))

    best = np.inf
    for free in range(size):
        others = [m for m in range(size) if m != free]
        for at in np.ndindex(*(int(modes.size[m]) for m in others)):
            taken = [float(modes.latency[m, i]) for m, i in zip(others, at, strict=True)]
            cost = sum(float(modes.cost[m, i]) for m, i in zip(others, at, strict=True))
            best = min(best, cost + bound(free, arrays.slo - sum(taken)))
    found = search_choices(arrays, modes, leads, np.inf, 1e-12, np.inf, unwatched())
    assert found.complete
    assert found.cost == pytest.approx(best, rel=1e-9)
    assert found.bound == pytest.approx(best, rel=1e-9)
    assert found.latency.sum() <= arrays.slo * (1 + 1e-9)
