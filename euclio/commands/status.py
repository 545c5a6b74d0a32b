"""`euclio status`: how far an experiment is."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from euclio.commands.exit_codes import SOLVED

if TYPE_CHECKING:
    from rich.table import Table

    from euclio.runs.status import ExperimentStatus


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    parser.description = "Finished runs by solver and status, what is missing, and whether a runner is at work."
    parser.add_argument("path", metavar="OUT|EXPERIMENT.toml", help="result folder, or the experiment next to it")
    parser.add_argument("--json", action="store_true", help="print the status as JSON instead of a table")


def run(arguments: argparse.Namespace) -> int:
    """Print the status."""
    from euclio.verbs import status

    found = status(arguments.path)
    if arguments.json:
        from euclio.files.json_writing import json_text

        print(json_text(found.describe()))
    else:
        from euclio.core.errors import printable
        from euclio.core.tables import to_text

        print(to_text(_table(found)))
        print("\n".join(map(printable, _lines(found))))
    return SOLVED


def _table(found: ExperimentStatus) -> Table:
    from rich.text import Text

    from euclio.core.tables import new_table
    from euclio.runs.progress import STATUSES

    used = [status for status in STATUSES if status in found.by_status]
    table = new_table("solver", *used, "missing", numbers=(*used, "missing"))
    for label, counts in found.by_solver.items():
        numbers = [counts.get(status, 0) for status in used]
        table.add_row(*(Text(str(cell)) for cell in (label, *numbers, found.missing.get(label, 0))))
    return table


def _lines(found: ExperimentStatus) -> list[str]:
    from euclio.core.words import time_left

    if found.total is None:
        lines = [f"{found.name}: its instances are being looked at"]
    else:
        share = 100 * found.done // found.total
        lines = [f"{found.name}: {found.done} of {found.total} runs are finished ({share} %)"]
    if found.no_longer:
        lines.append(f"{found.no_longer} more runs are in {found.folder} that the experiment no longer has")
    if found.runner is None:
        lines.append(
            "no runner is at work" + ("" if found.done == found.total else "; `euclio run` makes what is missing")
        )
        return lines
    line = f"a runner is at work (process {found.runner['process']} on {found.runner['host']})"
    if found.rate_per_s is not None and found.left_s is not None:
        line += f": {found.rate_per_s:.3g} runs per second, about {time_left(found.left_s)} left"
    return [*lines, line]
