"""Shares by scale, throughput within a share, thousands of clients, objectives (Graft §5.2 to §5.10)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from euclio.core.errors import InputError
from euclio.fragments import Fleet
from euclio.fragments.workloads.clients import Client, fleet_at_mean, fleet_now
from euclio.studies.graft.cases import DEFAULT, NETWORKS, SCALES, Drawn, Parameters, clients_of, drawn
from euclio.studies.graft.systems import (
    ALL_MERGED,
    BASELINES,
    CAPPED,
    GRAFT,
    GSLICE,
    MASSIVE,
    SOLVERS,
    graft,
    options,
    planned,
)
from euclio.studies.graft.variants import Advance

RATIO_CLIENTS = 10
AMOUNTS = (4, 8)
"""Clients that GSLICE serves within the shares of Figure 17 (ours: its amounts are not printed)."""
MOST_CLIENTS = 60
"""Clients of Figure 17 at most: Graft serves no more within those shares."""

UNIFORM = "Graft, all uniform merged"

CAPPED_SCALE = "large_homo"
"""The scale whose stages have at most five instances (Graft §5.3)."""


def drawn_at_all(seed: int, draws: int, parameters: Parameters = DEFAULT) -> list[tuple[str, Drawn]]:
    """Every draw of every network at every scale, with the scale's key."""
    return [
        (scale.key, drawn(key, scale, seed, draw, parameters))
        for scale, key, draw in product(SCALES, NETWORKS, range(draws))
    ]


def shares(cases: list[tuple[str, Drawn]], advance: Advance) -> pd.DataFrame:
    """One row per draw: the share of every system, and at the large scale that with at most five instances a stage."""
    rows = []
    for scale, fleets in cases:
        row: dict[str, Any] = {"scale": scale, "network": fleets.network, "draw": fleets.draw}
        row |= {system: planned(system, fleets) for system in SOLVERS}
        if scale == CAPPED_SCALE:
            row |= {f"{system} capped": planned(system, fleets, CAPPED) for system in SOLVERS}
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
    merged_too: bool = True,
) -> pd.DataFrame:
    """Figure 18: shares of thousands of clients, those of Graft with all uniform fragments merged as well if asked."""
    rows = []
    for key, number in product(networks, numbers):
        clients = clients_of(key, number, 1000 * seed, parameters=parameters)
        fleets = Drawn(key, 0, fleet_now("now", clients), fleet_at_mean("mean", clients))
        found = graft(fleets.now, options(MASSIVE))
        row: dict[str, Any] = {"network": key, "clients": number, GRAFT: found.share, "parts": found.parts}
        row |= {"uniform": len({(f.partition_point, f.budget_s) for f in fleets.now.fragments})}
        if merged_too:
            row[UNIFORM] = graft(fleets.now, options(ALL_MERGED)).share
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
) -> pd.DataFrame:
    """Figure 17: clients served within a share, as they come one by one until it is exceeded, at most so many."""
    rows = []
    for key, draw in product(networks, range(draws)):
        clients = clients_of(key, most, 1000 * seed + draw, parameters=parameters)
        limits = [planned(GSLICE, _first(key, draw, clients, number)) for number in amounts]
        served = {system: _served(system, key, draw, clients, limits) for system in SOLVERS if system != "Static+"}
        for k, amount in enumerate(amounts):
            row: dict[str, Any] = {"network": key, "draw": draw, "amount": amount, "share": limits[k]}
            rows.append(row | {system: found[k] for system, found in served.items()})
        advance(1)
    return pd.DataFrame(rows)


def _served(system: str, key: str, draw: int, clients: list[Client], limits: Sequence[float]) -> list[int]:
    """Clients that a system serves before each of some ascending shares is exceeded."""
    found: list[int] = []
    for number in range(1, len(clients) + 1):
        share = planned(system, _first(key, draw, clients, number))
        while len(found) < len(limits) and share > limits[len(found)]:
            found.append(number - 1)
        if len(found) == len(limits):
            return found
    return found + [len(clients)] * (len(limits) - len(found))


def _first(key: str, draw: int, clients: list[Client], number: int) -> Drawn:
    own = clients[:number]
    return Drawn(key, draw, fleet_now("now", own), fleet_at_mean("mean", own))


def ratio_fleets(seed: int, draws: int, ratios: Sequence[float]) -> tuple[list[tuple[float, Fleet]], pd.DataFrame]:
    """Figure 20: fleets by SLO ratio; and for which draws there are clients that find a partition point."""
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
