"""Common parts of Harpagon's and Piccolo's pages and figures, since the two evaluations are alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes

from euclio.core.figures import PALETTE, PUBLISHED, grid
from euclio.core.words import span
from euclio.report import KeyNumber
from euclio.report.analysis.charts import bars, distribution, published_line
from euclio.report.analysis.statistics import Measured, mean
from euclio.workloads.session.acceptance import BASELINES
from studies.costs import costs
from studies.modules import left
from studies.papers.costs import normalized
from studies.papers.modules import remaining_budget
from studies.scorecard import Score, score_line, tally

THROUGHPUT_LESS = "throughput per unit of money below {}'s (%)"


@dataclass(frozen=True, slots=True)
class NamedSystem:
    """A paper's own system.

    Attributes:
        own: name of its solver.
        name: as the paper writes it.
        short: prefix of the names of its variants.
    """

    own: str
    name: str
    short: str

    @property
    def normalized_cost(self) -> str:
        """The label of an axis of normalized costs."""
        return f"normalized cost (cost over {self.name}'s), lower is better"

    def variant(self, label: str) -> str:
        """A variant as the paper writes it."""
        return f"{self.short}-{label}"

    def run(self, label: str) -> str:
        """The solver of a variant."""
        return f"{self.own}:{label}"


HARPAGON = NamedSystem("harpagon", "Harpagon", "Harp")
PICCOLO = NamedSystem("piccolo", "Piccolo", "Picc")


def baselines_and_optima(
    axes: Sequence[Axes],
    table: pd.DataFrame,
    system: NamedSystem,
    optima: Mapping[str, str],
    means: tuple[float, float],
    largest: float,
) -> str:
    """Two panels: means and distributions of the normalized cost of baselines and optima.

    Args:
        axes: the panels.
        table: normalized costs, one column per solver.
        system: the paper's own system.
        optima: columns of optima, with their labels.
        means: published range of the baselines' means.
        largest: published largest of all.
    """
    names = {**{name: name for name in BASELINES}, **optima}
    shown = {system.own: Measured(1.0)} | {label: mean(table[name]) for name, label in names.items()}
    bars(axes[0], shown, {}, system.normalized_cost, digits=3)
    axes[0].axvspan(*means, color=PUBLISHED, alpha=0.18, linewidth=0)
    distribution(axes[1], {label: table[name] for name, label in names.items()}, system.normalized_cost)
    published_line(axes[1], largest, "paper: largest of all")
    return (
        f"Left: means with 95 % intervals; shaded: the published range of the four baselines, {means[0]:.3f} to "
        f"{means[1]:.3f}. Right: distribution over all workloads."
    )


def variants(
    axes: Axes,
    measures: Mapping[str, Measured],
    published: Mapping[str, float],
    system: NamedSystem,
    labels: Iterable[str],
    suffix: str,
    unit: str,
) -> None:
    """Bars of a measure of a paper's variants, ``LABEL_SUFFIX`` by key, with its printed values."""
    chosen = list(labels)
    shown = {system.variant(label): measures[f"{label}_{suffix}"] for label in chosen}
    bars(axes, shown, {system.variant(label): published[f"{label}_{suffix}"] for label in chosen}, unit)


def variant_costs(
    axes: Axes, runs: pd.DataFrame, published: Mapping[str, float], system: NamedSystem, labels: Sequence[str]
) -> None:
    """Distribution of the normalized cost of some variants, with the printed maximum of each."""
    table = normalized(costs(runs), system.own)
    distribution(axes, {system.variant(n): table[system.run(n)] for n in labels}, system.normalized_cost)
    for k, label in enumerate(labels):
        largest = 1 + published[f"{label}_max_extra"] / 100
        published_line(axes, largest, f"paper: largest of {system.variant(label)}", k)


def latency_left(axes: Axes, runs: pd.DataFrame, published: Mapping[str, float], system: NamedSystem) -> str:
    """Remaining latency budget without and with one reassignment."""
    labels = ("0re", "1re")
    series = {system.variant(n): remaining_budget(left(runs), system.run(n)) for n in labels}
    distribution(axes, series, f"remaining latency budget over {system.name}'s (log scale)", log=True)
    for k, label in enumerate(labels):
        published_line(axes, published[f"{label}_remaining_budget"], f"paper: mean of {system.variant(label)}", k)
    return f"Lower is better. Workloads on which {system.name} itself leaves at least a microsecond."


SPLIT = "split"
"""Prefix of the names of references over splits."""


def by_key(scores: Sequence[Score]) -> dict[str, Score]:
    """Scores by key of the published number."""
    return {score.published.key: score for score in scores}


def numbers(scores: Sequence[Score], system: NamedSystem) -> list[KeyNumber]:
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


def headlines(first: str, scores: Sequence[Score], keys: Sequence[str]) -> list[str]:
    """Lines for the terminal: the result of the run, the key numbers, and the count of numbers that agree."""
    met = ", ".join(f"{hit} of {all_} {role}" for role, (hit, all_) in tally(scores).items() if all_)
    shown = (score_line(score) for score in scores if score.published.key in keys)
    return [first, *shown, f"numbers shown to agree: {met}"]


def dots(panel: Axes, found: Mapping[str, Measured], score: Score, system: NamedSystem) -> str:
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
