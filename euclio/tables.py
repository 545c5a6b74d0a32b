"""Tables for people: plans, solvers and comparisons as text that also reads well without colours."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterable
from fractions import Fraction
from itertools import islice

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from euclio.families import families
from euclio.goal import LEAST_COST, Goal
from euclio.registry import AnySolver
from euclio.result import AnyResult, Result
from euclio.session import DummyRule, Evaluation, ModuleEvaluation, ModulePlan, PlanSpace, Session

PIPED_WIDTH = 100
"""Columns where the output is no terminal."""

MOST_MODULES = 1000
"""Modules that a table of a plan shows at most: more take longer to lay out than to solve."""

DASH = "-"


def to_text(content: RenderableType, width: int | None = None) -> str:
    """Rendered text for standard output: colours and the window's width on a terminal, neither in a pipe.

    Args:
        content: what is rendered.
        width: columns; by default the window's, or PIPED_WIDTH in a pipe.
    """
    terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    if width is None:
        width = max(shutil.get_terminal_size().columns, 60) if terminal else PIPED_WIDTH
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=terminal,
        color_system="standard" if terminal else None,
        highlight=False,
        emoji=False,
    )
    with console.capture() as captured:
        console.print(content)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def new_table(*columns: str, numbers: Iterable[str] = (), title: str | None = None) -> Table:
    """An empty table; the columns in `numbers` are aligned to the right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, title=title, title_justify="left")
    right = set(numbers)
    for column in columns:
        number = column in right
        table.add_column(column, justify="right" if number else "left", overflow="fold", no_wrap=number)
    return table


def plan_table(session: Session, result: Result) -> RenderableType:
    """A header and, where there is a plan, one row per allocation (times in ms, money per hour)."""
    header = Text("\n".join(_header(session, result)))
    if result.plan is None or result.evaluation is None or result.value is None:
        return header
    numbers = ("batch", "conc.", "machines", "req/s", "latency ms", "budget ms", "cost/h", "share")
    table = new_table("module", "hardware", *numbers, numbers=numbers)
    budgets = module_budgets(session, result.evaluation)
    rows = zip(session.modules, result.plan.modules, result.evaluation.modules, budgets, strict=True)
    for module, plan, found, budget in islice(rows, MOST_MODULES):
        rows_of_module = _module_rows(session.price, plan, found, result.value)
        rows_of_module[0][0] = module.name
        rows_of_module[0][6:8] = milliseconds(found.worst_case_latency_s), milliseconds(budget)
        for row in rows_of_module:
            table.add_row(*(Text(cell) for cell in row))
    left_out = len(session.modules) - MOST_MODULES
    more = [Text(f"... and {left_out} more modules, which --json prints too")] if left_out > 0 else []
    return Group(header, Text(""), table, *more)


def module_budgets(session: Session, evaluation: Evaluation) -> list[Fraction]:
    """What each module's worst-case latency could grow to with the others unchanged, in seconds.

    It is the module's latency plus what the longest path through it leaves of the SLO.
    """
    latency = [m.worst_case_latency_s for m in evaluation.modules]
    parents = session.parents()
    until, after = list(latency), list(latency)
    for i in session.order:
        until[i] += max((until[p] for p in parents[i]), default=Fraction(0))
    for i in reversed(session.order):
        for p in parents[i]:
            after[p] = max(after[p], latency[p] + after[i])
    return [session.slo_s - until[i] - after[i] + 2 * latency[i] for i in range(len(latency))]


def solver_table(solvers: Iterable[AnySolver]) -> RenderableType:
    """Name, kind, plan space and summary of solvers, one table per problem family."""
    found = list(solvers)
    tables: list[RenderableType] = []
    for family in families():
        table = new_table("solver", "kind", "plan space", "what it is", title=f"solvers of {family.instances}")
        table.columns[0].no_wrap = True
        for solver in found:
            if solver.family == family.name:
                space = family.describe_space(solver.space)
                table.add_row(*(Text(t) for t in (solver.name, solver.kind, space, solver.summary)))
        if table.row_count:
            tables += [Text(""), table] if tables else [table]
    return Group(*tables)


