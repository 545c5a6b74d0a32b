"""Settings that keep to print, nearest to a paper's other numbers: a population that is changed and kept (ours).

A screen of random settings finds few near ones, since thirty parameters are free. So settings are changed along the
difference of two others (ter Braak 2006), and a changed one takes the place of its parent where it is nearer. Both are
simulated on the same workloads, which every generation draws anew: what fits one sample of workloads alone is lost
again. The share of optimal splits is in no distance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from euclio.core.progress import say
from euclio.core.provenance import provenance
from euclio.posterior.distance import Values, off
from euclio.posterior.journal import Journal
from euclio.posterior.printed import FREE, as_printed, places_of
from euclio.posterior.prior import DEFAULTS, Choice, Setting
from euclio.posterior.references import Again, resimulate
from euclio.posterior.simulated import DIGITS, seed_of, short
from euclio.posterior.simulation import simulate
from euclio.posterior.store import stored_draw
from euclio.posterior.targets import full, machines_fitted

LENGTHS, CHANGED, JITTER, REDRAWN = (0.4, 0.8), (0.1, 0.25, 0.6), 0.03, 0.25
"""Factors of a step, shares of the parameters it changes, what is added to it, and how often a choice is redrawn."""
LEADERS = 8
"""Nearest settings that half of the steps also go towards."""
DOUBT = 0.02
"""A setting that few workloads speak for counts as so much farther, over the root of their samples."""
OFF = float(np.log(2.0))
"""The largest logarithm that counts: a number that is off by more than a factor of two is off, however far."""
FINALISTS = 8
"""Settings of the last generation that are simulated on more workloads, of which the nearest is taken."""

SIZES = (200, 400)
"""Workloads that choose among these, and others that judge them and say how often Harpagon is optimal."""


@dataclass(frozen=True, slots=True)
class Search:
    """A search of a paper's settings.

    Attributes:
        paper: the paper.
        seed: seed of everything.
        generations: how often the population is changed.
        size: settings that are kept.
        starts: random settings that it begins with, next to those that the stored draw accepted.
        workloads: workloads of a setting in a generation.
        fixed: readings that all settings take.
    """

    paper: str
    seed: int
    generations: int
    size: int
    starts: int
    workloads: int
    fixed: Mapping[str, Any]

    @classmethod
    def of(cls, paper: str, seed: int, generations: int) -> Search:
        """The search that the stored setting is of: with the readings of the solvers' own rows.

        A workload counts that the paper's own system has a plan for: no setting gives Harp-1c, which has a single
        configuration and no dummies, plans for captions, one of the five applications.
        """
        fixed = {**DEFAULTS[paper], "acceptance": "own", "one_dummies": False}
        return cls(paper, seed, generations, size=24, starts=72, workloads=48, fixed=fixed)

    def setting(self, places: Sequence[float]) -> Setting:
        """The setting at a point of the cube of `FREE`."""
        return replace(as_printed(self.paper, np.array(places)), **self.fixed)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A setting to be simulated on some workloads."""

    search: Search
    places: tuple[float, ...]
    seed: int


def nearest_setting(
    search: Search, jobs: int, out: Path, sizes: tuple[int, int] = SIZES
) -> tuple[Setting, dict[str, Any]]:
    """Search, and take the nearest of the last generation on other workloads.

    Args:
        search: the search.
        jobs: processes, which change no digit.
        out: the file beside which a journal stands meanwhile.
        sizes: workloads that choose among the finalists, and others that judge them.

    Returns:
        The setting, and what is stored with it: how it was found, and its numbers on workloads that chose nothing.
    """
    keys, stream = machines_fitted(search.paper), np.random.default_rng(search.seed)
    head = {"search": asdict(search), "parameters": list(FREE), "version": provenance()["packages"]["euclio"]}
    with Journal(out.with_suffix(".journal"), head, jobs) as journal:
        points = _starts(search, stream)
        apart = _distances(journal, search, keys, points, "starts")
        kept = np.argsort(apart, kind="stable")[: search.size]
        points, total, count = points[kept], apart[kept], np.ones(search.size)
        for generation in range(1, search.generations + 1):
            children = _children(points, total / count + DOUBT / np.sqrt(count), stream)
            both = _distances(journal, search, keys, np.concatenate((points, children)), f"generation {generation}")
            parents, own = both[: search.size], both[search.size :]
            total, count = total + parents, count + 1
            # Nearer on these workloads, and nearer than the parent is on average.
            nearer = (own < parents) & (own < total / count)
            points[nearer], total[nearer], count[nearer] = children[nearer], own[nearer], 1
            mean = np.sort(total / count)
            say(f"{search.paper}, generation {generation}: nearest {mean[0]:.3f}, median {np.median(mean):.3f}")
        order = np.argsort(total / count + DOUBT / np.sqrt(count), kind="stable")[:FINALISTS]
        finalists = [search.setting(points[k]) for k in order]
        chosen, found = _chosen(journal, search, keys, finalists, sizes)
    journal.path.unlink()
    return finalists[chosen], {"search": head["search"], "version": head["version"], **found}


