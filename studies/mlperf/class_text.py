"""The page's text on accuracy by class: signed errors, parameters fitted elsewhere, and loads near the capacity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from euclio.core.words import counted, duration
from euclio.report import Table
from studies.mlperf.choices import PARAMETERS, TriedChoice, shown
from studies.mlperf.inputs import PERCENTILES, Kind, ServerCase, cases
from studies.mlperf.measures import by_case, of_rule, records
from studies.mlperf.rules import CONFIGURED, OWN_HARNESS, RULES, variation
from studies.study import Collected

ORDINALS = {"p50": "50th", "p90": "90th", "p99": "99th"}
NEAR = 0.9
"""Share of the capacity from which a load counts as near it."""


def ordered(frame: pd.DataFrame) -> list[str]:
    """The classes with a server, in their order."""
    there = set(frame.kind)
    return [kind.value for kind in Kind if kind.value in there]


def signed(value: float) -> str:
    """An error in per cent with its sign."""
    return f"{100 * value:+.0f}"


def class_table(left: pd.DataFrame, own: pd.DataFrame, before: pd.DataFrame) -> Table:
    """Signed errors by class: least, median and largest.

    Args:
        left: servers predicted without their accelerator.
        own: by the rule that the page answers by.
        before: by the rule before.
    """
    rows = []
    for kind in ordered(left):
        parts = [frame[frame.kind == kind] for frame in (left, own, before)]
        cells = [_spread(parts[0][f"error_{name}"]) for name in PERCENTILES]
        medians = [" / ".join(signed(part[f"error_{name}"].median()) for name in PERCENTILES) for part in parts[1:]]
        rows.append((kind, str(len(parts[0])), *cells, *medians))
    columns = ("class", "servers", *(f"{ORDINALS[name]} percentile (%)" for name in PERCENTILES))
    return _table(
        "When to trust a predicted latency: signed error by class, simulated over measured less 1 (nearer 0 is "
        "better), median (least to largest), each accelerator predicted without its own results. Then medians of the "
        "50th / 90th / 99th percentile by the rule with all servers in view, and by the previous rule",
        (*columns, "all in view (%)", "rule before (%)"),
        rows,
    )


def trust_text(left: pd.DataFrame, aim: float) -> str:
    """When a predicted latency can be trusted: classes whose errors all lie within `aim` per cent, and the others.

    Args:
        left: servers predicted without their accelerator.
        aim: the largest error that was aimed for, in per cent.
    """
    good, bad = [], []
    for kind in ordered(left):
        errors = 100.0 * left.loc[left.kind == kind, [f"error_{name}" for name in PERCENTILES]]
        low, high = float(errors.min().min()), float(errors.max().max())
        if max(-low, high) <= aim:
            good.append(kind)
        else:
            bad.append(f"{kind} ({_plain(low)} to {_plain(high)} %)")
    kept, missed = ("; ".join(names) or "none" for names in (good, bad))
    return f"All percentiles are within {aim:g} % on every server of: {kept}. Not on every server of: {missed}."


def _plain(error: float) -> str:
    """An error in per cent with its sign; without a sign if it rounds to 0."""
    return f"{error:+.0f}" if round(error) else "0"


def _spread(errors: pd.Series[float]) -> str:
    if len(errors) == 1:
        return signed(errors.iloc[0])
    return f"{signed(errors.median())} ({signed(errors.min())} to {signed(errors.max())})"


def left_table(left: pd.DataFrame) -> Table:
    """Every server, predicted without its accelerator."""
    rows = []
    for row in records(left):
        cells = []
        for name in PERCENTILES:
            simulated, measured = (f"{1000 * row[column]:.3g}" for column in (name, f"measured_{name}"))
            cells.append(f"{simulated} ({measured}) {signed(row[f'error_{name}'])} %")
        rows.append((row["case"], row["kind"], row["accelerator"], row["fitted"] or "–", *cells))
    columns = ("server", "class", "left out", "fitted to the others", *(f"{ORDINALS[n]} (ms)" for n in PERCENTILES))
    return _table(
        "Predicted (measured) and error (nearer 0 is better), without the accelerator: only the class's "
        "one number is fitted",
        columns,
        rows,
        first=4,
    )


def halves_table(tried: Sequence[TriedChoice]) -> Table:
    """Every number that was tried, fitted on one half and shown on the other."""
    rows = [
        (
            one.parameter.kind.value,
            one.parameter.what,
            ", ".join(one.on),
            shown(one.value),
            _errors(one.without),
            _errors(one.fitted),
            "helps" if one.helps else "does not help",
        )
        for one in tried
    ]
    columns = ("class", "number", "shown on", "fitted on the other half", "without (%)", "with (%)", "")
    return _table(
        "One number per class, fitted on one half of the accelerators, shown on the other: median errors of the 50th / "
        "90th / 99th percentile without it and with it (lower is better)",
        columns,
        rows,
        first=3,
    )


def _errors(found: dict[str, float]) -> str:
    return " / ".join(f"{100 * found[name]:.0f}" for name in PERCENTILES)


def tried_table(logs: pd.DataFrame) -> Table:
    """Signed errors of every server of a class by every value of its number."""
    rows = []
    for parameter in PARAMETERS:
        for case in parameter.servers:
            for value in parameter.values:
                (found,) = np.expm1(logs.loc[[(case.name, parameter.rule(value).label)]].to_numpy())
                cells = (signed(float(error)) for error in found)
                rows.append((case.name, parameter.what, shown(value), *cells))
    columns = ("server", "number", "value", *(f"{ORDINALS[name]} (%)" for name in PERCENTILES))
    return _table("Signed errors by the value of the class's number", columns, rows, first=3)


def halves_text(tried: Sequence[TriedChoice]) -> str:
    """The parameters that helped on servers outside their fit, and those that did not."""
    by_kind: dict[str, bool] = {}
    for one in tried:
        kind = one.parameter.kind.value
        by_kind[kind] = by_kind.get(kind, True) and one.helps
    good = "; ".join(kind for kind, helps in by_kind.items() if helps)
    bad = "; ".join(kind for kind, helps in by_kind.items() if not helps)
    return (
        "Each class has at most one fitted number, a quantity that can be looked up or measured. Fitted on one half "
        f"of the accelerators, it helps on the other, both ways, for: {good or 'none'}. It does not help for: "
        f"{bad or 'none'}; there we leave it out."
    )


def near_text(own: pd.DataFrame) -> str:
    """The effect of a few per cent of load on latencies, by how near the load is to the capacity."""
    near, far = own[own.used >= NEAR], own[own.used < NEAR]
    return (
        f"{counted(len(near), 'server')} of {len(own)} {'runs' if len(near) == 1 else 'run'} at {100 * NEAR:.0f} % of "
        f"the modelled capacity or more ({', '.join(near.case)}). There 3 % more load make the 99th percentile "
        f"{_times(near, 'more')} times as long; on the others {_times(far, 'more')}. Throughput is known only "
        "to a few per cent. A latency near the capacity therefore shows that the bound is close, and "
        "compares dispatchers on the same machine, but does not predict milliseconds. Plan with "
        "the load at which the bound is met: the same few per cent move it by a few per cent."
    )


def _times(held: pd.DataFrame, change: str) -> str:
    ratios = held[f"p99_{change}"] / held.p99
    return f"{ratios.min():.2f} to {ratios.max():.2f} (median {ratios.median():.2f})"


def near_table(own: pd.DataFrame) -> Table:
    """The effect of 3 % of load, by server."""
    rows = []
    for row in records(own.sort_values("used", ascending=False, kind="stable")):
        cells = []
        for name in PERCENTILES:
            less, more = (100 * (row[f"{name}_{change}"] / row[name] - 1) for change in ("less", "more"))
            cells.append(f"{less:+.0f} to {more:+.0f}")
        rows.append((row["case"], f"{100 * row['used']:.0f}", *cells))
    columns = ("server", "load over capacity (%)", *(f"{ORDINALS[name]} (%)" for name in PERCENTILES))
    return _table("Change of the percentiles at 3 % less and 3 % more load", columns, rows)


def _table(caption: str, columns: Sequence[str], rows: Sequence[tuple[str, ...]], first: int = 1) -> Table:
    return Table(caption, tuple(columns), tuple(rows), frozenset(range(first, len(columns))), stacks=True)


VARYING = 0.1
"""Coefficient of variation of single inputs from which their lengths count as varying."""


def reasons(collected: Collected) -> dict[str, str]:
    """The reason for every published number."""
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


def _why(case: ServerCase, simulated: Mapping[str, float], used: float) -> list[str]:
    rules = "; ".join(f"{rule.label} {duration(simulated[rule.label])}" for rule in RULES[1:])
    found = [f"Under other rules: {rules}."]
    in_flight = case.submitted_rps * case.on_hardware_s["p50"]
    found.append(
        f"About {in_flight:.0f} requests are under way on the hardware (load times measured median), "
        f"{in_flight / case.batch:.1f} of the largest batches."
    )
    if variation(case) >= VARYING:
        found.append(
            f"Lengths of inputs vary: single ones take {100 * variation(case):.0f} % more or less (SingleStream). The "
            "variation of a batch is not measured."
        )
    if case.streams > 1:
        found.append(f"{case.streams} streams execute batches at a time; how they share the machine is not measured.")
    if used >= NEAR:
        found.append(
            f"The load is {100 * used:.0f} % of the modelled capacity, where a few per "
            "cent of throughput change the latency by a factor."
        )
    if not case.stated:
        found.append(f"The configuration states no timeout; {_without_timeout(case)}.")
    return found


def _without_timeout(case: ServerCase) -> str:
    return "its harness takes the waiting requests" if case.kind in OWN_HARNESS else "we take the harness's default"
