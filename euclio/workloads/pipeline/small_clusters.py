"""Seeded random small clusters for tests and fuzzing, made so that exact ties are common (ours).

Latencies are multiples of half a millisecond (equal throughputs, pipelines that just meet the SLO), shares 1 and 2,
one or two models, two to four blocks, one to three GPU types, with and without transfers, batch-build delay and margin.
"""

from __future__ import annotations

import random
from fractions import Fraction

from euclio.problems.pipeline import BatchBuild, BlockProfile, Cluster, Gpu, Model

MS = Fraction(1, 1000)


def small_cluster(seed: int) -> Cluster:
    """The cluster of a seed."""
    rng = random.Random(seed)
    types = rng.choice((1, 2, 2, 2, 3))
    partitions = rng.choice((1, 2, 2, 3)) if types < 3 else 2
    most = {1: 4, 2: 3 if partitions == 3 else 4, 3: 2}[types]
    gpus = [
        Gpu(name, rng.randint(1, most), rng.choice((1, 1, 2, 4)), rng.choice(("1", "1.5", "2.07", "0.7")))
        for name in ("A", "B", "C")[:types]
    ]
    models = [_model(rng, f"m{i}", gpus) for i in range(rng.randint(1, 2))]
    return Cluster(f"small {seed}", gpus, models, partitions, rng.random() < 0.75)


def _model(rng: random.Random, name: str, gpus: list[Gpu]) -> Model:
    blocks, batches = rng.randint(2, 4), rng.randint(1, 3)
    profiles = []
    for i, gpu in enumerate(gpus):
        base = [(1 + i) * rng.randint(1, 8) * rng.choice((1, 1, 2)) for _ in range(blocks)]
        profiles.append(_profile(rng, gpu.name, 1, base, rng.randint(1, batches)))
        if rng.random() < 0.5:
            profiles.append(_profile(rng, gpu.name, 2, [2 * x - rng.randint(0, x) for x in base], batches))
    transfers = [rng.choice((0, rng.randint(1, 6))) * MS / 2 for _ in range(blocks - 1)]
    slo = _slo(rng, profiles, transfers)
    return Model(
        name,
        slo,
        transfers,
        profiles,
        weight=rng.choice(("1", "0.5", "0.3", "2")),
        margin_s=rng.choice((Fraction(0), slo / 10, slo * 2 / 5)),
        batch_build=None if rng.random() < 0.5 else BatchBuild("1.3", rng.randint(100, 900)),
        rate_rps=rng.choice((rng.randint(20, 300), Fraction(rng.randint(1, 6) * 1000, rng.randint(5, 40)))),
    )


def _profile(rng: random.Random, gpu: str, share: int, base: list[int], batches: int) -> BlockProfile:
    """Half milliseconds of batch 1 per block, growing with the batch by at most as much again."""
    rows = [[Fraction(x + (b * rng.randint(0, x) if b else 0)) * MS / 2 for b in range(batches)] for x in base]
    return BlockProfile(gpu, share, [sorted(row) for row in rows])


def _slo(rng: random.Random, profiles: list[BlockProfile], transfers: list[Fraction]) -> Fraction:
    """Half of the time what some chain takes exactly, else a rounded multiple."""
    whole = sum((rng.choice(profiles).latency_s[i][0] for i in range(len(transfers) + 1)), Fraction(0))
    chain = whole + sum(rng.sample(transfers, rng.randint(0, len(transfers))), Fraction(0))
    return chain if rng.random() < 0.3 else max(MS, round(chain * 1000 * Fraction(rng.randint(8, 30), 10)) * MS)
