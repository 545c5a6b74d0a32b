"""The independent prover of sessions: is any plan of the plan space cheaper than a cutoff? (ours)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from euclio.core.certificate import Search
from euclio.session.certify.branching import Branching
from euclio.session.certify.modules import Ranked, ranked
from euclio.session.certify.proving import DeadlineError, TooFarApartError
from euclio.session.certify.reaching import find_any, spread
from euclio.session.evaluate import evaluate
from euclio.session.instance import Session
from euclio.session.policies import Form
from euclio.session.space import FULL_SPACE, PlanSpace

MARGIN = Fraction(1, 10**12)
"""Share of the cutoff by which the least cost of a module may be off at first; ties are then decided without."""


def find_better(session: Session, space: PlanSpace, cutoff: Fraction | None, deadline: float) -> Search:
    """Search for a plan that costs strictly less than a cutoff.

    Each module's least cost under a latency budget is proven by a search on integers whose rounding only adds plans;
    every plan that it finds is checked in exact arithmetic. A branch and bound over the modules' latencies combines
    them. A plan is returned only if the checker finds it feasible and cheaper than the cutoff.

    Args:
        session: the instance.
        space: the plan space.
        cutoff: cost per hour; None: any plan is better, which refutes a claim of infeasibility.
        deadline: `time.perf_counter` value at which to stop; infinite: never.
    """
    if space.policy.form is Form.GENERAL:
        return Search(None, False, 0, f"the prover does not cover policy {space.policy.name}")
    bound_by = session.stock or session.resources or session.running or session.spare_machines or session.largest_share
    if space.charging.whole or bound_by:
        return Search(None, False, 0, "the prover covers machines by share, any number of them, without a running plan")
    nodes, reason = 0, ""
    for part in parts_of(session, space):
        found = _search(session, part, cutoff, deadline)
        nodes += found.nodes
        if found.plan is not None:
            value = evaluate(session, found.plan, space)
            if value.cost_per_h is None or not value.feasible or not (cutoff is None or value.cost_per_h < cutoff):
                problem = "; ".join(value.violations) or "it is not cheaper"
                return Search(None, False, nodes, f"the prover's plan was refused: {problem}")
            return Search(found.plan, False, nodes)
        if not found.exhausted:
            reason = found.reason
    return Search(None, not reason, nodes, reason)


def parts_of(session: Session, space: PlanSpace) -> Iterator[PlanSpace]:
    """The plan space itself, or one per hardware type where a plan has to keep to one."""
    if not space.single_hardware:
        yield space
        return
    for hardware in space.hardware_of(session):
        yield space.on(hardware.name)


def _search(session: Session, space: PlanSpace, cutoff: Fraction | None, deadline: float) -> Search:
    price = session.price
    modules = [ranked(module, space, price) for module in session.modules]
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
    """The search with a margin; None: a plan so close to the cutoff was met that it needs a search without."""
    branching = Branching(session, modules, cutoff, margin, deadline)
    try:
        outcome = branching.run()
        # A session whose SLO leaves no time to collect batches in has no plan to improve.
        known = spread(session, modules) if outcome.open and not modules[0].dummy.countable else None
        if known is not None:
            branching.try_improved(known, outcome)
    except DeadlineError:
        return Search(None, False, branching.nodes, "the time limit was reached")
    except TooFarApartError:
        return Search(None, False, branching.nodes, "its numbers lie too far apart for this prover")
    if outcome.near:
        return None
    if outcome.plan is not None or outcome.exhausted:
        return Search(outcome.plan, outcome.exhausted, branching.nodes)
    return Search(None, False, branching.nodes, "costs closer to the cutoff than latencies can be distinguished")


def warm_up() -> None:
    """Compile the prover on a tiny session, with a cutoff that no plan meets and one that the optimum is below."""
    from euclio.session.family import FAMILY

    session, space = FAMILY.tiny(FULL_SPACE)
    for cutoff in (None, Fraction(1), Fraction(100)):
        find_better(session, space, cutoff, math.inf)
