"""Optima and bounds: of the fleets of all scales, by objective, and of fleets that cannot be enumerated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from euclio.core.solving import solve
from euclio.experiments.solver_settings import solver_settings
from euclio.experiments.task import SolverSetting
from euclio.problems.fragments import Fleet, Fragment
from euclio.problems.fragments.stages import Stages
from studies.collector import Collector
from studies.graft.cases import DrawnFleet, FleetSampling, nanos
from studies.graft.systems import (
    EXACT,
    GRAFT,
    GSLICE_PLUS,
    MASSIVE,
    OPTIMUM,
    REGROUP,
    graft,
    merged,
    options,
    planned,
    share_of,
)
from studies.graft.variants import TWENTY_FIVE, fleet_of
from studies.proof_sample import SampledProof, proofs_of

CERTIFIABLE, CERTIFIED = 4, 1
"""The most fragments, and the draws, whose proofs the independent prover checks; it lists all sets."""
UNPROVEN_S = 60.0
"""Time limit in seconds for fleets of hundreds: far above their need, so that bounds do not depend on the machine."""


def optima_of(
    collector: Collector, name: str, cases: Sequence[tuple[str, DrawnFleet]], limit_s: float
) -> tuple[pd.DataFrame, list[SampledProof]]:
    """Value, bound and status of the optimum: one row per draw; and the proofs that the prover can check."""
    frame, proofs = _sought(collector, name, [fleets.now for _, fleets in cases], limit_s)
    heads = pd.DataFrame(
        [{"scale": scale, "network": fleets.network, "draw": fleets.draw} for scale, fleets in cases],
        index=frame.index,
    )
    return pd.concat([heads, frame], axis=1), proofs


def ratio_table(
    collector: Collector, objectives: Sequence[tuple[float, Fleet]], limit_s: float
) -> tuple[pd.DataFrame, list[SampledProof]]:
    """Figure 20: Graft's share next to the optimum by SLO ratio, one row per fleet."""
    frame, proofs = _sought(collector, "SLO ratios", [fleet for _, fleet in objectives], limit_s)
    heads = pd.DataFrame(
        [
            {
                "network": fleet.name.split()[0],
                "ratio": ratio,
                GRAFT: graft(fleet).share,
                REGROUP: share_of(solve(fleet, REGROUP)),
            }
            for ratio, fleet in objectives
        ],
        index=frame.index,
    )
    return pd.concat([heads, frame], axis=1), proofs


def grouped_optima(collector: Collector, sampling: FleetSampling, seed: int) -> pd.DataFrame:
    """§5.6: Graft with 25 fragments, the optimum, and a bound on all groupings of Graft's parts.

    The bound `grouped` is the least share over all partitions of the parts into sets of at most a group's size, each
    realigned optimally. No grouping of these parts takes less, balanced or not.
    """
    drawn = [(key, draw) for key in sampling.enumerated for draw in range(sampling.steps)]
    fleets = [fleet_of(key, TWENTY_FIVE, seed, draw) for key, draw in drawn]
    least, _ = _sought(collector, "25 fragments", fleets, UNPROVEN_S)
    parts = [as_fragments(fleet) for fleet in fleets]
    setting = optimum_setting(UNPROVEN_S, max_members=options().group_size)
    groups = collector.staged("25 fragments, grouped", parts, [setting])
    rows = [{"network": key, "draw": draw} for key, draw in drawn]
    for row, fleet in zip(rows, fleets, strict=True):
        row |= {GRAFT: graft(fleet).share, REGROUP: share_of(solve(fleet, REGROUP))}
    heads = pd.DataFrame(rows, index=least.index)
    return pd.concat([heads, least], axis=1).assign(grouped=groups.bound.astype(float).to_numpy())


def as_fragments(fleet: Fleet) -> Fleet:
    """Graft's merged fragments, as a fleet of their own."""
    parts = merged(fleet, Stages(fleet.network))
    own = [Fragment(f"part-{k}", part.begin, part.budget_s, part.rate_rps) for k, part in enumerate(parts)]
    return Fleet(f"{fleet.name} merged", fleet.network, own)


def bounded(collector: Collector, sampling: FleetSampling, seed: int) -> pd.DataFrame:
    """Fleets of hundreds of clients next to a proven bound, one row per network and number.

    `value` is ours: regroup's plan, where the solver of the bound finds none better.
    """
    drawn = [(key, number) for key in sampling.enumerated for number in sampling.bounded]
    fleets = [nanos(f"massive {key} {number} 0", key, number, seed) for key, number in drawn]
    frame, _ = _sought(collector, "bounds for hundreds", [own.now for own in fleets], UNPROVEN_S)
    rows = [
        {
            "network": key,
            "clients": number,
            GRAFT: graft(own.now, options(MASSIVE)).share,
            GSLICE_PLUS: planned(GSLICE_PLUS, own),
        }
        for (key, number), own in zip(drawn, fleets, strict=True)
    ]
    return pd.concat([pd.DataFrame(rows, index=frame.index), frame], axis=1)


def optimum_setting(limit_s: float, **space: Any) -> SolverSetting:
    """The setting of the exact solver, in a plan space with changes."""
    (found,) = solver_settings(EXACT, label=OPTIMUM, **space)
    return replace(found, time_s=limit_s)


def _sought(
    collector: Collector, name: str, fleets: Sequence[Fleet], limit_s: float
) -> tuple[pd.DataFrame, list[SampledProof]]:
    setting = optimum_setting(limit_s)
    frame = collector.staged(name, fleets, [setting])
    few = {
        fleet.name
        for fleet in fleets
        if len(fleet.fragments) <= CERTIFIABLE and int(fleet.name.split()[-1]) < CERTIFIED
    }
    proofs = proofs_of(frame[frame.instance.isin(few)], [f for f in fleets if f.name in few], [setting])
    return frame[["value", "bound", "status", "wall_s"]].astype({"value": float, "bound": float}), proofs
