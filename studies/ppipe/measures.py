"""Measures of the runs, by key of the published numbers.

On measured blocks the groups and models are all of the paper's, so an interval is over seeds of arrivals. On synthetic
layers it is over draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from euclio.report.analysis.statistics import Measured, exactly, mean, of_one_run, ratio_of_sums
from euclio.serving.pipeline.setup import Arrivals, Scheduler
from euclio.serving.requests import TARGET
from euclio.workloads.pipeline.setups import CLAIMED_GBPS
from studies.ppipe import inputs
from studies.ppipe.cases import (
    ABLATION,
    BY_COUNT,
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
from studies.ppipe.inputs import (
    model_latencies,
    profile_measures,
    ratios_along_depth,
    single_measures,
    sizes_of_maps,
)
from studies.ppipe.systems import DART, MANY, NP, PPIPE, PRINTED
from studies.study import Collected

CURVE_OF = "G1"
"""Group of Figure 7."""
POISSON, BURSTY = Arrivals.POISSON.value, Arrivals.BURSTY.value
RESERVATION, REACTIVE = Scheduler.RESERVATION.value, Scheduler.REACTIVE.value
KEYS = {NP: "np", DART: "dart", PPIPE: "ppipe"}
OF_G1 = {
    "EfficientNet-B8": "g1_attainment_efficientnet",
    "EncNet": "g1_attainment_encnet",
    "RTMDet": "g1_attainment_rtmdet",
}
"""Models of Figure 7 with the keys of their attainments."""
MODEL = "EfficientNet-B8"
"""The model of §7.4's example."""
RUN = ["case", "system", "arrivals", "scheduler"]
"""Columns that name a plan served under rising load, once with each seed of arrivals."""
SEEDED_RUN = [*RUN, inputs.ARRIVAL_SEED]
HIGH_CLASS = "V100"
"""The high class of the cluster of Figure 11."""
PARTITIONS = 2
"""Partitions of the paper's longer pipeline for FCN."""
NOT_ON_BLOCKS = ("unmerged_80_s",)
"""Numbers on unmerged layers, of which the authors measured none."""


def measures(collected: Collected) -> dict[str, Measured]:
    """Every measure, by key of the published number, from measured blocks if there are runs on them."""
    seed = collected.asked.seed
    return {
        **profile_measures(model_latencies(seed), ratios_along_depth(seed), sizes_of_maps(seed)),
        **dict.fromkeys(("claimed_p4", "claimed_p4_table"), exactly(CLAIMED_GBPS["P4"])),
        **on_synthetic(collected),
        **on_measured(collected),
    }


def on_synthetic(collected: Collected) -> dict[str, Measured]:
    """The measures of the runs on synthetic layers, by key."""
    seed = collected.asked.seed
    return {**_of_input(collected.tables), **single_measures(model_latencies(seed).L4_1)}


def on_measured(collected: Collected) -> dict[str, Measured]:
    """The measures of the runs on blocks that the authors measured, by key; none without such runs."""
    tables = inputs.on_measured(collected.tables)
    if not tables:
        return {}
    models = tables["models"].set_index("model")
    found = {**_of_input(tables), **single_measures(models.reference_s)}
    return {key: one for key, one in found.items() if key not in NOT_ON_BLOCKS}


def first_input(tables: Mapping[str, pd.DataFrame]) -> Mapping[str, pd.DataFrame]:
    """The tables of the study's first input: measured blocks if there are runs on them, else synthetic layers."""
    return inputs.on_measured(tables) or tables


def _of_input(tables: Mapping[str, pd.DataFrame]) -> dict[str, Measured]:
    """The measures of the runs on one input."""
    return {
        **over_seeds(tables["serving"], _served),
        **_planning(tables["planning"]),
        **_plan(tables["partitions"]),
    }


