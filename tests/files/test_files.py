"""Files in the shapes that tools and people write: the right plan comes out, or one line that says why not."""

import shlex
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

import euclio
from euclio.cli import main

CASES = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in Path(__file__).parent.glob("cases/*")}


@pytest.fixture
def case(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = CASES[request.param]
    Path(found["file"]).write_text(found["text"], encoding="utf-8")
    return found


def imported(case, *more):
    return main(["import", "csv", case["file"], *shlex.split(case["options"]), "--out", "session.json", *more])


@pytest.mark.parametrize("case", sorted(CASES), indirect=True)
def test_a_file_gives_its_plan_or_one_line(case, capsys):
    """A plan made of a number that is not what it is taken for costs money, and nobody sees it."""
    code = imported(case)
    told = capsys.readouterr().err
    if "refused" in case:
        assert (code, told.replace(case["file"], "FILE")) == (2, f"euclio: {case['refused']}\n")
        assert not Path("session.json").exists()
        return
    assert code == 0, told
    place = 0
    for part in case.get("says", []):
        place = told.index(part, place)
    result = euclio.solve("session.json", machines="whole")
    assert (result.status, result.value) == ("optimal", Fraction(case["cost"]))


@pytest.mark.parametrize("case", sorted(name for name, case in CASES.items() if "strict" in case), indirect=True)
def test_strict_refuses_what_is_doubted(case, capsys):
    """Batches overnight read no warnings."""
    assert imported(case, "--strict") == 2
    assert case["strict"] in capsys.readouterr().err
