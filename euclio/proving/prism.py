"""Checks certificates of PRISM placements; shares no code with the method that makes them (docs/findings/prism.md).

It takes plain data: the benchmark's instance and the certificate as JSON has them. The upper part recomputes the
largest pressure of the placement. The lower part is a bound by prices: if every set of models with a pressure below t
has prices that sum to at most K, and all prices sum to more than K times the number of GPUs, then some GPU has a
pressure of at least t in every placement (the dual of the bound by columns of Gilmore and Gomory, 1961).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeGuard


def broken_certificate(case: Mapping[str, object], certificate: Mapping[str, object]) -> str | None:
    """The first error of a certificate, in words; None if it proves that its placement has the least pressure.

    Args:
        case: an instance with `gpus`, `gpu_memory_gb` and `models`, each with `size_gb`, `rate` and `slo`.
        certificate: `placement`, the GPU of each model; `pressure`, a fraction in text; `prices`, a whole number per
            model.
    """
    gpus, memory, models = _read(case)
    prices, largest = certificate.get("prices"), largest_pressure(case, certificate.get("placement"))
    if isinstance(largest, str):
        return largest
    if str(largest) != certificate.get("pressure"):
        return f"pressure: the placement has {largest}, and the certificate says {certificate.get('pressure')}"
    if largest == 0:
        return None
    if not _wholes(prices, len(models)) or any(price < 0 for price in prices):
        return "prices: each model needs a whole number of at least 0"
    dearest = _dearest(
        [(load + largest * size, price) for (size, load), price in zip(models, prices, strict=True)], largest * memory
    )
    if sum(prices) <= gpus * dearest:
        return f"prices: they sum to {sum(prices)}, which {gpus} GPUs with at most {dearest} each can hold"
    return None


def largest_pressure(case: Mapping[str, object], placement: object) -> Fraction | str:
    """The largest pressure of a placement, or the rule that it breaks, in words.

    Args:
        case: an instance, as for `broken_certificate`.
        placement: the GPU of each model, counted from 0; plain data from anywhere.
    """
    gpus, memory, models = _read(case)
    if not _wholes(placement, len(models)) or not all(0 <= gpu < gpus for gpu in placement):
        return "placement: each model needs one GPU of the instance"
    largest = Fraction(0)
    for gpu in range(gpus):
        own = [model for model, at in zip(models, placement, strict=True) if at == gpu]
        left = memory - sum(size for size, _ in own)
        if left <= 0:
            return f"placement: GPU {gpu} has no memory left"
        largest = max(largest, sum((load for _, load in own), Fraction(0)) / left)
    return largest


def _dearest(weighted: list[tuple[Fraction, int]], below: Fraction) -> int:
    """The largest sum of prices of a set that weighs less than a limit: a table of the least weight for each sum."""
    lightest = {0: Fraction(0)}
    for weight, price in weighted:
        # The table of the models before this one stays as it is while this one is added: each is taken at most once.
        for total, so_far in list(lightest.items()):
            heavier = so_far + weight
            if heavier < below and heavier < lightest.get(total + price, below):
                lightest[total + price] = heavier
    return max(lightest)


def _wholes(values: object, count: int) -> TypeGuard[list[int]]:
    """Whether these are so many whole numbers; sums of others could be rounded."""
    return isinstance(values, list) and len(values) == count and all(type(value) is int for value in values)


def _read(case: Mapping[str, object]) -> tuple[int, Fraction, list[tuple[Fraction, Fraction]]]:
    """Number of GPUs, memory of each, and (size, load) of the models."""
    listed = case["models"]
    assert isinstance(listed, list)
    models = [(Fraction(own["size_gb"]), Fraction(own["rate"]) / Fraction(own["slo"])) for own in listed]
    return int(str(case["gpus"])), Fraction(str(case["gpu_memory_gb"])), models
