"""A plan by objective and by application, for people and files (docs/model/services.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rich.console import RenderableType
from rich.text import Text

from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.words import DASH, counted, figures, full, listed, milliseconds, percent
from euclio.problems.session.evaluate import Evaluation
from euclio.problems.session.instance import Session
from euclio.problems.session.latency.paths import path_to, times_until
from euclio.problems.session.services import application_modules, application_rate, without_objective

MOST_ON_PATH = 6
"""The most modules of a path that a table names; of a longer path it names the ends."""


@dataclass(frozen=True, slots=True)
class KeptObjective:
    """An objective next to the latency of a plan.

    Attributes:
        to: the module with which its paths end.
        slo_s: most seconds of these paths.
        latency_s: seconds of the longest of them in the plan, with delays.
        path: names of the modules on that path.
    """

    name: str
    to: str
    slo_s: Fraction
    latency_s: Fraction
    path: tuple[str, ...]

    @property
    def slack_s(self) -> Fraction:
        """Seconds of the objective that the plan leaves; below 0 if it is missed."""
        return self.slo_s - self.latency_s


@dataclass(frozen=True, slots=True)
class ApplicationCost:
    """An application with its part of a plan's cost.

    Attributes:
        name: its name; None stands for all modules of applications without a name.
        modules: names of its modules.
        rate_rps: requests per second; None for modules of applications without a name.
        cost_per_h: money per hour for its modules. Spare machines and changes belong to no application.
    """

    name: str | None
    modules: tuple[str, ...]
    rate_rps: Fraction | None
    cost_per_h: Fraction


def objectives_kept(session: Session, latency_s: Sequence[Fraction]) -> list[KeptObjective]:
    """Each objective of a session next to its longest path at some latencies; empty in a session with one SLO."""
    if not session.objectives:
        return []
    until, index = times_until(session, latency_s), session.index
    return [
        KeptObjective(one.name, one.to, one.slo_s, until[index[one.to]], tuple(path_to(session, until, index[one.to])))
        for one in session.objectives
    ]


def objectives_of(session: Session, evaluation: Evaluation) -> list[KeptObjective]:
    """Each objective of a session next to its longest path in a plan."""
    return objectives_kept(session, [module.worst_case_latency_s for module in evaluation.modules])


def applications_of(session: Session, evaluation: Evaluation) -> list[ApplicationCost]:
    """The applications of a session with their parts of a plan's cost; modules of unnamed ones come last."""
    if not session.applications:
        return []
    members = {one.name: application_modules(session, one.name) for one in session.applications}
    found = [
        _application(session, evaluation, own, name, application_rate(session, name)) for name, own in members.items()
    ]
    named = {m for own in members.values() for m in own}
    rest = [m for m in range(len(session.modules)) if m not in named]
    return found + ([_application(session, evaluation, rest, None, None)] if rest else [])


def _application(
    session: Session, evaluation: Evaluation, members: Sequence[int], name: str | None, rate: Fraction | None
) -> ApplicationCost:
    cost = sum((evaluation.modules[m].cost_per_h for m in members), Fraction(0))
    return ApplicationCost(name, tuple(session.modules[m].name for m in members), rate, cost)


def path_in_words(path: Sequence[str]) -> str:
    """A path; the ends of a long one."""
    if len(path) <= MOST_ON_PATH:
        return " -> ".join(path)
    return f"{' -> '.join(path[: MOST_ON_PATH // 2])} -> ... -> {path[-1]} ({counted(len(path), 'module')})"


def any_latency_in_words(session: Session) -> str:
    """The modules that lead to no objective, in a line; empty if there are none."""
    free = without_objective(session)
    if not free:
        return ""
    verb = "leads" if len(free) == 1 else "lead"
    return f"{listed(free)} {verb} to no objective, and may take any latency"


def objectives_in_words(session: Session, evaluation: Evaluation) -> str:
    """The seconds of a plan for each objective, or for the only SLO, in a few words."""
    if session.objectives:
        kept = objectives_of(session, evaluation)
        return listed(f"{one.name} {full(one.latency_s)} s of {full(one.slo_s)} s" for one in kept)
    return f"latency {full(evaluation.latency_s)} s of {full(session.slo_s)} s"


def tightest_of(session: Session, evaluation: Evaluation) -> KeptObjective:
    """The objective of which a plan leaves the fewest seconds, in a session with objectives."""
    return min(objectives_of(session, evaluation), key=lambda one: one.slack_s)


OBJECTIVE_COLUMNS = (
    Label("objective", "name"),
    Column("limit ms", "slo_s", milliseconds),
    Column("latency ms", "latency_s", milliseconds),
    Column("slack ms", "slack_s", milliseconds, spare=2),
    Label("longest path", "path", path_in_words, spare=1),
)


def tables_of_parts(
    session: Session, evaluation: Evaluation, value: Fraction, headroom: Fraction
) -> list[RenderableType]:
    """The tables of the objectives and of the applications, if the session names them, with blank lines below.

    Args:
        session: the session.
        evaluation: the checker's answer on the plan.
        value: the cost of the plan in money per hour.
        headroom: share of additional requests that are planned for.
    """
    shown: list[RenderableType] = []
    if objectives := objectives_of(session, evaluation):
        # The modules that lead to no objective stand below.
        said = any_latency_in_words(session)
        shown += [table_of(objectives, OBJECTIVE_COLUMNS), *([Text(said)] if said else []), Text("")]
    columns = (
        Label("application", "name", lambda name: name or "other modules"),
        Column("req/s", "rate_rps", lambda rate: figures(rate / (1 + headroom)) if rate else DASH),
        Column("cost/h", "cost_per_h", figures),
        Column("share", "cost_per_h", lambda cost: percent(float(cost / value), 1) if value else DASH, spare=2),
        Label("modules", "modules", listed, spare=1),
    )
    if applications := applications_of(session, evaluation):
        shown += [table_of(applications, columns), Text("")]
    return shown
