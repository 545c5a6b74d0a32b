"""`euclio reproduce`: a paper's evaluation, measured again and set beside its published figures."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.commands.arguments import count, seed
from euclio.commands.exit_codes import SOLVED

if TYPE_CHECKING:
    from euclio.commands.arguments import Verbs

PAPERS = ("harpagon", "scrooge")


def add_to(verbs: Verbs) -> None:
    """Add the verb to the command."""
    parser = verbs.add_parser("reproduce", help="run a paper's evaluation and write its report", allow_abbrev=False)
    parser.add_argument("paper", choices=PAPERS, help="the paper")
    parser.add_argument("--full", action="store_true", help="also run the slow references on all workloads")
    parser.add_argument("--jobs", type=count, metavar="N", help="processes; default: one per core, scrooge one")
    parser.add_argument("--out", type=Path, metavar="DIR", help="default: reports/PAPER")
    parser.add_argument("--workloads", type=count, metavar="N", help="how many; default: harpagon 1131, scrooge 200")
    parser.add_argument("--seed", type=seed, metavar="N", help="seed of the workloads; default: the protocol's")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Reproduce and print where the report is."""
    from euclio.workloads.protocol import SEED

    reproduce = import_module(f"euclio.reproduce.{arguments.paper}").reproduce
    chosen = {
        "seed": SEED if arguments.seed is None else arguments.seed,
        "jobs": arguments.jobs,
        "full": arguments.full,
        **({} if arguments.workloads is None else {"workloads": arguments.workloads}),
    }
    print(reproduce(arguments.out or Path("reports") / arguments.paper, **chosen))
    return SOLVED
