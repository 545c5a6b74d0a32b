"""The measures of the runs, by key of the published numbers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import pandas as pd

from euclio.report.analysis.statistics import Measured, exactly, largest, mean, of_one_run
from studies.graft.cases import NETWORKS, SCALES
from studies.graft.energy import energy_measures
from studies.graft.inputs import margins, printed_settings
from studies.graft.scales import savings
from studies.graft.systems import GRAFT, GSLICE, GSLICE_PLUS, SOLVERS, STATIC, STATIC_PLUS
from studies.graft.variants import FIFTY, HUNDRED, TEN
from studies.study import Collected

Found = dict[str, Measured]
Tables = Mapping[str, pd.DataFrame]

LARGE = "large_homo"


def measures(collected: Collected) -> Found:
    """Every measure, by key of the published number."""
    tables = collected.tables
    return {
        **{key: exactly(value) for key, value in printed_settings().items()},
        **{f"margin_{key}": exactly(margins(key).mean()) for key in ("res", "vgg", "vit")},
        **_model(collected),
        **table_iii(tables["shares"]),
        **_figure_7(tables["shares"]),
        **_optimal(tables),
        **_steps(tables),
        **throughput_measures(tables["throughput"]),
        **massive_measures(tables["massive"]),
        **_planning(tables),
        **energy_measures(tables["energy"]),
    }


def of(rows: pd.DataFrame, **values: object) -> pd.DataFrame:
    """The rows with these values in the columns of those names."""
    for column, value in values.items():
        rows = rows[rows[column] == value]
    return rows


def _model(collected: Collected) -> Found:
    """Figures 2 and 12, and the least SLO ratio."""
    by_second = collected.tables["figure_2"]
    points = of(collected.tables["figure_12"], study="bandwidth").point.mode()
    return {
        "figure2_server": largest(by_second.server / by_second.hybrid.where(by_second.hybrid > 0)),
        "point_inc": exactly(float(points.iloc[0])),
        "slo_ratio_none_inc": exactly(100 * collected.details.least_ratio),
    }


def saved(shares: pd.DataFrame, scale: str, key: str, system: str, suffix: str = "") -> pd.Series[float]:
    """Share that Graft saves over a system in per cent, by draw of a network at a scale."""
    own = of(shares, scale=scale, network=key)
    return savings(own[system + suffix], own[GRAFT + suffix])


def table_iii_key(scale: str, key: str) -> tuple[str, str]:
    """Key of a number of Table III, and the system that Graft is compared with there."""
    system, name = (GSLICE, "gslice") if scale.startswith("small") else (GSLICE_PLUS, "gslice_plus")
    return f"{scale}_{name}_{key}", system


def table_iii(shares: pd.DataFrame) -> Found:
    """Table III, and its largest number."""
    found: Found = {}
    for scale, key in product(SCALES, NETWORKS):
        name, system = table_iii_key(scale.key, key)
        suffix = " capped" if scale.key == LARGE else ""
        found[name] = mean(saved(shares, scale.key, key, system, suffix))
    best = max(found.values(), key=lambda measured: measured.value)
    return {**found, "headline": of_one_run(best.value, best.n)}


def _figure_7(shares: pd.DataFrame) -> Found:
    """The numbers on Figure 7 in §5.2 and §5.3 that Table III does not have."""
    found: Found = {}
    for key in NETWORKS:
        found[f"small_heter_static_{key}"] = mean(saved(shares, "small_heter", key, STATIC))
        for system, name in ((GSLICE, "gslice"), (STATIC_PLUS, "static_plus")):
            own = of(shares, scale=LARGE, network=key)
            found[f"{LARGE}_{name}_{key}"] = mean(saved(shares, LARGE, key, system, " capped"))
            extra = 100.0 * (own[f"{GRAFT} capped"] / own[f"{system} capped"] - 1.0)
            found[f"{LARGE}_{name}_extra_{key}"] = mean(extra)
    return found


def over_optimum(tables: Tables) -> pd.DataFrame:
    """Shares of all systems over the optimum, less 1, in per cent: one row per fleet whose optimum was sought.

    The bound replaces an unproven optimum, so that no distance is too small.
    """
    optima = tables["optima"]
    joined = tables["shares"].merge(optima, on=["scale", "network", "draw"])
    for system in SOLVERS:
        joined[system] = 100.0 * (joined[system] / joined.bound - 1.0)
    return joined


def _optimal(tables: Tables) -> Found:
    balanced = tables["balanced"]
    return {
        "gap_optimal": largest(above_grouping(tables["optimal"]).groupby("network").mean()),
        "grouping": mean(above_grouping(balanced)),
        "groupings_inc": largest(of(balanced, network="inc").groupings.astype(float)),
    }


def above_grouping(rows: pd.DataFrame) -> pd.Series[float]:
    """Graft's share above the paper's Optimal, the best grouping of its parts, in per cent, by network and draw."""
    own = rows.set_index(["network", "draw"])
    found: pd.Series[float] = 100.0 * (own.share / own.best - 1.0)
    return found


def _steps(tables: Tables) -> Found:
    """§5.4 to §5.6."""
    found: Found = {}
    alone, parts = tables["repartitioning"], merged_parts(of(tables["merging"], fragments=FIFTY))
    for key in NETWORKS:
        own = of(alone, network=key)
        found[f"repartition_{key}"] = largest(savings(own[GSLICE], own[GRAFT]))
        found[f"merged_{key}"] = mean(parts["uniform+"].xs(key))
    res = of(tables["thresholds"], network="res").set_index(["threshold", "draw"])
    found["threshold_gain_res"] = mean(res.share[0.4] / res.share[0.2])
    found["threshold_merged_res"] = mean(100.0 * (1.0 - res.parts[0.2] / res.parts[0.4]))
    found["weights"] = mean(weight_gaps(tables["grouping"]))
    return found


def merged_parts(merging: pd.DataFrame) -> pd.DataFrame:
    """Reduction of the fragments by each merging strategy, in per cent, by network and draw."""
    parts = merging.pivot_table(index=["network", "draw"], columns="strategy", values="parts")
    return 100.0 * (1.0 - parts.div(parts["no merging"], axis=0))


def weight_gaps(grouping: pd.DataFrame) -> pd.Series[float]:
    """Share at equal factor weights above that at the best ones tried, in per cent, by network and draw."""
    shares = of(grouping, study="weights").pivot_table(index=["network", "draw"], columns="value", values="share")
    found: pd.Series[float] = 100.0 * (shares["1 1"] / shares.min(axis=1) - 1.0)
    return found


def throughput_measures(rows: pd.DataFrame) -> Found:
    """Figure 17: clients that Graft serves over those of others, of the networks that were run."""
    found: Found = {}
    for key, own in rows.groupby("network"):
        for name, system in (("gslice_plus", GSLICE_PLUS), ("gslice", GSLICE), ("static", STATIC)):
            found[f"throughput_{name}_{key}"] = mean(own[GRAFT] / own[system].where(own[system] > 0))
    return found


def massive_measures(rows: pd.DataFrame) -> Found:
    """Figure 18: the share of GSLICE over Graft's, and the saving over GSLICE+, of the networks that were run."""
    found: Found = {}
    for key, own in rows.groupby("network"):
        found[f"massive_gslice_{key}"] = mean(own[GSLICE] / own[GRAFT])
        found[f"massive_gslice_plus_{key}"] = mean(savings(own[GSLICE_PLUS], own[GRAFT]))
    return found


def _planning(tables: Tables) -> Found:
    """Times, memory and processes (§5.9)."""
    balanced, planning, pools = tables["balanced"], tables["planning"], tables["pools"]
    took = balanced.groupby("network")[["cpu_s", "optimal_s"]].sum()
    known = planning[planning.memory_mb.notna()]
    growth = known.pivot_table(index="network", columns="fragments", values="memory_mb")
    seconds = pools.pivot_table(index="draw", columns="pool", values="seconds")
    return {
        "time_saved": mean(100.0 * (1.0 - took.cpu_s / took.optimal_s)),
        "pool_speedup": mean(seconds[1] / seconds[2]),
        "pool_groups_vit": mean(of(pools, pool=1).groups.astype(float)),
        **{f"memory_mb_{key}": exactly(of(known, network=key).memory_mb.mean()) for key in NETWORKS},
        "memory_growth_mb": largest(growth[HUNDRED] - growth[TEN]),
    }
