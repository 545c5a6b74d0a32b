"""A search on a made-up simulation that takes no time: it finds what it should, repeats, and goes on where it was."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from euclio import cli
from euclio.core.errors import InputError
from studies.inference import __main__ as command
from studies.inference import population, reference
from studies.inference.__main__ import main, summary
from studies.inference.evidence import (
    by_role,
    choices,
    compared,
    convergence,
    correlations,
    interval,
    judged,
    model_error,
    narrowed,
    optimal,
    ranges,
)
from studies.inference.figures import STRONGEST, strongest, write_figures
from studies.inference.population import SearchJournal, SettingSearch, search_settings
from studies.inference.prior import NAMES, PAPERS, PRIORS, Choice, Setting
from studies.inference.references import Again
from studies.inference.simulation import Simulated
from studies.inference.store import PRIOR, Stored, accepted_settings, load_stored
from studies.inference.targets import (
    GROUPS,
    LONGEST,
    OFF,
    REFERENCES,
    checked,
    distance,
    figure_label,
    fitted,
    full,
    groups_of,
    of_paper,
    off,
    parameter_label,
    scaled,
    targets,
    unscaled,
    without,
)
from studies.inference.validation import Validated, by_group, left_out, validated

HARPAGON = of_paper(fitted(), "harpagon")
SEARCH = SettingSearch("harpagon", 3, generations=6, size=5, starts=40, workloads=10)


def found_up(paper: str, setting: Setting, seed: int, count: int) -> Simulated:
    """The same without what needs the best split, which no generation is asked for."""
    found = made_up(paper, setting, seed, count)
    return replace(found, figures={k: v for k, v in found.figures.items() if k not in REFERENCES})


def made_up(paper: str, setting: Setting, seed: int, count: int) -> Simulated:
    """Every figure is off by how far `slo` is from the middle of its range; a corner has no workloads."""
    away = PRIORS[paper]["slo"].place(setting.slo) - 0.5
    if setting.heavy_machines < 1.6:
        return Simulated({}, {"accepted": 0.0}, {})
    keys = of_paper(tuple(targets()), paper)
    noise = np.random.default_rng(seed).normal(0, 0.01, len(keys))
    figures = {
        k: float(unscaled(k, scaled(k, targets()[k].value) + away + e)) for k, e in zip(keys, noise, strict=True)
    }
    return Simulated({k.removeprefix(f"{paper}:"): value for k, value in figures.items()}, {"accepted": 0.5}, {})


def made_up_again(again: Again) -> dict[str, float]:
    found = made_up(again.paper, again.setting, again.seed, 10)
    figures = {full(again.paper, key): value for key, value in found.figures.items()}
    return figures | {f"fact.{again.paper}:accepted": 0.5}


@pytest.fixture
def without_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is simulated."""
    monkeypatch.setattr(population, "simulate", found_up)
    for module in (population, reference):
        monkeypatch.setattr(module, "resimulate", made_up_again)


PRINTED = {key: targets()[key].value for key in HARPAGON}


def test_the_distance_is_zero_at_the_published_figures_and_infinite_without_workloads() -> None:
    assert distance(PRINTED, HARPAGON) == pytest.approx(0.0)
    assert distance({}, HARPAGON) == float("inf")
    assert distance(dict.fromkeys(PRINTED, 1e9), HARPAGON) == pytest.approx(OFF)


def test_the_distance_leaves_the_share_out() -> None:
    """What is asked of a setting is no part of how it is chosen."""
    assert distance({**PRINTED, "harpagon:optimal_share": 0.0}, HARPAGON) == pytest.approx(0.0)


def test_small_figures_are_fitted_too() -> None:
    """0.2 % against 0.4 % is ln(0.5/0.3) = 0.51, where ln(1.4/1.2) would be 0.15."""
    assert off({"harpagon:nnm_mean_extra": 0.4}, ["harpagon:nnm_mean_extra"])[0] == pytest.approx(0.511, abs=1e-3)


def test_shares_above_a_half_are_taken_by_their_complement() -> None:
    """67.6 % against 83.8 %: the complement is halved, 32.4 to 16.2."""
    assert off({"harpagon:2c_same_share": 83.8}, ["harpagon:2c_same_share"])[0] == pytest.approx(0.69, abs=0.01)


