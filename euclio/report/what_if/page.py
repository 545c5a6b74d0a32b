"""A grid of plans as one offline page with sliders; without scripts and in print it is a table of its points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from euclio.core.fitted_table import Column
from euclio.core.progress import told
from euclio.core.result import Status
from euclio.core.space_fields import in_words
from euclio.core.words import DASH, counted, duration, full, joined
from euclio.files.json_writing import json_text, one_line
from euclio.problems.session import Session
from euclio.problems.session.rules import Charging
from euclio.questions.sweep.axes import PRICE, Axis
from euclio.questions.sweep.description import describe, proof
from euclio.questions.sweep.grid import Place, Point, Swept
from euclio.questions.sweep.question import sweep
from euclio.questions.tables import charging_columns
from euclio.report.blocks import Block, Facts, Heading, Table
from euclio.report.html import Live, html_page
from euclio.report.what_if.parts import script, style

ROOM, WITHOUT, DATA = "what-if", "what-if-without", "what-if-data"
"""Ids in the page: the place of the sliders, the content without scripts, and the data."""
START = f"""
const data = JSON.parse(document.getElementById("{DATA}").textContent);
const model = {{ get: (name) => data[name], set() {{}}, save_changes() {{}}, on() {{}}, off() {{}} }};
document.getElementById("{ROOM}").hidden = false;
document.getElementById("{WITHOUT}").hidden = true;
render({{ model, el: document.getElementById("{ROOM}") }});
"""
"""The page's call of the script that it shares with the widget."""
FIRST = (
    '@media (max-width: 45rem) { .stacks td:first-child::before { content: attr(data-column) ": "; } }\n'
    ".what-if { margin-bottom: 1.5rem; }\n"
)
"""Styles of the page alone, since in its table the first cell of a row is a number like the others."""


def what_if_page(session: Session, **asked: Any) -> str:
    """The page of a session over a grid of rates, objectives, prices, stocks; arguments and errors as of `sweep`."""
    return page(sweep(session, **asked))


@told("writing the page")
def page(found: Swept) -> str:
    """The page of a grid with all points known, as HTML."""
    data = one_line(json_text(describe(found)))
    # Within a script element only this sign could end it, or begin a comment.
    safe = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    html = (
        f'<div id="{ROOM}" hidden></div>\n'
        f'<p id="{WITHOUT}">The sliders need scripts; the table below has all points.</p>\n'
        f'<script type="application/json" id="{DATA}">{safe}</script>'
    )
    live = Live(html, style() + FIRST, script() + START)
    return html_page(f"What if: {found.question.session.name}", list(_blocks(found)), live)


def _blocks(found: Swept) -> Iterator[Block]:
    yield Heading("How it was computed")
    yield Facts(tuple(_facts(found)))
    yield Heading("All points")
    yield _table(found)


def _facts(found: Swept) -> Iterator[tuple[str, str]]:
    asked = found.question
    yield "session", asked.session.name
    yield "prices in", asked.session.currency or "an unnamed currency"
    if asked.changes is not None:
        yield "changed at all points", asked.changes.in_words()
    limit = "" if asked.time_limit_s is None else f", {duration(asked.time_limit_s)} at most for each plan"
    yield "solver", f"{asked.solver.name}{limit}; every cost is the checker's"
    yield "plan space", in_words(asked.space)
    for one in asked.axes:
        yield _heading(one, asked.session), ", ".join(one.text(k) for k in range(len(one.values)))
    ways = joined(f"charged by {way}" if not way.whole else f"machines charged {way}" for way in asked.chargings)
    outcomes = Counter(_outcome(point) for point in found.points.values())
    counts = joined(f"{n:,} {words}" for words, n in outcomes.most_common())
    yield "plans", f"{asked.plans:,}, {ways}; {counts}"


def _heading(axis: Axis, session: Session) -> str:
    """The name of an axis with its unit; a price has the session's currency."""
    money = session.currency if axis.kind is PRICE else ""
    return f"{axis.label} ({money} per hour)" if money else axis.heading


def _outcome(point: Point) -> str:
    """The proof of a point as a word, for counting."""
    if point.result.status is Status.INFEASIBLE:
        return "proven to have none"
    return "with a gap" if point.result.status is Status.FEASIBLE else proof(point)


def _table(found: Swept) -> Table:
    """A row per place; a plan that is not proven the cheapest states its distance to the bound."""
    asked = found.question
    columns = [Column(_heading(one, asked.session), partial(_text, k, one)) for k, one in enumerate(asked.axes)]
    for way in asked.chargings:
        columns += charging_columns(way, partial(_point, found, way), _machines)
    rows = tuple(tuple(column.cell(place).plain for column in columns) for place in asked.places)
    numeric = frozenset(k for k, column in enumerate(columns) if column.justify == "right")
    currency = f", in {asked.session.currency}" if asked.session.currency else ""
    caption = f"Cost per hour{currency} at {counted(len(rows), 'place')}."
    return Table(caption, tuple(column.heading for column in columns), rows, numeric, stacks=True)


def _text(k: int, axis: Axis, place: Place) -> str:
    return axis.text(place[k])


def _point(found: Swept, way: Charging, place: Place) -> Point:
    return found.point(place, way)


def _machines(point: Point) -> str:
    names = [h.name for h in point.session.hardware if point.machines.get(h.name)]
    return ", ".join(f"{name} {full(point.machines[name], digits=4)}" for name in names) or DASH
