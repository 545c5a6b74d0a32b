"""What whole machines can take for their money, against all numbers of machines."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from formulations.session.module.covers import may_cover


def _covers(machines: list[tuple[float, float]]) -> np.ndarray:
    """Machines (price, throughput) as `look_up_covers` has them, from one configuration on."""
    covers = np.zeros((3, 3))
    for h, (price, throughput) in enumerate(machines):
        covers[0, h], covers[2, h] = throughput, price
    return covers


def test_a_machine_more_costs_too_much_though_the_rate_is_affordable_at_best_unit_cost():
    """100 rps at 0.1 are 10.0 per hour, and ten whole machines of 9 rps at 0.9 take 90 rps for 9; an 11th costs 9.9."""
    covers = _covers([(0.9, 9.0)])
    assert not may_cover(covers, 0, 98.0, 9.89)
    assert may_cover(covers, 0, 98.0, 9.9 * (1 + 1e-12))


def test_without_prices_nothing_is_ruled_out():
    """A module whose prices are too many says nothing."""
    assert may_cover(np.zeros((3, 3)), 0, 5.0, 0.0)


@pytest.mark.parametrize("seed", range(40))
def test_no_numbers_of_machines_do_where_it_says_no(seed):
    """Guards the bounds on how many machines of the two other prices are tried, which plans would be lost by."""
    rng = random.Random(seed)
    machines = [(rng.randint(1, 30) / 10, rng.randint(1, 200) / 10) for _ in range(rng.randint(1, 3))]
    covers = _covers(machines)
    numbers = list(itertools.product(range(13), repeat=len(machines)))
    for _ in range(50):
        rate = rng.randint(1, 400) / 10
        money = rng.choice([rng.randint(1, 90) / 10, sum(p * rng.randint(0, 3) for p, _ in machines)])
        possible = any(
            sum(n * p for n, (p, _) in zip(tried, machines, strict=True)) <= money + 1e-9
            and sum(n * t for n, (_, t) in zip(tried, machines, strict=True)) >= rate
            for tried in numbers
        )
        if possible:
            assert may_cover(covers, 0, rate * (1 - 1e-12), money + 2e-9)
