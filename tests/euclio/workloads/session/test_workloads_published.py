"""The library of published profiles: size, plausibility, sources, sessions."""

import pytest

from euclio.core.errors import InputError
from euclio.workloads.session.published import gpu_prices, published_models, published_session

PLAUSIBLE = 0.15
"""Printed latency times printed throughput may differ from the batch by this share of it."""

GPUS = {"A100", "V100", "T4"}


def test_at_least_eight_models_on_three_gpus():
    complete = [m for m in published_models().values() if {t.hardware for t in m.tables} == GPUS]
    assert len(complete) >= 8


@pytest.mark.parametrize("name", list(published_models()))
def test_tables_name_their_source(name):
    model = published_models()[name]
    assert model.source.startswith("NVIDIA/DeepLearningExamples")
    assert all(table.heading and table.device for table in model.tables)


@pytest.mark.parametrize("name", list(published_models()))
def test_latency_and_throughput_agree(name):
    for table in published_models()[name].tables:
        for row in table.rows:
            if row.throughput_rps is not None:
                assert row.latency_s * row.throughput_rps / row.batch == pytest.approx(1, abs=PLAUSIBLE)


def test_every_gpu_has_a_price():
    assert set(gpu_prices()) == GPUS


def test_session_is_a_chain_that_shares_profiles():
    session = published_session(["ssd_resnet50", "resnet50"], 100, 0.5)
    assert session.edges == (("ssd_resnet50", "resnet50"),)
    assert session.modules[1].profile is published_models()["resnet50"].profile


def test_a_model_may_occur_twice():
    session = published_session(["resnet50", "resnet50"], 100, 0.5)
    assert [m.name for m in session.modules] == ["resnet50", "resnet50_2"]


def test_gpus_narrow_the_profile():
    session = published_session(["resnet50"], 100, 0.5, ["T4"])
    assert {c.hardware for c in session.modules[0].profile} == {"T4"}


def test_model_without_figures_on_the_gpu_is_refused():
    with pytest.raises(InputError, match="no published numbers on T4"):
        published_session(["efficientnet_b0"], 100, 0.5, ["T4"])


def test_unknown_names_are_refused():
    with pytest.raises(InputError, match="unknown name 'alexnet'"):
        published_session(["alexnet"], 100, 0.5)
