"""The page's text: Harpagon's distance from the optimum, reasons for differences, the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import joined, percent
from euclio.questions.comparison.decomposing import aggregate
from euclio.report import Block, Figure, Heading, Paragraph, Table
from euclio.report.analysis.statistics import Measured
from euclio.workloads.session.acceptance import BASELINES
from euclio.workloads.session.protocol import Draws
from studies.collector import FINE_SPLIT_LIMIT_S
from studies.costs import costs, stopped
from studies.harpagon.figures import PARTS, figure_decomposition, figure_references
from studies.harpagon.kinds import answers, figure_kinds, kinds_blocks, kinds_number
from studies.harpagon.measures import (
    ABLATION_RUNS,
    ENUMERATION,
    PLAN_OPTIMUM,
    PLAN_OPTIMUM_SHARED,
    SPLIT_BREAKPOINTS,
    SPLIT_CENTISECONDS,
    SPLIT_OPTIMUM,
    SYSTEM,
    THROUGHPUT_SPLIT,
    gaps,
    optimality,
    other_readings,
    own_optimum,
)
from studies.harpagon.theorems import find_counterexample, theorem_1, theorem_2
from studies.modules import module_figures
from studies.papers.costs import normalized
from studies.papers.harpagon import HARPAGON, NO_DUMMIES
from studies.papers.modules import rows_of
from studies.readings import readings_blocks
from studies.reference_workloads import claims_text, workload_blocks
from studies.scorecard import Score
from studies.session_figures import made
from studies.session_text import (
    by_key,
    headlines,
    numbers,
    shared_reasons,
    summary_table,
    summary_text,
    tally_text,
    time_reasons,
)
from studies.sessions import application_of, by_application
from studies.study import Collected, Text

Totals = Mapping[str, Mapping[str, float]]
"""System to its row of `euclio.questions.comparison.decomposing.aggregate`."""

FREE = 1.001
"""Mean cost ratio below which the text says that a design gives up next to nothing."""


def decomposition_blocks(runs: pd.DataFrame, draws: Draws) -> list[Block]:
    """The section of the report; its picture stands at the top of the page (`decomposition_picture`)."""
    table = gaps(runs)
    totals: Totals = aggregate(table).to_dict("index")  # type: ignore[assignment]
    return [
        Heading("Gap decomposition: the share of the design and of the heuristic"),
        Paragraph(
            "Every system has its own plan space: dispatch, number of configurations per module, "
            "batching, hardware and dummy rule. The proven optimum of that space splits the system's gap "
            "to the optimum of Harpagon's full plan space into two factors: cost = optimum × design × heuristic. No "
            f"paper reports them. Both optima are proven for {int(table.design.notna().sum())} of {len(table)} pairs "
            "of system and workload."
        ),
        *(Paragraph(text) for text in findings(totals, draws)),
        table_of(totals),
    ]


def decomposition_picture(runs: pd.DataFrame) -> Figure:
    """Bars of all systems: the optimum, the design's extra, the heuristic's extra."""
    return figure_decomposition(gaps(runs))


def table_of(totals: Totals) -> Table:
    """One row per system."""
    rows = []
    for name, row in totals.items():
        rows.append(
            (
                name,
                f"{row['split']:.0f}",
                extra(row["total_mean"]),
                *(extra(row[f"design_{part}"]) for part in ("mean", "median", "max")),
                percent(row["design_free"], 1),
                *(extra(row[f"heuristic_{part}"]) for part in ("mean", "median", "max")),
                percent(row["heuristic_optimal"], 1),
            )
        )
    return Table(
        "Gap decomposition. Mean extra cost. Gap: over the optimum. By design: of the best plan of the own plan space "
        "over the optimum. By heuristic: over that best plan. Split: workloads with both "
        "optima proven. Free: share of workloads on which the design costs nothing. Optimal: share on which the plan "
        "is the best of its own space.",
        (
            *("system", "split", "gap"),
            *("by design", "median", "largest", "free"),
            *("by heuristic", "median", "largest", "optimal"),
        ),
        tuple(rows),
        frozenset(range(1, 11)),
    )


def findings(totals: Totals, draws: Draws) -> tuple[str, ...]:
    """The paragraphs of the report, on baselines, ablations and throughput-based splitting."""
    return _on_baselines(totals), _on_ablations(totals), _on_splitting(totals, draws)


def extra(ratio: float) -> str:
    """A ratio as extra cost in per cent."""
    return percent(max(0.0, ratio - 1), 1)


def _on_baselines(totals: Totals) -> str:
    def parts(name: str) -> str:
        return f"{name} {100 * totals[name]['design_extra']:.0f} % and {100 * totals[name]['heuristic_extra']:.0f} %"

    share = _design_share(totals)
    most, least = max(BASELINES, key=share), min(BASELINES, key=share)
    return (
        "Baselines. Mean extra cost by design and by heuristic, in units of the optimum: "
        f"{joined(map(parts, BASELINES))}. The design explains {share(least):.0f} % ({least}) to "
        f"{share(most):.0f} % ({most}) of the gap. With a perfect heuristic {most} would still cost "
        f"{extra(totals[most]['design_mean'])} more than the optimum, {least} {extra(totals[least]['design_mean'])}."
    )


def _on_ablations(totals: Totals) -> str:
    def loss(name: str) -> float:
        return totals[name]["heuristic_mean"]

    narrow = sorted((name for name in ABLATION_RUNS if own_optimum(name) != PLAN_OPTIMUM), key=loss, reverse=True)
    wide = sorted((name for name in ABLATION_RUNS if name not in narrow), key=loss, reverse=True)
    free = [name for name in narrow if totals[name]["design_mean"] < FREE]
    paid = [name for name in narrow if name not in free]
    share = _design_share(totals)
    most, least = max(paid, key=share), min(paid, key=share)
    costless = f" ({joined(map(str, free))} loses almost nothing)" if free else ""
    return (
        f"Ablations. {len(narrow)} of the {len(ABLATION_RUNS)} narrow the plan space{costless}; the design explains "
        f"{share(least):.0f} % ({least}) to {share(most):.0f} % ({most}) of their gaps. In the narrowed spaces "
        f"Harpagon's algorithms lose {extra(loss(narrow[0]))} on average for {narrow[0]}, at most "
        f"{extra(loss(narrow[1]))} for each of the others, and {extra(loss(HARPAGON))} in the full space. "
        f"The other {len(wide)} keep the full plan space, so the heuristic causes their whole gap; "
        f"{wide[0]} loses most, {extra(loss(wide[0]))}."
    )


def _on_splitting(totals: Totals, draws: Draws) -> str:
    def loss(name: str) -> str:
        return f"{name} {extra(totals[name]['heuristic_mean'])}"

    def with_hits(name: str) -> str:
        return (
            f"{loss(name)} (optimal in its space on {100 * totals[name]['heuristic_optimal']:.0f} % of the workloads)"
        )

    others = [name for name in BASELINES if name not in THROUGHPUT_SPLIT]
    return (
        "Throughput-based splitting, as Table III names it, misses good plans of its own plan space. Its mean "
        f"extra cost over the best of them is {joined(map(with_hits, THROUGHPUT_SPLIT))}, against "
        f"{joined(map(loss, others))} for the other baselines. The workloads exclude the draws on which a system finds "
        f"no plan: {sum(draws.rejected.values())} of {draws.drawn}."
    )


def _design_share(totals: Totals) -> Callable[[str], float]:
    """The share of a system's mean gap that its design explains, in per cent."""

    def share(name: str) -> float:
        design, heuristic = totals[name]["design_extra"], totals[name]["heuristic_extra"]
        return 100 * design / (design + heuristic) if design + heuristic > 0 else 0.0

    return share