def apart_in(figures: Mapping[str, float], keys: Sequence[str]) -> float:
    """Mean logarithm by which numbers are off, each cut at `OFF`; a setting without workloads is farther than any."""
    if not figures:
        return 2 * OFF
    logs = np.abs(off(figures, keys))
    return float(np.minimum(np.where(np.isfinite(logs), logs, OFF), OFF).mean())


def _starts(search: Search, stream: np.random.Generator) -> Values:
    """Settings to begin with: random ones, and those that the stored draw accepted, with what is printed."""
    accepted = [places_of(setting) for setting in stored_draw(search.paper).settings]
    both = np.concatenate((stream.random((search.starts, len(FREE))), np.array(accepted)))
    return np.asarray(np.round(both, DIGITS), np.float64)


def _children(points: Values, apart: Values, stream: np.random.Generator) -> Values:
    """One changed setting of each."""
    size, free = points.shape
    leaders = np.argsort(apart, kind="stable")[:LEADERS]
    one, other = points[stream.integers(size, size=size)], points[stream.integers(size, size=size)]
    length = stream.choice(LENGTHS, size=(size, 1))
    towards = (stream.random((size, 1)) < 0.5) * (points[stream.choice(leaders, size=size)] - points)
    moved = points + length * (one - other + towards) + stream.normal(0.0, JITTER, (size, free))
    # Differences of two settings seldom lead from one value of a choice to another.
    choice = np.array([isinstance(own, Choice) for own in FREE.values()])
    moved = np.where(choice & (stream.random((size, free)) < REDRAWN), stream.random((size, free)), moved)
    changed = stream.random((size, free)) < stream.choice(CHANGED, size=(size, 1))
    changed[np.arange(size), stream.integers(free, size=size)] = True
    # Mirrored at the walls of the cube.
    folded = np.where(changed, moved, points) % 2.0
    return np.asarray(np.round(np.where(folded > 1.0, 2.0 - folded, folded), DIGITS), np.float64)


def _distances(journal: Journal, search: Search, keys: Sequence[str], points: Values, label: str) -> Values:
    """The distances of some settings on the same workloads."""
    seed = seed_of(search.seed, search.paper, label)
    asked = [_Asked(search, tuple(one), seed) for one in points.tolist()]
    return np.array([apart_in(figures, keys) for figures in journal.made(label, _figures, asked)])


def _figures(asked: _Asked) -> dict[str, float]:
    """The numbers of a setting by PAPER:KEY."""
    search = asked.search
    found = simulate(search.paper, search.setting(asked.places), asked.seed, search.workloads)
    return {full(search.paper, key): short(value) for key, value in found.figures.items()}


def _chosen(
    journal: Journal, search: Search, keys: Sequence[str], finalists: Sequence[Setting], sizes: tuple[int, int]
) -> tuple[int, dict[str, Any]]:
    """Which finalist is nearest on many workloads; and the numbers of all of them on others, with best splits."""
    choosing, judging = (
        [Again(search.paper, own, seed_of(search.seed, label, n), size, split, 0) for n, own in enumerate(finalists)]
        for label, size, split in (("choosing", sizes[0], 0), ("judging", sizes[1], sizes[1]))
    )
    apart = [apart_in(figures, keys) for figures in journal.made("finalists", resimulate, choosing)]
    best = int(np.argmin(apart))
    numbers = journal.made("finalists on other workloads", resimulate, judging)
    share = [own.get(full(search.paper, "optimal_share")) for own in numbers]
    return best, {
        "distance": {"choosing": round(apart[best], 4), "judging": round(apart_in(numbers[best], keys), 4)},
        "numbers": numbers[best],
        "optimal_share_of_finalists": share,
    }