def over_seeds(
    serving: pd.DataFrame, measure: Callable[[pd.DataFrame], Mapping[str, Measured]]
) -> Mapping[str, Measured]:
    """Measures of served plans; for several seeds means over these with their interval.

    Args:
        serving: rows of served plans.
        measure: the measures of the rows of one seed, by key.
    """
    seeds = sorted(serving[inputs.ARRIVAL_SEED].unique())
    found = [measure(serving[serving[inputs.ARRIVAL_SEED] == seed]) for seed in seeds]
    if len(found) == 1:
        return found[0]
    return {key: mean(np.array([one[key].value for one in found])) for key in found[0]}


def _served(serving: pd.DataFrame) -> dict[str, Measured]:
    """Every measure of plans served with one seed."""
    groups = of_groups(serving)
    return {
        **_figure_6(groups),
        **_figure_7(groups),
        **_figure_9(serving),
        **_scheduler(groups),
        **_figure_10(of_study(serving, ABLATION)),
        **_timeline(serving),
        **_figure_13(serving),
    }


def of_study(rows: pd.DataFrame, study: str) -> pd.DataFrame:
    """The rows that belong to a study."""
    return rows[rows.studies.str.split(",").map(lambda names: study in names)] if len(rows) else rows


def of_groups(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the groups of models."""
    return of_study(rows, GROUPS)


def highest_loads(serving: pd.DataFrame) -> pd.Series[float]:
    """Highest load factor with 99 % attainment by run and model, as a mean over seeds; 0 means no tried one."""
    reached = serving.load.where(serving.attainment >= TARGET, 0.0)
    by_seed = reached.groupby([serving[name] for name in [*SEEDED_RUN, "model"]]).max()
    found: pd.Series[float] = by_seed.groupby([*RUN, "model"]).mean()
    return found


def mean_loads(serving: pd.DataFrame, arrivals: str, scheduler: str) -> pd.DataFrame:
    """Highest load factor averaged over the models of a case: one row per case, one column per system."""
    means = highest_loads(serving).groupby(RUN).mean()
    if means.empty:
        return pd.DataFrame()
    return means.xs((arrivals, scheduler), level=("arrivals", "scheduler")).unstack("system")


def at_highest_load(serving: pd.DataFrame) -> pd.DataFrame:
    """The rows of each run at the highest tried load whose attainment, averaged over the models, reaches 99 %."""
    means = serving.groupby([*SEEDED_RUN, "load"]).attainment.transform("mean")
    reached = serving[means >= TARGET]
    return reached[reached.load == reached.groupby(SEEDED_RUN).load.transform("max")]


def setup_of(cases: pd.Index) -> pd.Index:
    """The cluster of each case, from the beginning of its name."""
    return cases.str.split(" ").str[0]


def gains(loads: pd.DataFrame, base: str) -> pd.Series[float]:
    """PPipe's highest load over another system's, less 1, in per cent by case; infinite means the other serves none."""
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


def _of_g1(groups: pd.DataFrame) -> pd.DataFrame:
    """The rows of Figure 7."""
    own = groups[(groups.setup == LARGE[0]) & (groups.group == CURVE_OF) & (groups.arrivals == POISSON)]
    return own[own.scheduler == RESERVATION]


def full_load_of_g1(groups: pd.DataFrame) -> pd.DataFrame:
    """PPipe's serving of Figure 7's group at load factor 1, with a row per model and seed."""
    own = _of_g1(groups)
    return own[(own.system == PPIPE) & (own.load == 1.0)]


def _figure_7(groups: pd.DataFrame) -> dict[str, Measured]:
    shown = _of_g1(groups)
    # The figure averages attainment over the models before it looks for 99 %.
    loads = at_highest_load(shown).groupby("system").load.first()
    full = full_load_of_g1(groups)
    found = {f"g1_load_{key}": of_one_run(loads.get(system, 0.0), 1) for system, key in KEYS.items()}
    return {
        **found,
        "g1_attainment": of_one_run(100.0 * full.attainment.mean(), len(full)),
        **{key: of_one_run(100.0 * full[full.model == model].attainment.mean(), 1) for model, key in OF_G1.items()},
    }


def utilization(groups: pd.DataFrame) -> pd.DataFrame:
    """Utilisation in per cent of both classes, with a row per case, system and seed (Poisson).

    Each model counts with its use at its own highest load: "under 99% SLO attainment, averaged over DNNs" (Figure 8),
    where §7.2 records "the maximum load ratio that each DNN can achieve".
    """
    served = groups[(groups.arrivals == POISSON) & (groups.scheduler == RESERVATION)]
    reached = served[served.attainment >= TARGET]
    own = reached[reached.load == reached.groupby([*SEEDED_RUN, "model"]).load.transform("max")]
    used = own.groupby(["case", "setup", "system", inputs.ARRIVAL_SEED])[["high_class_own", "low_class_own"]].sum()
    return (100.0 * used).set_axis(["high_class", "low_class"], axis=1).reset_index()


def _scheduler(groups: pd.DataFrame) -> dict[str, Measured]:
    """Figure 8, and the scheduler's work per batch (§7.2)."""
    used = utilization(groups)
    served = groups[(groups.arrivals == POISSON) & (groups.scheduler == RESERVATION) & (groups.system == PPIPE)]
    own = at_highest_load(served).drop_duplicates(["case", inputs.ARRIVAL_SEED])
    by_case = used.groupby(["case", "system"]).low_class.mean().unstack("system").reindex(columns=list(KEYS))
    over_dart = mean(by_case[PPIPE] - by_case[DART])
    return {
        **{f"low_class_{key}": mean(used[used.system == system].low_class) for system, key in KEYS.items()},
        "low_class_over_np": mean(by_case[PPIPE] - by_case[NP]),
        "low_class_over_dart": over_dart,
        "low_class_over_dart_abstract": over_dart,
        "probes": mean(own.probes_per_batch.astype(float)),
        "dispatch_s": mean(own.seconds_per_batch.astype(float)),
    }


def _figure_10(own: pd.DataFrame) -> dict[str, Measured]:
    """Figure 10 and its example, whose transfers are those at load factor 1."""
    loads = highest_loads(own).reset_index()
    found = {}
    for scheduler, key in ((RESERVATION, "reservation"), (REACTIVE, "reactive")):
        mine = loads[loads.scheduler == scheduler]
        found[f"{key}_load"] = mean(mine.load)
        found[f"efficientnet_{key}"] = mean(mine[mine.model == MODEL].load)
    busy = own[(own.scheduler == REACTIVE) & (own.model == MODEL) & (own.load == 1.0)]
    for key in ("mean", "p99", "alone"):
        found[f"transfer_{key}"] = mean(busy[f"transfer_{key}_s"].astype(float))
    return found


def _planning(planning: pd.DataFrame) -> dict[str, Measured]:
    """Times of the MILP as printed, the paper's own algorithm; an open one counts with its limit.

    It does not run on unmerged layers, for which the paper waited seven hours.
    """
    own = planning[planning.system == PRINTED]
    types = own[own.study == BY_TYPES].set_index("gpu_types").wall_s
    counts = own[(own.study == BY_COUNT) & (own.status == "optimal")].set_index("gpus").wall_s
    ends = counts.index.min(), counts.index.max()
    return {
        "gpus_ratio": of_one_run(counts[ends[1]] / counts[ends[0]] if len(counts) > 1 else float("nan"), len(counts)),
        "milp_s": mean(own[own.study == MEAN].wall_s),
        **{f"types_{n}_s": of_one_run(types[n], 1) for n in (3, 4)},
        "unmerged_80_s": Measured(float("nan")),
    }


def _plan(partitions: pd.DataFrame) -> dict[str, Measured]:
    """The plan of Figure 11; NaN stands for numbers that ours lacks."""
    first = partitions.iloc[0]
    whole = partitions[partitions.groupby("pipeline").pipeline.transform("size") == 1]
    whole = whole[whole.gpu == HIGH_CLASS]
    chained = partitions[partitions.groupby("pipeline").pipeline.transform("size") == PARTITIONS]
    before, after = (chained[chained.first_block == 0], chained[chained.first_block > 0])
    return {
        "fcn_total": exactly(first.planned_rps, 1),
        "fcn_slo": exactly(first.slo_s, 1),
        "fcn_whole_s": _first(whole.latency_s),
        "fcn_whole_rps": _first(whole.rps),
        "fcn_first_rps": _first(before.rps),
        "fcn_second_rps": _first(after.rps),
        "fcn_transfer": _first(after.transfer_s),
        "fcn_whole_batch": _first(whole.batch),
        "fcn_first_gpus": _first(before.gpus / before["share"]),
        "fcn_second_gpus": _first(after.gpus / after["share"]),
        "fcn_second_batch": _first(after.batch),
        "fcn_virtual": _first(after.gpus),
    }


def _first(values: pd.Series[float]) -> Measured:
    return exactly(values.iloc[0], 1) if len(values) else Measured(float("nan"))


def _timeline(serving: pd.DataFrame) -> dict[str, Measured]:
    """The serving of the plan of Figure 11."""
    setup, model = TIMELINE
    loads = mean_loads(serving[(serving.setup == setup) & (serving.group == model)], POISSON, RESERVATION)
    return {"fcn_load": of_one_run(loads[PPIPE].iloc[0], 1)}


def small_loads(serving: pd.DataFrame) -> pd.DataFrame:
    """Highest load factors of Figure 9, with one row per cluster and model, one column per system."""
    rows = of_study(serving, TESTBED)
    known = rows.drop_duplicates("case").set_index("case")[["setup", "group"]]
    return known.join(mean_loads(rows, POISSON, RESERVATION)).set_index(["setup", "group"])


def small_gains(serving: pd.DataFrame, base: str) -> Mapping[str, Measured]:
    """Gain over another system in the load averaged over the models, in per cent by cluster of Figure 9."""

    def gain(own: pd.DataFrame) -> dict[str, Measured]:
        loads = small_loads(own)
        rows = {setup: loads.xs(setup, level="setup") for setup in SMALLS}
        return {setup: ratio_of_sums(one[PPIPE] - one[base], one[base], 100.0) for setup, one in rows.items()}

    return over_seeds(serving, gain)


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
        "scale_2": _gain(scales[scales.slo_scale == 2.0]),
        "ratio_2_14": _gain(ratios[ratios.high == 2]),
        "ratio_12_4": _gain(ratios[ratios.high == 12]),
        **{f"margin_{m}": _gain(margins[margins.margin == m / 100]) for m in (20, 40, 60)},
    }


def _gain(rows: pd.DataFrame) -> Measured:
    """Gain over NP in the load averaged over the models, in per cent.

    The paper prints 52.8 % for HC1-S in Figure 13c and as the largest gain of Figure 9, which averages loads first.
    """
    return ratio_of_sums(rows[PPIPE] - rows[NP], rows[NP], 100.0)


def planned(plans: pd.DataFrame, column: str = "planned_rps") -> pd.DataFrame:
    """A column of the plans, one row per case and one column per system."""
    return plans.pivot(index="case", columns="system", values=column)


def proven(plans: pd.DataFrame, system: str) -> pd.Series[bool]:
    """Whether a system solved each case to proven optimality."""
    found: pd.Series[bool] = planned(plans, "status")[system].eq("optimal")
    return found


def more_pipelines(plans: pd.DataFrame) -> pd.Series[float]:
    """Extra throughput of many pipelines per sequence of GPU types over one, in per cent, if both are proven."""
    values = planned(plans)[proven(plans, MANY) & proven(plans, PPIPE)]
    found: pd.Series[float] = 100.0 * (values[MANY] / values[PPIPE] - 1.0)
    return found