@pytest.mark.parametrize("key", ["harpagon:2c_same_share", "harpagon:1c_mean_extra", "harpagon:dummy_share"])
def test_the_scale_has_an_inverse_and_shares_stay_shares(key: str) -> None:
    values = np.array([0.0, 3.0, 40.0, 99.0])
    np.testing.assert_allclose(unscaled(key, scaled(key, values)), values, atol=1e-9)
    if key.endswith("_share"):
        assert (
            0.0 <= unscaled(key, np.array([-50.0, 50.0])).min() <= unscaled(key, np.array([-50.0, 50.0])).max() <= 100
        )


def test_figures_of_a_group_that_is_left_out_change_nothing() -> None:
    others = without(HARPAGON, "dummies")
    assert set(HARPAGON) - set(others) == {"harpagon:nd_mean_extra"}
    assert distance(PRINTED | {"harpagon:nd_mean_extra": 50.0}, others) == pytest.approx(0.0)


def test_every_figure_is_in_one_group() -> None:
    found = groups_of(targets())
    assert sum(map(len, found.values())) == len(targets())
    assert set(found) == set(GROUPS)


@pytest.mark.usefixtures("without_time")
def test_settings_come_nearer_generation_by_generation(tmp_path: Path) -> None:
    """Of the prior the median is 0.25, half the range of `slo`."""
    stored = search_settings(SEARCH, 1, tmp_path / "x.parquet")
    assert stored.accepted.distance.median() < 0.3 * stored.prior.distance.median()
    # What a group did not choose is searched for it as well.
    assert set(stored.draws[stored.draws.wave > PRIOR].wanted) == {"", *groups_of(HARPAGON)}


@pytest.mark.usefixtures("without_time")
def test_a_stored_search_is_the_same_whoever_searches(tmp_path: Path) -> None:
    first, second = (search_settings(SEARCH, 1, tmp_path / f"{n}.parquet") for n in range(2))
    assert first.draws.equals(second.draws)
    assert first.accepted.equals(second.accepted)
    for end in ("", "-accepted"):
        assert (tmp_path / f"0{end}.parquet").read_bytes() == (tmp_path / f"1{end}.parquet").read_bytes()
    assert not list(tmp_path.glob("*.journal"))


