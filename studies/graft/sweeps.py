"""Sensitivity of the numbers to other readings of Graft, and to parameters that it does not print."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from scipy.stats import spearmanr

from euclio.core.errors import InputError
from euclio.problems.fragments import Fleet
from euclio.report.analysis.statistics import Measured, exactly, mean
from studies.graft.cases import DEFAULT, NETWORKS, SCALES, DrawnFleet, Parameters, Scale, drawn
from studies.graft.inputs import figure_2_table, margins, most_hybrid
from studies.graft.measures import LARGE, Tables, massive_measures, of, throughput_measures
from studies.graft.scales import massive, savings, throughput
from studies.graft.systems import EDGES, GRAFT, GSLICE, GSLICE_PLUS, STATIC, STATIC_PLUS, graft, planned
from studies.graft.variants import FIFTY, FIVE, fleet_of, with_and_without
from studies.readings import Moved, OtherReading
from studies.study import Collected

Advance = Callable[[int], None]

RANGES: Mapping[str, tuple[str, tuple[float, ...]]] = {
    "fixed": ("part of the launches that no share makes shorter", (0.2, 0.6, 0.8)),
    "sent_part": ("part of a layer's output that is sent", (0.15, 0.21675, 0.4)),
    "median_mbps": ("median bandwidth in Mbit/s", (30.0, 60.0, 120.0)),
    "step_ms": ("steps of time budgets in ms", (0.1, 1.0, 5.0)),
}
"""Parameters with their words and values, the fitted one in the middle. More than 0.8 of `fixed` would bring Inc above
the 25 ms of Figure 4b. Row 1 of Table III fixes the part that a batch pays once, so it is not varied."""
MASSIVE_CLIENTS = 60
"""Clients of a massive fleet in the sweeps, enough to see the direction of a parameter's effect."""
AMOUNT, MOST = 3, 24
"""Clients that GSLICE serves within the share of a sweep's Figure 17, and the most that arrive."""
SERVED = (GRAFT, GSLICE, GSLICE_PLUS, STATIC)
"""Systems of Figure 17."""
FIVES = 4
"""Sets of five fragments per draw; Figure 11 shows the one with the largest saving."""
LEAST_CORRELATION = 0.3
"""Least rank correlation of a parameter that moves a number."""
COLUMNS = ("parameter", "value", "draw", "key", "figure")


def settings() -> dict[Parameters, list[tuple[str, float]]]:
    """The settings to run, each with its parameters and values; the fitted one stands for all parameters."""
    found: dict[Parameters, list[tuple[str, float]]] = {}
    for name, (_, values) in RANGES.items():
        for k, value in enumerate(values):
            changes: dict[str, Any] = {name: value}
            own = DEFAULT if k == 1 else replace(DEFAULT, **changes)
            found.setdefault(own, []).append((name, value))
    return found


def swept(seed: int, draws: int, advance: Advance) -> pd.DataFrame:
    """One row per parameter, value, draw and key of a published number."""
    rows = []
    for parameters, standing_for in settings().items():
        for draw in range(draws):
            found = dict(_figures(seed, draw, parameters))
            rows += [(name, value, draw, key, figure) for name, value in standing_for for key, figure in found.items()]
            advance(1)
    return pd.DataFrame(rows, columns=COLUMNS)


def _figures(seed: int, draw: int, parameters: Parameters) -> Iterator[tuple[str, float]]:
    """The numbers of one draw of the networks whose clients find partition points under these parameters."""
    for key in NETWORKS:
        try:
            for scale in SCALES:
                yield from scale_figures(scale.key, _shares(scale, drawn(key, scale, seed, draw, parameters)))
            many = massive(seed + draw, (MASSIVE_CLIENTS,), _uncounted, parameters, (key,), paper_only=True)
            served = throughput(seed + draw, 1, _uncounted, parameters, (AMOUNT,), (key,), MOST, SERVED)
            for name, measured in (massive_measures(many) | throughput_measures(served)).items():
                yield name, measured.value
            yield f"repartition_{key}", most_saved(key, seed, draw, parameters)
            yield from merging_figures(key, seed, draw, parameters)
        except InputError:
            continue
    for key in ("res", "vgg", "vit"):
        yield f"margin_{key}", float(margins(key, parameters).mean())
    yield "figure2_server", most_hybrid(figure_2_table(seed + draw, parameters))


def _shares(scale: Scale, fleets: DrawnFleet) -> pd.DataFrame:
    """Shares of the systems in the numbers of a scale."""
    needed = {system: planned(system, fleets) for system in (GRAFT, *_compared(scale.key).values())}
    return pd.DataFrame([{"network": fleets.network, **needed}])


def most_saved(key: str, seed: int, draw: int, parameters: Parameters) -> float:
    """Figure 11: the largest saving by re-partitioning among some fives of a draw's fragments, in per cent."""
    all_ = fleet_of(key, FIVE * FIVES, seed, draw, parameters)
    parts = (all_.fragments[FIVE * k : FIVE * (k + 1)] for k in range(FIVES))
    fleets = (Fleet("five", all_.network, own) for own in parts)
    return float(savings(*(pd.Series(own) for own in zip(*map(with_and_without, fleets), strict=True))).max())


def merging_figures(key: str, seed: int, draw: int, parameters: Parameters) -> Iterator[tuple[str, float]]:
    """Reduction of fifty fragments by merging, in per cent, and the number of ViT's groups."""
    found = graft(fleet_of(key, FIFTY, seed, draw, parameters))
    yield f"merged_{key}", 100.0 * (1.0 - found.parts / FIFTY)
    if key == "vit":
        yield "pool_groups_vit", found.groups


