"""A package from outside offers a study, which is then one like any other."""

import json

import pandas as pd
import pytest

import euclio
from euclio.cli import main
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
def installed(tmp_path, monkeypatch):
    """The package as an installer leaves it behind."""
    (tmp_path / "dice.py").write_text(MODULE)
    (tmp_path / "dice.json").write_text(json.dumps({"figures": [FIGURE]}))
    about = tmp_path / "dice-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: dice\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[euclio.studies]\ndice = dice:STUDIES\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    caches = families._all, registered
    for known in caches:
        known.cache_clear()
    yield
    for known in caches:
        known.cache_clear()


@pytest.mark.usefixtures("installed")
def test_a_package_adds_a_paper(capsys, tmp_path):
    """The mean of 1, 2 and 6 is 3, printed as 3.5."""
    page = euclio.reproduce("dice")
    assert page.relative_to(tmp_path if page.is_absolute() else ".").as_posix() == "build/reports/dice/index.html"
    assert "what dice show" in page.read_text(encoding="utf-8")
    assert capsys.readouterr().out.startswith("measured 3\n")
    card = pd.read_parquet(page.with_name("scorecard.parquet"))
    assert card[["key", "published", "measured"]].to_numpy().tolist() == [["mean", 3.5, 3.0]]


@pytest.mark.usefixtures("installed")
def test_the_command_knows_it_and_the_papers_of_before(capsys):
    assert main(["reproduce", "--help"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert {"harpagon", "ppipe", "mlperf", "dice"} <= set(registered())
    assert "dice 3 dice" in printed
    assert main(["reproduce", "dice", "--artifact", "blocks.csv"]) == 2
    assert "dice takes no artifact" in capsys.readouterr().err
