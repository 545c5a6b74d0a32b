"""Test runs of a solver: instances, plan spaces and limits, by their purpose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from euclio.core.family import Family
from euclio.core.objective import Goal
from euclio.core.parts import Sources
from euclio.core.solver import Limits

SEED, OTHER_SEED = 1, 2
SMALL_LIMIT_S = 10.0
"""Limit on small instances; a solver that reaches it need not return the same plan twice."""
LARGE_LIMIT_S = 0.5
"""Limit on the large instance, which a solver has to keep."""


class Purpose(StrEnum):
    """The purpose of a trial."""

    SMALL = "small"
    AGAIN = "again"
    """A small one again, in the same process."""
    FRESH = "fresh"
    """A small one again, in a process of its own."""
    RESEEDED = "reseeded"
    RESTRICTED = "restricted"
    """In another plan space."""
    SCALED = "scaled"
    """All values times a factor."""
    PERMUTED = "permuted"
    """In another order, under other names."""
    LARGE = "large"
    """Larger, under a short limit."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One test run.

    Attributes:
        name: the instance and the special feature of the run, in words.
        space: the requested plan space.
        limits: limits and seed.
        like: index of the trial that it is compared with. None means that it is compared with none.
        factor: its value over that trial's value.
    """

    purpose: Purpose
    name: str
    instance: Any
    space: Any
    limits: Limits[Any]
    like: int | None = None
    factor: Fraction = Fraction(1)


def trials_for(family: Family, space: Any, samples: int) -> list[Trial]:
    """All trials of a solver.

    Args:
        family: its problem family.
        space: its own plan space.
        samples: number of small instances; the tiny one and the first third of them are varied.
    """
    sources = family.sources()
    limits: Limits[Any] = Limits(SMALL_LIMIT_S, SEED)
    tiny, tiny_space = family.tiny(space)
    trials = [Trial(Purpose.SMALL, tiny.name, tiny, tiny_space, limits)]
    for seed in range(samples):
        instance = sources.small(seed)
        trials.append(Trial(Purpose.SMALL, instance.name, instance, space, limits))
    for k, trial in enumerate(trials[: 1 + samples // 3]):
        trials += _varied(trial, k, sources, family.goal(space))
    large = sources.large()
    return [*trials, Trial(Purpose.LARGE, large.name, large, space, Limits(LARGE_LIMIT_S, SEED))]


def _varied(trial: Trial, place: int, sources: Sources, goal: Goal) -> Iterator[Trial]:
    """A small trial again and in all variations."""
    for purpose in (Purpose.AGAIN, Purpose.FRESH):
        yield replace(trial, purpose=purpose, like=place)
    reseeded: Limits[Any] = replace(trial.limits, seed=OTHER_SEED)
    yield Trial(Purpose.RESEEDED, f"{trial.name}, seed {OTHER_SEED}", trial.instance, trial.space, reseeded)
    scaled, factor = sources.scaled(trial.instance, goal)
    yield Trial(Purpose.SCALED, f"{trial.name}, scaled", scaled, trial.space, trial.limits, place, factor)
    permuted = sources.permuted(trial.instance)
    yield Trial(Purpose.PERMUTED, f"{trial.name}, in another order", permuted, trial.space, trial.limits, place)
    for difference, space in sources.restricted(trial.instance, trial.space):
        yield Trial(Purpose.RESTRICTED, f"{trial.name}, {difference}", trial.instance, space, trial.limits)
