"""The least sum of whole prices from an amount on: next to plain enumeration."""

from fractions import Fraction
from itertools import product
from random import Random

import pytest

from euclio.problems.session.bought_whole import MOST_UNITS, least_sum


@pytest.mark.parametrize(
    ("prices", "amount", "least"),
    [
        (("0.35", "0.71", "2.48"), "0.5836", "0.70"),
        (("0.35", "0.71", "2.48"), "0.70", "0.70"),
        (("0.35", "0.71", "2.48"), "0.7001", "0.71"),
        (("2.48",), "0.6", "2.48"),
        (("0", "2"), "3", "4"),
        (("0",), "3", "3"),
        (("2",), "0", "0"),
    ],
)
def test_known_sums(prices, amount, least):
    assert least_sum(map(Fraction, prices), Fraction(amount)) == Fraction(least)


def test_an_amount_stays_where_there_are_too_many_sums():
    amount = Fraction(MOST_UNITS)
    assert least_sum([Fraction(2, 3)], amount) == amount


@pytest.mark.parametrize("seed", range(60))
def test_it_is_the_least_of_all_sums(seed):
    """The search over sums of machines against all of them."""
    random = Random(seed)
    prices = [Fraction(random.randint(1, 12), random.choice((1, 2, 3, 10))) for _ in range(random.randint(1, 3))]
    amount = Fraction(random.randint(1, 30), 7)
    counts = [range(int(amount / price) + 2) for price in prices]
    sums = (sum(n * p for n, p in zip(numbers, prices, strict=True)) for numbers in product(*counts))
    assert least_sum(prices, amount) == min(total for total in sums if total >= amount)
