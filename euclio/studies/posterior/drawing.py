"""The whole draw: noise, settings, accepted settings again, cross-validation; stored as Parquet next to each other."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from euclio.core.errors import InputError
from euclio.core.progress import say
from euclio.core.provenance import provenance
from euclio.studies.posterior.journal import Journal
from euclio.studies.posterior.prior import NAMES, from_unit
from euclio.studies.posterior.references import Again, resimulate
from euclio.studies.posterior.sampler import Chain, Member, Plan, Record, measured_noise, nearer_half, sample
from euclio.studies.posterior.store import Stored, accepted_frame, draws_frame, half_frame, save_stored
from euclio.studies.posterior.targets import fitted

SPLITS = 5
"""Random halves of the fitted figures, for the cross-validation."""
SPLIT_POPULATION, SPLIT_DRAWS = 0.3, 0.14
"""A half's population and chained settings over the whole's: five of them then take less time than the whole."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for.

    Attributes:
        draws: settings.
        seed: seed of everything.
        jobs: processes.
        workloads: workloads of a setting while drawing; the others are in proportion to `Again`'s.
        pairs: settings simulated twice for the noise.
        again: how an accepted setting is simulated again.
        splits: halves of the cross-validation.
    """

    draws: int
    seed: int
    jobs: int
    workloads: int
    pairs: int
    again: Again
    splits: int = SPLITS


def draw_posterior(asked: Asked, out: Path) -> Stored:
    """Draw, simulate again, cross-validate and store.

    Args:
        asked: what is asked for.
        out: the file of the draws; the accepted ones stand next to it, and while it is drawn a journal.

    Raises:
        InputError: a journal of other draws is there, or no setting has workloads.
    """
    plan = Plan.of(asked.draws, asked.seed, asked.workloads)
    head = {
        "plan": asdict(plan),
        "pairs": asked.pairs,
        "version": provenance()["packages"]["euclio"],
        "parameters": list(NAMES),
        "again": [asked.again.workloads, dict(asked.again.split), asked.again.plan],
    }
    with Journal(out.with_suffix(".journal"), head, asked.jobs) as journal:
        say(f"noise of {asked.workloads} workloads from {asked.pairs} settings")
        noise = measured_noise(plan, asked.pairs, journal.mapped)
        records, population = _drawn(journal, "all", plan, noise, fitted(), [])
        # Those within the next tolerance, had there been one more round.
        members = nearer_half(population)
        prior = [r for r in records if r.round == 0]
        if not members:
            raise InputError("none of the settings has workloads; draw more", field="draws")
        say(f"{len(members)} accepted within {members[-1].distance:.3f}; simulating them again")
        again = journal.made("again", resimulate, [_again(asked, m, n) for n, m in enumerate(members)])
        halves = _halves(journal, plan, noise, prior, asked)
        made_with = {
            "seed": asked.seed,
            "version": head["version"],
            "draws": len(records),
            "plan": asdict(plan),
            "noise": noise,
            "workloads_again": head["again"],
        }
        stored = Stored(draws_frame(records, noise), accepted_frame(members, again, noise), halves, made_with)
        save_stored(stored, out)
    journal.path.unlink()
    return stored


def _drawn(
    journal: Journal, label: str, plan: Plan, noise: Any, keys: Sequence[str], prior: Sequence[Record]
) -> tuple[list[Record], list[Member]]:
    """All records of a sample and its last population."""
    records: list[Record] = []
    members: list[Member] = []

    def walked(chains: Sequence[Chain]) -> Iterable[list[Record]]:
        return journal.walks(label, chains)

    for number, (made, members) in enumerate(sample(plan, noise, keys, walked, prior)):
        records += made
        moved = sum(r.accepted for r in made) / len(made)
        ends = f"; population from {members[0].distance:.3f} to {members[-1].distance:.3f}" if members else ""
        say(f"{label}, round {number}: {len(records)} settings, {100 * moved:.1f} % of the last accepted{ends}")
    return records, members


def _again(asked: Asked, member: Member, number: int) -> Again:
    """An accepted setting to be simulated again, with a seed that no draw has."""
    setting = from_unit(np.array(member.record.unit))
    return replace(asked.again, setting=setting, seed=seed_again(asked.seed, number))


def seed_again(seed: int, number: int) -> int:
    """The seed of an accepted setting's repetition, by its place among the accepted ones, from 0, nearest first."""
    return random.Random(f"{seed}/again/{number}").getrandbits(31)


def halves_of(seed: int, splits: int) -> list[tuple[str, ...]]:
    """Random halves of the fitted figures."""
    keys = fitted()
    return [tuple(sorted(random.Random(f"{seed}/half/{n}").sample(keys, len(keys) // 2))) for n in range(splits)]


def _halves(journal: Journal, plan: Plan, noise: Any, prior: Sequence[Record], asked: Asked) -> pd.DataFrame:
    """Populations that are fitted to one half of the figures only, with all their figures.

    The draws from the prior are those of the whole sample; rounds of replenishment are each half's own.
    """
    population = max(8, round(plan.population * SPLIT_POPULATION / 2) * 2)
    smaller = replace(plan, population=population, chained=round(plan.chained * SPLIT_DRAWS))
    frames = []
    for n, keys in enumerate(halves_of(asked.seed, asked.splits)):
        _, members = _drawn(journal, f"half {n + 1}", smaller, noise, keys, prior)
        frames.append(half_frame(n, members))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
