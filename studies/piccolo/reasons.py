"""Reasons why measured numbers differ from the published ones, as far as the data show them."""

from __future__ import annotations

import pandas as pd

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import percent
from euclio.workloads.session.acceptance import BASELINES
from studies.costs import costs, time_reasons
from studies.modules import left, majority_configurations, module_figures, sizes
from studies.papers.costs import normalized
from studies.papers.modules import given_module, remaining_budget, rows_of
from studies.papers.piccolo import PICCOLO, THROUGHPUT_SPLIT, by_modules
from studies.piccolo.measures import ALTERNATIVES, QUANTIZED, SPLIT_OPTIMUM, split_optimum
from studies.sessions import by_application, by_modules_and_application, extra_reasons
from studies.study import Collected


def reasons(collected: Collected) -> dict[str, str]:
    """One sentence per published number for which the data hold a reason."""
    runs, allocations = collected.tables["runs"], collected.tables["allocations"]
    table = normalized(costs(runs), PICCOLO)
    return {
        **_baselines(runs, table),
        **_optimum(runs),
        **_alternatives(runs, table),
        **_throughput_split(runs),
        "tb_extra_per_module": by_modules_and_application(runs, table[THROUGHPUT_SPLIT] - 1),
        **_modules(runs, allocations, collected.details.given),
        **_remaining(runs),
        **time_reasons(collected.tables["timings"], PICCOLO, SPLIT_OPTIMUM),
    }


def _baselines(runs: pd.DataFrame, table: pd.DataFrame) -> dict[str, str]:
    means = {name: table[name].mean() - 1 for name in BASELINES}
    order = ", ".join(f"{name} {percent(means[name], 1)}" for name in sorted(means, key=lambda n: means[n]))
    tops = ", ".join(f"{name} {percent(table[name].max() - 1, 1)}" for name in BASELINES)
    least = (table[["piccolo:2d", "piccolo:dt"]].min(axis=1) - 1).mean()
    cheaper = {name: int((table[name] < 1 - OPTIMALITY_TOLERANCE).sum()) for name in BASELINES}
    named = ", ".join(f"{name} on {n}" for name, n in cheaper.items() if n)
    return {
        "baseline_mean_extra_min": f"Means: {order}. Every baseline dispatches as Picc-2d or Picc-dt does, except for "
        f"an even share; the cheaper of these two costs {percent(least, 1)} more than Piccolo on average.",
        "baseline_mean_extra_max": f"Means: {order}.",
        "baseline_max_extra_min": f"Maxima: {tops}.",
        "baseline_max_extra_max": f"Maxima: {tops}.",
        "piccolo_cheapest_share": f"Cheaper than Piccolo: {named or 'none'}.",
    }


def _optimum(runs: pd.DataFrame) -> dict[str, str]:
    gap = (costs(runs)[PICCOLO] / split_optimum(runs) - 1).dropna()
    missed = by_application(runs, (gap > OPTIMALITY_TOLERANCE).astype(float))
    return {
        "optimal_share": f"Not optimal by application: {missed}. The share depends on the budgets tried, which the "
        "paper does not state.",
        "optimal_gap_max": f"Mean gap by application: {by_application(runs, gap)}; the largest is one workload.",
    }


def _alternatives(runs: pd.DataFrame, table: pd.DataFrame) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in ALTERNATIVES:
        ratio = table[f"piccolo:{name}"]
        found |= extra_reasons(runs, ratio, name)
        same = ((ratio - 1).abs() <= OPTIMALITY_TOLERANCE).astype(float)
        found[f"{name}_same_share"] = f"By application: {by_application(runs, same)}."
    for key, hit in (
        ("cheaper", table[QUANTIZED] < 1 - OPTIMALITY_TOLERANCE),
        ("more_expensive", table[QUANTIZED] > 1 + OPTIMALITY_TOLERANCE),
    ):
        found[f"q0.01_{key}_share"] = f"By application: {by_application(runs, hit.astype(float))}."
    return found


def _throughput_split(runs: pd.DataFrame) -> dict[str, str]:
    keys = (("same_share", "max_extra"), ("more_expensive_share", "min_extra", "max_extra"))
    found: dict[str, str] = {}
    ratios = by_modules(normalized(costs(runs), PICCOLO), sizes(runs))
    for label, ends, ratio in zip(("two", "three"), keys, ratios, strict=True):
        spread = ", ".join(percent(ratio.quantile(q) - 1, 1) for q in (0.25, 0.5, 0.75)) if len(ratio) else "none"
        text = f"By application: {by_application(runs, ratio - 1)} on average; quartiles {spread}."
        found |= {f"tb_{label}_modules_{end}": text for end in ends}
    return found


def _modules(runs: pd.DataFrame, allocations: pd.DataFrame, application: str) -> dict[str, str]:
    modules = module_figures(allocations)
    given = given_module(modules, PICCOLO, application)
    chosen = f"The paper does not name its module; the choice moves this number (here {given})."
    keys = (*(f"{name}_throughput_less" for name in ("np", "nb", "nh")), "np_throughput_more_share")
    most = (rows_of(modules, PICCOLO).configurations.groupby(level="workload").max() > 2).astype(float)
    c = majority_configurations(allocations, "piccolo:2d")
    machines = (c.left_rps / c.throughput_rps).median()
    dispatch = (
        "The ratio of 2d to d + b/w grows with the machines and the concurrency. The medians here are "
        f"{machines:.1f} machines and concurrency {c.concurrency.median():.0f}."
    )
    return {
        **dict.fromkeys(keys, chosen),
        **dict.fromkeys(("2d_latency_extra", "dt_latency_extra"), dispatch),
        "more_than_two_share": f"By application: {by_application(runs, most)}.",
    }


def _remaining(runs: pd.DataFrame) -> dict[str, str]:
    found = {}
    for name in ("0re", "1re"):
        ratio = remaining_budget(left(runs), f"piccolo:{name}")
        text = (
            f"A mean of ratios with a long tail: median {ratio.median():.2f}, 99th percentile "
            f"{ratio.quantile(0.99):.1f}, {percent((ratio == 1).mean(), 0)} exactly 1."
        )
        found[f"{name}_remaining_budget"] = found[f"{name}_remaining_budget_max"] = text
    return found
