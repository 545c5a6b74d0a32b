"""DAGs of many measured modules in random layers, for the growth of what solvers take (ours)."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

from euclio.core.numbers import short
from euclio.session import Hardware, Module, Session, longest_path
from euclio.session.workloads.applications import profiles

RATES_RPS = (5.0, 400.0)
TIGHT, LOOSE = (1.2, 1.6), (2.0, 5.0)
"""Ranges of the objective over the least latency of all paths, each module at its rate on one configuration."""
MOST_PARENTS = 3


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
    measured = [profile for profile in profiles().values() if {c.hardware for c in profile} <= {"P100", "V100"}]
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
    drawn = [
        Module(f"m{i}", short(round(stream.uniform(*RATES_RPS), 2)), stream.choice(measured)) for i in range(modules)
    ]
    name = f"layered-{modules}-{'tight' if tight else 'loose'}-{seed:04d}"
    session = Session(name, 1, [Hardware("P100", "2.07"), Hardware("V100", "3.06")], drawn, edges)
    least = longest_path(session, [min(c.duration_s + c.batch / m.rate_rps for c in m.profile) for m in drawn])[0]
    return replace(session, slo_s=short(round(float(least) * stream.uniform(*(TIGHT if tight else LOOSE)), 4)))


def layered_sessions(modules: int, count: int = 12, first_seed: int = 0) -> list[Session]:
    """Sessions of one size, every second one tight; targets are stated for the first seeds, methods tuned on others."""
    return [layered_session(first_seed + i, modules, tight=i % 2 == 0) for i in range(count)]
