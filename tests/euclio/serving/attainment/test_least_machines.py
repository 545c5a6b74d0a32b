"""Needs of whole machines: spans, windows and batches, by hand and against what they are made from."""

import math
from bisect import bisect_left
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.space import PlanSpace
from euclio.proving.session.counts import lost
from euclio.serving.attainment import Demand, least_machines
from euclio.serving.attainment.least_loss import fewest_at_once, least_work_at_once
from euclio.serving.attainment.least_machines import least_price
from euclio.serving.attainment.lower_bound import least_cost
from euclio.serving.attainment.margins import spare_space
from euclio.serving.session import Setup

SPARE = spare_space(PlanSpace(charging="whole"))


def erlang(load, servers):
    """Erlang's loss formula as it is printed, in fractions."""
    terms = [load**k / math.factorial(k) for k in range(servers + 1)]
    return terms[-1] / sum(terms)


@pytest.mark.parametrize("load", [Fraction(1, 10), Fraction(1), Fraction(7, 2), Fraction(20)])
@pytest.mark.parametrize("late", [Fraction(1, 2), Fraction(1, 100), Fraction(1, 10000)])
def test_fewest_is_where_the_formula_falls_below(load, late):
    n = fewest_at_once(load, late)
    assert erlang(load, n) <= late
    assert n == 0 or erlang(load, n - 1) > late


@pytest.mark.parametrize(("load", "servers"), [(0.3, 0), (0.3, 2), (4.0, 3), (4.0, 9), (60.0, 80)])
def test_the_prover_has_the_same_formula_from_below(load, servers):
    exact = float(erlang(Fraction(load), servers))
    assert exact * (1 - 1e-6) <= lost(load, servers) <= exact


@pytest.mark.parametrize("load", [Fraction(1, 2), Fraction(3), Fraction(10)])
def test_work_in_part_needs_no_more_than_whole_requests(load):
    """It lies within a request of what is needed where none is taken in part, and never above it."""
    for late in (Fraction(1, 3), Fraction(1, 20), Fraction(1, 1000)):
        whole, part = fewest_at_once(load, late), least_work_at_once(load, late)
        assert whole - 1 <= part <= whole


@pytest.mark.parametrize("seed", range(20))
def test_covering_finds_what_enumeration_finds(seed):
    """The bound of a plan under random arrivals rests on this cover: one that is too expensive proves too much."""
    rng = Random(seed)
    kinds, rows = rng.randint(1, 4), rng.randint(1, 4)
    prices = [rng.choice((0.5, 1, 1.7, 3)) for _ in range(kinds)]
    gives = [[rng.choice((0, 1, 2, 3.5)) for _ in range(rows)] for _ in range(kinds)]
    needs = [rng.choice((0, 1, 3, 5)) for _ in range(rows)]
    best = math.inf
    for counts in product(range(6), repeat=kinds):
        given = [sum(n * give[row] for n, give in zip(counts, gives, strict=True)) for row in range(rows)]
        if all(have >= need for have, need in zip(given, needs, strict=True)):
            best = min(best, sum(n * price for n, price in zip(counts, prices, strict=True)))
    assert least_price(prices, gives, needs) == pytest.approx(best)


def single(slo, rate="10", **more):
    return Session("one", slo, [Hardware("g", 1)], [Module("a", rate, [Configuration("g", 1, 1, "0.08")])], **more)


def test_no_room_for_a_second_batch_by_hand():
    """SLO 0.1, one batch in 0.08: a request that comes less than 0.06 after n others within reach has no machine.

    Within a window and that span a machine executes one. Of 0.6 requests 1 % at most may find all n taken: B(3, 0.6) is
    0.0198, B(4, 0.6) 0.003, so that it takes four machines; capacity alone asks for two.
    """
    assert erlang(Fraction(3, 5), 3) > Fraction(1, 100) > erlang(Fraction(3, 5), 4)
    assert least_cost(single("0.1"), SPARE, Demand(0.99, Setup())) >= 4


def test_windows_are_those_of_the_machines_that_a_plan_has():
    """With slow machines only in b, a has 0.2 less; a bound by parts is no higher than that of any part."""
    hardware = [Hardware("slow", 1), Hardware("fast", 9)]
    modules = [
        Module("a", 10, [Configuration("slow", 1, 1, "0.09")]),
        Module("b", 10, [Configuration("slow", 1, 1, "0.3"), Configuration("fast", 1, 1, "0.05")]),
    ]
    session = Session("two", "0.45", hardware, modules, [("a", "b")])
    without = Session("fast", "0.45", hardware, [modules[0], Module("b", 10, modules[1].profile[1:])], [("a", "b")])
    slow = Session("slow", "0.45", hardware, [modules[0], Module("b", 10, modules[1].profile[:1])], [("a", "b")])
    demand = Demand(0.99, Setup())
    both, alone = least_cost(session, SPARE, demand), least_cost(slow, SPARE, demand)
    assert both <= min(alone, least_cost(without, SPARE, demand)) * (1 + 1e-9)
    assert alone > 8


def test_other_charging_is_left_to_capacity():
    assert least_cost(single("0.1"), spare_space(PlanSpace(charging="share")), Demand(0.99, Setup())) is None


SIZES = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 60)), min_size=1, max_size=4, unique_by=lambda own: own[0])


@given(SIZES, st.sampled_from((1 << 14, 5)), st.data())
def test_a_slot_executes_what_a_list_that_is_long_enough_says(rows, listed, data):
    """Times behind the begin of the list follow by the fastest batch; where they do not, too many are counted."""
    sizes = tuple((batch, Fraction(d, least_machines.TICKS)) for batch, d in rows)
    least_machines.slot_of.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(least_machines, "MOST_LISTED", listed)
        slot = least_machines.slot_of(sizes)
    least_machines.slot_of.cache_clear()
    times = [0]
    while len(times) < 400:
        times.append(min(times[max(0, len(times) - batch)] + d for batch, d in rows))
    time = data.draw(st.integers(0, times[-1]))
    exact = max(0, bisect_left(times, time) - 1)
    assert slot.within(time) == exact if slot.repeats else slot.within(time) >= exact
    assert all(rise > time // 2 for rise in slot.rises(time // 2, time))


def test_a_fast_machine_next_to_a_slow_one_is_asked_for_no_more_than_it_executes():
    """B takes 20.1 ms, A 0.92 s: within the longest span, 6.36 s, and the window of 1 s B executes 366 requests.

    B(329, 48·6.36) is at most 1 %, so that one B passes every cut; a list of its times that ended at the longest of A's
    spans but one had 325, and asked for two. Served with what is hopeless dropped, one keeps 99.89 %.
    """
    hardware = [Hardware("B", 1), Hardware("A", 1)]
    profile = [Configuration("B", 1, 1, "0.0201"), Configuration("A", 1, 1, "0.92")]
    session = Session("x", 1, hardware, [Module("m", 48, profile)])
    assert least_cost(session, SPARE, Demand(0.99, Setup())) <= 1


@pytest.mark.parametrize(("give", "need", "count"), [(4.12, 12.36000001236, 3), (5.41, 194.76000019476, 36)])
def test_a_cover_of_whole_multiples_is_found(give, need, count):
    """12.36000001236 less 1e-9 of it is 3 times 4.12 and a trace, and the quotient 3: four machines cover it.

    The trace was left over when three were tried and none more, and so "no number of machines does".
    """
    assert count <= least_price([1.0], [[give]], [need]) <= count + 1
