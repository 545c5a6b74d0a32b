"""The same sliders in a notebook, where the kernel solves unknown points (extra `widget`)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from euclio.core.engine_packages import is_installed
from euclio.core.errors import InputError
from euclio.core.numbers import Number
from euclio.core.solving import solve
from euclio.problems.session import Session
from euclio.problems.session.changes import source_rate
from euclio.questions.question import Solving
from euclio.questions.sweep.grid import Swept
from euclio.questions.sweep.question import question
from euclio.report.what_if.parts import KnownPlans

if TYPE_CHECKING:
    from euclio.report.what_if.kernel_side import SweepWidget

FACTORS = tuple(Fraction(k, 10) for k in range(3, 21))
"""Default rates and SLOs as multiples of the session's own. They are finer than a page's, since few are solved."""
MOST_POINTS = 10**6
"""Most plans in the grid of a widget; only those that a user looks at are solved."""
LIMIT_S = 1.0
"""Limit of each run in seconds, since the user of a slider waits for it."""


def widget(
    session: Session,
    *,
    rates: Iterable[Number] = (),
    slos: Iterable[Number] = (),
    time_limit_s: float | None = LIMIT_S,
    solving: Solving = solve,
    **asked: Any,
) -> SweepWidget:
    """Sliders over a session in a notebook; when they rest, their point is solved.

    Args:
        session: the session.
        rates: requests per second of all sources together; none: 0.3 to 2 times the session's.
        slos: objectives in seconds; none: 0.3 to 2 times the session's, of several objectives the first one's.
        time_limit_s: limit of each run in seconds; None means no limit.
        solving: the function that solves a point.
        **asked: the rest as of `euclio.questions.sweep.question.question`.

    Returns:
        The widget; its `swept` holds the plans that are known.

    Raises:
        InputError: anywidget is not installed; and as of `question`.
    """
    if not is_installed("anywidget"):
        raise InputError("the widget needs anywidget, which is missing; `pip install 'euclio[widget]'`")
    from euclio.report.what_if.kernel_side import SweepWidget

    # Of several objectives the first one varies.
    first = next(iter(session.objectives), None)
    around = [factor * (session.slo_s if first is None else first.slo_s) for factor in FACTORS]
    found = question(
        session,
        rates=list(rates) or [factor * source_rate(session) for factor in FACTORS],
        slos=list(slos) or (around if first is None else {first.name: around}),
        time_limit_s=time_limit_s,
        solving=solving,
        most=MOST_POINTS,
        **asked,
    )
    return SweepWidget(KnownPlans(Swept(found, solving)))
