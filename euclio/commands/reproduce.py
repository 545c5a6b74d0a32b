"""`euclio reproduce`: a paper's evaluation, measured again and set next to its published figures."""

from __future__ import annotations

import argparse
from pathlib import Path

from euclio.commands.exit_codes import SOLVED
from euclio.core.errors import InputError
from euclio.core.values import count, seed
from euclio.studies import STUDIES


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    workloads = ", ".join(f"{paper} {study.workloads}" for paper, study in STUDIES.items())
    jobs = "".join(
        f", {paper} {'one' if study.jobs == 1 else study.jobs}" for paper, study in STUDIES.items() if study.jobs
    )
    parser.add_argument("paper", choices=tuple(STUDIES), help="the paper")
    parser.add_argument(
        "--full", action="store_true", help="also run the slow references on all workloads; ppipe: 30 s per load"
    )
    parser.add_argument("--jobs", type=count, metavar="N", help=f"processes; default: one per core{jobs}")
    parser.add_argument("--out", type=Path, metavar="DIR", help="default: reports/PAPER")
    parser.add_argument("--workloads", type=count, metavar="N", help=f"how many; default: {workloads}")
    parser.add_argument("--seed", type=seed, metavar="N", help="seed of the workloads; default: the protocol's")
    parser.add_argument(
        "--certify",
        type=count,
        metavar="N",
        help="how many of its proofs an independent prover tries, 10 s each; default: 30",
    )
    posterior = (
        "harpagon, piccolo: first draw anew the settings that are consistent with both papers' figures, and choose the "
        "reference setting that workloads are drawn from (data/posterior; up to an hour on 2 cores, goes on if "
        "interrupted); without it the stored ones are used"
    )
    parser.add_argument("--posterior", action="store_true", help=posterior)
    folder = "ppipe: folder of measured clusters; default: ../shared/instances/pipelines, if present"
    parser.add_argument("--instances", type=Path, metavar="DIR", help=folder)


def run(arguments: argparse.Namespace) -> int:
    """Reproduce and print where the report is."""
    if arguments.instances is not None and not STUDIES[arguments.paper].takes_instances:
        raise InputError(f"{arguments.paper} has no measured clusters; leave it out", field="--instances")
    if arguments.posterior:
        _renew_posterior(arguments)
    from euclio.studies.building import reproduce

    given = {name: getattr(arguments, name) for name in ("out", "seed", "jobs", "workloads", "certify", "instances")}
    chosen = {name: value for name, value in given.items() if value is not None}
    print(reproduce(arguments.paper, full=arguments.full, **chosen))
    return SOLVED


def _renew_posterior(arguments: argparse.Namespace) -> None:
    """Draw the posterior of the papers that have one anew."""
    from euclio.studies.posterior.prior import PAPERS
    from euclio.studies.posterior.renewing import renew
    from euclio.supervision import cores

    if arguments.paper not in PAPERS:
        raise InputError(
            f"{arguments.paper} has no posterior ({', '.join(PAPERS)} do); leave it out", field="--posterior"
        )
    renew(arguments.jobs or cores())
