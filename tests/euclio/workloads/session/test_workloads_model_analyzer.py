"""Profiles from model-analyzer's table and checkpoint: what is read, what is left out and said, what is refused."""

import json

import pytest

from euclio.cli import main
from euclio.problems.session import Configuration
from euclio.workloads.session.csv_profiles import read_profiles

HEADER = (
    "Model,Batch,Concurrency,Model Config Path,Instance Group,Max Batch Size,Satisfies Constraints,"
    "Throughput (infer/sec),p99 Latency (ms)\n"
)
# The default table: without times in the server. Config 0 holds one request at most, config 1 eight.
TABLE = (
    HEADER
    + "detect,4,4,detect_config_0,1:GPU,4,Yes,200.0,85.0\n"
    + "detect,4,2,detect_config_0,1:GPU,4,Yes,198.0,43.0\n"
    + "detect,4,1,detect_config_0,1:GPU,4,Yes,160.0,27.0\n"
    + "detect,4,8,detect_config_1,2:GPU,8,Yes,250.0,140.0\n"
    + "detect,1,2,detect_config_2,2/GPU,1,No,100.0,26.0\n"
    + "\n"
)
TIMES = "Server Compute Infer time (ms),Server Compute Input time (ms),Server Compute Output time (ms)"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.csv").write_text(TABLE, encoding="utf-8")
    return tmp_path


def imported(*arguments):
    return main(["import", "model-analyzer", *arguments, "--hardware", "L4", "--out", "p.csv"])


def test_what_a_table_says_and_what_it_does_not(folder, capsys):
    assert imported("m.csv") == 0
    out, err = capsys.readouterr()
    assert out == "p.csv\n"
    assert err == (
        "euclio: detect_config_1 left out: may have put requests together (no times in the server are given that are "
        "long enough to tell); if there was no dynamic batching, say --no-dynamic-batching\n"
    )
    assert read_profiles("p.csv") == {
        "detect": (Configuration("L4", 1, 2, "0.02"), Configuration("L4", 4, 1, "0.02")),
    }


def test_a_known_server_is_taken(folder, capsys):
    assert imported("m.csv", "--no-dynamic-batching") == 0
    assert capsys.readouterr().err == ""
    assert read_profiles("p.csv")["detect"][-1] == Configuration("L4", 4, 2, "0.032")


def test_columns_are_found_by_name_and_times_show_whether_requests_were_put_together(folder, capsys):
    (folder / "m.csv").write_text(
        f"Throughput (infer/sec),{TIMES},Model,Concurrency,Batch,Instance Group\n"
        "250.0,30.9,0.9,0.1,detect,8,4,2:GPU\n"
        "250.0,61.0,0.9,0.1,detect,8,4,1:GPU\n"
    )
    assert imported("m.csv") == 0
    assert capsys.readouterr().err == (
        "euclio: detect left out: had 3.88 requests at work per instance at concurrency 8: the server put requests "
        "together, or runs more instances; say how many, or measure without dynamic batching\n"
    )
    assert read_profiles("p.csv") == {"detect": (Configuration("L4", 4, 2, "0.032"),)}


def test_short_times_are_rounded_too_much_to_tell(folder, capsys):
    text = HEADER.strip() + f",{TIMES}\ndetect,1,2,c,1:GPU,8,Yes,2000.0,1.0,0.4,0.0,0.1\n"
    (folder / "m.csv").write_text(text)
    assert imported("m.csv") == 2
    assert "no times in the server are given that are long enough to tell" in capsys.readouterr().err


def test_of_several_model_configurations_the_fastest_counts(folder):
    (folder / "m.csv").write_text(
        HEADER + "detect,1,2,slow,1:GPU,1,Yes,50.0,1.0\ndetect,1,2,fast,1:GPU,1,Yes,80.0,1.0\n"
    )
    assert imported("m.csv") == 0
    assert read_profiles("p.csv") == {"detect": (Configuration("L4", 1, 1, "0.0125"),)}


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        (
            TABLE.replace("detect,1,2", "classify,1,2"),
            [],
            "--model: is missing; m.csv has detect, classify",
        ),
        (TABLE, ["--model", "other"], "--model: is 'other'; m.csv has detect"),
        (
            TABLE.replace("Model,Batch,", "Model,"),
            [],
            "m.csv: line 1: lacks column 'Batch'; add batch_size to inference_output_fields of model-analyzer",
        ),
        (
            TABLE.replace("Concurrency", "Request Rate"),
            [],
            "m.csv: line 1: gives Request Rate: how many requests were outstanding is not known; search over "
            "concurrency",
        ),
        (HEADER, [], "m.csv: has no measurement that can be used: none"),
        (
            HEADER + 'a and b,"1,1","2,2","a_0,b_0","1:GPU,1:GPU","1,1",Yes,"30.0, [10.0,20.0]",9.0\n',
            [],
            "m.csv: has no measurement that can be used: 1 measurement left out: several models were measured together",
        ),
        (
            HEADER + "detect,1,2,c,1:GPU + 1:CPU,1,Yes,30.0,9.0\n",
            [],
            "m.csv: has no measurement that can be used: 1 measurement left out: instance group '1:GPU + 1:CPU' is not "
            "one of GPU or of CPU",
        ),
        (
            HEADER + "detect,1,2,c,1:GPU,1,Yes,0.0,9.0\n",
            [],
            "m.csv: line 2, Throughput (infer/sec): is '0.0'; it must be a decimal number greater than 0, such as "
            "0.025",
        ),
        (
            HEADER + "detect,1,2,c,5:GPU,1,Yes,30.0,9.0\n",
            [],
            "m.csv: c left out: keeps at most 2 requests outstanding, which leaves some of 5 instances idle; measure "
            "with a concurrency of 5 or more, best of 10",
        ),
    ],
)
def test_what_cannot_be_known_is_refused_in_one_line(folder, capsys, text, options, expected):
    (folder / "m.csv").write_text(text)
    assert imported("m.csv", *options) == 2
    assert capsys.readouterr().err == f"euclio: {expected}\n"


