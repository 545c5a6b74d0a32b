"""Claims against stored scorecards: what holds, what is lost, what a smaller run may not decide."""

import json
import shutil
from dataclasses import replace

import pandas as pd
import pytest

from euclio.cli import main
from euclio.core.data_files import data_dir
from euclio.core.errors import InputError
from euclio.studies import claims
from euclio.studies.claims import Card, Claim, Standing, accept, check, check_all, load_card, stored_claims
from euclio.studies.claims_page import lines, tally, write_claims
from euclio.studies.scorecard import published_figures
from euclio.studies.store import save
from euclio.studies.verdicts import Verdict

SHARE = Claim("tiny.share", "tiny", "It is best on 91.5 % of the workloads.", ("share",), held=True)


def card(verdict=Verdict.AGREES, measured=90.0, roughly=False):
    row = {"key": "share", "published": 91.5, "measured": measured, "unit": "%", "verdict": str(verdict)}
    return Card(pd.DataFrame([{**row, "roughly": roughly}]).set_index("key"), 90.0)


@pytest.mark.parametrize(
    ("verdict", "roughly", "standing"),
    [
        (Verdict.AGREES, False, Standing.REPLICATED),
        (Verdict.WITHIN, False, Standing.CONSISTENT),
        (Verdict.WITHIN, True, Standing.NOT_REPLICATED),
        (Verdict.OTHER_READING, False, Standing.NOT_REPLICATED),
        (Verdict.UNEXPLAINED, False, Standing.NOT_REPLICATED),
    ],
)
def test_a_claim_stands_as_its_figure_does(verdict, roughly, standing):
    found = check(SHARE, card(verdict, roughly=roughly))
    assert found.standing == standing
    assert found.lost == (standing != Standing.REPLICATED)
    assert (found.minutes, found.measured) == (1.5, ((91.5, 90.0, "%"),))


@pytest.mark.parametrize(("bounds", "holds"), [({"most": 90.0}, True), ({"least": 91.0}, False), ({"most": 89}, False)])
def test_bounds_take_the_place_of_agreement(bounds, holds):
    claim = replace(SHARE, **bounds)
    assert check(claim, card(Verdict.UNEXPLAINED)).holds == holds
    assert claim.tolerance != SHARE.tolerance


def test_what_was_not_run_does_not_hold():
    found = check(SHARE, None)
    assert (found.standing, found.holds, found.lost, found.minutes) == (Standing.NOT_RUN, False, True, None)
    assert not check(replace(SHARE, held=False), None).lost


def kept(folder, whole=True, verdict=Verdict.AGREES):
    (folder / "tiny").mkdir(parents=True, exist_ok=True)
    how = {"seconds": 90.0, "whole": whole}
    save(card(verdict).rows.reset_index(), folder / "tiny" / "scorecard.parquet", how)


def test_a_smaller_run_decides_nothing(tmp_path):
    kept(tmp_path, whole=False)
    with pytest.raises(InputError, match="is of a smaller run"):
        load_card(tmp_path, "tiny")


def test_lost_and_new_claims_are_named(tmp_path):
    kept(tmp_path, verdict=Verdict.UNEXPLAINED)
    (lost,) = check_all(tmp_path, [SHARE])
    kept(tmp_path)
    (new,) = check_all(tmp_path, [replace(SHARE, held=False)])
    assert lines([lost])[1] == "lost: tiny.share: It is best on 91.5 % of the workloads. (not replicated)"
    assert lines([new])[1].startswith("new: tiny.share")
    assert tally([lost, new]) == "2 claims: 1 replicated, 1 not replicated."
    text = write_claims([lost, new], tmp_path).read_text(encoding="utf-8")
    assert "| not replicated (held before) |" in text
    assert "`euclio reproduce tiny` | 1.5 | a tenth, or the 95 % interval | 91.5 % | 90.0 % | replicated |" in text


def test_every_stored_claim_is_of_published_figures():
    known = {
        paper: {f.key for f in published_figures(paper)}
        for paper in ("harpagon", "piccolo", "scrooge", "ppipe", "graft")
    }
    found = stored_claims()
    assert len({claim.key for claim in found}) == len(found)
    assert all(claim.figures and set(claim.figures) <= known[claim.paper] for claim in found)


def test_accepting_changes_what_held_and_nothing_else(tmp_path):
    file = tmp_path / "claims.json"
    shutil.copy(data_dir() / "claims.json", file)
    before = json.loads(file.read_text(encoding="utf-8"))
    first, second, *_ = stored_claims()
    holds = replace(check(first, None), standing=Standing.REPLICATED)
    accept([holds, check(second, None)], file)
    after = json.loads(file.read_text(encoding="utf-8"))
    assert after["claims"][0]["held"]
    after["claims"][0]["held"] = before["claims"][0]["held"]
    assert after == before
    was = Standing.REPLICATED if before["claims"][0]["held"] else Standing.NOT_REPLICATED
    accept([replace(holds, standing=was)], file)
    assert file.read_text(encoding="utf-8") == (data_dir() / "claims.json").read_text(encoding="utf-8")


@pytest.fixture
def tiny(monkeypatch):
    """Stored claims: one, which held."""
    monkeypatch.setattr(claims, "stored_claims", lambda: (SHARE,))


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize(("verdict", "code"), [(Verdict.AGREES, 0), (Verdict.UNEXPLAINED, 1)])
def test_the_command_fails_where_a_claim_is_lost(tmp_path, capsys, verdict, code):
    kept(tmp_path, verdict=verdict)
    assert main(["reproduce", "--claims", "--out", str(tmp_path)]) == code
    assert ("lost: tiny.share" in capsys.readouterr().out) == bool(code)
    assert (tmp_path / "claims.md").exists()


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["harpagon", "--claims"], "--claims: runs nothing, so that paper has no meaning"),
        (["--claims", "--workloads", "3"], "--claims: runs nothing, so that workloads has no meaning"),
        (["harpagon", "--accept"], "--accept: accepts claims; add --claims"),
        ([], "paper: name a paper"),
    ],
)
def test_options_without_meaning_are_refused(capsys, words, error):
    assert main(["reproduce", *words]) == 2
    assert error in capsys.readouterr().err
