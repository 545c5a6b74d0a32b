"""`euclio reproduce`: run a paper's evaluation and write its report."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from euclio.core.compiled import time_runs
from euclio.core.errors import InputError
from euclio.core.numbers import Number
from euclio.core.parameters import Parameter, as_given, option_text
from euclio.core.progress import say
from euclio.core.system import cores
from euclio.core.values import count, file_path, one_of
from euclio.files.json_writing import write_text
from euclio.verbs.interface.command import command
from euclio.verbs.interface.exit_codes import REFUSED, SOLVED
from euclio.verbs.interface.outputs import check_written
from euclio.verbs.interface.shared_parameters import SEED
from euclio.verbs.interface.verb import verb
from euclio.workloads.generation import write_instances
from euclio.workloads.populations import PROTOCOL_SEED
from studies import registered
from studies.claims import load_cards
from studies.claims_page import PAGE, lines, write_claims
from studies.drawn_workloads import protocol_draws
from studies.harpagon.answer import fresh_answers, stored_answers
from studies.inference.prior import PAPERS
from studies.inference.reference import reference_setting
from studies.page_builder import reproduce as reproduce_study
from studies.parts import HELP, make_part, part_lines
from studies.stored_reports import folder_of_claims, latest, store
from studies.study import Measurements

if TYPE_CHECKING:
    from studies.claims import CheckedClaim
    from studies.harpagon.answer import AnsweredQuestion
    from studies.parts import MadePart

OF_RUNS = (
    *("paper", "jobs", "workloads", "seed", "certify", "instances", "artifact", "full", "posterior"),
    *("write_workloads", "only", "answer"),
)
"""Keywords without a meaning for `claims`."""
OF_STUDIES = ("jobs", "certify", "instances", "artifact", "full", "posterior", "accept")
"""Keywords without a meaning for `write_workloads`."""
OF_PAGES = ("certify", "instances", "artifact", "full", "posterior", "write_workloads", "accept", "answer")
"""Keywords without a meaning for `only`."""
OF_REPORTS = ("certify", "artifact", "full", "posterior", "write_workloads", "accept")
"""Keywords without a meaning for `answer`."""


@overload
def reproduce(
    paper: str,
    *,
    full: bool = False,
    jobs: Number | None = None,
    out: str | Path | None = None,
    workloads: Number | None = None,
    seed: Number | None = None,
    certify: Number | None = None,
    posterior: bool = False,
    instances: str | Path | None = None,
    artifact: str | Path | None = None,
    accept: bool = False,
    write_workloads: None = None,
    only: None = None,
) -> Path: ...
@overload
def reproduce(
    paper: str,
    *,
    only: str,
    out: str | Path | None = None,
    workloads: Number | None = None,
    seed: Number | None = None,
    jobs: Number | None = None,
) -> MadePart | tuple[str, ...]: ...
@overload
def reproduce(
    paper: str, *, write_workloads: str | Path, workloads: Number | None = None, seed: Number | None = None
) -> list[Path]: ...
@overload
def reproduce(
    paper: str,
    *,
    answer: Literal[True],
    workloads: Number | None = None,
    seed: Number | None = None,
    jobs: Number | None = None,
    out: str | Path | None = None,
    instances: str | Path | None = None,
) -> AnsweredQuestion: ...
@overload
def reproduce(
    *, claims: Literal[True], accept: bool = False, out: str | Path | None = None
) -> tuple[CheckedClaim, ...]: ...
@verb(
    Parameter("--claims"),
    Parameter("--accept"),
    Parameter("--full"),
    Parameter("--jobs", parse=count, metavar="N"),
    Parameter("--out", parse=file_path, metavar="DIR"),
    Parameter("--workloads", parse=count, metavar="N"),
    SEED,
    Parameter("--certify", parse=count, metavar="N"),
    Parameter("--posterior"),
    Parameter("--instances", parse=file_path, metavar="DIR"),
    Parameter("--artifact", parse=file_path, metavar="DIR"),
    Parameter("--write-workloads", parse=file_path, metavar="DIR"),
    Parameter("--only", parse=as_given, metavar="PART"),
    Parameter("--answer"),
)
def reproduce(
    paper: str | None = None,
    *,
    claims: bool = False,
    accept: bool = False,
    full: bool = False,
    jobs: Number | None = None,
    out: str | Path | None = None,
    workloads: Number | None = None,
    seed: Number | None = None,
    certify: Number | None = None,
    posterior: bool = False,
    instances: str | Path | None = None,
    artifact: str | Path | None = None,
    write_workloads: str | Path | None = None,
    only: str | None = None,
    answer: bool = False,
) -> Path | list[Path] | tuple[CheckedClaim, ...] | MadePart | tuple[str, ...] | AnsweredQuestion:
    """Run a paper's evaluation again and write its report, as `euclio reproduce` does; prints the headline lines.

    Args:
        paper: the paper, such as "harpagon".
        claims: instead of running a paper, check the papers' claims in the latest complete reports, else in the stored
            ones. Exit code 1 if a claim that held is lost.
        accept: store the paper's report (reports/PAPER), with `artifact` also the data computed from it (data/ppipe).
            With `claims`, store the latest reports and the claims that hold, which later checks require
            (data/claims.json).
        full: also run the slow references on all workloads; for ppipe 30 s per load.
        jobs: processes; None means one per core.
        out: folder of the report; None means build/reports/PAPER, with `claims` build/reports.
        workloads: number of workloads; None means the study's own.
        seed: seed of the workloads; None means the protocol's.
        certify: number of its proofs for an independent prover, 10 s each; None means 30.
        posterior: for harpagon and piccolo: first search again the settings nearest to the paper's numbers, and the
            reference setting of the workloads (data/posterior). The search takes about half an hour on 2 cores and
            resumes if interrupted. Without it the stored settings are used.
        instances: folder of measured instances; None means ../shared/instances (sessions for harpagon) or
            ../shared/instances/pipelines (clusters for ppipe), if present.
        artifact: for ppipe: also run on the blocks that its authors measured, from a checkout of their artifact or a
            table of its blocks (CSV). Without it the stored rows are shown.
        write_workloads: for harpagon and piccolo: run nothing, and write the study's workloads as session files into
            this folder (`workloads` and `seed` as for the study).
        only: make only this figure or table and print its data as CSV. It makes the needed runs, or uses the tables of
            the last report and says so. "help" lists the names.
        answer: for harpagon: only print on how many workloads, and on which, it is optimal. The source is the last
            report, or with `workloads` this number of new sessions of each kind (40 take about 15 s).

    Returns:
        Path of the page. With `write_workloads`: the written files. With `only`: the part with its data as CSV, or the
        names. With `claims`: the claims. With `answer`: the table with a sentence before and after it.

    Raises:
        InputError: a bad value, named with its keyword, or keywords that do not go together.
        RefutedError: a proof is refuted; the page is written.
    """
    given: dict[str, Any] = {
        **{"paper": paper, "jobs": jobs, "workloads": workloads, "seed": seed, "certify": certify, "full": full},
        **{"instances": instances, "artifact": artifact, "posterior": posterior, "only": only, "accept": accept},
        **{"write_workloads": write_workloads, "answer": answer},
    }
    folder = None if out is None else Path(out)
    if claims:
        return _check_claims(given, accept, folder)
    if paper is None:
        raise InputError(f"name a paper ({', '.join(registered())}), or {option_text('--claims')}", field="paper")
    one_of(registered(), paper, "paper")
    _refuse_measurements(paper, given, folder)
    if answer:
        return _answer(paper, folder, given)
    if only is not None:
        return _make_part(paper, folder, given)
    if write_workloads is not None:
        return _write_workloads(paper, given)
    if posterior:
        time_runs()
        _renew_posterior(paper, given["jobs"])
    return _run(paper, folder, given)


def _run(paper: str, folder: Path | None, given: dict[str, Any]) -> Path:
    """Run a study, write its report, and store it where that is asked."""
    time_runs()
    chosen = {"out": folder, **{name: given[name] for name in ("seed", "jobs", "workloads", "certify")}}
    artifact = given["artifact"]
    page = reproduce_study(
        paper,
        full=given["full"],
        measurements=Measurements(given["instances"], artifact, given["accept"] and artifact is not None),
        **{name: value for name, value in chosen.items() if value is not None},
    )
    if given["accept"] and folder is None:
        store(paper)
    return page


def _refuse_measurements(paper: str, given: dict[str, Any], folder: Path | None) -> None:
    """Refuse what others have measured where a study takes none, and to accept what would not be stored."""
    if given["accept"] and given["workloads"] is not None:
        raise InputError(f"stores rows of everything; leave {option_text('--workloads')} out", field="--accept")
    if given["accept"] and folder is not None and given["artifact"] is None:
        raise InputError(f"stores the report in reports/{paper}; leave {option_text('--out')} out", field="--accept")
    if given["artifact"] is not None and not registered()[paper].takes_artifact:
        raise InputError(f"{paper} takes no artifact; leave it out", field="--artifact")
    if given["instances"] is not None and not registered()[paper].takes_instances:
        raise InputError(f"{paper} takes no measured instances; leave it out", field="--instances")


def _renew_posterior(paper: str, jobs: int | None) -> None:
    """Draw the posterior of a paper that has one anew."""
    from studies.inference.__main__ import renew

    if paper not in PAPERS:
        raise InputError(f"{paper} has no posterior ({', '.join(PAPERS)} do); leave it out", field="--posterior")
    renew(paper, jobs or cores())


def _write_workloads(paper: str, given: dict[str, Any]) -> list[Path]:
    """Write the workloads of a paper's reference setting; studies leave out those whose plan the checker refuses."""
    if paper not in PAPERS:
        raise InputError(f"{paper} draws none ({', '.join(PAPERS)} do); leave it out", field="--write-workloads")
    _refuse_given(given, OF_STUDIES, "leave one out", "--write-workloads")
    size = given["workloads"] or int(registered()[paper].workloads)
    seed = PROTOCOL_SEED if given["seed"] is None else given["seed"]
    drawn = protocol_draws(paper, reference_setting(paper), seed, size)
    return write_instances([workload.session for workload in drawn.workloads], given["write_workloads"])


