"""Sampling on a made-up simulation that takes no time: it finds what it should, repeats, and goes on where it was."""

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from euclio import cli
from euclio.core.errors import InputError
from euclio.studies import building
from euclio.studies.posterior import drawing, reference, renewing, sampler
from euclio.studies.posterior.__main__ import main
from euclio.studies.posterior.distance import UNKNOWN, distance, pooled_noise, weights
from euclio.studies.posterior.drawing import Asked, draw_posterior, halves_of
from euclio.studies.posterior.evidence import compared, correlations, coverage, coverages, interval, model_error
from euclio.studies.posterior.figures import STRONGEST, strongest, write_figures
from euclio.studies.posterior.journal import Journal
from euclio.studies.posterior.labels import LONGEST, figure_label, parameter_label
from euclio.studies.posterior.parameters import choices, narrowed, ranges
from euclio.studies.posterior.prior import BLOCKS, NAMES, PAPERS, PRIORS, READINGS, Choice, Setting, draw, draw_unit
from euclio.studies.posterior.references import Again
from euclio.studies.posterior.sampler import Chain, Plan, Record, mirrored, sample, steps_for, walk
from euclio.studies.posterior.simulation import Simulated
from euclio.studies.posterior.store import Stored, load_stored, settings_of
from euclio.studies.posterior.summary import summary
from euclio.studies.posterior.targets import checked, fitted, full, of_paper, targets
from euclio.studies.posterior.validation import Validated, by_paper, cross_validated, held_out, validated

KEYS = fitted()


def made_up(paper: str, setting: Setting, seed: int, count: int) -> Simulated:
    """Every figure is off by how far the paper's `slo` is from the middle of its range; a corner has no workloads."""
    own = getattr(setting, paper)
    off = PRIORS[f"{paper}.slo"].place(own.slo) - 0.5
    if own.heavy_machines < 1.6:
        return Simulated({}, {"accepted": 0.0}, {})
    keys = of_paper(tuple(targets()), paper)
    noise = np.random.default_rng(seed).normal(0, 0.01, len(keys))
    figures = {
        k.removeprefix(f"{paper}:"): (targets()[k].value + 1) * float(np.exp(off + e)) - 1
        for k, e in zip(keys, noise, strict=True)
    }
    return Simulated(figures, {"accepted": 0.5}, {})


def made_up_again(again: Again) -> dict[str, float]:
    return {
        full(paper, key): value
        for paper in PAPERS
        for key, value in made_up(paper, again.setting, again.seed, 10).figures.items()
    }


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampler, "simulate", made_up)
    monkeypatch.setattr(drawing, "resimulate", made_up_again)


ASKED = Asked(400, 3, 1, 10, 4, Again(draw(0, 0), 0), 2)


def test_the_distance_is_zero_at_the_published_figures_and_infinite_without_workloads() -> None:
    printed = {key: target.value for key, target in targets().items()}
    assert distance(printed, {}, KEYS) == pytest.approx(0.0)
    assert distance({}, {}, KEYS) == float("inf")
    assert distance(dict.fromkeys(printed, 1e9), {}, KEYS) == pytest.approx(UNKNOWN)
    lacking = {key: value for key, value in printed.items() if key != KEYS[0]}
    assert distance(lacking, {}, KEYS) == pytest.approx(UNKNOWN / len(KEYS) ** 0.5)


def test_noisy_figures_weigh_less() -> None:
    found = weights({KEYS[0]: 0.5}, KEYS)
    assert found.sum() == pytest.approx(1.0)
    assert found[0] < found[1] / 5


def test_noise_is_that_of_the_pairs_that_differ() -> None:
    two, rate = KEYS[2:4]
    a, b = {two: 9.0, rate: 5.0}, {two: 10 * np.exp(0.954) - 1, rate: 5.0}
    assert pooled_noise([(a, b), (a, a)], (two, rate)) == {two: 1.0, rate: UNKNOWN}


def test_mirrors_keep_places_within_the_cube() -> None:
    assert [mirrored(x) for x in (0.3, -0.2, 1.25, 2.5)] == pytest.approx([0.3, 0.2, 0.75, 0.5])


def test_rounds_take_as_many_steps_as_move_nearly_all_chains() -> None:
    assert [steps_for(share) for share in (0.0, 0.1, 0.5, 0.9, 1.0)] == [9, 9, 5, 3, 3]


@pytest.mark.usefixtures("simulated")
def test_no_more_settings_are_drawn_than_asked_for() -> None:
    for draws in (40, 333, 500):
        plan = Plan.of(draws, 5, 10)
        assert sum(len(r) for r, _ in sample(plan, {}, KEYS, lambda chains: map(walk, chains))) <= draws


