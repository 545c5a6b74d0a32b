"""Figure 21: power of plans by a linear model of a GPU, as Graft prints nothing of its own (ours).

A GPU that holds an instance takes its idle power, and the rest in proportion to its busy share. An instance is busy
while its requests' batches execute; a reserved share takes no power while it waits. Graft does not name its server's
GPU, so the constants are those of a V100. The page compares ratios, which depend on idle over full power alone; that is
0.11 to 0.12 for every NVIDIA GPU in the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import pandas as pd

from euclio.core.solving import solve
from euclio.problems.fragments import Fleet, FragmentPlan, evaluate
from euclio.problems.fragments.memory import gpus_needed
from euclio.report import Paragraph, Table
from euclio.report.analysis.statistics import Measured, mean, of_one_run
from studies.graft.cases import NETWORKS, SCALES, DrawnFleet
from studies.graft.scales import CAPPED_SCALE, savings
from studies.graft.systems import (
    AT_THE_MEAN,
    CAPPED,
    GRAFT,
    GSLICE,
    GSLICE_PLUS,
    SOLVERS,
    STATIC,
    SYSTEMS,
)
from studies.graft.variants import Advance

IDLE_W, FULL_W = 35.0, 306.0
"""Power of a V100 (Cloud Carbon Footprint, `ComputeProcessorTypes.ts`, min_watts_avg and max_watts_avg; Apache-2.0)."""
ENERGY_SCALES = tuple(scale for scale in SCALES if scale.key in {"small_homo", "large_homo"})
"""The scales of Figure 21, four and twenty fragments: "the same settings as in Section 5.2 and Section 5.3"."""
LESS_THAN_GRAFT = ("inc", "vgg", "vit")
"""Networks for which Graft's text prints the difference in energy between GSLICE+ and Graft."""


def busy(fleet: Fleet, plan: FragmentPlan) -> float:
    """Mean busy GPU share in per cent: every stage's share times its busy fraction of the time."""
    found = evaluate(fleet, plan)
    assert len(found.sets) == len(plan.sets), "a plan that was checked is priced"
    total = 0.0
    for own, priced in zip(plan.sets, found.sets, strict=True):
        for stage, value in zip(own.stages, (priced.shared, *filter(None, priced.heads)), strict=True):
            total += stage.total_pct * float(value.rate_rps / value.throughput_rps)
    return total


def energy(cases: list[tuple[str, DrawnFleet]], advance: Advance) -> pd.DataFrame:
    """One row per draw of Figure 21's scales and system: its share, its busy share, and the GPUs that hold it."""
    scales = {scale.key for scale in ENERGY_SCALES}
    rows: list[dict[str, Any]] = []
    for (scale, fleets), system in product(cases, SYSTEMS):
        if scale not in scales:
            continue
        fleet = fleets.mean if system in AT_THE_MEAN else fleets.now
        result = solve(fleet, SOLVERS[system], space=CAPPED if scale == CAPPED_SCALE else None)
        row: dict[str, Any] = {"scale": scale, "network": fleets.network, "draw": fleets.draw, "system": system}
        if result.plan is not None and result.value is not None:
            row |= {"share": float(result.value), "busy": busy(fleet, result.plan), "gpus": gpus_needed(result.plan)}
        rows.append(row)
        advance(1)
    return pd.DataFrame(rows, columns=("scale", "network", "draw", "system", "share", "busy", "gpus"))


def watts(rows: pd.DataFrame, idle_w: float = IDLE_W, full_w: float = FULL_W) -> pd.Series[float]:
    """Power of the GPUs that hold a plan, on average."""
    found: pd.Series[float] = idle_w * rows.gpus + (full_w - idle_w) * rows.busy / 100.0
    return found


def _by_draw(rows: pd.DataFrame, scale: str, key: str, idle_w: float = IDLE_W) -> pd.DataFrame:
    """Power of each system by draw of a network at a scale."""
    own = rows.assign(watts=watts(rows, idle_w))
    return _pivoted(own, scale, key, "watts")


def _pivoted(rows: pd.DataFrame, scale: str, key: str, what: str) -> pd.DataFrame:
    """A column per system and a row per draw of a network at a scale."""
    own = rows[(rows.scale == scale) & (rows.network == key)]
    return own.pivot_table(index="draw", columns="system", values=what)


