"""The terminal's tables as HTML for notebooks: no script, nothing from elsewhere, the notebook's own colours."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.fitted_table import Column, FittedTable, table_of
from euclio.core.showing.view import Head, View

MOST_ROWS = 200
"""Maximum number of shown rows of a table: more make notebooks slow."""
NARROW = 28
"""Characters up to which a text stays on one line."""

TONES = {
    **dict.fromkeys(("optimal", "certified", "accepted", "complete"), "good"),
    **dict.fromkeys(("infeasible", "error", "refuted", "refused"), "bad"),
    **dict.fromkeys(("unknown", "open", "inapplicable"), "open"),
}
"""Tones of outcomes; all others have none."""


def content_of(thing: Any, view: View) -> RenderableType:
    """The content below the head of an object: the table that the command line prints, or its rows."""
    if view.table is not None:
        return view.table(thing) or Group()
    rows = list(view.rows(thing)) if view.columns and view.rows is not None else []
    more = [Text(f"... and {len(rows) - MOST_ROWS:,} more rows")] if len(rows) > MOST_ROWS else []
    table = [table_of(rows[:MOST_ROWS], view.columns)] if rows else []
    return Group(*map(Text, view.lines(thing)), *table, *more)


def view_html(head: Head, drawing: str, table: RenderableType, *, leads: bool = False) -> str:
    """An object as HTML.

    Args:
        head: the first facts; lines of the table that repeat them are left out.
        drawing: HTML between the head and the table.
        table: the terminal's table.
        leads: whether the first line of the table adds to the facts of the head, and replaces them.
    """
    parts = list(_parts(table))
    begins = f"{head.name}: "
    if head.name and parts and isinstance(parts[0], str) and parts[0].startswith(begins):
        rest = parts[0].removeprefix(begins)
        if head.status and rest.startswith(head.status):
            rest = rest.removeprefix(head.status).lstrip(" ,:;")
        if leads and rest:
            head = head._replace(facts=(rest,))
        parts[0] = "" if leads else rest
    kept = (part for part in parts if not isinstance(part, str) or (part and part not in head.facts))
    body = "".join(_line(part) if isinstance(part, str) else _table(part) for part in kept)
    return f'<div class="euclio-view"><style>{_style()}</style>{_head(head)}{drawing}{body}</div>'


def html_text(text: str) -> str:
    """A text as HTML with invisible characters replaced, since names come from files of others."""
    return escape("".join(sign if sign.isprintable() or sign == "\u00a0" else "\ufffd" for sign in text))


@cache
def _style() -> str:
    return files("euclio.core.showing").joinpath("notebook.css").read_text(encoding="utf-8")


def _head(head: Head) -> str:
    name = f"<b>{html_text(head.name)}</b>" if head.name else ""
    status = f'<em class="{TONES.get(head.status, "plain")}">{html_text(head.status)}</em>' if head.status else ""
    facts = "".join(f"<span>{html_text(fact)}</span>" for fact in head.facts if fact)
    return f'<div class="head">{name}{status}{facts}</div>'


def _parts(content: RenderableType) -> Iterator[str | FittedTable]:
    """Lines and tables, in their order; blank lines are left out."""
    if isinstance(content, Group):
        for part in content.renderables:
            yield from _parts(part)
    elif isinstance(content, FittedTable):
        yield content
    else:
        text = content.plain if isinstance(content, Text) else str(content)
        yield from (line for line in text.splitlines() if line.strip())


def _line(text: str) -> str:
    indent = (len(text) - len(text.lstrip())) // 2
    moved = f' style="margin-left:{indent}em"' if indent else ""
    return f'<div class="line"{moved}>{html_text(text.strip())}</div>'


def _table(table: FittedTable) -> str:
    title = f'<div class="title">{html_text(table.title)}</div>' if table.title else ""
    head = "".join(f"<th{_class(column)}>{html_text(column.heading)}</th>" for column in table.columns)
    texts = ([cell.plain for cell in row] for row in table.rows[:MOST_ROWS])
    body = "".join(f"<tr>{''.join(map(_cell, table.columns, row))}</tr>" for row in texts)
    more = len(table.rows) - MOST_ROWS
    left_out = f'<div class="line">… and {more:,} more rows</div>' if more > 0 else ""
    legend = table.legend(table.columns)
    below = f'<div class="line">{html_text(legend)}</div>' if legend else ""
    inside = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'{title}<div class="scroll">{inside}</div>{left_out}{below}'


def _cell(column: Column, text: str) -> str:
    return f"<td{_class(column, text)}>{html_text(text)}</td>"


def _class(column: Column, text: str = "") -> str:
    if column.justify == "right":
        return ' class="number"'
    return ' class="long"' if len(text) > NARROW else ""
