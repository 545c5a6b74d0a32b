"""The simulator held against hardware: what goes in, the rules, the search, clients, and the whole study in small."""

import math
from collections import Counter
from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest

from euclio.cli import main
from euclio.core.folders import data_dir
from euclio.experiments.results.tables import load
from euclio.files.json_reading import read_json
from euclio.workloads.session.mlperf import durations_s
from studies.mlperf.choices import PARAMETERS, TRIED
from studies.mlperf.inputs import PERCENTILES, Kind, accelerator, analyzer_runs, cases
from studies.mlperf.measures import by_case, group_errors, held_against, median_errors, reached, within
from studies.mlperf.rules import (
    BEFORE,
    CONFIGURED,
    RULES,
    SWEPT,
    Batching,
    Rule,
    StreamSharing,
    Varying,
    at_a_time,
    modelled,
    noise,
    offline_batch,
    streams,
    timeout_s,
    variation,
)
from studies.mlperf.serving import FINE, among_clients, capacities, compared, largest_load, machine_of, served, sessions
from studies.page_builder import reproduce
from studies.papers.published import published_figures

SHORT = 0.02
"""Share of MLPerf's shortest run that tests simulate."""


def case(name: str):
    (found,) = [one for one in cases() if one.name == name]
    return found


RESNET = case("resnet50 on A100 1g.10gb, TensorRT v2.1")
BERT = case("bert-99 on L4, TensorRT v3.0")


def rule(**changes: object) -> Rule:
    return replace(CONFIGURED, **changes)


# What goes in


def test_there_are_23_servers_in_14_groups_and_5_classes() -> None:
    assert len(cases()) == 23
    assert len({one.group for one in cases()}) == 14
    assert len({one.name for one in cases()}) == 23
    assert Counter(one.kind for one in cases()) == {
        Kind.ONE: 5,
        Kind.SLICE: 4,
        Kind.WHOLE: 2,
        Kind.SENTENCES: 8,
        Kind.RECORDINGS: 4,
    }


def test_published_figures_are_those_of_the_results() -> None:
    published = {figure.key: figure for figure in published_figures("mlperf")}
    assert set(published) == {f"{one.key}_{name}" for one in cases() for name in PERCENTILES}
    for one in cases():
        for name, measured in one.on_hardware_s.items():
            assert published[f"{one.key}_{name}"].value == pytest.approx(measured, rel=1e-9)
    assert {figure.role for figure in published.values()} == {"check"}


def test_settings_name_a_result_each_and_their_source() -> None:
    settings = read_json(str(data_dir() / "mlperf" / "settings.json"))["settings"]
    assert len(settings) == 23
    assert all(entry["source"].startswith("mlcommons/inference_results_v") for entry in settings)
    stated = {one.name for one in cases() if not one.stated}
    assert stated == {
        "bert-99 on A2, TensorRT v2.1",
        "bert-99 on L4, TensorRT v3.0",
        "rnnt on A100 1g.10gb, TensorRT v2.1",
        "rnnt on A2, TensorRT v2.1",
        "rnnt on A30 1g.6gb, TensorRT v2.0",
        "rnnt on L4, TensorRT v3.0",
    }


@pytest.mark.parametrize(
    ("name", "short"),
    [("NVIDIA A100-SXM-80GB (1x1g.10gb MIG)", "A100 1g.10gb"), ("NVIDIA L4", "L4"), ("NVIDIA T4", "T4")],
)
def test_accelerators_have_short_names(name: str, short: str) -> None:
    assert accelerator(name) == short


# Rules


def test_every_rule_has_a_name_and_changes_one_thing() -> None:
    assert len({one.label for one in (*RULES, *SWEPT)}) == len(RULES) + len(SWEPT)
    names = [field.name for field in fields(Rule) if field.name not in {"label", "answer"}]
    for one in (*RULES[1:], *SWEPT, *TRIED):
        changed = sum(getattr(one, name) != getattr(CONFIGURED, name) for name in names)
        assert changed == 1 or one == BEFORE or one in TRIED


def test_the_machine_has_the_profile_of_the_results() -> None:
    session, plan = modelled(RESNET, CONFIGURED)
    (module,) = session.modules
    assert [c.batch for c in module.profile] == list(range(1, 9))
    assert [c.duration_s for c in module.profile] == list(durations_s(RESNET.result, 8))
    assert float(session.slo_s) == RESNET.bound_s == 0.015
    (allocation,) = plan.modules[0].allocations
    assert (allocation.machines, allocation.configuration) == (1, module.profile[-1])


def test_streams_that_always_share_are_as_many_times_slower() -> None:
    (module,) = modelled(BERT, rule(sharing=StreamSharing.ALWAYS))[0].modules
    (alone,) = modelled(BERT, rule(sharing=StreamSharing.ONE))[0].modules
    assert {c.concurrency for c in module.profile} == {2}
    assert [c.duration_s for c in module.profile] == [2 * c.duration_s for c in alone.profile]
    assert module.rate_rps == alone.rate_rps
    assert float(modelled(BERT, BEFORE)[0].modules[0].rate_rps) == pytest.approx(1032.08, rel=1e-6)
    assert streams(BERT, BEFORE) is None is streams(RESNET, CONFIGURED)


