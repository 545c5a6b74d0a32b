"""Clients, their uplinks, and the fleets that they are."""

from __future__ import annotations

import random
import statistics
from fractions import Fraction
from pathlib import Path

import pytest

from euclio.core.errors import InputError
from euclio.files.row_warnings import strictly
from euclio.problems.fragments import Server
from euclio.workloads.fragments.clients import draw_clients, fleet_at_mean, fleet_now
from euclio.workloads.fragments.networks import Device, find_model, model_names
from euclio.workloads.fragments.uplink import mean_mbps, read_traces, seeded_trace
from euclio.workloads.generation import draw_instances

MEASURED = Path(__file__).parents[5] / "shared" / "data" / "traces"


def test_a_seed_gives_the_same_trace_within_its_bounds():
    one, other = (seeded_trace(random.Random(7), 200) for _ in range(2))
    assert one == other
    assert len(one) == 200
    assert all(1 <= mbps <= 400 and (1000 * mbps).denominator == 1 for mbps in one)
    assert one != seeded_trace(random.Random(8), 200)


def test_seeded_traces_have_the_median_and_the_correlation_that_they_say():
    traces = [[float(mbps) for mbps in seeded_trace(random.Random(seed))] for seed in range(200)]
    assert 55 < statistics.median(mbps for trace in traces for mbps in trace) < 65
    one_later = [statistics.correlation(trace[:-1], trace[1:]) for trace in traces]
    assert 0.8 < statistics.mean(one_later) < 0.95


def test_the_mean_is_in_whole_kilobits():
    assert mean_mbps((Fraction(1), Fraction(2), Fraction(2))) == Fraction(1667, 1000)


def test_traces_are_read_by_line_and_by_run(tmp_path):
    (tmp_path / "b").write_text("1.0\t91.0\n2.0\t12.5\n\n", encoding="utf-8")
    (tmp_path / "a").write_text(
        "#####\nRun 1\n0,1,1,1,1,1,1,1,1,1,5.25,7\n\nRun 2\n18.7,18.9,19.1\n1,2,3\n0,1\n9,9\n", encoding="utf-8"
    )
    runs = read_traces(tmp_path)
    assert runs == [(0, Fraction(21, 4)), (1, 3), (91, Fraction(25, 2))]
    assert read_traces(tmp_path / "b") == runs[2:]


@pytest.mark.parametrize("text", ["", "1.0\n", "a b\n", "Run 1\n1,x\n", "1 -3\n", "1 nan\n"])
def test_what_is_no_trace_is_refused(tmp_path, text):
    (tmp_path / "trace").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="trace"):
        read_traces(tmp_path / "trace")


def test_a_path_without_a_file_is_refused():
    with pytest.raises(InputError, match="does not exist"):
        read_traces(Path("nowhere"))


@pytest.mark.fifth("key")
@pytest.mark.parametrize("key", model_names())
def test_mixed_clients_as_in_the_paper(key):
    """15 Jetson Nano and 5 TX2 (Graft §5.3), each with a fragment; TX2 have less time."""
    model = find_model(key)
    clients = draw_clients(model, 20, 3, tx2=5)
    assert [client.device for client in clients] == [Device.NANO] * 15 + [Device.TX2] * 5
    for fleet in (fleet_now("now", clients), fleet_at_mean("mean", clients)):
        assert [fragment.name for fragment in fleet.fragments] == [client.name for client in clients]
        assert {fragment.rate_rps for fragment in fleet.fragments} == {model.rate_rps}
        budgets = [fragment.budget_s for fragment in fleet.fragments]
        assert statistics.mean(budgets[15:]) < statistics.mean(budgets[:15])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.0 20\n3.0 20\n2.0 20\n", "trace has the time 2 s after 3 s; give times that rise"),
        ("1.0 20\n1.0 30\n", "the time 1 s after 1 s"),
        ("Run 1\n0.0,0.1,0.05\n20,20,20\n", "the time 0.05 s after 0.1 s"),
    ],
)
def test_times_that_do_not_rise_are_refused(tmp_path, text, message):
    (tmp_path / "trace").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_traces(tmp_path / "trace")


@pytest.mark.parametrize("text", ["1.0 20\n2.0 20\n40.0 20\n", "Run 1\n1.0,2.0,40.0\n20,20,20\n"])
def test_a_long_gap_is_told_and_refused_where_doubts_are(tmp_path, text, capsys):
    """A phone that loses its network measures nothing: such traces are published, and stay readable."""
    (tmp_path / "trace").write_text(text, encoding="utf-8")
    assert [len(trace) for trace in read_traces(tmp_path / "trace")] == [3]
    assert "has no bandwidth from 2 to 40 s" in capsys.readouterr().err
    with strictly(True), pytest.raises(InputError, match="from 2 to 40 s"):
        read_traces(tmp_path / "trace")


