"""The inputs: printed settings, and Figures 2, 4, 6 and 12, which follow from the networks and links alone."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pandas as pd

from euclio.core.folders import data_dir
from euclio.core.numbers import exact
from euclio.files.json_reading import read_json
from euclio.problems.fragments import Fleet
from euclio.problems.fragments.realigned import part_of
from euclio.problems.fragments.stages import Stages
from euclio.workloads.fragments.clients import SLO_RATIO
from euclio.workloads.fragments.networks import Device
from euclio.workloads.fragments.neurosurgeon import BITS, MEGA, best_cut, fragment_of
from euclio.workloads.fragments.uplink import seeded_trace
from studies.graft.cases import (
    DEFAULT,
    FULL,
    NETWORKS,
    RATIOS,
    SCALES,
    DrawnFleet,
    Parameters,
    clients_of,
    model_under,
)
from studies.graft.systems import MASSIVE, MOST_INSTANCES, graft, graft_answer, margin, options
from studies.graft.variants import FIFTY, POOL, TWENTY_FIVE

SNIPPET_S = 50
"""Seconds of Figure 2's trace."""
FIGURE_4_RPS, FIGURE_4_S = 200, Fraction(25, 1000)
BUDGETS_MS = range(20, 101)
RATES_RPS = range(10, 401, 10)
MARGIN_MBPS = range(30, 170, 10)
"""Bandwidths over which the margins of single fragments are averaged."""
BANDWIDTHS_MBPS = range(20, 201, 10)
FIFTH_RATES = range(5, 65, 5)
FINE_RATIOS = tuple(k / 100 for k in range(30, 100, 5))
MOMENTS = 200
"""Moments at which clients look for a partition point, per SLO ratio."""
MOST_MOMENTS = 0.95
"""Share of them with a partition point for an SLO ratio to count as large enough (ours)."""


def printed_settings() -> dict[str, float]:
    """The study's inputs from the paper, by key of the published number."""
    data = read_json(str(data_dir() / "profiles" / "graft.json"))
    scales = {scale.key: scale for scale in SCALES}
    mob = model_under("mob").sent_bytes
    found: dict[str, float] = {
        "input_kb": mob[0] / 1024,
        "rate": model_under("inc").rate_rps,
        "rate_vit": model_under("vit").rate_rps,
        "slo_ratio": 100 * SLO_RATIO,
        "slo_ratio_least": 100 * min(RATIOS),
        "slo_ratio_most": 100 * max(RATIOS),
        "cut_mob": 100 * (1 - mob[1] / mob[0]),
        "clients_small": scales["small_homo"].clients,
        "clients_small_tx2": scales["small_heter"].tx2,
        "clients_large": scales["large_homo"].clients,
        "clients_large_nano": scales["large_heter"].clients - scales["large_heter"].tx2,
        "clients_large_tx2": scales["large_heter"].tx2,
        "repeats": FULL.draws,
        "repeats_optimal": FULL.proven,
        "most_instances": MOST_INSTANCES,
        "threshold": options().threshold,
        "threshold_massive": options(MASSIVE).threshold,
        "group_size": options().group_size,
        "pool": POOL,
        "figure2_length": SNIPPET_S,
        "figure4_rate": FIGURE_4_RPS,
        "figure4_latency": float(FIGURE_4_S),
        "merging_fragments": FIFTY,
        "grouping_fragments": TWENTY_FIVE,
    }
    for device in Device:
        found[f"device_gflops_{device}"] = float(data["devices"][device.value]["gflops"])
    for key in NETWORKS:
        model = model_under(key)
        found[f"layers_{key}"] = model.layers
        found[f"server_{key}"] = float(sum(model.reference_s))
        for device in Device:
            found[f"mobile_{device}_{key}"] = float(model.mobile_latency_s(device))
    return found


@cache
def margins(key: str, parameters: Parameters = DEFAULT) -> pd.Series[float]:
    """Resource margin of a single Nano fragment by bandwidth, where it can be served."""
    model = model_under(key, parameters)
    stages = Stages(model.network)
    found = {}
    for mbps in MARGIN_MBPS:
        slo = exact(SLO_RATIO) * model.mobile_latency_s(Device.NANO)
        fragment = fragment_of("a", model, Device.NANO, Fraction(mbps), slo, model.rate_rps, parameters.step_s)
        if fragment is not None:
            own = margin(stages, part_of(Fleet("one", model.network, [fragment]), [0]), None)
            if own is not None:
                found[mbps] = own
    return pd.Series(found)


