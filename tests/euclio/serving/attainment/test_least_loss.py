"""What no scheduler can serve in time: against closed forms, against simulated tanks, and between the three ways."""

import math
from fractions import Fraction
from itertools import accumulate, pairwise
from random import Random

import numpy as np
import pytest

from euclio.serving.arrivals import gaps_of, on_off_times
from euclio.serving.attainment import least_loss, renewal_loss
from euclio.serving.attainment.least_capacity import Trace
from euclio.serving.setup import Arrivals, Setup

LAWS = (Setup(), Setup("gamma", cv=2.0), Setup("gamma", cv=0.5), Setup("bursty"), Setup("on-off", on_s=0.2, off_s=0.3))
RATE = 10.0


def gaps(setup, count, seed=1):
    """Gaps in mean gaps, as simulations draw them."""
    stream = np.random.default_rng(seed)
    if setup.arrivals is Arrivals.ON_OFF:
        return np.diff(next(on_off_times(setup.on_s, setup.off_s, RATE, stream, count, 1e9))) * RATE
    return gaps_of(setup, RATE, stream)(count)


def turned_away(drawn, load, buffer, whole):
    """Share that a tank turns away of units of work that come with these gaps."""
    level = lost = 0.0
    for gap in drawn:
        room = buffer - level
        taken = (1.0 if room >= 1 else 0.0) if whole else min(1.0, room)
        lost += 1 - taken
        level = max(0.0, level + taken - gap / load)
    return lost / len(drawn)


@pytest.mark.fifth("load")
@pytest.mark.parametrize(("load", "room"), [("0.8", 6), ("0.9", 9.5), ("0.5", 3)])
def test_a_queue_in_order_is_longer_than_there_is_room_for_as_often_as_in_a_simulation(load, room):
    """Of the queue M/D/1, by Lindley's recursion over 400,000 requests."""
    level, above, drawn = 0.0, 0, gaps(Setup(), 400_000)
    for gap in drawn:
        above += level + 1 > room
        level = max(0.0, level + 1 - gap / float(load))
    found = float(least_loss.least_share_in_order(Fraction(load), Fraction(room)))
    assert found == pytest.approx(above / len(drawn), rel=0.1)


def test_a_queue_at_full_load_has_no_share_in_time():
    assert least_loss.least_share_in_order(Fraction(1), Fraction(100)) == 1
    assert least_loss.least_share_in_order(Fraction(1, 2), Fraction(1, 2)) == 1


def test_the_exponential_function_is_between_its_bounds():
    for value in (Fraction(0), Fraction(1, 3), Fraction(1), Fraction(29, 7), Fraction(40)):
        found = least_loss.exponential(value, 200)
        low, high = (Fraction(n, 1 << 200) for n in (found.low, found.high))
        assert low <= high <= low * (1 + Fraction(1, 1 << 90))
        assert float(low) == pytest.approx(math.exp(value), rel=1e-14)


def test_erlangs_sum_below_one_request_is_an_exponential():
    """e(x) = exp(ρx) for x < 1, as only its first term is there."""
    low, high = least_loss.erlang_sum(Fraction(4, 5), Fraction(1, 2))
    assert low <= high
    assert float(low) == pytest.approx(math.exp(0.4), rel=1e-12)


def test_one_place_loses_as_erlangs_formula():
    """K = 1: a request is taken if the tank is empty, so that ρ/(1 + ρ) are lost: 1/3 at ρ = 1/2."""
    found = least_loss.least_share_of_requests(Fraction(1, 2), Fraction(1))
    assert found <= Fraction(1, 3)
    assert float(found) == pytest.approx(1 / 3, rel=1e-12)


def test_full_load_loses_one_in_twice_the_buffer():
    """At ρ = 1 a large buffer k loses about 1/(2k): the diffusion between two brims has a uniform level."""
    assert float(least_loss.least_share_of_work(Fraction(1), Fraction(50))) == pytest.approx(0.01, rel=0.02)


@pytest.mark.parametrize("whole", [True, False])
def test_sums_that_cancel_are_computed_with_enough_digits(whole):
    """At 300 requests terms are over 10¹⁰⁰ times the sum; the share falls as the buffer grows, and stays positive."""
    share = least_loss.least_share_of_requests if whole else least_loss.least_share_of_work
    found = [share(Fraction(98, 100), Fraction(k)) for k in (100, 200, 300)]
    assert all(0 < b < a for a, b in pairwise(found))


@pytest.mark.parametrize("load", [Fraction(1, 2), Fraction(9, 10), Fraction(1), Fraction(13, 10)])
@pytest.mark.parametrize("whole", [True, False])
def test_more_room_and_less_load_lose_no_more(load, whole):
    """Bisection for the least capacity rests on it."""
    share = least_loss.least_share_of_requests if whole else least_loss.least_share_of_work
    found = [share(load * Fraction(20, 20 + k), Fraction(k + 20, 4)) for k in range(12)]
    assert found == sorted(found, reverse=True)


@pytest.mark.fifth("setup")
@pytest.mark.parametrize("setup", LAWS, ids=lambda s: f"{s.arrivals}-{s.cv:g}")
@pytest.mark.parametrize(("load", "buffer"), [("0.7", "3.5"), ("0.9", "6.2"), ("1", "20"), ("1.1", "2")])
@pytest.mark.parametrize("whole", [True, False])
def test_no_tank_loses_less(setup, load, buffer, whole):
    """A bound above what a tank turns away would prove what is not so; one far below would prove nothing."""
    load, buffer = Fraction(load), Fraction(buffer)
    found = float(renewal_loss.least_share(renewal_loss.gaps_of(setup, RATE), load, buffer, whole=whole))
    played = turned_away(gaps(setup, 60_000), float(load), float(buffer), whole)
    assert found <= played + 0.008
    assert found >= 0.6 * played - 0.008


@pytest.mark.parametrize("whole", [True, False])
def test_poisson_gaps_lose_no_more_by_the_chain_than_by_the_sum(whole):
    """The chain gives work away, the sum does not: two derivations of one number."""
    known = renewal_loss.gaps_of(Setup(), RATE)
    for load, buffer in (
        (Fraction(1, 2), Fraction(3, 2)),
        (Fraction(4, 5), Fraction(4)),
        (Fraction(6, 5), Fraction(9)),
    ):
        chain = renewal_loss.least_share(known, load, buffer, whole=whole)
        exact = (least_loss.least_share_of_requests if whole else least_loss.least_share_of_work)(load, buffer)
        assert 0.85 * exact <= chain <= exact


@pytest.mark.parametrize("whole", [True, False])
def test_a_trace_loses_what_its_tank_turns_away(whole):
    """Over ten cycles a tank turns away no less a share than in the one that begins empty."""
    rng = Random(3)
    times = tuple(accumulate(rng.expovariate(1 + (k // 50) % 2) for k in range(1001)))
    trace = Trace(times)
    load, buffer = Fraction(19, 20), Fraction(7, 2)
    found = trace.least_share(load, buffer, whole=whole)
    recorded = np.diff(times)
    played = turned_away(np.tile(recorded / recorded.mean(), 10), float(load), float(buffer), whole)
    assert 0.9 * played <= found <= played + 1e-9
