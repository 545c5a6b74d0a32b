"""The accepted settings again, on more workloads, and with the best split and the best plan of some of them.

No result of this module chooses a setting.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from euclio.core.lazy import late, late_value
from euclio.core.registry import find_solver
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.problems.session import FULL_SPACE, PlanSpace
from studies.inference.measures import SolvedWorkload
from studies.inference.prior import Setting
from studies.inference.simulation import accepted, facts, measured, short
from studies.inference.targets import full

WORKLOADS = {"harpagon": 400, "piccolo": 100}
"""Workloads of a setting that is simulated again, by paper."""
SPLIT_WORKLOADS = {"harpagon": 400, "piccolo": 30}
"""Workloads whose best split is searched, the first of them, by paper; Piccolo's search tries every vector."""
PLAN_WORKLOADS = {"harpagon": 40, "piccolo": 0}
"""Workloads whose best plan is proven, the first of them, by paper."""
LIMIT_S = 1.0
"""Limit of a proof, and of Piccolo's search; stopped ones are left out. Harpagon's search ends by nodes."""
GAP = 1e-7
"""Relative gap at which a plan counts as best; a tenth of the tolerance for equal costs."""
SHARED = PlanSpace(policy="tc-shared")  # type: ignore[arg-type]

_generator_of = late("heuristics.session.dummy_generator", "generator_of")
_searches = late_value("bruteforce.session.split_solver", "SEARCHES")
_prove = late("formulations.session.exact.frontier_search", "prove")


REFERENCE_KEYS = tuple(
    f"{key}_{end}" for key in ("optimal", "plan_optimal", "shared_optimal") for end in ("share", "gap_max", "known")
)
"""Keys of the comparisons with best splits and plans."""
BEST_SPLITS = {"harpagon": "split-bruteforce:million", "piccolo": "piccolo-bruteforce"}
"""The solver whose search gives a paper's best split."""
BY_NODES = ("harpagon",)
"""Papers whose search ends by nodes, not by a clock, so that every machine finds the same."""


@dataclass(frozen=True, slots=True)
class Again:
    """A setting to be simulated again.

    Attributes:
        paper: the paper.
        setting: the setting.
        seed: seed of the workloads, another one than it was accepted with.
        workloads: how many.
        split: workloads whose best split is searched.
        plan: workloads whose best plan is proven.
    """

    paper: str
    setting: Setting
    seed: int
    workloads: int
    split: int
    plan: int

    @classmethod
    def of(cls, paper: str, setting: Setting, seed: int, small: float = 1.0) -> Again:
        """A setting with its paper's number of workloads for a new simulation, or a part of them."""
        workloads, split = (max(3, round(small * table[paper])) for table in (WORKLOADS, SPLIT_WORKLOADS))
        return cls(paper, setting, seed, workloads, split, round(small * PLAN_WORKLOADS[paper]))


def resimulate(again: Again) -> dict[str, float]:
    """Numbers and facts of a setting by PAPER:NAME, with those of the references; empty without workloads."""
    paper = again.paper
    solved, _, drawn = accepted(paper, again.setting, again.seed, again.workloads)
    if not solved:
        return {}
    own = {**measured(paper, again.setting, solved), **_against_references(paper, solved, again)}
    found = {full(paper, key): short(value) for key, value in own.items() if np.isfinite(value)}
    known = facts(paper, solved, drawn)
    return found | {f"fact.{full(paper, name)}": short(value) for name, value in known.items()}


def _against_references(paper: str, solved: Sequence[SolvedWorkload], again: Again) -> Mapping[str, float]:
    """The paper's own system against the best split and, of Harpagon, the best plan under both readings of Theorem 1.

    Piccolo's dummies have any rate, so proofs of its best plan take too long for every setting.
    """
    # Places cycle through the applications, so the first ones are mixed as all are.
    some, few = solved[: again.split], solved[: again.plan]
    split = optimality(paper, some, [_split_cost(paper, s) for s in some], "optimal")
    if not few:
        return split
    return {
        **split,
        **optimality(paper, few, [_plan_cost(s, FULL_SPACE) for s in few], "plan_optimal"),
        **optimality(paper, few, [_plan_cost(s, SHARED) for s in few], "shared_optimal"),
    }


def optimality(paper: str, solved: Sequence[SolvedWorkload], best: Sequence[float], key: str) -> Mapping[str, float]:
    """Share of workloads on which the own system costs no more than a reference, and its largest extra cost (%).

    Args:
        paper: the paper.
        solved: the workloads.
        best: cost of the reference on each; values that are not finite are unknown and left out.
        key: beginning of the keys.
    """
    ratio = np.array([s.of(paper).cost for s in solved]) / np.array(best, dtype=np.float64)
    known = ratio[np.isfinite(ratio) & (ratio > 0)]
    if not known.size:
        return {}
    return {
        f"{key}_share": 100 * float((known <= 1 + OPTIMALITY_TOLERANCE).mean()),
        f"{key}_gap_max": 100 * max(0.0, float(known.max()) - 1),
        f"{key}_known": float(known.size),
    }


def _split_cost(paper: str, solved: SolvedWorkload) -> float:
    """Cost per hour of the best split on the grid of the configurations' latencies; NaN if the limit stopped it."""
    search, grid, step = _searches()[BEST_SPLITS[paper]]
    # The best split has the paper's own system below it.
    space = find_solver(paper).space
    asked = solved.workload.arrays(space), _generator_of(space.dummy), grid, step
    _ready(search, asked)
    found = search(*asked, float("inf") if paper in BY_NODES else time.perf_counter() + LIMIT_S)
    return float(found.cost) if found.share >= 1.0 else float("nan")


def _plan_cost(solved: SolvedWorkload, space: PlanSpace) -> float:
    """Cost per hour of the best plan of a space, in floats; NaN if the limit stopped the proof."""
    asked = solved.workload.arrays(space), GAP
    _ready(_prove, asked)
    found = _prove(*asked, time.perf_counter() + LIMIT_S)
    return float(found.cost) if found.cost - found.bound <= GAP * found.cost else float("nan")


_loaded: set[Any] = set()


def _ready(search: Any, asked: tuple[Any, ...]) -> None:
    """Have a search compiled or loaded before its time is measured, once per process."""
    if search not in _loaded:
        _loaded.add(search)
        search(*asked, time.perf_counter())
