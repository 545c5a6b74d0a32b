"""Sentences that Harpagon's and Piccolo's pages share: the summary, the key numbers, reasons for differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import percent, span
from euclio.report import KeyNumber, Paragraph, Table
from euclio.report.analysis.statistics import Measured
from euclio.workloads.session.acceptance import BASELINES
from studies.costs import costs
from studies.modules import left, majority_configurations
from studies.papers.modules import ROUND_ROBIN, remaining_budget
from studies.scorecard import Score, score_line, tally
from studies.session_figures import PaperSystem
from studies.sessions import by_application

HEADLINES = ("optimal_share", "optimal_gap_max", "baseline_mean_extra_min", "baseline_mean_extra_max")
"""Keys of the numbers for the terminal."""


def summary_text(system: PaperSystem, split: Measured, plan: Measured, drawn: int, space: str = "") -> Paragraph:
    """How often the system's split and its plan are optimal, and the meaning of the printed share.

    Args:
        system: the paper's own system.
        split: share of workloads without a cheaper split.
        plan: share of workloads without a cheaper plan.
        drawn: number of workloads.
        space: words on its plan space.
    """
    return Paragraph(
        f"{system.name}'s split of the latency is optimal on {_with_interval(split)} of {split.n} workloads: no other "
        f"split gives its scheduler a cheaper plan. Its plan is the cheapest of its whole plan space{space} on "
        f"{_with_interval(plan)} of {plan.n}; {drawn} workloads were drawn. The paper prints {system.share} % and "
        f"means the split: its brute force tries other latency budgets but keeps {system.scheduler}, the dummy "
        "generator and the reassigner. It does not count their losses on a module."
    )


def summary_table(system: PaperSystem, rows: Iterable[tuple[str, Measured, Measured]]) -> Table:
    """Share of workloads with the cost of each reference, and the largest extra cost over it.

    Args:
        system: the paper's own system.
        rows: name of the reference, the share, the extra cost.
    """
    return Table(
        f"Share of the workloads on which {system.name}'s plan costs no more than four references (higher is better)",
        ("reference", "workloads", f"{system.name} costs no more on", "95 % interval", "its largest extra cost"),
        tuple(
            (name, str(hits.n), _per_cent(hits), span(hits.low, hits.high, unit=" %"), _per_cent(gap))
            for name, hits, gap in rows
        ),
        frozenset({1, 2, 3, 4}),
    )


def _per_cent(m: Measured) -> str:
    return percent(m.value / 100, 1)


def _with_interval(m: Measured) -> str:
    return f"{m.value:.1f} % (95 % interval {span(m.low, m.high)})"


def by_key(scores: Sequence[Score]) -> dict[str, Score]:
    """Scores by key of the published number."""
    return {score.published.key: score for score in scores}


def numbers(scores: Sequence[Score], system: PaperSystem) -> list[KeyNumber]:
    """The key numbers of the page: the share of optimal splits, and the largest gap."""
    share, gap = (by_key(scores)[key] for key in ("optimal_share", "optimal_gap_max"))
    settings, m = share.settings, share.measured
    given = "" if settings is None else f"; settings that fit the paper's other numbers give {span(*settings, 0)} %"
    return [
        KeyNumber(
            f"{m.value:.1f} %",
            f"of the workloads: {system.name}'s split of the latency is optimal; no other split gives a cheaper plan",
            f"published {share.published.value:g} %; 95 % interval {span(m.low, m.high)} ({m.n} workloads){given}",
        ),
        KeyNumber(
            f"{gap.measured.value:.1f} %",
            f"is the largest extra cost of {system.name}'s plan over that of the best split",
            f"published {gap.published.value:g} %; the value of a single workload, so without an interval",
        ),
    ]


def tally_text(paper: str, scores: Sequence[Score]) -> str:
    """The meaning of the roles of numbers, and the count of each that agree, for a paper with a posterior."""
    (fitted, fits), (hit, all_), (apart, doubtful) = (tally(scores)[role] for role in ("fit", "check", "doubtful"))
    return (
        "Role fit: the generator's free parameters may have been fitted to the number, as named in advance in "
        f"data/published/{paper}.json. Role check: the number is only compared. Shown to agree: {fitted} of {fits} "
        f"fit, {hit} of {all_} check. Numbers that another printed one makes doubtful are counted apart (role "
        f"doubtful, data/published/contradictions.json): {apart} of {doubtful} agree. Run times (role time) are "
        "another machine's and never count as agreement."
    )


def headlines(first: str, scores: Sequence[Score]) -> list[str]:
    """Lines for the terminal: the result of the run, the key numbers, and the count of numbers that agree."""
    met = ", ".join(f"{hit} of {all_} {role}" for role, (hit, all_) in tally(scores).items() if all_)
    shown = (score_line(score) for score in scores if score.published.key in HEADLINES)
    return [first, *shown, f"numbers shown to agree: {met}"]


def shared_reasons(
    system: PaperSystem, runs: pd.DataFrame, allocations: pd.DataFrame, table: pd.DataFrame, rate: str
) -> dict[str, str]:
    """Reasons for differences that both papers' data hold, as sentences by key of the published number.

    Args:
        system: the paper's own system.
        runs: one row per workload and run.
        allocations: rows of `studies.modules.allocation_rows`.
        table: normalized costs.
        rate: column of `majority_configurations` with the rate of the machines.
    """
    gap = (costs(runs)[system.own] / system.split(runs) - 1).dropna()
    missed = by_application(runs, (gap > OPTIMALITY_TOLERANCE).astype(float))
    majority = majority_configurations(allocations, system.run(ROUND_ROBIN))
    machines = (majority[rate] / majority.throughput_rps).median()
    dispatch = (
        "The ratio of 2d to d + b/w grows with the machines and the concurrency. The medians here are "
        f"{machines:.1f} machines and concurrency {majority.concurrency.median():.0f}."
    )
    found = {
        "optimal_share": f"Not optimal by application: {missed}. The share depends on the budgets tried, which the "
        "paper does not state.",
        "optimal_gap_max": f"Mean gap by application: {by_application(runs, gap)}; the largest is one workload.",
        **dict.fromkeys(("2d_latency_extra", "dt_latency_extra"), dispatch),
        "tb_extra_per_module": by_modules_and_application(runs, table[system.run("tb")] - 1),
        **_baselines(system, table),
    }
    for name in system.variants:
        found |= extra_reasons(runs, table[system.run(name)], name)
    for name in ("0re", "1re"):
        ratio = remaining_budget(left(runs), system.run(name))
        text = (
            f"A mean of ratios with a long tail: median {ratio.median():.2f}, 99th percentile "
            f"{ratio.quantile(0.99):.1f}, {percent((ratio == 1).mean(), 0)} exactly 1."
        )
        found |= dict.fromkeys((f"{name}_remaining_budget", f"{name}_remaining_budget_max"), text)
    quantized = table[system.run("q0.01")]
    for key, hit in (
        ("q0.01_cheaper_share", quantized < 1 - OPTIMALITY_TOLERANCE),
        ("q0.01_dearer_share", quantized > 1 + OPTIMALITY_TOLERANCE),
        ("q0.01_more_expensive_share", quantized > 1 + OPTIMALITY_TOLERANCE),
    ):
        found[key] = f"By application: {by_application(runs, hit.astype(float))}."
    return found


def _baselines(system: PaperSystem, table: pd.DataFrame) -> dict[str, str]:
    means = {name: table[name].mean() - 1 for name in BASELINES}
    order = ", ".join(f"{name} {percent(means[name], 1)}" for name in sorted(means, key=lambda n: means[n]))
    cheaper = {name: int((table[name] < 1 - OPTIMALITY_TOLERANCE).sum()) for name in BASELINES}
    named = ", ".join(f"{name} on {n}" for name, n in cheaper.items() if n)
    return {
        **dict.fromkeys(("baseline_mean_extra_min", "baseline_mean_extra_max"), f"Means: {order}."),
        f"{system.own}_cheapest_share": f"Cheaper than {system.name}: {named or 'none'}.",
    }


def extra_reasons(runs: pd.DataFrame, ratio: pd.Series[float], name: str) -> dict[str, str]:
    """Sentences on a system's mean and largest extra cost, by key of the number; without a plan there are none.

    Args:
        runs: one row per workload and run.
        ratio: its normalized cost by workload; NaN if it has no plan.
        name: prefix of the keys of its numbers.
    """
    found = {f"{name}_mean_extra": f"By application: {by_application(runs, ratio - 1)}."}
    if ratio.notna().any():
        found[f"{name}_max_extra"] = (
            f"The largest is that of one workload ({ratio.idxmax()}); 99th percentile "
            f"{percent(ratio.quantile(0.99) - 1, 1)}."
        )
    return found


def by_modules_and_application(runs: pd.DataFrame, values: pd.Series[float]) -> str:
    """Means of a value per workload by number of modules and by application, in per cent, as a sentence."""
    sizes = runs.drop_duplicates("workload").set_index("workload").modules
    means = values.groupby(sizes.reindex(values.index)).mean()
    by_size = ", ".join(f"{count} modules {percent(mean, 1)}" for count, mean in means.items())
    return f"On average: {by_size}; by application: {by_application(runs, values)}."


def time_reasons(timings: pd.DataFrame, own: str, enumeration: str) -> dict[str, str]:
    """Reasons why times of a single process differ from printed ones, as sentences by key of the published number.

    Args:
        timings: one row per workload and solver.
        own: the paper's own system.
        enumeration: its brute force.
    """
    machine = "Compiled code on this machine against the authors' Python on theirs."
    slow = timings[timings.solver == enumeration]
    whole = slow.wall_s / slow.stat_share
    by = ", ".join(f"{count} modules {time:.3g} s" for count, time in whole.groupby(slow.modules).mean().items())
    grid = (
        f"Vectors of budgets grow exponentially with the modules: means {by}; {int((slow.stat_share < 1).sum())} of "
        f"{len(slow)} extrapolated; median {whole.median():.3g} s."
    )
    seconds = timings.assign(whole_s=timings.wall_s / timings.stat_share.fillna(1.0)).groupby("solver").whole_s.mean()
    quotient = (
        f"{seconds[enumeration]:.3g} s over {1000 * seconds[own]:.3g} ms. A slower enumeration gives a larger "
        f"quotient, so it says nothing about the paper's. {grid}"
    )
    return {
        f"{own}_runtime": machine,
        "q0.01_runtime": machine,
        "q0.01_runtime_ratio": "Ours is a dynamic program over the DAG with Algorithm 1 once per module and step; "
        "the paper does not say how its own searches.",
        "brute_force_runtime": grid,
        "brute_force_runtime_ratio": quotient,
    }
