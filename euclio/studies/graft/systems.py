"""The systems that Graft's evaluation compares, and what becomes of their plans."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from math import nan
from typing import Any, NamedTuple

from euclio.core.registry import Limits, find_solver
from euclio.core.result import AnyResult
from euclio.core.solving import prepare, solve
from euclio.fragments import Fleet, FragmentSpace
from euclio.studies.graft.cases import Drawn
from heuristics.fragments.graft import GraftOptions, solve_graft
from heuristics.fragments.systems import VARIANTS

GRAFT, GSLICE, GSLICE_PLUS, STATIC, STATIC_PLUS, OPTIMUM = "Graft", "GSLICE", "GSLICE+", "Static", "Static+", "optimum"
SOLVERS = {GRAFT: "graft", GSLICE: "gslice", GSLICE_PLUS: "gslice+", STATIC: "static", STATIC_PLUS: "static+"}
"""Names of the solvers by the systems' names."""
BASELINES = (GSLICE, GSLICE_PLUS, STATIC, STATIC_PLUS)
AT_THE_MEAN = (STATIC, STATIC_PLUS)
EXACT = "fragment-columns"
MOST_INSTANCES = 5
"""Of a stage at the large scale, for memory (Graft §5.3)."""
CAPPED = FragmentSpace(max_instances=MOST_INSTANCES)
DEFAULTS = VARIANTS["graft"][1]
MASSIVE = VARIANTS["graft:massive"][1]


class Outcome(NamedTuple):
    """What a plan comes to.

    Attributes:
        share: GPU share in percent; NaN: no plan.
        cpu_s: seconds of processor time of the plan, without its check.
        parts: fragments after merging; NaN: not Graft.
        groups: groups of them.
    """

    share: float
    cpu_s: float
    parts: float
    groups: float


def planned(system: str, fleets: Drawn, space: FragmentSpace | None = None) -> float:
    """The checked share of a system's plan for the fleet that it plans: that at the mean for Static.

    Args:
        system: its name.
        fleets: the clients' fragments.
        space: limits of its plans; None: its own.
    """
    fleet = fleets.mean if system in AT_THE_MEAN else fleets.now
    return share_of(solve(fleet, SOLVERS[system], space=space))


def share_of(result: AnyResult) -> float:
    """The share of a plan as a number; NaN: there is none."""
    return nan if result.value is None else float(result.value)


def graft(fleet: Fleet, options: GraftOptions = DEFAULTS, seed: int = 0) -> Outcome:
    """Graft's plan under options, checked."""
    plain = find_solver("graft")
    run: Any = partial(solve_graft, options=options)
    ready = prepare(fleet, replace(plain, run=run), limits=Limits(seed=seed))
    began = time.process_time()
    answer, wall_s = ready.answer()
    cpu_s = time.process_time() - began
    stats = answer.stats
    return Outcome(share_of(ready.check(answer, wall_s)), cpu_s, stats.get("parts", nan), stats.get("groups", nan))
