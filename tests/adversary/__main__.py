"""`python -m tests.adversary`: a campaign of nasty legal instances through exact solvers.

Exit codes: 0 nothing is wrong (what was left undecided is counted), 1 something is, 2 bad arguments.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from euclio.core.errors import InputError
from euclio.core.registry import find_solver, solvers
from euclio.core.tables import to_text
from euclio.core.versions import provenance
from tests.drawn.cases import FAMILIES, WORDS

from .campaign import Settings, Tally, campaign
from .judging import UNDECIDED, WRONG, Outcome

LISTED = 12
"""Cases of one solver and outcome that are listed one by one."""

COLUMNS = tuple(Outcome)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a campaign and print what it found."""
    arguments = _arguments(argv)
    families = [FAMILIES[word] for word in FAMILIES if arguments.family in (word, "all")]
    try:
        chosen = _solvers(families, arguments.solvers)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    settings = Settings(
        chosen,
        arguments.count,
        arguments.seconds,
        arguments.seed,
        arguments.time_limit,
        arguments.jobs,
        arguments.folder,
        arguments.shrink,
        skip=tuple(arguments.skip),
    )
    tally = _with_bar(settings)
    print(to_text(table(tally), 200))
    print(_lines(settings, tally))
    if arguments.json is not None:
        data = {"provenance": provenance(), "seed": settings.seed, "limit_s": settings.limit_s, **tally.describe()}
        arguments.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return int(bool(tally.failures))


def table(tally: Tally) -> Table:
    """Counts by family, solver and class of plan space; columns that nothing falls into are left out."""
    used = [outcome for outcome in COLUMNS if any(key[3] is outcome for key in tally.counts)]
    found = Table(box=None, pad_edge=False)
    for heading in ("family", "solver", "plan space"):
        found.add_column(heading, no_wrap=True)
    for heading in ("runs", *(outcome.value for outcome in used)):
        found.add_column(heading, justify="right")
    solver_rows = sorted({key[:2] for key in tally.counts})
    for family, solver in solver_rows:
        spaces = sorted({key[2] for key in tally.counts if key[:2] == (family, solver)})
        for space in (*spaces, "all"):
            numbers = [
                sum(
                    n
                    for key, n in tally.counts.items()
                    if key[:2] == (family, solver) and key[3] is outcome and space in (key[2], "all")
                )
                for outcome in used
            ]
            found.add_row(WORDS[family], solver, space, str(sum(numbers)), *(str(n or "") for n in numbers))
    return found


def _lines(settings: Settings, tally: Tally) -> str:
    lines: list[str] = []
    listed: dict[tuple[str, str], int] = {}
    for row in tally.failures + tally.undecided:
        kind = (row.solver, row.outcome.value)
        listed[kind] = listed.get(kind, 0) + 1
        if listed[kind] <= LISTED:
            lines.append(
                f"{WORDS[row.family]} {row.seed} {row.solver}, {row.space}: {row.outcome.value}: {row.why}"[:300]
            )
    lines += [f"{n - LISTED} more: {' '.join(kind)}" for kind, n in listed.items() if n > LISTED]
    lines += [f"kept {path}" for path in tally.files]
    runs = sum(tally.counts.values())
    lines.append(
        f"{runs} runs, seeds from {settings.seed}: {len(tally.failures)} wrong, {len(tally.undecided)} undecided; "
        f"reference {tally.reference_s:.0f} s, "
        + ", ".join(f"{name} {seconds:.0f} s" for name, seconds in sorted(tally.solver_s.items()))
    )
    return "\n".join(lines)


def _with_bar(settings: Settings) -> Tally:
    console = Console(stderr=True)
    per_case = {family: len(names) for family, names in settings.solvers.items()}
    total = None if settings.count is None else settings.count * sum(per_case.values())
    text = "{task.completed:.0f} runs, {task.fields[wrong]} wrong, {task.fields[undecided]} undecided"
    with Progress(TextColumn(text), BarColumn(), TimeElapsedColumn(), console=console) as bar:
        task = bar.add_task("", total=total, wrong=0, undecided=0)
        shown = 0.0

        def notice(tally: Tally) -> None:
            nonlocal shown
            if time.monotonic() - shown > 0.5:
                shown = time.monotonic()
                done = sum(tally.counts.values())
                bar.update(task, completed=done, wrong=len(tally.failures), undecided=len(tally.undecided))

        return campaign(settings, notice)


def _solvers(families: list[str], names: list[str] | None) -> dict[str, tuple[str, ...]]:
    """Solvers by family; by default every exact one that looks for the optimum of the plan space that is asked for."""
    if names is None:
        names = [s.name for s in solvers().values() if s.kind == "exact" and not s.name.endswith("-split")]
    found = {family: tuple(name for name in names if find_solver(name).family == family) for family in families}
    return {family: chosen for family, chosen in found.items() if chosen}


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.adversary", description=__doc__)
    parser.add_argument("--family", choices=(*FAMILIES, "all"), default="all", help="default: all, in turn")
    parser.add_argument("--count", type=int, metavar="N", help="cases of each family")
    parser.add_argument("--seconds", type=float, metavar="S", help="time; without this and --count: until Ctrl-C")
    parser.add_argument("--seed", type=int, default=0, metavar="K", help="the first seed; default: 0")
    parser.add_argument("--solvers", type=lambda text: text.split(","), metavar="A,B", help="default: the exact ones")
    parser.add_argument(
        "--skip", type=lambda text: text.split(","), default=[], metavar="A,B", help="plan spaces, such as continuous"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="processes per solver library; default: 1")
    parser.add_argument("--time-limit", type=float, default=20.0, metavar="S", help="of one run; default: 20")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write counts and failures as JSON")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("build") / "adversary",
        metavar="DIR",
        help="where what is wrong or undecided is kept as cases; default: build/adversary",
    )
    parser.add_argument("--shrink", action="store_true", help="shrink what is kept")
    return parser.parse_args(argv)


assert set(COLUMNS) >= WRONG | UNDECIDED

if __name__ == "__main__":
    raise SystemExit(main())
