"""A reproduction leaves what is stored alone, says what differs from it, and stores it only where that is asked."""

import json
import re

import pandas as pd
import pytest
from places import ROOT

from euclio.cli import main
from euclio.core.errors import InputError
from euclio.core.folders import data_dir
from euclio.experiments.results.tables import load, save
from studies import claims
from studies.claims import load_cards
from studies.stored_reports import LAST, STORED, differences, latest, store

OWN = {"name": "harpagon", "size": 1131, "seed": 1, "sha256": "ab"}
MEASURED = {"name": "measured", "size": 84, "seed": None, "sha256": "cd"}
FIGURES = [("optimal_share", "check", "%", 68.43), ("most", "check", "%", 18.6), ("runtime", "time", "s", 0.001)]


@pytest.fixture(autouse=True)
def _in_a_tree(tmp_path, monkeypatch):
    """A tree with a stored report of Harpagon."""
    monkeypatch.chdir(tmp_path)
    write(STORED, populations=[OWN, MEASURED])


def write(reports, figures=FIGURES, *, whole=True, populations=(OWN, MEASURED), seed=1):
    """A scorecard, and nothing else, of Harpagon."""
    folder = reports / "harpagon"
    folder.mkdir(parents=True, exist_ok=True)
    how = {"seconds": 60.0, "whole": whole, "seed": seed, "full": False, "populations": list(populations)}
    rows = pd.DataFrame(figures, columns=["key", "role", "unit", "measured"])
    save(rows.assign(**dict.fromkeys(claims.NEEDED - set(rows), "")), folder / "scorecard.parquet", how)
    return folder


def test_numbers_are_compared_as_printed_and_run_times_apart():
    """68.43 % and 68.41 % are both 68.4 %; 18.6 % is not 21 %; a run time of 0.002 s is twice the stored one."""
    folder = write(
        LAST, [("optimal_share", "check", "%", 68.41), ("most", "check", "%", 21.0), (*FIGURES[2][:3], 2e-3)]
    )
    assert differences("harpagon", folder) == [
        "as in reports/harpagon: 1 of 2 numbers, but not",
        "  most: 21.0 %, stored 18.6 %",
        "1 run time: 2.00 to 2.00 times what is stored",
    ]


def test_what_was_left_out_is_named_once_and_not_compared():
    """Where the folder of measured sessions is not at hand, a number that rests on them is no difference."""
    folder = write(LAST, [*FIGURES[:1], ("most", "check", "%", float("nan"))], populations=[OWN])
    assert differences("harpagon", folder) == [
        "left out, though reports/harpagon has it: measured (84 instances)",
        "as in reports/harpagon: 1 of 1 number",
    ]


@pytest.mark.parametrize("other", [{"whole": False}, {"seed": 2}])
def test_a_smaller_run_or_another_seed_is_not_compared(other):
    """Its numbers differ as its workloads do, which says nothing of the machine."""
    assert differences("harpagon", write(LAST, **other)) == [
        "not compared with reports/harpagon, which is of all workloads, or has another seed"
    ]


def test_claims_are_held_against_the_last_whole_report():
    """A run of few workloads in build/reports decides nothing, so that of its paper the stored report is read."""
    assert latest("harpagon") == STORED
    write(LAST, whole=False)
    assert (latest("harpagon"), latest("harpagon", whole=True)) == (LAST, STORED)
    assert load_cards(None)["harpagon"].reports == STORED
    write(LAST)
    assert load_cards(None)["harpagon"].reports == LAST


def test_what_lacks_instances_of_the_stored_report_is_not_stored():
    write(LAST, populations=[OWN])
    with pytest.raises(InputError, match=r"run without measured \(84 instances\), which the stored report has"):
        store("harpagon")


def test_a_population_that_the_study_no_longer_draws_keeps_no_report_from_being_stored():
    """It is drawn from a seed, so that no folder could be missing."""
    folder = write(LAST, populations=[MEASURED])
    assert differences("harpagon", folder)[0] == "as in reports/harpagon: 2 of 2 numbers"
    store("harpagon")
    assert load(STORED / "harpagon" / "scorecard.parquet")[1]["populations"] == [MEASURED]