def _answer(paper: str, out: Path | None, given: dict[str, Any]) -> AnsweredQuestion:
    """The table of one question, from the last report or from sessions that are solved now."""
    if paper != "harpagon":
        raise InputError(f"{paper} asks another question; harpagon has the answer", field="--answer")
    _refuse_given(given, (*OF_REPORTS, "only"), "leave one of the two out", "--answer", "runs no study")
    if given["workloads"] is None:
        _refuse_given(
            given,
            ("seed", "jobs", "instances"),
            f"add {option_text('--workloads')}",
            "--answer",
            "is read from the report",
        )
        folder = out or latest(paper, whole=True) / paper
        if not all((folder / f"{name}.parquet").is_file() for name in ("runs", "kinds")):
            more = option_text("--workloads", 40)
            raise InputError(
                f"holds no report of harpagon; add {more} to draw and solve sessions now", file=str(folder)
            )
        return stored_answers(folder)
    seed = PROTOCOL_SEED if given["seed"] is None else given["seed"]
    return fresh_answers(given["workloads"], seed, given["jobs"] or cores(), given["instances"])


def _make_part(paper: str, out: Path | None, given: dict[str, Any]) -> MadePart | tuple[str, ...]:
    """Make one figure or table, or list the names of all."""
    _refuse_given(given, OF_PAGES, "leave one of the two out", "--only", "runs no study")

    folder = out or latest(paper) / paper
    if given["only"] == HELP:
        return tuple(part_lines(paper, folder))
    time_runs()
    return make_part(paper, given["only"], folder, **{name: given[name] for name in ("workloads", "seed", "jobs")})


