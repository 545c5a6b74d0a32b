"""The reference setting: stored in the tree, chosen from a draw, refused in one line where it is missing or odd."""

from pathlib import Path

import pytest

from euclio.core.errors import InputError
from studies.drawn_workloads import protocol_draws
from studies.inference import reference
from studies.inference.prior import PAPERS, flat, setting_of
from studies.inference.reference import NEAREST, nearest_shares, reference_entry, reference_setting
from studies.inference.simulation import accepted
from studies.inference.store import accepted_settings


@pytest.mark.parametrize("paper", PAPERS)
def test_the_stored_one_reads_the_systems_as_their_own_rows(paper: str) -> None:
    own = reference_setting(paper)
    assert own == setting_of(paper, flat(own))


@pytest.mark.parametrize("paper", PAPERS)
def test_it_has_all_five_applications(paper: str) -> None:
    solved, _, _ = accepted(paper, reference_setting(paper), 20240917, 60)
    assert {one.workload.application for one in solved} == {"traffic", "face", "pose", "caption", "actdet"}


@pytest.mark.parametrize("paper", PAPERS)
def test_it_has_workloads(paper: str) -> None:
    assert len(protocol_draws(paper, reference_setting(paper), 1, 4).workloads) == 4


@pytest.mark.parametrize("paper", PAPERS)
def test_ten_accepted_settings_have_workloads(paper: str) -> None:
    """Findings are given over ten accepted settings; the nearest of them is the reference."""
    settings = accepted_settings(paper, 10)
    assert len(set(settings)) == 10
    assert settings[0] == reference_setting(paper)
    assert len(protocol_draws(paper, settings[4], 1, 2).workloads) == 2


def test_the_other_papers_numbers_stand_next_to_it() -> None:
    """What nothing of a paper chose predicts it, or not: nothing is fitted there."""
    for paper, other in (PAPERS, PAPERS[::-1]):
        found = reference_entry(paper)
        assert {key.partition(":")[0] for key in found["numbers_of_the_other_paper"]} == {other}
        assert len(nearest_shares(paper)) == NEAREST


@pytest.mark.parametrize("text", [None, "{", "{}", '{"setting": {"duration": 1}}'])
def test_a_missing_or_odd_file_is_said_in_one_line(
    text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reference, "data_dir", lambda: tmp_path)
    (tmp_path / "posterior").mkdir()
    if text is not None:
        (tmp_path / "posterior" / "harpagon-reference.json").write_text(text)
    with pytest.raises(InputError, match="reference setting") as raised:
        reference_setting("harpagon")
    assert "\n" not in str(raised.value)
