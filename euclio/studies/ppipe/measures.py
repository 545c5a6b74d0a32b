"""What the runs come to, by key of the published numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from euclio.analysis.statistics import Measured, exactly, mean, of_one_run, ratio_of_sums
from euclio.pipeline.simulation.setup import Arrivals, Scheduler
from euclio.simulation.highest_load import TARGET
from euclio.studies.ppipe.cases import (
    BY_TYPES,
    GROUPS,
    LARGE,
    MARGINS,
    MEAN,
    RATIOS,
    SCALES,
    SMALL,
    SMALLS,
    TESTBED,
    TIMELINE,
)
from euclio.studies.ppipe.profiles import model_latencies, profile_measures, ratios_along_depth
from euclio.studies.ppipe.systems import DART, MANY, NP, PPIPE, PRINTED
from euclio.studies.study import Collected

REACTIVE_ON = "HC2-L"
"""Cluster of Figure 10."""
CURVE_OF = "G1"
"""Group of Figure 7."""
POISSON, BURSTY = Arrivals.POISSON.value, Arrivals.BURSTY.value
RESERVATION, REACTIVE = Scheduler.RESERVATION.value, Scheduler.REACTIVE.value
KEYS = {NP: "np", DART: "dart", PPIPE: "ppipe"}
MODEL = "EfficientNet-B8"
"""The model of §7.4's example."""
RUN = ["case", "system", "arrivals", "scheduler"]
"""Columns that name a plan served under rising load."""


def measures(collected: Collected) -> dict[str, Measured]:
    """Every measure, by key of the published number."""
    seed = collected.asked.seed
    groups = of_groups(collected.tables["serving"])
    return {
        **profile_measures(model_latencies(seed), ratios_along_depth(seed)),
        **_figure_6(groups),
        **_figure_7(groups),
        **_figure_9(collected.tables["serving"]),
        **_scheduler(groups),
        **_figure_10(groups),
        **_planning(collected),
        **_timeline(collected),
        **_figure_13(collected.tables["serving"]),
    }


def of_study(rows: pd.DataFrame, study: str) -> pd.DataFrame:
    """The rows that belong to a study."""
    return rows[rows.studies.str.split(",").map(lambda names: study in names)] if len(rows) else rows


