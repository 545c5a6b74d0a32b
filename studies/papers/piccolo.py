"""Measures of Piccolo's evaluation (§IV-B and §IV-C), by key of its published numbers; costs of references apart."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.report.analysis.statistics import Sample, largest, share
from studies.papers.costs import baselines, cheaper, extras, more_expensive, normalized, per_module, same
from studies.papers.modules import Plans, dispatch, given_module, less, more_than_two, relative_throughput, remaining

PICCOLO = "piccolo"
NO_DUMMIES = "piccolo:nd"
THROUGHPUT_SPLIT = "piccolo:tb"
TWO_MODULES = 2


def figures(plans: Plans, application: str, variants: Iterable[str]) -> dict[str, Sample]:
    """All of them.

    Args:
        plans: the plans.
        application: the application of which the most expensive module is the given one of Figure 6.
        variants: Piccolo's variants with extra costs to measure, by their names without the prefix.
    """
    ratio = normalized(plans.cost, PICCOLO)
    return {
        **baselines(ratio, PICCOLO),
        **extras(ratio, PICCOLO, variants),
        **shares(ratio),
        "more_than_two_share": more_than_two(plans.modules, NO_DUMMIES),
        **dispatch(plans.majority),
        **throughputs(plans.modules, application),
        **throughput_split(*by_modules(ratio, plans.sizes)),
        "tb_extra_per_module": per_module(ratio[THROUGHPUT_SPLIT], plans.sizes),
        **remaining(plans.left_s, PICCOLO),
    }


def shares(ratio: pd.DataFrame) -> dict[str, Sample]:
    """Shares of workloads on which alternatives cost the same, less or more, from normalized costs."""
    quantized = ratio["piccolo:q0.01"]
    return {
        **{f"{name}_same_share": same(ratio[f"piccolo:{name}"]) for name in ("1bpc", "2bpc", "nd")},
        "q0.01_cheaper_share": cheaper(quantized),
        "q0.01_more_expensive_share": more_expensive(quantized),
    }


def throughputs(modules: pd.DataFrame, application: str) -> dict[str, Sample]:
    """Throughput per unit of money of an application's most expensive module, against Piccolo's (Figure 6)."""
    given = given_module(modules, PICCOLO, application)
    more = relative_throughput(modules, "piccolo:np", given) > 1 + OPTIMALITY_TOLERANCE
    return {
        **{f"{name}_throughput_less": less(modules, f"piccolo:{name}", given) for name in ("np", "nb", "nh")},
        "np_throughput_more_share": Sample(more, share),
    }


def by_modules(ratio: pd.DataFrame, sizes: pd.Series[int]) -> tuple[pd.Series[float], pd.Series[float]]:
    """Normalized cost of Picc-tb on applications of two modules, and of three (ours may have more)."""
    own, count = ratio[THROUGHPUT_SPLIT], sizes.reindex(ratio.index)
    return own[count == TWO_MODULES], own[count > TWO_MODULES]


def throughput_split(two: pd.Series[float], three: pd.Series[float]) -> dict[str, Sample]:
    """Figure 9: Picc-tb on two and on three modules."""
    return {
        "tb_two_modules_same_share": same(two),
        "tb_three_modules_more_expensive_share": more_expensive(three),
        "tb_two_modules_max_extra": Sample(two - 1, largest),
        "tb_three_modules_min_extra": Sample(1 - three, largest, -100.0),
        "tb_three_modules_max_extra": Sample(three - 1, largest),
    }
