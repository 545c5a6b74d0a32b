"""Sessions of the benchmark set: shapes of their graphs, what each is to be like, and all of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.core.numbers import short
from euclio.problems.session.arrays import session_arrays
from euclio.problems.session.instance import Configuration, Hardware, Module, Session
from euclio.problems.session.latency.series_parallel import reduce_series_parallel
from euclio.problems.session.space import FULL_SPACE, PlanSpace
from euclio.workloads.session.applications import applications, profiles
from euclio.workloads.session.protocol import latency_range, round_up
from euclio.workloads.session.published import gpu_prices, published_models
from euclio.workloads.session.random_sessions import Edges, shape_edges
from euclio.workloads.session.worker_types import on_worker_types

# Shapes of the sessions' DAGs (ours).

SHAPES = ("chain", "fanout", "fanin", "diamond", "sp", "dag")
"""A chain, one module before or after all others, one before and one after, random series-parallel, random layers."""

_AS_RANDOM = {"chain": "chain", "fanout": "fork", "diamond": "diamond"}
_SERIES = 0.55
"""How often a series-parallel part is divided in series."""
_WIDEST = 5
_EXTRA_PARENT = 0.35
"""How often a module of a layered DAG has a further parent."""


def edges_of(shape: str, modules: int, stream: random.Random) -> Edges:
    """Edges as pairs of indices, parent first, no edge implied by others.

    Args:
        shape: one of `SHAPES`; "dag" of four modules and more is rarely series-parallel.
        modules: number of modules.
        stream: random stream of the last two shapes.

    Raises:
        InputError: unknown shape.
    """
    if shape in _AS_RANDOM:
        return shape_edges(_AS_RANDOM[shape], modules, stream)
    if shape == "fanin":
        return tuple((i, modules - 1) for i in range(modules - 1))
    if shape == "sp":
        edges: set[tuple[int, int]] = set()
        _series_parallel(0, modules, stream, edges)
        return tuple(sorted(edges))
    if shape == "dag":
        return _layered(modules, stream)
    raise InputError(f"unknown shape {shape!r}; choose from {', '.join(SHAPES)}", field="shape")


def _series_parallel(
    first: int, end: int, stream: random.Random, edges: set[tuple[int, int]]
) -> tuple[list[int], list[int]]:
    """Join modules `first` to `end` - 1 by divisions in series and in parallel; returns sources and sinks."""
    if end - first == 1:
        return [first], [first]
    middle = first + 1 + int(stream.random() * (end - first - 1))
    series = stream.random() < _SERIES
    sources, sinks = _series_parallel(first, middle, stream, edges)
    later_sources, later_sinks = _series_parallel(middle, end, stream, edges)
    if not series:
        return sources + later_sources, sinks + later_sinks
    edges.update((a, b) for a in sinks for b in later_sources)
    return sources, later_sinks


def _layered(modules: int, stream: random.Random) -> Edges:
    """Layers of random width; every module has a parent in the layer before, some have further ones there or above."""
    layers: list[list[int]] = []
    placed = 0
    while placed < modules:
        width = min(modules - placed, 1 + int(stream.random() * _WIDEST))
        layers.append(list(range(placed, placed + width)))
        placed += width
    edges: set[tuple[int, int]] = set()
    for k, layer in enumerate(layers[1:], start=1):
        for module in layer:
            edges.add((_one_of(layers[k - 1], stream), module))
            for above in layers[max(0, k - 2) : k]:
                if stream.random() < _EXTRA_PARENT:
                    edges.add((_one_of(above, stream), module))
    return _without_implied(edges, modules)


def _without_implied(edges: set[tuple[int, int]], modules: int) -> Edges:
    """The edges whose child is not reached from their parent by a longer path."""
    children = [{b for a, b in edges if a == m} for m in range(modules)]
    below: list[set[int]] = [set() for _ in range(modules)]
    for m in reversed(range(modules)):
        below[m] = children[m].union(*(below[c] for c in children[m]))
    return tuple((a, b) for a, b in sorted(edges) if not any(b in below[other] for other in children[a] if other != b))


def _one_of(items: list[int], stream: random.Random) -> int:
    return items[int(stream.random() * len(items))]


# Sessions of the benchmark set: seeded, from the synthetic and the published profiles (ours).

Profile = tuple[Configuration, ...]

APPLICATIONS, PUBLISHED, WORKER_TYPES = "applications", "published", "worker types"
"""Sources of profiles: synthetic ones on P100 and V100, typed-in ones on A100, V100 and T4, and seeded worker types."""

FACTORS = (0.5, 2.0)
"""Range of a module's requests per request of the session."""
MOST_DRAWS = 1000


