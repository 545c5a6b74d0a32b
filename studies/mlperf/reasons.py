"""Why simulated percentiles differ from measured ones, as far as the data say."""

from __future__ import annotations

from collections.abc import Mapping

from euclio.core.words import duration
from studies.mlperf.class_text import NEAR
from studies.mlperf.inputs import PERCENTILES, Case, cases
from studies.mlperf.measures import by_case, of_rule
from studies.mlperf.rules import CONFIGURED, OWN_HARNESS, RULES, variation
from studies.study import Collected

VARYING = 0.1
"""Coefficient of variation of single inputs from which their lengths are said to vary."""


def reasons(collected: Collected) -> dict[str, str]:
    """Why, for every published number."""
    servers = collected.tables["servers"]
    simulated = {rule.label: by_case(of_rule(servers, rule.label)) for rule in RULES}
    capacity = {name: found["capacity_rps"] for name, found in simulated[CONFIGURED.label].items()}
    return {
        f"{case.key}_{name}": " ".join(
            _why(
                case,
                {label: own[case.name][name] for label, own in simulated.items()},
                case.submitted_rps / capacity[case.name],
            )
        )
        for case in cases()
        for name in PERCENTILES
    }


def _why(case: Case, simulated: Mapping[str, float], used: float) -> list[str]:
    rules = "; ".join(f"{rule.label} {duration(simulated[rule.label])}" for rule in RULES[1:])
    found = [f"Under other rules: {rules}."]
    in_flight = case.submitted_rps * case.on_hardware_s["p50"]
    found.append(
        f"About {in_flight:.0f} requests are under way on the hardware (load times measured median), "
        f"{in_flight / case.batch:.1f} of the largest batches."
    )
    if variation(case) >= VARYING:
        found.append(
            f"Lengths of inputs vary: single ones take {100 * variation(case):.0f} % more or less (SingleStream). How "
            "a batch of them varies is not measured."
        )
    if case.streams > 1:
        found.append(
            f"{case.streams} streams execute batches at a time; how much they leave each other is not measured."
        )
    if used >= NEAR:
        found.append(
            f"The load is {100 * used:.0f} % of the modelled capacity, where a few per "
            "cent of throughput are a factor of latency."
        )
    if not case.stated:
        found.append(f"The configuration states no time-out; {_without_timeout(case)}.")
    return found


def _without_timeout(case: Case) -> str:
    return "its harness takes what is there" if case.kind in OWN_HARNESS else "the harness's default was taken"