def test_streams_of_a_whole_accelerator_reach_offlines_throughput() -> None:
    """RetinaNet on the L4: full batches of one stream are 163 per second, Offline has 179.5; on slices it is one."""
    retinanet = case("retinanet on L4, TensorRT v3.0")
    one, filled = (float(modelled(retinanet, rule(filled=f))[0].modules[0].rate_rps) for f in (0.0, 1.0))
    assert one == pytest.approx(2 / float(durations_s(retinanet.result, 2)[1]))
    assert filled == pytest.approx(179.492, rel=1e-6)
    found = streams(retinanet, CONFIGURED)
    assert found is not None
    assert found.number == 2
    assert found.shares[1] == pytest.approx(one / filled)
    on_slice = streams(case("resnet50 on A30 1g.6gb, TensorRT v2.0"), CONFIGURED)
    assert on_slice is not None
    assert set(on_slice.shares) == {1.0}


def test_two_batches_of_recordings_are_under_way() -> None:
    rnnt = case("rnnt on L4, TensorRT v3.0")
    assert [at_a_time(rnnt, one) for one in (CONFIGURED, rule(under_way=1), rule(sharing=StreamSharing.ONE))] == [
        2,
        1,
        1,
    ]
    assert at_a_time(BERT, CONFIGURED) == 2


def test_offlines_throughput_may_take_larger_batches() -> None:
    """Of sentences it is the limit, as Offline's batches are many times the server's; of others the largest one."""
    assert [offline_batch(BERT, one) for one in (CONFIGURED, *SWEPT)] == [10**4, 16, 32, 64, 256, 10**4]
    assert offline_batch(RESNET, CONFIGURED) == 8
    slowest = [modelled(BERT, one)[0].modules[0].profile[-1].duration_s for one in SWEPT]
    assert slowest == sorted(slowest)
    single = float(BERT.result.single_stream_ms.p50) / 1000
    assert float(slowest[-1]) / 2 == pytest.approx(single + 15 / 1032.08, rel=1e-2)


def test_timeouts_are_those_of_the_harness() -> None:
    """BERT on the L4 states none, and its harness takes what is there; Triton waits up to a second."""
    assert [timeout_s(RESNET, rule(batching=one)) for one in Batching] == [0.001, 0.001, 0.0, math.inf]
    assert [timeout_s(BERT, rule(batching=one)) for one in Batching] == [0.0, 0.01, 0.0, math.inf]
    assert timeout_s(case("bert-99 on A30 1g.6gb, TensorRT v2.0"), CONFIGURED) == 0.05
    triton = case("ssd-resnet34 on A100 1g.10gb, Triton v2.0")
    assert [timeout_s(triton, one) for one in (CONFIGURED, BEFORE)] == [1.0, 0.001]


def test_batches_vary_less_than_single_inputs() -> None:
    single = BERT.result.single_stream_ms
    sigma = math.log(float(single.p90 / single.p50)) / 1.2815515655446004
    assert variation(BERT) == pytest.approx(math.sqrt(math.exp(sigma**2) - 1))
    found = [noise(BERT, rule(varying=varying)) for varying in (Varying.NOT, Varying.AVERAGED, Varying.TOGETHER)]
    assert found == [0, pytest.approx(variation(BERT) / 4), variation(BERT)]


# Serving


def test_the_same_seed_gives_the_same_percentiles() -> None:
    machine = machine_of(RESNET, CONFIGURED, SHORT)
    assert machine.under(3000, 1) == machine.under(3000, 1) != machine.under(3000, 2)


def test_little_load_waits_for_the_timeout_and_no_longer() -> None:
    machine = machine_of(RESNET, CONFIGURED, SHORT)
    found = machine.under(1, 0)
    alone = float(durations_s(RESNET.result, 8)[0])
    assert found["mean_batch"] == pytest.approx(1, abs=0.01)
    assert found["p50"] == pytest.approx(RESNET.timeout_s + alone, rel=2e-3)
    assert machine_of(RESNET, rule(batching=Batching.PULL), SHORT).under(1, 0)["p50"] == pytest.approx(alone, rel=2e-3)


def test_full_batches_are_full() -> None:
    found = machine_of(RESNET, rule(batching=Batching.FULL), SHORT).under(2000, 0)
    assert found["mean_batch"] == pytest.approx(8, rel=1e-3)


@pytest.mark.parametrize("limit", [0, 1, 49, 50, 333, 949, 951, 999, 1000])
def test_the_largest_load_is_found_to_a_thousandth(limit: int) -> None:
    found = largest_load(7.0, lambda load: load <= 7.0 * limit / FINE + 1e-9)
    assert found == pytest.approx(7.0 * limit / FINE if limit >= 50 else 0.0)


def test_a_gap_at_little_load_is_no_limit() -> None:
    """Full batches miss the bound where few requests come; the largest load is looked for from above."""
    assert largest_load(1.0, lambda load: 0.4 <= load <= 0.8) == pytest.approx(0.8)


