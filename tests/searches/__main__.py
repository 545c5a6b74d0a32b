"""`python -m tests.searches`: searches for classes of faults, from a seed on.

Exit codes: 0 nothing is wrong (what was left open is counted), 1 something is, 2 bad arguments.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from euclio.core.tables import to_text
from euclio.core.versions import provenance

from .campaign import Tally, go_on
from .search import searches

LISTED = 12
"""Faults of one search that are listed one by one."""
MOST_SIGNS = 600
"""Length of what is said of a fault."""
TURN_S = 30.0
"""How long each search goes on before it is the next one's turn, where no end is given."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run searches one after the other and print what they found."""
    known = searches()
    arguments = _arguments(argv)
    unknown = [name for name in arguments.searches if name not in known]
    if unknown:
        print(f"error: no search {unknown[0]!r}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    tallies = [Tally(name, arguments.seed) for name in arguments.searches or known]
    with suppress(KeyboardInterrupt):
        _in_turn(tallies, arguments)
    print(to_text(table(tallies), 200))
    for tally in tallies:
        for seed, line in tally.faults[:LISTED]:
            print(_in_short(f"{tally.search}, seed {seed}: {line}"))
        if tally.wrong > LISTED:
            print(f"{tally.search}: {tally.wrong - LISTED} more")
    if arguments.json is not None:
        data = {"provenance": provenance(), "seed": arguments.seed, "searches": [asdict(tally) for tally in tallies]}
        arguments.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return int(any(tally.wrong for tally in tallies))


def _in_short(line: str) -> str:
    """A fault as one line: what was tried stands at its begin, what came out of it at its end."""
    return line if len(line) <= MOST_SIGNS else f"{line[: MOST_SIGNS // 3]} … {line[-2 * MOST_SIGNS // 3 :]}"


def table(tallies: Sequence[Tally]) -> Table:
    """One row per search: what was counted, what was wrong, what was left open."""
    found = Table(box=None, pad_edge=False)
    for heading in ("search", "what must hold"):
        found.add_column(heading, overflow="fold")
    for heading in ("cases", "wrong", "open", "seconds"):
        found.add_column(heading, justify="right", no_wrap=True)
    for tally in tallies:
        search = searches()[tally.search]
        numbers = (f"{tally.cases} {search.unit}", str(tally.wrong), str(tally.undecided), f"{tally.seconds:.0f}")
        found.add_row(search.name, search.what, *numbers)
    return found


def _in_turn(tallies: Sequence[Tally], arguments: argparse.Namespace) -> None:
    """One search after the other; without a count or a time all of them again and again, each for a while."""
    if arguments.count is not None or arguments.seconds is not None:
        began = time.monotonic()
        for place, tally in enumerate(tallies):
            share = None
            if arguments.seconds is not None:
                # What one search leaves of its time, or takes beyond it, the ones after it share.
                share = max(0.0, arguments.seconds - (time.monotonic() - began)) / (len(tallies) - place)
            _with_bar(tally, arguments.count, share, arguments.jobs)
        return
    while True:
        for tally in tallies:
            _with_bar(tally, None, TURN_S, arguments.jobs)


def _with_bar(tally: Tally, cases: int | None, seconds: float | None, jobs: int) -> None:
    text = "{task.description}: {task.fields[cases]} {task.fields[unit]}, {task.fields[wrong]} wrong"
    columns = (TextColumn(text), BarColumn(), TimeElapsedColumn())
    unit = searches()[tally.search].unit
    console, told = Console(stderr=True), len(tally.faults)
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(tally.search, total=cases, cases=tally.cases, unit=unit, wrong=tally.wrong)

        def notice(tally: Tally) -> None:
            nonlocal told
            bar.update(task, completed=tally.cases, cases=tally.cases, wrong=tally.wrong)
            # A fault is told when it is found: a campaign of hours may be ended before it comes to its table.
            for seed, line in tally.faults[told:]:
                text = _in_short(f"{tally.search}, seed {seed}: {line}")
                console.print(text, markup=False, highlight=False)
            told = len(tally.faults)

        go_on(tally, cases, seconds, jobs, notice)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.searches", description=__doc__)
    parser.add_argument("searches", nargs="*", metavar="SEARCH", help="default: all, one after the other")
    parser.add_argument("--count", type=int, metavar="N", help="cases of each search")
    parser.add_argument(
        "--seconds", type=float, metavar="S", help="time in all; without this and --count: until Ctrl-C"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="K", help="the first seed; default: 0")
    parser.add_argument("--jobs", type=int, default=2, metavar="J", help="processes; default: 2")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write counts and faults as JSON")
    return parser.parse_args(argv)


if __name__ == "__main__":
    raise SystemExit(main())