def test_accepting_claims_stores_the_last_reports_first(tmp_path, monkeypatch, capsys):
    """Claims that are accepted are about what is stored: both change together, and neither does without `--accept`."""
    claim = claims.Claim("h.share", "harpagon", "It is best.", ("optimal_share",))
    monkeypatch.setattr(claims, "stored_claims", lambda: (claim,))
    monkeypatch.setattr(claims, "check", lambda *_: claims.CheckedClaim(claim, claims.ClaimStanding.NOT_RUN, (), None))
    monkeypatch.setattr("studies.claims_page.figures_text", lambda _: "Numbers.")
    monkeypatch.setattr("studies.claims_page.figures_blocks", lambda _: [])
    monkeypatch.setattr(claims, "data_dir", lambda: tmp_path)
    (tmp_path / "claims.json").write_text(json.dumps({"claims": []}), encoding="utf-8")
    write(LAST, [("optimal_share", "check", "%", 70.0)])
    before = (STORED / "harpagon" / "scorecard.parquet").read_bytes()
    assert main(["reproduce", "--claims"]) == 0
    assert "reports: harpagon in build/reports\n" in capsys.readouterr().out
    assert (STORED / "harpagon" / "scorecard.parquet").read_bytes() == before
    assert [str(path) for path in tmp_path.glob("**/claims.md")] == [str(tmp_path / LAST / "claims.md")]
    assert main(["reproduce", "--claims", "--accept"]) == 0
    assert load(STORED / "harpagon" / "scorecard.parquet")[0].measured.tolist() == [70.0]
    assert (STORED / "claims.md").exists()


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--accept", "--workloads", "3"], "--accept: stores rows of everything; leave --workloads out"),
        (["--accept", "--out", "a"], "--accept: stores the report in reports/harpagon; leave --out out"),
        (["--accept", "--only", "fig7"], "--only: runs no study, so that accept has no meaning"),
    ],
)
def test_what_would_not_be_stored_is_not_accepted(words, error, capsys):
    assert main(["reproduce", "harpagon", *words]) == 2
    assert error in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_without_accept_changes_no_stored_file_and_says_where_it_wrote(tmp_path, capsys):
    """And one line says that measured sessions are left out, as this tree has no folder of them."""
    stored = {path: path.read_bytes() for path in sorted((tmp_path / STORED).rglob("*")) if path.is_file()}
    data = {path: path.read_bytes() for path in sorted(data_dir().rglob("*")) if path.is_file()}
    assert main(["reproduce", "harpagon", "--workloads", "1", "--certify", "1", "--jobs", "1"]) == 0
    said = capsys.readouterr()
    assert said.out.endswith("build/reports/harpagon/index.html\n")
    assert "measured sessions are left out, as ../shared/instances has none" in said.err
    assert {path: path.read_bytes() for path in sorted((tmp_path / STORED).rglob("*")) if path.is_file()} == stored
    assert {path: path.read_bytes() for path in sorted(data_dir().rglob("*")) if path.is_file()} == data


def test_a_report_is_stored_where_it_is_accepted(monkeypatch, capsys):
    """The run is left out here: it writes to build/reports with and without `--accept`."""
    monkeypatch.setattr(
        "euclio.verbs.reproduce.reproduce_study", lambda *_, **__: write(LAST, FIGURES[:1]) / "index.html"
    )
    card = STORED / "harpagon" / "scorecard.parquet"
    assert main(["reproduce", "harpagon"]) == 0
    assert len(load(card)[0]) == len(FIGURES)
    assert main(["reproduce", "harpagon", "--accept"]) == 0
    assert len(load(card)[0]) == 1
    assert capsys.readouterr().out == "build/reports/harpagon/index.html\n" * 2


def test_nothing_else_of_the_package_names_the_stored_reports_as_its_output():
    """A default of `reports` anywhere would write over what git has: outputs are below build, stored reports here."""
    files = [path for package in ("euclio", "studies") for path in (ROOT / package).rglob("*.py")]
    naming = [p.name for p in files if re.search(r"""["']reports["'/]""", p.read_text(encoding="utf-8"))]
    assert naming == ["stored_reports.py"]
