"""Graft §5, with savings from realigning fragments at all scales, distances from the optimum, and values of steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import pandas as pd

from euclio.workloads.populations import identify
from studies.collector import Collector
from studies.graft.cases import NETWORKS, SCALES, FleetSampling, drawn, first_of, sampling_of
from studies.graft.energy import ENERGY_SCALES, energy
from studies.graft.inputs import figure_2_table, figure_6_table, figure_12_table, least_ratio
from studies.graft.measures import measures
from studies.graft.memory import GPUS_MB, memory
from studies.graft.optima import bounded, grouped_optima, optima_of, ratio_table
from studies.graft.reasons import reasons
from studies.graft.scales import drawn_at_all, massive, named, ratio_fleets, shares, throughput
from studies.graft.serving import SERVED_SCALES, latencies
from studies.graft.sweeps import all_movements, readings, settings, swept
from studies.graft.systems import CAPPED, EXACT, SYSTEMS
from studies.graft.text import text
from studies.graft.variants import (
    TEN,
    drawn_of,
    grouping,
    groupings,
    merging,
    planning,
    pools,
    repartitioning,
    thresholds,
)
from studies.readings import with_tried
from studies.study import Asked, Collected, Found, Study


@dataclass(frozen=True, slots=True)
class Details:
    """Values for the text next to the tables.

    Attributes:
        sampling: the sizes of the samples.
        least_ratio: least SLO ratio at which Inc has a partition point at nearly every moment.
        surest_ratio: least SLO ratio at which it has one at every moment tried.
        exact: the solver of the optima.
    """

    sampling: FleetSampling
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

    tables = {
        "shares": _staged(collector, "shares by scale", len(cases), lambda a: shares(cases, a)),
        "memory": _staged(
            collector,
            "shares within GPU memory",
            len(NETWORKS) * sampling.draws * len(GPUS_MB),
            lambda a: memory(cases, a),
        ),
        "energy": _staged(
            collector,
            "power",
            len(NETWORKS) * sampling.draws * len(ENERGY_SCALES) * len(SYSTEMS),
            lambda a: energy(cases, a),
        ),
        "optima": optima,
        "ratios": ratios,
        "optima_25": grouped_optima(collector, sampling, seed),
        "bounded": bounded(collector, sampling, seed),
        "partition_points": found_points,
        **_steps(collector, sampling, seed),
        **_served(collector, sampling, seed),
        "figure_2": figure_2_table(seed),
        "fragments": figure_6_table(cases),
        "figure_12": figure_12_table(seed),
    }
    return Found(
        tables,
        [*proofs, *more],
        details(asked),
        {"draws": sampling.draws},
        [identify(named(cases), "graft", seed)],
    )


def details(asked: Asked) -> Details:
    """Values for the text next to the tables."""
    sampling = sampling_of(asked.workloads, full=asked.full)
    return Details(sampling, least_ratio(asked.seed), least_ratio(asked.seed, 1.0), EXACT)


def shown(key: str) -> Sequence[str] | None:
    """The populations of a figure or a table: the fleets of all scales, or draws of its own."""
    return None if key in {"over-optimum", "figure-6", "figure-7", "figures-8-10"} else ()


def _staged(
    collector: Collector, name: str, steps: int, made: Callable[[Callable[[int], None]], pd.DataFrame]
) -> pd.DataFrame:
    """A table that is made as a stage of its own of `steps` steps."""
    with collector.stage(name, steps) as advance:
        return made(advance)


def _steps(collector: Collector, sampling: FleetSampling, seed: int) -> dict[str, pd.DataFrame]:
    """Graft's steps one by one, with other rules in their place."""
    networks, steps = len(NETWORKS), sampling.steps
    staged = partial(_staged, collector)
    ten = [drawn_of(key, TEN, seed, draw) for key, draw in product(sampling.enumerated, range(steps))]
    some = [drawn(key, SCALES[2], seed, draw) for key, draw in product(sampling.enumerated, range(sampling.proven))]
    twenty = [first_of(fleets, sampling.grouped) for fleets in some]
    return {
        "repartitioning": staged(
            "five fragments", networks * sampling.draws, lambda a: repartitioning(seed, sampling.draws, a)
        ),
        "merging": staged("merging", networks * steps, lambda a: merging(seed, steps, a)),
        "thresholds": staged("thresholds", networks * steps, lambda a: thresholds(seed, steps, a)),
        "grouping": staged("grouping", networks * steps, lambda a: grouping(seed, steps, a)),
        "balanced": staged(
            "all groupings of ten fragments",
            len(ten),
            lambda a: groupings(ten, a),
        ),
        "optimal": staged("all groupings of twenty clients", len(twenty), lambda a: groupings(twenty, a, CAPPED)),
    }


def _served(collector: Collector, sampling: FleetSampling, seed: int) -> dict[str, pd.DataFrame]:
    """Planning times, served requests, and the effects of parameters that are not printed."""
    networks, steps = len(NETWORKS), sampling.steps
    staged = partial(_staged, collector)
    return {
        "planning": staged("planning times and memory", networks * steps, lambda a: planning(seed, steps, a)),
        "pools": staged("processes", steps, lambda a: pools(seed, steps, a)),
        "throughput": staged(
            "throughput", networks * steps, lambda a: throughput(seed, steps, a, amounts=sampling.amounts)
        ),
        "massive": staged(
            "thousands of clients",
            networks * len(sampling.massive),
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
    }


def all_reasons(collected: Collected) -> dict[str, str]:
    """The study's sentences on its numbers, with the effects of other readings and unprinted parameters."""
    moved = all_movements(collected.tables["swept"], measures(collected))
    return with_tried("graft", reasons(collected), readings(collected), moved)


TITLE = "Graft reproduced: what does realigning fragments save, and how near is it to the optimum?"
STUDY = Study("graft", TITLE, 0, collect, measures, all_reasons, text, shown=shown, details=details)