@pytest.mark.usefixtures("without_time")
def test_a_search_that_was_interrupted_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = search_settings(SEARCH, 1, tmp_path / "whole.parquet")
    calls = 0

    def interrupted(*asked: Any) -> Simulated:
        nonlocal calls
        calls += 1
        if calls == 200:
            raise KeyboardInterrupt
        return found_up(*asked)

    monkeypatch.setattr(population, "simulate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        search_settings(SEARCH, 1, tmp_path / "cut.parquet")
    journal = tmp_path / "cut.journal"
    journal.write_text(journal.read_text() + '{"label": "run 1, ge')
    calls = 1000
    again = search_settings(SEARCH, 1, tmp_path / "cut.parquet")
    assert again.draws.equals(whole.draws)
    assert again.accepted.equals(whole.accepted)
    # What was noted is not simulated again.
    simulated = len(whole.draws)
    assert calls - 1000 < 2 * simulated - 190


def test_what_was_made_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "x.journal"
    with SearchJournal(path, {}) as journal:
        assert journal.made("squares", lambda n: n * n, [1, 2]) == [1, 4]
    asked: list[int] = []
    with SearchJournal(path, {}) as journal:
        assert journal.made("squares", lambda n: asked.append(n) or n * n, [1, 2, 3]) == [1, 4, 9]
    assert asked == [3]


def test_other_things_in_the_places_of_noted_ones_are_made_anew(tmp_path: Path) -> None:
    """Stored controls once had numbers of other settings: an emulator of another version had chosen anew."""
    path = tmp_path / "x.journal"
    with SearchJournal(path, {}) as journal:
        journal.made("squares", lambda n: n * n, [1, 2])
    asked: list[int] = []
    with SearchJournal(path, {}) as journal:
        assert journal.made("squares", lambda n: asked.append(n) or n * n, [1, 5]) == [1, 25]
    assert asked == [5]
    assert SearchJournal(path, {}).made("squares", None, [1, 5]) == [1, 25]


def test_a_journal_of_other_draws_is_refused(tmp_path: Path) -> None:
    with SearchJournal(tmp_path / "x.journal", {"seed": 1}):
        pass
    with pytest.raises(InputError, match="other draws"):
        SearchJournal(tmp_path / "x.journal", {"seed": 2})


@pytest.mark.usefixtures("without_time")
def test_what_a_search_says(tmp_path: Path) -> None:
    out = tmp_path / "draws.parquet"
    search_settings(SEARCH, 1, out)
    stored = load_stored(out)
    assert stored.provenance["draws"] == len(stored.draws)
    # Five of each run, all different.
    assert stored.accepted.groupby("run").size().tolist() == [5, 5]
    assert len(set(stored.settings)) == 10
    table = compared(stored).set_index("key")
    # The made-up figures are all consistent, and all known as soon as one is.
    assert table.covered.mean() > 0.9
    assert table.width.median() < 0.3
    assert abs(correlations(stored.prior).loc["slo", "harpagon:2d_mean_extra"]) > 0.95
    assert narrowed(stored)["slo"] < 0.3
    assert interval(stored.accepted, "nothing").covers(1.0) is False
    assert judged(stored, stored.prior, HARPAGON).covered.all()
    # The model's error widens intervals around the same middle, and shares end at 100.
    key = "harpagon:2d_mean_extra"
    own, wide = interval(stored.accepted, key), interval(stored.accepted, key, 0.5)
    assert wide.low < own.low < own.high < wide.high
    assert wide.middle == pytest.approx(own.middle, rel=0.05)
    assert interval(stored.accepted, "harpagon:optimal_share", 1.0).high <= 100.0
    by_part = by_role(compared(stored)).set_index("role")
    assert by_part.figures.sum() == len(table) == len(of_paper(targets(), "harpagon"))
    assert by_part.covered.sum() == table.covered.sum()
    assert by_part.loc["check", "figures"] == len(of_paper(checked(), "harpagon"))
    _says_of_parameters(stored)
    _says_of_groups(stored)
    _says_of_optimal_shares(stored)
    _gives_settings(stored)
    said = summary(stored)
    for words in ("fit: ", "check: ", "median width over prior", "the model ", "R-hat"):
        assert words in said
    write_figures(stored, tmp_path / "figures")
    kinds = ("intervals", "left-out", "optimal", "sensitivity")
    assert {p.name for p in (tmp_path / "figures").iterdir()} == {f"posterior-{kind}-harpagon.svg" for kind in kinds}
    moved = strongest(stored, "harpagon")
    assert "slo" in moved.index
    assert len(moved) == len(moved.columns) == STRONGEST


def _says_of_parameters(stored: Stored) -> None:
    shares = choices(stored)
    for column in ("prior", "posterior"):
        np.testing.assert_allclose(shares.groupby("parameter")[column].sum(), 1.0)
    found = ranges(stored).set_index("parameter")
    assert set(found.index) == {name for name in NAMES if not isinstance(PRIORS["harpagon"][name], Choice)}
    assert (found.low >= found.prior_low).all()
    assert (found.high <= found.prior_high).all()
    assert found.middle["slo"] == pytest.approx(np.median([setting.slo for setting in stored.settings]), rel=0.02)


def _says_of_groups(stored: Stored) -> None:
    """Every figure but those of the best split is judged once, by settings that its group did not choose."""
    table = left_out(stored)
    keys = [k for k in of_paper(targets(), "harpagon") if k.partition(":")[2] not in REFERENCES]
    assert sorted(table.key) == sorted(keys)
    assert by_group(table).figures.sum() == len(keys)
    found = validated(stored)
    assert found.width < 0.4
    assert found.coverage == pytest.approx(table.covered.mean())
    # A figure that no setting reaches is where the model is wrong.
    beyond = replace(stored, draws=stored.draws.assign(**{"harpagon:nd_mean_extra": 900.0}))
    assert validated(beyond).wrong == ("harpagon:nd_mean_extra",)


def _says_of_optimal_shares(stored: Stored) -> None:
    """Ten accepted settings, and as many draws from the prior that were simulated again."""
    accepted, random = (optimal("harpagon", frame) for frame in (stored.accepted, stored.prior))
    assert accepted.settings == random.settings == 10
    assert random.low < accepted.low < accepted.high < random.high
    assert accepted.agreeing == 100.0
    assert convergence(stored) == pytest.approx(1.0, abs=0.5)


def _gives_settings(stored: Stored) -> None:
    """From the nearest to the farthest, and fewer are not made up."""
    found = accepted_settings("harpagon", 3, stored=stored)
    assert (found[0], found[-1]) == (stored.settings[0], stored.settings[-1])
    assert found == accepted_settings("harpagon", 3, stored=stored)
    with pytest.raises(InputError, match="ask for fewer"):
        accepted_settings("harpagon", 11, stored=stored)
    assert set(found) <= set(stored.settings)


def test_runs_that_say_different_things_have_not_converged() -> None:
    """Shares of 80 and 81 % in one run, of 90 and 91 % in the other."""
    frame = pd.DataFrame({"run": [1, 1, 2, 2], "harpagon:optimal_share": [80.0, 81.0, 90.0, 91.0]})
    assert convergence(Stored(frame, frame, {"paper": "harpagon"})) > 5


def test_a_model_stands_by_coverage_with_narrow_intervals() -> None:
    assert Validated(9, 0.8, 1.0, 0.5, 0.5, ()).passed
    assert not Validated(9, 0.79, 1.0, 0.5, 0.2, ()).passed
    assert not Validated(9, 1.0, 1.0, 0.5, 0.51, ()).passed


def test_settings_without_workloads_say_nothing_of_the_models_error() -> None:
    assert model_error(pd.DataFrame({"distance_again": [0.2, np.inf, np.inf]})) == 0.2


def test_every_figure_and_parameter_has_a_short_name() -> None:
    for names, label in ((targets(), figure_label), (NAMES, parameter_label)):
        found = [label(name) for name in names]
        assert max(map(len, found)) <= LONGEST
        assert not [name for name in found if "_" in name]
    for paper in PAPERS:
        own = [figure_label(name) for name in of_paper(tuple(targets()), paper)]
        assert len(set(own)) == len(own)
    assert len({parameter_label(name) for name in NAMES}) == len(NAMES)
    assert figure_label("harpagon:q0.1_mean_extra") == "Harp-q0.1: mean extra cost"


@pytest.mark.usefixtures("without_time")
def test_the_stored_search_is_renewed_with_its_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "stored_path", lambda paper: tmp_path / f"{paper}.parquet")
    monkeypatch.setattr(command, "reference_path", lambda paper: tmp_path / "posterior" / f"{paper}-reference.json")
    command.renew("piccolo", 1, generations=1)
    stored = load_stored(tmp_path / "piccolo.parquet")
    monkeypatch.setattr(reference, "data_dir", lambda: tmp_path)
    entry = reference.reference_entry("piccolo")
    assert stored.provenance["search"]["seed"] == command.SEED == entry["search"]["seed"]
    assert stored.paper == entry["paper"] == "piccolo"
    assert reference.reference_setting("piccolo") == stored.settings[0]
    # The numbers that judge it are of workloads that did not choose it.
    assert entry["distance"]["judging"] != entry["distance"]["choosing"]


