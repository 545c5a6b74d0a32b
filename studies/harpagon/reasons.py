"""Reasons why measured numbers differ from the published ones, as far as the data show them."""

from __future__ import annotations

import pandas as pd

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import percent
from euclio.workloads.session.acceptance import BASELINES
from studies.costs import costs, time_reasons
from studies.harpagon.measures import ENUMERATION, REPRICED_RUN, SPLIT_OPTIMUM
from studies.modules import left, majority_configurations, module_figures
from studies.papers.costs import normalized
from studies.papers.harpagon import HARPAGON, NO_DUMMIES
from studies.papers.modules import remaining_budget, rows_of
from studies.sessions import by_application, by_modules_and_application, extra_reasons
from studies.study import Collected


def reasons(collected: Collected) -> dict[str, str]:
    """One sentence per published number for which the data hold a reason."""
    runs, allocations = collected.tables["runs"], collected.tables["allocations"]
    table = normalized(costs(runs), HARPAGON)
    modules = module_figures(allocations)
    return {
        **_baselines(runs, table),
        **_optimum(runs),
        **_ablations(runs, table),
        "tb_extra_per_module": by_modules_and_application(runs, table["harpagon:tb"] - 1),
        **_modules(modules),
        **_residual(runs),
        **_dispatch(allocations),
        **_dummies(runs, modules),
        **time_reasons(collected.tables["timings"], HARPAGON, ENUMERATION),
    }


def _baselines(runs: pd.DataFrame, table: pd.DataFrame) -> dict[str, str]:
    means = {name: table[name].mean() - 1 for name in BASELINES}
    order = ", ".join(f"{name} {percent(means[name], 1)}" for name in sorted(means, key=lambda n: means[n]))
    by = by_application(runs, table[list(BASELINES)].max(axis=1) - 1)
    cheaper = {name: int((table[name] < 1 - OPTIMALITY_TOLERANCE).sum()) for name in BASELINES}
    named = ", ".join(f"{name} on {n}" for name, n in cheaper.items() if n)
    return {
        "baseline_mean_extra_min": f"Means: {order}.",
        "baseline_mean_extra_max": f"Means: {order}.",
        "baseline_max_extra_min": f"Most expensive baseline by application, on average: {by}.",
        "baseline_max_extra_max": f"Most expensive baseline by application, on average: {by}.",
        "harpagon_cheapest_share": f"Cheaper than Harpagon: {named or 'none'}.",
    }


def _optimum(runs: pd.DataFrame) -> dict[str, str]:
    table = costs(runs)[[HARPAGON, SPLIT_OPTIMUM]].dropna()
    gap = table[HARPAGON] / table[SPLIT_OPTIMUM] - 1
    by = by_application(runs, (gap > OPTIMALITY_TOLERANCE).astype(float))
    return {
        "optimal_share": f"Not optimal by application: {by}. The share depends on the budgets tried, which the paper "
        "does not state.",
        "optimal_gap_max": f"Mean gap by application: {by_application(runs, gap)}; the largest is one workload.",
    }


def _ablations(runs: pd.DataFrame, table: pd.DataFrame) -> dict[str, str]:
    found: dict[str, str] = {}
    for run in [name for name in table if str(name).startswith("harpagon:")]:
        found |= extra_reasons(runs, table[run], str(run).removeprefix("harpagon:"))
    for name in ("nnm", "ncd"):
        helped = (table[f"harpagon:{name}"] > 1 + OPTIMALITY_TOLERANCE).astype(float)
        hurt = float((table[f"harpagon:{name}"] < 1 - OPTIMALITY_TOLERANCE).mean())
        text = f"It helps by application: {by_application(runs, helped)}; it hurts on {hurt * 100:.1f} % of all."
        found[f"{name}_share"] = found[f"{name}_cost_reduction"] = text
    for key, hit in (
        ("cheaper", table["harpagon:q0.01"] < 1 - OPTIMALITY_TOLERANCE),
        ("dearer", table["harpagon:q0.01"] > 1 + OPTIMALITY_TOLERANCE),
    ):
        found[f"q0.01_{key}_share"] = f"By application: {by_application(runs, hit.astype(float))}."
    return found


def _modules(modules: pd.DataFrame) -> dict[str, str]:
    harpagon = rows_of(modules, HARPAGON)
    plans = (harpagon, rows_of(modules, NO_DUMMIES))
    more, without = ((own.configurations.groupby(level="workload").max() > 2).mean() * 100 for own in plans)
    dummies = (harpagon.dummy > 0).mean() * 100
    many = (
        f"Few modules need more: {more:.1f} % of the workloads use more than two configurations in a module, "
        f"{without:.1f} % without dummies. {dummies:.0f} % of the modules end in dummies instead, and "
        f"{(harpagon.configurations == 1).mean() * 100:.0f} % use one configuration."
    )
    given = "The paper does not name its modules; the choice moves this number."
    keys = [f"{n}_throughput_less{end}" for n in ("2d", "dt") for end in ("_min", "_max")]
    keys += [f"{n}_throughput_less" for n in ("1c", "nb", "nhc", "nhe")]
    return {
        **dict.fromkeys([*keys, "2c_second_throughput_less", "nhe_throughput_more_share"], given),
        "more_than_two_share": many,
        "2c_mean_extra": many,
        "2c_max_extra": many,
        "2c_same_share": many,
    }


def _residual(runs: pd.DataFrame) -> dict[str, str]:
    found = {}
    for name in ("0re", "1re"):
        ratio = remaining_budget(left(runs), f"harpagon:{name}")
        text = (
            f"A mean of ratios with a long tail: median {ratio.median():.2f}, 99th percentile "
            f"{ratio.quantile(0.99):.1f}, {(ratio == 1).mean() * 100:.0f} % exactly 1."
        )
        found[f"{name}_remaining_budget"] = found[f"{name}_remaining_budget_max"] = text
    mine = runs[runs.solver == HARPAGON].set_index("workload")
    found["reassigned_share"] = f"By application: {by_application(runs, (mine.stat_reassignments > 0).astype(float))}."
    for key, solver in (("harpagon_iterations", HARPAGON), ("tb_iterations", "harpagon:tb")):
        one = runs[runs.solver == solver]
        text = ", ".join(
            f"{count} modules {mean:.1f}" for count, mean in one.groupby("modules").stat_iterations.mean().items()
        )
        found[key] = f"It grows with the modules of the application and the configurations of its profiles: {text}."
    return found


def _dispatch(allocations: pd.DataFrame) -> dict[str, str]:
    c = majority_configurations(allocations, REPRICED_RUN)
    machines = (c.module_rate_rps / c.throughput_rps).median()
    text = (
        "The ratio of 2d to d + b/w grows with the machines and the concurrency. The medians here are "
        f"{machines:.1f} machines and concurrency {c.concurrency.median():.0f}."
    )
    return dict.fromkeys(("2d_latency_extra", "dt_latency_extra"), text)


def _dummies(runs: pd.DataFrame, modules: pd.DataFrame) -> dict[str, str]:
    used = (rows_of(modules, HARPAGON).dummy > 0).groupby(level="workload").any().astype(float)
    machines = rows_of(modules, HARPAGON).machines
    text = (
        f"Dummies by application: {by_application(runs, used)}. Modules use {machines.median():.1f} machines in the "
        "median; with few machines, a filled last machine weighs more."
    )
    return dict.fromkeys(("dummy_share", "dummy_throughput_gain", "dummy_resources", "dummy_cost_reduction"), text)
