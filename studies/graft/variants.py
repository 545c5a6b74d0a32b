"""The value of Graft's steps: re-partitioning, merging, grouping, processes, memory (Graft §5.4 to §5.6, §5.9)."""

from __future__ import annotations

import gc
import math
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import combinations, product
from typing import Any

import pandas as pd

from euclio.core.solving import solve
from euclio.problems.fragments import Fleet, FragmentSpace
from euclio.problems.fragments.realigned import Part
from euclio.problems.fragments.stages import Stages
from studies.graft.cases import DEFAULT, NETWORKS, DrawnFleet, Parameters, nanos
from studies.graft.systems import (
    ALL_MERGED,
    GRAFT,
    GRAFTS_OWN,
    GSLICE,
    LITERAL,
    NO_MERGING,
    graft,
    graft_answer,
    grouped,
    merged,
    options,
    realigned,
    share_of,
)

Rows = list[dict[str, Any]]
Advance = Callable[[int], None]

FIVE, TEN, TWENTY_FIVE, FIFTY, HUNDRED = 5, 10, 25, 50, 100
"""Fragments of §5.4, §5.9 (groupings), §5.6 and §5.5."""
THRESHOLDS = (0.01, 0.1, 0.2, 0.3, 0.4, 0.5)
GROUP_SIZES = (2, 3, 4, 5, 6, 8, 10)
NUMBERS = (10, 20, 30, 40, 50)
WEIGHTS = tuple(w for w in product((0.5, 1.0, 2.0), repeat=2))
"""Weights of partition point and time budget next to 1 of the rate, of Figure 16b's best ones."""
STRATEGIES = {"no merging": NO_MERGING, "uniform": ALL_MERGED, "uniform+": GRAFTS_OWN}
POOL = 2
"""Processes that realign groups (Graft §5.9)."""
YOUNG_BY_DEFAULT = 700
"""Python's default threshold of new objects for a garbage collection."""


def fleet_of(key: str, clients: int, seed: int, draw: int, parameters: Parameters = DEFAULT) -> Fleet:
    """Nano clients of a network at a moment."""
    return drawn_of(key, clients, seed, draw, parameters).now


def drawn_of(key: str, clients: int, seed: int, draw: int, parameters: Parameters = DEFAULT) -> DrawnFleet:
    """Nano clients of a network."""
    return nanos(f"{key} {clients} {draw}", key, clients, seed, draw, parameters)


def repartitioning(seed: int, draws: int, advance: Advance) -> pd.DataFrame:
    """Figure 11: five random fragments with and without re-partitioning."""
    rows: Rows = []
    for key, draw in product(NETWORKS, range(draws)):
        without, own = with_and_without(fleet_of(key, FIVE, seed, draw))
        rows.append({"network": key, "draw": draw, GRAFT: own, GSLICE: without})
        advance(1)
    return pd.DataFrame(rows)


def with_and_without(fleet: Fleet) -> tuple[float, float]:
    """Shares of a fleet with its fragments served one by one, and realigned without merging."""
    return share_of(solve(fleet, "gslice")), graft(fleet, options(NO_MERGING)).share


def merging(seed: int, draws: int, advance: Advance) -> pd.DataFrame:
    """Figures 13 and 14: share, parts and time by merging strategy and number of fragments."""
    rows: Rows = []
    for key, draw in product(NETWORKS, range(draws)):
        for number in NUMBERS if key == "res" else (FIFTY,):
            fleet = fleet_of(key, number, seed, draw)
            for name, strategy in STRATEGIES.items():
                rows.append(_row(key, draw, number, graft(fleet, options(strategy)), strategy=name))
        advance(1)
    return pd.DataFrame(rows)


def thresholds(seed: int, draws: int, advance: Advance) -> pd.DataFrame:
    """Figure 15: share, parts and time by merging threshold."""
    rows: Rows = []
    for key, draw in product(NETWORKS, range(draws)):
        fleet = fleet_of(key, TWENTY_FIVE, seed, draw)
        for threshold in THRESHOLDS:
            found = graft(fleet, options(threshold=threshold))
            rows.append(_row(key, draw, TWENTY_FIVE, found, threshold=threshold))
        advance(1)
    return pd.DataFrame(rows)


def grouping(seed: int, draws: int, advance: Advance) -> pd.DataFrame:
    """Figure 16 and the printed weights of edges: share and time by group size, by weights, by edges."""
    rows: Rows = []
    for key, draw in product(NETWORKS, range(draws)):
        fleet = fleet_of(key, TWENTY_FIVE, seed, draw)
        cases: dict[str, dict[str, Any]] = {
            "size": {str(n): options(group_size=n) for n in GROUP_SIZES} if key == "inc" else {},
            "weights": {f"{p:g} {t:g}": options(weights=(p, t, 1.0)) for p, t in WEIGHTS},
            "edges": {"similarity": options(), "distance": options(LITERAL)},
        }
        for study, variants in cases.items():
            for value, own in variants.items():
                rows.append(_row(key, draw, TWENTY_FIVE, graft(fleet, own), study=study, value=value))
        advance(1)
    return pd.DataFrame(rows)