@pytest.mark.usefixtures("simulated")
def test_populations_come_nearer_round_by_round() -> None:
    plan = Plan.of(400, 5, 10)
    largest = [m[-1].distance for _, m in sample(plan, {}, KEYS, lambda chains: map(walk, chains))]
    assert len(largest) > 5
    assert largest == sorted(largest, reverse=True)
    assert largest[-1] < 0.4 * largest[0]


OWN = {i for places in BLOCKS.values() for i in places}


def chain_from(start: Record | None) -> Chain:
    """A chain whose directions are those of some draws from the prior."""
    points = tuple(tuple(draw_unit(4, n).tolist()) for n in range(40))
    return Chain(Plan.of(400, 5, 10), 1, 7, start, points, float("inf"), {}, KEYS)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The papers that were simulated, in order."""
    papers: list[str] = []

    def noted(paper: str, setting: Setting, seed: int, count: int) -> Simulated:
        papers.append(paper)
        return made_up(paper, setting, seed, count)

    monkeypatch.setattr(sampler, "simulate", noted)
    return papers


def test_a_paper_whose_parameters_stay_keeps_its_figures(asked: list[str]) -> None:
    (start,) = walk(Chain(Plan.of(400, 5, 10), 0, 3))
    assert asked == list(PAPERS)
    alone = 0
    for place in range(12):
        at = start
        asked.clear()
        for record in walk(replace(chain_from(start), place=place)):
            moved = {p for p in PAPERS for i in BLOCKS[p] if at.unit[i] != record.unit[i]}
            shared = any(a != b for i, (a, b) in enumerate(zip(at.unit, record.unit, strict=True)) if i not in OWN)
            if record.accepted and len(moved) == 1 and not shared:
                (paper,) = set(PAPERS) - moved
                kept = {key for key in at.figures if key.startswith(paper)}
                assert kept
                assert all(record.figures[key] == at.figures[key] for key in kept)
                alone += 1
            at = record if record.accepted else at
    assert alone > 3
    # Both papers in about every other step.
    assert len(asked) < 2 + 12 * sampler.STEPS[0] * 1.8


def test_a_setting_is_given_up_where_one_paper_is_beyond_the_tolerance(asked: list[str]) -> None:
    (start,) = walk(Chain(Plan.of(400, 5, 10), 0, 3))
    asked.clear()
    records = walk(replace(chain_from(start), tolerance=1e-6))
    assert not any(r.accepted or r.figures for r in records)
    assert len(asked) == sampler.STEPS[0]


def test_the_least_distance_grows_with_every_paper() -> None:
    figures = {key: target.value * 2 for key, target in targets().items()}
    least = [distance(figures, {}, KEYS, PAPERS[:n]) for n in range(3)]
    assert least[0] == 0.0 < least[1] < least[2] == distance(figures, {}, KEYS)
    own = {key: value for key, value in figures.items() if key.startswith(PAPERS[0])}
    assert distance(own, {}, KEYS, PAPERS[:1]) == least[1]


def test_steps_stay_within_their_block() -> None:
    stream = random.Random(1)
    at = draw_unit(1, 1)
    for block, places in sampler.MOVABLE.items():
        for _ in range(20):
            moved = np.flatnonzero(sampler._proposal(at, block, chain_from(None), stream) != at)
            assert set(moved.tolist()) <= set(places)
            assert moved.size


@pytest.mark.usefixtures("simulated")
def test_a_stored_draw_is_the_same_whoever_draws_it(tmp_path: Path) -> None:
    first, second = (draw_posterior(ASKED, tmp_path / f"{n}.parquet") for n in range(2))
    for name in ("draws", "accepted", "halves"):
        assert getattr(first, name).equals(getattr(second, name))
    for end in ("", "-accepted", "-halves"):
        assert (tmp_path / f"0{end}.parquet").read_bytes() == (tmp_path / f"1{end}.parquet").read_bytes()
    assert not list(tmp_path.glob("*.journal"))


@pytest.mark.usefixtures("simulated")
def test_a_draw_that_was_interrupted_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = draw_posterior(ASKED, tmp_path / "whole.parquet")
    calls = 0

    def interrupted(paper: str, setting: Setting, seed: int, count: int) -> Simulated:
        nonlocal calls
        calls += 1
        if calls == 300:
            raise KeyboardInterrupt
        return made_up(paper, setting, seed, count)

    monkeypatch.setattr(sampler, "simulate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        draw_posterior(ASKED, tmp_path / "cut.parquet")
    journal = tmp_path / "cut.journal"
    journal.write_text(journal.read_text() + '{"label": "all", "rou')
    calls = 1000
    again = draw_posterior(ASKED, tmp_path / "cut.parquet")
    assert again.draws.equals(whole.draws)
    assert again.accepted.equals(whole.accepted)
    # What was noted is not simulated again.
    assert calls - 1000 < 2 * len(whole.draws)


def test_what_was_made_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "x.journal"
    with Journal(path, {}) as journal:
        assert journal.made("squares", lambda n: n * n, [1, 2]) == [1, 4]
    asked: list[int] = []
    with Journal(path, {}) as journal:
        assert journal.made("squares", lambda n: asked.append(n) or n * n, [1, 2, 3]) == [1, 4, 9]
    assert asked == [3]


@pytest.mark.usefixtures("simulated")
def test_a_journal_of_other_draws_is_refused(tmp_path: Path) -> None:
    with Journal(tmp_path / "x.journal", {"seed": 1}):
        pass
    with pytest.raises(InputError, match="other draws"):
        Journal(tmp_path / "x.journal", {"seed": 2})


@pytest.mark.usefixtures("simulated")
def test_what_a_draw_says(tmp_path: Path) -> None:
    out = tmp_path / "draws.parquet"
    draw_posterior(ASKED, out)
    stored = load_stored(out)
    assert stored.provenance["draws"] == len(stored.draws)
    assert stored.best in settings_of(stored.accepted)
    table = compared(stored).set_index("key")
    # The made-up figures are all consistent, and all known as soon as one is.
    assert table.covered.mean() > 0.9
    assert table.width_over_prior.median() < 0.3
    assert abs(correlations(stored.prior).loc["harpagon.slo", "harpagon:2d_mean_extra"]) > 0.95
    assert narrowed(stored)["piccolo.slo"] < 0.3
    # A dozen settings that lie as near as their noise lets them.
    assert cross_validated(stored).coverage_with_error.min() > 0.8
    assert interval(stored.accepted, "nothing").covers(1.0) is False
    assert coverage(stored.prior, KEYS) == 1.0
    # The model's error widens intervals around the same middle, and shares end at 100.
    own, wide = (
        interval(stored.accepted, "harpagon:2d_mean_extra"),
        interval(stored.accepted, "harpagon:2d_mean_extra", 0.5),
    )
    assert wide.low < own.low < own.high < wide.high
    assert wide.middle == pytest.approx(own.middle, rel=0.05)
    assert interval(stored.accepted, "harpagon:optimal_share", 0.5).high == 100.0
    by_part = coverages(compared(stored)).set_index(["paper", "role"])
    assert by_part.figures.sum() == len(targets())
    assert by_part.covered.sum() == table.covered.sum()
    assert by_part.loc[("piccolo", "check"), "figures"] == len(of_paper(checked(), "piccolo"))
    _says_of_parameters(stored)
    _says_of_halves(stored)
    said = summary(stored)
    for words in ("Harpagon, fit:", "Piccolo, check:", "median width over prior", "the model ", "reading"):
        assert words in said
    write_figures(stored, tmp_path / "figures")
    assert {p.name for p in (tmp_path / "figures").iterdir()} == {
        "posterior-intervals-harpagon.svg",
        "posterior-intervals-piccolo.svg",
        "posterior-optimal.svg",
        "posterior-sensitivity-harpagon.svg",
        "posterior-sensitivity-piccolo.svg",
    }
    moved = strongest(stored, "piccolo")
    assert "piccolo.slo" in moved.index
    assert not [name for name in moved.index if str(name).startswith("harpagon")]
    assert len(moved) == len(moved.columns) == STRONGEST


def _says_of_parameters(stored: Stored) -> None:
    shares = choices(stored)
    for column in ("prior", "posterior"):
        np.testing.assert_allclose(shares.groupby("parameter")[column].sum(), 1.0)
    assert set(shares[shares.reading].parameter) == set(READINGS)
    found = ranges(stored).set_index("parameter")
    assert set(found.index) == {name for name in NAMES if not isinstance(PRIORS[name], Choice)}
    assert (found.low >= found.prior_low).all()
    assert (found.high <= found.prior_high).all()
    own = [setting.piccolo.slo for setting in stored.settings]
    assert found.middle["piccolo.slo"] == pytest.approx(np.median(own), rel=0.02)
    assert found.low["piccolo.slo"] >= min(own)


def _says_of_halves(stored: Stored) -> None:
    halves = stored.halves.half.nunique()
    out = held_out(stored).set_index("key")
    assert out.splits.sum() == sum(len(KEYS) - len(keys) for keys in halves_of(ASKED.seed, halves))
    assert ((out.covered + out.below + out.above) == out.splits).all()
    found = validated(stored)
    assert found.width < 0.3
    assert found.coverage == pytest.approx(cross_validated(stored).coverage.mean())
    # Counted paper by paper, the covered figures are those counted together.
    papers = by_paper(stored)
    covered = sum(
        row.coverage * sum(key not in keys for key in KEYS if key.startswith(f"{row.paper}:"))
        for row in papers.itertuples()
        for keys in [halves_of(ASKED.seed, halves)[int(row.half) - 1]]
    )
    assert covered == pytest.approx(out.covered.sum())
    # A figure that no half reaches is where the model is wrong.
    beyond = replace(stored, halves=stored.halves.assign(**{out.index[0]: -0.5}))
    assert validated(beyond).wrong[0] == out.index[0]


def test_a_model_stands_by_coverage_with_narrow_intervals() -> None:
    assert Validated(0.8, 0.49, ()).passed
    assert not Validated(0.79, 0.2, ()).passed
    assert not Validated(1.0, 0.5, ()).passed


def test_settings_without_workloads_say_nothing_of_the_models_error() -> None:
    assert model_error(pd.DataFrame({"distance_again": [0.2, np.inf, np.inf]})) == 0.2


def test_every_figure_and_parameter_has_a_short_name() -> None:
    for names, label in ((targets(), figure_label), (NAMES, parameter_label)):
        found = [label(name) for name in names]
        assert max(map(len, found)) <= LONGEST + len(" (Harpagon)")
        assert not [name for name in found if "_" in name]
    for paper in PAPERS:
        own = [figure_label(name) for name in of_paper(tuple(targets()), paper)]
        assert len(set(own)) == len(own)
    assert len({parameter_label(name) for name in NAMES}) == len(NAMES)
    assert figure_label("harpagon:q0.1_mean_extra") == "Harp-q0.1: mean extra cost"


@pytest.mark.usefixtures("simulated")
def test_the_stored_draw_is_renewed_with_its_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, chosen = tmp_path / "draws.parquet", tmp_path / "reference.json"
    counts = {f"fact.{paper}:accepted": 0.5 for paper in PAPERS}
    monkeypatch.setattr(renewing, "stored_path", lambda: out)
    monkeypatch.setattr(renewing, "reference_path", lambda: chosen)
    monkeypatch.setattr(reference, "resimulate", lambda again: made_up_again(again) | counts)
    renewing.renew(1, draws=100)
    assert load_stored(out).provenance["seed"] == renewing.SEED == json.loads(chosen.read_text())["seed"]


def test_a_study_is_asked_for_a_new_posterior(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(renewing, "renew", lambda jobs: made.append(f"renewed by {jobs}"))
    monkeypatch.setattr(building, "reproduce", lambda paper, **_: made.append(paper) or tmp_path)
    assert cli.main(["reproduce", "harpagon", "--posterior", "--jobs", "2"]) == 0
    assert cli.main(["reproduce", "harpagon"]) == 0
    assert made == ["renewed by 2", "harpagon", "harpagon"]


@pytest.mark.parametrize("paper", ["scrooge", "ppipe"])
def test_a_paper_without_a_posterior_has_none_to_renew(paper: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["reproduce", paper, "--posterior"]) == 2
    assert "has no posterior" in capsys.readouterr().err


def test_halves_are_halves_and_leave_checks_out() -> None:
    for keys in halves_of(1, 5):
        assert len(keys) == len(KEYS) // 2
        assert set(keys) < set(KEYS)
    assert halves_of(1, 5) == halves_of(1, 5)
    assert len(set(halves_of(1, 5))) == 5


def test_every_parameter_is_stored() -> None:
    assert len(NAMES) == len(set(NAMES)) == len(PRIORS)


def test_a_small_draw_from_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "small.parquet"
    arguments = ["--out", str(out), "--workloads", "4", "--jobs", "1"]
    assert main([*arguments, "--draws", "16", "--seed", "2"]) == 0
    drawn = capsys.readouterr().out
    assert main([*arguments]) == 0
    assert capsys.readouterr().out == drawn
    assert "as cheap as the best plan, tc-shared" in drawn
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 450_000


@pytest.mark.usefixtures("simulated")
def test_a_prior_without_workloads_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampler, "simulate", lambda *_: Simulated({}, {"accepted": 0.0}, {}))
    with pytest.raises(InputError, match="draw more"):
        draw_posterior(ASKED, tmp_path / "none.parquet")
    assert main(["--draws", "16", "--jobs", "1", "--out", str(tmp_path / "none.parquet")]) == 2
