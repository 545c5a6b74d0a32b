"""The script and the style that page and widget share."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from euclio.files.json_writing import json_text
from euclio.questions.sweep.description import REASON_LIMIT_S, Reasons, entry, grid
from euclio.questions.sweep.grid import Place, Swept
from euclio.report import html


@cache
def script() -> str:
    """The ES module; its default export has `render`, as anywidget asks for."""
    return Path(__file__).with_name("what_if.js").read_text(encoding="utf-8")


@cache
def style() -> str:
    """The style of the script's output, in the colours of a report page."""
    return Path(__file__).with_name("what_if.css").read_text(encoding="utf-8")


def notebook_style() -> str:
    """The shared style with the colours of report pages, which a notebook does not have, in its own theme."""
    page = html.part("page.css")
    colours = re.search(r"^:root (\{.*?\})$", page, re.DOTALL | re.MULTILINE)
    tones = re.findall(r"^\.tone-\w+ \{[^}]*\}", page, re.MULTILINE)
    assert colours is not None
    own = "\n".join([f".what-if {colours[1]}", *(f".what-if {tone}" for tone in tones)])
    light = ':is([data-jp-theme-light="true"], .vscode-light) .what-if { color-scheme: light; }'
    dark = ':is([data-jp-theme-light="false"], .vscode-dark) .what-if { color-scheme: dark; }'
    return f"{own}\n{style()}\n{light}\n{dark}\n.what-if {{ padding: .5rem .75rem 1rem; }}\n"


class KnownPlans:
    """The plans of a widget, as the plain data that its script shows.

    Args:
        swept: the grid, and the known plans.
    """

    def __init__(self, swept: Swept) -> None:
        self.swept = swept
        self._reasons = Reasons(REASON_LIMIT_S)

    def grid(self) -> dict[str, Any]:
        """The axes, as `euclio/what-if-sweep/1` has them."""
        found: dict[str, Any] = _plain(grid(self.swept.question))
        return found

    def points(self, place: Place) -> list[dict[str, Any]]:
        """The entries of a place, one for each way of charging; unknown ones are solved."""
        asked = self.swept.question
        entries = [entry(self.swept.point(place, way), asked, self._reasons) for way in asked.chargings]
        return [_plain(one) for one in entries]


def _plain(value: Any) -> Any:
    """Plain data with numbers in place of fractions, the same as in a page."""
    return json.loads(json_text(value))
