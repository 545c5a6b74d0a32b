"""Fleets of the benchmark set: what each is to be like, and all of them."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from fractions import Fraction

from euclio.problems.fragments.instance import Fleet, Fragment, Network
from euclio.problems.fragments.least_budget import quickest_budget_s
from euclio.problems.fragments.space import FULL_FRAGMENT_SPACE, Budgets, FragmentSpace
from euclio.workloads.fragments.clients import draw_clients, fleet_now
from euclio.workloads.fragments.networks import find_model
from euclio.workloads.fragments.random_fleets import random_fleet

# Fleets of the benchmark set: clients of Graft's networks on seeded uplinks, and random networks (ours).

RANDOM = "random"
"""In place of a network's short name: a random one."""
RATES_RPS = (5, 10, 15, 30, 45)
"""Requests per second of clients of different rates."""
MS_PER_S = 1000
PERCENT = 100


@dataclass(frozen=True, slots=True)
class FleetDesign:
    """What a fleet of the set is to be like.

    Attributes:
        network: short name of one of Graft's networks, or `RANDOM`.
        clients: number of clients, each with a fragment.
        tx2: how many of them are Jetson TX2, the others Jetson Nano; of a random network none.
        slo_pct: latency objective over mobile latency, in percent; of a random network without meaning.
        layers: layers of a random network; 0 means those of the named one.
        share_step_pct: distance of GPU shares.
        rates: whether clients have different rates, drawn from `RATES_RPS`.
        budget_step_ms: time budgets are rounded down to multiples of this, so that many are equal; 0 means that they
            are not.
        number: number among designs that are otherwise the same, from 1; part of the seed.
        space: plan space to solve it in.
        mark: what stands in its name for a plan space other than the full one.
    """

    network: str
    clients: int
    tx2: int = 0
    slo_pct: int = 95
    layers: int = 0
    share_step_pct: int = 1
    rates: bool = False
    budget_step_ms: int = 0
    number: int = 1
    space: FragmentSpace = FULL_FRAGMENT_SPACE
    mark: str = ""

    @property
    def name(self) -> str:
        """Name of the instance: f, network, clients, TX2 or layers, objective, rates, ties, plan space, number."""
        of = f"l{self.layers}" if self.network == RANDOM else f"t{self.tx2}-s{self.slo_pct}"
        marks = [*(["rates"] if self.rates else []), *([f"ms{self.budget_step_ms}"] if self.budget_step_ms else [])]
        others = "".join(f"-{mark}" for mark in [*marks, *([self.mark] if self.mark else [])])
        return f"f-{self.network}-n{self.clients}-{of}{others}-{self.number:02d}"

    def make(self, seed: int) -> Fleet:
        """The fleet of the design; the same seed gives the same one."""
        own = seed * 100 + self.number
        rng = random.Random(f"{self.name} {own}")
        if self.network == RANDOM:
            drawn = random_fleet(rng.randrange(2**32), self.clients, self.layers)
        else:
            ratio = self.slo_pct / PERCENT
            model = find_model(self.network)
            clients = draw_clients(model, self.clients, rng.randrange(2**32), tx2=self.tx2, slo_ratio=ratio)
            drawn = fleet_now(self.name, clients)
        network = _coarser(drawn.network, self.share_step_pct)
        return Fleet(self.name, network, [self._fragment(fragment, network, rng) for fragment in drawn.fragments])

    def _fragment(self, fragment: Fragment, network: Network, rng: random.Random) -> Fragment:
        """A fragment as drawn, with the rate and the time budget of the design; a budget stays one that is kept."""
        rate = Fraction(rng.choice(RATES_RPS)) if self.rates else fragment.rate_rps
        budget = fragment.budget_s
        if self.budget_step_ms:
            rounded = math.floor(budget * MS_PER_S / self.budget_step_ms) * Fraction(self.budget_step_ms, MS_PER_S)
            least = quickest_budget_s(network, fragment.partition_point)
            budget = rounded if least is not None and rounded >= least else budget
        return Fragment(fragment.name, fragment.partition_point, budget, rate)


