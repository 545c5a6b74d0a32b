"""Screening: of a million settings of the prior, and of steps from near ones, those that an emulator takes for near."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from euclio.posterior.distance import Measure, Values
from euclio.posterior.emulator import AT_ONCE, Emulator
from euclio.posterior.prior import NAMES, PRIORS, Choice
from euclio.posterior.simulated import DIGITS

CROSSOVER, SHORTER, JITTER = (0.15, 0.4, 1.0), (1.0, 0.5, 0.25), 0.02
"""Shares of the parameters that a step changes and factors of its length, each as likely, and what is added to it."""
LIKELIEST, CHOICE = 0.01, 20
"""Share of the steps that settings to be simulated are drawn from, and how many of those there are for each."""


@dataclass(frozen=True, slots=True)
class Stepped:
    """Steps from near settings.

    Attributes:
        units: their points, shape (settings, parameters).
        ranks: their ranks among all steps by the emulator, from 0.
        parents: places of the near settings that they start from.
    """

    units: Values
    ranks: tuple[int, ...]
    parents: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Screened:
    """Settings that were screened for one measure, nearest first.

    Attributes:
        units: their points, shape (settings, parameters).
        ranks: their ranks among all settings that were screened, from 0.
    """

    units: Values
    ranks: tuple[int, ...]


def screened(
    emulator: Emulator, measures: Mapping[str, Measure], wanted: Mapping[str, int], settings: int, seed: int
) -> dict[str, Screened]:
    """The nearest settings by the emulator, of so many random ones, by the name of the measure.

    Args:
        emulator: the emulator.
        measures: what distances are measured by; their numbers are among the emulator's.
        wanted: how many of each measure.
        settings: how many are screened; they are the same ones for every measure.
        seed: seed of the settings.
    """
    distances, source = _distances(emulator, measures, settings, seed)
    found = {}
    for name, own in distances.items():
        order = np.argsort(own, kind="stable")[: wanted[name]]
        order = order[np.isfinite(own[order])]
        found[name] = Screened(_points(source, order, settings), tuple(range(order.size)))
    return found


def stepped(
    emulator: Emulator,
    near: Mapping[str, Values],
    measures: Mapping[str, Measure],
    wanted: Mapping[str, int],
    seed: int,
) -> dict[str, Stepped]:
    """Settings one step from near ones that the emulator takes for near too, by the name of the measure.

    A step goes along the difference of two near settings (ter Braak 2006), mirrored at the walls of the cube: steps are
    symmetric and the prior is uniform, so that staying within a tolerance is all that a step has to do (Drovandi and
    Pettitt 2011). Those that are simulated are drawn at random from the `LIKELIEST` of all steps, so that they spread.

    Args:
        emulator: the emulator.
        near: points of near settings, by the name of the measure that they are near by.
        measures: what distances are measured by.
        wanted: how many of each measure.
        seed: seed of the steps and of the choice.
    """
    found = {}
    for number, (name, points) in enumerate(near.items()):
        stream = np.random.default_rng([seed, number])
        # As many steps as the wave of that measure leaves a choice of.
        count = max(200, round(wanted[name] / LIKELIEST * CHOICE))
        parents = stream.integers(len(points), size=count)
        units = np.round(_steps(points, parents, stream), DIGITS)
        logs, likely = emulator.predicted(units)
        columns = [emulator.keys.index(key) for key in measures[name].keys]
        apart = np.where(likely, measures[name].distances(logs[:, columns]), np.inf)
        order = np.argsort(apart, kind="stable")[: max(wanted[name], round(LIKELIEST * count))]
        order = order[np.isfinite(apart[order])]
        ranks = np.sort(stream.choice(order.size, min(wanted[name], order.size), replace=False))
        kept = order[ranks]
        found[name] = Stepped(units[kept], tuple(int(n) for n in ranks), tuple(int(n) for n in parents[kept]))
    return found


def _steps(points: Values, parents: np.typing.NDArray[np.int64], stream: np.random.Generator) -> Values:
    """One symmetric step from each of some parents."""
    count, size = len(parents), points.shape[1]
    a, b = (points[stream.integers(len(points), size=count)] for _ in range(2))
    moved = stream.random((count, size)) < stream.choice(CROSSOVER, size=(count, 1))
    scale = stream.choice(SHORTER, size=(count, 1)) * 2.38 / np.sqrt(2 * np.maximum(1, moved.sum(1, keepdims=True)))
    steps = scale * (a - b) + stream.normal(0.0, JITTER, (count, size))
    # Differences of two settings seldom lead from one value of a choice to another.
    redrawn = np.array([isinstance(PRIORS[name], Choice) for name in NAMES]) & (stream.random((count, size)) < 0.5)
    proposed = np.where(redrawn, stream.random((count, size)), points[parents] + steps)
    folded = np.where(moved, proposed, points[parents]) % 2.0
    return np.asarray(np.where(folded > 1.0, 2.0 - folded, folded), dtype=np.float64)


def controls(
    emulator: Emulator, measure: Measure, bands: Sequence[tuple[int, int]], each: int, settings: int, seed: int
) -> Screened:
    """Random settings of some bands of ranks that were screened out, as many of each.

    Args:
        emulator: the emulator.
        measure: what distances are measured by.
        bands: first rank and the one after the last of every band.
        each: settings of every band.
        settings: how many are screened.
        seed: seed of the settings and of the choice.
    """
    distances, source = _distances(emulator, {"": measure}, settings, seed)
    order = np.argsort(distances[""], kind="stable")
    stream = np.random.default_rng([seed, 1])
    ranks = [
        int(rank)
        for low, high in bands
        for rank in np.sort(stream.choice(np.arange(low, high), min(each, high - low), replace=False))
    ]
    return Screened(_points(source, order[ranks], settings), tuple(ranks))


def _distances(
    emulator: Emulator, measures: Mapping[str, Measure], settings: int, seed: int
) -> tuple[dict[str, Values], int]:
    """Predicted distances of all settings by measure, infinite where none of its candidates counts."""
    found: dict[str, list[Values]] = {name: [] for name in measures}
    columns = {name: [emulator.keys.index(key) for key in measure.keys] for name, measure in measures.items()}
    for part in range(0, settings, AT_ONCE):
        logs, likely = emulator.predicted(_part(seed, part, settings))
        for name, measure in measures.items():
            found[name].append(np.where(likely, measure.distances(logs[:, columns[name]]), np.inf))
    return {name: np.concatenate(parts) for name, parts in found.items()}, seed


def _part(seed: int, part: int, settings: int) -> Values:
    """Some of the settings, which are drawn again rather than kept."""
    stream = np.random.default_rng([seed, part])
    return np.asarray(np.round(stream.random((min(AT_ONCE, settings - part), len(NAMES))), DIGITS), dtype=np.float64)


def _points(seed: int, places: Values | np.typing.NDArray[np.int64], settings: int) -> Values:
    """The points of settings by their places among all that were screened."""
    found = np.empty((len(places), len(NAMES)))
    for part in range(0, settings, AT_ONCE):
        own = np.flatnonzero((places >= part) & (places < part + AT_ONCE))
        if own.size:
            found[own] = _part(seed, part, settings)[np.asarray(places)[own] - part]
    return found
