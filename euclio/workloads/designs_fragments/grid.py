"""The designed grid of the set's fleets."""

from __future__ import annotations

from euclio.problems.fragments.space import Budgets, FragmentSpace
from euclio.workloads.designs_fragments.fleets import RANDOM, FleetDesign

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
