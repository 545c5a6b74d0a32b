"""Folders of evaluators: their files, and the programs in them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib

import pytest
import yaml
from scored_programs import PRISM

import euclio
from euclio.cli import exit_code
from euclio.core.errors import InputError, RefutedError, printable
from euclio.scoring import folder as folders
from euclio.scoring.folder import FILE, FRAMEWORKS, main, opened, write
from euclio.verbs.interface.exit_codes import BROKEN_PIPE

COUNT, SECONDS = 4, 2


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder of each framework."""
    top = tmp_path_factory.mktemp("evaluators")
    return {name: (top / name, write(PRISM, name, top / name, COUNT, 0, SECONDS)) for name in FRAMEWORKS}


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def improved(folder):
    """A program that takes the best of the greedy placement and of those that move one model."""
    text = (folder / "initial_program.py").read_text()
    return f"""{text}
greedy = solve

def solve(instance):
    def pressure(placement):
        load, free = [0.0] * instance["gpus"], [80] * instance["gpus"]
        for model, gpu in zip(instance["models"], placement):
            load[gpu] += model["rate"] / model["slo"]
            free[gpu] -= model["size_gb"]
        return max(own / left for own, left in zip(load, free)) if min(free) > 0 else 1e9
    best = greedy(instance)["placement"]
    for place in range(len(best)):
        for gpu in range(instance["gpus"]):
            best = min(best, [*best[:place], gpu, *best[place + 1:]], key=pressure)
    return {{"placement": best}}
"""


def test_each_framework_has_its_files(made):
    common = {"evaluate.py", FILE, "instruction.md", "initial_program.py"}
    evolving = {"evaluator.py", "config.yaml"}
    task = {"task.toml", "environment/Dockerfile", "tests/test.sh", "tests/evaluate.py", f"tests/{FILE}"}
    expected = {
        "plain": common,
        "openevolve": common | evolving,
        "skydiscover": common | evolving,
        "harbor": task | {"instruction.md", "environment/initial_program.py"},
    }
    for name, (folder, _) in made.items():
        assert {file for file in files_of(folder) if "train/" not in file} == expected[name]


def test_no_file_has_a_placeholder_left(made):
    texts = [text for folder, _ in made.values() for name, text in files_of(folder).items() if "test.sh" not in name]
    assert not [text for text in texts if "$" in text]


def test_settings_can_be_read(made):
    task = tomllib.loads(files_of(made["harbor"][0])["task.toml"])
    assert task["task"]["name"] == "euclio/prism"
    settings = yaml.safe_load(files_of(made["openevolve"][0])["config.yaml"])
    assert settings["evaluator"]["cascade_evaluation"] is True


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_held_out_instances_are_named_by_hash_alone(made, name):
    folder, evaluator = made[name]
    train, test = evaluator.record.train, evaluator.record.test
    assert (len(train), len(test)) == (2, 2)
    texts = files_of(folder)
    assert {file.rpartition("/")[2] for file in texts if "train/" in file} == {f"{one}.json" for one in train}
    assert [name for name, text in texts.items() if any(one in text for one in test)] == [
        name for name in texts if name.endswith(FILE)
    ]


@pytest.mark.parametrize("name", ["openevolve", "skydiscover", "harbor"])
def test_the_agent_of_a_task_sees_nothing_of_the_scorer(made, name):
    """Harbor copies `environment/` into the agent's container, and `tests/` only to verify."""
    texts = files_of(made[name][0])
    seen = {file for file in texts if file.startswith("environment/")} if name == "harbor" else set()
    assert not any(FILE in file or "evaluate.py" in file for file in seen)


def test_a_training_file_has_the_instance_and_both_values(made):
    folder, evaluator = made["plain"]
    found = json.loads((folder / "train" / f"{evaluator.record.train[0]}.json").read_text())
    assert set(found) == {"instance", "initial_value", "optimum"}
    assert found["optimum"] < found["initial_value"]


def test_equal_arguments_write_equal_bytes(made, tmp_path):
    write(PRISM, "plain", tmp_path / "again", COUNT, 0, SECONDS)
    assert files_of(tmp_path / "again") == files_of(made["plain"][0])