GRIDS = {
    SPLIT_OPTIMUM: "split optimum, budgets {d + b/T} that Algorithm 2 can reach (default)",
    SPLIT_BREAKPOINTS: "split optimum, breakpoints of Algorithm 1",
    SPLIT_CENTISECONDS: "split optimum, every 0.01 s",
    PLAN_OPTIMUM: "plan optimum (any plan of the plan space)",
}

DOTS = {
    "split, reachable budgets": SPLIT_OPTIMUM,
    "split, breakpoints": SPLIT_BREAKPOINTS,
    "split, every 10 ms": SPLIT_CENTISECONDS,
    "plan": PLAN_OPTIMUM,
    "plan, Theorem 1 literally": PLAN_OPTIMUM_SHARED,
}
"""References of the first picture, as notebook 02 has them."""


def text(collected: Collected, scores: Sequence[Score]) -> Text:
    """The study's part of the page."""
    runs = collected.tables["runs"]
    first, *rest = summary(collected)
    kinds = answers(runs, collected.tables["kinds"])
    share = by_key(scores)["optimal_share"]
    decomposition = decomposition_blocks(runs, collected.details)
    return Text(
        summary=[first, *kinds_blocks(kinds), *rest],
        tally=tally_text("harpagon", scores),
        sections=[
            *decomposition,
            *readings_blocks(scores, other_readings(runs, collected.tables["allocations"], collected.details.given)),
            *theorem_1(runs),
            *theorem_2(find_counterexample(collected.asked.seed)),
            Heading("Figures"),
            *made((part.make for part in PARTS.values()), collected.tables, scores),
        ],
        run=workload_blocks(collected, "Harpagon", claims_text(runs)),
        headlines=headlines(first.text, scores),
        card=decomposition,
        numbers=[*numbers(scores, SYSTEM), kinds_number(kinds)],
        pictures=[
            figure_kinds(kinds, share.published.value),
            figure_references(references(runs), share),
            decomposition_picture(runs),
        ],
    )


