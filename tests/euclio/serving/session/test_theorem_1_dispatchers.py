"""Limits of all dispatchers, and abilities of some: statements of docs/findings/theorem-1.md about dispatchers.

Each is looked for among all dispatchers (`all_dispatchers`), in fractions and without the simulator.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from all_dispatchers import Dispatchers, Machine, worst_s


def module(rates: tuple[int, int], batches: tuple[int, int], factor: Fraction | int = 1) -> tuple[int, list[Machine]]:
    """Two full machines, each on one batch at a time, the first of the higher ratio: d + b/w, times a factor."""
    total = sum(rates)
    durations = [Fraction(b, t) for b, t in zip(batches, rates, strict=True)]
    counted = [durations[0] + Fraction(batches[0], total), durations[1] + Fraction(batches[1], rates[1])]
    found = [Machine(b, d, factor * c) for b, d, c in zip(batches, durations, counted, strict=True)]
    return total, found


def of_the_module(machines: list[Machine]) -> list[Machine]:
    """The same machines, each of which may take as long as the slowest counts on."""
    longest = max(m.bound_s for m in machines)
    return [Machine(m.batch, m.duration_s, longest) for m in machines]


def kept(rate: int, machines: list[Machine], dealt: list[int]) -> bool:
    """Whether requests dealt out so keep all bounds."""
    return all(worst <= m.bound_s for m, worst in zip(machines, worst_s(rate, machines, dealt), strict=True))


def test_the_smallest_plan_breaks_under_runs_of_whole_batches_and_not_under_single_requests() -> None:
    """Statement 5: B gets requests 2, 5, 8, …: A takes 2/3 s of 5/6 s, B 3 s of 4 s. No runs keep both."""
    rate, machines = module((2, 1), (1, 2))
    assert [(m.batch, m.duration_s, m.bound_s) for m in machines] == [(1, Fraction(1, 2), Fraction(5, 6)), (2, 2, 4)]
    assert worst_s(rate, machines, [0, 0, 1] * 200) == [Fraction(2, 3), 3]
    assert Dispatchers(rate, machines).answer().possible
    assert not Dispatchers(rate, machines, runs=True).answer().possible


@pytest.mark.parametrize("batch", [2, 3, 4])
def test_up_to_batch_4_a_dispatcher_keeps_the_pair(batch: int) -> None:
    """Statement 8, second half: the way that is found is served for 50 rounds of it, and keeps 3b/2 and 2 s."""
    rate, machines = module((1, 1), (batch, 1))
    answer = Dispatchers(rate, machines).answer()
    assert answer.possible
    assert kept(rate, machines, [*answer.machines, *answer.machines[answer.again :] * 50])


@pytest.mark.parametrize(("batch", "dealt"), [(2, "AABB"), (3, "AAABBB"), (4, "AAABABBB")])
def test_the_dispatchers_of_the_page_keep_the_pair(batch: int, dealt: str) -> None:
    """Statement 8, second half, as printed: who gets each of the 2b requests of a round, again and again."""
    rate, machines = module((1, 1), (batch, 1))
    assert kept(rate, machines, ["AB".index(name) for name in dealt * 50])


@pytest.mark.parametrize("batch", range(5, 17))
def test_from_batch_5_on_no_dispatcher_keeps_the_pair(batch: int) -> None:
    """Statement 8: A: batch b in b s; B: batch 1 in 1 s; 2 requests per second."""
    assert not Dispatchers(*module((1, 1), (batch, 1))).answer().possible


@pytest.mark.fifth("rates")
@pytest.mark.parametrize(
    ("rates", "batches"), [((1, 1), (7, 5)), ((1, 1), (8, 6)), ((1, 2), (4, 5)), ((1, 2), (5, 7)), ((2, 1), (7, 3))]
)
def test_for_some_modules_no_dispatcher_keeps_what_the_module_counts_on(
    rates: tuple[int, int], batches: tuple[int, int]
) -> None:
    """Statement 10, and the others that the page lists."""
    rate, machines = module(rates, batches)
    assert not Dispatchers(rate, of_the_module(machines)).answer().possible


def test_the_module_of_the_page() -> None:
    """Statement 10: A: batch 7 in 14 s; B: batch 5 in 10 s; 1 request/s: no dispatcher keeps 21 s, some 22 s."""
    machines = [Machine(7, Fraction(14), Fraction(21)), Machine(5, Fraction(10), Fraction(21))]
    assert not Dispatchers(1, machines).answer().possible
    longer = [Machine(m.batch, m.duration_s, Fraction(22)) for m in machines]
    assert Dispatchers(1, longer).answer().possible


NOBODY = {
    (1, 1): "51 52 53 54 56 61 62 64 65",
    (1, 2): "31 35 41 42 43 45 46 51 52 53 54 56 61 62 63 64 65",
    (2, 1): "",
    (1, 3): "31 32 34 35 41 42 43 44 45 51 52 53 54 55 56 61 62 63 64 65 66",
    (3, 1): "",
}
"""The page's table: batches of A and B, up to 6, by the rates of both."""


@pytest.mark.fifth("rates")
@pytest.mark.parametrize("rates", NOBODY)
def test_the_pairs_that_nobody_can_serve(rates: tuple[int, int]) -> None:
    """Which pairs of full machines have no dispatcher that keeps both bounds."""
    batches = [(first, second) for first in range(1, 7) for second in range(1, 7)]
    found = [pair for pair in batches if not Dispatchers(*module(rates, pair)).answer().possible]
    assert " ".join(f"{first}{second}" for first, second in found) == NOBODY[rates]


@pytest.mark.fifth("batch")
@pytest.mark.parametrize("batch", [12, 13])
def test_half_as_much_again_is_not_enough_either(batch: int) -> None:
    """Statement 9 at κ = 3/2, 5 requests per second: batch 12 is possible, 13 is not, where the proof has its limit."""
    rate, machines = module((1, 4), (batch, 1), Fraction(3, 2))
    assert Dispatchers(rate, machines).answer().possible == (batch < 13)


@pytest.mark.parametrize("seed", range(200))
def test_nobody_is_served_in_its_silent_time(seed: int) -> None:
    """Statement 7 and its use: where the burst of a silent time is too much for B, the search finds no dispatcher."""
    stream = Random(f"silent/{seed}")
    rates = (stream.randint(1, 2), stream.randint(1, 6))
    batches = (stream.randint(2, 9), 1)
    rate, (a, b) = module(rates, batches)
    silent = 2 * a.duration_s - a.bound_s
    burst = -(-silent * rate // 1) - 1
    too_much = burst > 0 and burst * b.duration_s > b.bound_s + (burst - 1) / Fraction(rate)
    if too_much:
        assert not Dispatchers(rate, [a, b]).answer().possible


@pytest.mark.parametrize("seed", range(20))
def test_a_way_that_is_found_is_kept_when_it_is_served(seed: int) -> None:
    """The search says "possible" for a reason: what it found is served again, apart from it."""
    stream = Random(f"ways/{seed}")
    rate, machines = module((stream.randint(1, 3), 1), (stream.randint(1, 4), stream.randint(1, 3)))
    answer = Dispatchers(rate, machines).answer()
    if answer.possible and all(m.batch == 1 or answer.machines.count(k) for k, m in enumerate(machines)):
        dealt = [*answer.machines, *answer.machines[answer.again :] * 40]
        assert kept(rate, machines, dealt)
