"""Shares by scale, throughput within a share, thousands of clients, objectives (Graft §5.2 to §5.10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from euclio.core.errors import InputError
from euclio.problems.fragments import Fleet
from euclio.workloads.fragments.clients import fleet_now
from studies.graft.cases import (
    DEFAULT,
    NETWORKS,
    SCALES,
    DrawnFleet,
    Parameters,
    clients_of,
    drawn,
    first_of,
    nanos,
)
from studies.graft.systems import (
    ALL,
    ALL_MERGED,
    BASELINES,
    CAPPED,
    EDGES,
    GRAFT,
    GSLICE,
    GSLICE_PLUS,
    LITERAL,
    MASSIVE,
    READ_OTHERWISE,
    REGROUP,
    SOLVERS,
    STATIC,
    SYSTEMS,
    graft,
    options,
    planned,
)
from studies.graft.variants import Advance

RATIO_CLIENTS = 10
AMOUNTS = (4, 8)
"""Clients that GSLICE serves within the shares of Figure 17 (ours: its amounts are not printed)."""
MOST_CLIENTS = 60
"""Most clients of Figure 17: Graft serves no more within those shares."""

SERVING = (GRAFT, REGROUP, GSLICE, GSLICE_PLUS, STATIC)
"""Systems of Figure 17, ours behind Graft."""

LARGE_SCALES = ("large_homo", "large_heter")
CAPPED_SCALE = "large_homo"
"""The scale whose stages have at most five instances (Graft §5.3)."""


def drawn_at_all(seed: int, draws: int) -> list[tuple[str, DrawnFleet]]:
    """Every draw of every network at every scale, with the scale's key."""
    return [
        (scale.key, drawn(key, scale, seed, draw, DEFAULT))
        for scale, key, draw in product(SCALES, NETWORKS, range(draws))
    ]


def fleets(count: int, seed: int) -> Iterator[Fleet]:
    """The fleets of `drawn_at_all` at a moment, each under a name of its own.

    Args:
        count: draws of each network at each scale.
        seed: seed of the draws.
    """
    return named(drawn_at_all(seed, count))


def named(cases: Iterable[tuple[str, DrawnFleet]]) -> Iterator[Fleet]:
    """The fragments of the clients at a moment, each fleet under a name of its own."""
    return (replace(case.now, name=f"{scale}-{case.network}-{case.draw:02d}") for scale, case in cases)


def shares(cases: list[tuple[str, DrawnFleet]], advance: Advance) -> pd.DataFrame:
    """One row per draw: the share of every system and of Graft under other readings.

    At the large scale also the share with at most five instances a stage.
    """
    rows = []
    for scale, fleets in cases:
        row: dict[str, Any] = {"scale": scale, "network": fleets.network, "draw": fleets.draw}
        row |= {system: planned(system, fleets) for system in SOLVERS}
        if scale in LARGE_SCALES:
            row |= {system: planned(system, fleets) for system in READ_OTHERWISE}
        if scale == CAPPED_SCALE:
            row |= {f"{system} capped": planned(system, fleets, CAPPED) for system in SYSTEMS}
        rows.append(row)
        advance(1)
    return pd.DataFrame(rows)


def massive(
    seed: int,
    numbers: Sequence[int],
    advance: Advance,
    parameters: Parameters = DEFAULT,
    networks: Sequence[str] = tuple(NETWORKS),
    *,
    paper_only: bool = False,
) -> pd.DataFrame:
    """Figure 18: shares of thousands of clients; on request also those of ours and of Graft under other readings."""
    rows = []
    for key, number in product(networks, numbers):
        fleets = nanos(f"massive {key} {number}", key, number, seed, parameters=parameters)
        found = graft(fleets.now, options(MASSIVE))
        row: dict[str, Any] = {"network": key, "clients": number, GRAFT: found.share, "parts": found.parts}
        row |= {"uniform": len({(f.partition_point, f.budget_s) for f in fleets.now.fragments})}
        if not paper_only:
            row[ALL] = graft(fleets.now, options(ALL_MERGED)).share
            row[EDGES] = graft(fleets.now, options(LITERAL, threshold=options(MASSIVE).threshold)).share
        rows.append(row | {system: planned(system, fleets) for system in BASELINES})
        advance(1)
    return pd.DataFrame(rows)


def throughput(
    seed: int,
    draws: int,
    advance: Advance,
    parameters: Parameters = DEFAULT,
    amounts: Sequence[int] = AMOUNTS,
    networks: Sequence[str] = tuple(NETWORKS),
    most: int = MOST_CLIENTS,
    systems: Sequence[str] = SERVING,
) -> pd.DataFrame:
    """Figure 17: clients served within a share; they arrive one by one until it is exceeded, up to a limit."""
    rows = []
    for key, draw in product(networks, range(draws)):
        fleets = nanos("coming", key, most, seed, draw, parameters)
        limits = [planned(GSLICE, first_of(fleets, number)) for number in amounts]
        served: dict[str, list[int]] = {}
        for system in systems:
            # Ours never takes more than Graft, so it serves at least as many; more share never serves fewer.
            found: list[int] = []
            for k, limit in enumerate(limits):
                least = max(served[GRAFT][k] if system == REGROUP else 0, *found, 0)
                found.append(_served(system, fleets, limit, least))
            served[system] = found
        for k, amount in enumerate(amounts):
            row: dict[str, Any] = {"network": key, "draw": draw, "amount": amount, "share": limits[k]}
            rows.append(row | {system: numbers[k] for system, numbers in served.items()})
        advance(1)
    return pd.DataFrame(rows)


def _served(system: str, fleets: DrawnFleet, limit: float, least: int) -> int:
    """Clients that a system serves before a share is exceeded; it serves at least the first `least`."""
    most = len(fleets.now.fragments)
    for number in range(least + 1, most + 1):
        if planned(system, first_of(fleets, number)) > limit:
            return number - 1
    return most


def ratio_fleets(seed: int, draws: int, ratios: Sequence[float]) -> tuple[list[tuple[float, Fleet]], pd.DataFrame]:
    """Figure 20: fleets by SLO ratio; and the draws with clients that find a partition point."""
    fleets, rows = [], []
    for key, ratio, draw in product(NETWORKS, ratios, range(draws)):
        try:
            clients = clients_of(key, RATIO_CLIENTS, 1000 * seed + draw, slo_ratio=ratio)
        except InputError:
            clients = []
        rows.append({"network": key, "ratio": ratio, "draw": draw, "drawn": bool(clients)})
        if clients:
            fleets.append((ratio, fleet_now(f"{key} {ratio:g} {draw}", clients)))
    return fleets, pd.DataFrame(rows)


def savings(above: pd.Series[float], below: pd.Series[float]) -> pd.Series[float]:
    """Share saved over another system in percent, by draw."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: pd.Series[float] = 100.0 * (1.0 - below / above)
    return found
