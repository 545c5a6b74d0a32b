"""The designed grid of the set's sessions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from euclio.problems.session import FULL_SPACE, PlanSpace
from euclio.workloads.designs_session.sessions import APPLICATIONS, PUBLISHED, WORKER_TYPES, SessionDesign

SMALL = {
    "chain": (1, 2, 4, 8, 12, 20),
    "fanout": (3, 6, 12),
    "fanin": (3, 6, 12),
    "diamond": (4, 8, 16),
    "sp": (6, 10, 16),
    "dag": (5, 8, 12, 16, 20),
}
LARGE = {"chain": (40,), "fanout": (24, 40), "fanin": (24, 40), "diamond": (40,), "sp": (24, 40), "dag": (24, 32, 40)}
"""Modules by shape, with all sources of profiles and with a few of them."""

SOURCES = (
    (APPLICATIONS, 8, 1),
    (APPLICATIONS, 16, 2),
    (APPLICATIONS, 24, 2),
    (PUBLISHED, 9, 1),
    (PUBLISHED, 27, 3),
    (WORKER_TYPES, 24, 8),
)
"""Source, configurations and hardware types."""
LARGE_SOURCES = ((APPLICATIONS, 16, 2), (PUBLISHED, 9, 3))

RATES_RPS = (2, 10, 50, 300, 1000, 5000)
TIGHTNESS = (10, 25, 40, 60, 90)

CONTINUOUS = PlanSpace(dummy="continuous")  # type: ignore[arg-type]
SHARED = PlanSpace(policy="tc-shared")  # type: ignore[arg-type]
ROUND_ROBIN = PlanSpace(policy="rr", dummy="none", max_allocations=2)  # type: ignore[arg-type]
MACHINE_RATE = PlanSpace(policy="machine-rate", dummy="none")  # type: ignore[arg-type]
ONE_TYPE = replace(FULL_SPACE, single_hardware=True)
SPACES = {
    "continuous": CONTINUOUS,
    "shared": SHARED,
    "rr2": ROUND_ROBIN,
    "machinerate": MACHINE_RATE,
    "onetype": ONE_TYPE,
}
"""Plan spaces other than the full one, by what stands in names."""


def session_designs() -> list[SessionDesign]:
    """All designs, in the order of the set."""
    return [
        *_grid(SMALL, SOURCES),
        *_grid(LARGE, LARGE_SOURCES),
        *_large_graphs(),
        *_many_machines(),
        *_extreme_rates(),
        *_spaces(),
    ]


def _grid(sizes: dict[str, tuple[int, ...]], sources: tuple[tuple[str, int, int], ...]) -> Iterator[SessionDesign]:
    """Every shape and size with every source; rates and tightness go round so that all pairs occur."""
    cells = [(shape, modules) for shape, counts in sizes.items() for modules in counts]
    for k, (shape, modules) in enumerate(cells):
        for j, source in enumerate(sources):
            rate = RATES_RPS[(k + j + k // len(RATES_RPS)) % len(RATES_RPS)]
            yield SessionDesign(shape, modules, *source, rate, TIGHTNESS[(2 * k + j) % len(TIGHTNESS)])


def _large_graphs() -> Iterator[SessionDesign]:
    """Graphs whose latency splitting is hard."""
    for modules, configurations in ((30, 24), (50, 16), (60, 16), (100, 8), (200, 8)):
        for tightness in (10, 30, 60):
            yield SessionDesign("dag", modules, APPLICATIONS, configurations, 2, 300, tightness)
    for shape, modules in (("chain", 60), ("sp", 60), ("chain", 100), ("sp", 100), ("sp", 200)):
        yield SessionDesign(shape, modules, APPLICATIONS, 8, 2, 50, 30)
    for tightness in (10, 20, 30):
        yield SessionDesign("dag", 30, PUBLISHED, 27, 3, 1000, tightness)


def _many_machines() -> Iterator[SessionDesign]:
    """Rates that need hundreds of machines of a module, among many configurations of nearly equal worth."""
    for rate in (3000, 10000):
        for shape, modules in (("chain", 2), ("diamond", 6), ("dag", 7), ("sp", 10)):
            for tightness in (30, 80):
                yield SessionDesign(shape, modules, APPLICATIONS, 48, 2, rate, tightness)
    for shape in ("chain", "dag"):
        yield SessionDesign(shape, 10, PUBLISHED, 27, 3, 50000, 50)


def _extreme_rates() -> Iterator[SessionDesign]:
    """One request in five seconds, and twenty thousand in one."""
    for rate in (0.2, 20000):
        for shape, modules in (("chain", 1), ("chain", 3), ("dag", 6)):
            yield SessionDesign(shape, modules, APPLICATIONS, 48, 2, rate, 40)
            yield SessionDesign(shape, modules, WORKER_TYPES, 60, 12, rate, 40)


def _spaces() -> Iterator[SessionDesign]:
    """Plan spaces of other systems, and rules with which the exact method takes long."""
    for mark, space in SPACES.items():
        for shape, modules, rate in (("chain", 5, 300), ("dag", 8, 50), ("sp", 12, 1000)):
            yield SessionDesign(shape, modules, APPLICATIONS, 24, 2, rate, 70, 1, space, mark)
    for number in (1, 2):
        yield SessionDesign("dag", 20, APPLICATIONS, 24, 2, 300, 50, number, CONTINUOUS, "continuous")
        yield SessionDesign("dag", 20, APPLICATIONS, 24, 2, 300, 70, number, MACHINE_RATE, "machinerate")
