"""A paper's whole draw: noise, draws from the prior, waves that an emulator screens, accepted settings again."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from euclio.core.errors import InputError
from euclio.core.progress import say
from euclio.core.provenance import provenance
from euclio.posterior.distance import Measure, discrepancies, off, pooled_noise
from euclio.posterior.emulator import Emulator, fitted_emulator
from euclio.posterior.groups import groups_of
from euclio.posterior.journal import Journal
from euclio.posterior.prior import NAMES, from_unit
from euclio.posterior.reference import DEFAULT_WORKLOADS, with_defaults
from euclio.posterior.references import Again, resimulate
from euclio.posterior.screening import Screened, Stepped, controls, screened, stepped
from euclio.posterior.simulated import (
    CONTROL,
    PRIOR,
    Point,
    Record,
    prior_point,
    rounded,
    seed_of,
    simulated,
)
from euclio.posterior.simulation import WORKLOADS
from euclio.posterior.store import Stored, accepted_frame, draws_frame, nearest, save_stored
from euclio.posterior.targets import fitted, of_paper

SCREENED = 1_000_000
"""Settings of the prior that every wave screens."""
RUNS, WAVES, STEPPED = 2, 3, 2
"""Runs; waves that screen the prior; waves after them that screen steps from the nearest settings."""
PRIOR_SHARE, CONTROL_SHARE = 0.489, 0.049
"""Shares of a run's settings that are draws from the prior, and controls of what the last wave screened out."""
LEFT_OUT_SHARE = 0.4
"""Share of a wave that is screened for the distances without a group, each alike."""
ACCEPTED_SHARE = 0.0245
"""Share of a run's settings that is accepted."""
POPULATION = 2
"""Settings that steps start from, over those that are accepted."""
BANDS = (10, 100)
"""Ends of the bands of ranks that controls come from, in multiples of what a wave takes for the whole distance."""
NEAREST, AMONG = 0.05, 0.2
"""A screening finds a setting among the nearest 5 % of the other run's prior if it puts it among 20 %."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is drawn of a paper.

    Attributes:
        paper: the paper.
        seed: seed of everything.
        prior: draws from the prior, of a run.
        wave: settings that a wave simulates.
        control: controls, of a run.
        accepted: settings that are accepted, of a run.
        again: draws from the prior that are simulated again next to the accepted ones, of a run.
        pairs: settings that are simulated twice, for the noise.
        workloads: workloads of a setting while drawing; repetitions are in proportion.
        screened: settings that a wave screens.
    """

    paper: str
    seed: int
    prior: int
    wave: int
    control: int
    accepted: int
    again: int
    pairs: int
    workloads: int
    screened: int

    @classmethod
    def of(cls, paper: str, draws: int, seed: int, workloads: int = WORKLOADS, screened: int = SCREENED) -> Plan:
        """A plan of so many simulated settings in all; few of them, or of workloads, make everything small."""
        own = draws // RUNS
        prior, control = round(PRIOR_SHARE * own), round(CONTROL_SHARE * own)
        accepted = max(2, round(ACCEPTED_SHARE * own))
        wave = max(1, (own - prior - control) // (WAVES + STEPPED))
        return cls(
            paper, seed, prior, wave, control, accepted, accepted, max(2, min(24, own // 30)), workloads, screened
        )

    @property
    def small(self) -> float:
        """Workloads of a setting over the usual ones."""
        return self.workloads / WORKLOADS


def draw_posterior(plan: Plan, jobs: int, out: Path) -> Stored:
    """Draw, simulate again and store.

    Args:
        plan: what is drawn.
        jobs: processes, which change no digit but where a search of 1 s runs into its limit.
        out: the file of the draws; the accepted ones stand next to it, and while it is drawn a journal.

    Raises:
        InputError: a journal of other draws is there, no setting has workloads, or scikit-learn is not installed.
    """
    began, version = time.perf_counter(), provenance()["packages"]["euclio"]
    head = {"plan": asdict(plan), "version": version, "parameters": list(NAMES)}
    with Journal(out.with_suffix(".journal"), head, jobs) as journal:
        runs = [_prior(journal, plan, run) for run in range(1, RUNS + 1)]
        keys = of_paper(fitted(), plan.paper)
        noise = _noise(journal, plan, keys)
        measure = Measure(keys, noise, discrepancies([r.figures for own in runs for r in own], keys, noise))
        first = [list(own) for own in runs]
        checks = []
        for run, own in enumerate(runs, start=1):
            emulator = _waves(journal, plan, measure, run, own, jobs)
            checks.append(_screening(emulator, measure, first[RUNS - run]))
            own += _controls(journal, plan, measure, run, emulator)
        accepted = [r for own in runs for r in nearest(own, measure, plan.accepted)]
        if not accepted:
            raise InputError("none of the settings has workloads; draw more", field="draws")
        again = journal.made("accepted settings again", resimulate, _again(plan, accepted, "again"))
        usual = journal.made("accepted settings, default readings", resimulate, _with_defaults(plan, accepted))
        random = [r for own in first for r in [r for r in own if r.figures][: plan.again]]
        known = journal.made("settings of the prior again", resimulate, _again(plan, random, "prior"))
        made_with = {
            "paper": plan.paper,
            "seed": plan.seed,
            "version": version,
            "draws": sum(map(len, runs)),
            "plan": asdict(plan),
            "noise": dict(noise),
            "discrepancy": dict(measure.discrepancy),
            "screening": checks,
        }
        stored = Stored(
            draws_frame([r for own in runs for r in own], measure, random, known),
            accepted_frame(accepted, again, usual, measure),
            made_with,
        )
        save_stored(stored, out)
        minutes = (time.perf_counter() - began) / 60
        say(f"{plan.paper}: {made_with['draws']} settings simulated, {journal.fresh} things made in {minutes:.1f} min")
    journal.path.unlink()
    return stored


def _prior(journal: Journal, plan: Plan, run: int) -> list[Record]:
    """A run's draws from the prior."""
    points = [prior_point(plan.paper, plan.seed, run, place, plan.workloads) for place in range(plan.prior)]
    return _records(journal, run, PRIOR, points, [""] * len(points), [0] * len(points))


def _records(
    journal: Journal,
    run: int,
    wave: int,
    points: Sequence[Point],
    wanted: Sequence[str],
    ranks: Sequence[int],
    ancestors: Sequence[tuple[int, int]] = (),
) -> list[Record]:
    """Points as they are simulated; those without an ancestor are their own."""
    made = journal.made(f"run {run}, wave {wave}", simulated, points)
    rows = zip(points, wanted, ranks, made, strict=True)
    return [
        Record(
            run,
            wave,
            name,
            place,
            rank,
            ancestors[place] if ancestors else (wave, place),
            point.unit,
            one["figures"],
            one["facts"],
        )
        for place, (point, name, rank, one) in enumerate(rows)
    ]


def _noise(journal: Journal, plan: Plan, keys: Sequence[str]) -> dict[str, float]:
    """Noise of every number: the first draws of the first run that have workloads, with two seeds."""
    found: list[tuple[dict[str, float], dict[str, float]]] = []
    tried = 0
    while len(found) < plan.pairs and tried < 20 * plan.pairs:
        numbers = range(tried, tried + plan.pairs)
        own = [prior_point(plan.paper, plan.seed, 0, n, plan.workloads) for n in numbers]
        other = [
            Point(p.paper, p.unit, seed_of(plan.seed, "twice", n), p.workloads)
            for n, p in zip(numbers, own, strict=True)
        ]
        made = journal.made(f"noise from {tried}", simulated, [*own, *other])
        pairs = zip(made[: len(own)], made[len(own) :], strict=True)
        found += [(a["figures"], b["figures"]) for a, b in pairs if a["figures"] and b["figures"]]
        tried += plan.pairs
    return pooled_noise(found[: plan.pairs], keys)


def _waves(journal: Journal, plan: Plan, measure: Measure, run: int, records: list[Record], jobs: int) -> Emulator:
    """Add a run's waves to its records; returns the emulator that was fitted last."""
    measures = {"": measure, **{name: measure.without(name) for name in groups_of(measure.keys)}}
    others = max(1, round(LEFT_OUT_SHARE * plan.wave / (len(measures) - 1)))
    wanted = dict.fromkeys(measures, others) | {"": max(1, plan.wave - others * (len(measures) - 1))}
    for wave in range(1, WAVES + 1):
        emulator = fitted_emulator(records, measure.keys, seed_of(plan.seed, plan.paper, run, wave, "trees"), jobs)
        seed = seed_of(plan.seed, plan.paper, run, wave, "screen")
        say(f"{plan.paper}, run {run}, wave {wave}: {plan.screened:,} settings screened".replace(",", " "))
        asked = emulator, measures, wanted, plan.screened, seed
        # Noted, since a million predictions take most of a minute.
        (noted,) = journal.made(f"run {run}, wave {wave}, screened", _screened, [asked])
        found = {name: Screened(np.array(units), tuple(ranks)) for name, (units, ranks) in noted.items()}
        records += _simulated(journal, plan, run, wave, found)
        _say_how_near(plan, measure, run, wave, records)
    last = fitted_emulator(records, measure.keys, seed_of(plan.seed, plan.paper, run, WAVES + 1, "trees"), jobs)
    emulator = last
    for wave in range(WAVES + 1, WAVES + STEPPED + 1):
        near = {name: nearest(records, own, POPULATION * plan.accepted) for name, own in measures.items()}
        units = {name: np.array([r.unit for r in own]) for name, own in near.items()}
        steps = stepped(emulator, units, measures, wanted, seed_of(plan.seed, plan.paper, run, wave, "steps"))
        records += _simulated(journal, plan, run, wave, steps, near)
        _say_how_near(plan, measure, run, wave, records)
        if wave < WAVES + STEPPED:
            emulator = fitted_emulator(records, measure.keys, seed_of(plan.seed, plan.paper, run, wave, "trees"), jobs)
    return last


def _screened(asked: tuple[Emulator, Mapping[str, Measure], Mapping[str, int], int, int]) -> dict[str, Any]:
    """What is screened, as plain values: points and ranks by the name of the measure."""
    return {name: (own.units.tolist(), list(own.ranks)) for name, own in screened(*asked).items()}


def _say_how_near(plan: Plan, measure: Measure, run: int, wave: int, records: Sequence[Record]) -> None:
    """Say how near the nearest settings are after a wave."""
    kept = nearest(records, measure, plan.accepted)
    ends = f"{measure.distance(kept[0].figures):.3f} to {measure.distance(kept[-1].figures):.3f}" if kept else "none"
    say(f"{plan.paper}, run {run}, wave {wave}: the nearest {len(kept)} within {ends}")


def _simulated(
    journal: Journal,
    plan: Plan,
    run: int,
    wave: int,
    found: Mapping[str, Screened | Stepped],
    near: Mapping[str, Sequence[Record]] | None = None,
) -> list[Record]:
    """Settings that were screened, as they are simulated; one that several measures want is simulated once.

    Args:
        journal: the journal.
        plan: the plan.
        run: the run.
        wave: the wave.
        found: the settings, by the name of the measure that wants them.
        near: the settings that steps start from, by the same name; None: these are of the prior.
    """
    points: list[Point] = []
    wanted: list[str] = []
    ranks: list[int] = []
    ancestors: list[tuple[int, int]] = []
    seen: set[tuple[float, ...]] = set()
    for name, own in found.items():
        for number, (unit, rank) in enumerate(zip(own.units, own.ranks, strict=True)):
            places = rounded(unit)
            if places not in seen:
                seen.add(places)
                seed = seed_of(plan.seed, plan.paper, run, wave, len(points))
                points.append(Point(plan.paper, places, seed, plan.workloads))
                wanted.append(name)
                ranks.append(rank)
                if near is not None and isinstance(own, Stepped):
                    ancestors.append(near[name][own.parents[number]].ancestor)
    return _records(journal, run, wave, points, wanted, ranks, ancestors)


def _controls(journal: Journal, plan: Plan, measure: Measure, run: int, emulator: Emulator) -> list[Record]:
    """Random settings that another million's screening leaves out, by bands of their ranks."""
    taken = max(1, round((1 - LEFT_OUT_SHARE) * plan.wave))
    ends = [taken, *(min(taken * many, plan.screened) for many in BANDS), plan.screened]
    bands = [(low, high) for low, high in pairwise(ends) if low < high]
    seed = seed_of(plan.seed, plan.paper, run, "controls")
    own = controls(emulator, measure, bands, max(1, plan.control // len(bands)), plan.screened, seed)
    points = [Point(plan.paper, rounded(unit), seed_of(seed, n), plan.workloads) for n, unit in enumerate(own.units)]
    return _records(journal, run, CONTROL, points, [""] * len(points), own.ranks)


def _screening(emulator: Emulator, measure: Measure, unseen: Sequence[Record]) -> dict[str, float]:
    """How an emulator ranks the other run's draws from the prior, which it has not seen.

    `found` is the share of the nearest 5 % of those with workloads that it puts among the nearest 20 %; `correlation`
    is the rank correlation of predicted and simulated distances.
    """
    known = [r for r in unseen if r.figures]
    if len(known) < 2:
        return {}
    logs, likely = emulator.predicted(np.array([r.unit for r in known], dtype=np.float64))
    predicted = np.where(likely, measure.distances(logs), np.inf)
    true = measure.distances(np.array([off(r.figures, measure.keys) for r in known]))
    by_emulator, by_simulation = (np.argsort(np.argsort(d, kind="stable"), kind="stable") for d in (predicted, true))
    near = by_simulation < max(1, round(NEAREST * len(known)))
    return {
        "settings": float(len(known)),
        "found": float((by_emulator[near] < max(1, round(AMONG * len(known)))).mean()),
        "correlation": float(np.corrcoef(by_emulator, by_simulation)[0, 1]),
        "refused": float(1 - likely.mean()),
    }


def _again(plan: Plan, records: Sequence[Record], name: str) -> list[Again]:
    """Settings to be simulated again, with seeds that no draw has."""
    return [
        Again.of(plan.paper, from_unit(np.array(r.unit)), seed_of(plan.seed, plan.paper, name, n), plan.small)
        for n, r in enumerate(records)
    ]


def _with_defaults(plan: Plan, records: Sequence[Record]) -> list[Again]:
    """Accepted settings with the readings of the solvers' own rows; best splits and plans are of no interest here."""
    count = max(3, round(plan.small * DEFAULT_WORKLOADS))
    found: list[Any] = [from_unit(np.array(r.unit)) for r in records]
    return [
        Again(plan.paper, with_defaults(plan.paper, one), seed_of(plan.seed, plan.paper, "default", n), count, 0, 0)
        for n, one in enumerate(found)
    ]