def figure_2_table(seed: int, parameters: Parameters = DEFAULT) -> pd.DataFrame:
    """Figure 2, one Inc client by second: bandwidth, partition point, least share of hybrid and server-only.

    A share is infinite where no instance is fast enough.
    """
    model = model_under("inc", parameters)
    stages = Stages(model.network)
    slo = exact(SLO_RATIO) * model.mobile_latency_s(Device.NANO)
    trace = seeded_trace(random.Random(f"figure 2 {seed}"), SNIPPET_S, median_mbps=parameters.median_mbps)
    rows = []
    for second, mbps in enumerate(trace):
        cut = best_cut(model, Device.NANO, mbps)
        whole = slo - Fraction(BITS * model.sent_bytes[0]) / (MEGA * mbps)
        rows.append(
            {
                "second": second,
                "mbps": float(mbps),
                "point": cut.point,
                "hybrid": _least(stages, cut.point, slo - cut.mobile_s - cut.sending_s, model.rate_rps),
                "server": _least(stages, 0, whole, model.rate_rps),
            }
        )
    return pd.DataFrame(rows)


def most_hybrid(by_second: pd.DataFrame) -> float:
    """The largest ratio of the server-only share to the hybrid share over the seconds of Figure 2."""
    ratio = by_second.server / by_second.hybrid.where(by_second.hybrid > 0)
    return float(ratio.where(ratio < math.inf).max())


def _least(stages: Stages, begin: int, budget_s: Fraction, rate_rps: int) -> float:
    """The least share that serves the layers from `begin` in a time budget; infinite if none does, 0 without layers."""
    layers = stages.network.layers
    if begin == layers:
        return 0.0
    stage = stages.frontier(begin, layers, Fraction(rate_rps)).stage(stages.execution_ticks(budget_s))
    return math.inf if stage is None else float(stage.total_pct)


@cache
def figure_4_tables() -> tuple[pd.Series[float], pd.Series[float]]:
    """Figure 4, share for all layers of Inc: by time budget at 200 requests per second, and by rate within 25 ms.

    The 25 ms are an instance's time for a batch (the "inference latency"); budgets allow twice that.
    """
    model = model_under("inc")
    stages = Stages(model.network)
    by_budget = {ms: _least(stages, 0, Fraction(ms, 1000), FIGURE_4_RPS) for ms in BUDGETS_MS}
    by_rate = {rate: _least(stages, 0, 2 * FIGURE_4_S, rate) for rate in RATES_RPS}
    return pd.Series(by_budget), pd.Series(by_rate)


def figure_6_table(cases: list[tuple[str, DrawnFleet]]) -> pd.DataFrame:
    """Figure 6, partition point and time budget of every fragment of the draws."""
    return pd.DataFrame(
        [
            {
                "scale": scale,
                "network": fleets.network,
                "device": fragment.name.split("-")[0],
                "point": fragment.partition_point,
                "budget_ms": 1000 * float(fragment.budget_s),
            }
            for scale, fleets in cases
            for fragment in fleets.now.fragments
        ]
    )


def figure_12_table(seed: int) -> pd.DataFrame:
    """Figure 12: share and re-partition point of five Inc fragments as the fifth's bandwidth, or rate, changes."""
    model = model_under("inc")
    slo = exact(SLO_RATIO) * model.mobile_latency_s(Device.NANO)
    four = [fragment for client in clients_of("inc", 4, 1000 * seed) if (fragment := client.after(0)) is not None]
    rows = []
    for study, values in (("bandwidth", BANDWIDTHS_MBPS), ("rate", FIFTH_RATES)):
        for value in values:
            mbps = Fraction(value if study == "bandwidth" else 60)
            fifth = fragment_of("fifth", model, Device.NANO, mbps, slo, model.rate_rps)
            if fifth is None:
                continue
            if study == "rate":
                fifth = replace(fifth, rate_rps=Fraction(value))
            fleet = Fleet("five", model.network, [*four, fifth])
            rows.append({"study": study, "value": value, "point": fifth.partition_point, **_plan_of(fleet)})
    return pd.DataFrame(rows)


def _plan_of(fleet: Fleet) -> dict[str, float]:
    """Share of Graft's plan, and the re-partition point of the last fragment."""
    answer = graft_answer(fleet)
    assert answer.plan is not None
    last = len(fleet.fragments) - 1
    (own,) = [own for own in answer.plan.sets if last in own.fragments]
    return {"share": graft(fleet).share, "repartition": float(own.repartition_point)}


def least_ratio(seed: int, moments: float = MOST_MOMENTS) -> float:
    """The least SLO ratio, in steps of 0.05, at which Inc on a Nano finds a partition point at a share of moments."""
    for ratio in FINE_RATIOS:
        found = list(_servable(ratio, seed))
        if sum(found) >= moments * len(found):
            return ratio
    return 1.0


def _servable(ratio: float, seed: int) -> Iterator[bool]:
    model = model_under("inc")
    slo = exact(ratio) * model.mobile_latency_s(Device.NANO)
    rng = random.Random(f"moments {seed}")
    for _ in range(MOMENTS):
        (mbps,) = seeded_trace(rng, 1)
        yield fragment_of("a", model, Device.NANO, mbps, slo, model.rate_rps) is not None