def of_groups(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the groups of models."""
    return of_study(rows, GROUPS)


def highest_loads(serving: pd.DataFrame) -> pd.Series[float]:
    """Highest load factor with 99 % attainment by run and model; 0: none of those tried."""
    reached = serving.load.where(serving.attainment >= TARGET, 0.0)
    found: pd.Series[float] = reached.groupby([serving[name] for name in [*RUN, "model"]]).max()
    return found


def mean_loads(serving: pd.DataFrame, arrivals: str, scheduler: str) -> pd.DataFrame:
    """Highest load factor averaged over the models of a case: one row per case, one column per system."""
    means = highest_loads(serving).groupby(RUN).mean()
    if means.empty:
        return pd.DataFrame()
    return means.xs((arrivals, scheduler), level=("arrivals", "scheduler")).unstack("system")


def at_highest_load(serving: pd.DataFrame) -> pd.DataFrame:
    """The rows of each run at the highest tried load whose attainment, averaged over the models, reaches 99 %."""
    means = serving.groupby([*RUN, "load"]).attainment.transform("mean")
    reached = serving[means >= TARGET]
    return reached[reached.load == reached.groupby(RUN).load.transform("max")]


def setup_of(cases: pd.Index) -> pd.Index:
    """The cluster of each case, which its name begins with."""
    return cases.str.split(" ").str[0]


def gains(loads: pd.DataFrame, base: str) -> pd.Series[float]:
    """PPipe's highest load over another system's, less 1, in per cent by case; infinite: the other serves none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: pd.Series[float] = 100.0 * (loads[PPIPE] / loads[base] - 1.0)
    return found


def _figure_6(groups: pd.DataFrame) -> dict[str, Measured]:
    found = {}
    for arrivals in (POISSON, BURSTY):
        loads = mean_loads(groups, arrivals, RESERVATION)
        for system, key in KEYS.items():
            found[f"load_{key}_{arrivals}"] = mean(loads[system], 100.0)
        for base in (NP, DART):
            gain = gains(loads, base)
            found[f"gain_{KEYS[base]}_{arrivals}"] = mean(gain)
            for setup in LARGE:
                found[f"gain_{KEYS[base]}_{arrivals}_{setup}"] = mean(gain[setup_of(gain.index) == setup])
    return found


def _figure_7(groups: pd.DataFrame) -> dict[str, Measured]:
    shown = groups[(groups.setup == LARGE[0]) & (groups.group == CURVE_OF) & (groups.arrivals == POISSON)]
    loads = mean_loads(shown, POISSON, RESERVATION)
    full = shown[(shown.system == PPIPE) & (shown.load == 1.0)]
    found = {f"g1_load_{key}": of_one_run(loads[system].iloc[0], 3) for system, key in KEYS.items()}
    return {**found, "g1_attainment": of_one_run(100.0 * full.attainment.mean(), len(full))}


def utilization(groups: pd.DataFrame) -> pd.DataFrame:
    """Utilisation in per cent of both classes at the highest load, one row per case and system (Poisson)."""
    served = groups[(groups.arrivals == POISSON) & (groups.scheduler == RESERVATION)]
    rows = at_highest_load(served).drop_duplicates(["case", "system"])
    return rows.assign(high_class=100.0 * rows.high_class, low_class=100.0 * rows.low_class)


def _scheduler(groups: pd.DataFrame) -> dict[str, Measured]:
    """Figure 8, and the scheduler's work per batch (§7.2)."""
    used = utilization(groups)
    own = used[used.system == PPIPE]
    return {
        **{f"low_class_{key}": mean(used[used.system == system].low_class) for system, key in KEYS.items()},
        "probes": mean(own.probes_per_batch.astype(float)),
        "dispatch_s": mean(own.seconds_per_batch.astype(float)),
    }


def _figure_10(groups: pd.DataFrame) -> dict[str, Measured]:
    own = groups[(groups.setup == REACTIVE_ON) & (groups.system == PPIPE) & (groups.arrivals == POISSON)]
    loads = highest_loads(own).reset_index()
    found = {}
    for scheduler, key in ((RESERVATION, "reservation"), (REACTIVE, "reactive")):
        mine = loads[loads.scheduler == scheduler]
        found[f"{key}_load"] = mean(mine.load)
        found[f"efficientnet_{key}"] = mean(mine[mine.model == MODEL].load)
    busy = own[(own.scheduler == REACTIVE) & (own.model == MODEL) & (own.load == 1.0)]
    for key in ("mean", "p99"):
        found[f"transfer_{key}"] = mean(busy[f"transfer_{key}_s"].astype(float))
    return found


def _planning(collected: Collected) -> dict[str, Measured]:
    """Times of the MILP as printed, the paper's own algorithm; where it is open, they are those of its limit.

    On unmerged layers, for which the paper waited seven hours, it is not run.
    """
    planning = collected.tables["planning"]
    own = planning[planning.system == PRINTED]
    types = own[own.study == BY_TYPES].set_index("gpu_types").wall_s
    return {
        "milp_s": mean(own[own.study == MEAN].wall_s),
        **{f"types_{n}_s": of_one_run(types[n], 1) for n in (3, 4)},
        "unmerged_80_s": Measured(float("nan")),
    }


def _timeline(collected: Collected) -> dict[str, Measured]:
    setup, model = TIMELINE
    plans, serving = collected.tables["plans"], collected.tables["serving"]
    plan = plans[(plans.setup == setup) & (plans.group == model) & (plans.system == PPIPE)]
    loads = mean_loads(serving[(serving.setup == setup) & (serving.group == model)], POISSON, RESERVATION)
    return {"fcn_total": exactly(plan.planned_rps.iloc[0], 1), "fcn_load": of_one_run(loads[PPIPE].iloc[0], 1)}


def small_loads(serving: pd.DataFrame) -> pd.DataFrame:
    """Highest load factors of Figure 9: one row per cluster and model, one column per system."""
    rows = of_study(serving, TESTBED)
    known = rows.drop_duplicates("case").set_index("case")[["setup", "group"]]
    return known.join(mean_loads(rows, POISSON, RESERVATION)).set_index(["setup", "group"])


def small_gains(serving: pd.DataFrame, base: str) -> dict[str, Measured]:
    """Gain over another system in the load averaged over the models, in per cent by cluster of Figure 9."""
    loads = small_loads(serving)
    own = {setup: loads.xs(setup, level="setup") for setup in SMALLS}
    return {setup: ratio_of_sums(rows[PPIPE] - rows[base], rows[base], 100.0) for setup, rows in own.items()}


def _figure_9(serving: pd.DataFrame) -> dict[str, Measured]:
    """Least and most of the gains over the clusters."""
    found: dict[str, Measured] = {}
    for base in (NP, DART):
        by_size = sorted(small_gains(serving, base).values(), key=lambda m: m.value)
        found |= {f"testbed_{KEYS[base]}_{end}": by_size[k] for end, k in (("least", 0), ("most", -1))}
    return found


def sensitivity(serving: pd.DataFrame, study: str) -> pd.DataFrame:
    """Highest loads of NP and PPipe and the gain, one row per model and condition of a study on HC1-S."""
    rows = of_study(serving, study)
    rows = rows[rows.setup == SMALL]
    conditions = rows.drop_duplicates("case").set_index("case")[["group", "slo_scale", "margin", "high", "low"]]
    loads = mean_loads(rows, POISSON, RESERVATION)
    return conditions.join(loads).assign(gain=gains(loads, NP))


def _figure_13(serving: pd.DataFrame) -> dict[str, Measured]:
    scales, ratios, margins = (sensitivity(serving, study) for study in (SCALES, RATIOS, MARGINS))
    return {
        "scale_2": mean(scales[scales.slo_scale == 2.0].gain),
        "ratio_2_14": mean(ratios[ratios.high == 2].gain),
        "ratio_12_4": mean(ratios[ratios.high == 12].gain),
        **{f"margin_{m}": mean(margins[margins.margin == m / 100].gain) for m in (20, 40, 60)},
    }


def planned(plans: pd.DataFrame, column: str = "planned_rps") -> pd.DataFrame:
    """A column of the plans, one row per case and one column per system."""
    return plans.pivot(index="case", columns="system", values=column)


def proven(plans: pd.DataFrame, system: str) -> pd.Series[bool]:
    """Which cases a system has solved to proven optimality."""
    found: pd.Series[bool] = planned(plans, "status")[system].eq("optimal")
    return found


def more_pipelines(plans: pd.DataFrame) -> pd.Series[float]:
    """What many pipelines per sequence of GPU types serve more than one, in per cent, where both are proven."""
    values = planned(plans)[proven(plans, MANY) & proven(plans, PPIPE)]
    found: pd.Series[float] = 100.0 * (values[MANY] / values[PPIPE] - 1.0)
    return found
