"""Nasty legal clusters and plan spaces, drawn from a `random.Random`.

A campaign draws with one seed per instance; hypothesis can drive the same code with `st.randoms` and shrink the draws.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random

from euclio.problems.pipeline import BatchBuild, BlockProfile, Cluster, Gpu, Model, Objective, PipelineSpace

from .numbers import LARGEST, SMALLEST, digits, nearly, prices, printed, spread, supported

MOST_UNITS = 6
"""Virtual GPUs of one type at most: what a plain reference lists in a moment."""


def cluster_case(rng: Random) -> tuple[Cluster, PipelineSpace]:
    """A nasty cluster of at most 3 GPU types and 3 models of at most 3 blocks, and a plan space."""
    types = rng.choice((1, 2, 2, 2, 3))
    shares = rng.choice(((1,), (1, 2), (1, 2), (1, 3), (1, 2, 3)))
    most = max(1, min(4 if types < 3 else 2, MOST_UNITS // shares[-1]))
    listed = [None] * types if rng.randrange(4) == 0 else prices(rng, types)
    gpus = [
        Gpu(f"g{i}", rng.choice((1, rng.randint(1, most))), rng.choice((1, 1, 2, 4)), price)
        for i, price in enumerate(listed)
    ]
    places = rng.choice((1, 2, 2, 2, 3)) if types < 3 else rng.choice((1, 2))
    unify = rng.randrange(4) > 0
    space = _space(rng, priced=listed[0] is not None)
    style = rng.choice(("coarse", "coarse", "milli", "fine", "anything"))
    scale = Fraction(10) ** rng.choice((0, 0, 0, 0, 0, 3, -3, rng.randint(-6, 6)))
    models = []
    for i in range(rng.choice((1, 1, 1, 2, 2, 3)) if places < 3 else rng.choice((1, 1, 2))):
        models.append(_model(rng, f"m{i}", gpus, shares, style, scale, space))
    return Cluster("adversary", gpus, models, places, unify), space


def _space(rng: Random, *, priced: bool) -> PipelineSpace:
    """Objective, pipelines per sequence and counting of GPUs drawn; half of the time with other limits."""
    objective = rng.choice(tuple(Objective)) if priced else Objective.THROUGHPUT
    plain = PipelineSpace(objective, one_per_sequence=rng.randrange(3) == 0, whole_gpus=rng.randrange(5) > 0)
    if rng.randrange(2):
        return plain
    return replace(
        plain,
        max_partitions=rng.choice((None, 1, 2, 3)),
        unify_batch=rng.choice((None, True, False)),
        virtual_gpus=rng.randrange(3) > 0,
        batch_build=rng.randrange(3) > 0,
    )


def _model(
    rng: Random,
    name: str,
    gpus: list[Gpu],
    shares: tuple[int, ...],
    style: str,
    scale: Fraction,
    space: PipelineSpace,
) -> Model:
    blocks = rng.choice((1, 2, 2, 2, 3))
    batches = rng.choice((1, 1, 2, 2, 3))
    base = spread(rng, 0.02, 0.5)
    measured = [gpu for gpu in gpus if rng.randrange(6)] or [rng.choice(gpus)]
    profiles = []
    for gpu in measured:
        for share in shares:
            if share == 1 or rng.randrange(3):
                rows = [
                    [_seconds(rng, style, base * share, b) * scale for b in range(1, rng.randint(1, batches) + 1)]
                    for _ in range(blocks)
                ]
                profiles.append(BlockProfile(gpu.name, share, rows))
    transfers = [_transfer(rng, style, base) * scale for _ in range(blocks - 1)]
    build = None
    if rng.randrange(3) == 0:
        build = BatchBuild(
            rng.choice(("1.3", "1", "0", "0.5")), digits(rng, spread(rng, 1, 100) / (base * float(scale)))
        )
    seconds, served = _a_pipeline(rng, profiles, transfers, build if space.batch_build else None)
    budget = _near(rng, seconds)
    margin = rng.choice((Fraction(0), Fraction(0), Fraction(digits(rng, float(budget) * rng.uniform(0.01, 3)))))
    if not SMALLEST <= margin <= LARGEST:
        margin = Fraction(0)
    return Model(
        name,
        budget + margin if supported(budget + margin) else printed(seconds),
        transfers,
        profiles,
        weight=_weight(rng),
        margin_s=margin if supported(budget + margin) else 0,
        batch_build=build,
        rate_rps=_rate(rng, served),
    )


def _seconds(rng: Random, style: str, base: float, batch: int) -> Fraction:
    """Seconds of a batch on one block; batches and shares need not be in order."""
    if style == "coarse":
        return Fraction(rng.randint(1, 9), 10)
    if style == "milli":
        return Fraction(Decimal(f"{base * (1 + 0.5 * batch) * rng.uniform(0.7, 1.3):.3f}")) or Fraction(1, 1000)
    if style == "fine":
        return Fraction(Decimal(repr(base * (1 + 0.5 * batch) * rng.uniform(0.7, 1.3))))
    return Fraction(digits(rng, base * spread(rng, 0.1, 10)))


def _transfer(rng: Random, style: str, base: float) -> Fraction:
    """Seconds per request between blocks: often none, sometimes more than the blocks take."""
    if rng.randrange(2):
        return Fraction(0)
    if style == "coarse":
        return Fraction(rng.randint(1, 5), rng.choice((10, 100)))
    return Fraction(digits(rng, base * spread(rng, 0.001, 2)))


def _weight(rng: Random) -> Decimal:
    kind = rng.randrange(8)
    if kind == 0:
        return rng.choice((Decimal("1e-12"), Decimal("1e12"), Decimal("1e-6"), Decimal("1e6")))
    if kind == 1:
        return digits(rng, spread(rng, 1.1e-12, 9e11))
    return Decimal(rng.choice(("1", "1", "1", "2", "0.5", "0.3", "3")))


def _a_pipeline(
    rng: Random, profiles: list[BlockProfile], transfers: list[Fraction], build: BatchBuild | None
) -> tuple[Fraction, Fraction]:
    """Seconds and throughput of a pipeline made at random, one virtual GPU per partition."""
    cuts = sorted(rng.sample(range(1, len(transfers) + 1), rng.randint(0, len(transfers))))
    bounds = [0, *cuts, len(transfers) + 1]
    chosen = [rng.choice(profiles) for _ in bounds[1:]]
    rows = [p.latency_s[a:b] for p, a, b in zip(chosen, bounds, bounds[1:], strict=False)]
    batch = rng.randint(1, min(len(row) for part in rows for row in part))
    each = [sum((row[batch - 1] for row in part), Fraction(0)) for part in rows]
    seconds = sum(each, Fraction(0)) + sum((transfers[c - 1] * batch for c in cuts), Fraction(0))
    if build is not None:
        seconds += build.factor * (batch - 1) / build.rate_rps
    return seconds, min(batch / own for own in each)


def _near(rng: Random, seconds: Fraction) -> Fraction:
    """A budget at a pipeline's latency to the last digit, next to it, or some number near by."""
    kind = rng.randrange(10)
    if kind <= 5:
        found = nearly(rng, seconds)
    else:
        found = digits(rng, float(seconds) * (rng.uniform(0.9, 2) if kind <= 7 else spread(rng, 0.5, 50)))
    return Fraction(found if supported(found) else printed(min(max(seconds, SMALLEST), LARGEST)))


def _rate(rng: Random, served: Fraction) -> Decimal:
    """A load: pipelines' throughputs as they are, as they print, or next to it; or some number near by."""
    kind = rng.randrange(8)
    if kind <= 4:
        rate = nearly(rng, rng.choice((1, 1, 2, 3)) * served)
    else:
        rate = digits(rng, float(served) * (rng.uniform(0.2, 4) if kind < 7 else spread(rng, 1e-9, 10)))
    return rate if supported(rate) else Decimal(1)
