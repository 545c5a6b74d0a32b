"""The synthetic layer profiles against what PPipe prints (§2, §4, §7.1)."""

from functools import cache
from itertools import pairwise

import pytest

from euclio.core.errors import InputError
from euclio.workloads.pipeline.layer_models import layer_models, layer_profile

MODELS = tuple(layer_models())
GPUS = ("L4", "V100", "T4", "P4")


@cache
def profile(name):
    return layer_profile(name)


def ratio(name, slow, fast, layers):
    """Latency of the first (negative: the last) layers at batch 1 on one type over that on another."""
    moving = profile(name).moving_ratio(slow, fast, abs(layers))
    return moving[0 if layers > 0 else -1]


def whole_ms(name, gpu, batch=1):
    return profile(name).whole_ns(gpu, batch=batch) / 1e6


def test_there_are_18_models():
    assert len(MODELS) == 18


def test_the_mean_number_of_layers_is_as_printed():
    assert sum(profile(name).layers for name in MODELS) / 18 == pytest.approx(613.2, abs=0.05)


def test_whole_models_are_3_to_7_9_times_slower_on_p4_than_on_l4():
    ratios = [ratio(name, "P4", "L4", profile(name).layers) for name in MODELS]
    assert (min(ratios), max(ratios)) == pytest.approx((3.0, 7.9), rel=1e-3)


def test_22_percent_of_the_models_run_at_batch_4_on_p4_within_200_ms():
    assert sum(whole_ms(name, "P4", 4) <= 200 for name in MODELS) / 18 == pytest.approx(0.22, abs=0.005)


def test_slos_of_five_times_the_latency_on_l4_span_23_4_to_165_6_ms():
    slos = [5 * whole_ms(name, "L4") for name in MODELS]
    assert (min(slos), max(slos)) == pytest.approx((23.4, 165.6), abs=0.05)


def test_fcn_takes_6_66_ms_on_l4():
    assert whole_ms("FCN", "L4") == pytest.approx(6.66, rel=1e-5)


def test_early_layers_of_efficientnet_are_1_7_times_slower_on_p4_than_on_l4():
    assert ratio("EfficientNet-B8", "P4", "L4", 256) == pytest.approx(1.7, abs=0.15)


def test_later_layers_of_efficientnet_suffer_much_more_on_p4_than_on_l4():
    assert ratio("EfficientNet-B8", "P4", "L4", -256) > 2 * ratio("EfficientNet-B8", "P4", "L4", 256)


def test_against_v100_the_trend_of_efficientnet_is_reversed():
    assert ratio("EfficientNet-B8", "P4", "V100", -256) < 0.75 * ratio("EfficientNet-B8", "P4", "V100", 256)


@pytest.mark.parametrize("name", MODELS)
def test_every_models_ratio_varies_along_the_depth(name):
    quarter = profile(name).layers // 4
    assert abs(ratio(name, "P4", "L4", -quarter) / ratio(name, "P4", "L4", quarter) - 1) > 0.1


def test_float16_feature_maps_of_centernet_are_half_of_3_to_50_mb():
    sizes = profile("CenterNet").transfer_bytes
    assert (min(sizes), max(sizes)) == (1_500_000, 25_000_000)


@pytest.mark.parametrize("name", MODELS)
def test_feature_maps_shrink_with_depth(name):
    sizes = profile(name).transfer_bytes
    fifth = len(sizes) // 5
    assert max(sizes[-fifth:]) < max(sizes[:fifth])


@pytest.mark.parametrize("gpu", GPUS)
def test_a_larger_batch_takes_longer_and_serves_more(gpu):
    times = [profile("GFL").whole_ns(gpu, batch=b) for b in range(1, 9)]
    assert all(a < b < a * (k + 2) / (k + 1) for k, (a, b) in enumerate(pairwise(times)))


def test_p4_is_not_divided():
    assert {gpu: max(v for g, v in profile("FCN").latency_ns if g == gpu) for gpu in GPUS} == {
        "L4": 4,
        "V100": 4,
        "T4": 4,
        "P4": 1,
    }


def test_a_smaller_part_of_a_gpu_takes_longer():
    times = [profile("FCN").whole_ns("L4", share) for share in (1, 2, 3, 4)]
    assert times == sorted(times)


def test_the_whole_model_does_not_depend_on_the_seed():
    assert layer_profile("FCN", 5).whole_ns("P4") == pytest.approx(profile("FCN").whole_ns("P4"), rel=1e-6)


def test_another_seed_draws_other_layers():
    assert layer_profile("FCN", 5).latency_ns != profile("FCN").latency_ns


def test_the_same_seed_draws_the_same_layers():
    assert layer_profile("FCN").latency_ns == profile("FCN").latency_ns


def test_the_number_of_layers_can_be_chosen():
    assert layer_profile("FCN", layers=80).layers == 80


def test_an_unknown_model_is_named():
    with pytest.raises(InputError, match="choose from ConvNext"):
        layer_profile("LeNet")
