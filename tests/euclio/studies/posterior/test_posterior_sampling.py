"""Sampling on a made-up simulation that takes no time: it finds what it should, repeats, and goes on where it was."""

from pathlib import Path

import numpy as np
import pytest

from euclio.core.errors import InputError
from euclio.studies.posterior import drawing, sampler
from euclio.studies.posterior.__main__ import main
from euclio.studies.posterior.distance import UNKNOWN, distance, pooled_noise, weights
from euclio.studies.posterior.drawing import Asked, draw_posterior, halves_of
from euclio.studies.posterior.evidence import (
    compared,
    correlations,
    coverage,
    cross_validated,
    interval,
    narrowed,
    summary,
)
from euclio.studies.posterior.figures import write_figures
from euclio.studies.posterior.journal import Journal
from euclio.studies.posterior.prior import NAMES, PRIORS, Setting, draw
from euclio.studies.posterior.references import Again
from euclio.studies.posterior.sampler import Plan, mirrored, sample, walk
from euclio.studies.posterior.simulation import Simulated
from euclio.studies.posterior.store import load_stored, settings_of
from euclio.studies.posterior.targets import fitted, targets

KEYS = fitted()


def made_up(setting: Setting, seed: int, count: int) -> Simulated:
    """Every figure is off by how far `slo` is from the middle of its range; a corner of the prior has no workloads."""
    off = PRIORS["slo"].place(setting.slo) - 0.5
    if setting.heavy_machines < 1.6:
        return Simulated({}, {"accepted": 0.0}, {})
    noise = np.random.default_rng(seed).normal(0, 0.01, len(targets()))
    figures = {
        k: (t.value + 1) * float(np.exp(off + e)) - 1 for (k, t), e in zip(targets().items(), noise, strict=True)
    }
    return Simulated(figures, {"accepted": 0.5}, {})


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampler, "simulate", made_up)
    monkeypatch.setattr(drawing, "resimulate", lambda again: made_up(again.setting, again.seed, 10).figures)


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
    a, b = {"2d_mean_extra": 9.0, "dt_mean_extra": 5.0}, {"2d_mean_extra": 10 * np.exp(0.954) - 1, "dt_mean_extra": 5.0}
    found = pooled_noise([(a, b), (a, a)], ("2d_mean_extra", "dt_mean_extra"))
    assert found == {"2d_mean_extra": 1.0, "dt_mean_extra": UNKNOWN}


def test_mirrors_keep_places_within_the_cube() -> None:
    assert [mirrored(x) for x in (0.3, -0.2, 1.25, 2.5)] == pytest.approx([0.3, 0.2, 0.75, 0.5])


@pytest.mark.usefixtures("simulated")
def test_populations_come_nearer_round_by_round() -> None:
    plan = Plan.of(400, 5, 10)
    largest = [m[-1].distance for _, m in sample(plan, {}, KEYS, lambda chains: map(walk, chains))]
    assert len(largest) == plan.rounds + 1
    assert largest == sorted(largest, reverse=True)
    assert largest[-1] < 0.25 * largest[0]


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

    def interrupted(setting: Setting, seed: int, count: int) -> Simulated:
        nonlocal calls
        calls += 1
        if calls == 150:
            raise KeyboardInterrupt
        return made_up(setting, seed, count)

    monkeypatch.setattr(sampler, "simulate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        draw_posterior(ASKED, tmp_path / "cut.parquet")
    journal = tmp_path / "cut.journal"
    journal.write_text(journal.read_text() + '{"label": "all", "rou')
    calls = 200
    again = draw_posterior(ASKED, tmp_path / "cut.parquet")
    assert again.draws.equals(whole.draws)
    assert again.accepted.equals(whole.accepted)
    # What was noted is not simulated again.
    assert calls - 200 < len(whole.draws) + 200


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
    assert abs(correlations(stored.prior).loc["slo"]).min() > 0.95
    assert narrowed(stored)["slo"] < 0.3
    assert cross_validated(stored).coverage.min() > 0.6
    assert interval(stored.accepted, "nothing").covers(1.0) is False
    assert coverage(stored.prior, KEYS) == 1.0
    # The model's error widens intervals around the same middle, and shares end at 100.
    own, wide = interval(stored.accepted, "2d_mean_extra"), interval(stored.accepted, "2d_mean_extra", 0.5)
    assert wide.low < own.low < own.high < wide.high
    assert wide.middle == pytest.approx(own.middle, rel=0.05)
    assert interval(stored.accepted, "optimal_share", 0.5).high == 100.0
    assert "median width over prior" in summary(stored)
    write_figures(stored, tmp_path / "figures")
    assert {p.name for p in (tmp_path / "figures").iterdir()} == {
        "posterior-intervals.svg",
        "posterior-optimal.svg",
        "posterior-sensitivity.svg",
    }


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
    arguments = ["--out", str(out), "--workloads", "8", "--jobs", "1"]
    assert main([*arguments, "--draws", "16", "--seed", "2"]) == 0
    drawn = capsys.readouterr().out
    assert main([*arguments]) == 0
    assert capsys.readouterr().out == drawn
    assert "optimal_share" in drawn
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 300_000


@pytest.mark.usefixtures("simulated")
def test_a_prior_without_workloads_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampler, "simulate", lambda *_: Simulated({}, {"accepted": 0.0}, {}))
    with pytest.raises(InputError, match="draw more"):
        draw_posterior(ASKED, tmp_path / "none.parquet")
    assert main(["--draws", "16", "--jobs", "1", "--out", str(tmp_path / "none.parquet")]) == 2
