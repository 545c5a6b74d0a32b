"""Provers for tests of what is around them: fixed answers, and one that asks the plain enumeration."""

from euclio.core.certificate import Search
from euclio.core.families import family_of
from euclio.core.solving import solve

ENUMERATIONS = {"session": "plan-bruteforce", "pipeline": "pipeline-bruteforce"}


def enumerated(instance, space, cutoff, deadline):
    """The optimum of the plain enumeration, if it is better than the cutoff."""
    family = family_of(instance)
    result = solve(instance, ENUMERATIONS[family.name], space=space)
    if result.value is None:
        return Search(None, True, 1)
    ahead = cutoff is None or (result.value > cutoff if family.goal(space).maximised else result.value < cutoff)
    return Search(result.plan, False, 1) if ahead else Search(None, True, 1)


def answering_search(plan=None, *, exhausted=False, nodes=7, reason=""):
    """A prover that always ends so, and keeps what it was asked in `asked`."""

    def find_better(instance, space, cutoff, deadline):
        find_better.asked.append((instance, space, cutoff, deadline))
        return Search(plan, exhausted, nodes, reason)

    find_better.asked = []
    return find_better


def install(monkeypatch, prover, family="session"):
    """Put a prover in the place of a family's own; it needs no warming up."""
    monkeypatch.setattr(f"euclio.proving.{family}.certifying.find_better", prover)
    monkeypatch.setattr(f"euclio.proving.{family}.certifying.warm_up", lambda: None)
    return prover
