"""What a setting's workloads come to, by key of Piccolo's published figures (§IV-B and §IV-C)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.posterior.measures import (
    Solved,
    baselines,
    cheaper_share,
    costliest,
    dispatch,
    extra_costs,
    extras,
    more_expensive_share,
    more_than_two_share,
    per_cent,
    remaining,
    same_share,
    throughput_ratio,
)
from euclio.session.arrays import Floats

PICCOLO = "piccolo"


def measures(solved: Sequence[Solved], given: str) -> dict[str, float]:
    """All measures, in the units of the published figures; NaN: nothing to measure.

    Args:
        solved: the workloads.
        given: application whose most expensive module is the one of Figure 6.
    """
    extra = extras(solved, PICCOLO)
    return {
        **baselines(extra, PICCOLO),
        **extra_costs(extra, PICCOLO),
        **_shares(extra),
        "more_than_two_share": more_than_two_share(solved, PICCOLO),
        **dispatch(solved, "piccolo:2d"),
        **_given_module(solved, given),
        **_by_modules(extra, np.array([s.workload.rate_rps.size for s in solved])),
        **remaining(solved, PICCOLO),
    }


def _shares(extra: Mapping[str, Floats]) -> dict[str, float]:
    """How often alternatives cost the same, less or more."""
    quantized = extra["piccolo:q0.01"]
    return {
        **{f"{name}_same_share": same_share(extra[f"piccolo:{name}"]) for name in ("1bpc", "2bpc", "nd")},
        "q0.01_cheaper_share": cheaper_share(quantized),
        "q0.01_more_expensive_share": more_expensive_share(quantized),
    }


def _given_module(solved: Sequence[Solved], given: str) -> dict[str, float]:
    """Figure 6: throughput per unit of money against Piccolo's."""
    some = [s for s in solved if s.workload.application == given]
    m = costliest(some, PICCOLO)
    ratio = {name: throughput_ratio(some, f"piccolo:{name}", PICCOLO, m) for name in ("np", "nb", "nh")}
    return {
        **{f"{name}_throughput_less": per_cent(1 - values) for name, values in ratio.items()},
        "np_throughput_more_share": per_cent(ratio["np"] > 1 + OPTIMALITY_TOLERANCE),
    }


def _by_modules(extra: Mapping[str, Floats], modules: np.typing.NDArray[np.int64]) -> dict[str, float]:
    """Figure 9: Picc-tb on applications of two modules and of three, where ours may have more."""
    own = extra["piccolo:tb"]
    two, three = own[modules == 2], own[modules > 2]
    found = {
        "tb_two_modules_same_share": same_share(two),
        "tb_three_modules_more_expensive_share": more_expensive_share(three),
    }
    if two.size:
        found["tb_two_modules_max_extra"] = 100 * float(two.max())
    if three.size:
        found["tb_three_modules_min_extra"] = 100 * float(three.min())
        found["tb_three_modules_max_extra"] = 100 * float(three.max())
    return found
