"""Sessions of the benchmark set: seeded, from the synthetic and the published profiles (ours)."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction

from euclio.core.numbers import short
from euclio.problems.session import FULL_SPACE, Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.arrays import session_arrays
from euclio.problems.session.latency.series_parallel import reduce_series_parallel
from euclio.workloads.designs_session.shapes import edges_of
from euclio.workloads.session.applications import applications, profiles
from euclio.workloads.session.protocol import latency_range, round_up
from euclio.workloads.session.published import gpu_prices, published_models
from euclio.workloads.session.worker_types import on_worker_types

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
        shape: one of `euclio.workloads.designs_session.shapes.SHAPES`.
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