def _check_claims(given: dict[str, Any], accepted: bool, out: Path | None) -> tuple[CheckedClaim, ...]:
    """Hold the claims against the last reports, and write their table; to accept them stores these reports first."""
    _refuse_given(given, OF_RUNS, "leave one of the two out", "--claims")
    from studies.claims import accept, check_all, load_cards

    if accepted and out is None:
        for paper in registered():
            store(paper)
    checked = check_all(out)
    write_claims(checked, folder_of_claims(out, accepted), load_cards(out))
    if accepted:
        accept(checked)
    return checked


def _refuse_given(
    given: dict[str, Any], names: tuple[str, ...], remedy: str, flag: str, what: str = "runs nothing"
) -> None:
    """Raise an `InputError` for the first given option that means nothing where nothing is run."""
    name = next((name for name in names if given[name]), None)
    if name is not None:
        raise InputError(f"{what}, so that {name} has no meaning; {remedy}", field=flag)


@command(
    reproduce,
    Parameter("paper", help="the paper", choices=tuple(registered()), details={"nargs": "?"}),
    Parameter("--csv", help="with --only or --answer: write the data to this file", parse=file_path, metavar="FILE"),
    about=lambda: (
        "Workloads of each study: " + ", ".join(f"{paper} {one.workloads}" for paper, one in registered().items())
    ),
    first=("--claims", "--workloads", "--jobs", "--out", "--full"),
    research=("--accept", "--seed", "--certify", "--posterior", "--instances", "--write-workloads"),
    page="claims.md",
    exits="1 a proof is refuted, or a claim that held is lost; 2 also: a report is of an older version or a small run",
    examples=("euclio reproduce piccolo --workloads 20 --out build/small", "euclio reproduce --claims"),
)
def print_reproduced(arguments: Namespace) -> int:
    """Reproduce and print where the report is, or check the claims."""
    keywords = arguments.keywords
    if arguments.csv is not None and not {"only", "answer"} & keywords.keys():
        raise InputError("takes the data of one figure or table; add --only PART, or --answer", field="--csv")
    check_written(arguments, ["csv"], [])
    found: Any = reproduce(arguments.paper, **keywords)
    if "answer" in keywords:
        return _give_answer(arguments, found)
    if "only" in keywords:
        return _give_part(arguments, found)
    if "claims" in keywords:
        return _print_claims(arguments, found)
    print(f"{len(found)} sessions in {keywords['write_workloads']}" if "write_workloads" in keywords else found)
    return SOLVED


def _give_answer(arguments: Namespace, found: AnsweredQuestion) -> int:
    """Print the answer, or write its data to the file that is named."""
    if arguments.csv is None:
        print(found.text)
    else:
        write_text(found.frame().to_csv(index=False, lineterminator="\n"), arguments.csv)
        print(arguments.csv)
    return SOLVED


def _give_part(arguments: Namespace, found: Any) -> int:
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


def _print_claims(arguments: Namespace, checked: tuple[CheckedClaim, ...]) -> int:
    """Print what became of the claims, and where their table is."""
    accepted = bool(arguments.keywords.get("accept"))
    page = folder_of_claims(arguments.keywords.get("out"), accepted) / PAGE
    for line in (*lines(checked, load_cards(arguments.keywords.get("out"))), str(page)):
        print(line)
    return REFUSED if not accepted and any(one.lost for one in checked) else SOLVED
