"""The reference setting: stored in the tree, chosen from a draw, refused in one line where it is missing or odd."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from euclio.core.errors import InputError
from euclio.papers.published import published_figures
from euclio.posterior import reference
from euclio.posterior.bridge import protocol_draws
from euclio.posterior.prior import NAMES, PAPERS, draw, to_unit
from euclio.posterior.reference import (
    chosen,
    has_defaults,
    reference_setting,
    with_defaults,
    write_reference,
)
from euclio.posterior.settings import accepted_settings, prior_figures
from euclio.posterior.store import PLACE, Stored


@pytest.mark.parametrize("paper", PAPERS)
def test_the_stored_one_reads_the_systems_as_their_own_rows(paper: str) -> None:
    assert has_defaults(paper, reference_setting(paper))


@pytest.mark.parametrize("paper", PAPERS)
def test_it_has_workloads(paper: str) -> None:
    assert len(protocol_draws(paper, reference_setting(paper), 1, 4).workloads) == 4


@pytest.mark.parametrize("paper", PAPERS)
def test_ten_accepted_settings_have_workloads(paper: str) -> None:
    """Findings are given over ten accepted settings; the nearest of them is the reference."""
    settings = accepted_settings(paper, 10, default_readings=True)
    assert len(set(settings)) == 10
    assert settings[0] == reference_setting(paper)
    assert len(protocol_draws(paper, settings[4], 1, 2).workloads) == 2


@pytest.mark.parametrize("paper", PAPERS)
def test_random_settings_show_the_published_figures(paper: str) -> None:
    """Verdicts are held against them: every figure that counts, of hundreds of settings."""
    figures = prior_figures(paper)
    counted = {f.key for f in published_figures(paper) if f.role in ("fit", "check")}
    assert set(figures) == counted
    assert figures.drop(columns=["optimal_share", "optimal_gap_max"]).notna().sum().min() > 50
    assert figures.optimal_share.notna().sum() > 20


def stored_with(default: Sequence[float], accepted: Sequence[float] | None = None) -> Stored:
    """A draw whose accepted settings are draws from the prior, with some distances under the default readings."""
    settings = [draw(1, n) for n in range(len(default))]
    frame = pd.DataFrame([to_unit(setting) for setting in settings], columns=[PLACE + name for name in NAMES])
    frame = frame.assign(
        run=2,
        wave=3,
        place=range(len(settings)),
        distance=np.linspace(0.4, 0.5, len(settings)),
        distance_again=0.1,
        distance_default=default,
        accepted_default=accepted or 0.5,
    )
    return Stored(pd.DataFrame(), frame, {"paper": "harpagon", "seed": 1, "draws": 9, "version": "1"})


def test_it_is_the_nearest_one_under_the_usual_readings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = stored_with([0.9, 0.8, 0.55, 0.6])
    setting = write_reference(stored, tmp_path / "posterior" / "harpagon-reference.json")
    assert setting == with_defaults("harpagon", stored.settings[2])
    written = json.loads((tmp_path / "posterior" / "harpagon-reference.json").read_text())
    assert written["accepted"] == {"place": 3, "of": 4}
    assert written["draw"] == {"run": 2, "wave": 3, "place": 2}
    assert written["distance"] == {"with_readings_as_accepted": 0.1, "with_default_readings": 0.55}
    monkeypatch.setattr(reference, "data_dir", lambda: tmp_path)
    assert reference_setting("harpagon") == setting


def test_settings_with_few_workloads_drop_out() -> None:
    assert chosen(stored_with([0.5, 0.6, 0.7], [0.2, 0.3, 0.9])) == 1
    with pytest.raises(InputError, match="draw more"):
        chosen(stored_with([0.5], [0.2]))
    with pytest.raises(InputError, match="draw more"):
        chosen(stored_with([float("inf")]))


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
