"""Tables and figures as text for people, which also read well without colours."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.segment import Segment
from rich.text import Text

from euclio.core.coverage import covered, demand_words, short_names
from euclio.core.engine_packages import engine_of_claim, lacking_text
from euclio.core.families import families
from euclio.core.family import Family
from euclio.core.fitted_table import Label, Sentence, harmless, table_of
from euclio.core.objective import Goal
from euclio.core.result import AnyResult, Status
from euclio.core.solver import AnySolver
from euclio.core.words import amount, percent

UNLIMITED = 10**6
"""Columns if the output is no terminal and the environment variable COLUMNS is not set: one row is one line."""
USUAL_WIDTH = 80
"""Columns of a terminal that does not report its width."""
LEAST_WIDTH = 20


class _Console(Console):
    """Replaces control characters, which files of others may contain; colours are added only after this."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of the content."""
        for segment in super().render(renderable, options):
            yield segment if segment.text.isprintable() else segment._replace(text=harmless(segment.text))


def to_text(content: RenderableType, width: int | None = None) -> str:
    """Rendered text for standard output: colours and the window's width on a terminal, neither in a pipe.

    Args:
        content: the content.
        width: columns. By default the window's width or, in a pipe, the environment variable COLUMNS, else as many as
            needed. Numbers are never broken or cut: columns that do not fit are hidden.
    """
    terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    if width is None:
        width = max(shutil.get_terminal_size((USUAL_WIDTH, 24)).columns, LEAST_WIDTH) if terminal else _piped_width()
    console = _Console(
        file=io.StringIO(),
        width=width,
        force_terminal=terminal,
        color_system="standard" if terminal else None,
        highlight=False,
        emoji=False,
    )
    with console.capture() as captured:
        console.print(content, crop=False)
    # Line breaks are fixed by now; text copied from a terminal should hold plain spaces.
    return "\n".join(line.rstrip() for line in captured.get().replace("\u00a0", " ").splitlines())


def _piped_width() -> int:
    columns = os.environ.get("COLUMNS", "")
    return max(int(columns), LEAST_WIDTH) if columns.isdecimal() and len(columns) < 6 else UNLIMITED


def solver_table(solvers: Iterable[AnySolver]) -> RenderableType:
    """Name, kind, plan space and summary of solvers, one table per problem family, with missing engines."""
    found = list(solvers)
    tables: list[RenderableType] = []
    for family in families():
        own = [solver for solver in found if solver.family == family.name]
        space = Sentence("plan space", "space", family.describe_space)
        columns = (Label("solver", "name"), Label("kind"), space, Sentence("what it is", _summary))
        if own:
            tables += [Text("")] * bool(tables) + [table_of(own, columns, f"solvers of {family.instances}")]
    return Group(*tables)


def _summary(solver: AnySolver) -> str:
    """The summary of a solver, and its missing packages."""
    lacking = lacking_text(solver)
    return f"{solver.summary} [{lacking}]" if lacking else solver.summary


def coverage_table(family: Family) -> RenderableType:
    """The demands of a family's instances and plan spaces, and the solvers that cover each."""
    rows = covered(family)
    cells = [
        [demand_words(demand), short_names([name for alike, row in rows.items() if row[i] for name in alike]) or "none"]
        for i, demand in enumerate(family.demands)
    ]
    columns = (Sentence("what is asked for"), Sentence("covered by"))
    return table_of(cells, columns, f"who covers what: {family.instances}")


def value_text(result: AnyResult, goal: Goal) -> str:
    """Value and bound after the status in a header, with a leading comma; empty if neither exists."""
    if result.value is not None:
        return f", {goal.name} {amount(result.value)} {goal.unit}, {bound_text(result, goal)}{claimed_of(result)}"
    return ("" if result.bound is None else f", {bound_text(result, goal)}") + claimed_of(result)


def claimed_of(result: AnyResult) -> str:
    """The plans that status and bound are about, and the engine that the claim relies on; empty if neither is needed.

    Released engines have called suboptimal plans optimal. `euclio certify` tests a claim without any engine.
    """
    stated = result.options.get("attainment")
    bound_of = stated.get("bound_of") if isinstance(stated, dict) else None
    proven = result.status in (Status.OPTIMAL, Status.INFEASIBLE)
    engine = engine_of_claim(result) if proven else ""
    return (f", of {bound_of}" if bound_of else "") + (f", by the engine {engine} alone" if engine else "")


def bound_text(result: AnyResult, goal: Goal) -> str:
    """The bound and its gap."""
    if result.bound is None:
        return "no bound"
    text = f"bound {amount(result.bound)}"
    return text if not result.value else f"{text} (gap {percent(max(0.0, goal.gap(result.value, result.bound)))})"
