"""Shapley values against numbers worked by hand, and the axioms that no other values keep (Shapley 1953)."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from euclio.core.errors import InputError
from euclio.report.analysis.shapley import (
    first_and_last,
    games_of,
    pair_effects,
    shapley_values,
    shares,
    worth_of_costs,
)


def glove_game() -> np.ndarray:
    """Three players: A has a left glove, B and C a right one each, and a pair is worth 1."""
    worth = np.zeros((1, 2, 2, 2))
    worth[0, 1, 1, 0] = worth[0, 1, 0, 1] = worth[0, 1, 1, 1] = 1.0
    return worth


def drawn(seed: int, players: int = 4, games: int = 3) -> np.ndarray:
    """Games whose sets are worth anything."""
    return np.random.default_rng(seed).normal(size=(games, *[2] * players))


def of_set(worth: np.ndarray, inside: list[int]) -> np.ndarray:
    """What a set of four players is worth in each game."""
    a, b, c, d = inside
    return worth[:, a, b, c, d]


def test_by_hand_on_three_players() -> None:
    """Of the six orders A completes a pair in four (it is not first), B in the one that is A, B, C, and so C in one.

    BAC and CAB, BCA and CBA are A's; ABC is B's and ACB is C's: 4/6, 1/6, 1/6.
    """
    assert shapley_values(glove_game())[0] == pytest.approx([4 / 6, 1 / 6, 1 / 6])


def test_pairs_by_hand_on_three_players() -> None:
    """A and B need each other without C, +1, and with C, where either has a glove too many, 1 − 1 − 0 + 0 = 0: +1/2.

    B and C make up for each other where A is there, 1 − 1 − 1 + 0 = −1, and are worth nothing where it is not: −1/2.
    """
    expected = [[0, 0.5, 0.5], [0.5, 0, -0.5], [0.5, -0.5, 0]]
    assert pair_effects(glove_game())[0] == pytest.approx(np.array(expected))


def test_first_and_last_by_hand() -> None:
    """Alone nobody has a pair; of all three only A cannot be done without."""
    first, last = first_and_last(glove_game())
    assert first[0].tolist() == [0, 0, 0]
    assert last[0].tolist() == [1, 0, 0]


@pytest.mark.parametrize("seed", range(5))
def test_orders_of_joining_give_the_same(seed: int) -> None:
    """Guards the weights: the definition itself, every order written out, on games whose sets are worth anything."""
    worth = drawn(seed)
    expected = np.zeros((3, 4))
    for order in permutations(range(4)):
        inside = [0, 0, 0, 0]
        for player in order:
            before = of_set(worth, inside)
            inside[player] = 1
            expected[:, player] += (of_set(worth, inside) - before) / 24
    assert shapley_values(worth) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_efficiency(seed: int) -> None:
    """Guards that nothing is lost or counted twice: values add up to what all are worth less what none is."""
    worth = drawn(seed)
    assert shapley_values(worth).sum(axis=1) == pytest.approx(worth[:, 1, 1, 1, 1] - worth[:, 0, 0, 0, 0])


@pytest.mark.parametrize("seed", range(5))
def test_symmetry(seed: int) -> None:
    """Guards that the place of a player does not count: two that may be swapped in every set are worth the same."""
    worth = drawn(seed)
    worth = worth + worth.swapaxes(1, 3)
    values = shapley_values(worth)
    assert values[:, 0] == pytest.approx(values[:, 2])


@pytest.mark.parametrize("seed", range(5))
def test_dummy(seed: int) -> None:
    """Guards that who adds the same to every set gets that, and has no effect with any other."""
    three = drawn(seed, players=3)
    worth = np.stack([three, three + 0.25], axis=2)
    assert shapley_values(worth)[:, 1] == pytest.approx(0.25)
    assert pair_effects(worth)[:, 1] == pytest.approx(0)


@pytest.mark.parametrize("seed", range(5))
def test_linearity(seed: int) -> None:
    """Guards that the mean over instances is the value of the mean game, as intervals count on."""
    worth = drawn(seed)
    assert shapley_values(worth).mean(axis=0) == pytest.approx(shapley_values(worth.mean(axis=0, keepdims=True))[0])


def test_costs_are_worth_their_factor() -> None:
    """From 8 to 4 to 1 is a factor of 2 and one of 4; where there is no plan, 16 is counted."""
    costs = np.array([[[8.0, 4.0], [np.inf, 1.0]]])
    worth = worth_of_costs(costs, np.array([16.0]))
    assert np.exp(worth - worth[:, :1, :1])[0] == pytest.approx(np.array([[1, 2], [0.5, 8]]))


def test_costs_of_nothing_are_refused() -> None:
    with pytest.raises(InputError, match="not above 0"):
        worth_of_costs(np.array([[[1.0, 0.0], [1.0, 1.0]]]), np.array([1.0]))


def test_shares_are_of_the_sum_over_games() -> None:
    """Two games, of which one adds 1 + 3 and the other 1 + 1: 2 of 6 and 4 of 6, an interval around each."""
    one, other = shares(np.array([[1.0, 3.0], [1.0, 1.0]]))
    assert (one.value, other.value) == pytest.approx((100 / 3, 200 / 3))
    assert one.low is not None
    assert one.high is not None
    assert one.low < one.value < one.high


def test_shares_of_nothing_are_not_known() -> None:
    assert np.isnan(shares(np.zeros((2, 3)))[0].value)


def test_axes_of_other_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="an axis per player"):
        shapley_values(np.zeros((1, 2, 3)))


def test_pairs_need_two_players() -> None:
    with pytest.raises(InputError, match="two players or more"):
        pair_effects(np.zeros((1, 2)))


def crossed() -> pd.DataFrame:
    """Results of one instance under two policies, another one, and with and without merging."""
    rows = [("rr", "no", 4.0), ("rr", "yes", 3.0), ("tc", "no", 2.0), ("tc", "yes", np.nan), ("in-turn", "no", 9.0)]
    return pd.DataFrame(
        {
            "instance": ["a"] * 5,
            "solver": [f"harpagon:merge={merge}" for _, merge, _ in rows],
            "option.policy": [policy for policy, _, _ in rows],
            "value": [value for _, _, value in rows],
        }
    )


PLAYERS = {"dispatch": ("policy", "rr", "tc"), "merger": ("merge", False, True)}


def test_results_of_an_experiment_are_games() -> None:
    """Options by their columns, parts by the names of solvers; the third policy is left out, no plan is NaN."""
    names, costs = games_of(crossed().sample(frac=1, random_state=0), PLAYERS)
    assert names == ["a"]
    np.testing.assert_equal(costs, [[[4, 3], [2, np.nan]]])


def test_a_set_without_a_run_is_named() -> None:
    with pytest.raises(InputError, match="a has 0 runs with dispatch, merger; it must be one"):
        games_of(crossed().drop(3), PLAYERS)


def test_a_set_with_two_runs_is_named() -> None:
    with pytest.raises(InputError, match="a has 2 runs with no player"):
        games_of(pd.concat([crossed(), crossed().head(1)]), PLAYERS)
