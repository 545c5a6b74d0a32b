"""The worth of each mechanism if every combination was tried: Shapley values and effects of pairs.

A *game* gives the worth of every set of mechanisms (the players). Games are arrays of shape (games, 2, ..., 2), one
game per instance. Each player has an axis, where 1 is with it and 0 without. Shapley values are linear. So their means
over instances are the values of the mean game, and instances can be resampled for an interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import comb
from typing import Any

import numpy as np
import pandas as pd

from euclio.core.errors import InputError
from euclio.core.registry import parts_of
from euclio.report.analysis.statistics import BOOTSTRAP_SEED, Measured, Values, means

Player = tuple[str, Any, Any]
"""An option, or a part that a solver's name sets, and its values without and with the player."""


def games_of(frame: pd.DataFrame, players: Mapping[str, Player]) -> tuple[list[str], Values]:
    """The games in the results of an experiment that crossed options.

    Args:
        frame: results (`euclio.experiments.results.load`), of one repetition.
        players: each player's option, such as ``("policy", "rr-even", "tc")`` or ``("merge", False, True)``. Runs with
            another value of it are left out.

    Returns:
        The instances, and the value of each set of players, shape (instances, 2, ..., 2); NaN if there is no plan.

    Raises:
        InputError: a set of players has no run of an instance, or several; names it.
    """
    columns = [_words(frame, option) for option, _, _ in players.values()]
    ends = [(_word(without), _word(having)) for _, without, having in players.values()]
    runs = pd.DataFrame({"instance": frame.instance.astype(str), "value": frame.value.astype(float)})
    for number, (column, (without, having)) in enumerate(zip(columns, ends, strict=True)):
        runs[number] = column.map({without: 0, having: 1})
    places: list[Any] = list(range(len(ends)))
    runs = runs.dropna(subset=places).astype(dict.fromkeys(places, int))
    counts = runs.groupby(["instance", *places]).size()
    names = sorted(set(runs.instance))
    for where in product(names, *[(0, 1)] * len(ends)):
        made = int(counts.get(where, 0))
        if made != 1:
            given = [player for player, inside in zip(players, where[1:], strict=True) if inside]
            raise InputError(f"{where[0]} has {made} runs with {', '.join(given) or 'no player'}; it must be one")
    ordered = runs.sort_values(["instance", *places]).value.to_numpy(dtype=np.float64)
    return names, ordered.reshape(len(names), *[2] * len(ends))


def _words(frame: pd.DataFrame, option: str) -> pd.Series[Any]:
    """Each run's word for an option, or for a part of its solver."""
    if f"option.{option}" in frame:
        return frame[f"option.{option}"].map(_word)
    return frame.solver.astype(str).map(lambda name: parts_of(name)[1].get(option, ""))


def _word(value: Any) -> str:
    """A value as in the names of solvers: yes and no, and any for no limit."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return "any" if value is None or pd.isna(value) else f"{value:g}" if isinstance(value, float) else str(value)


def shapley_values(worth: Values) -> Values:
    """The mean contribution of each player over all orders in which players may join (Shapley 1953).

    Args:
        worth: what each set of players is worth, shape (games, 2, ..., 2).

    Returns:
        Shape (games, players), in the unit of `worth`. In every game they add up to the worth of all less that of none.

    Raises:
        InputError: an axis of a player does not have two places.
    """
    players = _players(worth)
    sizes = _sizes(players - 1)
    weights = 1 / (players * np.array([comb(players - 1, int(size)) for size in sizes]))
    return np.stack([_added(worth, player) @ weights for player in range(players)], axis=1)


def pair_effects(worth: Values) -> Values:
    """The interaction of two players: their joint contribution less those of each alone (Grabisch and Roubens 1999).

    Args:
        worth: what each set of players is worth, shape (games, 2, ..., 2), of two players or more.

    Returns:
        Shape (games, players, players), symmetric, 0 on the diagonal. Below 0 one player replaces the other; above 0
        they need each other.

    Raises:
        InputError: there are fewer than two players, or an axis of a player does not have two places.
    """
    players = _players(worth)
    if players < 2:
        raise InputError(f"effects of pairs need two players or more, these games have {players}")
    sizes = _sizes(players - 2)
    weights = 1 / ((players - 1) * np.array([comb(players - 2, int(size)) for size in sizes]))
    found = np.zeros((len(worth), players, players))
    for one in range(players):
        with_less_without = np.diff(worth, axis=1 + one).squeeze(1 + one)
        for other in range(one + 1, players):
            found[:, one, other] = found[:, other, one] = _added(with_less_without, other - 1) @ weights
    return found


def first_and_last(worth: Values) -> tuple[Values, Values]:
    """The gain of each player alone over none, and the loss of all without it (an ablation).

    Args:
        worth: what each set of players is worth, shape (games, 2, ..., 2).

    Returns:
        Two arrays of shape (games, players), in the unit of `worth`.

    Raises:
        InputError: an axis of a player does not have two places.
    """
    added = [_added(worth, player) for player in range(_players(worth))]
    return np.stack([one[:, 0] for one in added], axis=1), np.stack([one[:, -1] for one in added], axis=1)


def worth_of_costs(costs: Values, without_plan: Values) -> Values:
    """The worth of sets of players by their costs: minus the logarithm, so that a contribution is a factor of the cost.

    Args:
        costs: cost of each set's plan, shape (games, 2, ..., 2); not finite if it has none.
        without_plan: the cost that a missing plan counts as, shape (games,), in the unit of the costs, above 0.

    Raises:
        InputError: a cost is 0 or less.
    """
    counted = np.where(np.isfinite(costs), costs, without_plan.reshape(-1, *[1] * (costs.ndim - 1)))
    if not (counted > 0).all():
        raise InputError("a cost is not above 0; what is given away has no logarithm")
    found: Values = -np.log(counted)
    return found


def shares(values: Values, seed: int = BOOTSTRAP_SEED) -> list[Measured]:
    """Each player's part of the worth of all, in per cent, with 95 % bootstrap intervals over the games.

    A part is a ratio of two sums; for the resamples it is linearised around the whole sample.

    Args:
        values: Shapley values, shape (games, players).
        seed: seed of the resamples, the same for all players.

    Returns:
        One per player; they add up to 100. NaN means that the mean contribution of all is 0.
    """
    whole = values.sum(axis=1)
    if not len(values) or whole.mean() == 0:
        return [Measured(float("nan")) for _ in range(values.shape[1])]
    parts = values.sum(axis=0) / whole.sum()
    return means(100 * (parts + (values - np.outer(whole, parts)) / whole.mean()), seed=seed)


def _players(worth: Values) -> int:
    """The number of players of games of this shape."""
    if worth.ndim < 2 or set(worth.shape[1:]) != {2}:
        raise InputError(f"games have the shape (games, 2, ..., 2), an axis per player; these have {worth.shape}")
    return worth.ndim - 1


def _sizes(players: int) -> Values:
    """Number of players in each set, in the order in which `reshape` puts sets into a row."""
    sizes: Values = np.indices((2,) * players).reshape(players, 2**players).sum(axis=0, dtype=np.float64)
    return sizes


def _added(worth: Values, player: int) -> Values:
    """The contribution of a player to each set of the others, shape (games, sets)."""
    return np.diff(worth, axis=1 + player).reshape(len(worth), -1)
