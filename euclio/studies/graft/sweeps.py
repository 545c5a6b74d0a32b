"""Which numbers a parameter moves that Graft prints nothing of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
from scipy.stats import spearmanr

from euclio.analysis.statistics import Measured
from euclio.core.errors import InputError
from euclio.fragments import Fleet
from euclio.studies.graft.cases import DEFAULT, NETWORKS, SCALES, Drawn, Parameters, Scale, drawn
from euclio.studies.graft.inputs import figure_2_table, margins, most_hybrid
from euclio.studies.graft.measures import massive_measures, throughput_measures
from euclio.studies.graft.scales import massive, savings, throughput
from euclio.studies.graft.systems import GRAFT, GSLICE, GSLICE_PLUS, STATIC, STATIC_PLUS, graft, planned
from euclio.studies.graft.variants import FIFTY, FIVE, fleet_of, with_and_without
from euclio.studies.readings import Moved

Advance = Callable[[int], None]

RANGES: Mapping[str, tuple[str, tuple[float, ...]]] = {
    "fixed": ("part of the launches that no share makes shorter", (0.2, 0.6, 0.8)),
    "sent_part": ("part of a layer's output that is sent", (0.15, 0.21675, 0.4)),
    "median_mbps": ("median bandwidth in Mbit/s", (30.0, 60.0, 120.0)),
    "step_ms": ("steps of time budgets in ms", (0.1, 1.0, 5.0)),
}
"""Parameters with their words and values, the fitted one in the middle. More than 0.8 of `fixed` would bring Inc above
the 25 ms of Figure 4b. What a batch pays once is none of them: row 1 of Table III fixes it, so that it explains nothing
of the other rows."""
MASSIVE_CLIENTS = 60
"""Clients of a massive fleet in the sweeps: enough to see which way a parameter moves it."""
AMOUNT, MOST = 3, 24
"""Clients that GSLICE serves within the share of a sweep's Figure 17, and most that come."""
SERVED = (GRAFT, GSLICE, GSLICE_PLUS, STATIC)
"""Systems of Figure 17."""
FIVES = 4
"""Fives of a draw, of which Figure 11 has the one that most is saved of."""
LEAST_CORRELATION = 0.3
"""Rank correlation from which a parameter is said to move a number."""
COLUMNS = ("parameter", "value", "draw", "key", "figure")


def settings() -> dict[Parameters, list[tuple[str, float]]]:
    """The settings to run, each with the parameters and values that it stands for; the fitted one stands for all."""
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


def _shares(scale: Scale, fleets: Drawn) -> pd.DataFrame:
    """Shares of the systems that the numbers of a scale are about."""
    needed = {system: planned(system, fleets) for system in (GRAFT, *_compared(scale.key).values())}
    return pd.DataFrame([{"network": fleets.network, **needed}])


def most_saved(key: str, seed: int, draw: int, parameters: Parameters) -> float:
    """Figure 11: the most that re-partitioning saves of some fives of a draw's fragments, in per cent."""
    all_ = fleet_of(key, FIVE * FIVES, seed, draw, parameters)
    parts = (all_.fragments[FIVE * k : FIVE * (k + 1)] for k in range(FIVES))
    fleets = (Fleet("five", all_.network, own) for own in parts)
    return float(savings(*(pd.Series(own) for own in zip(*map(with_and_without, fleets), strict=True))).max())


def merging_figures(key: str, seed: int, draw: int, parameters: Parameters) -> Iterator[tuple[str, float]]:
    """How many fragments less merging leaves of fifty, in per cent, and how many groups of ViT's."""
    found = graft(fleet_of(key, FIFTY, seed, draw, parameters))
    yield f"merged_{key}", 100.0 * (1.0 - found.parts / FIFTY)
    if key == "vit":
        yield "pool_groups_vit", found.groups


def _uncounted(_: int) -> None:
    """A part of a step."""


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
    """What each parameter does to a number, from the least to the largest of its values, the strongest first.

    What it changes on a sweep's draws is added to what the scorecard's many draws give, so that the luck of the few
    draws explains nothing.

    Args:
        table: the sweeps.
        key: the number.
        measured: what the scorecard gives for it.
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
    """What each parameter does to each number, by key, the strongest first; each was varied alone, on few draws."""
    return {key: movements(table, key, own.value) for key, own in measured.items()}
