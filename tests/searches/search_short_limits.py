"""Instances of the benchmark set, and nasty ones, under time limits that end any part of a solver.

Other searches draw instances that a reference can list, and solvers are through with most of these before a limit
ends them. What a solver falls back on, such as a plan rounded from a relaxation, is made on large instances alone;
and a loop whose length is a rate goes on for hours on nasty ones alone. Half of the nasty ones run interpreted; a
kernel then takes a hundred times as long between two looks at the clock. An explanation has a limit of its own; and
where limits on machines leave no plan, the words for that are looked for after the proof, whose time they must not
take.
"""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from euclio import solve
from euclio.core.compiled import using
from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.registry import find_solver, solvers
from euclio.core.result import Status
from euclio.core.ways import Way
from euclio.files import load_instance
from tests.drawn.cases import FAMILIES, drawn
from tests.drawn.limits import case_at_ties
from tests.helpers.places import ROOT

from .search import Found, Search

LIMITS_S = (0.01, 0.03, 0.1, 0.3)
SOLVERS = 3
"""How many solvers an instance is given to."""
LATE_S = 10.0
"""Seconds of processor time beyond the limit from which on a solver is late; some first list what they choose from."""


@cache
def _files() -> list[Path]:
    """The files of the set, shuffled, as those of a family would be next to each other."""
    files = [file for file in (ROOT / "data" / "instances").glob("*/*.json") if file.parent.name != "best"]
    return sorted(files, key=lambda file: zlib.crc32(file.stem.encode()))


def look(seed: int) -> Found:
    """One instance, some of the solvers that cover it, a limit each: a plan that the checker accepts, or none."""
    if seed % 4 != 1:
        return _looked(seed)
    with using(Way.INTERPRETED):
        return _looked(seed)


def _looked(seed: int) -> Found:
    draw = random.Random(seed // 2)
    name, instance = _nasty(seed, draw) if seed % 2 else _of_the_set(seed)
    family = family_of(instance).name
    own = [one for one in solvers().values() if one.family == family and not one.uncovered(instance, one.space)]
    faults = []
    asked = draw.sample(own, min(SOLVERS, len(own)))
    for solver in asked:
        limit_s = draw.choice(LIMITS_S)
        again = f"{name} --solver {solver.name} --time-limit {limit_s}"
        begun_s = time.process_time()
        try:
            result = solve(instance, solver.name, time_limit_s=limit_s)
        except Exception as error:
            faults.append(f"{again}: raised {type(error).__name__}: {error}")
            continue
        if result.status is Status.ERROR:
            faults.append(f"{again}: {result.reason}")
        if time.process_time() - begun_s > limit_s + LATE_S:
            faults.append(f"{again}: took {time.process_time() - begun_s:.1f} s")
    faults += [*_explained(name, instance, draw.choice(LIMITS_S)), *_in_words(seed, draw.choice(LIMITS_S))]
    return Found(len(asked) + 2, tuple(faults))


def _explained(name: str, instance: Any, limit_s: float) -> Iterator[str]:
    """Whether an explanation takes longer than its limit."""
    family, begun_s = family_of(instance), time.process_time()
    family.explain(instance, find_solver(family.default_solver).space, limit_s)
    if time.process_time() - begun_s > limit_s + LATE_S:
        yield f"{name}: explain within {limit_s} s took {time.process_time() - begun_s:.1f} s"


def _in_words(seed: int, limit_s: float) -> Iterator[str]:
    """Whether `exact` looks for words past its limit where limits on machines or changes leave no plan."""
    try:
        session, space = case_at_ties(random.Random(f"words {seed}"))
    except InputError:
        return
    begun_s = time.process_time()
    found = solve(session, "exact", space=space, time_limit_s=limit_s)
    if found.status is Status.ERROR:
        yield f"words {seed}: {found.reason}"
    if time.process_time() - begun_s > limit_s + LATE_S:
        yield f"words {seed}: {found.status} within {limit_s} s took {time.process_time() - begun_s:.1f} s"


def _of_the_set(seed: int) -> tuple[str, Any]:
    file = _files()[seed // 2 % len(_files())]
    return file.name, load_instance(file)


def _nasty(seed: int, draw: random.Random) -> tuple[str, Any]:
    family = draw.choice(list(FAMILIES.values()))
    return f"{family} of the adversary, seed {seed}", drawn(family, seed).instance


SEARCH = Search(
    "short-limits",
    "whatever a time limit ends, a solver answers, in time, with a plan that the checker accepts or without one",
    "runs",
    look,
    # On a cluster that is too large for tables `columns` took a plan with a pipeline of no GPU for its best.
    # `dart-r` looked up GPUs that an allocation cut short by the limit does not name.
    # Interpreted, `harpagon:q0.1` took 21 s of 0.3 (397).
    (*range(80), 397, 5100, 1150240, 1150606),
    slow=True,
)
