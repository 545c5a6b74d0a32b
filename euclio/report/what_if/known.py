"""The plans of a widget as the plain data that its script shows; no notebook is needed for it."""

from __future__ import annotations

import json
from typing import Any

from euclio.files.json_writing import json_text
from euclio.questions.sweep.description import REASON_LIMIT_S, entry, grid
from euclio.questions.sweep.limits import Reasons
from euclio.questions.sweep.question import Place
from euclio.questions.sweep.solving import Swept


class Known:
    """The plans of a widget, as the plain data that its script shows.

    Args:
        swept: the grid, and the plans that are known.
    """

    def __init__(self, swept: Swept) -> None:
        self.swept = swept
        self._reasons = Reasons(REASON_LIMIT_S)

    def grid(self) -> dict[str, Any]:
        """The axes, as `euclio/what-if-sweep/1` has them."""
        found: dict[str, Any] = _plain(grid(self.swept.question))
        return found

    def points(self, place: Place) -> list[dict[str, Any]]:
        """The entries of a place, one for each way of charging, solved where they are not known."""
        asked = self.swept.question
        entries = [entry(self.swept.point(place, way), asked, self._reasons) for way in asked.chargings]
        return [_plain(one) for one in entries]


def _plain(value: Any) -> Any:
    """Plain data with numbers in place of fractions, the same as in a page."""
    return json.loads(json_text(value))
