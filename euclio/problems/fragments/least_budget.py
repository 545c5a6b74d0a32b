"""The least time budget for serving a fragment, the exact reason why a fleet has no plan (ours).

A fragment that shares stages meets more requests on them and has no more time, so a fleet has a plan if and only if
each of its fragments has one by itself.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from euclio.core.result import Status
from euclio.core.words import full, listed
from euclio.problems.fragments.evaluate import QUEUEING
from euclio.problems.fragments.instance import Fleet, Fragment, Network
from euclio.problems.fragments.space import FULL_FRAGMENT_SPACE, FragmentSpace, Sharing

SCHEMA = "euclio/explanation/1"


def least_budget_s(network: Network, fragment: Fragment, space: FragmentSpace = FULL_FRAGMENT_SPACE) -> Fraction | None:
    """The least time budget in seconds with which a fragment has a plan, queueing included; exact.

    Args:
        network: the DNN.
        fragment: a fragment of it.
        space: plan space.

    Returns:
        The budget; None if no batch and share serves its rate within the allowed instances and room on GPUs.
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


def quickest_budget_s(network: Network, first: int) -> Fraction | None:
    """The least time budget in seconds with which any fragment from a layer on is served, queueing included.

    Batches of one on the largest share are at least as fast as others, and any number of instances may run them. They
    need one stage or, if the largest share lacks memory for all layers, two.

    Args:
        network: the DNN.
        first: first layer of the fragment.

    Returns:
        The budget; None if no GPU has room for the instances.
    """
    largest, end = network.shares_pct[-1], network.layers
    if not any(_fit(network, first, cut, largest) and _fit(network, cut, end, largest) for cut in range(first, end)):
        return None
    fastest = network.latency_s(first, end, network.batches[0], largest)
    assert fastest is not None
    return QUEUEING * fastest


def _fit(network: Network, first: int, end: int, share_pct: int) -> bool:
    """Whether a share has room for an instance of some layers; without layers there is no instance."""
    return first == end or network.least_share_pct(first, end) <= share_pct


def unserved(network: Network, how: str = "") -> str:
    """The reason why a solver has no plan if some fragment has none by itself; `euclio explain` gives the details.

    Args:
        network: the DNN.
        how: the mechanism that the solver lacks, as text after "in time".
    """
    within = "" if network.server is None else f" within {network.server.words}"
    return f"a fragment cannot be served in time{how}{within}"


def _least_s(network: Network, first: int, end: int, rate_rps: Fraction, space: FragmentSpace) -> Fraction | None:
    """The least latency of a stage that serves the rate; None if none does."""
    fitting = []
    needed = network.least_share_pct(first, end)
    for batch in network.batches:
        for share in (share for share in network.shares_pct if share >= needed):
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
    lines = [f"{fleet.name}: {status.value}", *(_why(fleet.network, *own, space) for own in late)]
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
    """The fragments that cannot be served in time, in one line; empty if there are none."""
    pairs = zip(fleet.fragments, _least_budgets(fleet, space), strict=True)
    late = [(fragment, budget) for fragment, budget in pairs if not _fits(fragment, budget)]
    if not late:
        return ""
    others = f"; so do {listed(fragment.name for fragment, _ in late[1:])}" if late[1:] else ""
    return _why(fleet.network, *late[0], space) + others


def _least_budgets(fleet: Fleet, space: FragmentSpace) -> list[Fraction | None]:
    """The least budget per fragment; equal first layers and rates have equal ones."""
    known: dict[tuple[int, Fraction], Fraction | None] = {}
    for fragment in fleet.fragments:
        key = fragment.partition_point, fragment.rate_rps
        if key not in known:
            known[key] = least_budget_s(fleet.network, fragment, space)
    return [known[fragment.partition_point, fragment.rate_rps] for fragment in fleet.fragments]


def _fits(fragment: Fragment, least: Fraction | None) -> bool:
    return least is not None and least <= fragment.budget_s


def _why(network: Network, fragment: Fragment, least: Fraction | None, space: FragmentSpace) -> str:
    """The lack of a fragment: room, if it has a plan without the server's limits, else instances or time."""
    if network.server is not None and _fits(fragment, least_budget_s(replace(network, server=None), fragment, space)):
        begin, end = fragment.partition_point, network.layers
        found = "no instances serve it" if least is None else f"it needs {full(least)} s, queueing included"
        return (
            f"fragment {fragment.name} lacks room: within {network.server.words} an instance of its layers {begin} to "
            f"{end - 1}, {full(network.memory_mb(begin, end))} MB, needs {network.least_share_pct(begin, end)} % of a "
            f"GPU, and {found}; without the limit it is served in its {full(fragment.budget_s)} s"
        )
    if least is None:
        return f"fragment {fragment.name} lacks instances: those allowed do not serve {full(fragment.rate_rps)} req/s"
    return (
        f"fragment {fragment.name} lacks time: it needs {full(least)} s, queueing included, and has "
        f"{full(fragment.budget_s)} s"
    )
