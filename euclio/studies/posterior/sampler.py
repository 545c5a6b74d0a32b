"""Approximate Bayesian computation: settings whose figures come near the published ones.

First rejection: settings of the prior, the nearest of which are the population. Then rounds of replenishment (Drovandi
and Pettitt 2011): the farther half of the population is dropped, the largest distance left is the new tolerance, copies
of the others take the empty places, and each copy walks a few steps of a Markov chain that stays within the tolerance.
The prior is uniform on the unit cube and proposals are symmetric, so that a step is accepted wherever it is within cube
and tolerance, and all members count alike. Population Monte Carlo with importance weights was the other candidate: with
some forty parameters a few members carry nearly all the weight, and the sample is worth little.

A step moves parameters of one block: all of them, the shared ones, or one paper's own. Where one paper's own move
alone, that paper alone is simulated anew, and the other one keeps the figures that it came with: they are part of the
chain's state, drawn from the model at parameters that stay what they were (Metropolis within Gibbs on parameters and
figures).

Every chain has a random stream of its own, made of seed, round and place: results do not depend on the number of
processes, and a draw that is interrupted goes on where it was.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count as count_up
from math import ceil, log
from typing import Any

import numpy as np

from euclio.studies.posterior.distance import distance, pooled_noise
from euclio.studies.posterior.prior import BLOCKS, NAMES, PAPERS, PRIORS, Choice, Unit, draw_unit, from_unit
from euclio.studies.posterior.simulation import WORKLOADS, simulate
from euclio.studies.posterior.targets import fitted, full, of_paper

ALL, SHARED = "all", "shared"
STEPPED = (ALL, SHARED, SHARED, *PAPERS, *PAPERS)
"""Blocks of parameters that a step may move, each as likely."""
DIGITS = 4
"""Decimals of places in the cube, and digits of figures: what is stored is what was computed with."""
STEPS = (3, 9)
"""Fewest and most steps of a chain."""
UNMOVED = 0.05
"""Share of chains that may end where they began: a round has as many steps as that takes."""
PRIOR_SHARE, POPULATION = 0.3, 160
"""Share of the draws that are from the prior, and size of the population."""
CROSSOVER = (0.15, 0.4, 1.0)
"""Shares of the parameters that a step changes, each as likely."""
SHORTER = (1.0, 0.5, 0.25)
"""Factors of a step's length, each as likely: the bolder ones cross, the shorter ones stay within narrow tolerances."""
JITTER = 0.02
"""Standard deviation of what is added to every changed place, so that no direction stays closed."""
PAIRS = 24
"""Settings that are simulated twice, for the noise."""


MOVABLE: dict[str, tuple[int, ...]] = {
    ALL: tuple(range(len(NAMES))),
    SHARED: tuple(i for i in range(len(NAMES)) if not any(i in own for own in BLOCKS.values())),
    **BLOCKS,
}
"""Places of the parameters of every block."""


@dataclass(frozen=True, slots=True)
class Record:
    """A setting that was simulated.

    Attributes:
        round: 0: drawn from the prior; above: in this round of replenishment.
        chain: place in the round.
        step: step of the chain, 0 in round 0.
        accepted: whether the chain went there; of the prior: whether there are figures.
        unit: its point in the cube.
        figures: measures of both papers by name; empty: a paper has no workloads, or the setting was given up when the
            first paper's figures were beyond the tolerance.
        facts: what is reported of the workloads, by PAPER:NAME.
    """

    round: int
    chain: int
    step: int
    accepted: bool
    unit: tuple[float, ...]
    figures: Mapping[str, float]
    facts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the population: its point, its figures, its distance."""

    record: Record
    distance: float


@dataclass(frozen=True, slots=True)
class Plan:
    """How many settings are drawn.

    Attributes:
        seed: seed of everything.
        prior: settings drawn from the prior.
        population: size of the population, an even number.
        chained: settings drawn in rounds of replenishment; no round is begun that would exceed it.
        workloads: workloads of a setting.
    """

    seed: int
    prior: int
    population: int
    chained: int
    workloads: int = WORKLOADS

    @classmethod
    def of(cls, draws: int, seed: int, workloads: int = WORKLOADS) -> Plan:
        """A part of the draws from the prior, the rest in rounds; of few draws the population is smaller."""
        population = max(8, min(POPULATION, draws // 20 // 2 * 2))
        prior = max(round(draws * PRIOR_SHARE), population)
        return cls(seed, prior, population, max(0, draws - prior), workloads)


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain to walk.

    Attributes:
        plan: the plan.
        round: its round.
        place: its place in the round.
        start: where it starts; None: it is one draw from the prior.
        pairs: points of the population that directions are taken from, shape (members, parameters).
        tolerance: largest distance allowed.
        noise: noise of every figure.
        keys: the figures that count.
        steps: how many steps it takes.
    """

    plan: Plan
    round: int
    place: int
    start: Record | None = None
    pairs: tuple[tuple[float, ...], ...] = ()
    tolerance: float = float("inf")
    noise: Mapping[str, float] | None = None
    keys: tuple[str, ...] = ()
    steps: int = STEPS[0]


