"""`euclio reproduce`: a paper's evaluation, measured again and set next to its published numbers."""

from __future__ import annotations

import argparse
from pathlib import Path

from euclio.commands.exit_codes import REFUSED, SOLVED
from euclio.core.compiled import time_runs
from euclio.core.errors import InputError
from euclio.core.values import count, seed
from euclio.studies import STUDIES


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the description and the options of the verb."""
    workloads = ", ".join(f"{paper} {study.workloads}" for paper, study in STUDIES.items())
    parser.add_argument("paper", nargs="?", choices=tuple(STUDIES), help="the paper")
    parser.add_argument(
        "--claims",
        action="store_true",
        help="instead of running a paper: hold the papers' claims against the reports that were written last; exit "
        "code 1 where a claim that held is lost",
    )
    parser.add_argument(
        "--accept", action="store_true", help="with --claims: what holds now has to hold from now on (data/claims.json)"
    )
    parser.add_argument(
        "--full", action="store_true", help="also run the slow references on all workloads; ppipe: 30 s per load"
    )
    parser.add_argument("--jobs", type=count, metavar="N", help="processes; default: one per core")
    parser.add_argument("--out", type=Path, metavar="DIR", help="default: reports/PAPER; of --claims: reports")
    parser.add_argument("--workloads", type=count, metavar="N", help=f"how many; default: {workloads}")
    parser.add_argument("--seed", type=seed, metavar="N", help="seed of the workloads; default: the protocol's")
    parser.add_argument(
        "--certify",
        type=count,
        metavar="N",
        help="how many of its proofs an independent prover tries, 10 s each; default: 30",
    )
    posterior = (
        "harpagon, piccolo: first draw anew the settings that are nearest to the paper's numbers, and choose the "
        "reference setting that workloads are drawn from (data/posterior; less than half an hour on 2 cores, goes on "
        "if interrupted; needs scikit-learn); without it the stored ones are used"
    )
    parser.add_argument("--posterior", action="store_true", help=posterior)
    folder = (
        "folder of measured instances; default, where present: ../shared/instances (harpagon: sessions), "
        "../shared/instances/pipelines (ppipe: clusters)"
    )
    parser.add_argument("--instances", type=Path, metavar="DIR", help=folder)
    sessions = (
        "harpagon, piccolo: instead of running anything, write the workloads that the study runs on as session files "
        "(--workloads and --seed as for the study)"
    )
    parser.add_argument("--write-workloads", type=Path, metavar="DIR", help=sessions)


def run(arguments: argparse.Namespace) -> int:
    """Reproduce and print where the report is, or check the claims."""
    if arguments.claims:
        return _check_claims(arguments)
    if arguments.paper is None:
        raise InputError(f"name a paper ({', '.join(STUDIES)}), or --claims", field="paper")
    if arguments.accept:
        raise InputError("accepts claims; add --claims", field="--accept")
    if arguments.instances is not None and not STUDIES[arguments.paper].takes_instances:
        raise InputError(f"{arguments.paper} takes no measured instances; leave it out", field="--instances")
    if arguments.write_workloads is not None:
        return _write_workloads(arguments)
    if arguments.posterior:
        time_runs()
        _renew_posterior(arguments)
    from euclio.studies.building import reproduce

    time_runs()
    given = {name: getattr(arguments, name) for name in ("out", "seed", "jobs", "workloads", "certify", "instances")}
    chosen = {name: value for name, value in given.items() if value is not None}
    print(reproduce(arguments.paper, full=arguments.full, **chosen))
    return SOLVED


def _renew_posterior(arguments: argparse.Namespace) -> None:
    """Draw the posterior of a paper that has one anew."""
    from euclio.posterior.prior import PAPERS
    from euclio.posterior.renewing import renew
    from euclio.supervision import cores

    if arguments.paper not in PAPERS:
        raise InputError(
            f"{arguments.paper} has no posterior ({', '.join(PAPERS)} do); leave it out", field="--posterior"
        )
    renew(arguments.paper, arguments.jobs or cores())


def _write_workloads(arguments: argparse.Namespace) -> int:
    """Write the workloads of a paper's reference setting; studies leave out those whose plan the checker refuses."""
    from euclio.posterior.bridge import protocol_draws
    from euclio.posterior.prior import PAPERS
    from euclio.posterior.reference import reference_setting
    from euclio.session.workloads.protocol import SEED
    from euclio.workloads.writing import write_instances

    paper = arguments.paper
    if paper not in PAPERS:
        raise InputError(f"{paper} draws none ({', '.join(PAPERS)} do); leave it out", field="--write-workloads")
    of_runs = ("jobs", "certify", "instances", "full", "posterior")
    given = next((name for name in of_runs if getattr(arguments, name)), None)
    if given is not None:
        raise InputError(f"runs nothing, so that {given} has no meaning; leave one out", field="--write-workloads")
    count = arguments.workloads or int(STUDIES[paper].workloads)
    seed = SEED if arguments.seed is None else arguments.seed
    drawn = protocol_draws(paper, reference_setting(paper), seed, count)
    paths = write_instances([workload.session for workload in drawn.workloads], arguments.write_workloads)
    print(f"{len(paths)} sessions in {arguments.write_workloads}")
    return SOLVED


def _check_claims(arguments: argparse.Namespace) -> int:
    """Check the claims against the last reports, write their table and print what became of them."""
    of_runs = ("paper", "jobs", "workloads", "seed", "certify", "instances", "full", "posterior", "write_workloads")
    given = next((name for name in of_runs if getattr(arguments, name)), None)
    if given is not None:
        raise InputError(f"runs nothing, so that {given} has no meaning; leave one of the two out", field="--claims")
    from euclio.studies.claims import accept, check_all, load_cards
    from euclio.studies.claims_page import lines, write_claims

    reports = arguments.out or Path("reports")
    checked = check_all(reports)
    cards = load_cards(reports)
    for line in (*lines(checked, cards), str(write_claims(checked, reports, cards))):
        print(line)
    if arguments.accept:
        accept(checked)
        return SOLVED
    return REFUSED if any(one.lost for one in checked) else SOLVED
