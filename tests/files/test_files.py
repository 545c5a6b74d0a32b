"""Files in the shapes that tools and people write: the right plan comes out, or one line that says why not."""

import json
import shlex
import shutil
import subprocess
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

import euclio
from euclio.cli import main

CASES = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in Path(__file__).parent.glob("cases/*")}


BASE = """{"schema": "euclio/session/1", "name": "base", "slo_s": 0.5, "edges": [],
"hardware": [{"name": "L4", "price_per_h": 9}],
"modules": [{"name": "m", "rate_rps": 1000, "profile": [
{"hardware": "L4", "batch": 4, "concurrency": 1, "duration_s": 0.01}]}]}"""
"""One L4 answers 400 requests per second, so 1000 take three of them."""
COMMANDS = {
    "import csv": ("import csv", "--out session.json"),
    "prices": ("prices base.json", "--out session.json"),
    "plan-day": ("plan-day base.json --load", "--out result.json"),
    "simulate": ("simulate base.json --machines m:L4=3 --trace", ""),
}
"""The verbs that read a file, by what stands before and behind it."""


@pytest.fixture
def case(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = CASES[request.param]
    Path("base.json").write_text(BASE, encoding="utf-8")
    Path(found["file"]).write_text(found["text"], encoding="utf-8")
    return found


def read(case, *more):
    before, behind = COMMANDS[case.get("verb", "import csv")]
    return main([*before.split(), case["file"], *shlex.split(case["options"]), *behind.split(), *more])


def cost():
    """The least cost per hour of the session that was written, or of the load over time."""
    if Path("result.json").exists():
        return Fraction(str(json.loads(Path("result.json").read_text(encoding="utf-8"))["cost_in_all"]))
    result = euclio.solve("session.json", machines="whole")
    assert result.status == "optimal"
    return result.value


@pytest.mark.parametrize("case", sorted(CASES), indirect=True)
def test_a_file_gives_its_plan_or_one_line(case, capsys):
    """A plan made of a number that is not what it is taken for costs money, and nobody sees it."""
    code = read(case)
    told = capsys.readouterr().err
    if "refused" in case:
        assert (code, told.replace(case["file"], "FILE")) == (2, f"euclio: {case['refused']}\n")
        assert not {"session.json", "result.json"} & {file.name for file in Path().iterdir()}
        return
    assert code == 0, told
    place = 0
    for part in case.get("says", []):
        place = told.index(part, place)
    assert "cost" not in case or cost() == Fraction(case["cost"])


@pytest.mark.parametrize("case", sorted(name for name, case in CASES.items() if "strict" in case), indirect=True)
def test_strict_refuses_what_is_doubted(case, capsys):
    """Batches overnight read no warnings."""
    assert read(case, "--strict") == 2
    assert case["strict"] in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("jq") is None, reason="the program that converts is not installed")
def test_the_command_of_a_refusal_makes_a_price_list(tmp_path, monkeypatch, capsys):
    """Its three names are those of fields that only the reader of a list knows."""
    monkeypatch.chdir(tmp_path)
    Path("base.json").write_text(BASE, encoding="utf-8")
    Path("l.json").write_text(CASES["prices-nested"]["text"], encoding="utf-8")
    given = ["--map", "L4=gpu_1x_l4", "--currency", "USD", "--accelerators", "gpu_1x_l4=1", "--out", "session.json"]
    assert main(["prices", "base.json", "l.json", *given]) == 2
    command = capsys.readouterr().err.partition("REGION: ")[2]
    for name, own in (("NAME", "name"), ("PRICE", "usd_per_hour"), ("REGION", "where")):
        command = command.replace(name, own)
    subprocess.run(command, shell=True, check=True)
    assert main(["prices", "base.json", "prices.csv", *given]) == 0
    assert cost() == Fraction("2.25")
