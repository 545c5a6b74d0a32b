"""Draws the rooms of the tree, and who imports whom from the real import graph: `python docs/tools/rooms.py`.

The order of the rooms is that of the layers of the import contract in pyproject.toml. It writes a map,
`docs/figures/rooms.svg`, and a matrix with a dot where a room imports another, `docs/figures/imports.svg`. The same
imports give the same bytes.
"""

from __future__ import annotations

import tomllib
from html import escape
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs" / "figures"
SOLVERS = ("bruteforce", "formulations", "heuristics")
"""The packages that the registry finds and no room imports."""

SAYS = {
    "cli": "exit codes, endings",
    "verbs": "Python and shell",
    "studies": "papers, run again",
    "contract": "tries solvers",
    "export": "deployments",
    "report": "figures and pages",
    "scoring": "scores programs",
    "experiments": "batches, results",
    "questions": "ask for many plans",
    "proving": "certificates, proof files",
    "serving": "serves requests",
    "workloads": "draws instances",
    "problems": "instance, plan, checker",
    "files": "JSON in and out",
    "supervision": "ends processes",
    "core": "numbers, registry",
    "heuristics": "the systems' rules",
    "formulations": "MILP, CP-SAT, own",
    "bruteforce": "plain enumeration",
}
"""What each room does, in a few words."""

BANDS = (
    ("the command", "#dbe8f6", ("cli", "verbs")),
    ("the papers", "#e6e0f2", ("studies",)),
    ("what is shown", "#dff0e4", ("report", "export", "contract", "scoring")),
    ("what is asked", "#e3f1ef", ("questions", "experiments")),
    ("what is tried", "#e3f1ef", ("proving", "serving", "workloads")),
    ("the model", "#fbe8d2", ("problems",)),
    ("the floor", "#ebecee", ("files", "supervision", "core")),
)
"""Layers of the contract that belong together: what they are, colour, rooms. A room that is in none stands alone."""
SOLVER_COLOUR, INK, MUTED, RED = "#f8dede", "#1c1f23", "#565c64", "#c23b4a"
BOX_W, BOX_H, BAND_H, LEFT, TOP, GAP = 128, 42, 62, 14, 14, 10

Box = tuple[float, float]
"""Left and top of a box."""


def layers() -> tuple[tuple[str, ...], ...]:
    """The rooms of `euclio` by layer, the highest first, as the import contract has them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for contract in settings["tool"]["importlinter"]["contracts"]:
        if contract["type"] == "layers":
            rows = [line.split("|") for line in contract["layers"]]
            return tuple(tuple(name.strip().removeprefix("euclio.") for name in row) for row in rows)
    raise LookupError("pyproject.toml has no contract of layers")


def arrows(rooms: set[str]) -> set[tuple[str, str]]:
    """Pairs of rooms, the first of which imports the second."""
    graph = grimp.build_graph(
        "euclio",
        "studies",
        *sorted(SOLVERS),
        exclude_type_checking_imports=False,
        cache_dir=None,
        include_external_packages=False,
    )
    found = set()
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            pair = (_room(module), _room(imported))
            if pair[0] != pair[1] and rooms.issuperset(pair):
                found.add(pair)
    return found


def _room(module: str) -> str:
    parts = module.split(".")
    return parts[0] if parts[0] != "euclio" or len(parts) == 1 else parts[1]


def bands(rows: tuple[tuple[str, ...], ...]) -> list[tuple[str, str, tuple[str, ...]]]:
    """The bands of the map: those of `BANDS`, in the contract's order, and rooms that are new to it on their own."""
    order = [room for row in rows for room in row]
    known = {room for _, _, rooms in BANDS for room in rooms}
    found = [(title, colour, tuple(r for r in order if r in rooms)) for title, colour, rooms in BANDS]
    found += [("", "#ffffff", (room,)) for room in order if room not in known]
    return sorted((band for band in found if band[2]), key=lambda band: min(order.index(r) for r in band[2]))


