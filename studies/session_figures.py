"""Harpagon's and Piccolo's evaluations are alike: the record of what differs, and the figures of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes

from euclio.core.figures import PALETTE, PUBLISHED, grid
from euclio.report import Figure
from euclio.report.analysis.charts import bars, distribution, published_line
from euclio.report.analysis.statistics import Measured, mean, measured
from euclio.report.drawings import Drawn, drawn
from euclio.workloads.session.acceptance import BASELINES
from studies.costs import costs
from studies.inference.reference import reference_setting
from studies.modules import left
from studies.papers.costs import extras, normalized
from studies.papers.modules import GivenModule, given_module, remaining_budget
from studies.scorecard import Score
from studies.study import Part

THROUGHPUT_LESS = "throughput per unit of money below {}'s (%)"
Tables = Mapping[str, pd.DataFrame]
Values = Mapping[str, float]
Reference = Callable[[pd.DataFrame], "pd.Series[float]"]
"""Least cost per hour of each workload by some optimum, from the runs; empty where it is not known."""
MakeFigure = Callable[[Tables, Values], Figure]
TablesFigure = Drawn[[Tables, Values]]
"""A figure from a study's tables and the published values by key."""


@dataclass(frozen=True, slots=True)
class PaperSystem:
    """A paper's own system, and the parts of its evaluation that have other names or numbers in the other paper.

    Attributes:
        own: name of its solver.
        name: as the paper writes it.
        short: prefix of the names of its variants.
        workloads: number of the paper's workloads.
        share: printed share of workloads with an optimal split in per cent, as the paper writes it.
        scheduler: what the paper's brute force keeps of the system, in words.
        variants: its variants, by their names without the prefix.
        split: the best split's cost.
        plan: the best plan's cost.
        means: printed range of the baselines' mean normalized costs.
        largest: printed largest normalized cost of a baseline.
    """

    own: str
    name: str
    short: str
    workloads: int
    share: str
    scheduler: str
    variants: tuple[str, ...]
    split: Reference
    plan: Reference
    means: tuple[float, float]
    largest: float

    @property
    def normalized_cost(self) -> str:
        """The label of an axis of normalized costs."""
        return f"normalized cost (cost over {self.name}'s), lower is better"

    @property
    def optima(self) -> dict[str, Reference]:
        """Both optima by their names in figures."""
        return {"split optimum": self.split, "plan optimum": self.plan}

    def variant(self, label: str) -> str:
        """A variant as the paper writes it."""
        return f"{self.short}-{label}"

    def run(self, label: str) -> str:
        """The solver of a variant."""
        return f"{self.own}:{label}"

    def runs(self, *labels: str) -> tuple[str, ...]:
        """The solvers of the system and of some of its variants."""
        return (self.own, *map(self.run, labels))

    def given(self, modules: pd.DataFrame) -> GivenModule:
        """The given module of the paper, as the reference setting reads it."""
        return given_module(modules, self.own, reference_setting(self.own).given)


def parts(*figures: tuple[TablesFigure, Sequence[str]]) -> dict[str, Part]:
    """Figures by key, each with the solvers whose runs it needs."""
    return {figure.key: Part(tuple(solvers), figure, figure.question) for figure, solvers in figures}


def made(figures: Iterable[MakeFigure], tables: Tables, scores: Sequence[Score]) -> list[Figure]:
    """Figures of the page."""
    published = {score.published.key: score.published.value for score in scores}
    return [figure(tables, published) for figure in figures]


def costs_figure(number: int, system: PaperSystem) -> TablesFigure:
    """Means and distributions of the normalized cost of baselines and optima."""

    @drawn(
        f"figure-{number}",
        f"Figure {number}. How much more expensive are the baselines, and how much cheaper is the optimum?",
        panels=2,
        height=4.2,
        width_ratios=(1, 1.35),
    )
    def figure(axes: Sequence[Axes], tables: Tables, _: Values) -> str:
        cost = costs(tables["runs"])
        ratio = normalized(cost, system.own)
        shown = {name: ratio[name] for name in BASELINES}
        shown |= {name: best(tables["runs"]) / cost[system.own] for name, best in system.optima.items()}
        bars(
            axes[0],
            {system.own: Measured(1.0)} | {name: mean(own) for name, own in shown.items()},
            {},
            system.normalized_cost,
            digits=3,
        )
        axes[0].axvspan(*system.means, color=PUBLISHED, alpha=0.18, linewidth=0)
        distribution(axes[1], shown, system.normalized_cost)
        published_line(axes[1], system.largest, "paper: largest of all")
        least, most = system.means
        return (
            f"Left: means with 95 % intervals; shaded: the published range of the four baselines, {least:.3f} to "
            f"{most:.3f}. Right: distribution over all workloads."
        )

    return figure


def features_figure(number: int, system: PaperSystem, height: float) -> TablesFigure:
    """Mean extra cost of all variants."""

    @drawn(f"figure-{number}", f"Figure {number}. How much does each feature of {system.name} save?", height=height)
    def figure(axes: Sequence[Axes], tables: Tables, published: Values) -> str:
        ratio = normalized(costs(tables["runs"]), system.own)
        found = measured(extras(ratio, system.own, system.variants))
        unit = f"mean extra cost over {system.name} (%)"
        variants(axes[0], found, published, system, system.variants, "mean_extra", unit)
        return "Bars: measured, with 95 % intervals; a longer bar means a larger saving. Orange marks: published means."

    return figure