def measurement(batch, clients, rate, compute_ms, gpus=1, memory=()):
    values = {
        "perf_throughput": rate,
        "perf_latency_p99": 40.0,
        "perf_server_queue": 15.5,
        "perf_server_compute_infer": compute_ms,
        "perf_server_compute_input": 0.9,
        "perf_server_compute_output": 0.1,
    }
    return {
        "_model_variants_name": "any",
        "_gpu_data": {
            f"GPU-{gpu}": [["gpu_used_memory", {"_value": megabytes, "_timestamp": 0}] for megabytes in memory]
            for gpu in range(gpus)
        },
        "_model_config_measurements": [
            {
                "_model_config_name": "any",
                "_model_specific_pa_params": {"batch-size": batch, "concurrency-range": clients},
                "_non_gpu_data": [[tag, {"_value": value, "_timestamp": 0}] for tag, value in values.items()],
            }
        ],
    }


def run(*, dynamic=False, **config):
    batching = {"dynamicBatching": {}} if dynamic else {}
    return {"_model_run_configs": [{"_model_config": {"maxBatchSize": 8, **batching, **config}}]}


def checkpoint(path, variants):
    results = {"detect": {name: [config, dict(enumerate(rows))] for name, (config, rows) in variants.items()}}
    path.write_text(json.dumps({"ResultManager.results": {"_results": results}, "MetricsManager.gpus": {}}))


def test_a_checkpoint_says_more(folder, capsys):
    checkpoint(
        folder / "0.ckpt",
        {
            "default": (run(), [measurement(4, 1, 160.0, 19.0), measurement(4, 2, 198.0, 19.0)]),
            "two": (run(instanceGroup=[{"count": 2, "kind": "KIND_GPU"}]), [measurement(4, 8, 250.0, 29.0)]),
            "dynamic": (run(dynamic=True), [measurement(4, 8, 400.0, 35.0)]),
            "small": (run(dynamic=True, maxBatchSize=7), [measurement(5, 8, 200.0, 23.0)]),
        },
    )
    assert imported("0.ckpt") == 0
    assert capsys.readouterr().err == (
        "euclio: dynamic left out: had 3.6 requests at work per instance at concurrency 8: the server put requests "
        "together, or runs more instances; say how many, or measure without dynamic batching\n"
    )
    assert read_profiles("p.csv") == {
        "detect": (
            Configuration("L4", 4, 1, "0.020202021"),
            Configuration("L4", 4, 2, "0.032"),
            Configuration("L4", 5, 1, "0.025"),
        )
    }


def test_the_memory_in_use_comes_along(folder):
    rows = [measurement(4, 2, 198.0, 19.0, memory=[847.249408]), measurement(4, 4, 196.0, 19.0, memory=[901.5])]
    checkpoint(folder / "0.ckpt", {"default": (run(), rows)})
    assert imported("0.ckpt") == 0
    assert (folder / "p.csv").read_text() == (
        "module,hardware,batch,concurrency,duration_s,memory_mb\ndetect,L4,4,1,0.020202021,901.5\n"
    )


def test_measurements_of_several_machines_or_models_are_left_out_of_a_checkpoint(folder, capsys):
    ensemble = run()
    ensemble["_model_run_configs"][0]["_ensemble_composing_configs"] = [{}]
    by_rate = measurement(1, None, 10.0, 9.0)
    mixed = [{"kind": "KIND_GPU"}, {"kind": "KIND_CPU"}]
    checkpoint(
        folder / "0.ckpt",
        {
            "good": (run(), [measurement(1, 2, 100.0, 8.0)]),
            "gpus": (run(), [measurement(1, 2, 100.0, 8.0, gpus=2)]),
            "whole": (ensemble, [measurement(1, 2, 100.0, 8.0)]),
            "rates": (run(), [by_rate]),
            "idle": (run(), [measurement(1, 2, 0.0, 8.0)]),
            "mixed": (run(instanceGroup=mixed), [measurement(1, 2, 100.0, 8.0)]),
        },
    )
    assert imported("0.ckpt") == 0
    assert capsys.readouterr().err == (
        "euclio: 1 measurement left out: several GPUs were at work\n"
        "euclio: 1 measurement left out: an ensemble is several models; measure each of them\n"
        "euclio: 1 measurement left out: a request rate was kept, not a concurrency\n"
        "euclio: 1 measurement left out: nothing was answered\n"
        "euclio: 1 measurement left out: instances ran on GPU and CPU at once\n"
    )
    assert read_profiles("p.csv") == {"detect": (Configuration("L4", 1, 1, "0.01"),)}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([], "is no checkpoint of model-analyzer that is known"),
        ({"ResultManager.results": {}}, "is no checkpoint of model-analyzer that is known ('_results')"),
        (
            {"ResultManager.results": {"_results": {"detect": {"a": [{}, {"0": {}}]}}}},
            "is no checkpoint of model-analyzer that is known ('_model_run_configs')",
        ),
    ],
)
def test_other_json_is_no_checkpoint(folder, capsys, value, expected):
    (folder / "0.ckpt").write_text(json.dumps(value))
    assert imported("0.ckpt") == 2
    err = capsys.readouterr().err
    assert err.startswith(f"euclio: 0.ckpt: {expected}")
    assert err.endswith("; give metrics-model-inference.csv\n")
    assert err.count("\n") == 1
