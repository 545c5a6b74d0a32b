"""The reference setting: stored in the tree, chosen from a draw, refused in one line where it is missing or odd."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from test_posterior_workloads import FAIR

from euclio.core.errors import InputError
from euclio.studies.posterior import reference
from euclio.studies.posterior.bridge import protocol_draws
from euclio.studies.posterior.distance import distance
from euclio.studies.posterior.drawing import seed_again
from euclio.studies.posterior.prior import DEFAULTS, NAMES, PAPERS, draw, flat, from_unit, nested, to_unit
from euclio.studies.posterior.reference import (
    chosen,
    has_defaults,
    reference_setting,
    with_defaults,
    write_reference,
)
from euclio.studies.posterior.references import Again, resimulate
from euclio.studies.posterior.store import PLACE, Stored
from euclio.studies.posterior.targets import fitted, targets


def test_the_stored_one_reads_the_systems_as_their_own_rows() -> None:
    assert has_defaults(reference_setting())


@pytest.mark.parametrize("paper", PAPERS)
def test_it_has_workloads_of_both_papers(paper: str) -> None:
    assert len(protocol_draws(paper, reference_setting(), 1, 4).workloads) == 4


NEAR = {key: target.value for key, target in targets().items()}
COUNTS = {f"fact.{paper}:accepted": 0.5 for paper in PAPERS}


def stored_with(numbers: Sequence[int]) -> Stored:
    """A draw whose accepted settings are draws from the prior, by their number; the odd ones have another reading."""
    settings = [nested({**flat(draw(1, n)), **DEFAULTS, "two_dummies": bool(n % 2)}) for n in numbers]
    places = np.array([to_unit(setting) for setting in settings])
    frame = pd.DataFrame(places, columns=[PLACE + name for name in NAMES])
    frame = frame.assign(distance_again=0.1, round=3, chain=range(len(settings)), step=2)
    made_with = {"seed": 1, "draws": 9, "version": "1", "noise": {}, "workloads_again": [20, {}, 2]}
    return Stored(pd.DataFrame(), frame, pd.DataFrame(), made_with)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Again]:
    """Settings that were simulated again; the nearest one is the third of them."""
    found: list[Again] = []

    def made_up(again: Again) -> dict[str, float]:
        found.append(again)
        factor = (3.0, 2.0, 1.1, 1.2)[len(found) - 1]
        return {key: value * factor for key, value in NEAR.items()} | COUNTS

    monkeypatch.setattr(reference, "resimulate", made_up)
    return found


def test_it_is_the_nearest_one_under_the_usual_readings(
    tmp_path: Path, asked: list[Again], monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = stored_with([4, 5, 6, 7])
    path = tmp_path / "posterior" / "reference.json"
    setting = write_reference(stored, path)
    assert all(has_defaults(again.setting) for again in asked)
    assert [again.workloads for again in asked] == [20] * 4
    assert setting == with_defaults(stored.settings[2])
    written = json.loads(path.read_text())
    assert written["accepted"] == {"place": 3, "of": 4}
    assert written["draw"] == {"round": 3, "chain": 2, "step": 2}
    assert written["workloads"] == {"of_each_paper": 20, "seed": seed_again(1, 2)}
    near = {key: value * 1.1 for key, value in NEAR.items()}
    expected = {"with_readings_as_accepted": 0.1, "with_default_readings": round(distance(near, {}, fitted()), 4)}
    assert written["distance"] == expected
    monkeypatch.setattr(reference, "data_dir", lambda: tmp_path)
    assert reference_setting() == setting


def test_a_repeated_setting_is_a_candidate_once(asked: list[Again]) -> None:
    assert chosen(stored_with([4, 4, 6])).place == 2
    assert len(asked) == 2


def test_settings_with_few_workloads_drop_out(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {**NEAR, **COUNTS, "fact.piccolo:accepted": 0.2}
    found = iter([few, {}, {key: 2 * value for key, value in NEAR.items()} | COUNTS])
    monkeypatch.setattr(reference, "resimulate", lambda _: next(found))
    assert chosen(stored_with([4, 5, 6])).place == 2
    monkeypatch.setattr(reference, "resimulate", lambda _: few)
    with pytest.raises(InputError, match="draw more"):
        chosen(stored_with([4]))


def test_a_setting_with_the_usual_readings_keeps_its_distance() -> None:
    """Candidates are simulated with the seed of their repetition."""
    stored, place = stored_with([0]), to_unit(FAIR)
    stored.accepted.loc[0, [PLACE + name for name in NAMES]] = place
    figures = resimulate(Again(from_unit(place), seed_again(1, 0), 20, dict.fromkeys(PAPERS, 1), 1))
    assert chosen(stored).distance == distance(figures, {}, fitted())


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
