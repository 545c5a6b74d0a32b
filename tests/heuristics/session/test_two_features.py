"""Three configurations survive the dummy generator on cheaper hardware only (docs/findings/two-features.md)."""

import random
from fractions import Fraction

import pytest

from euclio import solve
from euclio.problems.session import Configuration, Hardware, Module, Session

SEEDS = range(400)
PRICES = {"one": {"a": "1"}, "two": {"a": "2.07", "b": "3.06"}, "far apart": {"a": "1", "b": "4.5"}}


def random_session(seed: int, prices: dict[str, str]) -> Session:
    """One module whose batches run on all hardware types; more expensive ones are faster."""
    chance = random.Random(seed)
    profile = []
    for hardware, price in prices.items():
        duration = Fraction(chance.randint(4, 12), 100) / (Fraction(price) / chance.choice([1, 2]))
        for batch in (1, 2, 4, 8, 16):
            profile.append(Configuration(hardware, batch, 1, round(duration, 4)))
            duration *= Fraction(chance.randint(115, 195), 100)
    kinds = [Hardware(name, price) for name, price in prices.items()]
    module = Module("m", chance.randint(20, 400), profile)
    return Session(f"module-{seed}", Fraction(chance.randint(20, 150), 100), kinds, [module])


def plans(solver: str, prices: dict[str, str]) -> list[tuple[Session, tuple]]:
    found = []
    for seed in SEEDS:
        session = random_session(seed, prices)
        result = solve(session, solver)
        if result.plan is not None:
            found.append((session, result.plan.modules[0].allocations))
    return found


@pytest.mark.fifth("prices")
@pytest.mark.parametrize("prices", PRICES.values(), ids=PRICES)
def test_middle_configurations_together_are_cheaper_than_the_first(prices):
    for session, used in plans("harpagon:0re", prices):
        if len(used) > 2:
            first, *middle = (session.price[a.configuration.hardware] for a in used[:-1])
            assert sum(middle) < first


def test_with_one_price_no_third_configuration_survives_and_without_dummies_many_do():
    assert all(len(used) <= 2 for _, used in plans("harpagon:0re", PRICES["one"]))
    assert sum(len(used) > 2 for _, used in plans("harpagon:nd", PRICES["one"])) > len(SEEDS) / 20


def test_with_prices_far_apart_some_do():
    assert any(len(used) > 2 for _, used in plans("harpagon:0re", PRICES["far apart"]))