def _coarser(network: Network, step_pct: int) -> Network:
    """The network with the GPU shares that are multiples of a step."""
    kept = [k for k, share in enumerate(network.shares_pct) if share % step_pct == 0]
    rows = tuple(tuple(tuple(row[k] for k in kept) for row in layer) for layer in network.layer_latency_s)
    return replace(network, shares_pct=tuple(network.shares_pct[k] for k in kept), layer_latency_s=rows)


INC, RES, VGG, MOB, VIT = "inc", "res", "vgg", "mob", "vit"
NETWORKS = (INC, RES, VGG, MOB, VIT)
OWN, FIVE, FEW = FragmentSpace(budgets=Budgets.OWN), FragmentSpace(max_members=5), FragmentSpace(max_instances=5)


def fleet_designs() -> list[FleetDesign]:
    """All designs, in the order of the set."""
    return [*_small(), *_usual(), *_large()]


def _small() -> list[FleetDesign]:
    """Six to fourteen clients: Graft's small scale, different rates, own budgets."""
    return [
        *(FleetDesign(network, 6, 2, share_step_pct=5) for network in NETWORKS),
        FleetDesign(INC, 10, 3, share_step_pct=5, rates=True),
        FleetDesign(VGG, 12, 4, share_step_pct=5, rates=True),
        FleetDesign(RANDOM, 12, layers=6, share_step_pct=5, rates=True),
        FleetDesign(RANDOM, 14, layers=10, share_step_pct=5, rates=True),
        FleetDesign(INC, 12, share_step_pct=5, space=OWN, mark="own"),
        FleetDesign(RANDOM, 10, layers=8, share_step_pct=5, space=OWN, mark="own"),
    ]


def _usual() -> list[FleetDesign]:
    """Twenty to fifty clients: Graft's large scale, equal budgets, limits."""
    return [
        *(FleetDesign(network, 20, 5, share_step_pct=2) for network in NETWORKS),
        FleetDesign(MOB, 20, 5, share_step_pct=5, budget_step_ms=10),
        FleetDesign(INC, 25, share_step_pct=5, budget_step_ms=10),
        FleetDesign(RES, 30, share_step_pct=5, budget_step_ms=20),
        FleetDesign(INC, 25, 5, slo_pct=75, share_step_pct=5),
        FleetDesign(VGG, 20, slo_pct=60, share_step_pct=2),
        FleetDesign(MOB, 20, share_step_pct=5, space=FEW, mark="instances5"),
        FleetDesign(RES, 30, share_step_pct=5, space=FIVE, mark="members5"),
        FleetDesign(VGG, 40, 10, share_step_pct=2),
        FleetDesign(MOB, 50, share_step_pct=5),
        FleetDesign(VIT, 50, 10, share_step_pct=5),
        FleetDesign(RANDOM, 25, layers=8, share_step_pct=5),
        FleetDesign(RANDOM, 50, layers=12, share_step_pct=5),
        FleetDesign(INC, 30, 10, share_step_pct=5, rates=True),
    ]


def _large() -> list[FleetDesign]:
    """A hundred to a thousand clients."""
    return [
        FleetDesign(MOB, 100, 25, share_step_pct=5),
        FleetDesign(VGG, 100, 25, share_step_pct=5),
        FleetDesign(RANDOM, 100, layers=8, share_step_pct=5),
        FleetDesign(INC, 200, 50, share_step_pct=5),
        FleetDesign(RES, 200, share_step_pct=5, budget_step_ms=20),
        FleetDesign(MOB, 500, 125, share_step_pct=5),
        FleetDesign(RANDOM, 500, layers=6, share_step_pct=5),
        FleetDesign(INC, 1000, share_step_pct=5),
        FleetDesign(VIT, 1000, 250, share_step_pct=5, budget_step_ms=5),
        FleetDesign(VGG, 1000, share_step_pct=5, budget_step_ms=10),
        FleetDesign(RANDOM, 1000, layers=4, share_step_pct=5, rates=True),
    ]
