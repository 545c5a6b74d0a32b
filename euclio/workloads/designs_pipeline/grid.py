"""The designed grid of the set's clusters."""

from __future__ import annotations

from euclio.problems.pipeline import Objective
from euclio.workloads.designs_pipeline.clusters import ClusterDesign

ONE, TWO = ("FCN",), ("RTMDet", "EncNet")
THREE = ("EfficientNet-B8", "EncNet", "RTMDet")
FOUR = ("ConvNext", "FSAF", "GCNet", "GoogleNet")

SMALL, MEDIUM = (("L4", 2), ("P4", 6)), (("V100", 4), ("T4", 12))
LARGE, HUGE = (("L4", 25), ("P4", 75)), (("L4", 250), ("T4", 750))
THREE_TYPES = (("L4", 4), ("V100", 4), ("P4", 16))
THREE_TYPES_LARGE = (("V100", 20), ("L4", 30), ("T4", 50))
FOUR_TYPES = (("V100", 4), ("L4", 6), ("T4", 10), ("P4", 12))
FOUR_TYPES_LARGE = (("V100", 25), ("L4", 50), ("T4", 50), ("P4", 75))

TIGHT, USUAL, LOOSE = 2.5, 5, 10
COST = Objective.COST


def cluster_designs() -> list[ClusterDesign]:
    """All designs, in the order of the set."""
    return [*_throughput(), *_cost()]


def _throughput() -> list[ClusterDesign]:
    return [
        ClusterDesign(ONE, SMALL, 4, USUAL),
        ClusterDesign(ONE, SMALL, 10, TIGHT),
        ClusterDesign(ONE, SMALL, 10, LOOSE, max_partitions=3),
        ClusterDesign(ONE, MEDIUM, 20, USUAL, max_partitions=3),
        ClusterDesign(ONE, MEDIUM, 40, USUAL, max_partitions=3),
        ClusterDesign(ONE, LARGE, 80, USUAL, max_partitions=3),
        ClusterDesign(ONE, HUGE, 10, USUAL, max_partitions=3),
        ClusterDesign(TWO, SMALL, 6, USUAL),
        ClusterDesign(TWO, MEDIUM, 10, TIGHT),
        ClusterDesign(TWO, MEDIUM, 10, LOOSE),
        ClusterDesign(TWO, LARGE, 20, USUAL),
        ClusterDesign(TWO, LARGE, 40, LOOSE),
        ClusterDesign(TWO, HUGE, 10, TIGHT),
        ClusterDesign(THREE, MEDIUM, 10, USUAL),
        ClusterDesign(THREE, LARGE, 10, TIGHT),
        ClusterDesign(THREE, LARGE, 10, USUAL),
        ClusterDesign(THREE, LARGE, 20, LOOSE),
        ClusterDesign(THREE, HUGE, 10, USUAL),
        ClusterDesign(THREE, THREE_TYPES, 6, USUAL),
        ClusterDesign(THREE, THREE_TYPES, 10, TIGHT),
        ClusterDesign(THREE, THREE_TYPES, 10, USUAL, max_partitions=3),
        ClusterDesign(THREE, THREE_TYPES_LARGE, 10, USUAL),
        ClusterDesign(THREE, THREE_TYPES_LARGE, 20, LOOSE),
        ClusterDesign(TWO, FOUR_TYPES, 10, USUAL),
        ClusterDesign(TWO, FOUR_TYPES, 20, LOOSE),
        ClusterDesign(FOUR, FOUR_TYPES, 6, USUAL),
        ClusterDesign(FOUR, FOUR_TYPES, 10, TIGHT),
        ClusterDesign(FOUR, FOUR_TYPES_LARGE, 10, USUAL),
        ClusterDesign(FOUR, FOUR_TYPES_LARGE, 20, LOOSE),
        ClusterDesign(THREE, FOUR_TYPES, 10, USUAL, max_partitions=3),
        ClusterDesign(TWO, MEDIUM, 80, USUAL),
        ClusterDesign(ONE, THREE_TYPES, 80, LOOSE),
        ClusterDesign(FOUR, THREE_TYPES_LARGE, 10, LOOSE),
        ClusterDesign(ONE, FOUR_TYPES_LARGE, 40, USUAL),
    ]


def _cost() -> list[ClusterDesign]:
    return [
        ClusterDesign(ONE, SMALL, 6, USUAL, COST),
        ClusterDesign(ONE, MEDIUM, 20, LOOSE, COST, max_partitions=3),
        ClusterDesign(ONE, LARGE, 10, USUAL, COST),
        ClusterDesign(TWO, MEDIUM, 10, USUAL, COST),
        ClusterDesign(TWO, LARGE, 10, LOOSE, COST),
        ClusterDesign(THREE, MEDIUM, 10, USUAL, COST),
        ClusterDesign(THREE, LARGE, 10, USUAL, COST),
        ClusterDesign(THREE, THREE_TYPES, 10, USUAL, COST),
        ClusterDesign(THREE, THREE_TYPES_LARGE, 20, USUAL, COST),
        ClusterDesign(TWO, FOUR_TYPES, 10, LOOSE, COST),
        ClusterDesign(FOUR, FOUR_TYPES, 10, USUAL, COST),
        ClusterDesign(FOUR, FOUR_TYPES_LARGE, 10, LOOSE, COST, load=0.4),
        ClusterDesign(TWO, THREE_TYPES, 20, LOOSE, COST),
        ClusterDesign(THREE, FOUR_TYPES, 6, TIGHT, COST),
    ]
