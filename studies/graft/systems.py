"""The systems that Graft's evaluation compares, and their checked plans."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import nan
from typing import Any, NamedTuple

from euclio.core.lazy import late, late_value
from euclio.core.registry import find_solver
from euclio.core.result import Answer, AnyResult
from euclio.core.solver import Limits
from euclio.core.solving import prepare, solve
from euclio.problems.fragments import Fleet, FragmentPlan, FragmentSpace
from euclio.problems.fragments.realigned import Part
from euclio.problems.fragments.stages import Stages
from studies.graft.cases import DrawnFleet

GRAFT, GSLICE, GSLICE_PLUS, STATIC, STATIC_PLUS, OPTIMUM = "Graft", "GSLICE", "GSLICE+", "Static", "Static+", "optimum"
REGROUP = "regroup"
"""Ours."""
EDGES, ALL = "Graft, edges as printed", "Graft, all uniform merged"
"""Graft under other readings of the paper, of the edges that groups keep and of the amount of merging."""
SOLVERS = {
    GRAFT: "graft",
    REGROUP: "regroup",
    GSLICE: "gslice",
    GSLICE_PLUS: "gslice+",
    STATIC: "static",
    STATIC_PLUS: "static+",
}
"""Names of the solvers by the systems' names."""
SYSTEMS = tuple(system for system in SOLVERS if system != REGROUP)
"""The systems that the paper compares."""
BASELINES = (GSLICE, GSLICE_PLUS, STATIC, STATIC_PLUS)
AT_THE_MEAN = (STATIC, STATIC_PLUS)
EXACT = "fragment-columns"
MOST_INSTANCES = 5
"""Most instances of a stage at the large scale, for memory (Graft §5.3)."""
CAPPED = FragmentSpace(max_instances=MOST_INSTANCES)
GRAFTS_OWN, NO_MERGING, ALL_MERGED = "graft", "graft:no-merging", "graft:uniform"
MASSIVE, LITERAL = "graft:massive", "graft:literal"
"""Variants of Graft by the names of their solvers."""
READ_OTHERWISE = {EDGES: LITERAL, ALL: ALL_MERGED}
"""Names of the solvers of Graft under other readings."""
_variants = late_value("heuristics.fragments.systems", "VARIANTS")
_solve = late("heuristics.fragments.graft", "solve_graft")
margin = late("heuristics.fragments.graft", "margin")
_merged = late("heuristics.fragments.graft", "merged")
_groups = late("heuristics.fragments.graft", "groups_of")
_realign = late("heuristics.fragments.graft", "realign")


class FleetOutcome(NamedTuple):
    """The result of a plan.

    Attributes:
        share: GPU share in percent; NaN without a plan.
        cpu_s: seconds of processor time of the plan, without its check.
        parts: fragments after merging; NaN for systems other than Graft.
        groups: groups of them.
    """

    share: float
    cpu_s: float
    parts: float
    groups: float


def planned(system: str, fleets: DrawnFleet, space: FragmentSpace | None = None) -> float:
    """The checked share of a system's plan for the fleet that it plans: that at the mean for Static.

    Args:
        system: its name.
        fleets: the clients' fragments.
        space: limits of its plans; None means its own.
    """
    fleet = fleets.mean if system in AT_THE_MEAN else fleets.now
    return share_of(solve(fleet, (SOLVERS | READ_OTHERWISE)[system], space=space))


def share_of(result: AnyResult) -> float:
    """The share of a plan as a number; NaN if there is none."""
    return nan if result.value is None else float(result.value)


def options(variant: str = GRAFTS_OWN, **changes: Any) -> Any:
    """Options of a variant of Graft, with changes."""
    _, found = _variants()[variant]
    return replace(found, **changes)


def merged(fleet: Fleet, stages: Stages, space: FragmentSpace | None = None) -> list[Part]:
    """The parts that Graft merges fragments into."""
    own = options()
    found: list[Part] = _merged(fleet, stages, space or FragmentSpace(), own.merging, own.threshold)
    return found


def grouped(parts: Sequence[Part], seed: int = 0) -> list[list[int]]:
    """Graft's groups of parts, by their places."""
    own = options()
    found: list[list[int]] = _groups(parts, own.group_size, own.weights, seed, own.edges)
    return found


def realigned(
    stages: Stages, group: Sequence[Part], space: FragmentSpace | None = None, known: dict[Part, Any] | None = None
) -> float:
    """The share of a group by Algorithm 1, given the known single parts; infinite if a part has no plan."""
    found = _realign(stages, group, space or FragmentSpace(), known)
    return math.inf if found is None else float(found[0])


def graft_answer(fleet: Fleet, own: Any = None) -> Answer[FragmentPlan]:
    """Graft's plan under options, unchecked; None means the defaults."""
    found: Answer[FragmentPlan] = _solve(fleet, FragmentSpace(), Limits(), options=options() if own is None else own)
    return found


def graft(fleet: Fleet, own: Any = None, space: FragmentSpace | None = None) -> FleetOutcome:
    """Graft's plan under options and in a plan space, checked; None means the defaults."""
    plain = find_solver("graft")
    run: Any = partial(_solve, options=options() if own is None else own)
    ready = prepare(fleet, replace(plain, run=run), space=space, limits=Limits())
    began = time.process_time()
    answer, wall_s = ready.answer()
    cpu_s = time.process_time() - began
    stats = answer.stats
    return FleetOutcome(share_of(ready.check(answer, wall_s)), cpu_s, stats.get("parts", nan), stats.get("groups", nan))