def groupings(fleets: Iterable[DrawnFleet], advance: Advance, space: FragmentSpace | None = None) -> pd.DataFrame:
    """Graft against the paper's Optimal, one row per fleet: the best of all groupings of Graft's parts (§5.3, §5.9)."""
    rows: Rows = []
    for fleet in fleets:
        own = graft(fleet.now, space=space)
        began = time.process_time()
        share, tried = best_grouping(fleet.now, space)
        took = time.process_time() - began
        clients = len(fleet.now.fragments)
        rows.append(_row(fleet.network, fleet.draw, clients, own, best=share, groupings=tried, optimal_s=took))
        advance(1)
    return pd.DataFrame(rows)


def best_grouping(fleet: Fleet, space: FragmentSpace | None = None) -> tuple[float, int]:
    """The least share of Graft's parts in as few groups of at most five as hold them, and how many groupings there are.

    Each group is realigned by Graft's Algorithm 1, once for all groupings that contain it. Groupings are counted as in
    the paper: 10 choose 5 of ten parts, so the order of the groups counts.
    """
    stages = Stages(fleet.network)
    parts = merged(fleet, stages, space)
    kinds = [(part.begin, part.budget_s, part.rate_rps) for part in parts]
    size = options().group_size
    number = math.ceil(len(parts) / size)
    by_kinds: dict[tuple[object, ...], float] = {}
    alone: dict[Part, Any] = {}

    @cache
    def cost(group: int) -> float:
        own = [k for k in range(len(parts)) if group >> k & 1]
        # Equal parts are tried once.
        alike = tuple(sorted(kinds[k] for k in own))
        if alike not in by_kinds:
            by_kinds[alike] = realigned(stages, [parts[k] for k in own], space, alone)
        return by_kinds[alike]

    @cache
    def least(left: int, groups: int) -> tuple[float, int]:
        """Try every group of the first part left, then the best of the rest; `left` has a bit per part."""
        if not left:
            return 0.0, 1
        first, *others = (1 << k for k in range(len(parts)) if left >> k & 1)
        best, ways = math.inf, 0
        for more in range(max(0, len(others) - size * (groups - 1)), min(size - 1, len(others)) + 1):
            for chosen in combinations(others, more):
                group = first + sum(chosen)
                rest, rest_ways = least(left - group, groups - 1)
                best, ways = min(best, cost(group) + rest), ways + rest_ways
        return best, ways

    share, ways = least((1 << len(parts)) - 1, number)
    return share, ways * math.factorial(number)


def planning(seed: int, draws: int, advance: Advance) -> pd.DataFrame:
    """Figure 19a: seconds by number of fragments, and memory."""
    rows: Rows = []
    for key, draw in product(NETWORKS, range(draws)):
        for number in NUMBERS:
            rows.append(_row(key, draw, number, graft(fleet_of(key, number, seed, draw)), memory_mb=math.nan))
        if draw == 0:
            for number in (TEN, HUNDRED):
                fleet = fleet_of(key, number, seed, draw)
                rows.append(_row(key, draw, number, graft(fleet), memory_mb=_memory_mb(fleet)))
        advance(1)
    return pd.DataFrame(rows)


def _memory_mb(fleet: Fleet) -> float:
    """Peak memory of planning, as the interpreter counts it."""
    before = gc.get_threshold()
    gc.collect()
    # For speed the command rarely collects garbage; uncollected garbage is no memory that planning needs.
    gc.set_threshold(YOUNG_BY_DEFAULT, *before[1:])
    tracemalloc.start()
    graft_answer(fleet)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    gc.set_threshold(*before)
    return peak / 2**20


def pools(seed: int, draws: int, advance: Advance) -> pd.DataFrame:
    """Figure 19b: seconds that the groups of fifty ViT fragments take, shared among one to six processes.

    Processes take groups in turn and cost nothing to start, so that this is the most that a pool can gain.
    """
    rows: Rows = []
    for draw in range(draws):
        fleet = fleet_of("vit", FIFTY, seed, draw)
        seconds = list(_group_seconds(fleet))
        for size in range(1, 7):
            free = [0.0] * size
            for taken in seconds:
                free[free.index(min(free))] += taken
            rows.append({"draw": draw, "pool": size, "seconds": max(free), "groups": len(seconds)})
        advance(1)
    return pd.DataFrame(rows)


def _group_seconds(fleet: Fleet) -> Iterator[float]:
    """Seconds that each group takes by itself, without results of the others."""
    parts = merged(fleet, Stages(fleet.network))
    for group in grouped(parts):
        own = Stages(fleet.network)
        began = time.process_time()
        realigned(own, [parts[k] for k in group])
        yield time.process_time() - began


def _row(key: str, draw: int, fragments: int, found: Any, **others: Any) -> dict[str, Any]:
    return {"network": key, "draw": draw, "fragments": fragments, **found._asdict(), **others}
