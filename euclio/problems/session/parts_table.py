"""Tables of a plan by objective and by application."""

from __future__ import annotations

from fractions import Fraction

from rich.console import RenderableType
from rich.text import Text

from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.words import DASH, figures, listed, milliseconds, percent
from euclio.problems.session.evaluate import Evaluation
from euclio.problems.session.instance import Session
from euclio.problems.session.parts_of_plans import any_latency_in_words, applications_of, objectives_of, path_in_words

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
    """The tables of the objectives and of the applications, each if the session names them, with blank lines below.

    Args:
        session: the session.
        evaluation: the checker's answer on the plan.
        value: the cost of the plan in money per hour.
        headroom: by what share more requests are planned for than come.
    """
    shown: list[RenderableType] = []
    if objectives := objectives_of(session, evaluation):
        # Below stand the modules that lead to no objective.
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