Walked = Callable[[Sequence[Chain]], Iterable[list[Record]]]
"""What walks chains, in order, in this process or in others."""


def walk(chain: Chain) -> list[Record]:
    """The records of a chain."""
    plan = chain.plan
    if chain.start is None:
        unit = np.round(draw_unit(plan.seed, chain.place), DIGITS)
        return [_simulated(chain, 0, unit, None, PAPERS)]
    stream = random.Random(f"{plan.seed}/{chain.round}/{chain.place}")
    at, records = chain.start, []
    for step in range(chain.steps):
        block = stream.choice(STEPPED)
        unit = np.round(_proposal(np.array(at.unit), block, chain, stream), DIGITS)
        record = _simulated(chain, step, unit, at, (block,) if block in PAPERS else PAPERS)
        records.append(record)
        if record.accepted:
            at = record
    return records


def _simulated(chain: Chain, step: int, unit: Unit, before: Record | None, papers: Sequence[str]) -> Record:
    """Simulate a setting; it is accepted where it has figures, within the tolerance where there is one.

    Args:
        chain: the chain.
        step: number of the step.
        unit: the setting's point.
        before: where the chain is, whose figures of papers that are not simulated are kept; None: of none.
        papers: the papers to simulate.
    """
    known = [paper for paper in PAPERS if paper not in papers]
    figures = _of_papers(before.figures, known) if before else {}
    facts = _of_papers(before.facts, known) if before else {}
    setting = from_unit(unit)
    for paper in papers:
        seed = random.Random(f"{chain.plan.seed}/{chain.round}/{chain.place}/{step}/{paper}").getrandbits(31)
        found = simulate(paper, setting, seed, chain.plan.workloads)
        figures |= {full(paper, key): short(value) for key, value in found.figures.items()}
        facts |= {full(paper, key): short(value) for key, value in found.facts.items()}
        known.append(paper)
        least = distance(figures, chain.noise or {}, chain.keys, known) if chain.keys else 0.0
        # Nothing that the other paper's figures may be brings it back within the tolerance.
        if not found.figures or least > chain.tolerance:
            return Record(chain.round, chain.place, step, False, tuple(unit.tolist()), {}, facts)
    return Record(chain.round, chain.place, step, True, tuple(unit.tolist()), figures, facts)


def _of_papers(values: Mapping[str, float], papers: Sequence[str]) -> dict[str, float]:
    """The values of some papers, by PAPER:NAME."""
    return {key: value for key, value in values.items() if key.partition(":")[0] in papers}


def short(value: float) -> float:
    """A number cut to the digits that are stored."""
    return float(f"{value:.{DIGITS}g}")


def _proposal(at: Unit, block: str, chain: Chain, stream: random.Random) -> Unit:
    """A symmetric step within a block: along the difference of two members (ter Braak 2006), mirrored at the walls."""
    a, b = (np.array(chain.pairs[stream.randrange(len(chain.pairs))]) for _ in range(2))
    share = stream.choice(CROSSOVER)
    places = MOVABLE[block]
    chosen = [i for i in places if stream.random() < share] or [stream.choice(places)]
    scale = stream.choice(SHORTER) * 2.38 / (2 * len(chosen)) ** 0.5
    unit = at.copy()
    for i in chosen:
        if isinstance(PRIORS[NAMES[i]], Choice) and stream.random() < 0.5:
            # Differences of two members seldom lead from one value to another.
            unit[i] = stream.random()
        else:
            unit[i] = mirrored(unit[i] + scale * (a[i] - b[i]) + stream.gauss(0.0, JITTER))
    return unit


def mirrored(place: float) -> float:
    """A place brought back between 0 and 1 by mirrors at both."""
    place %= 2.0
    return 2.0 - place if place > 1.0 else place