def references(runs: pd.DataFrame) -> dict[str, Measured]:
    """Share of workloads on which Harpagon costs no more than each reference that was run, by its name."""
    found = {name: optimality(runs, solver)[0] for name, solver in DOTS.items()}
    return {name: share for name, share in found.items() if share.n}


def summary(collected: Collected) -> tuple[Paragraph, *tuple[Block, ...]]:
    """The summary of the run's optimality."""
    runs = collected.tables["runs"]
    found = {solver: optimality(runs, solver) for solver in GRIDS}
    return (
        summary_text(SYSTEM, found[SPLIT_OPTIMUM][0], found[PLAN_OPTIMUM][0], len(collected.details.workloads)),
        summary_table(SYSTEM, ((GRIDS[solver], *both) for solver, both in found.items() if both[0].n)),
        Paragraph(_why_different(runs)),
        Paragraph(_speed_text(collected)),
    )


def _why_different(runs: pd.DataFrame) -> str:
    """Reasons why the shares differ from each other and from 91.5 %."""
    about = application_of(runs)
    mix = ", ".join(f"{name} {percent(share, 0)}" for name, share in about.value_counts(normalize=True).items())
    table = costs(runs)
    by = {}
    for solver in (SPLIT_OPTIMUM, PLAN_OPTIMUM):
        known = table[[HARPAGON, solver]].dropna()
        hit = (known[HARPAGON] <= known[solver] * (1 + OPTIMALITY_TOLERANCE)).groupby(about).agg(["mean", "size"])
        by[solver] = ", ".join(f"{name} {percent(row['mean'], 0)} of {row['size']:.0f}" for name, row in hit.iterrows())
    return (
        "The paper does not state the budgets that its brute force tries, and the share depends on them (the first "
        "three rows). No grid contains another, so none must give the lowest share. The finer two use a seeded sample "
        "unless the run was full. The share also depends on the applications, whose profiles the paper does not "
        f"print; here the workloads are {mix}. Split-optimal by "
        f"application: {by[SPLIT_OPTIMUM]}; plan-optimal: {by[PLAN_OPTIMUM]}. {_stopped_text(runs)}"
    )