def test_clients_move_along_their_traces():
    clients = draw_clients(find_model("inc"), 6, 0)
    first = clients[0]
    assert first.after(len(first.trace)) == first.after(0)
    fleets = {fleet_now("f", clients, second).fragments for second in range(20)}
    assert len(fleets) == 20


def test_a_smaller_objective_leaves_less_time():
    model = find_model("vit")
    loose, tight = (fleet_now("f", draw_clients(model, 8, 0, slo_ratio=ratio)) for ratio in (0.9, 0.5))
    assert all(b.budget_s < a.budget_s for a, b in zip(loose.fragments, tight.fragments, strict=True))


def test_an_objective_that_nobody_can_keep_is_refused():
    with pytest.raises(InputError, match=r"slo_ratio: at 0\.2 of its mobile latency, Inception-v3 on nano finds no"):
        draw_clients(find_model("inc"), 2, 0, slo_ratio=0.2)


def test_the_kind_draws_now_and_at_the_mean_for_the_same_clients():
    now, mean = (
        next(iter(draw_instances("fleets", 1, 4, {"model": "inc", "bandwidth": when}))) for when in ("now", "mean")
    )
    clients = draw_clients(find_model("inc"), 20, 4)
    assert now == fleet_now("fleet-inc-4", clients)
    assert mean == fleet_at_mean("fleet-inc-4", clients)
    assert now != mean


def test_clients_of_a_server_with_limits_are_those_of_one_without():
    """Memory is declared, the parameters of VGG11 in megabytes among it, and nobody cuts elsewhere for it."""
    plain = {"model": "vgg", "clients": 6}
    limits = {"gpu_memory_mb": 11_000, "instance_memory_mb": 500, "gpu_instances": 48}
    (free,), (limited,) = (list(draw_instances("fleets", 1, 4, own)) for own in (plain, {**plain, **limits}))
    assert limited.fragments == free.fragments
    assert limited.network.memory_mb(0, 6) == 500 + Fraction(4 * 132_863_336, 10**6)
    assert limited.network.server == Server(11_000, 48)
    assert free.network.server is None


def test_random_fleets_of_a_server_with_limits_are_those_of_one_without():
    limits = {"gpu_memory_mb": 11_000, "instance_memory_mb": 500}
    (free,), (limited,) = (list(draw_instances("random-fleets", 1, 4, own)) for own in ({}, limits))
    assert limited.fragments == free.fragments
    assert limited.network.least_share_pct(0, 8) == 5
    with pytest.raises(InputError, match="instance_memory_mb: is missing; give the megabytes of an instance"):
        list(draw_instances("random-fleets", 1, 4, {"gpu_memory_mb": 11_000}))


def test_clients_that_no_gpu_has_room_for_are_refused():
    """Inception-v3 has 95 MB of parameters, and clients leave most of it: more than two stages of 30 MB."""
    with pytest.raises(InputError, match=r"finds no partition point that a server can keep within 30 MB of GPU memory"):
        draw_clients(find_model("inc").on(Server(30)), 1, 0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "model: is missing; choose from inc, res, vgg, mob, vit"),
        ({"model": "bert"}, "model: is 'bert'; choose from inc"),
        ({"model": "inc", "clients": 3, "tx2": 4}, "tx2: is 4; there are 3 clients"),
        ({"model": "inc", "slo_ratio": 0}, "slo_ratio: is 0"),
        ({"model": "inc", "bandwidth": "never"}, "bandwidth: is 'never'; choose from now, mean"),
        ({"model": "inc", "trace": "nowhere"}, "trace: nowhere does not exist"),
        ({"model": "inc", "gpu_memory_mb": 0}, "gpu_memory_mb: is 0; it must be a number greater than 0"),
        ({"model": "inc", "gpu_memory_mb": float("nan")}, "gpu_memory_mb: is nan; it must be a number"),
        ({"model": "inc", "instance_memory_mb": 500}, "instance_memory_mb: limits nothing without gpu_memory_mb; give"),
        ({"model": "vgg", "gpu_memory_mb": 400}, r"layer_memory_mb\[5\]: is 494.57.*more than the 400 MB of a GPU"),
        (
            {"model": "inc", "gpu_memory_mb": 400, "instance_memory_mb": 500},
            "instance_memory_mb: is 500, more than the",
        ),
        ({"model": "inc", "gpu_instances": 0}, "gpu_instances: is 0; it must be a whole number from 1 to 1000000"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        list(draw_instances("fleets", 1, 0, settings))


@pytest.mark.skipif(not MEASURED.is_dir(), reason="no measured traces here")
@pytest.mark.parametrize("folder", ["5g", "5g_uplink"])
def test_measured_traces_are_replayed(folder):
    traces = read_traces(MEASURED / folder)
    assert len(traces) >= 24
    assert all(trace and min(trace) >= 0 for trace in traces)
    clients = draw_clients(find_model("vgg"), 10, 0, traces=traces)
    assert len(fleet_now("f", clients).fragments) == 10
