"""DAGs of many measured modules in random layers, for the growth of what solvers take (ours)."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

from euclio.core.numbers import short
from euclio.problems.session import Hardware, Module, Session, longest_path
from euclio.workloads.session.applications import profiles

RATES_RPS = (5.0, 400.0)
TIGHT, LOOSE = (1.2, 1.6), (2.0, 5.0)
"""Ranges of the objective over the least latency of all paths, each module at its rate on one configuration."""
MOST_PARENTS = 3
WIDTH, LAYERS, MIDDLE = 10, 4, 1.4
"""Modules per layer, layers, and objective over the least latency, of the DAGs whose edges are counted."""


def layered_session(seed: int, modules: int, *, tight: bool) -> Session:
    """A DAG of measured modules in layers; the same arguments give the same session.

    Layers have one to an eighth of the modules; each module of a layer follows one to three modules of the layer
    before it, has the measured profile of a model on P100 and V100, and a rate from 5 to 400 requests per second.

    Args:
        seed: seed of the random stream.
        modules: number of modules.
        tight: the objective is 1.2 to 1.6 times the least latency; otherwise 2 to 5 times.
    """
    stream = random.Random(f"layered/{seed}/{modules}/{tight}")
    layers, rest = [], list(range(modules))
    while rest:
        width = stream.randint(1, max(2, modules // 8))
        layers.append(rest[:width])
        rest = rest[width:]
    edges = [
        (f"m{i}", f"m{j}")
        for before, layer in pairwise(layers)
        for j in layer
        for i in stream.sample(before, stream.randint(1, min(MOST_PARENTS, len(before))))
    ]
    drawn = _measured_modules(stream, modules)
    name = f"layered-{modules}-{'tight' if tight else 'loose'}-{seed:04d}"
    return _with_objective(name, drawn, edges, stream.uniform(*(TIGHT if tight else LOOSE)))


def layered_sessions(modules: int, count: int = 12, first_seed: int = 0) -> list[Session]:
    """Sessions of one size, every second one tight; targets are stated for the first seeds, methods tuned on others."""
    return [layered_session(first_seed + i, modules, tight=i % 2 == 0) for i in range(count)]


def dag_of_edges(seed: int, edges: int) -> Session:
    """Forty measured modules in four layers of ten with so many edges; the same arguments give the same session.

    A seed has the same modules whatever the edges: ten chains of four at first, which are 30 edges, then more from each
    layer to the next, drawn one after the other, so that a DAG holds all edges of one with fewer. With 300 every
    module follows all of the layer before. The objective is 1.4 times the least latency of the DAG's own paths.

    Args:
        seed: seed of the random stream.
        edges: number of edges, 30 to 300.

    Raises:
        ValueError: there are no such DAGs.
    """
    chains = [(i, i + WIDTH) for i in range(WIDTH * (LAYERS - 1))]
    others = [(i, j) for i, _ in chains for j in range(WIDTH * (i // WIDTH + 1), WIDTH * (i // WIDTH + 2))]
    more = [edge for edge in others if edge not in set(chains)]
    if not len(chains) <= edges <= len(others):
        raise ValueError(f"edges={edges}: must be from {len(chains)} to {len(others)}")
    stream = random.Random(f"edges/{seed}")
    drawn = _measured_modules(stream, WIDTH * LAYERS)
    stream.shuffle(more)
    taken = [(f"m{i}", f"m{j}") for i, j in sorted((*chains, *more[: edges - len(chains)]))]
    return _with_objective(f"edges-{edges}-{seed:04d}", drawn, taken, MIDDLE)


def _measured_modules(stream: random.Random, count: int) -> list[Module]:
    """Modules with the measured profile of a model on P100 and V100 each, and a rate."""
    measured = [profile for profile in profiles().values() if {c.hardware for c in profile} <= {"P100", "V100"}]
    return [Module(f"m{i}", short(round(stream.uniform(*RATES_RPS), 2)), stream.choice(measured)) for i in range(count)]


def _with_objective(name: str, modules: list[Module], edges: list[tuple[str, str]], over: float) -> Session:
    """A session whose objective is so many times the least latency of all paths, each module on one configuration."""
    session = Session(name, 1, [Hardware("P100", "2.07"), Hardware("V100", "3.06")], modules, edges)
    least = longest_path(session, [min(c.duration_s + c.batch / m.rate_rps for c in m.profile) for m in modules])[0]
    return replace(session, slo_s=short(round(float(least) * over, 4)))
