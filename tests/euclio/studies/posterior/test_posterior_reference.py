"""The reference setting: stored in the tree, chosen from a draw, refused in one line where it is missing or odd."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from euclio.core.errors import InputError
from euclio.studies.posterior import reference
from euclio.studies.posterior.bridge import protocol_draws
from euclio.studies.posterior.prior import DEFAULTS, PAPERS, draw, flat, nested
from euclio.studies.posterior.reference import chosen, has_defaults, reference_setting, write_reference


def test_the_stored_one_reads_the_systems_as_their_own_rows() -> None:
    assert has_defaults(reference_setting())


@pytest.mark.parametrize("paper", PAPERS)
def test_it_has_workloads_of_both_papers(paper: str) -> None:
    assert len(protocol_draws(paper, reference_setting(), 1, 4).workloads) == 4


def stored_with(distances: list[float], usual: list[bool]) -> Any:
    settings = [
        nested({**flat(draw(1, n)), **DEFAULTS, **({} if own else {"two_dummies": True})})
        for n, own in enumerate(usual)
    ]
    frame = pd.DataFrame({"distance_again": np.array(distances)})
    provenance = {"seed": 1, "draws": 9, "version": "1"}
    return SimpleNamespace(accepted=frame, settings=settings, provenance=provenance)


def test_it_is_the_nearest_one_with_the_usual_readings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = stored_with([0.1, 0.4, 0.3], [False, True, True])
    assert chosen(stored) == (stored.settings[2], 0.3)
    path = tmp_path / "posterior" / "reference.json"
    write_reference(stored, path)
    monkeypatch.setattr(reference, "data_dir", lambda: tmp_path)
    assert reference_setting() == stored.settings[2]


def test_without_usual_readings_there_is_none() -> None:
    with pytest.raises(InputError, match="draw more"):
        chosen(stored_with([0.1], [False]))


@pytest.mark.parametrize("text", [None, "{", "{}", '{"setting": {"duration": 1}}'])
def test_a_missing_or_odd_file_is_said_in_one_line(
    text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reference, "data_dir", lambda: tmp_path)
    (tmp_path / "posterior").mkdir()
    if text is not None:
        (tmp_path / "posterior" / "reference.json").write_text(text)
    with pytest.raises(InputError, match="reference setting") as raised:
        reference_setting()
    assert "\n" not in str(raised.value)
