"""The paper's question in one table: what it prints, from the stored report and from sessions that are solved now."""

import pandas as pd
import pytest

import euclio
from euclio.cli import main
from euclio.core.errors import InputError
from studies.harpagon.answer import COLUMNS, ROWS, stored_answers
from studies.inference.reference import nearest_shares
from studies.stored_reports import STORED


@pytest.fixture(scope="module")
def stored():
    return stored_answers(STORED / "harpagon")


def test_the_answer_has_a_row_for_each_kind_and_a_sentence_before_and_after(stored):
    lines = stored.text.split("\n")
    assert lines[0] == stored.before
    assert lines[-1] == stored.after
    assert [line.split("  ")[0] for line in lines[3:-2]] == list(ROWS.values())
    assert "91.5 %" in lines[0]
    assert all(name in lines[2] for name in COLUMNS)


def test_whether_print_decides_it_is_the_nearest_settings_matter(stored):
    near = nearest_shares("harpagon")
    assert len(near) == 8
    assert ("do not decide the share" in stored.before) == (min(near) <= 91.5 <= max(near))


def test_the_data_are_tidy(stored, tmp_path, capsys):
    """A row per kind and share, numbers as numbers: a cell of text for people is no data."""
    assert (
        main(["reproduce", "harpagon", "--answer", "--out", str(STORED / "harpagon"), "--csv", str(tmp_path / "a.csv")])
        == 0
    )
    frame = pd.read_csv(tmp_path / "a.csv")
    assert list(frame.columns) == ["population", "share", "value", "low", "high", "n"]
    assert len(frame) == 3 * len(stored.kinds)
    assert frame.value.between(0, 100).all()
    assert capsys.readouterr().out == f"{tmp_path / 'a.csv'}\n"


def test_a_few_sessions_of_each_kind_give_the_same_twice():
    """No clock decides: searches over splits end after so many nodes."""
    found = [euclio.reproduce("harpagon", answer=True, workloads=3, jobs=jobs) for jobs in (1, 2)]
    assert found[0].text == found[1].text
    assert next(iter(found[0].kinds.values())).sessions == 3
    assert "<table" in found[0]._repr_html_()


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"paper": "graft"}, "harpagon has the answer"),
        ({"paper": "harpagon", "full": True}, "full has no meaning"),
        ({"paper": "harpagon", "jobs": 2}, "add workloads"),
    ],
)
def test_what_has_no_meaning_for_it_is_refused(given, names):
    with pytest.raises(InputError, match=names):
        euclio.reproduce(**given, answer=True)


def test_without_a_report_the_remedy_is_named(tmp_path, monkeypatch, capsys):
    """An installed package has no reports in the folder where it is started."""
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", "harpagon", "--answer"]) == 2
    said = "reports/harpagon: holds no report of harpagon; add --workloads 40 to draw and solve sessions now"
    assert capsys.readouterr().err == f"euclio: {said}\n"
