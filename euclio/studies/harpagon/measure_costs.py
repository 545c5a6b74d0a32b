"""Measures of Harpagon §IV-B and of Figures 6, 8(a) and 12: what systems and ablations cost."""

from __future__ import annotations

import pandas as pd

from euclio.analysis.statistics import Measured, largest, mean, share
from euclio.studies.harpagon.frames import SAME, costs, normalized
from euclio.studies.harpagon.tasks import ABLATIONS, BASELINES, HARPAGON, SPLIT_OPTIMUM


def baseline_measures(runs: pd.DataFrame) -> dict[str, Measured]:
    """Extra cost of the four baselines: least and largest of their means and of their maxima."""
    table = normalized(runs)
    means = [mean(table[name] - 1, 100) for name in BASELINES]
    tops = [largest(table[name] - 1, 100) for name in BASELINES]
    cheapest = (table[list(BASELINES)] >= 1 - SAME).all(axis=1)
    return {
        "baseline_mean_extra_min": min(means, key=lambda m: m.value),
        "baseline_mean_extra_max": max(means, key=lambda m: m.value),
        "baseline_max_extra_min": min(tops, key=lambda m: m.value),
        "baseline_max_extra_max": max(tops, key=lambda m: m.value),
        "harpagon_cheapest_share": share(cheapest),
    }


def optimality(runs: pd.DataFrame, reference: str = SPLIT_OPTIMUM) -> tuple[Measured, Measured]:
    """Share of workloads on which Harpagon costs no more than a reference, and its largest extra cost over it.

    Workloads without an answer of the reference are left out.
    """
    table = costs(runs)[[HARPAGON, reference]].dropna()
    ratio = table[HARPAGON] / table[reference]
    return share(ratio <= 1 + SAME), largest(ratio - 1, 100)


def ablation_measures(runs: pd.DataFrame) -> dict[str, Measured]:
    """Mean and maximum extra cost of every ablation."""
    table = normalized(runs)
    found: dict[str, Measured] = {}
    for name in ABLATIONS:
        extra = table[f"harpagon:{name}"] - 1
        found[f"{name}_mean_extra"] = mean(extra, 100)
        found[f"{name}_max_extra"] = largest(extra, 100)
    return found


def comparison_measures(runs: pd.DataFrame) -> dict[str, Measured]:
    """On how many workloads an ablation costs the same, less or more, and what a feature saves where it saves."""
    table = normalized(runs)
    two, quantized = table["harpagon:2c"], table["harpagon:q0.01"]
    found = {
        "2c_same_share": share((two - 1).abs() <= SAME),
        "q0.01_cheaper_share": share(quantized < 1 - SAME),
        "q0.01_dearer_share": share(quantized > 1 + SAME),
    }
    for name in ("nnm", "ncd"):
        without = table[f"harpagon:{name}"]
        helped = without > 1 + SAME
        found[f"{name}_share"] = share(helped)
        found[f"{name}_cost_reduction"] = mean(1 - 1 / without[helped], 100)
    return found


def cost_measures(runs: pd.DataFrame) -> dict[str, Measured]:
    """All measures of this module, by key of the published figure."""
    split_share, split_gap = optimality(runs)
    return {
        **baseline_measures(runs),
        "optimal_share": split_share,
        "optimal_gap_max": split_gap,
        **ablation_measures(runs),
        **comparison_measures(runs),
    }
