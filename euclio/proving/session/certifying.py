"""The independent prover of sessions: is any plan of the plan space cheaper than a cutoff? (ours)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations

from euclio.core.certificate import Search
from euclio.problems.session.evaluate import Evaluation, evaluate
from euclio.problems.session.family import FAMILY
from euclio.problems.session.instance import Session
from euclio.problems.session.machine_limits import has_floors
from euclio.problems.session.policies import Form
from euclio.problems.session.space import FULL_SPACE, PlanSpace
from euclio.proving.effort import Effort, GivenUpError
from euclio.proving.session.branch_and_bound import Branching
from euclio.proving.session.feasibility import find_any, spread
from euclio.proving.session.machine_limits import Question, find_limited
from euclio.proving.session.modules import Ranked, ranked_modules
from euclio.proving.session.shared_machines import find_shared, shares

MOST_TYPES = 5
"""Types of hardware at most where there are spare machines: each set of types is searched by itself."""
MARGIN = Fraction(1, 10**12)
"""Share of the cutoff by which a module's least cost may be off at first; a second search decides ties without it."""


def find_better(session: Session, space: PlanSpace, cutoff: Fraction | None, deadline: float) -> Search:
    """Search for a plan that costs strictly less than a cutoff.

    Each module's least cost under a latency budget is proven by a search on integers whose rounding only adds plans;
    exact arithmetic checks every plan that it finds. A branch and bound over the modules' latencies combines
    them. A plan is returned only if the checker finds it feasible and cheaper than the cutoff.

    The first search leaves out limits on machines (stock, resources, largest shares, changes), and the costs of changes
    and of machines that are paid for and not used. This only adds plans and lowers costs, so without a plan below the
    cutoff there is none within the limits either. Where that does not decide, a second search covers whole machines
    within the limits; shares of machines stay open. If modules may share machines, these searches cover the plans
    without shared machines, and a third one the others.

    Args:
        session: the instance.
        space: the plan space.
        cutoff: cost per hour. None means that any plan is better, to refute infeasibility.
        deadline: `time.perf_counter` value at which to stop; infinity disables it.
    """
    uncovered = _not_covered(session, space)
    if uncovered:
        return Search(None, False, 0, uncovered)
    nodes, reason = 0, ""
    for part, charge in _charged_parts(session, space, cutoff is None):
        found = _search(session, part, None if cutoff is None else cutoff - charge, deadline)
        nodes += found.nodes
        if found.plan is not None:
            value = evaluate(session, found.plan, space)
            if value.cost_per_h is not None and value.feasible and (cutoff is None or value.cost_per_h < cutoff):
                return Search(found.plan, False, nodes)
            within = _within_limits(session, space, part, cutoff, charge, deadline)
            nodes += within.nodes
            if within.plan is not None:
                return Search(within.plan, False, nodes)
            if not within.exhausted:
                reason = within.reason or _refused(session, value)
                continue
        elif not found.exhausted:
            reason = found.reason
            continue
        elif cutoff is None:
            # Whole machines are no slower than shared ones, and the search left out what limits their number.
            continue
        if (cutoff is None or cutoff > 0) and shares(space) and len(session.modules) > 1:
            shared = find_shared(session, part, ranked_modules(session, part), cutoff, deadline)
            nodes += shared.nodes
            if shared.plan is not None:
                return Search(shared.plan, False, nodes)
            reason = shared.reason or reason
    return Search(None, not reason, nodes, reason)


def _not_covered(session: Session, space: PlanSpace) -> str:
    """Why the prover does not cover a plan space; empty if it does."""
    if space.policy.form is Form.GENERAL:
        return f"the prover does not cover policy {space.policy.name}"
    coupled = session.running or session.share_groups or has_floors(session) or session.spare_machines
    if shares(space) and (coupled or not space.dummy.countable):
        limits = "within other limits than a stock and resources"
        return f"the prover covers no shared machines {limits}, nor under dummy rule continuous"
    if session.spare_machines and len(space.hardware_of(session)) > MOST_TYPES:
        return f"the prover covers spare machines of at most {MOST_TYPES} types of hardware"
    return ""