def _uncounted(_: int) -> None:
    """Ignore the progress of a part of a step."""


def scale_figures(scale: str, rows: pd.DataFrame) -> Iterator[tuple[str, float]]:
    """Keys of published savings at a scale, with the means of the draws in per cent."""
    over = _compared(scale)
    for key, own in rows.groupby("network"):
        for name, system in over.items():
            saved = float(savings(own[system], own[GRAFT]).mean())
            yield f"{scale}_{name}_{key}", saved
            yield f"{scale}_{name}_extra_{key}", 100.0 * (own[GRAFT] / own[system] - 1.0).mean()


def _compared(scale: str) -> dict[str, str]:
    """The systems that Graft is compared with at a scale, by their names in keys of published numbers."""
    if scale.startswith("large"):
        return {"gslice_plus": GSLICE_PLUS, "gslice": GSLICE, "static_plus": STATIC_PLUS}
    return {"gslice": GSLICE, "static": STATIC}


def movements(table: pd.DataFrame, key: str, measured: float) -> list[Moved]:
    """The effect of each parameter on a number, from its least to its largest value, the strongest first.

    The effect on the sweep's few draws is added to the scorecard's number from many draws, so that the luck of the few
    draws explains nothing.

    Args:
        table: the sweeps.
        key: the number.
        measured: its value in the scorecard.
    """
    found: list[tuple[float, Moved]] = []
    for name, own in table[table.key == key].groupby("parameter"):
        words, values = RANGES[str(name)]
        ends = own.groupby("value").figure.mean()
        if not set(values) <= set(ends.index) or own.figure.nunique() < 2:
            continue
        low, high = (measured + float(ends[end] - ends[values[1]]) for end in (values[0], values[-1]))
        correlation = abs(float(spearmanr(own.value, own.figure).statistic))
        if correlation >= LEAST_CORRELATION:
            span = f"{words} ({values[0]:g} to {values[-1]:g}; fitted or set: {values[1]:g})"
            found.append((correlation, Moved(span, low, high)))
    return [moved for _, moved in sorted(found, key=lambda one: -one[0])]


def all_movements(table: pd.DataFrame, measured: Mapping[str, Measured]) -> dict[str, list[Moved]]:
    """The effects of each parameter on each number, by key, the strongest first; each varied alone, on few draws."""
    return {key: movements(table, key, own.value) for key, own in measured.items()}


KEPT_TOGETHER = (
    "Whether groups keep near or distant fragments together",
    "distant ones, as the weights of edges are printed (graft:literal)",
    EDGES,
)
OVER_ALLOCATION = (
    "Whose “resource over-allocation” for Res is 63 and 37.1 %",
    "that of GSLICE and Static+ over Graft",
)
Found = Iterator[tuple[str, OtherReading]]


def readings(collected: Collected) -> Mapping[str, Sequence[OtherReading]]:
    """Figures by key under other readings, agreeing or not."""
    tables = collected.tables
    found: dict[str, list[OtherReading]] = {}
    parts = (_large, _taken_more, _fives, _massive)
    for part in (own(tables) for own in parts):
        for key, reading in part:
            found.setdefault(key, []).append(reading)
    question, answer = "How often a partition point may be missing", "at no moment that was looked at"
    surest = exactly(100 * collected.details.surest_ratio)
    found["slo_ratio_none_inc"] = [OtherReading(question, answer, surest)]
    return found


def _large(tables: Tables) -> Found:
    """Table III and Figure 7 at twenty clients."""
    systems = {"gslice_plus": GSLICE_PLUS, "gslice": GSLICE, "static_plus": STATIC_PLUS}
    for scale, name, key in ((s, n, k) for s in (LARGE, "large_heter") for n in systems for k in NETWORKS):
        own = of(tables["shares"], scale=scale, network=key)
        question, answer, graft = KEPT_TOGETHER
        saved = mean(savings(own[systems[name]], own[graft]))
        yield f"{scale}_{name}_{key}", OtherReading(question, answer, saved)


def _taken_more(tables: Tables) -> Found:
    """The numbers of §5.3 on Res, for which the bound on instances degrades a system."""
    own = of(tables["shares"], scale=LARGE, network="res")
    for name, system in (("gslice", GSLICE), ("static_plus", STATIC_PLUS)):
        more = mean(100.0 * (own[f"{system} capped"] / own[f"{GRAFT} capped"] - 1.0))
        yield f"{LARGE}_{name}_extra_res", OtherReading(*OVER_ALLOCATION, more)


def _fives(tables: Tables) -> Found:
    """Figure 11."""
    for key in NETWORKS:
        own = of(tables["repartitioning"], network=key)
        reading = OtherReading("The set that “up to” refers to", "means over draws", _saved(own))
        yield f"repartition_{key}", reading


def _saved(own: pd.DataFrame) -> Measured:
    return mean(savings(own[GSLICE], own[GRAFT]))


def _massive(tables: Tables) -> Found:
    """Figure 18."""
    for key in NETWORKS:
        own = of(tables["massive"], network=key)
        question, answer, graft = KEPT_TOGETHER
        over, saved = mean(own[GSLICE] / own[graft]), mean(savings(own[GSLICE_PLUS], own[graft]))
        yield f"massive_gslice_{key}", OtherReading(question, answer, over)
        yield f"massive_gslice_plus_{key}", OtherReading(question, answer, saved)
