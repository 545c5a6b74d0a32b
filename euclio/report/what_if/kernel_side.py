"""The kernel's side of the widget; imported only where anywidget is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from euclio.report.what_if.parts import notebook_style, script

if TYPE_CHECKING:
    from euclio.questions.sweep.grid import Swept
    from euclio.report.what_if.parts import KnownPlans


class SweepWidget(anywidget.AnyWidget):
    """Sliders over a grid of plans.

    Attributes:
        grid: the axes.
        points: entries by place that are known from the beginning.
        live: whether the script may ask for more.
        asked: the place that the script asks for, with a number that makes each question different.
        answer: the entries of the place that the script asked for last.
    """

    _esm = script()
    _css = notebook_style()
    grid = traitlets.Dict().tag(sync=True)
    points = traitlets.Dict().tag(sync=True)
    live = traitlets.Bool(True).tag(sync=True)
    asked = traitlets.Dict().tag(sync=True)
    answer = traitlets.Dict().tag(sync=True)

    def __init__(self, known: KnownPlans) -> None:
        """Solve and show the session's own point."""
        self._known = known
        start = known.swept.question.start
        first = {",".join(map(str, start)): known.points(start)}
        super().__init__(grid=known.grid(), points=first)
        self.observe(self._answer, "asked")

    @property
    def swept(self) -> Swept:
        """The known plans, by place."""
        return self._known.swept

    def _answer(self, change: Any) -> None:
        place = tuple(int(k) for k in change["new"]["place"])
        self.answer = {**change["new"], "points": self._known.points(place)}