def _charged_parts(session: Session, space: PlanSpace, any_will_do: bool) -> Iterator[tuple[PlanSpace, Fraction]]:
    """The parts of the plan space, each with what spare machines add to the cost per hour of its plans.

    The charge for spare machines depends on the types of hardware that a plan uses. A plan that uses the types U is in
    the part that allows U alone, at its own cost. Parts that allow more types charge it more. So the search meets each
    plan below the cutoff, and none that is not.

    Args:
        session: the instance.
        space: the plan space.
        any_will_do: whether the search looks for any plan, at any cost.
    """
    price = session.price
    for part in parts_of(session, space):
        types = [hardware.name for hardware in part.hardware_of(session)]
        if not session.spare_machines or any_will_do:
            yield part, Fraction(0)
            continue
        for used in chain.from_iterable(combinations(types, n) for n in range(1, len(types) + 1)):
            yield part.on(*used), session.spare_machines * sum((price[name] for name in used), Fraction(0))


def _is_limited(session: Session) -> bool:
    """Whether the session limits machines, or charges changes or unused machines, which the first search leaves out."""
    limited = session.stock or session.resources or session.running or session.share_groups
    return bool(limited or has_floors(session))


def _within_limits(
    session: Session, space: PlanSpace, part: PlanSpace, cutoff: Fraction | None, charge: Fraction, deadline: float
) -> Search:
    """The search within limits; without any, and by share with dummies of any rate, it stays open without a reason."""
    if not _is_limited(session) or not (space.charging.whole or space.dummy.countable):
        return Search(None, False, 0)
    return find_limited(Question(session, space, ranked_modules(session, part), cutoff, charge, deadline))


def _refused(session: Session, value: Evaluation) -> str:
    """Why a plan that the search found is none of the session below the cutoff."""
    problem = "; ".join(value.violations) or "with all that it is charged for, it is not cheaper"
    if _is_limited(session):
        return f"the search leaves out limits on machines and charges of changes, and its plan was refused: {problem}"
    return f"the prover's plan was refused: {problem}"


def parts_of(session: Session, space: PlanSpace) -> Iterator[PlanSpace]:
    """The plan space itself, or one per hardware type where a plan has to keep to one."""
    if not space.single_hardware:
        yield space
        return
    for hardware in space.hardware_of(session):
        yield space.on(hardware.name)


def _search(session: Session, space: PlanSpace, cutoff: Fraction | None, deadline: float) -> Search:
    modules = ranked_modules(session, space)
    if cutoff is None:
        return find_any(session, modules, deadline)
    if cutoff <= 0:
        return Search(None, True, 0)
    found = _below(session, modules, cutoff, cutoff * MARGIN, deadline)
    if found is not None:
        return found
    return _below(session, modules, cutoff, Fraction(0), deadline) or Search(None, False, 0, "a tie was not decided")


def _below(
    session: Session, modules: list[Ranked], cutoff: Fraction, margin: Fraction, deadline: float
) -> Search | None:
    """The search with a margin; None if it met a plan so close to the cutoff that a search without has to decide."""
    effort = Effort(deadline)
    branching = Branching(session, modules, cutoff, margin, effort)
    try:
        outcome = branching.run()
        # A session whose SLO leaves no time to collect batches in has no plan to improve.
        known = spread(session, modules) if outcome.open and not modules[0].stepped else None
        if known is not None:
            branching.try_improved(known, outcome)
    except GivenUpError as error:
        return Search(None, False, effort.nodes, str(error))
    if outcome.near:
        return None
    if outcome.plan is not None or outcome.exhausted:
        return Search(outcome.plan, outcome.exhausted, effort.nodes)
    return Search(None, False, effort.nodes, "costs closer to the cutoff than latencies can be distinguished")


def warm_up() -> None:
    """Compile the prover on a tiny session, with a cutoff that no plan meets and one that the optimum is below."""
    session, space = FAMILY.tiny(FULL_SPACE)
    for cutoff in (None, Fraction(1), Fraction(100)):
        find_better(session, space, cutoff, math.inf)
