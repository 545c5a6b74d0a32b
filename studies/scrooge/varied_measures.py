"""The effect of varied inputs on the shares at which Scrooge's MILP and greedy cost the same as the optimum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.report.analysis.statistics import Measured, largest, mean, share
from studies.readings import Moved, OtherReading
from studies.scrooge.measures import GREEDY, MILP
from studies.scrooge.varied import FACTORS, Factor, in_words, settings

KEYS = {MILP: "milp", GREEDY: "greedy"}
"""Prefix of the keys of published numbers, by solver."""
PERCENT = 100.0
OVER = (
    "Which decisions Figure 10 is over (§4.3: “all the allocation decisions we make for the experiments in §4.2”)",
    "those that Scrooge makes on the changing workloads, each as often as it makes it",
)
"""The other reading of the population, question and answer; the study draws decisions instead."""


@dataclass(frozen=True, slots=True)
class VariedOutcome:
    """The results of one method on decisions.

    Attributes:
        same: share at the optimum's cost, in per cent.
        mean_extra: mean cost above the optimum, in per cent.
        most_extra: the largest, in per cent.
    """

    same: Measured
    mean_extra: Measured
    most_extra: Measured


def outcome(decisions: pd.DataFrame, solver: str) -> VariedOutcome:
    """The results of a method on decisions, one row each; without a plan it does not cost the same."""
    over = decisions[solver]
    return VariedOutcome(share(over <= 1 + OPTIMALITY_TOLERANCE), mean(over - 1, PERCENT), largest(over - 1, PERCENT))


def outcomes(varied: pd.DataFrame) -> dict[str, dict[str, VariedOutcome]]:
    """The results of both methods, by name of the setting and then by solver; settings need a decision."""
    by = {str(name): rows for name, rows in varied.groupby("setting")}
    names = [in_words(setting) for setting in settings()]
    return {name: {solver: outcome(by[name], solver) for solver in KEYS} for name in names if name in by}


def along(factor: Factor, found: Mapping[str, Mapping[str, VariedOutcome]], solver: str) -> dict[float, Measured]:
    """A method's share at the optimum by value of a factor, ascending."""
    names = {value: "" if value == factor.own else in_words({factor.name: value}) for value in factor.axis}
    return {value: found[name][solver].same for value, name in names.items() if name in found}


def decision_movements(varied: pd.DataFrame) -> dict[str, tuple[Moved, ...]]:
    """Unprinted inputs that move a share, by key of the published number, the strongest first.

    Strength is the distance of the ends.

    An input moves a share if the 95 % intervals at its two ends do not meet. The largest extra costs are left out,
    since each is one decision's.
    """
    found = outcomes(varied)
    table: dict[str, tuple[Moved, ...]] = {}
    for solver, key in KEYS.items():
        moved = [
            one for factor in FACTORS if not factor.printed for one in _moved(factor, along(factor, found, solver))
        ]
        if moved:
            table[f"{key}_same_share"] = tuple(sorted(moved, key=lambda one: -abs(one.high - one.low)))
    return table


def _moved(factor: Factor, shares: Mapping[float, Measured]) -> Iterator[Moved]:
    """The effect of a factor on a share; nothing if the intervals at its ends overlap."""
    if len(shares) < 2:
        return
    (least, low), (*_, (most, high)) = next(iter(shares.items())), shares.items()
    if not apart(low, high):
        return
    words = f"{factor.words} ({factor.said(least)} to {factor.said(most)}; {len(shares)} values)"
    yield Moved(words, low.value, high.value)


def apart(one: Measured, other: Measured) -> bool:
    """Whether two intervals do not meet."""
    if None in (one.low, one.high, other.low, other.high):
        return False
    lower, upper = sorted((one, other), key=lambda m: m.value)
    return (lower.high or 0.0) < (upper.low or 0.0)


def decision_readings(made: pd.DataFrame) -> dict[str, list[OtherReading]]:
    """The shares and the largest extra costs over the decisions of changing workloads, by key."""
    every = each_time(made)
    if every.empty:
        return {}
    found = {}
    for solver, key in KEYS.items():
        own = outcome(every, solver)
        found[f"{key}_same_share"] = [OtherReading(*OVER, own.same)]
        found[f"{key}_extra_max"] = [OtherReading(*OVER, own.most_extra)]
    return found


def each_time(made: pd.DataFrame) -> pd.DataFrame:
    """One row per decision, as often as it was made."""
    return made.loc[made.index.repeat(made.times)].reset_index(drop=True)


def holding(found: Mapping[str, Mapping[str, VariedOutcome]], printed: Mapping[str, float]) -> list[str]:
    """Names of the settings under which the intervals of both methods' shares contain the printed ones.

    Args:
        found: results of `outcomes`.
        printed: printed shares in per cent, by solver.
    """
    return [name for name, own in found.items() if all(_holds(own[s].same, value) for s, value in printed.items())]


def _holds(measured: Measured, value: float) -> bool:
    return measured.low is not None and measured.high is not None and measured.low <= value <= measured.high
