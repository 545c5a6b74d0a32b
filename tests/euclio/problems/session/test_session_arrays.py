"""Arrays of a session: floats that are the nearest ones, ranks that fractions decide where floats cannot."""

import random
from fractions import Fraction
from itertools import pairwise

import numpy as np

from euclio.core.code_cache import described
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.arrays import FLOATS_COUNT, session_arrays
from euclio.problems.session.evaluate import rank_key


def _nasty(rng: random.Random) -> Fraction:
    """A duration in seconds: short decimals, whole numbers, and fractions of all the digits that a float has."""
    last = FLOATS_COUNT - 1 - rng.randrange(3)
    return rng.choice(
        [
            Fraction(rng.randrange(1, 10**6), 10**6),
            Fraction(rng.randrange(1, 9)),
            Fraction(rng.randrange(1, FLOATS_COUNT), rng.randrange(FLOATS_COUNT // 2, FLOATS_COUNT)),
            Fraction(last, FLOATS_COUNT - 1 - rng.randrange(3)),
            Fraction(10**6, last),
            # More digits than a float holds: these are divided one by one.
            Fraction(FLOATS_COUNT + 1, 3 * 10**15),
            Fraction(7 * 10**6, 2 * FLOATS_COUNT + 1),
        ]
    )


def _session(seed: int, modules: int = 1) -> Session:
    rng = random.Random(seed)
    hardware = [Hardware("a", "1"), Hardware("b", "2.5")]
    made = []
    for m in range(modules):
        profile = {}
        for _ in range(12):
            c = Configuration(rng.choice("ab"), rng.randrange(1, 65), rng.randrange(1, 3), _nasty(rng))
            profile[c.hardware, c.batch, c.concurrency] = c
        rate = Fraction(rng.randrange(1, 10**6), rng.choice([10**6 + 3, 1])) + Fraction(rng.randrange(2), 10**17 + 1)
        made.append(Module(f"m{m}", rate, list(profile.values())))
    edges = [(f"m{m}", f"m{m + 1}") for m in range(modules - 1)]
    return Session("nasty", 10**6, hardware, made, edges)


def test_high_and_low_are_the_nearest_floats():
    """Searches decide ties by both together, so a last digit that is off would be a wrong proof one day."""
    for seed in range(300):
        session = _session(seed)
        arrays = session_arrays(session, PlanSpace())
        exact = [session.modules[0].profile[k].throughput_rps for k in arrays.profile_index]
        highs, lows = [*arrays.throughput, *arrays.rate], arrays.low
        for value, high, low in zip([*exact, session.modules[0].rate_rps], highs, lows, strict=True):
            assert high == float(value)
            assert low == float(value - Fraction(high))


def test_arrays_of_every_session_are_of_the_types_that_are_compiled():
    """Machine code is made of types, a layout among them: of one strided column every search is compiled once more.

    That is minutes of waiting where everything had been compiled; one module alone shows no stride.
    """
    spaces = PlanSpace(), PlanSpace(hardware=("a",)), PlanSpace(batching=False), PlanSpace(charging="whole")
    types = {
        repr(described(tuple(session_arrays(_session(seed, modules), space))))
        for seed in range(60)
        for modules in (1, 2, 5)
        for space in spaces
    }
    assert len(types) == 1


def test_ranks_are_those_of_the_checker_at_ties():
    """Ratios that differ by less than floats show, and ratios that are equal, stand side by side in every profile."""
    tiny = Fraction(1, 10**17)
    for seed in range(200):
        rng = random.Random(seed)
        hardware = [Hardware("a", "0.3"), Hardware("b", "0.1"), Hardware("c", "0.2")]
        base = Fraction(rng.randrange(1, 1000), 7000)
        profile = [
            Configuration(h.name, b, 1, b * h.price_per_h * base * (1 + rng.choice([0, 0, 1, -1]) * tiny))
            for h in hardware
            for b in (1, 2, 4, 8)
        ]
        rng.shuffle(profile)
        session = Session("ties", 100, hardware, [Module("m", 10, profile)])
        arrays = session_arrays(session, PlanSpace())
        keys = [rank_key(profile[k], session.price) for k in arrays.profile_index]
        assert keys == sorted(keys)
        # The second entry of a key is the ratio, the other way round.
        assert arrays.same_ratio.tolist() == [
            False,
            *(one[1] == other[1] for one, other in pairwise(keys)),
        ]
        assert np.array_equal(arrays.batch, [profile[k].batch for k in arrays.profile_index])
