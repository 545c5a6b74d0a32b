"""Proof files of sessions: no choice of the modules' corners costs less than a cutoff (ours)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from euclio.core.certificate import NoProofError
from euclio.problems.session.evaluate import Evaluation, evaluate
from euclio.problems.session.instance import Session
from euclio.problems.session.machine_limits import has_floors
from euclio.problems.session.plan import Plan
from euclio.problems.session.space import PlanSpace
from euclio.proving.files.branch_and_bound import MOST_NODES, UnprovenError, prove, relaxed
from euclio.proving.files.model import ZERO, Posed, Proof
from euclio.proving.files.safe_bounds import DECIMALS, decimals, lowered, raised
from euclio.proving.session.certifying import MARGIN, parts_of
from euclio.proving.session.feasibility import least_latencies
from euclio.proving.session.frontiers import Corner, Frontiers, frontiers, waits
from euclio.proving.session.modules import ranked_modules
from euclio.proving.session.shared_machines import shares

# Frontiers with fewer corners and shorter numbers, which still reach a cutoff: their proofs are shorter (ours).
#
# Each step makes frontiers weaker: it puts corners together or rounds costs and latencies down. So every proof for the
# weaker frontiers holds for the given ones; it only remains to try whether they still reach the cutoff.

LATENCY_DIGITS = (4, 6, 9)
"""Digits of the SLO that latencies are rounded down to, roughest first; after that they stay as they are."""
MOST_LATENCY_DIGITS = 12
"""The same for a program that is written without a proof, where nothing has to become shorter."""


def shorter(found: Frontiers, cutoff: Fraction, room: Fraction) -> Iterator[Frontiers]:
    """Weaker frontiers, the weakest first and those themselves last.

    Args:
        found: frontiers.
        cutoff: cost per hour that is to be proven.
        room: proven excess of their costs over the cutoff, per hour; 0 forbids rounding costs.
    """
    if room > 0:
        digits = decimals(room / 2 / len(found.corners))
        for some in LATENCY_DIGITS:
            behind = decimals(found.session.slo_s / 10**some)
            yield _merged(_lowered(found, digits, behind), cutoff + room / 4)
        yield _merged(_lowered(found, digits, None), cutoff + room / 4)
    yield found


def in_decimals(found: Frontiers, room: Fraction) -> Frontiers:
    """All corners, costs and latencies rounded down to decimals.

    Args:
        found: frontiers.
        room: money per hour, above 0, of which all costs together lose less than half.
    """
    behind = decimals(found.session.slo_s / 10**MOST_LATENCY_DIGITS)
    return _lowered(found, decimals(room / 2 / len(found.corners)), behind)


def _lowered(found: Frontiers, cost_digits: int, latency_digits: int | None) -> Frontiers:
    """Costs and latencies rounded down (None skips them); of corners that begin together the cheapest is enough."""
    rows = []
    for some in found.corners:
        cheapest: dict[tuple[int, Fraction], Fraction] = {}
        for one in some:
            at = one.part, one.low if latency_digits is None else lowered(one.low, latency_digits)
            cost = lowered(one.cost, cost_digits)
            cheapest[at] = min(cost, cheapest.get(at, cost))
        rows.append(tuple(Corner(low, cost, part) for (part, low), cost in cheapest.items()))
    return replace(found, corners=tuple(rows))


def _merged(found: Frontiers, target: Fraction) -> Frontiers:
    """Put neighbours together if by the relaxation's prices no choice with them falls below the target.

    A corner whose reduced cost lifts the relaxation to the target needs no more corners or digits than that.
    """
    optimum = relaxed(found.model())
    if optimum is None:
        return found
    modules = len(found.corners)
    room = float(target) - optimum.cost
    # Modules share the relaxation's excess, since a choice may have a merged corner of every module.
    room = room if room > 0 else room / modules
    # The cost of a second more of a module's latency: the prices of all its rows, which are not above 0.
    price_of_time = [0.0] * modules
    for (m, _), price in zip(waits(found.session), optimum.prices[modules:], strict=False):
        price_of_time[m] -= float(price)
    # The worth of a corner alone: the prices of the row that takes one and of those that keep it to its part.
    worth = [[float(optimum.prices[m])] * found.parts for m in range(modules)]
    for (m, part), price in zip(found.links(), optimum.prices[len(optimum.prices) - len(found.links()) :], strict=True):
        worth[m][part] += float(price)
        worth[0][part] -= float(price)
    rows = []
    for some, own, time in zip(found.corners, worth, price_of_time, strict=True):
        rows.append(_merged_row(some, [room + one for one in own], time))
    return replace(found, corners=tuple(rows))


def _merged_row(some: tuple[Corner, ...], needed: list[float], price_of_time: float) -> tuple[Corner, ...]:
    """The same of one module: a corner's cost and its latency's price have to reach the needed sum, or it stays.

    Args:
        some: the module's corners.
        needed: money per hour, by part.
        price_of_time: money per hour and second.
    """
    row = []
    first = 0
    while first < len(some):
        low, part = some[first].low, some[first].part
        least = needed[part] - price_of_time * float(low)
        last = first
        while last < len(some) and some[last].part == part and float(some[last].cost) >= least:
            last += 1
        # It does not reach the needed sum even by itself, so it stays as it is.
        if last == first:
            row.append(some[first])
            first += 1
        else:
            row.append(Corner(low, _shortest(min(one.cost for one in some[first:last]), least), part))
            first = last
    return tuple(row)


def _shortest(cost: Fraction, least: float) -> Fraction:
    """The cost rounded down to as few digits as leave it what is needed; no cost is below 0."""
    if least <= 0:
        return ZERO
    return next((low for n in DECIMALS if (low := lowered(cost, n)) >= least), cost)


ROOM = Fraction(5, 10**10)
"""Share of the cutoff by which the search aims higher, so that numbers may be rounded; below any tolerance."""
LEAST_ROOM = Fraction(1, 10**12)
"""Share of the cutoff that costs are rounded by where the search leaves no room."""
INCOMPLETE = "the prover's lists were not complete within the margin of its search"
FEW_NODES = 1_000
"""Nodes of a search on frontiers that are weaker than necessary."""


def session_proof(
    session: Session, space: PlanSpace, plan: Plan | None, cutoff: Fraction | None, deadline: float
) -> Proof:
    """A proof that no choice of corners costs less than a cutoff, or that none keeps the SLO.

    Args:
        session: the instance.
        space: a plan space that the prover covers.
        plan: a feasible plan, which stands in the file as a solution; None if there is none.
        cutoff: cost per hour, above 0; None claims that no plan keeps the SLO.
        deadline: `time.perf_counter` value at which to stop.

    Raises:
        NoProofError: there is none; says why in one line.
    """
    if session.spare_machines and cutoff is not None:
        raise NoProofError("spare machines are charged by types of hardware, for which the file's program has no rows")
    if cutoff is not None and shares(space) and len(session.modules) > 1:
        raise NoProofError("machines that modules share have no rows in the file's program")
    parts = _served_parts(session, space)
    checked = None if plan is None else evaluate(session, plan, space)
    if cutoff is None:
        return _infeasible(session, parts, deadline)
    try:
        return _cutoff(session, parts, checked, cutoff, deadline)
    except NoProofError:
        # Unused machines only add to costs, so that a proof without them holds; there may be none.
        if has_floors(session):
            raise NoProofError("machines that are paid for and not used have no rows in the file's program") from None
        raise


def session_program(session: Session, space: PlanSpace, plan: Plan, cutoff: Fraction | None, deadline: float) -> Posed:
    """The program of a cutoff's proof, without the proof: whole lists of corners.

    Costs and latencies are rounded down to decimals, so that the plan stays a point that costs no more than it does.

    Args:
        session: the instance.
        space: a plan space that the prover covers.
        plan: a feasible plan.
        cutoff: cost per hour, above 0, that no plan stays below; None if none is known.
        deadline: `time.perf_counter` value at which to stop.

    Raises:
        NoProofError: the lists were not complete; says why in one line.
    """
    if cutoff is None or shares(space):
        raise NoProofError(INCOMPLETE)
    parts = _served_parts(session, space)
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


def _cutoff(
    session: Session, parts: Sequence[PlanSpace], checked: Evaluation | None, cutoff: Fraction, deadline: float
) -> Proof:
    reason = INCOMPLETE
    for found, room in _searches(session, parts, cutoff, deadline):
        # A short number between the cutoff and the proven cost, since every step repeats it.
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
    """Frontiers that reach the cutoff, each with its proven excess: first those that leave room for rounding."""
    more = cutoff * (1 + ROOM)
    for asked, margin in ((more, more * MARGIN), (cutoff, cutoff * MARGIN), (cutoff, ZERO)):
        found = frontiers(session, parts, asked, margin, deadline)
        if found is not None:
            yield found, asked - cutoff


def _infeasible(session: Session, parts: Sequence[PlanSpace], deadline: float) -> Proof:
    """The least latencies of the modules, at any cost, miss the SLO together."""
    corners: list[list[Corner]] = [[] for _ in session.modules]
    for part, space in enumerate(parts):
        modules = ranked_modules(session, space)
        for own, m, low in zip(corners, modules, least_latencies(session, modules, deadline), strict=True):
            own.append(Corner(low - m.instant, ZERO, part))
    found = Frontiers(session, tuple(map(tuple, corners)), len(parts))
    try:
        return _proof(found, None, None, deadline, MOST_NODES)
    except UnprovenError as error:
        # Under rule continuous plans only come near to a least latency, which may equal the time that the SLO leaves.
        raise NoProofError(f"the least latencies of the modules do not miss the SLO: {error}") from None


def _all_served(session: Session, space: PlanSpace) -> bool:
    """Whether every module has some configuration."""
    return all(m.configurations for m in ranked_modules(session, space))


def _proof(
    found: Frontiers, checked: Evaluation | None, cutoff: Fraction | None, deadline: float, most_nodes: int
) -> Proof:
    point: Mapping[int, Fraction] | None = None if checked is None else found.point(checked)
    return prove(found.model(), cutoff, point, deadline, most_nodes)
