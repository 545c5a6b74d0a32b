"""Graft §5: what realigning fragments saves at all scales, its distance from the optimum, what each step is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from euclio.posterior.moving import Moved
from euclio.studies.collector import Collector
from euclio.studies.graft.cases import NETWORKS, Sampling, sampling_of
from euclio.studies.graft.inputs import figure_2_table, figure_6_table, figure_12_table, least_ratio
from euclio.studies.graft.measures import measures
from euclio.studies.graft.optima import bounded, grouped_optima, optima_of, ratio_table
from euclio.studies.graft.readings import readings
from euclio.studies.graft.reasons import reasons
from euclio.studies.graft.scales import drawn_at_all, massive, ratio_fleets, shares, throughput
from euclio.studies.graft.serving import SERVED_SCALES, latencies
from euclio.studies.graft.sweeps import all_movements, settings, swept
from euclio.studies.graft.systems import EXACT
from euclio.studies.graft.text import text
from euclio.studies.graft.variants import (
    balanced,
    grouping,
    merging,
    planning,
    pools,
    repartitioning,
    thresholds,
)
from euclio.studies.study import Asked, Collected, Found, Study


@dataclass(frozen=True, slots=True)
class Details:
    """What the text needs next to the tables.

    Attributes:
        sampling: how much was run.
        least_ratio: least SLO ratio at which Inc finds a partition point at nearly every moment.
        surest_ratio: least SLO ratio at which it does at every moment that was looked at.
        exact: the solver of the optima.
    """

    sampling: Sampling
    least_ratio: float
    surest_ratio: float
    exact: str


def collect(collector: Collector, asked: Asked) -> Found:
    """Draw fleets, plan them with every system, seek the optima of some, and vary Graft's steps and our parameters."""
    sampling, seed = sampling_of(asked.workloads, full=asked.full), asked.seed
    with collector.stage("draw fleets", 1) as advance:
        cases = drawn_at_all(seed, sampling.draws)
        objectives, found_points = ratio_fleets(seed, sampling.proven, sampling.ratios)
        advance(1)
    optima, proofs = optima_of(collector, "optima", [c for c in cases if c[1].draw < sampling.proven], sampling.limit_s)
    ratios, more = ratio_table(collector, objectives, sampling.limit_s)

    def staged(name: str, steps: int, made: Callable[[Callable[[int], None]], pd.DataFrame]) -> pd.DataFrame:
        with collector.stage(name, steps) as advance:
            return made(advance)

    per_network = len(NETWORKS) * sampling.steps
    tables = {
        "shares": staged("shares by scale", len(cases), lambda a: shares(cases, a)),
        "optima": optima,
        "ratios": ratios,
        "optima_25": grouped_optima(collector, sampling, seed),
        "bounded": bounded(collector, sampling, seed),
        "partition_points": found_points,
        "repartitioning": staged(
            "five fragments", len(NETWORKS) * sampling.draws, lambda a: repartitioning(seed, sampling.draws, a)
        ),
        "merging": staged("merging", per_network, lambda a: merging(seed, sampling.steps, a)),
        "thresholds": staged("thresholds", per_network, lambda a: thresholds(seed, sampling.steps, a)),
        "grouping": staged("grouping", per_network, lambda a: grouping(seed, sampling.steps, a)),
        "balanced": staged(
            "all balanced groupings",
            len(sampling.enumerated) * sampling.steps,
            lambda a: balanced(seed, sampling.steps, a, sampling.enumerated),
        ),
        "planning": staged("planning times and memory", per_network, lambda a: planning(seed, sampling.steps, a)),
        "pools": staged("processes", sampling.steps, lambda a: pools(seed, sampling.steps, a)),
        "throughput": staged(
            "throughput", per_network, lambda a: throughput(seed, sampling.steps, a, amounts=sampling.amounts)
        ),
        "massive": staged(
            "thousands of clients",
            len(NETWORKS) * len(sampling.massive),
            lambda a: massive(seed, sampling.massive, a),
        ),
        "latencies": staged(
            "latencies",
            len(SERVED_SCALES) * len(sampling.enumerated) * sampling.simulated,
            lambda a: latencies(seed, sampling.simulated, a, sampling.enumerated),
        ),
        "swept": staged(
            "parameters that are not printed",
            len(settings()) * sampling.swept,
            lambda a: swept(seed, sampling.swept, a),
        ),
        "figure_2": figure_2_table(seed),
        "fragments": figure_6_table(cases),
        "figure_12": figure_12_table(seed),
    }
    return Found(
        tables,
        [*proofs, *more],
        Details(sampling, least_ratio(seed), least_ratio(seed, 1.0), EXACT),
        {"draws": sampling.draws},
    )


def moved_by_sweeps(collected: Collected) -> Mapping[str, Sequence[Moved]]:
    """What parameters that are not printed do to figures."""
    return all_movements(collected.tables["swept"], measures(collected))


TITLE = "Graft reproduced: what does realigning fragments save, and how near is it to the optimum?"
STUDY = Study("graft", TITLE, 0, collect, measures, reasons, text, readings, swept=moved_by_sweeps)