def test_a_study_is_asked_for_a_new_posterior(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(command, "renew", lambda paper, jobs: made.append(f"{paper} renewed by {jobs}"))
    monkeypatch.setattr("euclio.verbs.reproduce.reproduce_study", lambda paper, **_: made.append(paper) or tmp_path)
    assert cli.main(["reproduce", "harpagon", "--posterior", "--jobs", "2"]) == 0
    assert cli.main(["reproduce", "harpagon"]) == 0
    assert made == ["harpagon renewed by 2", "harpagon", "harpagon"]


@pytest.mark.parametrize("paper", ["scrooge", "ppipe"])
def test_a_paper_without_a_posterior_has_none_to_renew(paper: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["reproduce", paper, "--posterior"]) == 2
    assert "has no posterior" in capsys.readouterr().err


@pytest.mark.slow
def test_a_small_search_from_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "small.parquet"
    arguments = ["harpagon", "--out", str(out), "--workloads", "4", "--starts", "26", "--jobs", "1"]
    assert main([*arguments, "--generations", "1", "--seed", "2", "--reading", "round_robin=literal"]) == 0
    drawn = capsys.readouterr().out
    assert main([*arguments]) == 0
    assert capsys.readouterr().out == drawn
    assert "as cheap as the best plan, tc-shared" in drawn
    assert {setting.round_robin for setting in load_stored(out).settings} == {"literal"}


def test_a_prior_without_workloads_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(population, "simulate", lambda *_: Simulated({}, {"accepted": 0.0}, {}))
    with pytest.raises(InputError, match="ask for more"):
        search_settings(SEARCH, 1, tmp_path / "none.parquet")
    asked = ["harpagon", "--generations", "1", "--starts", "4", "--jobs", "1", "--out", str(tmp_path / "n.parquet")]
    assert main(asked) == 2


def test_a_reading_that_there_is_not_is_refused_with_those_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["harpagon", "--reading", "speed=2"]) == 2
    assert "acceptance" in capsys.readouterr().err
