"""Settings to be simulated and what they came to: plain values, which a journal notes and a process is handed."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from euclio.posterior.prior import Unit, draw_unit, from_unit
from euclio.posterior.simulation import WORKLOADS, simulate
from euclio.posterior.targets import full

DIGITS = 4
"""Decimals of places in the cube, and digits of numbers: what is stored is what was computed with."""
PRIOR, CONTROL = 0, -1
"""Numbers of the waves that are no screened ones: draws from the prior, and controls of what was screened out."""


@dataclass(frozen=True, slots=True)
class Point:
    """A setting to be simulated.

    Attributes:
        paper: the paper.
        unit: its point in the cube.
        seed: seed of its workloads.
        workloads: how many.
    """

    paper: str
    unit: tuple[float, ...]
    seed: int
    workloads: int = WORKLOADS


@dataclass(frozen=True, slots=True)
class Record:
    """A setting that was simulated.

    Attributes:
        run: the run, from 1.
        wave: `PRIOR`, `CONTROL`, or the number of the wave that screened it.
        wanted: what it was screened for: "" all numbers, else the group of numbers that was left out.
        place: its place among the settings of its run and wave.
        rank: its rank among all settings that were screened, from 0; of draws from the prior 0.
        ancestor: wave and place of the setting that it descends from by steps; its own where it is of the prior.
        unit: its point in the cube.
        figures: measures by PAPER:KEY; empty: too few candidates count.
        facts: what is reported of the workloads, by PAPER:NAME.
    """

    run: int
    wave: int
    wanted: str
    place: int
    rank: int
    ancestor: tuple[int, int]
    unit: tuple[float, ...]
    figures: Mapping[str, float]
    facts: Mapping[str, float]


def short(value: float) -> float:
    """A number cut to the digits that are stored, without a sign of zero."""
    return float(f"{value:.{DIGITS}g}") + 0.0


def rounded(unit: Unit) -> tuple[float, ...]:
    """A point as it is stored."""
    return tuple(np.round(unit, DIGITS).tolist())


def seed_of(seed: int, *names: object) -> int:
    """A seed of its own for everything that has a name."""
    return random.Random("/".join(map(str, (seed, *names)))).getrandbits(31)


def prior_point(paper: str, seed: int, run: int, place: int, workloads: int) -> Point:
    """A draw from the prior, which depends on seed, run and place alone."""
    unit = rounded(draw_unit(f"{seed}/{paper}/{run}", place))
    return Point(paper, unit, seed_of(seed, paper, run, PRIOR, place), workloads)


def simulated(point: Point) -> dict[str, Any]:
    """Numbers and facts of a setting as plain values."""
    found = simulate(point.paper, from_unit(np.array(point.unit)), point.seed, point.workloads)
    return {
        "figures": {full(point.paper, key): short(value) for key, value in found.figures.items()},
        "facts": {full(point.paper, key): short(value) for key, value in found.facts.items()},
    }
