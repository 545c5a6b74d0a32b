"""What limits the plan of a point: how much of its objective, stock and resources it takes, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from euclio.core.families import family_of
from euclio.core.result import Status
from euclio.core.words import counted, figures, full
from euclio.problems.session.evaluate import Evaluation
from euclio.problems.session.instance import Session
from euclio.problems.session.latency.paths import longest_path
from euclio.problems.session.resources import machine_limits
from euclio.questions.what_if import Point

MOST_NAMED = 4
"""Modules of a path that are named; of a longer one, its ends."""


@dataclass(frozen=True, slots=True)
class Use:
    """How much of a limit a plan takes.

    Attributes:
        limit: its name.
        share: what is taken as a share of it, from 0 to 1.
        words: the same in words, and what takes most of it.
    """

    limit: str
    share: Fraction
    words: str


def uses(point: Point) -> list[Use]:
    """How much of each limit the plan of a point takes, the objective first; empty without a plan."""
    if point.checked is None:
        return []
    _, found = point.checked
    session, machines = point.session, point.machines
    rows = [_objective(session, found)]
    for limit in machine_limits(session):
        taken = limit.taken(machines, session.spare_machines)
        share = taken / limit.capacity if limit.capacity else Fraction(1)
        what = "machines" if limit.is_stock else f"of {limit.name}"
        label = f"stock of {limit.name}" if limit.is_stock else limit.name
        rows.append(Use(label, share, f"{full(taken, digits=4)} of {full(limit.capacity)} {what}"))
    return rows


def _objective(session: Session, found: Evaluation) -> Use:
    """The longest path against the objective, and the module on it that takes the most."""
    latency = [module.worst_case_latency_s for module in found.modules]
    length, names = longest_path(session, latency)
    words = f"{figures(length)} of {full(session.slo_s)} s at worst"
    if len(names) > 1:
        most = max(names, key=lambda name: latency[session.index[name]])
        words += f" on {_path(names)}; most of it {most}, {figures(latency[session.index[most]])} s"
    return Use("SLO", length / session.slo_s, words)


def _path(names: list[str]) -> str:
    if len(names) <= MOST_NAMED:
        return " -> ".join(names)
    return f"{names[0]} -> ... -> {names[-1]} ({counted(len(names), 'module')})"


class Reasons:
    """Why points have no plan, in one line each; what differs in nothing that the line says is explained once.

    Args:
        limit_s: seconds for each explanation.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._known: dict[tuple[Session, str, str], str] = {}

    def of(self, point: Point) -> str:
        """The line; empty where there is a plan."""
        result = point.result
        if point.checked is not None:
            return ""
        if result.status is not Status.INFEASIBLE:
            return result.reason or "no plan was found within the time limit"
        known = (point.session, point.charging.value, result.reason)
        if known not in self._known:
            why = family_of(point.session).why_infeasible
            self._known[known] = why(point.session, result, self._limit_s)
        return self._known[known]
