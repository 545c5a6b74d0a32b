"""Networks of Graft's clients: what the paper prints, to the digit."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import pairwise

import pytest

from euclio.core.folders import data_dir
from euclio.problems.fragments import Fleet
from euclio.problems.fragments.realigned import part_of
from euclio.problems.fragments.stages import Stages
from euclio.workloads.fragments.networks import Device, apportioned, find_model, model_names, model_of
from euclio.workloads.fragments.neurosurgeon import fragment_of
from heuristics.fragments.graft import margin

ONE_MS = Fraction(1, 1000)
TABLE_2 = {
    "inc": (17, 165, 94, 29),
    "res": (16, 226, 114, 30),
    "vgg": (6, 147, 77, 6),
    "mob": (18, 84, 67, 19),
    "vit": (15, 816, 603, 58),
}


@pytest.mark.parametrize(("key", "row"), TABLE_2.items())
def test_table_2_holds_to_the_digit(key, row):
    model = find_model(key)
    layers, nano, tx2, server = row
    assert model.layers == model.network.layers == len(model.sent_bytes) == layers
    assert model.mobile_latency_s(Device.NANO) == nano * ONE_MS
    assert model.mobile_latency_s(Device.TX2) == tx2 * ONE_MS
    assert model.network.latency_s(0, layers, 1, 30) == server * ONE_MS


def test_the_tables_here_are_the_published_figures():
    figures = json.loads((data_dir() / "published" / "graft.json").read_text(encoding="utf-8"))["figures"]
    printed = {figure["key"]: figure["value"] for figure in figures}
    assert list(model_names()) == list(TABLE_2)
    for key, (layers, nano, tx2, server) in TABLE_2.items():
        found = [printed[f"{name}_{key}"] for name in ("layers", "mobile_nano", "mobile_tx2", "server")]
        assert found == [layers, nano / 1000, tx2 / 1000, server / 1000]
        assert find_model(key).rate_rps == printed["rate_vit" if key == "vit" else "rate"]
    cut = 1 - find_model("mob").sent_bytes[1] / find_model("mob").sent_bytes[0]
    assert round(100 * cut, 1) == printed["cut_mob"]
    assert round(find_model("inc").sent_bytes[0] / 1024) == printed["input_kb"]


@pytest.mark.fifth("key")
@pytest.mark.parametrize("key", TABLE_2)
def test_more_share_never_takes_longer_and_batches_never_less(key):
    network = find_model(key).network
    assert network.shares_pct == tuple(range(1, 101))
    for rows in network.layer_latency_s:
        assert all(later <= sooner for row in rows for sooner, later in pairwise(row))
        assert all(small <= large for one, other in pairwise(rows) for small, large in zip(one, other, strict=True))
        assert all(
            large <= 2 * small + Fraction(1, 10**6)
            for one, other in pairwise(rows)
            for small, large in zip(one, other, strict=True)
        )


@pytest.mark.parametrize("total", [7, 10, 1000])
def test_parts_of_a_total_add_up_and_keep_the_order_of_weights(total):
    parts = apportioned([1.5, 0.0, 3.25, 1.5], total)
    assert sum(parts) == total
    assert min(parts) == parts[1] >= 1
    assert parts[2] == max(parts)


def _margins(fixed: float, once: float) -> dict[str, float]:
    """Mean resource margin of single fragments of a Jetson Nano, from 30 to 160 Mbit/s."""
    found = {}
    for key in ("res", "vgg", "vit"):
        model = model_of(key, fixed=fixed, once=once)
        stages, slo_s = Stages(model.network), Fraction("0.95") * model.mobile_latency_s(Device.NANO)
        fragments = [
            fragment_of("f", model, Device.NANO, Fraction(mbps), slo_s, model.rate_rps) for mbps in range(30, 170, 10)
        ]
        own = [
            margin(stages, part_of(Fleet("f", model.network, [fragment]), [0]), None)
            for fragment in fragments
            if fragment is not None
        ]
        found[key] = sum(own) / len(own)
    return found


def test_resource_margins_are_near_the_printed_ones():
    fit = json.loads((data_dir() / "profiles" / "graft.json").read_text(encoding="utf-8"))["fit"]
    own = _margins(0.6, 0.7)
    assert {key: round(value, 2) for key, value in own.items()} == fit["found"]
    errors = [
        sum(math.log((1 + value) / (1 + fit["printed"][key])) ** 2 for key, value in margins.items())
        for margins in (own, _margins(0.5, 0.7), _margins(0.7, 0.7), _margins(0.6, 0.6), _margins(0.6, 0.8))
    ]
    assert errors[0] == min(errors)


def test_inception_can_take_25_ms():
    network = find_model("inc").network
    latency = network.latency_s(0, network.layers, 1, 100)
    assert latency is not None
    assert latency <= 25 * ONE_MS