def describe_space(space: PlanSpace) -> str:
    """A plan space in a few words: policy, dummy rule, then only what narrows it."""
    words = [space.policy.value, "no dummies" if space.dummy is DummyRule.NONE else f"dummies {space.dummy.value}"]
    if space.max_allocations is not None:
        words.append(f"at most {space.max_allocations} allocation{'s' if space.max_allocations > 1 else ''}")
    if space.hardware is not None:
        words.append(f"hardware {', '.join(space.hardware)}")
    if space.single_hardware:
        words.append("one hardware type")
    if not space.batching:
        words.append("batch 1")
    if not space.concurrency:
        words.append("concurrency 1")
    return ", ".join(words)


def money(value: Fraction | float | None) -> str:
    """A figure in full that others are compared with, such as money per hour."""
    return DASH if value is None else f"{float(value):.9g}"


def figures(value: Fraction | float) -> str:
    """A number in about four figures, for columns of numbers."""
    number = float(value)
    if number >= 1:
        return f"{number:.1f}" if number >= 1000 else f"{number:.3f}"
    return f"{number:.4g}"


def percent(share: float | None, digits: int = 2) -> str:
    """A share as a percentage."""
    return DASH if share is None else f"{100 * share:.{digits}f} %"


def duration(seconds: float) -> str:
    """A duration with a unit that suits its size."""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _header(session: Session, result: Result) -> list[str]:
    lines = [f"{result.instance}: {result.status.value}"]
    if result.value is not None and result.evaluation is not None and result.evaluation.latency_s is not None:
        lines[0] += f", cost {money(result.value)} per hour, {bound_text(result, LEAST_COST)}"
        latency, slo = result.evaluation.latency_s, session.slo_s
        lines.append(
            f"latency {milliseconds(latency)} of {milliseconds(slo)} ms "
            f"({percent(float(latency / slo), 1)} of the SLO), "
            f"modules {len(session.modules)}, machines {_total_machines(session, result):.6g}"
        )
    elif result.bound is not None:
        lines[0] += f", {bound_text(result, LEAST_COST)}"
    lines.append(f"solver {result.solver}, {duration(result.wall_s)}; plan space: {describe_space(result.space)}")
    return lines


def bound_text(result: AnyResult, goal: Goal) -> str:
    """The bound, and the gap that it leaves."""
    if result.bound is None:
        return "no bound"
    text = f"bound {money(result.bound)}"
    return text if not result.value else f"{text} (gap {percent(max(0.0, goal.gap(result.value, result.bound)))})"


def _total_machines(session: Session, result: Result) -> float:
    assert result.plan is not None
    assert result.evaluation is not None
    total = Fraction(0)
    for plan, found in zip(result.plan.modules, result.evaluation.modules, strict=True):
        total += sum(a.machines for a in plan.allocations)
        total += found.partial_rps / plan.allocations[-1].configuration.throughput_rps
    return float(total)


def _module_rows(
    price: dict[str, Fraction], plan: ModulePlan, found: ModuleEvaluation, total: Fraction
) -> list[list[str]]:
    """One row per allocation, then one for dummies; module, latency and budget are left empty."""
    rows: list[list[str]] = []
    for i, allocation in enumerate(plan.allocations):
        c = allocation.configuration
        partial = found.partial_rps if i == len(plan.allocations) - 1 else Fraction(0)
        machines = str(allocation.machines)
        if partial:
            machines = f"{machines} + {float(partial / c.throughput_rps):.3f}"
        count = allocation.machines + partial / c.throughput_rps
        cost = count * price[c.hardware]
        share = percent(float(cost / total), 1) if total else DASH
        rate = figures(count * c.throughput_rps)
        rows.append(["", c.hardware, str(c.batch), str(c.concurrency), machines, rate, "", "", figures(cost), share])
    if found.dummy_rps:
        rows.append(["", "dummies", "", "", "", figures(found.dummy_rps), "", "", "", ""])
    return rows


def milliseconds(seconds: Fraction) -> str:
    """A time in milliseconds, without the unit."""
    return figures(seconds * 1000)
