"""Remarks on the features that a deployment cannot express: sentences that are comments in its files."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from euclio.core.errors import printable
from euclio.core.words import counted, full, joined, listed, percent
from euclio.export.groups import Deployment, MachineGroup
from euclio.problems.session.costs import money
from euclio.problems.session.instance import Session
from euclio.problems.session.latency.of_requests import caveat
from euclio.problems.session.parts_of_plans import any_latency_in_words, objectives_in_words

FOR_LOAD_BALANCERS = "For a load balancer, plan with --policy load-balancer."


def plan_remarks(deployed: Deployment, solver: str) -> Iterator[str]:
    """The remarks on the whole plan: its figures, and the features that no file of this kind expresses.

    Args:
        deployed: the deployment.
        solver: name of the solver that made the plan.
    """
    session, found, policy = deployed.session, deployed.evaluation, deployed.space.policy
    charged, whole = money(session, found.cost_per_h), money(session, deployed.whole_cost_per_h)
    yield (
        f"Plan of session {session.name} by {solver}: cost {charged} per hour as it is charged, {whole} with every "
        f"machine bought whole; {objectives_in_words(session, found)}."
    )
    if any_latency_in_words(session):
        yield f"{any_latency_in_words(session)}."
    if deployed.planned:
        yield f"Planned for {deployed.planned}."
    if deployed.doubts:
        yield f"{deployed.doubts}."
    if deployed.router:
        yield (
            f"It was made for dispatch {deployed.router}: single requests, each to one machine, which takes what waits "
            "there when it is free, or after the queue delay. The attainment behind such a router was simulated; no "
            "worst case is known. Not expressed here:"
        )
    else:
        yield (
            "The queue delay of a group is b/w, the time in which a batch gathers at full load, or the delay that the "
            "plan was made for, rounded down to microseconds. The latencies are those of evenly spaced requests; "
            "`euclio simulate` serves random ones. Not expressed here:"
        )
        yield (
            f"- the dispatch: policy {policy} ({policy.help}). A router of your own has to send each group of a module "
            f"its rate, in the order of the groups; {_turns(deployed)}"
        )
    yield from _shares(deployed)
    yield from _dummies(deployed)
    if session.spare_machines:
        used = joined(dict.fromkeys(group.configuration.hardware for group in deployed.groups))
        yield f"- spare machines: {session.spare_machines} of {used} each, started by nothing in these files."
    for (module, name), n in deployed.evaluation.idle.items():
        machines = counted(n, "idle machine")
        yield f"- {machines} of {name} for module {module}, started by nothing in these files: add so many replicas."
    if session.edges:
        calls = [_call(session, edge) for edge in session.edges]
        yield f"- which module calls which: {', '.join(calls)}."


def _call(session: Session, edge: tuple[str, str]) -> str:
    """An edge, with the delay that the plan allows."""
    delay = session.delay_s.get(edge)
    return " -> ".join(edge) + (f" (at most {full(delay)} s later)" if delay else "")


def _turns(deployed: Deployment) -> str:
    """How the machines of a group take turns, and the effect of a load balancer on the plan."""
    if not any(group.needs_runs for group in deployed.groups):
        return "within a group single requests go to its machines in turn, as load balancers send them."
    return (
        "within a group whole batches go to its machines in turn, in runs of consecutive requests. A load balancer "
        "that spreads single requests CAN OVERLOAD THE MACHINES: their batches gather more slowly, and the queue delay "
        f"closes them before they are full. {FOR_LOAD_BALANCERS}"
    )


def caution(deployed: Deployment) -> str:
    """One line on invocations that come together, and groups that a plain load balancer would overload."""
    groups = [group.name for group in deployed.groups if group.needs_runs]
    together = caveat(deployed.session, deployed.space) if deployed.doubts else ""
    words = [together] if together else []
    if groups:
        words.append(_overloaded(groups))
    return "; ".join(words)


def _overloaded(groups: list[str]) -> str:
    return (
        f"whole batches have to be sent to {counted(len(groups), 'group')} of machines ({listed(groups)}); a load "
        f"balancer that spreads single requests may overload them. {FOR_LOAD_BALANCERS}"
    )


def _shares(deployed: Deployment) -> Iterator[str]:
    parts = [group for group in deployed.groups if group.load < 1]
    if parts and not deployed.space.charging.whole:
        machines = counted(sum(group.machines for group in parts), "machine")
        names = joined(group.name for group in parts)
        yield f"- a share of a machine: {machines} ({names}) would be busy in part only; each is started whole."


def _dummies(deployed: Deployment) -> Iterator[str]:
    rates = [
        f"{full(found.dummy_rps)} req/s of module {module.name}"
        for module, found in zip(deployed.session.modules, deployed.evaluation.modules, strict=True)
        if found.dummy_rps
    ]
    if rates and deployed.keeps_free:
        yield f"- dummy requests: {joined(rates)} stand for capacity that is kept free; nothing is to be sent."
    elif rates:
        yield (
            f"- dummy requests: {joined(rates)} are not sent; a batch that they would have filled is closed by the "
            "queue delay instead."
        )


def group_remarks(deployed: Deployment, group: MachineGroup) -> Iterator[str]:
    """The remarks on one group."""
    c = group.configuration
    of_module = deployed.of_module(group.module)
    yield (
        f"Module {group.module}, group {of_module.index(group) + 1} of {len(of_module)}: "
        f"{counted(group.machines, 'machine')} {c.hardware}, batch {c.batch}, concurrency {c.concurrency}, "
        f"{full(group.rate_rps)} req/s each ({percent(float(group.load), 1)} of its throughput)."
    )
    if group.routed:
        return
    waiting = f"{full(group.waiting_s)} s for other modules on {group.home}, " if group.waiting_s else ""
    yield (
        f"Worst case {full(group.latency_s)} s: {full(group.gathering_s)} s until a batch is full, {waiting}"
        f"{full(c.duration_s)} s until it is done."
    )
    if group.needs_runs:
        yield (
            "Sent its rate in single requests, evenly, a machine would gather a batch in "
            f"{full(group.even_gathering_s)} s, longer than the queue delay: send whole batches."
        )


WIDTH = 120


def comments(remarks: Iterable[str]) -> str:
    """Lines of comments, a paragraph for each remark; characters that could end a line early are escaped.

    Args:
        remarks: the paragraphs; one that begins with "- " is an item of a list.
    """
    lines: list[str] = []
    for remark in remarks:
        later = "#   " if remark.startswith("- ") else "# "
        lines += textwrap.wrap(
            printable(remark),
            WIDTH,
            initial_indent="# ",
            subsequent_indent=later,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "".join(f"{line}\n" for line in lines)
