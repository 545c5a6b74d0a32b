"""Short names of figures and parameters for pictures and tables, where the published file's sentences are too long."""

from __future__ import annotations

from euclio.posterior.targets import targets

LONGEST = 38
"""Most characters of a name, so that two panels stand next to each other."""
ALTERNATIVES = {"harpagon": "Harp", "piccolo": "Picc"}
"""What the papers' alternatives are called."""
SPECIAL = {
    "baseline_mean_extra_min": "baselines: least mean extra cost",
    "baseline_mean_extra_max": "baselines: largest mean extra cost",
    "baseline_max_extra_min": "baselines: least maximum extra cost",
    "baseline_max_extra_max": "baselines: largest maximum extra cost",
    "harpagon_cheapest_share": "no baseline is cheaper",
    "piccolo_cheapest_share": "no baseline is cheaper",
    "optimal_share": "as cheap as the best split",
    "optimal_gap_max": "largest extra cost over the best split",
    "plan_optimal_share": "as cheap as the best plan",
    "shared_optimal_share": "as cheap as the best plan, tc-shared",
    "harpagon_iterations": "Harpagon: iterations",
    "more_than_two_share": "more than two configurations",
    "1c_throughput_less": "Harp-1c: only configuration lower by",
    "2c_second_throughput_less": "Harp-2c: second configuration lower by",
    "dummy_share": "dummies added",
    "dummy_throughput_gain": "dummies: throughput gained",
    "dummy_resources": "dummies: extra resources",
    "dummy_cost_reduction": "dummies: cost saved",
    "reassigned_share": "latency reassigned",
    "nnm_share": "node merging saves",
    "nnm_cost_reduction": "node merging: cost saved",
    "ncd_share": "cost-direct saves",
    "ncd_cost_reduction": "cost-direct: cost saved",
}
"""Figures that are about no alternative, or of which there is no other of the same kind."""
KINDS = {
    "two_modules_same_share": "same cost, two modules",
    "two_modules_max_extra": "largest, two modules",
    "three_modules_more_expensive_share": "costs more, three modules",
    "three_modules_min_extra": "least, three modules",
    "three_modules_max_extra": "largest, three modules",
    "mean_extra": "mean extra cost",
    "max_extra": "largest extra cost",
    "latency_extra": "latency longer by",
    "throughput_less_min": "throughput lower by, least",
    "throughput_less_max": "throughput lower by, most",
    "throughput_less": "throughput lower by",
    "throughput_more_share": "higher throughput",
    "same_share": "same cost",
    "cheaper_share": "cheaper",
    "dearer_share": "more expensive",
    "more_expensive_share": "more expensive",
    "remaining_budget_max": "largest latency left",
    "remaining_budget": "mean latency left",
    "iterations": "iterations",
}
"""What is said of an alternative, by the end of the figure's key; longer ends come before shorter ones."""
SIGNS = {"%": "", "ratio": " (ratio)", "count": " (count)"}
"""Units, most of which are per cent."""
PARAMETERS = {
    "duration": "durations",
    "own_kernels": "networks keep their kernels",
    "shape_spread": "how far networks differ",
    "shape_draw": "which networks differ how",
    "fixed_share": "time that no request adds to",
    "second_kernel": "kernel for large batches",
    "second_start": "large batches: where they start",
    "second_slope": "large batches: time per request",
    "gain": "gain by concurrency",
    "gain_fall": "gain falls with the batch",
    "gain_decay": "gain per further stream",
    "streams": "most streams",
    "largest_batch": "largest batch",
    "speed_excess": "speed of V100",
    "price_ratio": "price of V100",
    "actdet_modules": "modules of actdet",
    "round_robin": "reading: round robin",
    "own_scrooge": "reading: Scrooge's split",
    "two_dummies": "reading: dummies in Harp-2c",
    "two_filled": "reading: filling in Picc-2bpc",
    "heavy_which": "which module is heavy",
    "heavy_machines": "machines of the heavy module",
    "heavy_spread": "heavy module: spread",
    "light_machines": "others over the heavy module",
    "light_spread": "others: spread",
    "whole_share": "rates that fill whole machines",
    "rate_step": "step of rates",
    "slo": "objective over least latency",
    "slo_spread": "objectives: spread",
    "slo_step_s": "step of objectives",
    "three_weight": "weight of three modules",
    "in_turn": "applications in turn",
    "given": "reading: the given module",
    "reassign_first": "reading: 1re gives to the first",
}
"""Parameters of `Setting`."""


def figure_label(name: str) -> str:
    """The short name of a figure by PAPER:KEY; the key itself where there is none."""
    paper, _, key = name.partition(":")
    target = targets().get(name)
    sign = SIGNS[target.unit] if target else ""
    if key in SPECIAL:
        return SPECIAL[key] + sign
    for end, words in KINDS.items():
        if key.endswith(f"_{end}"):
            return f"{ALTERNATIVES[paper]}-{key.removesuffix(f'_{end}')}: {words}{sign}"
    return key.replace("_", " ")


def parameter_label(name: str) -> str:
    """The short name of a parameter."""
    return PARAMETERS[name]