def test_the_program_evaluate_prints_the_score(made, tmp_path, capsys):
    folder, _ = made["plain"]
    program = tmp_path / "candidate.py"
    program.write_text(improved(folder))
    assert main(folder, [str(program)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "euclio/score/1"
    assert 0 < found["score"] <= 1
    assert main(folder, [str(program), "--test"]) == 0
    other = json.loads(capsys.readouterr().out)
    assert {one["instance"] for one in other["scored"]}.isdisjoint(one["instance"] for one in found["scored"])


def test_a_program_may_be_a_link_and_its_bytes_no_text(made, tmp_path):
    """A link is followed as any path; what it leads to is run as a program and read as nothing else."""
    secret = tmp_path / "secret"
    secret.write_bytes(b"\xff\xfe answers")
    (tmp_path / "candidate.py").symlink_to(secret)
    found = made["plain"][1].score(tmp_path / "candidate.py")
    assert found.share == 0
    assert "answers" not in found.report()["artifacts"]["feedback"]


@pytest.mark.slow
def test_a_program_that_is_a_folder_or_no_path_is_one_line(made, tmp_path, capsys):
    """A pipe is read with patience, as by every other verb; what is no file is refused."""
    for program, why in ((tmp_path, "is a directory"), ("null\0.py", "embedded null byte")):
        assert exit_code(lambda words=[str(program)]: main(made["plain"][0], words)) == 2
        told = f"{printable(str(program))}: cannot be read: {why}; give a Python file"
        assert capsys.readouterr().err == f"euclio: {told}\n"


def test_the_folder_is_run_by_its_own_python(made, tmp_path):
    folder, _ = made["plain"]
    words = [sys.executable, str(folder / "evaluate.py"), str(folder / "initial_program.py")]
    path = os.pathsep.join(sys.path)
    ran = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env={"PYTHONPATH": path})
    assert json.loads(ran.stdout)["score"] == 0
    # A reader of a pipe, such as `head`, may go before the score comes.
    read, written = os.pipe()
    os.close(read)
    unheard = subprocess.run(words, stdout=written, stderr=subprocess.PIPE, text=True, env={"PYTHONPATH": path})
    assert (unheard.returncode, "Traceback" in unheard.stderr) == (BROKEN_PIPE, False)
    missing = subprocess.run([*words[:2], "none.py"], capture_output=True, text=True, env={"PYTHONPATH": path})
    assert missing.returncode == 2
    assert missing.stderr == "euclio: none.py: cannot be read: no such file or directory; give a Python file\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["openevolve", "skydiscover"])
def test_the_evaluator_gives_what_the_framework_takes(made, monkeypatch, name):
    """The framework's class of results is a stand-in; `docs/tools/replayed_search.py` runs the frameworks."""
    folder, _ = made[name]
    module = FRAMEWORKS[name].result_module
    parts = module.split(".")
    for k in range(1, len(parts) + 1):
        stand_in = type(sys)(".".join(parts[:k]))
        stand_in.__path__ = []
        monkeypatch.setitem(sys.modules, ".".join(parts[:k]), stand_in)
    sys.modules[module].EvaluationResult = dict
    names = {"__file__": str(folder / "evaluator.py"), "__name__": "evaluator"}
    exec(compile((folder / "evaluator.py").read_text(), "evaluator.py", "exec"), names)
    for stage in ("evaluate", "evaluate_stage1", "evaluate_stage2"):
        found = names[stage](str(folder / "initial_program.py"))
        assert found["metrics"] == {"combined_score": 0.0, "accepted": 1.0, "optimal": 0.0}
        assert len(found["artifacts"]["feedback"].splitlines()) == 2


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("{", "not JSON"),
        ('{"schema": "euclio/evaluator/1"}', "problem"),
        ('{"schema": "euclio/result/1"}', "schema"),
        (
            '{"schema": "euclio/evaluator/1", "problem": "no", "seconds": 1, "train": ["a"], "test": ["b"]}',
            "no problem 'no'",
        ),
        (
            '{"schema": "euclio/evaluator/1", "problem": "prism", "seconds": 0, "train": ["a"], "test": ["b"]}',
            "seconds: is 0",
        ),
        (
            '{"schema": "euclio/evaluator/1", "problem": "prism", "seconds": 1, "train": ["a"], "test": []}',
            "test: has no instance",
        ),
    ],
)
def test_a_spoilt_record_is_one_line(tmp_path, capsys, text, word):
    (tmp_path / FILE).write_text(text)
    (tmp_path / "program.py").write_text("")
    assert exit_code(lambda: main(tmp_path, [str(tmp_path / "program.py")])) == 2
    found = capsys.readouterr().err
    assert found.count("\n") == 1
    assert word in found
    assert FILE in found


def test_an_unknown_instance_is_named(tmp_path, capsys):
    text = '{"schema": "euclio/evaluator/1", "problem": "prism", "seconds": 1, "train": ["abc"], "test": ["abc"]}'
    (tmp_path / FILE).write_text(text)
    (tmp_path / "program.py").write_text("")
    assert exit_code(lambda: main(tmp_path, [str(tmp_path / "program.py")])) == 2
    assert "no instance abc" in capsys.readouterr().err


def test_a_refuted_proof_is_exit_code_1(made, monkeypatch, capsys):
    def refuted(*words):
        raise RefutedError("instance abc: better than proven")

    monkeypatch.setattr(folders, "score", refuted)
    folder = made["plain"][0]
    assert exit_code(lambda: main(folder, [str(folder / "initial_program.py")])) == 1
    assert "better than proven" in capsys.readouterr().err


def test_a_folder_that_has_files_is_kept(tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(InputError, match="has files already"):
        euclio.evaluator("prism", tmp_path, to="plain")
    with pytest.raises(InputError, match="cannot be a folder"):
        euclio.evaluator("prism", tmp_path / "mine.txt", to="plain")


def test_an_evaluator_needs_two_instances(tmp_path):
    with pytest.raises(InputError, match="at least 2"):
        euclio.evaluator("prism", tmp_path / "one", to="plain", instances=1)


def test_the_score_needs_linux(made, monkeypatch):
    """A program is not scored where it cannot be confined."""
    from euclio.scoring import running

    monkeypatch.setattr(running, "HARD_LIMITS", False)
    folder, _ = made["plain"]
    running.not_prevented.cache_clear()
    with pytest.raises(InputError, match="Linux"):
        opened(folder).score(folder / "initial_program.py")
    running.not_prevented.cache_clear()
