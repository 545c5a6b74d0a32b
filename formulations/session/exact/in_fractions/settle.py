"""Where the ties of sessions are decided: what rounding hides, exact arithmetic finds, or says that it is open (ours).

Searches in floating point allow rather too much, so that their bounds hold. Where the checker refuses their plan, or
where it is not sure that one within a stock or close to the running machines is one, they ask here: for all machines by
share under a countable dummy rule, and whole, by the modes of modules in integers (`session.py`); under dummy rule
`continuous` by share, where costs fall along curves, by brackets of budgets in fractions (`budgets.py`). A box of
machines within a stock or of changes asks with prices and most machines by module (`stock.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from euclio.core.tolerances import BRACKET_TOLERANCE
from euclio.problems.session import PlanSpace, Session, evaluate
from formulations.effort import Effort, UndecidedError
from formulations.session.exact.in_fractions.budgets import Bracket, bracket_session
from formulations.session.exact.in_fractions.session import cheapest_below
from formulations.session.module.in_integers import MachineLimits


def settle(
    session: Session,
    space: PlanSpace,
    cutoff: Fraction | None,
    effort: Effort,
    limits: Sequence[MachineLimits] | None = None,
) -> Bracket:
    """The cheapest plan of a session below a cutoff, in exact arithmetic, as far as the effort's limits allow.

    Args:
        session: the instance, without a stock.
        space: plan space without `single_hardware`.
        cutoff: cost per hour, prices on top included, that the plan has to stay below; None: any. Under dummy rule
            `continuous` by share plans are bracketed whatever they cost.
        effort: counts nodes.
        limits: what limits the machines of each module; None: nothing does.

    Returns:
        The plan with its cost, prices on top left out. Without one: the cutoff as the bound, below which there is none;
        or that there is none at all; or that it is undecided.
    """
    if not space.dummy.countable and not space.charging.whole:
        return bracket_session(session, space, 0.5 * BRACKET_TOLERANCE, effort)
    try:
        plan = cheapest_below(session, space, cutoff, effort, limits)
    except UndecidedError:
        return Bracket(None, None, None, False)
    if plan is None:
        return Bracket(None, None, cutoff, cutoff is None)
    cost = evaluate(session, plan, space).cost_per_h
    return Bracket(cost, plan, cost, False)
