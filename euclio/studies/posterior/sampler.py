"""Approximate Bayesian computation: settings whose figures come near the published ones.

First rejection: settings of the prior, the nearest of which are the population. Then rounds of replenishment (Drovandi
and Pettitt 2011): the farther half of the population is dropped, the largest distance left is the new tolerance, copies
of the others take the empty places, and each copy walks a few steps of a Markov chain that stays within the tolerance.
The prior is uniform on the unit cube and proposals are symmetric, so that a step is accepted wherever it is within cube
and tolerance, and all members count alike. Population Monte Carlo with importance weights was the other candidate: with
some thirty parameters a few members carry nearly all the weight, and the sample is worth little.

Every chain has a random stream of its own, made of seed, round and place: results do not depend on the number of
processes, and a draw that is interrupted goes on where it was.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from euclio.studies.posterior.distance import distance, pooled_noise
from euclio.studies.posterior.prior import NAMES, PRIORS, Choice, Unit, draw_unit, from_unit
from euclio.studies.posterior.simulation import WORKLOADS, simulate
from euclio.studies.posterior.targets import fitted

DIGITS = 4
"""Decimals of places in the cube, and digits of figures: what is stored is what was computed with."""
STEPS = 5
"""Steps of a chain."""
CROSSOVER = (0.15, 0.4, 1.0)
"""Shares of the parameters that a step changes, each as likely."""
JITTER = 0.02
"""Standard deviation of what is added to every changed place, so that no direction stays closed."""
PAIRS = 24
"""Settings that are simulated twice, for the noise."""


@dataclass(frozen=True, slots=True)
class Record:
    """A setting that was simulated.

    Attributes:
        round: 0: drawn from the prior; above: in this round of replenishment.
        chain: place in the round.
        step: step of the chain, 0 in round 0.
        accepted: whether the chain went there; of the prior: whether there are figures.
        unit: its point in the cube.
        figures: measures by key; empty: no workloads.
        facts: what is reported of the workloads.
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
        rounds: rounds of replenishment.
        workloads: workloads of a setting.
    """

    seed: int
    prior: int
    population: int
    rounds: int
    workloads: int = WORKLOADS

    @classmethod
    def of(cls, draws: int, seed: int, workloads: int = WORKLOADS) -> Plan:
        """Half of the draws from the prior; the other half in rounds of a population of 200, smaller for few draws."""
        population = max(8, min(200, draws // 20 // 2 * 2))
        prior = max(draws // 2, population)
        return cls(seed, prior, population, max(0, (draws - prior) // (population // 2 * STEPS)), workloads)


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
    """

    plan: Plan
    round: int
    place: int
    start: tuple[float, ...] | None = None
    pairs: tuple[tuple[float, ...], ...] = ()
    tolerance: float = float("inf")
    noise: Mapping[str, float] | None = None
    keys: tuple[str, ...] = ()


Walked = Callable[[Sequence[Chain]], Iterable[list[Record]]]
"""What walks chains, in order, in this process or in others."""


def walk(chain: Chain) -> list[Record]:
    """The records of a chain."""
    plan = chain.plan
    if chain.start is None:
        unit = np.round(draw_unit(plan.seed, chain.place), DIGITS)
        return [_simulated(chain, 0, unit, float("inf"))]
    stream = random.Random(f"{plan.seed}/{chain.round}/{chain.place}")
    at, records = np.array(chain.start), []
    for step in range(STEPS):
        record = _simulated(chain, step, np.round(_proposal(at, chain, stream), DIGITS), chain.tolerance)
        records.append(record)
        if record.accepted:
            at = np.array(record.unit)
    return records


def _simulated(chain: Chain, step: int, unit: Unit, tolerance: float) -> Record:
    """Simulate a setting; it is accepted where it has figures, within the tolerance where there is one."""
    seed = f"{chain.plan.seed}/{chain.round}/{chain.place}/{step}"
    found = simulate(from_unit(unit), random.Random(seed).getrandbits(31), chain.plan.workloads)
    figures = {key: short(value) for key, value in found.figures.items()}
    fits = bool(figures)
    if fits and chain.noise is not None:
        fits = distance(figures, chain.noise, chain.keys) <= tolerance
    facts = {key: short(value) for key, value in found.facts.items()}
    return Record(chain.round, chain.place, step, fits, tuple(unit.tolist()), figures, facts)


def short(value: float) -> float:
    """A number cut to the digits that are stored."""
    return float(f"{value:.{DIGITS}g}")


def _proposal(at: Unit, chain: Chain, stream: random.Random) -> Unit:
    """A symmetric step: along the difference of two members (ter Braak 2006), mirrored at the walls of the cube."""
    a, b = (np.array(chain.pairs[stream.randrange(len(chain.pairs))]) for _ in range(2))
    share = stream.choice(CROSSOVER)
    chosen = [i for i in range(at.size) if stream.random() < share] or [stream.randrange(at.size)]
    scale = 2.38 / (2 * len(chosen)) ** 0.5
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


def measured_noise(plan: Plan, pairs: int = PAIRS) -> dict[str, float]:
    """The noise of every fitted figure, from settings of the prior that are simulated twice."""
    both: list[tuple[Mapping[str, float], Mapping[str, float]]] = []
    number = 0
    while len(both) < pairs and number < 20 * pairs:
        number += 1
        # Numbers below 0 are of no draw.
        setting = from_unit(draw_unit(plan.seed, -number))
        once, twice = (simulate(setting, plan.seed + 2 * number + k, plan.workloads).figures for k in range(2))
        if once and twice:
            both.append((once, twice))
    return pooled_noise(both, fitted())


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
    for number in range(1, plan.rounds + 1):
        kept = nearer_half(population)
        if len(kept) < 2:
            return
        records, moved = _replenished(plan, number, kept, len(population) - len(kept), noise, keys, walked)
        population = sorted([*kept, *moved], key=lambda member: member.distance)
        yield records, population


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
        Chain(plan, number, place, start.record.unit, points, tolerance, noise, tuple(keys))
        for place, start in enumerate(starts)
    ]
    records: list[Record] = []
    ends = []
    for start, own in zip(starts, walked(chains), strict=True):
        records += own
        reached = [r for r in own if r.accepted]
        ends.append(Member(reached[-1], distance(reached[-1].figures, noise, keys)) if reached else start)
    return records, ends