def rooms_map(rows: tuple[tuple[str, ...], ...]) -> str:
    """The map of the rooms as SVG text."""
    made = bands(rows)
    inner = max(len(rooms) for _, _, rooms in made) * (BOX_W + GAP) - GAP
    left, right = LEFT + 132, LEFT + 132 + inner + 70
    width, height = right + BOX_W + 34, TOP + len(made) * (BAND_H + 12) + 8
    parts = []
    where: dict[str, Box] = {}
    for k, (title, colour, rooms) in enumerate(made):
        top = TOP + k * (BAND_H + 12)
        parts.append(_rectangle(LEFT, top, inner + 132 + 14, BAND_H, colour, colour))
        parts.append(_text(LEFT + 10, top + BAND_H / 2 + 4, title, 11.5, MUTED, anchor="start"))
        where |= {room: (left + i * (BOX_W + GAP), top + 10) for i, room in enumerate(rooms)}
    parts += [_box(room, at, "#ffffff") for room, at in where.items()]
    families = where["problems"][1]
    step = BAND_H + 12
    solvers = {package: (right + 10, families - (i + 1) * step) for i, package in enumerate(reversed(SOLVERS))}
    above = min(y for _, y in solvers.values()) - 34
    depth = families - step + BOX_H + 12 - above
    parts.append(_rectangle(right - 4, above, BOX_W + 28, depth, SOLVER_COLOUR, SOLVER_COLOUR))
    parts.append(_text(right + 10 + BOX_W / 2, above + 18, "solver packages", 11.5, MUTED))
    parts += [_box(package, at, "#ffffff") for package, at in solvers.items()]
    parts += _outside_arrows(solvers["heuristics"], where, LEFT + inner + 146)
    return _svg(width, height, "The rooms of the tree, the highest layer first", parts)


def _outside_arrows(lowest: Box, where: dict[str, Box], edge: float) -> list[str]:
    """Solvers import the families and what is below; the core finds solvers by name only."""
    x, y = lowest[0] + BOX_W / 2, lowest[1] + BOX_H + 12
    family, core = where["problems"][1] + BOX_H / 2, where["core"][1] + BOX_H / 2
    return [
        _path(f"M{x - 30:g} {y:g}C{x - 30:g} {family:g} {x - 40:g} {family:g} {edge:g} {family:g}", MUTED),
        _text(x - 22, family + 16, "import", 11, MUTED),
        _path(f"M{edge:g} {core:g}C{x + 30:g} {core:g} {x + 30:g} {core - 20:g} {x + 30:g} {y:g}", RED, dashed=True),
        _text(edge + 106, core + 22, "finds them by name (registry)", 11, RED),
    ]


def imports_matrix(rows: tuple[tuple[str, ...], ...]) -> str:
    """The matrix of imports as SVG text: a row imports what its dots stand under."""
    order = [*SOLVERS, *(room for row in rows for room in row)]
    found = arrows(set(order))
    cell, left, top = 22, 116, 104
    size = cell * len(order)
    parts = []
    for i, room in enumerate(order):
        fill = SOLVER_COLOUR if room in SOLVERS else next((c for _, c, rooms in BANDS if room in rooms), "#ffffff")
        parts.append(_rectangle(left, top + i * cell, size, cell, fill, "#ffffff", 0))
        parts.append(_text(left - 8, top + i * cell + 15, room, 11.5, INK, anchor="end"))
        x, y = left + i * cell + 15, top - 8
        parts.append(
            f'<text x="{x}" y="{y}" font-size="11.5" fill="{INK}" transform="rotate(-60 {x} {y})">{escape(room)}</text>'
        )
        parts.append(_rectangle(left + i * cell, top + i * cell, cell, cell, "#ffffff", "#c9ccd1", 0))
    for a, b in sorted(found):
        row, column = order.index(a), order.index(b)
        colour = INK if column > row else RED
        parts.append(f'<circle cx="{left + column * cell + 11}" cy="{top + row * cell + 11}" r="4.5" fill="{colour}"/>')
    return _svg(left + size + 70, top + size + 14, "Who imports whom: a row imports what its dots stand under", parts)


def _svg(width: float, height: float, label: str, parts: list[str]) -> str:
    tip = (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="context-stroke"/></marker></defs>'
    )
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" aria-label="{escape(label)}" font-family="DejaVu Sans, Verdana, sans-serif">'
    )
    return "\n".join([head, tip, f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>', *parts, "</svg>", ""])


def _rectangle(x: float, y: float, width: float, height: float, fill: str, edge: str, round_: float = 6) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round_:g}" fill="{fill}" '
        f'stroke="{edge}"/>'
    )


def _text(
    x: float, y: float, text: str, size: float, colour: str, *, anchor: str = "middle", bold: bool = False
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{colour}" text-anchor="{anchor}"{weight}>'
        f"{escape(text)}</text>"
    )


def _path(path: str, colour: str, *, dashed: bool = False) -> str:
    dashes = ' stroke-dasharray="5 4"' if dashed else ""
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.5"{dashes} marker-end="url(#tip)"/>'


def _box(room: str, at: Box, fill: str) -> str:
    x, y = at
    middle = x + BOX_W / 2
    return (
        _rectangle(x, y, BOX_W, BOX_H, fill, "#8a8f98")
        + _text(middle, y + 18, room, 12.5, INK, bold=True)
        + _text(middle, y + 33, SAYS.get(room, ""), 10.5, MUTED)
    )


def main() -> None:
    """Draw both pictures."""
    FIGURES.mkdir(exist_ok=True)
    rows = layers()
    for name, text in (("rooms.svg", rooms_map(rows)), ("imports.svg", imports_matrix(rows))):
        (FIGURES / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
