"""Proof files of sessions: that no choice of what the prover knows of the modules costs less than a cutoff (ours)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction

from euclio.core.certificate import NoProofError
from euclio.problems.session.evaluate import Evaluation, evaluate
from euclio.problems.session.instance import Session
from euclio.problems.session.plan import Plan
from euclio.problems.session.space import PlanSpace
from euclio.proving.files.branching import MOST_NODES, UnprovenError, prove
from euclio.proving.files.model import ZERO, Posed, Proof
from euclio.proving.files.rounding import decimals, raised
from euclio.proving.session.certifying import MARGIN, parts_of
from euclio.proving.session.frontiers import Corner, Frontiers, frontiers
from euclio.proving.session.modules import ranked_modules
from euclio.proving.session.proving import DeadlineError, TooFarApartError
from euclio.proving.session.reaching import least_latencies
from euclio.proving.session.shortening import in_decimals, shorter

ROOM = Fraction(5, 10**10)
"""Share of the cutoff by which the search is asked for more, so that numbers may be rounded; below any tolerance."""
LEAST_ROOM = Fraction(1, 10**12)
"""Share of the cutoff that costs are rounded by where the search leaves no room."""
INCOMPLETE = "the prover's lists were not complete within the margin of its search"
FEW_NODES = 1_000
"""Nodes of a search on frontiers that are weaker than they have to be."""


def session_proof(
    session: Session, space: PlanSpace, plan: Plan | None, cutoff: Fraction | None, deadline: float
) -> Proof:
    """A proof that no choice of corners costs less than a cutoff, or that none keeps the SLO.

    Args:
        session: the instance.
        space: a plan space that the prover covers.
        plan: a feasible plan, which stands in the file as a solution; None: there is none.
        cutoff: cost per hour, above 0; None: no plan keeps the SLO.
        deadline: `time.perf_counter` value at which to stop.

    Raises:
        NoProofError: there is none; says why in one line.
    """
    if session.spare_machines and cutoff is not None:
        raise NoProofError("spare machines are charged by types of hardware, for which the file's program has no rows")
    parts = _served_parts(session, space)
    checked = None if plan is None else evaluate(session, plan, space)
    with _told_reasons():
        if cutoff is None:
            return _infeasible(session, parts, deadline)
        return _cutoff(session, parts, checked, cutoff, deadline)


def session_program(session: Session, space: PlanSpace, plan: Plan, cutoff: Fraction | None, deadline: float) -> Posed:
    """The program that a proof of a cutoff would be about, without one: whole lists of corners.

    Costs and latencies are rounded down to decimals, so that the plan stays a point that costs no more than it does.

    Args:
        session: the instance.
        space: a plan space that the prover covers.
        plan: a feasible plan.
        cutoff: cost per hour, above 0, that no plan stays below; None: none is known.
        deadline: `time.perf_counter` value at which to stop.

    Raises:
        NoProofError: the lists were not complete; says why in one line.
    """
    if cutoff is None:
        raise NoProofError(INCOMPLETE)
    parts = _served_parts(session, space)
    with _told_reasons():
        for found, room in _searches(session, parts, cutoff, deadline):
            own = in_decimals(found, room or cutoff * LEAST_ROOM)
            return Posed(own.model(), own.point(evaluate(session, plan, space)))
    raise NoProofError(INCOMPLETE)


def _served_parts(session: Session, space: PlanSpace) -> list[PlanSpace]:
    """The parts of the plan space in which every module has some configuration.

    Raises:
        NoProofError: there is none.
    """
    parts = [part for part in parts_of(session, space) if _all_served(session, part)]
    if not parts:
        raise NoProofError("some module has no configuration at all, which needs no proof")
    return parts


@contextmanager
def _told_reasons() -> Iterator[None]:
    """Say why a search ended early as the reason why there is no file."""
    try:
        yield
    except DeadlineError:
        raise NoProofError("the time limit was reached") from None
    except TooFarApartError:
        raise NoProofError("its numbers lie too far apart for the prover") from None


def _cutoff(
    session: Session, parts: Sequence[PlanSpace], checked: Evaluation | None, cutoff: Fraction, deadline: float
) -> Proof:
    reason = INCOMPLETE
    for found, room in _searches(session, parts, cutoff, deadline):
        # A short number between the cutoff and what is known: every step repeats it.
        promised = cutoff if room == 0 else raised(cutoff, decimals(room / 8))
        for weaker in shorter(found, cutoff, room):
            try:
                proof = _proof(weaker, checked, promised, deadline, MOST_NODES if weaker is found else FEW_NODES)
            except UnprovenError as error:
                reason = str(error)
                continue
            whole = in_decimals(found, room or cutoff * LEAST_ROOM)
            if checked is None or not weaker.covers(whole):
                return proof
            return replace(proof, whole=Posed(whole.model(), whole.point(checked)))
    raise NoProofError(reason)


def _searches(
    session: Session, parts: Sequence[PlanSpace], cutoff: Fraction, deadline: float
) -> Iterator[tuple[Frontiers, Fraction]]:
    """Frontiers that reach the cutoff, each with what is known beyond it: first those that leave room for rounding."""
    more = cutoff * (1 + ROOM)
    for asked, margin in ((more, more * MARGIN), (cutoff, cutoff * MARGIN), (cutoff, ZERO)):
        found = frontiers(session, parts, asked, margin, deadline)
        if found is not None:
            yield found, asked - cutoff


def _infeasible(session: Session, parts: Sequence[PlanSpace], deadline: float) -> Proof:
    """The least latencies of the modules, whatever they cost, miss the SLO together."""
    corners: list[list[Corner]] = [[] for _ in session.modules]
    for part, space in enumerate(parts):
        modules = ranked_modules(session, space)
        for own, m, low in zip(corners, modules, least_latencies(session, modules, deadline), strict=True):
            own.append(Corner(low - m.instant, ZERO, part))
    found = Frontiers(session, tuple(map(tuple, corners)), len(parts))
    try:
        return _proof(found, None, None, deadline, MOST_NODES)
    except UnprovenError as error:
        # Under rule continuous plans only come near to a least latency, which may be just what the SLO leaves.
        raise NoProofError(f"the least latencies of the modules do not miss the SLO: {error}") from None


def _all_served(session: Session, space: PlanSpace) -> bool:
    """Whether every module has some configuration."""
    return all(m.configurations for m in ranked_modules(session, space))


def _proof(
    found: Frontiers, checked: Evaluation | None, cutoff: Fraction | None, deadline: float, most_nodes: int
) -> Proof:
    point: Mapping[int, Fraction] | None = None if checked is None else found.point(checked)
    return prove(found.model(), cutoff, point, deadline, most_nodes)
