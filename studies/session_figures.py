"""Panels that Harpagon's and Piccolo's figures share: their evaluations are built alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes

from euclio.core.figures import PUBLISHED
from euclio.report.analysis.charts import bars, distribution, published_line
from euclio.report.analysis.statistics import Measured, mean
from euclio.workloads.session.acceptance import BASELINES
from studies.costs import costs
from studies.modules import left
from studies.papers.costs import normalized
from studies.papers.modules import remaining_budget

THROUGHPUT_LESS = "throughput per unit of money below {}'s (%)"


@dataclass(frozen=True, slots=True)
class Named:
    """A paper's own system.

    Attributes:
        own: name of its solver.
        name: as the paper writes it.
        short: what the names of its variants begin with.
    """

    own: str
    name: str
    short: str

    @property
    def normalized_cost(self) -> str:
        """What an axis of normalized costs is called."""
        return f"normalized cost (cost over {self.name}'s), lower is better"

    def variant(self, label: str) -> str:
        """A variant as the paper writes it."""
        return f"{self.short}-{label}"

    def run(self, label: str) -> str:
        """The solver of a variant."""
        return f"{self.own}:{label}"


HARPAGON = Named("harpagon", "Harpagon", "Harp")
PICCOLO = Named("piccolo", "Piccolo", "Picc")


def baselines_and_optima(
    axes: Sequence[Axes],
    table: pd.DataFrame,
    system: Named,
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
    system: Named,
    labels: Iterable[str],
    suffix: str,
    unit: str,
) -> None:
    """Bars of a measure of a paper's variants, ``LABEL_SUFFIX`` by key, with its printed values."""
    chosen = list(labels)
    shown = {system.variant(label): measures[f"{label}_{suffix}"] for label in chosen}
    bars(axes, shown, {system.variant(label): published[f"{label}_{suffix}"] for label in chosen}, unit)


def variant_costs(
    axes: Axes, runs: pd.DataFrame, published: Mapping[str, float], system: Named, labels: Sequence[str]
) -> None:
    """Distribution of the normalized cost of some variants, with the printed maximum of each."""
    table = normalized(costs(runs), system.own)
    distribution(axes, {system.variant(n): table[system.run(n)] for n in labels}, system.normalized_cost)
    for k, label in enumerate(labels):
        largest = 1 + published[f"{label}_max_extra"] / 100
        published_line(axes, largest, f"paper: largest of {system.variant(label)}", k)


def latency_left(axes: Axes, runs: pd.DataFrame, published: Mapping[str, float], system: Named) -> str:
    """Remaining latency budget without and with one reassignment."""
    labels = ("0re", "1re")
    series = {system.variant(n): remaining_budget(left(runs), system.run(n)) for n in labels}
    distribution(axes, series, f"remaining latency budget over {system.name}'s (log scale)", log=True)
    for k, label in enumerate(labels):
        published_line(axes, published[f"{label}_remaining_budget"], f"paper: mean of {system.variant(label)}", k)
    return f"Lower is better. Workloads on which {system.name} itself leaves at least a microsecond."
