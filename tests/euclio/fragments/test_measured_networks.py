"""Profiles of Graft's networks that others measured: Table II still holds, and each part changes what it is about."""

from __future__ import annotations

import csv
import json
import math
from fractions import Fraction
from itertools import pairwise

import pytest

from euclio.core.data_files import data_dir
from euclio.fragments.workloads.measured_networks import ORDER, Profiles, holds, longer_of
from euclio.fragments.workloads.networks import Device, find_model, model_names, model_of

MEASURED = ("inc", "res", "vgg")
STORED = json.loads((data_dir() / "profiles" / "graft-measured.json").read_text(encoding="utf-8"))["networks"]


@pytest.mark.parametrize("profiles", ORDER)
@pytest.mark.parametrize("key", model_names())
def test_table_2_holds_to_the_digit_whatever_is_measured(key, profiles):
    """Guards that measurements of others divide the printed latencies and never change them."""
    model, common = model_of(key, profiles=profiles), find_model(key)
    assert model.network.latency_s(0, model.layers, 1, 30) == sum(common.reference_s)
    assert sum(model.reference_s) == sum(common.reference_s)
    assert all(model.mobile_latency_s(device) == common.mobile_latency_s(device) for device in Device)
    assert model.sent_bytes == common.sent_bytes


@pytest.mark.parametrize("profiles", ORDER[1:])
def test_networks_that_nobody_measured_keep_the_common_profile(profiles):
    """Guards that MobileNet and ViT are not changed by measurements of other networks."""
    for key in model_names():
        same = model_of(key, profiles=profiles).network.layer_latency_s == find_model(key).network.layer_latency_s
        assert same == (key not in MEASURED)


def test_each_step_holds_those_before_it():
    """Guards the order in which parts of a profile are taken over: VGG has no measured layers, so two steps agree."""
    assert [holds(Profiles.LAYERS, what) for what in ORDER] == [True, True, True, False]
    vgg = [model_of("vgg", profiles=profiles).network.layer_latency_s for profiles in ORDER]
    assert vgg[1] == vgg[2]
    assert vgg[0] != vgg[1]
    assert vgg[2] != vgg[3]
    assert model_of("inc", profiles=Profiles.LAYERS).mobile_s != find_model("inc").mobile_s
    assert model_of("inc", profiles=Profiles.BATCHING).mobile_s == find_model("inc").mobile_s


@pytest.mark.parametrize("key", MEASURED)
def test_the_longer_of_launches_and_work_never_takes_longer_on_more_share(key):
    """Guards what solvers rest on: more share takes no longer, a larger batch no less."""
    for rows in model_of(key, profiles=Profiles.OVERLAP).network.layer_latency_s:
        assert all(later <= sooner for row in rows for sooner, later in pairwise(row))
        assert all(small <= large for one, other in pairwise(rows) for small, large in zip(one, other, strict=True))


def test_a_layer_takes_its_launches_until_its_work_is_longer():
    """Launches 40 us and work 10 us at 30 %: a batch of three times the work takes 40 us from 22.5 % on."""
    found = longer_of(40, (4.0, 1.0), 3.0, 30, range(1, 101))
    assert found[22:] == [Fraction(40, 10**6)] * 78
    assert found[8] == Fraction(100, 10**6)


@pytest.mark.parametrize("key", MEASURED)
def test_the_stored_fit_is_nowhere_bettered_near_it(key):
    """Guards that what is stored is what `parvagpu.csv` gives: no part of it fits better with 3 % more or less."""
    own = STORED[key]
    with (data_dir() / "profiles" / "parvagpu.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["model"] == own["measured"] and row["processes"] == "1"]
    points = [(int(r["slices"]), int(r["batch"]), float(r["throughput_per_process_rps"])) for r in rows]

    def rms(launch: float, once: float, item: float) -> float:
        off = [
            math.log(max(launch, (once + item * batch) / slices) / (1000 * batch / rps))
            for slices, batch, rps in points
            if batch <= 32
        ]
        return math.sqrt(sum(x * x for x in off) / len(off))

    stored = (own["launch_ms"], own["once_ms"], own["item_ms"])
    assert round(rms(*stored), 3) == own["rms"]
    for k in range(3):
        for factor in (0.97, 1.03):
            assert rms(*(value * (factor if i == k else 1.0) for i, value in enumerate(stored))) > rms(*stored)
    assert round(own["once_ms"] / (own["once_ms"] + own["item_ms"]), 2) == own["once"]


@pytest.mark.parametrize("key", ["inc", "res"])
def test_there_is_a_measured_time_for_every_layer(key):
    """Guards the sums over a layer graph: one per layer that the network may be cut at, none of them empty."""
    assert len(STORED[key]["layers_ms"]) == find_model(key).layers
    assert min(STORED[key]["layers_ms"]) > 0
    assert len(STORED[key]["graph"]["sha256"]) == 64
