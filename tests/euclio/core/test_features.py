"""Sizes of instances, as results keep them."""

import pytest
from tiny_clusters import tiny_cluster
from tiny_sessions import tiny_session
from worked_examples import one_module

from euclio.core.families import find_family


def test_features_of_a_session():
    """Least latency 0.125 + 1/10 and 0.2 + 1/5, 0.625 s; most useful 0.1 + 2/10 and the same, 0.7 s; 0.375 / 0.075."""
    assert find_family("session").features(tiny_session()) == {
        "modules": 2,
        "configurations": 3,
        "hardware": 2,
        "edges": 1,
        "rate_rps": 10.0,
        "slo_s": 1.0,
        "tightness": pytest.approx(5),
    }


def test_where_one_latency_is_all_that_there_is_nothing_is_tight():
    """With one configuration a budget beyond its latency buys nothing, and the scale has no length."""
    assert "tightness" not in find_family("session").features(one_module([(1, "0.1")], 5, 1))


def test_features_of_a_cluster():
    assert find_family("pipeline").features(tiny_cluster()) == {
        "models": 2,
        "blocks": 3,
        "gpus": 5,
        "gpu_types": 2,
        "profiles": 4,
    }