@dataclass(frozen=True, slots=True)
class SessionDesign:
    """What a session of the set is to be like.

    Attributes:
        shape: one of `euclio.workloads.session.designs.SHAPES`.
        modules: number of modules.
        source: where profiles come from.
        configurations: most configurations of a module.
        hardware: number of hardware types.
        rate_rps: request rate of the session; modules have 0.5 to 2 times as much.
        tightness: place of the SLO between least (0) and most useful latency (100), in percent.
        number: number among designs that are otherwise the same, from 1; part of the seed.
        space: plan space to solve it in.
        mark: what stands in its name for a plan space other than the full one.
    """

    shape: str
    modules: int
    source: str
    configurations: int
    hardware: int
    rate_rps: float
    tightness: int
    number: int = 1
    space: PlanSpace = FULL_SPACE
    mark: str = ""

    @property
    def name(self) -> str:
        """Name of the instance: s, shape, modules, configurations, hardware types, rate, tightness, number."""
        sizes = f"m{self.modules}-c{self.configurations}-h{self.hardware}-r{self.rate_rps:g}-t{self.tightness}"
        return "-".join(part for part in ("s", self.shape, sizes, self.mark, f"{self.number:02d}") if part)

    def make(self, seed: int) -> Session:
        """The session of the design; the same seed gives the same one."""
        stream = random.Random(f"bench-set/{seed}/{self.name}")
        names = [f"m{i:02d}" for i in range(1, self.modules + 1)]
        machines, drawn = _profiles(self, stream)
        low, high = FACTORS
        modules = [
            Module(name, short(self.rate_rps * low * (high / low) ** stream.random()), profile)
            for name, profile in zip(names, drawn, strict=True)
        ]
        session = Session(self.name, 1, machines, modules, _edges(self, names, stream))
        if self.source == WORKER_TYPES:
            types = on_worker_types(session, self.hardware, stream.randrange(2**31))
            session = replace(types, name=self.name)
        least, useful = latency_range(session)
        slo = round_up(least + self.tightness / 100 * (useful - least))
        return replace(session, slo_s=max(Fraction(1, 1000), slo))


def is_series_parallel(session: Session) -> bool:
    """Whether the DAG shrinks to one module by merging modules in series and in parallel."""
    return len(reduce_series_parallel(session_arrays(session, FULL_SPACE)).left) == 1


def _edges(design: SessionDesign, names: list[str], stream: random.Random) -> list[tuple[str, str]]:
    """Edges by name; those of a general DAG are drawn until they are not series-parallel."""
    for _ in range(MOST_DRAWS):
        edges = [(names[a], names[b]) for a, b in edges_of(design.shape, design.modules, stream)]
        if design.shape != "dag" or not is_series_parallel(_bare(names, edges)):
            return edges
    raise RuntimeError(f"{design.name}: every DAG drawn was series-parallel")


def _bare(names: list[str], edges: list[tuple[str, str]]) -> Session:
    profile = (Configuration("one", 1, 1, 1),)
    return Session("bare", 1, [Hardware("one", 1)], [Module(name, 1, profile) for name in names], edges)


def _profiles(design: SessionDesign, stream: random.Random) -> tuple[tuple[Hardware, ...], list[Profile]]:
    """Hardware, and a profile for each module."""
    if design.source == PUBLISHED:
        machines = tuple(gpu_prices().values())[: design.hardware]
        library = [model.profile for model in published_models().values()]
    else:
        machines = next(iter(applications().values())).hardware
        machines = machines[:1] if design.source == WORKER_TYPES else machines[-design.hardware :]
        library = list(profiles().values())
    share = design.configurations // (design.hardware if design.source == WORKER_TYPES else 1)
    reduced = [_reduced(profile, {h.name for h in machines}, share) for profile in library]
    usable = [profile for profile in reduced if len({c.hardware for c in profile}) == len(machines)]
    return machines, [usable[int(stream.random() * len(usable))] for _ in range(design.modules)]


def _reduced(profile: Profile, machines: set[str], most: int) -> Profile:
    """At most so many of a profile's configurations on some hardware, least concurrency first, then least batch."""
    kept = sorted((c for c in profile if c.hardware in machines), key=lambda c: (c.concurrency, c.batch))[:most]
    return tuple(c for c in profile if c in kept)


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
