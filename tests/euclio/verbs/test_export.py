"""`euclio export`: files that the parsers of the serving systems take, and what is refused."""

import csv
import io
import json
import re
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
import tiny_clusters
import yaml
from pydantic import BaseModel, ConfigDict
from worked_examples import module_plan, one_module, plan

from euclio.cli import main
from euclio.core.families import families
from euclio.core.registry import Solver
from euclio.core.result import Answer
from euclio.core.solving import solve
from euclio.export.servers import _yaml_text
from euclio.files import save_instance, save_result
from euclio.problems.session import Configuration, Hardware, Module, Plan, Session

KINDS = {
    "triton": (),
    "kubernetes": ("--image", "registry/{module}:1", "--router", "own"),
    "ray-serve": ("--import-path", "serving:app", "--router", "own"),
    "csv": (),
}
FILES = tuple(kind for kind in KINDS if kind != "triton")


def session(cpu="CPU"):
    """Detect at 300 req/s on A100s, then a module with an odd name on a CPU and an A100."""
    a100, slow = Hardware("A100", "3.2"), Hardware(cpu, "0.2")
    detect = [Configuration("A100", 16, 2, "0.2"), Configuration(cpu, 1, 1, "0.125")]
    classify = [Configuration("A100", 4, 1, "0.05"), Configuration(cpu, 2, 2, "0.2")]
    modules = [Module("Detect", 300, detect), Module('# "it" 1.0', 50, classify)]
    return Session("two: models", "0.6", [a100, slow], modules, [("Detect", '# "it" 1.0')])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The session and its plan: Detect on 1 + 0.875 A100, the other on one CPU and 0.375 A100."""
    monkeypatch.chdir(tmp_path)
    keep(session())
    return tmp_path


def keep(instance):
    first, second = instance.modules
    cpu = instance.hardware[1].name
    own = module_plan(first, (16, 1, "A100"), partial=140), module_plan(second, (2, 1, cpu), (4, 0, "A100"), partial=30)
    keep_plan(instance, Plan(own))


def keep_plan(instance, made, **space):
    solver = Solver(
        "fixed",
        "heuristic",
        "a fixed plan",
        lambda session, asked, limits: Answer(made, "done"),
        covers=frozenset({"whole", "packed", "stock", "shares"}),
    )
    result = solve(instance, solver, dummy="none", **space)
    assert result.value is not None, result.reason
    save_instance(instance, "session.json")
    save_result(result, instance, "result.json")


def export(capsys, kind, *options):
    code = main(["export", "session.json", "result.json", "--to", kind, *KINDS[kind], *map(str, options)])
    out, err = capsys.readouterr()
    assert code == 0
    assert err.count("\n") <= 1
    return out


def refused(capsys, *arguments):
    code = main(["export", *map(str, arguments)])
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return code, err


@pytest.mark.slow
def test_kubernetes_takes_the_manifests(capsys, folder):
    kubernetes = pytest.importorskip("kubernetes_validate")
    documents = list(yaml.safe_load_all(export(capsys, "kubernetes")))
    for document in documents:
        kubernetes.validate(document, "1.33", strict=True)
    deployments = [d for d in documents if d["kind"] == "Deployment"]
    services = {d["metadata"]["name"]: d["spec"]["selector"] for d in documents if d["kind"] == "Service"}
    assert [d["spec"]["replicas"] for d in deployments] == [1, 1, 1, 1]
    for deployment in deployments:
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        assert services[deployment["metadata"]["name"]].items() <= labels.items()
        assert deployment["spec"]["selector"]["matchLabels"].items() <= labels.items()
    pods = [d["spec"]["template"]["spec"] for d in deployments]
    assert [pod["nodeSelector"]["euclio/hardware"] for pod in pods] == ["A100", "A100", "CPU", "A100"]
    assert [("resources" in pod["containers"][0], "affinity" in pod) for pod in pods] == [
        (True, False),
        (True, False),
        (False, True),
        (True, False),
    ]
    settings = [{e["name"]: e["value"] for e in pod["containers"][0]["env"]} for pod in pods]
    assert settings[0] == {
        "GROUP": "detect-1",
        "MAX_BATCH_SIZE": "16",
        "INSTANCE_COUNT": "2",
        "MAX_QUEUE_DELAY_MICROSECONDS": "53333",
    }
    assert [pod["containers"][0]["image"] for pod in pods[1:3]] == ["registry/detect:1", "registry/it-1-0:1"]


def test_triton_takes_the_model_configurations(capsys, folder):
    """Detect gathers 16/300 s and 16/140 s, the other 2/50 s and 4/30 s."""
    configurations = pytest.importorskip("tritonclient.grpc.model_config_pb2")
    text_format = pytest.importorskip("google.protobuf.text_format")
    paths = export(capsys, "triton", "--out", folder / "new" / "models").split()
    found = []
    for path in sorted(folder.glob("new/models/*/*/config.pbtxt")):
        model = text_format.Parse(path.read_text(encoding="utf-8"), configurations.ModelConfig())
        assert model.name == path.parent.name
        (group,) = model.instance_group
        batching = model.dynamic_batching
        assert list(batching.preferred_batch_size) == [model.max_batch_size]
        assert list(group.gpus) == ([0] if group.kind == group.KIND_GPU else [])
        found.append((path.parents[1].name, model.max_batch_size, group.count, batching.max_queue_delay_microseconds))
    assert found == [
        ("detect-1", 16, 2, 53333),
        ("detect-2", 16, 2, 114285),
        ("it-1-0-1", 2, 2, 40000),
        ("it-1-0-2", 4, 1, 133333),
    ]
    assert len(paths) == 4


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _ActorOptions(_Strict):
    num_gpus: int
    resources: dict[str, int]


class _Deployment(_Strict):
    name: str
    num_replicas: int
    max_ongoing_requests: int
    user_config: dict[str, float]
    ray_actor_options: _ActorOptions


class _Application(_Strict):
    name: str
    route_prefix: str
    import_path: str
    deployments: list[_Deployment]


class _Config(_Strict):
    """The fields of a config file of Ray Serve, as its documentation names them."""

    applications: list[_Application]


def test_ray_serve_has_the_documented_fields(capsys, folder):
    (application,) = _Config.model_validate(yaml.safe_load(export(capsys, "ray-serve"))).applications
    first = application.deployments[0]
    assert application.import_path == "serving:app"
    assert (first.name, first.num_replicas, first.max_ongoing_requests) == ("detect-1", 1, 48)
    assert first.user_config == {"max_batch_size": 16, "batch_wait_timeout_s": 0.053333, "max_concurrent_batches": 2}
    assert [one.ray_actor_options.num_gpus for one in application.deployments] == [1, 1, 0, 1]
    assert application.deployments[2].ray_actor_options.resources == {"machine-CPU": 1}


def test_ray_serve_takes_the_config_file(capsys, folder):
    schema = pytest.importorskip("ray.serve.schema")
    config = schema.ServeDeploySchema.model_validate(yaml.safe_load(export(capsys, "ray-serve")))
    assert [len(application.deployments) for application in config.applications] == [4]


def test_csv_has_a_row_for_every_group(capsys, folder):
    rows = list(csv.DictReader(io.StringIO(export(capsys, "csv"))))
    assert [(row["module"], row["order"], row["hardware"], row["machines"]) for row in rows] == [
        ("Detect", "1", "A100", "1"),
        ("Detect", "2", "A100", "1"),
        ('# "it" 1.0', "1", "CPU", "1"),
        ('# "it" 1.0', "2", "A100", "1"),
    ]
    for row in rows:
        parts = sum(float(row[name]) for name in ("gathering_s", "waiting_s", "duration_s"))
        assert float(row["worst_case_latency_s"]) == pytest.approx(parts)
    assert rows[0]["not_expressed"] == "order of dispatch; whole batches in a run"
    assert rows[3]["not_expressed"] == "order of dispatch; share of a machine"


@pytest.mark.parametrize("kind", ["kubernetes", "ray-serve"])
def test_what_cannot_be_expressed_is_said_in_the_file(capsys, folder, kind):
    said = " ".join(line.lstrip("# ") for line in export(capsys, kind).splitlines() if line.lstrip().startswith("#"))
    assert "cost 7.4 per hour as it is charged, 9.8 with every machine bought whole" in said
    assert "the dispatch: policy tc" in said
    assert "2 machines (detect-2 and it-1-0-2) would be busy in part only" in said
    assert 'Detect -> # "it" 1.0' in said
    assert "dummy" not in said


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("tc", "whole batches have to be sent to 1 group of machines (m-1); a load balancer that spreads"),
        ("machine-rate", ""),
    ],
)
def test_groups_that_a_load_balancer_would_overload_are_named(capsys, tmp_path, monkeypatch, policy, words):
    """M_3 at 198 req/s: four machines gather 32 requests in 32/198 s if these come in a run, else in 32/40 s."""
    monkeypatch.chdir(tmp_path)
    instance = one_module([(32, "0.8")], 198, 2)
    keep_plan(instance, plan(instance, (32, 4), partial=38), policy=policy)
    assert main(["export", "session.json", "result.json", "--to", "csv"]) == 0
    assert capsys.readouterr().err.startswith(f"euclio: {words}" if words else "")
    text = export(capsys, "kubernetes")
    assert ("CAN OVERLOAD THE MACHINES" in text, "as load balancers send them" in text) == (bool(words), not words)


def test_dummies_are_said_in_the_file(capsys, tmp_path, monkeypatch):
    """M at 198 req/s with 2 of dummies on five machines of batch 32."""
    monkeypatch.chdir(tmp_path)
    instance = one_module([(32, "0.8")], 198, 1)
    save_instance(instance, "session.json")
    save_result(solve(instance, "exact"), instance, "result.json")
    export(capsys, "triton", "--out", "models")
    text = (tmp_path / "models" / "m-1" / "M" / "config.pbtxt").read_text()
    assert "dummy requests: 2 req/s of module M are not sent" in " ".join(text.replace("#", " ").split())


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_plan_gives_the_same_bytes(capsys, folder, kind):
    texts = []
    for out in ("one.yaml", "two.yaml"):
        export(capsys, kind, "--out", out)
        files = sorted((folder / out).rglob("*.pbtxt")) if kind == "triton" else [folder / out]
        texts.append([file.read_bytes() for file in files])
    assert texts[0] == texts[1]
    assert texts[0]


@pytest.mark.parametrize("kind", FILES)
def test_what_is_printed_is_what_is_written(capsys, folder, kind):
    printed = export(capsys, kind)
    assert export(capsys, kind, "--out", "file.yml") == "file.yml\n"
    assert (folder / "file.yml").read_text(encoding="utf-8") == printed


def test_kubernetes_may_be_a_folder(capsys, folder):
    """`kubectl apply -f` takes a folder, and of it only what ends in .yaml, .yml or .json."""
    printed = export(capsys, "kubernetes")
    (folder / "there").mkdir()
    for out in ("new/k8s", "there"):
        assert export(capsys, "kubernetes", "--out", out) == f"{out}/manifests.yaml\n"
        assert (folder / out / "manifests.yaml").read_text(encoding="utf-8") == printed
    given = ("session.json", "result.json", "--to", "kubernetes", *KINDS["kubernetes"], "--out")
    expected = "euclio: --out: ends in '.txt'; name a file that ends in .yaml or .yml, or a folder\n"
    assert refused(capsys, *given, "plan.txt") == (2, expected)
    assert refused(capsys, *given, "there")[1].endswith("--out: is there and not empty; choose a new folder\n")


def test_hardware_without_a_gpu_can_be_named(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keep(session("epyc"))
    for options, gpus in (((), [1, 1, 1, 1]), (("--cpu", "epyc"), [1, 1, 0, 1])):
        (application,) = yaml.safe_load(export(capsys, "ray-serve", *options))["applications"]
        assert [one["ray_actor_options"]["num_gpus"] for one in application["deployments"]] == gpus


@pytest.fixture
def on_one_machine(tmp_path, monkeypatch):
    """Two modules that share a machine at 3 requests per second each; the profile of `b` has a concurrency of 2."""
    monkeypatch.chdir(tmp_path)
    modules = [Module(name, 3, [Configuration("gpu", k, k, f"0.{k}")]) for k, name in enumerate("ab", 1)]
    instance = Session("two", 2, [Hardware("gpu", 1)], modules, [])
    own = tuple(module_plan(module, (k, 0), partial=3) for k, module in enumerate(instance.modules, 1))
    keep_plan(instance, Plan(own, ((0, 1),)), charging="packed")


def test_a_shared_machine_is_one_repository_of_triton(capsys, on_one_machine):
    """One batch at a time: instances of both models name one resource, and there is one instance of each."""
    configurations = pytest.importorskip("tritonclient.grpc.model_config_pb2")
    text_format = pytest.importorskip("google.protobuf.text_format")
    paths = export(capsys, "triton", "--out", "m").split()
    assert paths == ["m/shared-1/a/config.pbtxt", "m/shared-1/b/config.pbtxt"]
    for path in paths:
        text = Path(path).read_text()
        (instances,) = text_format.Parse(text, configurations.ModelConfig()).instance_group
        assert instances.count == 1
        assert [(r.name, r.count) for r in instances.rate_limiter.resources] == [("machine", 1)]
        assert getattr(instances.rate_limiter.resources[0], "global")
        assert "--rate-limit=execution_count" in text


def test_a_shared_machine_is_one_pod_with_a_service_per_module(capsys, on_one_machine):
    text = export(capsys, "kubernetes", "--image", "r/{module}:1")
    pod, *services = yaml.safe_load_all(text)
    (container,) = pod["spec"]["template"]["spec"]["containers"]
    assert (pod["metadata"]["name"], pod["spec"]["replicas"], container["image"]) == ("shared-1", 1, "r/shared-1:1")
    assert {one["name"]: one["value"] for one in container["env"]} == {
        "GROUP": "shared-1",
        "MODELS": "a,b",
        "MAX_BATCH_SIZE": "1,2",
        "INSTANCE_COUNT": "1,1",
        "MAX_QUEUE_DELAY_MICROSECONDS": "333333,666666",
    }
    assert [service["metadata"]["name"] for service in services] == ["a-1", "b-1"]
    labels = pod["spec"]["template"]["metadata"]["labels"]
    assert all(service["spec"]["selector"].items() <= labels.items() for service in services)


def test_ray_serve_refuses_a_shared_machine_and_names_who_does_not(capsys, on_one_machine):
    code, err = refused(capsys, "session.json", "result.json", "--to", "ray-serve", "--import-path", "a:b")
    assert code == 2
    assert "modules a and b share machines, which --to ray-serve cannot express; give --to triton, kubernetes or" in err


def alike(names, hardware):
    """A session whose modules, and whose hardware, are called as given, each on a machine of its own."""
    machines = [Hardware(name, 1) for name in hardware]
    modules = [
        Module(name, 10, [Configuration(hardware[k % len(hardware)], k + 1, 1, Fraction(k + 1, 10))])
        for k, name in enumerate(names)
    ]
    instance = Session("alike", 9, machines, modules, [])
    own = tuple(module_plan(m, (m.profile[0].batch, 1, m.profile[0].hardware)) for m in modules)
    return instance, Plan(own)


ALIKE = ("a b", "a-b", "a/b", "A-B", "é", "日本", "CON", "nul.onnx", "x" * 71 + "1", "x" * 71 + "2")


def test_modules_that_would_be_called_alike_have_a_model_each(capsys, tmp_path, monkeypatch):
    """Modules that share nothing but how they would be called, on a disk that may not tell `A-B` from `a-b`."""
    monkeypatch.chdir(tmp_path)
    keep_plan(*alike(ALIKE, ["gpu"]))
    paths = export(capsys, "triton", "--out", "m").split()
    assert len({path.lower() for path in paths}) == len(ALIKE)
    texts = [(tmp_path / path).read_text() for path in paths]
    assert sorted(int(re.search(r"max_batch_size: (\d+)", text)[1]) for text in texts) == list(range(1, 1 + len(ALIKE)))
    folders = {path.split("/")[2] for path in paths}
    assert not {"a-b", "A-B"} & folders  # either is allowed, and a disk may take one for the other
    assert not {folder.partition(".")[0].lower() for folder in folders} & {"con", "nul"}


def test_models_that_share_a_machine_have_a_folder_each(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    profile = [Configuration("gpu", 1, 1, "0.1")]
    instance = Session("two", 1, [Hardware("gpu", 1)], [Module(name, 2, profile) for name in ("a b", "a/b", "a-b")], [])
    own = tuple(module_plan(module, (1, 0), partial=2) for module in instance.modules)
    keep_plan(instance, Plan(own, ((0, 1, 2),)), charging="packed")
    paths = export(capsys, "triton", "--out", "m").split()
    assert {path.rpartition("/")[0].rpartition("/")[0] for path in paths} == {"m/shared-1"}
    assert len(set(paths)) == len(list((tmp_path / "m").rglob("config.pbtxt"))) == 3


@pytest.mark.parametrize("kind", ["kubernetes", "ray-serve"])
@pytest.mark.parametrize(
    "hardware", [("T4 a", "T4-a"), ("G" * 70 + "1", "G" * 70 + "2"), ("é", "ü"), ("a b", "a-b", "a/b")]
)
def test_hardware_that_would_be_called_alike_stays_apart(capsys, tmp_path, monkeypatch, kind, hardware):
    """Else pods would go to another machine than was planned; the file and a line say what they are called."""
    monkeypatch.chdir(tmp_path)
    keep_plan(*alike([f"m{k}" for k in range(len(hardware))], hardware))
    assert main(["export", "session.json", "result.json", "--to", kind, *KINDS[kind]]) == 0
    text, said = capsys.readouterr()
    words = r"machine-(\S+): 1$" if kind == "ray-serve" else r"euclio/hardware: (\S+)$"
    found = re.findall(words, text, re.MULTILINE)
    assert len(set(found)) == len(found) == len(hardware)
    remarks = " ".join(line.strip(" #") for line in text.splitlines() if line.lstrip().startswith("#"))
    for name, target in zip(hardware, found, strict=True):
        assert name == target or f'"{name}" is {"machine-" * (kind == "ray-serve")}{target}' in remarks
        assert name == target or name in said


def test_names_that_nothing_is_called_like_are_as_they_were(capsys, folder):
    """Scripts know them: no digits, and nothing on standard error that speaks of names."""
    assert (
        main(
            ["export", "session.json", "result.json", "--to", "kubernetes", "--image", "{module}:1", "--router", "own"]
        )
        == 0
    )
    text, said = capsys.readouterr()
    assert re.findall(r"image: (\S+)", text)[1:3] == ['"detect:1"', '"it-1-0:1"']
    assert "hash" not in said


def test_a_cell_that_a_spreadsheet_would_run_is_quoted(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ('=HYPERLINK("http://x")', "+a", "-a", "@a", "a=b")
    keep_plan(*alike(names, ["=gpu"]))
    rows = list(csv.DictReader(io.StringIO(export(capsys, "csv"))))
    assert [row["module"] for row in rows] == [*(f"'{name}" for name in names[:4]), "a=b"]
    assert {row["hardware"] for row in rows} == {"'=gpu"}
    assert [row["max_batch_size"] for row in rows] == list("12345")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--to", "kubernetes"), "--image: is missing; give the image of the containers"),
        (("--to", "ray-serve"), "--import-path: is missing; give where the application stands"),
        (("--to", "triton"), "--out: is missing; --to triton writes several files, give a folder"),
        (("--to", "triton", "--out", "."), "--out: is there and not empty; choose a new folder"),
        (("--to", "triton", "--out", "result.json"), "is there and not empty"),
        (("--to", "csv", "--image", "x"), "--image: is an option of --to kubernetes; leave it out"),
        (("--to", "csv", "--cpu", "A100"), "--cpu: is an option of --to triton, kubernetes or ray-serve; leave it"),
        (("--to", "csv", "--out", "result.json"), "--out: is read by this command, and would be lost"),
        (("--to", "triton", "--out", "m", "--cpu", "V100"), "--cpu: unknown hardware 'V100'; known: A100, CPU"),
        (("--to", "kubernetes", "--image", "x", "--node-label", "a b"), "'a b' is no key of a Kubernetes label"),
        (("--to", "swarm"), "invalid choice: 'swarm'"),
        ((), "--to"),
    ],
)
def test_what_is_missing_or_wrong_is_one_line(capsys, folder, options, words):
    code, err = refused(capsys, "session.json", "result.json", *options)
    assert code == 2
    assert words in err


def test_a_plan_of_a_changed_session_is_exported_as_one_of_it(capsys, folder):
    """The session in the file has twice the rates, and the result says that it is of half of them."""
    data = json.loads((folder / "session.json").read_text())
    for module in data["modules"]:
        module["rate_rps"] *= 2
    (folder / "session.json").write_text(json.dumps(data))
    result = json.loads((folder / "result.json").read_text())
    (folder / "result.json").write_text(json.dumps(result | {"changes": {"rate_rps": 300}}))
    assert "Plan of session two: models by fixed, with rate 300 req/s: cost 7.4" in export(capsys, "kubernetes")


def test_a_wrong_result_is_not_exported(capsys, folder):
    data = json.loads((folder / "result.json").read_text())
    (folder / "result.json").write_text(json.dumps(data | {"cost_per_h": 7.3}))
    code, err = refused(capsys, "session.json", "result.json", "--to", "csv", "--out", "plan.csv")
    assert code == 1
    assert "refused: cost_per_h is written as 7.3, checked as 7.4" in err
    assert not (folder / "plan.csv").exists()


def test_a_result_without_a_plan_has_nothing_to_export(capsys, folder):
    data = json.loads((folder / "result.json").read_text())
    data |= {"plan": None, "status": "infeasible", "cost_per_h": None}
    (folder / "result.json").write_text(json.dumps(data))
    code, err = refused(capsys, "session.json", "result.json", "--to", "csv")
    assert code == 4
    assert "there is no plan to export (status infeasible)" in err


def test_other_families_are_told_whom_it_serves(capsys, tmp_path):
    (tmp_path / "cluster.json").write_text(tiny_clusters.TEXT)
    code, err = refused(capsys, tmp_path / "cluster.json", "result.json", "--to", "triton", "--out", tmp_path / "m")
    assert code == 2
    assert "is a cluster; --to triton serves sessions" in err


@pytest.mark.parametrize("text", ["y", "1e3", "0o14", "1:30", "null", "", "é", "- a", "#", "a: b", "a\nb"])
def test_texts_that_some_parser_takes_for_something_else_are_quoted(text):
    """PyYAML alone, which obeys YAML 1.1, would leave "1e3", a number of YAML 1.2, as it is."""
    written = _yaml_text({text: [text]}, ())
    assert yaml.safe_load(written) == {text: [text]}
    assert written.count('"') == 4


def test_exporters_have_names_of_their_own():
    names = sorted(exporter.name for family in families() for exporter in family.exporters())
    assert all(one != other for one, other in pairwise(names))
    assert set(names) == set(KINDS)
