"""`euclio reproduce`: a paper's evaluation, measured again and set beside its published figures."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from euclio.commands.arguments import count, seed
from euclio.commands.exit_codes import SOLVED

if TYPE_CHECKING:
    from euclio.commands.arguments import Verbs


def add_to(verbs: Verbs) -> None:
    """Add the verb to the command."""
    parser = verbs.add_parser("reproduce", help="run a paper's evaluation and write its report", allow_abbrev=False)
    parser.add_argument("paper", choices=["harpagon"], help="the paper")
    parser.add_argument("--full", action="store_true", help="also run the slow references on all workloads")
    parser.add_argument("--jobs", type=count, metavar="N", help="processes; default: one per core")
    parser.add_argument("--out", type=Path, metavar="DIR", help="default: reports/PAPER")
    parser.add_argument("--workloads", type=count, default=1131, metavar="N", help="how many; default: 1131")
    parser.add_argument("--seed", type=seed, metavar="N", help="seed of the workloads; default: the protocol's")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Reproduce and print where the report is."""
    from euclio.reproduce.harpagon import reproduce
    from euclio.workloads.protocol import SEED

    out = arguments.out or Path("reports") / arguments.paper
    chosen = SEED if arguments.seed is None else arguments.seed
    print(reproduce(out, workloads=arguments.workloads, seed=chosen, jobs=arguments.jobs, full=arguments.full))
    return SOLVED
