"""Figures under the other answers to questions that the paper leaves open, each measured by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from euclio.analysis.statistics import Measured, exactly, mean
from euclio.studies.graft.cases import NETWORKS
from euclio.studies.graft.measures import LARGE, Tables, of
from euclio.studies.graft.scales import savings
from euclio.studies.graft.systems import EDGES, GRAFT, GSLICE, GSLICE_PLUS, STATIC_PLUS
from euclio.studies.readings import OtherReading
from euclio.studies.study import Collected

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
    """Figures by key under other readings, whether they then agree or not."""
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
    """What §5.3 says of Res, where the bound on instances degrades a system."""
    own = of(tables["shares"], scale=LARGE, network="res")
    for name, system in (("gslice", GSLICE), ("static_plus", STATIC_PLUS)):
        more = mean(100.0 * (own[f"{system} capped"] / own[f"{GRAFT} capped"] - 1.0))
        yield f"{LARGE}_{name}_extra_res", OtherReading(*OVER_ALLOCATION, more)


def _fives(tables: Tables) -> Found:
    """Figure 11."""
    for key in NETWORKS:
        own = of(tables["repartitioning"], network=key)
        reading = OtherReading("What “up to” is the largest of", "means over draws", _saved(own))
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
