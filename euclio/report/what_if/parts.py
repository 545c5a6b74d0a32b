"""The script and the style that page and widget share."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from euclio.report import html


@cache
def script() -> str:
    """The ES module; its default export has `render`, as anywidget asks for."""
    return Path(__file__).with_name("what_if.js").read_text(encoding="utf-8")


@cache
def style() -> str:
    """The style of what the script makes, in the colours of a report page."""
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
