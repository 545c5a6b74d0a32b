"""Parameters that could be chosen per class of servers, at most one each, and their value when chosen elsewhere.

Every parameter is tried on all servers of its class. It is fitted on one half of the accelerators and shown on the
other, both ways, and kept only if it helps both times. `left_out` then predicts each accelerator by parameters fitted
to the others.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from studies.mlperf.inputs import PERCENTILES, Kind, ServerCase, cases
from studies.mlperf.rules import CONFIGURED, Rule

HALF = ("A100 1g.10gb", "T4")
"""Accelerators of one half; the others are the other one. Each class is in both."""
SIX = (
    "resnet50 on A30 1g.6gb, TensorRT v2.0",
    "retinanet on L4, TensorRT v3.0",
    "rnnt on A100 1g.10gb, TensorRT v2.1",
    "rnnt on A2, TensorRT v2.1",
    "ssd-resnet34 on A30 1g.6gb, TensorRT v2.0",
    "ssd-resnet34 on A30 1g.6gb, Triton v2.0",
)
"""Servers with results that became available only after the rule before had been published."""
IDLE = "part of what a batch leaves idle that other streams use"


def shown(value: float) -> str:
    """A value as the page has it."""
    return "in the limit" if math.isinf(value) else f"{value:g}"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter that can be chosen for a class.

    Attributes:
        kind: the class.
        field: the rule's field.
        what: its meaning.
        values: the tried values; the first one is the model of the class without it.
    """

    kind: Kind
    field: str
    what: str
    values: tuple[float, ...]

    def rule(self, value: float) -> Rule:
        """The rule with a value of it."""
        changes: dict[str, Any] = {self.field: value}
        return replace(CONFIGURED, label=f"{self.field} {value:g}", answer=f"{self.what}: {shown(value)}", **changes)

    @property
    def servers(self) -> tuple[ServerCase, ...]:
        """The servers of the class."""
        return tuple(case for case in cases() if case.kind is self.kind)


PARAMETERS = (
    Parameter(Kind.ONE, "ahead", "batches formed while the machine is busy", (0, 1)),
    Parameter(Kind.SLICE, "filled_of_slice", IDLE, (0.0, 0.25, 0.5, 0.75, 1.0)),
    Parameter(Kind.WHOLE, "filled", IDLE, (0.0, 0.25, 0.5, 0.75, 1.0)),
    Parameter(
        Kind.SENTENCES,
        "offline_times",
        "batch that reaches Offline's throughput, in largest ones of the server",
        (1.0, 2.0, 4.0, 16.0, math.inf),
    ),
    Parameter(Kind.RECORDINGS, "under_way", "batches under way at a time", (1, 2, 3, 4)),
)
TRIED = tuple(parameter.rule(value) for parameter in PARAMETERS for value in parameter.values)
"""A rule per value of each parameter."""


@dataclass(frozen=True, slots=True)
class TriedChoice:
    """A parameter that was fitted on some accelerators and shown on others.

    Attributes:
        parameter: the parameter.
        on: accelerators that it is shown on.
        value: the value fitted to the others.
        without: median errors on those, by percentile, without it.
        fitted: the same with it.
    """

    parameter: Parameter
    on: tuple[str, ...]
    value: float
    without: dict[str, float]
    fitted: dict[str, float]

    @property
    def helps(self) -> bool:
        """Whether the mean of the median errors is less with it."""
        return sum(self.fitted.values()) < sum(self.without.values())


def logarithms(served: pd.DataFrame) -> pd.DataFrame:
    """Logarithms of simulated over measured, by case and rule; errors up and down count alike."""
    means = served.groupby(["case", "rule"])[list(PERCENTILES)].mean()
    measured = pd.DataFrame({case.name: case.on_hardware_s for case in cases()}).T
    ratios = means.to_numpy() / measured.reindex(means.index.get_level_values("case")).to_numpy()
    return pd.DataFrame(np.log(ratios), index=means.index, columns=means.columns)


