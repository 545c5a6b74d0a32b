"""Kernels interpreted and compiled: one source, so the same answer, every digit of it."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np

from euclio.core.compiled import using
from euclio.core.registry import solvers
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.core.ways import Way
from tests.adversary.worker import asked
from tests.drawn.cases import drawn
from tests.drawn.days import nasty_day

from .bounds_checked import HELPERS
from .search import Found, Search

LIMIT_S = 4.0
LONG_S = 3.0
"""A run that takes longer either way may have met its limit: it is left open."""
SOLVERS = 2
"""Solvers that one instance is given to."""
SESSIONS = 7
"""Sessions of a seed, which has one cluster and one fleet."""
DAY_EVERY = 3
"""Of so many seeds one has a day."""
NO_ANSWER = {"wall_s", "provenance", "trace", "stats"}
"""Fields with seconds in them; counters are compared by themselves."""


def look(seed: int) -> Found:
    """Sessions, a cluster and a fleet by two solvers each, at times a day, and a drawn plan simulated, both ways."""
    rng = Random(f"ways/{seed}")
    cases, undecided, faults = 0, 0, []
    runs = [run for k in range(SESSIONS) for run in _solved("session", SESSIONS * seed + k, rng)]
    runs += [run for family in ("pipeline", "fragments") for run in _solved(family, seed, rng)]
    runs += list(_days(seed, rng)) if seed % DAY_EVERY == 0 else []
    for name, run in runs:
        found = both(run)
        cases, undecided = cases + 1, undecided + (found is None)
        faults += [f"{name}: {line}" for line in found or ()]
    simulated = _simulated(seed)
    return Found(cases + simulated.cases, (*faults, *simulated.faults), undecided)


def both(run: Callable[[], Any]) -> list[str] | None:
    """How the answers of two ways differ; None: a limit may have decided."""
    with using(Way.INTERPRETED):
        interpreted = run()
    with using(Way.COMPILED):
        compiled = run()
    if max(interpreted.wall_s, getattr(compiled, "wall_s", 0.0)) > LONG_S:
        return None
    # A method may give a part of itself only a share of the limit: what one way proves, the other had no time for.
    if {getattr(answer, "status", None) for answer in (interpreted, compiled)} == {Status.FEASIBLE, Status.OPTIMAL}:
        return None
    return list(differences(interpreted, compiled))


def _solved(family: str, seed: int, rng: Random) -> Iterator[tuple[str, Callable[[], Any]]]:
    case = drawn(family, seed)
    known = [solver.name for solver in solvers().values() if solver.family == family]
    for name in rng.sample(known, SOLVERS):
        space = asked(name, case)
        yield (
            f"{name} on {case.instance.name}",
            lambda name=name, space=space: solve(case.instance, name, space=space, time_limit_s=LIMIT_S),
        )


def _days(seed: int, rng: Random) -> Iterator[tuple[str, Callable[[], Any]]]:
    day = nasty_day(seed)
    names = [solver.name for solver in solvers().values() if solver.family == "day"]
    for name in rng.sample(names, SOLVERS):
        yield f"{name} on {day.name}", lambda name=name: solve(day, name, time_limit_s=LIMIT_S)


def _simulated(seed: int) -> Found:
    """The simulations that `tests.searches.simulation_cases` draws, where each is made both ways."""
    if str(HELPERS) not in sys.path:  # a campaign is no run of pytest
        sys.path.append(str(HELPERS))
    from . import session_simulations, simulation_cases

    faults: list[str] = []
    count = 0

    def twice(simulate: Callable[..., Any]) -> Callable[..., Any]:
        def made(*given: Any, **named: Any) -> Any:
            nonlocal count
            with using(Way.INTERPRETED):
                interpreted = simulate(*given, **named)
            with using(Way.COMPILED):
                compiled = simulate(*given, **named)
            count += 1
            faults.extend(f"simulation: {line}" for line in differences(interpreted, compiled))
            return compiled

        return made

    with (
        patch.object(session_simulations, "simulate", twice(session_simulations.simulate)),
        patch.object(simulation_cases, "simulate_cluster", twice(simulation_cases.simulate_cluster)),
        patch.object(simulation_cases, "simulate_fleet", twice(simulation_cases.simulate_fleet)),
    ):
        found = simulation_cases.look(seed)
    return Found(count, (*faults, *found.faults))


def differences(one: Any, other: Any, place: str = "") -> Iterator[str]:
    """Where two answers are not the same; seconds apart."""
    if is_dataclass(one) and type(one) is type(other):
        for part in fields(one):
            if part.name not in NO_ANSWER:
                yield from differences(getattr(one, part.name), getattr(other, part.name), f"{place}.{part.name}")
            elif part.name == "stats":
                own, theirs = (_counters(whole.stats) for whole in (one, other))
                yield from differences(own, theirs, f"{place}.stats")
    elif isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from differences(one[key], other[key], f"{place}[{key!r}]")
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        for k, (own, theirs) in enumerate(zip(one, other, strict=True)):
            yield from differences(own, theirs, f"{place}[{k}]")
    elif isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        if one.shape != other.shape or one.dtype != other.dtype or one.tobytes() != other.tobytes():
            yield f"{place}: {one!r} interpreted, {other!r} compiled"[:300]
    elif not (one == other or (isinstance(one, float) and math.isnan(one) and math.isnan(other))):
        yield f"{place}: {one!r} interpreted, {other!r} compiled"[:300]


def _counters(stats: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in stats.items() if not name.endswith(("_s", "seconds"))}


SEARCH = Search(
    "ways",
    "interpreted and compiled kernels give the same answers, every digit of them, and simulations the same times",
    "runs",
    look,
    range(0, 3),
)
