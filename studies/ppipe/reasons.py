"""Reasons why measured numbers differ from the published ones, as far as the runs show them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from euclio.core.words import percent
from euclio.workloads.pipeline.layer_models import GROUP_SIZE
from studies.papers.published import printed_values
from studies.ppipe import inputs, measures
from studies.ppipe.cases import (
    ABLATION_MARGIN,
    ABLATION_PARTITIONS,
    BY_TYPES,
    LARGE,
    MARGINS,
    MEAN,
    RATIOS,
    SCALES,
    UNMERGED,
)
from studies.ppipe.serving import FITTED_ON, fitted_cv
from studies.ppipe.systems import DART, NP, PPIPE, PRINTED
from studies.study import Collected

SYNTHETIC = "Layer profiles are synthetic: drawn within the printed ranges, not measured."
BLOCKS = "On the blocks that the authors measured, their groups, and the links of their runs."


def reasons(collected: Collected) -> dict[str, str]:
    """One sentence or two per published number for which the data hold a reason: of the study's first input."""
    on_blocks = bool(inputs.on_measured(collected.tables))
    tables = measures.first_input(collected.tables)
    said = BLOCKS if on_blocks else SYNTHETIC
    groups = measures.of_groups(tables["serving"])
    found = {
        **_loads(tables, said),
        **_low_class(groups, said),
        **_probes(measures.of_groups(tables["plans"])),
        **_schedulers(said),
        **_planning(tables["planning"]),
        **_unmerged(collected.tables["planning"]),
        **_testbed(tables["serving"], said),
        **_conditions(tables["serving"], said),
    }
    return {**found, "p4_over_l4_least": SYNTHETIC}


def _loads(tables: Mapping[str, pd.DataFrame], said: str) -> dict[str, str]:
    bursts = _bursts(tables)
    plans, serving = measures.of_groups(tables["plans"]), measures.of_groups(tables["serving"])
    values = measures.planned(plans)
    found = {}
    for base, key in ((NP, "np"), (DART, "dart")):
        gain = 100.0 * (values[PPIPE] / values[base] - 1.0)
        for arrivals in (measures.POISSON, measures.BURSTY):
            loads = measures.mean_loads(serving, arrivals, measures.RESERVATION)
            for setup in (None, *LARGE):
                own = gain if setup is None else gain[measures.setup_of(gain.index) == setup]
                mine = loads if setup is None else loads[measures.setup_of(loads.index) == setup]
                name = f"gain_{key}_{arrivals}" + ("" if setup is None else f"_{setup}")
                served = f"{base} {100 * mine[base].mean():.0f} %, PPipe {100 * mine[PPIPE].mean():.0f} %"
                apart = _apart(loads) if base == NP and arrivals == measures.BURSTY and "bursts" in tables else ""
                found[name] = (
                    f"The plans alone gain {own.mean():.1f} % (mean; {own.min():.0f} to {own.max():.0f} %). Served of "
                    f"the planned load: {served}. {bursts if arrivals == measures.BURSTY else ''}{apart}{said}"
                )
    for key in ("np", "dart", "ppipe"):
        for arrivals in (measures.POISSON, measures.BURSTY):
            found[f"load_{key}_{arrivals}"] = (
                f"Planned throughputs set these shares. {bursts if arrivals == measures.BURSTY else ''}{said}"
            )
        found[f"g1_load_{key}"] = f"The paper does not print how the load divides between the models. {said}"
    found |= dict.fromkeys(("g1_attainment", *measures.OF_G1.values()), _g1(serving, said))
    return found


def _g1(serving: pd.DataFrame, said: str) -> str:
    """The attainment of G1 at full load, by model."""
    own = measures.full_load_of_g1(serving)
    by = ", ".join(f"{m} {percent(a.min(), 1)} to {percent(a.max(), 1)}" for m, a in own.groupby("model").attainment)
    return (
        f"By seed of the arrivals: {by}. At full load each model gets the rate that PPipe's plan serves, so "
        f"random arrivals alone cause the misses. {said}"
    )


def _apart(bursty: pd.DataFrame) -> str:
    """The reason why the printed gain over NP under bursts does not follow from the printed loads."""
    value = printed_values("ppipe")
    means = 100.0 * (value["load_ppipe_bursty"] / value["load_np_bursty"] - 1.0)
    return (
        f"The printed mean loads differ by {means:.1f} %. The printed gain is a mean of ratios, in which groups that "
        f"NP hardly serves dominate. NP's least load on a group here is {bursty[NP].min():.2f}. The "
        "authors' plans for the bursty trace divide the load anew (0.39, 0.26, 0.35); here it is divided as for "
        "Poisson arrivals. "
    )


def _low_class(groups: pd.DataFrame, said: str) -> dict[str, str]:
    used = measures.utilization(groups).groupby(["system", "setup"]).low_class.mean()
    found = {}
    for system, key in measures.KEYS.items():
        by = ", ".join(f"{setup} {value:.0f} %" for setup, value in used[system].items())
        found[f"low_class_{key}"] = (
            f"By cluster: {by}. Each model runs at its own highest load; busy time counts all GPUs of the class, used "
            f"or not. {said}"
        )
    return found


def _bursts(tables: Mapping[str, pd.DataFrame]) -> str:
    """The replacement of the paper's bursty trace."""
    if "bursts" not in tables:
        return "Bursts are ours (independent heavy-tailed gaps); the paper's 2021 trace is burstier over longer times. "
    cv = fitted_cv(tables["bursts"])
    return (
        f"Bursts are gamma gaps (coefficient of variation {cv:g}), fitted to the printed loads "
        f"over those of Poisson arrivals on {' and '.join(FITTED_ON)}. "
    )


