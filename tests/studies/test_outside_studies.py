"""A package from outside offers a study, which is then one like any other."""

import json
import os
import subprocess
import sys

import pandas as pd
import pytest
from places import ROOT

from euclio.core import families
from studies import registered

MODULE = """
from pathlib import Path

import pandas as pd

from euclio.report import Paragraph
from euclio.report.analysis.statistics import Measured
from studies import Registered
from studies.study import Found, Study, Text


def collect(collector, asked):
    return Found({"runs": pd.DataFrame({"dice": [1, 2, 6][: asked.workloads]})}, (), None, {})


def measures(collected):
    mean = collected.tables["runs"].dice.mean()
    return {"mean": Measured(mean, mean, mean)}


def text(collected, scores):
    return Text([Paragraph("what dice show")], "none", [], [], [f"measured {scores[0].measured.value:g}"])


FIGURES = Path(__file__).with_name("dice.json")
STUDY = Study("dice", "Dice reproduced", 0, collect, measures, lambda _: {}, text, published=FIGURES)
STUDIES = [Registered("dice", "3 dice", lambda: STUDY)]
"""
FIGURE = {"key": "mean", "value": 3.5, "unit": "count", "source": "§1", "role": "check", "what": "mean of dice"}


@pytest.fixture
def installed(tmp_path):
    """The package as an installer leaves it behind, in a folder of its own."""
    (tmp_path / "dice.py").write_text(MODULE)
    (tmp_path / "dice.json").write_text(json.dumps({"figures": [FIGURE]}))
    about = tmp_path / "dice-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: dice\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[euclio.studies]\ndice = dice:STUDIES\n")
    return tmp_path


@pytest.fixture
def found_anew():
    """Entry points are looked for once per process."""
    caches = families._all, registered
    for known in caches:
        known.cache_clear()
    yield
    for known in caches:
        known.cache_clear()


@pytest.mark.usefixtures("found_anew")
def test_a_study_of_an_installed_package_is_found(installed, monkeypatch):
    monkeypatch.syspath_prepend(installed)
    assert {"harpagon", "ppipe", "mlperf", "dice"} <= set(registered())
    assert registered()["dice"].study().title == "Dice reproduced"


@pytest.mark.slow
def test_the_command_runs_it(installed):
    """The mean of 1, 2 and 6 is 3, printed as 3.5."""

    def run(*words):
        command = [
            sys.executable,
            "-c",
            "import sys; from euclio.cli import main; sys.exit(main(sys.argv[1:]))",
            *words,
        ]
        paths = os.pathsep.join(filter(None, (str(installed), str(ROOT), os.environ.get("PYTHONPATH"))))
        own = os.environ | {"PYTHONPATH": paths}
        return subprocess.run(command, cwd=installed, env=own, capture_output=True, text=True, check=False)

    done = run("reproduce", "dice")
    assert done.stdout.splitlines() == ["measured 3", "1 printed number: 1 off", "build/reports/dice/index.html"]
    report = installed / "build/reports/dice"
    assert "what dice show" in (report / "index.html").read_text(encoding="utf-8")
    card = pd.read_parquet(report / "scorecard.parquet")
    assert card[["key", "published", "measured"]].to_numpy().tolist() == [["mean", 3.5, 3.0]]
    assert "dice 3 dice" in " ".join(run("reproduce", "--help").stdout.split())
    assert "dice takes no artifact" in run("reproduce", "dice", "--artifact", "blocks.csv").stderr
