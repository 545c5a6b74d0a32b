"""The modules of a session as a small drawing: requests come from the left."""

from __future__ import annotations

from euclio.core.showing.html_text import html_text
from euclio.core.words import figures
from euclio.problems.session.instance import Session

MOST_DRAWN = 40
"""Modules of the largest session that is drawn."""
BOX, HIGH, GAP, ROW = 132, 36, 34, 46
"""Width and height of a box, the room between two columns, and the height of a row, in pixels."""
LETTERS = 18
"""Letters of a name that fit into a box."""

Place = tuple[float, float]


def dag_svg(session: Session) -> str:
    """The drawing as an inline `<svg>` in a box that scrolls; empty for sessions that are too large for one."""
    if len(session.modules) > MOST_DRAWN:
        return ""
    places = _places(session)
    index = session.index
    edges = "".join(_edge(places[index[a]], places[index[b]]) for a, b in session.edges)
    boxes = "".join(_box(session, m, place) for m, place in enumerate(places))
    width = max(x for x, _ in places) + BOX + 2
    height = max(y for _, y in places) + HIGH + 2
    label = html_text(f"{len(session.modules)} modules, {len(session.edges)} edges")
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    return f'<div class="scroll"><svg role="img" aria-label="{label}" {size}>{edges}{boxes}</svg></div>'


def _places(session: Session) -> list[Place]:
    """The left upper corner of each box: a column per number of modules before it on the longest path."""
    parents = session.parents()
    column = [0] * len(session.modules)
    for m in session.order:
        column[m] = max((column[p] + 1 for p in parents[m]), default=0)
    members: dict[int, list[int]] = {}
    for m in session.order:
        members.setdefault(column[m], []).append(m)
    tallest = max(map(len, members.values()))
    places: list[Place] = [(0.0, 0.0)] * len(session.modules)
    for k, own in members.items():
        above = (tallest - len(own)) * ROW / 2
        for row, m in enumerate(own):
            places[m] = (1 + k * (BOX + GAP), 1 + above + row * ROW)
    return places


def _edge(parent: Place, child: Place) -> str:
    x0, y0, x1, y1 = parent[0] + BOX, parent[1] + HIGH / 2, child[0], child[1] + HIGH / 2
    bend = f"M{x0:g} {y0:g}C{x0 + GAP / 2:g} {y0:g} {x1 - GAP / 2:g} {y1:g} {x1 - 6:g} {y1:g}"
    tip = f"M{x1:g} {y1:g}l-7 -3.5v7z"
    return f'<path class="edge" d="{bend}"/><path class="tip" d="{tip}"/>'


def _box(session: Session, m: int, place: Place) -> str:
    module, (x, y) = session.modules[m], place
    name = module.name if len(module.name) <= LETTERS else f"{module.name[: LETTERS - 1]}…"
    middle = x + BOX / 2
    return (
        f'<rect class="box" x="{x:g}" y="{y:g}" width="{BOX}" height="{HIGH}" rx="4"/>'
        f'<text x="{middle:g}" y="{y + 15:g}" text-anchor="middle">{html_text(name)}</text>'
        f'<text class="small" x="{middle:g}" y="{y + 29:g}" text-anchor="middle">'
        f"{html_text(figures(module.rate_rps))} req/s</text>"
    )