def steps_figure(number: int, system: PaperSystem) -> TablesFigure:
    """Cost of splitting the latency in steps."""
    question = "What does splitting the latency in steps of 0.01 or 0.1 s cost?"

    @drawn(f"figure-{number}", f"Figure {number}. {question}")
    def figure(axes: Sequence[Axes], tables: Tables, published: Values) -> str:
        variant_costs(axes[0], tables["runs"], published, system, ("q0.01", "q0.1"))
        return f"Lower is better. Workloads left of 1 are cheaper with splitting in steps than with {system.name}."

    return figure


def left_figure(number: int, system: PaperSystem) -> TablesFigure:
    """Remaining latency budget without and with one reassignment."""

    @drawn(f"figure-{number}", f"Figure {number}. How much latency is left unused without the reassigner?")
    def figure(axes: Sequence[Axes], tables: Tables, published: Values) -> str:
        labels, budgets = ("0re", "1re"), left(tables["runs"])
        series = {system.variant(n): remaining_budget(budgets, system.run(n)) for n in labels}
        distribution(axes[0], series, f"remaining latency budget over {system.name}'s (log scale)", log=True)
        for k, n in enumerate(labels):
            published_line(axes[0], published[f"{n}_remaining_budget"], f"paper: mean of {system.variant(n)}", k)
        return f"Lower is better. Workloads on which {system.name} itself leaves at least a microsecond."

    return figure


def gaps_figure(system: PaperSystem) -> TablesFigure:
    """Distribution of the system's extra cost over both optima."""

    @drawn("figure-gaps", f"How much does {system.name} lose where it is not optimal?")
    def figure(axes: Sequence[Axes], tables: Tables, _: Values) -> str:
        runs = tables["runs"]
        gaps = {name: (costs(runs)[system.own] / best(runs) - 1) * 100 for name, best in system.optima.items()}
        distribution(axes[0], gaps, f"extra cost of {system.name} (%)")
        return (
            "Lower is better. Against the best split under its own scheduler, and against the best plan of its whole "
            "plan space."
        )

    return figure


def references_figure(system: PaperSystem, height: float) -> Drawn[[Mapping[str, Measured], Score]]:
    """Share of workloads on which the system reaches each reference, next to the published share."""
    question = f"{system.name} is optimal on {system.share} % of the workloads. Optimal among what?"

    @drawn("figure-references", question, height=height)
    def figure(axes: Sequence[Axes], found: Mapping[str, Measured], score: Score) -> str:
        return dots(axes[0], found, score, system)

    return figure


def variants(
    axes: Axes,
    measures: Mapping[str, Measured],
    published: Mapping[str, float],
    system: PaperSystem,
    labels: Iterable[str],
    suffix: str,
    unit: str,
) -> None:
    """Bars of a measure of a paper's variants, ``LABEL_SUFFIX`` by key, with its printed values."""
    chosen = list(labels)
    shown = {system.variant(label): measures[f"{label}_{suffix}"] for label in chosen}
    bars(axes, shown, {system.variant(label): published[f"{label}_{suffix}"] for label in chosen}, unit)


def variant_costs(
    axes: Axes, runs: pd.DataFrame, published: Mapping[str, float], system: PaperSystem, labels: Sequence[str]
) -> None:
    """Distribution of the normalized cost of some variants, with the printed maximum of each."""
    table = normalized(costs(runs), system.own)
    distribution(axes, {system.variant(n): table[system.run(n)] for n in labels}, system.normalized_cost)
    for k, label in enumerate(labels):
        largest = 1 + published[f"{label}_max_extra"] / 100
        published_line(axes, largest, f"paper: largest of {system.variant(label)}", k)


SPLIT = "split"
"""Prefix of the names of references over splits."""


def dots(panel: Axes, found: Mapping[str, Measured], score: Score, system: PaperSystem) -> str:
    """One dot per reference: the share of workloads on which the system costs no more, with its interval.

    Args:
        panel: where to draw.
        found: share by name of the reference, that of the score first; names of those over splits begin with `SPLIT`.
        score: the score of the published share; the panel also shows its interval over accepted settings.
        system: the paper's own system.

    Returns:
        The caption.
    """
    settings = score.settings
    if settings is not None:
        # Only the first reference, with which the score is measured, has settings.
        panel.fill_betweenx([-0.45, 0.45], *settings, color=PALETTE[0], alpha=0.15, linewidth=0)
    for y, (name, m) in enumerate(found.items()):
        color = PALETTE[0] if name.startswith(SPLIT) else PALETTE[2]
        low, high = (m.value if end is None else end for end in (m.low, m.high))
        panel.plot([low, high], [y, y], color=color, linewidth=3)
        panel.plot(m.value, y, "o", color=color, markersize=8)
        panel.text(102, y, f"{m.value:.1f} % of {m.n}", va="center")
    panel.axvline(score.published.value, color=PUBLISHED, linestyle="--", linewidth=1.6)
    panel.text(score.published.value - 1, -0.75, f"published: {score.published.value:g} %", va="center", ha="right")
    panel.set_yticks(range(len(found)), list(found))
    panel.set(ylim=(len(found) - 0.5, -1.1), xlim=(0, 118))
    panel.set_xticks(range(0, 101, 10))
    panel.tick_params(axis="y", length=0)
    grid(panel, "x")
    panel.set_xlabel(f"workloads on which {system.name} costs no more than the reference (%), 95 % interval")
    shaded = "" if settings is None else " Shaded: what 95 % of the settings give that fit the paper's other numbers."
    return (
        f"A dot is the share of the workloads on which {system.name}'s plan costs no more than a reference; higher is "
        f"better. Blue: the reference is the best split of the latency, for which {system.name}'s own scheduler plans, "
        f"as in the paper. Green: it is the best plan of all.{shaded}"
    )
