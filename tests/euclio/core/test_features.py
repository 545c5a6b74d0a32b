"""Sizes of instances, as results keep them."""

from tiny_clusters import tiny_cluster
from tiny_sessions import tiny_session

from euclio.core.families import find_family


def test_features_of_a_session():
    assert find_family("session").features(tiny_session()) == {
        "modules": 2,
        "configurations": 3,
        "hardware": 2,
        "edges": 1,
        "rate_rps": 10.0,
        "slo_s": 1.0,
    }


def test_features_of_a_cluster():
    assert find_family("pipeline").features(tiny_cluster()) == {
        "models": 2,
        "blocks": 3,
        "gpus": 5,
        "gpu_types": 2,
        "profiles": 4,
    }
