"""Partition points: least latency of mobile, link and server."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from euclio.workloads.fragments.networks import Device, find_model, model_names
from euclio.workloads.fragments.neurosurgeon import all_cuts, best_cut, fragment_of

LINKS = [Fraction(mbps) for mbps in (0, 5, 20, 40, 80, 160, 400)]


@pytest.mark.parametrize("key", model_names())
@pytest.mark.parametrize("device", Device)
def test_the_best_cut_is_the_least_of_all_added_up_anew(key, device):
    model = find_model(key)
    for mbps in LINKS[1:]:
        latencies = [
            sum(model.mobile_s[device][:p]) + Fraction(8 * model.sent_bytes[p]) / (10**6 * mbps)
            + sum(model.reference_s[p:])
            for p in range(model.layers)
        ]  # fmt: skip
        latencies.append(model.mobile_latency_s(device))
        assert best_cut(model, device, mbps).latency_s == min(latencies)
        assert best_cut(model, device, mbps).point == latencies.index(min(latencies))
        assert [cut.latency_s for cut in all_cuts(model, device, mbps)] == latencies


@pytest.mark.parametrize("key", model_names())
def test_a_faster_link_is_never_slower_and_never_sends_less(key):
    model = find_model(key)
    cuts = [best_cut(model, Device.NANO, mbps) for mbps in LINKS]
    assert all(b.latency_s <= a.latency_s for a, b in itertools.pairwise(cuts))
    sent = [(*model.sent_bytes, 0)[cut.point] for cut in cuts]
    assert sent == sorted(sent)


def test_without_a_link_the_client_runs_all():
    model = find_model("res")
    assert best_cut(model, Device.TX2, Fraction(0)).point == model.layers
    assert fragment_of("f", model, Device.TX2, Fraction(0), Fraction(1), 30) is None


def test_a_budget_is_what_the_objective_leaves_in_whole_milliseconds():
    """At 80 Mbit/s Mob is cut before layer 5: 66 or so of 79.8 ms are left, rounded down."""
    model = find_model("mob")
    slo = Fraction("0.95") * model.mobile_latency_s(Device.NANO)
    cut = best_cut(model, Device.NANO, Fraction(80))
    fragment = fragment_of("f", model, Device.NANO, Fraction(80), slo, 30)
    assert fragment is not None
    left = slo - cut.mobile_s - cut.sending_s
    assert fragment.partition_point == cut.point
    assert 0 <= left - fragment.budget_s < Fraction(1, 1000)
    assert (fragment.budget_s * 1000).denominator == 1


def test_what_no_instance_can_keep_is_no_fragment():
    model = find_model("inc")
    cut = best_cut(model, Device.NANO, Fraction(80))
    fastest = model.network.latency_s(cut.point, model.layers, 1, 100)
    assert fastest is not None
    tight = cut.mobile_s + cut.sending_s + 2 * fastest
    assert fragment_of("f", model, Device.NANO, Fraction(80), tight - Fraction(1, 10**6), 30) is None
    assert fragment_of("f", model, Device.NANO, Fraction(80), tight + Fraction(1, 1000), 30) is not None