def test_a_server_is_measured_with_every_seed() -> None:
    session, _ = modelled(RESNET, CONFIGURED)
    rows = served(session, RESNET.name, "as configured", [3, 4], SHORT)
    assert [row["seed"] for row in rows] == [3, 4]
    assert rows[0]["p50"] != rows[1]["p50"]
    assert rows[0]["largest_rps"] == rows[1]["largest_rps"]
    assert rows[0]["p50"] < rows[0]["p90"] < rows[0]["p99"] < RESNET.bound_s
    assert RESNET.submitted_rps < rows[0]["largest_rps"] <= rows[0]["capacity_rps"]
    assert rows[0]["p99_less"] < rows[0]["p99"] < rows[0]["p99_more"]
    (other,) = served(session, RESNET.name, "full batches", [3], SHORT)
    assert "largest_rps" not in other


# Clients


def test_triton_formed_no_batches() -> None:
    """The rate of a saturated server does not depend on the largest batch; the printed throughput misses most."""
    rates = capacities().groupby(["model", "instances"]).saturated_per_s
    assert (rates.max() / rates.min()).max() < 1.06
    saturated = analyzer_runs()[lambda runs: runs.clients == 1024]
    assert (saturated.throughput_per_s < 0.4 * saturated.through_latency_per_s).all()


def test_clients_of_a_saturated_server_wait_for_each_other() -> None:
    session = next(s for s in sessions() if s.name == "vgg19, 2 × batch 4")
    rate = float(session.modules[0].rate_rps)
    rows = {row["clients"]: row for row in among_clients(session, 0, SHORT)}
    assert sorted(rows) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    assert rows[1]["simulated_mean"] == pytest.approx(2 / rate, rel=1e-3)
    assert rows[16]["simulated_p99"] == pytest.approx(16 / rate, rel=1e-3)
    assert rows[16]["simulated_per_s"] == pytest.approx(rate, rel=1e-2)


def test_errors_are_of_what_was_predicted_only() -> None:
    rows = [{"instance": s.name, **row} for s in sessions()[:18] for row in among_clients(s, 0, SHORT)]
    found = compared(pd.DataFrame(rows))
    assert 1024 not in set(found.clients)
    busy = found[(found.clients >= 2 * found.instances) & (found.clients < 512)]
    assert busy.error_mean.abs().median() < 0.03
    idle = found[(found.instances == 2) & (found.clients == 1)]
    one = found[(found.instances == 1) & (found.clients == 1)].simulated_mean
    assert (1000 * one.min() / idle.latency_mean_ms - 1).min() <= idle.error_mean_of_used.min()


# Measures


def rows_of(errors: dict[str, float]) -> pd.DataFrame:
    """Rows of all servers, simulated by so much more than measured."""
    return pd.DataFrame(
        [
            {
                "case": one.name,
                "rule": "as configured",
                "seed": seed,
                **{p: measured * (1 + errors[p]) for p, measured in one.on_hardware_s.items()},
                "mean_batch": 1.0,
                "largest_rps": one.submitted_rps * (1.0 if one.batch < 100 else 0.9),
                "capacity_rps": 1.0,
            }
            for one in cases()
            for seed in (0, 1)
        ]
    )


def test_errors_are_relative_to_what_was_measured() -> None:
    servers = rows_of({"p50": 0.5, "p90": -0.25, "p99": 0.0})
    held = held_against(servers, "as configured")
    assert group_errors(held).tolist() == pytest.approx([0.5, 0.25, 0.0])
    assert median_errors(held).tolist() == pytest.approx([0.5, 0.25, 0.0])
    assert within(held, 0.3) == {"p50": 0, "p90": 23, "p99": 23}
    assert reached(held) == 19
    assert by_case(servers)[RESNET.name]["p50"] == pytest.approx(1.5 * RESNET.on_hardware_s["p50"])


@pytest.mark.slow
def test_the_study_in_small(tmp_path, capsys) -> None:
    page = reproduce("mlperf", tmp_path, workloads=1, jobs=1)
    html = page.read_text(encoding="utf-8")
    assert "When to trust a predicted latency: its error by class of server" in html
    assert "When to trust a latency: not near the capacity" in html
    assert "Limits of the model" in html
    out = capsys.readouterr().out
    assert "69 printed numbers" in out
    servers, how = load(tmp_path / "servers.parquet")
    assert how["length"] == 0.01
    assert len(servers) == 23 * (len(RULES) + len(SWEPT) + 4)
    assert np.isfinite(servers[[*PERCENTILES, "capacity_rps"]]).all(axis=None)
    assert set(servers[servers.largest_rps.notna()].rule) == {"as configured", "as before"}
    assert len(load(tmp_path / "tried.parquet")[0]) == sum(len(p.servers) * len(p.values) for p in PARAMETERS)
    assert len(load(tmp_path / "clients.parquet")[0]) == 920
    assert len(load(tmp_path / "scorecard.parquet")[0]) == 69


def test_the_help_says_how_much_is_run(capsys) -> None:
    assert main(["reproduce", "--help"]) == 0
    assert "mlperf 100 (per cent of its runs)" in " ".join(capsys.readouterr().out.split())
