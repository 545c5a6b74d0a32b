"""The five applications and their profiles: printed numbers reproduced, profile objects shared."""

from fractions import Fraction

import pytest

from euclio.core.errors import InputError
from euclio.core.folders import data_dir
from euclio.core.numbers import exact
from euclio.problems.session import Configuration
from euclio.workloads.session.applications import applications, find_application, profiles
from euclio.workloads.session.synthesis import csv_text, load_model

MODEL = load_model()
ANCHORS = [pytest.param(a, id=f"{a['module']}-{a['batch']}-{a['concurrency']}-{a['unit']}") for a in MODEL["anchors"]]


def configuration(module: str, hardware: str, batch: int, concurrency: int) -> Configuration:
    return next(c for c in profiles()[module] if (c.hardware, c.batch, c.concurrency) == (hardware, batch, concurrency))


def printed_digits(value: float, like: float) -> float:
    return round(value, len(str(like).split(".")[1]))


@pytest.mark.parametrize("anchor", ANCHORS)
def test_printed_figure_is_reproduced_to_its_last_digit(anchor):
    c = configuration(anchor["module"], anchor["hardware"], anchor["batch"], anchor["concurrency"])
    found = c.duration_s if anchor["unit"] == "s" else c.throughput_rps
    assert printed_digits(float(found), anchor["value"]) == anchor["value"]


def test_ssd_on_p100_has_the_printed_figures_among_the_anchors():
    values = {a["value"] for a in MODEL["anchors"] if a["module"] == "ssd_inception"}
    assert values == {40.98, 0.024, 67.52, 0.118, 77.51}


@pytest.mark.parametrize(("module", "ratio"), [("ssd_inception", 1.11), ("yolo_face", 1.21)])
def test_v100_over_p100_is_the_printed_ratio_at_every_configuration(module, ratio):
    for c in profiles()[module]:
        if c.hardware == "P100":
            other = configuration(module, "V100", c.batch, c.concurrency)
            assert float(other.throughput_rps / c.throughput_rps) == pytest.approx(ratio, rel=1e-3)


def test_ssd_throughput_drops_beyond_batch_8():
    at = {c.batch: c.throughput_rps for c in profiles()["ssd_inception"] if (c.hardware, c.concurrency) == ("P100", 1)}
    assert at[1] < at[2] < at[4] < at[8] > at[16] >= at[32]


def test_ssd_best_point_within_200_ms_is_batch_4_concurrency_2():
    """Scrooge §3.2, its latency read as d + b/t."""
    within = [
        c
        for c in profiles()["ssd_inception"]
        if c.hardware == "P100" and c.duration_s * (1 + Fraction(1, c.concurrency)) <= exact("0.2")
    ]
    best = max(within, key=lambda c: c.throughput_rps)
    assert (best.batch, best.concurrency) == (4, 2)


def test_s2vt_runs_batch_1_within_the_printed_range():
    alone = [c.duration_s for c in profiles()["s2vt"] if c.concurrency == 1]
    assert {c.batch for c in profiles()["s2vt"]} == {1}
    assert all(exact("0.686") <= d <= exact("1.102") for d in alone)


@pytest.mark.parametrize("module", list(MODEL["modules"]))
def test_throughput_rises_with_concurrency(module):
    for c in profiles()[module]:
        if c.concurrency > 1:
            below = configuration(module, c.hardware, c.batch, c.concurrency - 1)
            assert c.throughput_rps > below.throughput_rps


def test_prices_are_the_printed_ones():
    prices = {h.name: h.price_per_h for h in find_application("traffic").hardware}
    assert prices == {"P100": exact("2.07"), "V100": exact("3.06")}


def test_csv_file_is_what_the_parameters_give():
    text = (data_dir() / "profiles" / "p100-v100.csv").read_text(encoding="utf-8")
    assert text == csv_text(MODEL)


def test_applications_have_two_to_five_modules():
    assert list(applications()) == ["traffic", "face", "pose", "caption", "actdet"]
    assert all(2 <= len(a.modules) <= 5 for a in applications().values())


def test_sessions_of_an_application_share_profile_objects():
    traffic = find_application("traffic")
    one, two = traffic.session("a", Fraction(10), Fraction(1)), traffic.session("b", Fraction(20), Fraction(2))
    assert all(x.profile is y.profile for x, y in zip(one.modules, two.modules, strict=True))


def test_unknown_application_names_the_known_ones():
    with pytest.raises(InputError, match="choose from traffic"):
        find_application("trafic")


@pytest.mark.parametrize("module", list(MODEL["modules"]))
def test_duration_rises_with_batch(module):
    durations = {(c.hardware, c.concurrency, c.batch): c.duration_s for c in profiles()[module]}
    for (hardware, concurrency, batch), duration in durations.items():
        assert durations.get((hardware, concurrency, 2 * batch), duration + 1) > duration


def test_yolo_to_ssd_is_the_printed_ratio_at_batch_1():
    """Scrooge Table 2: 22.17 to 14.69."""
    yolo, ssd = (configuration(m, "P100", 1, 1).throughput_rps for m in ("yolo_face", "ssd_inception"))
    assert float(yolo / ssd) == pytest.approx(22.17 / 14.69, rel=1e-3)