def _most_saved(values: Mapping[str, pd.DataFrame]) -> tuple[Measured, str, str]:
    """Graft's largest mean saving over GSLICE or Static, with the network and the system.

    Args:
        values: the compared quantity by network: a column per system, a row per draw.
    """
    pairs = product(NETWORKS, (GSLICE, STATIC))
    found = [(mean(savings(values[key][system], values[key][GRAFT])), key, system) for key, system in pairs]
    return max(found, key=lambda one: one[0].value)


def energy_measures(rows: pd.DataFrame) -> dict[str, Measured]:
    """The numbers of §5.11, by key of the published number."""
    small, large = (scale.key for scale in ENERGY_SCALES)
    best, _, _ = _most_saved({key: _by_draw(rows, small, key) for key in NETWORKS})
    found = {"energy_small": of_one_run(best.value, best.n)}
    for key in LESS_THAN_GRAFT:
        own = _by_draw(rows, large, key)
        found[f"energy_gslice_plus_{key}"] = mean(savings(own[GRAFT], own[GSLICE_PLUS]))
    return found


def energy_reasons(rows: pd.DataFrame) -> dict[str, str]:
    """Sentences on the terms of the model, and on the result of another model."""
    small, large = (scale.key for scale in ENERGY_SCALES)
    _, key, system = _most_saved({key: _by_draw(rows, small, key) for key in NETWORKS})
    free, _, _ = _most_saved({key: _by_draw(rows, small, key, 0.0) for key in NETWORKS})
    aside, aside_key, aside_system = _most_saved({key: _pivoted(rows, small, key, "share") for key in NETWORKS})
    found = {
        "energy_small": f"{NETWORKS[key]} over {system}; without idle power it would be {free.value:.1f} %. In "
        f"proportion to the share that is set aside, busy or not, it would be {aside.value:.1f} % "
        f"({NETWORKS[aside_key]} over {aside_system}): the printed number is that of Table III, 70.0 %, over again. "
        "But a share that waits takes no power here, and realigned requests have to be executed as well."
    }
    for key in LESS_THAN_GRAFT:
        executed, gpus = (_pivoted(rows, large, key, what).mean() for what in ("busy", "gpus"))
        found[f"energy_gslice_plus_{key}"] = (
            f"Busy are {executed[GRAFT]:.0f} % of a GPU under Graft, on {gpus[GRAFT]:.1f} GPUs, and "
            f"{executed[GSLICE_PLUS]:.0f} % under GSLICE+, on {gpus[GSLICE_PLUS]:.1f}. The paper gives larger batches "
            "as the reason for less energy; here Graft executes less for the same requests."
        )
    return found


def energy_block(rows: pd.DataFrame) -> Table:
    """Power by scale, network and system."""
    lines = []
    for scale, key in product(ENERGY_SCALES, NETWORKS):
        own = _by_draw(rows, scale.key, key).mean()
        lines.append((scale.words, NETWORKS[key], *(f"{own[system]:.0f}" for system in SYSTEMS)))
    return Table(
        f"Power of the GPUs in watts (lower is better): {IDLE_W:g} W for each GPU in use, and up to {FULL_W:g} W in "
        "proportion to the busy share",
        ("clients", "network", *SYSTEMS),
        tuple(lines),
        frozenset(range(2, 2 + len(SYSTEMS))),
    )


def energy_text(rows: pd.DataFrame) -> Paragraph:
    """The model, and its results next to the paper's sentences."""
    found = energy_measures(rows)
    less = {key: found[f"energy_gslice_plus_{key}"].value for key in LESS_THAN_GRAFT}
    by = ", ".join(f"{abs(v):.0f} % {'less' if v > 0 else 'more'} for {NETWORKS[key]}" for key, v in less.items())
    return Paragraph(
        "The paper names neither the GPU of Figure 21 nor its power. Here a GPU takes "
        f"{IDLE_W:g} W when it holds an instance and up to {FULL_W:g} W in proportion to the busy share. These are the "
        "constants of a V100 in Cloud Carbon Footprint; its other NVIDIA GPUs have the same ratio of both (0.11 "
        "to 0.12). Energy per second is this power, and all systems serve the same requests. With four Nano, Graft "
        f"saves at most {found['energy_small'].value:.0f} % over GSLICE or Static (printed: up to 70.1 %). With "
        f"twenty, GSLICE+ takes {by} than Graft (printed: 42.7, 32.2 and 30.1 % less). The linear model ignores that "
        "clocks follow the load."
    )