def _stopped_text(runs: pd.DataFrame) -> str:
    count = {solver: int(stopped(runs)[solver].sum()) for solver in GRIDS if solver in set(runs.solver)}
    total = sum(count.values())
    if not total:
        return "Every split search ran to its end."
    application = runs[runs.stat_share < 1].application.value_counts()
    where = ", ".join(f"{name} {n}" for name, n in application.items())
    return (
        f"We leave out {total} split searches that the limit of a million nodes or {FINE_SPLIT_LIMIT_S:g} s stopped "
        f"({where}), since they give no reference."
    )


def _speed_text(collected: Collected) -> str:
    runs, timings = collected.tables["runs"], collected.tables["timings"]
    wall = runs.groupby("solver").wall_s.mean() * 1000
    unproven = runs[(runs.solver == PLAN_OPTIMUM) & (runs.status != "optimal")]
    cut = timings[(timings.solver == ENUMERATION) & (timings.stat_share < 1)]
    return (
        f"Mean time per workload in the solver: Harpagon {wall[HARPAGON]:.2f} ms, plan optimum with proof "
        f"{wall[PLAN_OPTIMUM]:.2f} ms ({len(unproven)} of {runs.workload.nunique()} not proven), split optimum "
        f"{wall[SPLIT_OPTIMUM]:.2f} ms. Plain enumeration of the splits reached its limit on {len(cut)} of the "
        f"{timings.workload.nunique()} timed workloads; there its time is extrapolated from the "
        "share of vectors that it tried."
    )


def reasons(collected: Collected) -> dict[str, str]:
    """One sentence per published number for which the data hold a reason."""
    runs, allocations = collected.tables["runs"], collected.tables["allocations"]
    table = normalized(costs(runs), HARPAGON)
    modules = module_figures(allocations)
    most = f"Most expensive baseline by application, on average: {_most_expensive(runs, table)}."
    return {
        **shared_reasons(SYSTEM, runs, allocations, table, "module_rate_rps"),
        **dict.fromkeys(("baseline_max_extra_min", "baseline_max_extra_max"), most),
        **_ablations(runs, table),
        **_modules(modules),
        **_counters(runs),
        **_dummies(runs, modules),
        **time_reasons(collected.tables["timings"], HARPAGON, ENUMERATION),
    }


def _most_expensive(runs: pd.DataFrame, table: pd.DataFrame) -> str:
    return by_application(runs, table[list(BASELINES)].max(axis=1) - 1)


def _ablations(runs: pd.DataFrame, table: pd.DataFrame) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in ("nnm", "ncd"):
        helped = (table[f"harpagon:{name}"] > 1 + OPTIMALITY_TOLERANCE).astype(float)
        hurt = float((table[f"harpagon:{name}"] < 1 - OPTIMALITY_TOLERANCE).mean())
        text = f"It helps by application: {by_application(runs, helped)}; it hurts on {hurt * 100:.1f} % of all."
        found |= dict.fromkeys((f"{name}_share", f"{name}_cost_reduction"), text)
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


def _counters(runs: pd.DataFrame) -> dict[str, str]:
    mine = runs[runs.solver == HARPAGON].set_index("workload")
    reassigned = by_application(runs, (mine.stat_reassignments > 0).astype(float))
    found = {"reassigned_share": f"By application: {reassigned}."}
    for key, solver in (("harpagon_iterations", HARPAGON), ("tb_iterations", "harpagon:tb")):
        one = runs[runs.solver == solver]
        text = ", ".join(
            f"{count} modules {mean:.1f}" for count, mean in one.groupby("modules").stat_iterations.mean().items()
        )
        found[key] = f"It grows with the modules of the application and the configurations of its profiles: {text}."
    return found


def _dummies(runs: pd.DataFrame, modules: pd.DataFrame) -> dict[str, str]:
    used = (rows_of(modules, HARPAGON).dummy > 0).groupby(level="workload").any().astype(float)
    machines = rows_of(modules, HARPAGON).machines
    text = (
        f"Dummies by application: {by_application(runs, used)}. Modules use {machines.median():.1f} machines in the "
        "median; with few machines, a filled last machine weighs more."
    )
    return dict.fromkeys(("dummy_share", "dummy_throughput_gain", "dummy_resources", "dummy_cost_reduction"), text)