def _probes(plans: pd.DataFrame) -> dict[str, str]:
    """The scheduler's work per batch."""
    per_model = plans[plans.system == PPIPE].pipelines.mean() / GROUP_SIZE
    return {
        "probes": (
            "Algorithm 1 probes each pipeline of the model, the chosen one once more (line 14), and smaller batches "
            f"if the deadline requires them; our plans have {per_model:.1f} pipelines per model. The authors' "
            "published simulator does that twice for every oldest request; the paper does not mention it."
        ),
        "dispatch_s": "Time of the whole event loop per batch, arrivals and transfers included, on this machine.",
    }


def _schedulers(said: str) -> dict[str, str]:
    """Figure 10, and the plan of Figure 11 under load."""
    alone = (
        f"Single models with a margin of {percent(float(ABLATION_MARGIN), 0)} and up to {ABLATION_PARTITIONS} "
        f"partitions, as in the authors' published plans for this figure. {said}"
    )
    load = "At load factor 1; the paper does not state its load."
    return {
        "reservation_load": alone,
        "reactive_load": f"Dropping and waiting in pools follow the authors' simulator. {alone}",
        "efficientnet_reservation": alone,
        "efficientnet_reactive": alone,
        **{f"transfer_{key}": f"{load} {alone}" for key in ("mean", "p99", "alone")},
        "fcn_total": said,
        "fcn_load": "Simulated; the paper's is measured on a testbed.",
    }


def _planning(planning: pd.DataFrame) -> dict[str, str]:
    """Times of the MILP as printed, with the cases open at its limit, and of columns."""
    printed = planning[planning.system == PRINTED]
    engine = "The paper uses Gurobi on a machine with 64 virtual cores."
    text = (
        f"The MILP as printed, one thread of HiGHS: {open_text(printed[printed.study == MEAN])} of the first group of "
        f"each large cluster, {open_text(printed[printed.study != MEAN])} of Figure 14's. {engine}"
    )
    types = printed[printed.study == BY_TYPES].set_index("gpu_types")
    own = planning[(planning.system == PPIPE) & (planning.study == BY_TYPES)].set_index("gpu_types").wall_s
    return {
        "milp_s": text,
        **{
            f"types_{n}_s": f"The MILP as printed on HiGHS: {open_text(types.loc[[n]])}. "
            f"{_outcome(types.loc[[n]].iloc[0])} "
            f"Columns, not the paper's, take {own[n]:.2f} s. {engine}"
            for n in (3, 4)
        },
    }


def _unmerged(planning: pd.DataFrame) -> dict[str, str]:
    """Reasons for unmerged layers, which are synthetic."""
    rows = planning[(planning.system == PPIPE) & (planning.study == UNMERGED)]
    text = (
        "Not measured: we did not run the MILP as printed. Columns, which are not the paper's, take at most "
        f"{rows.wall_s.max():.2f} s on synthetic layers. {' '.join(sorted({_outcome(r) for _, r in rows.iterrows()}))}"
    )
    return {"unmerged_80_s": text}


def open_text(rows: pd.DataFrame) -> str:
    """Number of clusters on which a planner is open at its limit, in words: "over 2 s on 7 of 7"."""
    left = rows[rows.status != "optimal"]
    if left.empty:
        return f"at most {rows.wall_s.max():.2f} s on all {len(rows)}"
    # Rounded down, since a late stop does not mean a longer search.
    return f"over {math.floor(left.wall_s.min())} s on {len(left)} of {len(rows)}"


def _testbed(serving: pd.DataFrame, said: str) -> dict[str, str]:
    """Gains by cluster in Figure 9, of averages and by model."""
    served = measures.small_loads(serving).groupby("setup").mean()
    found: dict[str, str] = {}
    for base, key in ((NP, "np"), (DART, "dart")):
        gain = measures.small_gains(serving, base)
        by = ", ".join(
            f"{setup} {m.value:.1f} % ({base} {served[base][setup]:.2f}, PPipe {served[PPIPE][setup]:.2f})"
            for setup, m in gain.items()
        )
        text = f"By cluster, loads averaged over the models: {by}. {said} The paper's is a testbed."
        found |= {f"testbed_{key}_{end}": text for end in ("least", "most")}
    return found


def _outcome(row: pd.Series[Any]) -> str:
    """Whether a plan was proven, and the gap that the limit left open."""
    if row.status == "optimal":
        return "Proven optimal."
    if pd.isna(row.planned_rps):
        return "Stopped at the time limit without a plan."
    return f"Stopped at the time limit with {100 * (row.bound_rps / row.planned_rps - 1):.2f} % open."


def _conditions(serving: pd.DataFrame, said: str) -> dict[str, str]:
    found = {}
    for study, keys in (
        (SCALES, {"scale_2": ("slo_scale", 2.0)}),
        (RATIOS, {"ratio_2_14": ("high", 2), "ratio_12_4": ("high", 12)}),
        (MARGINS, {f"margin_{m}": ("margin", m / 100) for m in (20, 40, 60)}),
    ):
        table = measures.sensitivity(serving, study)
        for key, (column, value) in keys.items():
            rows = table[table[column] == value]
            alone = measures.gains(rows, NP)
            none = int(np.isinf(alone).sum())
            left_out = f" (without {none} that NP does not serve)" if none else ""
            found[key] = (
                f"Simulated on {len(rows)} of the 18 models, highest loads on a grid of 0.05: NP "
                f"{rows[NP].mean():.2f}, PPipe {rows[PPIPE].mean():.2f} on average. The models' own gains "
                f"are {alone[np.isfinite(alone)].mean():.1f} % on average{left_out}. {said} The paper's is a testbed."
            )
    return found
