"""Why measured numbers differ from the published ones, as far as the runs can say; shown only where they do."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from euclio.pipeline.workloads.groups import GROUP_SIZE
from euclio.studies.ppipe import measures
from euclio.studies.ppipe.cases import BY_TYPES, LARGE, MARGINS, MEAN, RATIOS, SCALES, UNMERGED
from euclio.studies.ppipe.systems import DART, NP, PPIPE, PRINTED
from euclio.studies.study import Collected

PROFILES = "Layer profiles are synthetic: drawn within the printed ranges, not measured."


def reasons(collected: Collected) -> dict[str, str]:
    """One sentence or two per published number for which the data hold a reason."""
    return {
        **_loads(collected),
        **_low_class(measures.of_groups(collected.tables["serving"])),
        **_scheduling(measures.of_groups(collected.tables["plans"])),
        **_planning(collected.tables["planning"]),
        **_testbed(collected.tables["serving"]),
        **_conditions(collected.tables["serving"]),
    }


def _loads(collected: Collected) -> dict[str, str]:
    plans, serving = measures.of_groups(collected.tables["plans"]), measures.of_groups(collected.tables["serving"])
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
                found[name] = (
                    f"The plans alone gain {own.mean():.1f} % (mean; {own.min():.0f} to {own.max():.0f} %). Served of "
                    f"the planned load: {served}. {_arrivals(arrivals)} {PROFILES}"
                )
    for key in ("np", "dart", "ppipe"):
        for arrivals in (measures.POISSON, measures.BURSTY):
            found[f"load_{key}_{arrivals}"] = f"Planned throughputs set these shares. {_arrivals(arrivals)} {PROFILES}"
        found[f"g1_load_{key}"] = f"Other layers and another division of the load between the models. {PROFILES}"
    return found


def _low_class(groups: pd.DataFrame) -> dict[str, str]:
    used = measures.utilization(groups).groupby(["system", "setup"]).low_class.mean()
    found = {}
    for system, key in measures.KEYS.items():
        by = ", ".join(f"{setup} {value:.0f} %" for setup, value in used[system].items())
        found[f"low_class_{key}"] = (
            f"By cluster: {by}. Busy time counts all GPUs of the class, used or not. More of the synthetic models meet "
            "their SLO whole on T4 than the paper's seem to."
        )
    return found


def _arrivals(arrivals: str) -> str:
    if arrivals == measures.BURSTY:
        return "Bursts are ours (independent heavy-tailed gaps); the paper's 2021 trace is burstier over longer times."
    return ""


def _scheduling(plans: pd.DataFrame) -> dict[str, str]:
    per_model = plans[plans.system == PPIPE].pipelines.mean() / GROUP_SIZE
    congestion = "Which plans send much over shared links depends on the profiles, and these are synthetic."
    return {
        "probes": (
            "Algorithm 1 probes each pipeline of the model once, then smaller batches where the deadline asks for "
            f"them. Our plans have {per_model:.1f} pipelines per model, and most batches meet the deadline at once."
        ),
        "dispatch_s": "Time of the whole event loop per batch, arrivals and transfers included, on this machine.",
        "reservation_load": PROFILES,
        "reactive_load": congestion,
        "efficientnet_reservation": congestion,
        "efficientnet_reactive": congestion,
        "transfer_mean": "Transfers of all three models of G1 at load factor 1. " + congestion,
        "transfer_p99": "Transfers of all three models of G1 at load factor 1. " + congestion,
        "fcn_total": PROFILES,
        "fcn_load": "Simulated; the paper's is measured on a testbed.",
        "p4_over_l4_least": PROFILES,
    }


def _planning(planning: pd.DataFrame) -> dict[str, str]:
    """What was timed: the MILP as printed, with where it is open at its limit; what columns take is said next to it."""
    printed = planning[planning.system == PRINTED]
    columns = planning[planning.system == PPIPE].groupby("study").wall_s
    engine = "The paper uses Gurobi on a machine with 64 virtual cores."
    text = (
        f"The MILP as printed, one thread of HiGHS: {open_text(printed[printed.study == MEAN])} of the first group of "
        f"each large cluster, {open_text(printed[printed.study != MEAN])} of Figure 14's. {engine}"
    )
    types = printed[printed.study == BY_TYPES].set_index("gpu_types")
    own = planning[(planning.system == PPIPE) & (planning.study == BY_TYPES)].set_index("gpu_types").wall_s
    unmerged = planning[(planning.system == PPIPE) & (planning.study == UNMERGED)]
    return {
        "milp_s": text,
        **{
            f"types_{n}_s": f"The MILP as printed on HiGHS: {open_text(types.loc[[n]])}. "
            f"{_outcome(types.loc[[n]].iloc[0])} "
            f"Columns, not the paper's, take {own[n]:.2f} s. {engine}"
            for n in (3, 4)
        },
        "unmerged_80_s": "Not measured: the MILP as printed was not waited for. Columns, which are not the paper's, "
        f"take at most {columns.max()[UNMERGED]:.2f} s. "
        + " ".join(sorted({_outcome(r) for _, r in unmerged.iterrows()})),
    }


def open_text(rows: pd.DataFrame) -> str:
    """On how many clusters a planner is open at its limit, in words: "over 2 s on 7 of 7"."""
    left = rows[rows.status != "optimal"]
    if left.empty:
        return f"at most {rows.wall_s.max():.2f} s on all {len(rows)}"
    # Rounded down: a process that is stopped late is not open for longer.
    return f"over {math.floor(left.wall_s.min())} s on {len(left)} of {len(rows)}"


def _testbed(serving: pd.DataFrame) -> dict[str, str]:
    """Figure 9: gains by cluster, of averages and by model."""
    served = measures.small_loads(serving).groupby("setup").mean()
    found: dict[str, str] = {}
    for base, key in ((NP, "np"), (DART, "dart")):
        gain = measures.small_gains(serving, base)
        by = ", ".join(
            f"{setup} {m.value:.1f} % ({base} {served[base][setup]:.2f}, PPipe {served[PPIPE][setup]:.2f})"
            for setup, m in gain.items()
        )
        text = f"By cluster, loads averaged over the models: {by}. {PROFILES} The paper's is a testbed."
        found |= {f"testbed_{key}_{end}": text for end in ("least", "most")}
    return found


def _outcome(row: pd.Series[Any]) -> str:
    """Whether a plan was proven, and what the limit left open."""
    if row.status == "optimal":
        return "Proven optimal."
    if pd.isna(row.planned_rps):
        return "Stopped at the time limit without a plan."
    return f"Stopped at the time limit with {100 * (row.bound_rps / row.planned_rps - 1):.2f} % open."


def _conditions(serving: pd.DataFrame) -> dict[str, str]:
    found = {}
    for study, keys in (
        (SCALES, {"scale_2": ("slo_scale", 2.0)}),
        (RATIOS, {"ratio_2_14": ("high", 2), "ratio_12_4": ("high", 12)}),
        (MARGINS, {f"margin_{m}": ("margin", m / 100) for m in (20, 40, 60)}),
    ):
        table = measures.sensitivity(serving, study)
        for key, (column, value) in keys.items():
            rows = table[table[column] == value]
            none = int((rows[NP] == 0).sum())
            ratio = 100.0 * (rows[PPIPE].mean() / rows[NP].mean() - 1.0) if none < len(rows) else float("inf")
            left_out = f" NP serves nothing on {none}, which are left out." if none else ""
            found[key] = (
                f"Simulated on {len(rows)} of the 18 models, highest loads on a grid of 0.05: NP "
                f"{rows[NP].mean():.2f}, "
                f"PPipe {rows[PPIPE].mean():.2f} on average, whose ratio is {ratio:.1f} % over 1.{left_out} {PROFILES} "
                "The paper's is a testbed."
            )
    return found
