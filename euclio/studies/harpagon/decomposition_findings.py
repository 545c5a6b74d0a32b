"""What the gap decomposition says, in sentences; every number in them is computed from the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from euclio.session.workloads.protocol import Draws
from euclio.studies.harpagon.tasks import (
    ABLATION_RUNS,
    BASELINES,
    HARPAGON,
    PLAN_OPTIMUM,
    THROUGHPUT_SPLIT,
    own_optimum,
)

Totals = Mapping[str, Mapping[str, float]]
"""System to its row of `euclio.comparison.decomposing.aggregate`."""

FREE = 1.001
"""A design that costs less than this on average is said to give up next to nothing."""


def findings(totals: Totals, draws: Draws) -> tuple[str, ...]:
    """The paragraphs of the report, on baselines, ablations and throughput-based splitting."""
    return _on_baselines(totals), _on_ablations(totals), _on_splitting(totals, draws)


def extra(ratio: float) -> str:
    """A ratio as extra cost in per cent."""
    return f"{max(0.0, 100 * (ratio - 1)):.1f} %"


def _on_baselines(totals: Totals) -> str:
    def parts(name: str) -> str:
        return f"{name} {100 * totals[name]['design_extra']:.0f} % and {100 * totals[name]['heuristic_extra']:.0f} %"

    share = _design_share(totals)
    most, least = max(BASELINES, key=share), min(BASELINES, key=share)
    return (
        "Baselines. Mean extra cost by design and by heuristic, in units of the optimum: "
        f"{_listed(BASELINES, parts)}. The design explains between {share(least):.0f} % ({least}) and "
        f"{share(most):.0f} % ({most}) of the gap: with a perfect heuristic {most} would still cost "
        f"{extra(totals[most]['design_mean'])} more than the optimum, {least} {extra(totals[least]['design_mean'])}."
    )


def _on_ablations(totals: Totals) -> str:
    def loss(name: str) -> float:
        return totals[name]["heuristic_mean"]

    narrow = sorted((name for name in ABLATION_RUNS if own_optimum(name) != PLAN_OPTIMUM), key=loss, reverse=True)
    wide = sorted((name for name in ABLATION_RUNS if name not in narrow), key=loss, reverse=True)
    free = [name for name in narrow if totals[name]["design_mean"] < FREE]
    paid = [name for name in narrow if name not in free]
    share = _design_share(totals)
    most, least = max(paid, key=share), min(paid, key=share)
    costless = f" ({_listed(free, str)} gives up next to nothing)" if free else ""
    return (
        f"Ablations. {len(narrow)} of the {len(ABLATION_RUNS)} narrow the plan space{costless}; the design explains "
        f"between {share(least):.0f} % ({least}) and {share(most):.0f} % ({most}) of their gaps. In what is left "
        f"Harpagon's algorithms lose {extra(loss(narrow[0]))} on average for {narrow[0]}, at most "
        f"{extra(loss(narrow[1]))} for each of the others, {extra(loss(HARPAGON))} in the full one. "
        f"The other {len(wide)} keep the full plan space, and their whole gap is the heuristic's; "
        f"{wide[0]} loses most, {extra(loss(wide[0]))}."
    )


def _on_splitting(totals: Totals, draws: Draws) -> str:
    def loss(name: str) -> str:
        return f"{name} {extra(totals[name]['heuristic_mean'])}"

    def with_hits(name: str) -> str:
        return f"{loss(name)} (optimal in it on {100 * totals[name]['heuristic_optimal']:.0f} % of the workloads)"

    def rejections(name: str) -> str:
        return f"{name} {draws.rejected.get(name, 0)}"

    others = [name for name in BASELINES if name not in THROUGHPUT_SPLIT]
    return (
        "Throughput-based splitting, taken as Table III names it, misses good plans that its own plan space has: mean "
        f"extra cost over the best of them {_listed(THROUGHPUT_SPLIT, with_hits)}, against {_listed(others, loss)} for "
        "the other baselines. Draws for which a system found no plan are not even among the workloads: "
        f"{_listed((HARPAGON, *BASELINES), rejections)} of {draws.drawn}."
    )


def _design_share(totals: Totals) -> Callable[[str], float]:
    """The share of a system's mean gap that its design explains, in per cent."""

    def share(name: str) -> float:
        design, heuristic = totals[name]["design_extra"], totals[name]["heuristic_extra"]
        return 100 * design / (design + heuristic) if design + heuristic > 0 else 0.0

    return share


def _listed(names: Iterable[str], text: Callable[[str], str]) -> str:
    *first, last = map(text, names)
    return f"{', '.join(first)} and {last}" if first else last
