"""Every exact solver of fleets held against the enumeration."""

EXACT = ("set-partition", "set-partition-cpsat", "fragment-columns")


def agree(fleet, space):
    """The least GPU share, on which all exact solvers agree; None if there is no plan."""
    from euclio.core.result import Status
    from euclio.core.solving import solve
    from formulations.fragments.columns.wide import fluid_bound_pct

    best = solve(fleet, "fragments-bruteforce", space=space)
    assert best.status in (Status.OPTIMAL, Status.INFEASIBLE)
    for name in EXACT:
        found = solve(fleet, name, space=space)
        assert (name, found.status, found.value) == (name, best.status, best.value)
    if best.value is not None:
        assert fluid_bound_pct(fleet) <= best.value
    return best.value
