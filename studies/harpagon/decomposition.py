"""Gap decomposition: what each system's design gives up and what its heuristic loses, over all workloads (ours).

Every number in its sentences is computed from the results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from euclio.core.words import joined, percent
from euclio.questions.comparison.decomposing import aggregate
from euclio.report import Block, Figure, Heading, Paragraph, Table
from euclio.workloads.session.acceptance import BASELINES
from euclio.workloads.session.protocol import Draws
from studies.harpagon.figures import figure_decomposition
from studies.harpagon.measures import (
    ABLATION_RUNS,
    PLAN_OPTIMUM,
    THROUGHPUT_SPLIT,
    gaps,
    own_optimum,
)
from studies.papers.harpagon import HARPAGON

Totals = Mapping[str, Mapping[str, float]]
"""System to its row of `euclio.questions.comparison.decomposing.aggregate`."""

FREE = 1.001
"""A design that costs less than this on average is said to give up next to nothing."""


def decomposition_blocks(runs: pd.DataFrame, draws: Draws) -> list[Block]:
    """The section of the report; its picture stands at the top of the page (`decomposition_picture`)."""
    table = gaps(runs)
    totals: Totals = aggregate(table).to_dict("index")  # type: ignore[assignment]
    return [
        Heading("Gap decomposition: is the design to blame, or the heuristic?"),
        Paragraph(
            "Every system chooses from a plan space of its own: its dispatch, how many configurations a module may "
            "have, batching, hardware and dummy rule. The proven optimum of that space splits the system's distance "
            "from the optimum of Harpagon's full plan space in two factors: cost = optimum × design × heuristic. No "
            f"paper reports them. Both optima are proven for {int(table.design.notna().sum())} of {len(table)} pairs "
            "of system and workload."
        ),
        *(Paragraph(text) for text in findings(totals, draws)),
        table_of(totals),
    ]


def decomposition_picture(runs: pd.DataFrame) -> Figure:
    """Bars of all systems: the optimum, what the design adds, what the heuristic adds."""
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
        "Gap decomposition. Mean extra cost: gap, over the optimum; by design, best plan of the own plan space over "
        "the optimum; by heuristic, over that best plan; each with median and largest. Split: workloads on which both "
        "optima are proven; free: share on which the design costs nothing; optimal: share on which the plan is the "
        "best of its own space.",
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
        f"{joined(map(parts, BASELINES))}. The design explains between {share(least):.0f} % ({least}) and "
        f"{share(most):.0f} % ({most}) of the gap: with a perfect heuristic {most} would still cost "
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
    costless = f" ({joined(map(str, free))} gives up next to nothing)" if free else ""
    return (
        f"Ablations. {len(narrow)} of the {len(ABLATION_RUNS)} narrow the plan space{costless}; the design explains "
        f"between {share(least):.0f} % ({least}) and {share(most):.0f} % ({most}) of their gaps. In what is left "
        f"Harpagon's algorithms lose {extra(loss(narrow[0]))} on average for {narrow[0]}, at most "
        f"{extra(loss(narrow[1]))} for each of the others, {extra(loss(HARPAGON))} in the full one. "
        f"The other {len(wide)} keep the full plan space, and their whole gap is the heuristic's; "
        f"{wide[0]} loses most, {extra(loss(wide[0]))}."
    )


def _on_splitting(totals: Totals, draws: Draws) -> str:
    def loss(name: str) -> str:
        return f"{name} {extra(totals[name]['heuristic_mean'])}"

    def with_hits(name: str) -> str:
        return f"{loss(name)} (optimal in it on {100 * totals[name]['heuristic_optimal']:.0f} % of the workloads)"

    others = [name for name in BASELINES if name not in THROUGHPUT_SPLIT]
    return (
        "Throughput-based splitting, taken as Table III names it, misses good plans that its own plan space has: mean "
        f"extra cost over the best of them {joined(map(with_hits, THROUGHPUT_SPLIT))}, against "
        f"{joined(map(loss, others))} for the other baselines. Draws on which some system finds no "
        f"plan are not even among the workloads: {sum(draws.rejected.values())} of {draws.drawn}."
    )


def _design_share(totals: Totals) -> Callable[[str], float]:
    """The share of a system's mean gap that its design explains, in per cent."""

    def share(name: str) -> float:
        design, heuristic = totals[name]["design_extra"], totals[name]["heuristic_extra"]
        return 100 * design / (design + heuristic) if design + heuristic > 0 else 0.0

    return share
