"""The least time budget with which a fragment can be served: why a fleet has no plan, exactly (ours).

A fragment that shares stages meets more requests on them and no later an end, so a fleet has a plan if and only if each
of its fragments has one by itself.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from euclio.core.result import Status
from euclio.core.words import full, listed
from euclio.fragments.evaluate import QUEUEING
from euclio.fragments.instance import Fleet, Fragment, Network
from euclio.fragments.space import FULL_FRAGMENT_SPACE, FragmentSpace, Sharing

SCHEMA = "euclio/explanation/1"


def least_budget_s(network: Network, fragment: Fragment, space: FragmentSpace = FULL_FRAGMENT_SPACE) -> Fraction | None:
    """The least time budget in seconds with which a fragment has a plan, queueing included; exact.

    Args:
        network: the DNN.
        fragment: a fragment of it.
        space: plan space.

    Returns:
        The budget; None: no batch and share serves its rate with the instances allowed.
    """
    begin, end = fragment.partition_point, network.layers
    cuts = range(begin, end) if space.sharing is Sharing.REALIGNED else (begin,)
    found = []
    for cut in cuts:
        shared = _least_s(network, cut, end, fragment.rate_rps, space)
        own = Fraction(0) if cut == begin else _least_s(network, begin, cut, fragment.rate_rps, space)
        if shared is not None and own is not None:
            found.append(QUEUEING * (shared + own))
    return min(found, default=None)


def quickest_budget_s(network: Network, first: int) -> Fraction:
    """The least time budget in seconds with which any fragment from a layer on is served, queueing included.

    Batches of one on the largest share take no longer than others, and as many instances as a rate needs may run them.

    Args:
        network: the DNN.
        first: first layer of the fragment.
    """
    fastest = network.latency_s(first, network.layers, network.batches[0], network.shares_pct[-1])
    assert fastest is not None
    return QUEUEING * fastest


def _least_s(network: Network, first: int, end: int, rate_rps: Fraction, space: FragmentSpace) -> Fraction | None:
    """The least latency of a stage that serves the rate; None: none does."""
    fitting = []
    for batch in network.batches:
        for share in network.shares_pct:
            latency = network.latency_s(first, end, batch, share)
            assert latency is not None
            if space.max_instances is None or space.max_instances * batch >= rate_rps * latency:
                fitting.append(latency)
    return min(fitting, default=None)


def explain_budgets(fleet: Fleet, space: FragmentSpace) -> tuple[Status, str, dict[str, Any]]:
    """Status, text and data: each fragment's least time budget against its own."""
    least = _least_budgets(fleet, space)
    pairs = list(zip(fleet.fragments, least, strict=True))
    late = [(fragment, budget) for fragment, budget in pairs if not _fits(fragment, budget)]
    status = Status.INFEASIBLE if late else Status.FEASIBLE
    lines = [f"{fleet.name}: {status.value}", *(_why(fragment, budget) for fragment, budget in late)]
    if not late:
        slack, tightest = min(
            (1 - budget / fragment.budget_s, k) for k, (fragment, budget) in enumerate(pairs) if budget is not None
        )
        own = pairs[tightest][0]
        lines.append(
            f"every fragment can be served in time; the tightest is {own.name}: its budget of {full(own.budget_s)} s "
            f"may shrink by {full(100 * slack, digits=3)} %"
        )
    return (
        status,
        "\n".join(lines),
        {
            "schema": SCHEMA,
            "instance": fleet.name,
            "status": status.value,
            "plan_space": space.describe(),
            "fragments": [
                {"name": fragment.name, "budget_s": fragment.budget_s, "least_budget_s": budget}
                for fragment, budget in pairs
            ],
        },
    )


def why_late(fleet: Fleet, space: FragmentSpace) -> str:
    """The fragments that cannot be served in time, in one line; empty: there are none."""
    pairs = zip(fleet.fragments, _least_budgets(fleet, space), strict=True)
    late = [(fragment, budget) for fragment, budget in pairs if not _fits(fragment, budget)]
    if not late:
        return ""
    others = f"; so do {listed(fragment.name for fragment, _ in late[1:])}" if late[1:] else ""
    return _why(*late[0]) + others


def _least_budgets(fleet: Fleet, space: FragmentSpace) -> list[Fraction | None]:
    """Per fragment; those that begin at the same layer with the same rate have the same one."""
    known: dict[tuple[int, Fraction], Fraction | None] = {}
    for fragment in fleet.fragments:
        key = fragment.partition_point, fragment.rate_rps
        if key not in known:
            known[key] = least_budget_s(fleet.network, fragment, space)
    return [known[fragment.partition_point, fragment.rate_rps] for fragment in fleet.fragments]


def _fits(fragment: Fragment, least: Fraction | None) -> bool:
    return least is not None and least <= fragment.budget_s


def _why(fragment: Fragment, least: Fraction | None) -> str:
    if least is None:
        return f"fragment {fragment.name} lacks instances: those allowed do not serve {full(fragment.rate_rps)} req/s"
    return (
        f"fragment {fragment.name} lacks time: it needs {full(least)} s, queueing included, and has "
        f"{full(fragment.budget_s)} s"
    )