Mapped = Callable[[Any, Sequence[Any]], Iterable[Any]]
"""What makes something of each of some things, in order, in this process or in others."""


def measured_noise(plan: Plan, pairs: int = PAIRS, mapped: Mapped = map) -> dict[str, float]:
    """The noise of every fitted figure, from settings of the prior that are simulated twice, each paper's on its own.

    Args:
        plan: the plan.
        pairs: settings that have workloads of a paper.
        mapped: makes something of each of some things.
    """
    found: dict[str, float] = {}
    for paper in PAPERS:
        both: list[tuple[Mapping[str, float], Mapping[str, float]]] = []
        for tried in range(20):
            asked = [(paper, plan, number) for number in range(tried * pairs + 1, (tried + 1) * pairs + 1)]
            both += [twice for twice in mapped(_twice, asked) if all(twice)]
            if len(both) >= pairs:
                break
        found |= pooled_noise(both[:pairs], of_paper(fitted(), paper))
    return found


def _twice(asked: tuple[str, Plan, int]) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Figures of a paper under a setting of the prior with two seeds; the second ones are empty where the first are."""
    paper, plan, number = asked
    # Numbers below 0 are of no draw.
    setting = from_unit(draw_unit(plan.seed, -number))
    made: list[Mapping[str, float]] = []
    for seed in (plan.seed + 2 * number, plan.seed + 2 * number + 1):
        figures = simulate(paper, setting, seed, plan.workloads).figures if all(made) else {}
        made.append({full(paper, key): value for key, value in figures.items()})
    return made[0], made[1]


def sample(
    plan: Plan, noise: Mapping[str, float], keys: Sequence[str], walked: Walked, prior: Sequence[Record] = ()
) -> Iterator[tuple[list[Record], list[Member]]]:
    """Draw settings, round by round.

    Args:
        plan: how many.
        noise: noise of every figure.
        keys: the figures that count.
        walked: walks chains.
        prior: the draws from the prior, where they are made already.

    Yields:
        The records of the round and the population after it, nearest first; the first round is the prior's.
    """
    records = list(prior) or [r for rs in walked([Chain(plan, 0, place) for place in range(plan.prior)]) for r in rs]
    population = nearest(records, noise, keys)[: plan.population]
    yield records, population
    left, steps = plan.chained, STEPS[0]
    for number in count_up(1):
        kept = nearer_half(population)
        missing = len(population) - len(kept)
        if len(kept) < 2 or left < missing * steps:
            return
        records, moved = _replenished(plan, number, kept, missing, steps, noise, keys, walked)
        population = sorted([*kept, *moved], key=lambda member: member.distance)
        yield records, population
        left -= len(records)
        steps = steps_for(sum(record.accepted for record in records) / len(records))


def steps_for(accepted: float) -> int:
    """Steps that leave few chains where they began, if such a share of steps is accepted."""
    fewest, most = STEPS
    if accepted <= 0:
        return most
    return fewest if accepted >= 1 else min(most, max(fewest, ceil(log(UNMOVED) / log(1 - accepted))))


def nearest(records: Iterable[Record], noise: Mapping[str, float], keys: Sequence[str]) -> list[Member]:
    """Those with figures, nearest first."""
    known = [Member(r, distance(r.figures, noise, keys)) for r in records if r.figures]
    return sorted(known, key=lambda member: member.distance)


def nearer_half(population: Sequence[Member]) -> list[Member]:
    """The half of a population, nearest first, that is nearer."""
    return list(population[: (len(population) + 1) // 2])


def _replenished(
    plan: Plan,
    number: int,
    kept: Sequence[Member],
    missing: int,
    steps: int,
    noise: Mapping[str, float],
    keys: Sequence[str],
    walked: Walked,
) -> tuple[list[Record], list[Member]]:
    """The records of a round of chains, and the members that they end in."""
    stream = random.Random(f"{plan.seed}/{number}")
    starts = [stream.choice(kept) for _ in range(missing)]
    points = tuple(tuple(member.record.unit) for member in kept)
    tolerance = kept[-1].distance
    chains = [
        Chain(plan, number, place, start.record, points, tolerance, noise, tuple(keys), steps)
        for place, start in enumerate(starts)
    ]
    records: list[Record] = []
    ends = []
    for start, own in zip(starts, walked(chains), strict=True):
        records += own
        reached = [r for r in own if r.accepted]
        ends.append(Member(reached[-1], distance(reached[-1].figures, noise, keys)) if reached else start)
    return records, ends