def fitted(parameter: Parameter, on: Collection[ServerCase], logs: pd.DataFrame) -> float:
    """The value with the least mean of the median errors on some servers; the first one if none is of the class.

    Errors are taken as logarithms; of equally good values, the first wins.
    """
    names = [case.name for case in parameter.servers if case in on]
    if not names:
        return parameter.values[0]
    return min(parameter.values, key=lambda value: _loss(_of(logs, names, parameter.rule(value))))


def of(accelerators: Collection[str]) -> tuple[ServerCase, ...]:
    """The servers of some accelerators."""
    return tuple(case for case in cases() if case.accelerator in accelerators)


def _of(logs: pd.DataFrame, names: Sequence[str], rule: Rule) -> pd.DataFrame:
    return logs.loc[[(name, rule.label) for name in names]]


def _loss(logs: pd.DataFrame) -> float:
    # Rounded, so that the sum's last digits do not decide.
    return round(float(logs.abs().median().mean()), 9)


def shown_on(parameter: Parameter, accelerators: Collection[str], logs: pd.DataFrame) -> TriedChoice:
    """A parameter fitted on all other accelerators."""
    rest = {case.accelerator for case in parameter.servers} - set(accelerators)
    value = fitted(parameter, of(rest), logs)
    names = [case.name for case in parameter.servers if case.accelerator in accelerators]
    on = tuple(sorted({case.accelerator for case in parameter.servers} & set(accelerators)))
    without, with_it = (
        {str(name): float(error) for name, error in found.map(math.expm1).abs().median().items()}
        for found in (_of(logs, names, parameter.rule(one)) for one in (parameter.values[0], value))
    )
    return TriedChoice(parameter, on, value, without, with_it)


def halves(logs: pd.DataFrame) -> list[TriedChoice]:
    """Every parameter fitted on each half and shown on the other."""
    other = {case.accelerator for case in cases()} - set(HALF)
    return [shown_on(parameter, half, logs) for parameter in PARAMETERS for half in (other, set(HALF))]


def kept(tried: Sequence[TriedChoice]) -> tuple[Parameter, ...]:
    """Parameters that help wherever they are shown."""
    return tuple(parameter for parameter in PARAMETERS if all(one.helps for one in tried if one.parameter == parameter))


def left_out(logs: pd.DataFrame, keeping: Collection[Parameter]) -> pd.DataFrame:
    """Every server predicted by parameters fitted to all other accelerators, in the order of `cases`."""
    every = {case.accelerator for case in cases()}
    return pd.DataFrame([predicted(case, of(every - {case.accelerator}), logs, keeping) for case in cases()])


def of_the_earlier(logs: pd.DataFrame, keeping: Collection[Parameter]) -> pd.DataFrame:
    """The six later servers predicted by parameters fitted to the 17 servers of the rule before."""
    earlier = tuple(case for case in cases() if case.name not in SIX)
    return pd.DataFrame([predicted(case, earlier, logs, keeping) for case in cases() if case.name in SIX])


def predicted(
    case: ServerCase, others: Collection[ServerCase], logs: pd.DataFrame, keeping: Collection[Parameter]
) -> dict[str, Any]:
    """A server predicted by parameters fitted to others.

    Args:
        case: the server.
        others: the servers of the fit.
        logs: logarithms of simulated over measured, by case and rule.
        keeping: parameters that are fitted; classes of other parameters are modelled without them.

    Returns:
        Case, class, group, accelerator, the fitted value, predicted percentiles in seconds, measured ones, and errors.
    """
    (parameter,) = (one for one in PARAMETERS if one.kind is case.kind)
    value = fitted(parameter, others, logs) if parameter in keeping else parameter.values[0]
    (found,) = _of(logs, [case.name], parameter.rule(value)).to_numpy()
    errors = {name: math.expm1(log) for name, log in zip(PERCENTILES, found, strict=True)}
    measured = case.on_hardware_s
    return {
        "case": case.name,
        "kind": case.kind.value,
        "group": case.group,
        "accelerator": case.accelerator,
        "fitted": shown(value) if parameter in keeping else "",
        **{name: measured[name] * (1 + errors[name]) for name in PERCENTILES},
        **{f"measured_{name}": measured[name] for name in PERCENTILES},
        **{f"error_{name}": errors[name] for name in PERCENTILES},
    }
