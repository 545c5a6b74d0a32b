"""Whether `certify` is right about exact methods' claims on nasty instances, and whether its files are sound."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from euclio import solve
from euclio.core.certificate import Certificate, NoProofError, Verdict
from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.registry import find_solver
from euclio.core.result import Status
from euclio.proving.certifying import certify
from euclio.proving.files.checker import check_text
from tests.drawn.clusters import cluster_case
from tests.drawn.days import nasty_day
from tests.drawn.fleets import fleet_case
from tests.drawn.limits import case_at_ties
from tests.drawn.reference_clusters import cluster_truth
from tests.drawn.reference_days import ends, least_cost
from tests.drawn.reference_fleets import fleet_truth
from tests.drawn.services import service_within_limits
from tests.drawn.truth import TooLargeError, Truth
from tests.helpers.exact_milp import TooManyError
from tests.helpers.proof_files import is_true, stated

from .search import Found, Search
from .search_limits import enumerated

LIMIT_S = 10.0
"""Time limit of a run and of a certificate with its file; undecided cases are open."""
MOST_ENTRIES = 4_000
"""Variables times rows of a file's program that is solved again at most: the reference pivots in fractions."""
CELLS = 5_000
"""Joint vectors of machines of a day that the reference lists at most."""
NEXT_TO = (Fraction(1, 10**6), Fraction(1, 10**12), Fraction(1, 10**15))
"""Shares by which a cutoff is beyond the optimum, so that a plan is better."""
EXACT = {"session": "exact", "day": "day-exact", "fragments": "set-partition", "pipeline": "columns"}


@dataclass(frozen=True, slots=True)
class Case:
    """An instance, a plan space, and the answer of a plain reference that shares no code with provers.

    Attributes:
        family: the family's name.
        instance: the instance.
        space: the plan space; of days, the one that has all plans.
        truth: the optimum, or values that enclose it.
    """

    family: str
    instance: Any
    space: Any
    truth: Truth


def look(seed: int) -> Found:
    """One instance: the claim of the exact method, its certificate and file, and cutoffs that some plan beats."""
    case = drawn_case(seed)
    if case is None:
        return Found(0)
    found = solve(case.instance, EXACT[case.family], space=case.space, time_limit_s=LIMIT_S)
    if found.status is Status.INAPPLICABLE:
        return Found(0)
    if found.status not in (Status.OPTIMAL, Status.INFEASIBLE):
        wrong = found.status is Status.ERROR
        return Found(1, (f"{_named(case)}: {found.reason}",) if wrong else (), 1)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "claim.vipr"
        certificate = certify(case.instance, found, LIMIT_S, path)
        text = path.read_text(encoding="utf-8") if certificate.proof is not None else None
    faults = [*_of_certificate(case, found, certificate), *([] if text is None else _of_file(text))]
    # The family's writer of files is never asked about demands that its prover does not cover.
    faults += _false(case) if certificate.verdict is not Verdict.OPEN else []
    return Found(
        1, tuple(f"{_named(case)}: {fault}" for fault in faults), int(text is None and _needs_one(certificate))
    )


def _needs_one(certificate: Certificate) -> bool:
    """Whether a file would prove more than the checker alone, which already knows that no cost is below 0."""
    return not certificate.no_proof.endswith("needs no proof")


def _named(case: Case) -> str:
    return f"{case.instance.name} ({case.family}, {case.space})"


def drawn_case(seed: int) -> Case | None:
    """The case of a seed, sessions half of the time; None if it is illegal or too large for the reference."""
    rng = Random(f"certificates {seed}")
    try:
        return (_session, _day, _session, _fleet, _session, _cluster)[seed % 6](rng, seed)
    except (InputError, TooLargeError):
        return None


def _session(rng: Random, seed: int) -> Case | None:
    session, space = case_at_ties(rng) if seed // 6 % 2 else service_within_limits(rng, seed)
    truth = enumerated(session, space)
    return None if truth is None else Case("session", session, space, truth)


def _day(rng: Random, seed: int) -> Case | None:
    day = nasty_day(seed)
    most = ends(day, CELLS)
    if most is None:
        return None
    least = least_cost(day, most)
    # Machines beyond those that were listed could cost less, never more: an upper bound, which refutes, and no optimum.
    return Case("day", day, find_solver("day-exact").space, Truth(None if least is None else Fraction(0), least))


def _fleet(rng: Random, seed: int) -> Case | None:
    fleet, space = fleet_case(rng, most=4)
    return Case("fragments", fleet, space, fleet_truth(fleet, space))


def _cluster(rng: Random, seed: int) -> Case | None:
    cluster, space = cluster_case(rng)
    return Case("pipeline", cluster, space, cluster_truth(cluster, space))


def _of_certificate(case: Case, found: Any, certificate: Certificate) -> Iterator[str]:
    """The false statement of a certificate, such as the refutation of a true claim."""
    if certificate.verdict is Verdict.REFUTED:
        yield f"{found.status} {found.value} is refuted: {certificate.reason}"
    if certificate.verdict is not Verdict.CERTIFIED:
        return
    if certificate.cutoff is not None and beaten(case, certificate.cutoff):
        yield f"the cutoff {certificate.cutoff} is certified, but the optimum is {case.truth}"
    if found.status is Status.INFEASIBLE and not case.truth.infeasible:
        yield f"infeasible is certified, but there is a plan: {case.truth}"


def beaten(case: Case, cutoff: Fraction) -> bool:
    """Whether a plan that the reference knows is better than the cutoff."""
    if case.truth.infeasible:
        return False
    if family_of(case.instance).goal(case.space).maximised:
        return case.truth.lower > cutoff
    return case.truth.upper < cutoff


def _of_file(text: str) -> Iterator[str]:
    """The fault of a file: our checker refuses it, or solving its program again in fractions contradicts it."""
    check_text(text)
    if "\nOBJ min" in text:
        said = stated(text)
        try:
            if said.program.variables * len(said.program.rows) <= MOST_ENTRIES and not is_true(said):
                yield "the file's program has a better point than the file promises"
        except TooManyError:
            return


def _false(case: Case) -> Iterator[str]:
    """Proofs of cutoffs that some plan beats, and of there being no plan where there is one."""
    prove, truth = family_of(case.instance).prove, case.truth
    if truth.infeasible or prove is None:
        return
    maximised = family_of(case.instance).goal(case.space).maximised
    reached = truth.lower if maximised else truth.upper
    cutoffs = [None] if not reached else [None, *(reached * (1 + (-1 if maximised else 1) * part) for part in NEXT_TO)]
    for cutoff in cutoffs:
        try:
            prove(case.instance, case.space, None, cutoff, time.perf_counter() + LIMIT_S)
        except NoProofError:
            continue
        yield f"the cutoff {cutoff} has a proof, but the optimum is {truth}"


SEARCH = Search(
    "certificates",
    "certify and its files say nothing false of any family's nasty instances (open: no answer, or no file)",
    "instances",
    look,
    range(24),
)
