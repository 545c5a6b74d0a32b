"""`euclio reproduce`: a paper's evaluation, measured again and set next to its published numbers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from euclio.core.errors import InputError
from euclio.core.progress import say
from euclio.core.values import count, seed
from euclio.files.json_writing import check_outputs, write_text
from euclio.verbs.commands import REFUSED, SOLVED
from euclio.verbs.commands.options import own_keywords
from studies import registered
from studies.claims import load_cards
from studies.stored_reports import folder_of_claims

if TYPE_CHECKING:
    from studies.claims import CheckedClaim
    from studies.harpagon.answer import AnsweredQuestion

KEYWORDS = (
    *("paper", "claims", "accept", "full", "jobs", "out", "workloads", "seed", "certify", "posterior", "instances"),
    *("artifact", "write_workloads", "only", "answer"),
)
"""What the verb takes of the arguments."""


def reproduce_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    workloads = ", ".join(f"{paper} {study.workloads}" for paper, study in registered().items())
    parser.add_argument("paper", nargs="?", choices=tuple(registered()), help="the paper")
    parser.add_argument(
        "--claims",
        action="store_true",
        help="instead of running a paper: hold the papers' claims against the reports that were written last, of "
        "papers without a whole one those that are stored; exit code 1 where a claim that held is lost",
    )
    parser.add_argument(
        "--accept",
        action="store_true",
        help="store what is found in place of what was: the paper's report (reports/PAPER), with --artifact also what "
        "was computed from it, for runs without it (data/ppipe); with --claims the reports that were written last, and "
        "what holds now has to hold from now on (data/claims.json)",
    )
    parser.add_argument(
        "--full", action="store_true", help="also run the slow references on all workloads; ppipe: 30 s per load"
    )
    out = "default: build/reports/PAPER, next to what is stored in reports/PAPER; of --claims: build/reports"
    parser.add_argument("--jobs", type=count, metavar="N", help="processes; default: one per core")
    parser.add_argument("--out", type=Path, metavar="DIR", help=out)
    parser.add_argument("--workloads", type=count, metavar="N", help=f"how many; default: {workloads}")
    parser.add_argument("--seed", type=seed, metavar="N", help="seed of the workloads; default: the protocol's")
    parser.add_argument(
        "--certify",
        type=count,
        metavar="N",
        help="how many of its proofs an independent prover tries, 10 s each; default: 30",
    )
    posterior = (
        "harpagon, piccolo: first search anew the settings that are nearest to the paper's numbers, and with them the "
        "reference setting that workloads are drawn from (data/posterior; some half an hour on 2 cores, goes on if "
        "interrupted); without it the stored ones are used"
    )
    parser.add_argument("--posterior", action="store_true", help=posterior)
    folder = (
        "folder of measured instances; default, where present: ../shared/instances (harpagon: sessions), "
        "../shared/instances/pipelines (ppipe: clusters)"
    )
    parser.add_argument("--instances", type=Path, metavar="DIR", help=folder)
    artifact = (
        "ppipe: run everything on the blocks that its authors measured too, from a checkout of their artifact, or a "
        "table of its blocks (CSV); without it the stored rows are shown"
    )
    parser.add_argument("--artifact", type=Path, metavar="DIR", help=artifact)
    sessions = (
        "harpagon, piccolo: instead of running anything, write the workloads that the study runs on as session files "
        "(--workloads and --seed as for the study)"
    )
    parser.add_argument("--write-workloads", type=Path, metavar="DIR", help=sessions)
    _add_parts(parser)


def _add_parts(parser: argparse.ArgumentParser) -> None:
    """Add the options for one figure, one table or the answer alone."""
    only = (
        "make one figure or table alone and print its data as CSV: from the runs that it needs, which are made, or "
        "from the tables of the last report, which is said; `--only help` lists the names"
    )
    parser.add_argument("--only", metavar="PART", help=only)
    answer = (
        "harpagon: only say on how many workloads it is optimal, and on which: from the last report, or with "
        "--workloads N (40 take some 15 s) on N sessions of each kind that are solved now"
    )
    parser.add_argument("--answer", action="store_true", help=answer)
    parser.add_argument("--csv", type=Path, metavar="FILE", help="with --only or --answer: write the data to this file")


def run_reproduce(arguments: argparse.Namespace) -> int:
    """Reproduce and print where the report is, or check the claims."""
    from euclio.verbs.reproduce import reproduce

    if arguments.csv is not None and arguments.only is None and not arguments.answer:
        raise InputError("takes the data of one figure or table; add --only PART, or --answer", field="--csv")
    check_outputs({"--csv": arguments.csv}, [])
    found: Any = reproduce(**own_keywords(arguments, *KEYWORDS))
    if arguments.answer:
        return _give_answer(arguments, found)
    if arguments.only is not None:
        return _give_part(arguments, found)
    if arguments.claims:
        return _print_claims(arguments, found)
    print(f"{len(found)} sessions in {arguments.write_workloads}" if arguments.write_workloads is not None else found)
    return SOLVED


def _give_answer(arguments: argparse.Namespace, found: AnsweredQuestion) -> int:
    """Print the answer, or write its data to the file that is named."""
    if arguments.csv is None:
        print(found.text)
    else:
        write_text(found.frame().to_csv(index=False, lineterminator="\n"), arguments.csv)
        print(arguments.csv)
    return SOLVED


def _give_part(arguments: argparse.Namespace, found: Any) -> int:
    """Print the names of parts, or the data of one, or write them to the file that is named."""
    if isinstance(found, tuple):
        print("\n".join(found))
        return SOLVED
    say(f"{found.title}: from {found.source}")
    if arguments.csv is None:
        print(found.data, end="")
    else:
        write_text(found.data, arguments.csv)
        print(arguments.csv)
    return SOLVED


def _print_claims(arguments: argparse.Namespace, checked: tuple[CheckedClaim, ...]) -> int:
    """Print what became of the claims, and where their table is."""
    from studies.claims_page import PAGE, lines

    page = folder_of_claims(arguments.out, arguments.accept) / PAGE
    for line in (*lines(checked, load_cards(arguments.out)), str(page)):
        print(line)
    return REFUSED if not arguments.accept and any(one.lost for one in checked) else SOLVED
