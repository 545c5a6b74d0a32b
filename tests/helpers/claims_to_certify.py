"""A session, and results that claim something of it."""

from dataclasses import replace

from tiny_sessions import answering, one_configuration_plan, tiny_session

from euclio.core.solving import solve

SESSION = tiny_session(2)


def claimed(session=SESSION, index=0, *, bound=None, infeasible=False, plan=True, **changes):
    """A result with the plan of one configuration per module, and the bound and status that it needs."""
    found = one_configuration_plan(session, index) if plan else None
    solver = answering(found, bound=bound, infeasible=infeasible)
    return replace(solve(session, solver), **changes) if changes else solve(session, solver)


def proven(session=SESSION, index=0):
    """The plan of one configuration per module with the bound of its cost: optimal as written."""
    return claimed(session, index, bound=claimed(session, index).cost)
