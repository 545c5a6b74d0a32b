"""Holds the latency of shared machines against what requests see: `python docs/tools/packed.py`.

Plans of random sessions with few requests, by `whole-greedy` for packed machines, are served by simulation under evenly
spaced requests: with all modules apart, so that requests enter by each of them, and in their DAGs. It prints the
counts of `docs/model/whole-machines.md`; the same code gives the same numbers. It takes some minutes. `--apart` prints
those of modules apart at rates near whole machines alone, in some seconds.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import NamedTuple

import numpy as np

from euclio import solve
from euclio.core.words import percent
from euclio.problems.session import (
    Configuration,
    DummyRule,
    Hardware,
    Module,
    Plan,
    PlanSpace,
    Policy,
    Session,
    evaluate,
)
from euclio.problems.session.latency.of_requests import session_rate
from euclio.problems.session.packing import residents, waits
from euclio.problems.session.placing import share_machines
from euclio.problems.session.plan import Allocation, ModulePlan
from euclio.serving.session.server import serve_evenly
from euclio.serving.session.setup import Setup
from euclio.serving.session.system import System, build_system
from euclio.serving.units import NS_PER_S, Ints
from euclio.workloads.session.random_sessions import random_session

SESSIONS = 800
REQUESTS = 2000
POLICIES = (Policy.TC, Policy.RR, Policy.MACHINE_RATE)
APART, NEVER = "apart", float("inf")
SETUPS = {
    APART: Setup(),
    "DAG": Setup(),
    "DAG, no time-outs": Setup(timeout_s=NEVER),
    "DAG, held": Setup(hold=True),
    "DAG, held, no time-outs": Setup(hold=True, timeout_s=NEVER),
}
MOST_PER_REQUEST = 40
"""Plans with more invocations per request, dummies included, are left out: most of what they serve is dummies."""
FEWER = Fraction(1, 20)
"""Rates of the random sessions are multiplied by this, so that many machines are partial."""


NEAR = 1000
"""Plans of modules apart at rates near whole machines."""


class Seen(NamedTuple):
    """What requests saw of a module on a shared machine.

    Attributes:
        policy: the plan's policy.
        where: how modules were connected.
        alone: whether the module has no other machine.
        ratio: longest latency there over d + b/f + the others' d.
        within: whether the module kept what the plan counts on for it as a whole.
    """

    policy: str
    where: str
    alone: bool
    ratio: float
    within: bool


def plans(policy: Policy) -> Iterator[tuple[Session, Plan, PlanSpace]]:
    """Random sessions, each with a plan in which modules share machines."""
    space = PlanSpace(policy, charging="packed")
    for seed in range(SESSIONS):
        drawn = random_session(seed, 4)
        modules = [replace(module, rate_rps=module.rate_rps * FEWER) for module in drawn.modules]
        session = Session(drawn.name, drawn.slo_s * 2, drawn.hardware, modules, drawn.edges)
        plan = solve(session, "whole-greedy", space=space).plan
        if plan is not None and plan.shared and per_request(session, plan, space) <= MOST_PER_REQUEST:
            yield session, plan, space


def per_request(session: Session, plan: Plan, space: PlanSpace) -> Fraction:
    """Invocations per request of the session, dummies included."""
    dummies = sum((module.dummy_rps for module in evaluate(session, plan, space).modules), Fraction(0))
    return (sum((module.rate_rps for module in session.modules), Fraction(0)) + dummies) / session_rate(session)


def served(system: System) -> Ints:
    """Invocations of evenly spaced requests, but for dummies and the last ones, whose batches nothing fills."""
    logs = serve_evenly(system, REQUESTS)
    rows = logs.invocations
    return rows[(rows[:, 0] >= 0) & (rows[:, 2] < logs.requests[:, 1].max() * 8 // 10)]


def seen(session: Session, plan: Plan, space: PlanSpace, where: str, setup: Setup) -> Iterator[Seen]:
    """What requests see of each module on a shared machine."""
    system = build_system(session, plan, space, setup)
    rows = served(system)
    checked = evaluate(session, plan, space)
    took = rows[:, 5] - rows[:, 2]
    for group in residents(plan, [module.partial_rps for module in checked.modules]):
        for resident, wait in zip(group, waits(group), strict=True):
            m, c = resident.module, resident.configuration
            here = took[rows[:, 3] == system.modules[m].machines[-1]]
            bound = float((c.duration_s + c.batch / resident.rate_rps + wait) * NS_PER_S)
            limit = float(checked.modules[m].worst_case_latency_s * NS_PER_S)
            within = bool((took[rows[:, 1] == m] <= limit + len(rows)).all())
            alone = len(system.modules[m].machines) == 1
            if here.size:
                yield Seen(str(space.policy), where, alone, float(here.max()) / bound, within)


def near_whole(seed: int, policy: Policy) -> tuple[Session, Plan, PlanSpace] | None:
    """Two or three modules apart, at rates of whole machines and a part of one; None: they share no machine."""
    draw = Random(f"near whole machines/{seed}")
    modules, plans = [], []
    for name in "abc"[: draw.choice((2, 2, 3))]:
        duration = Fraction(draw.choice((2, 13, 20, 26, 40, 56)), 100)
        c = Configuration("h", draw.choice((1, 2, 4, 8)), 1, duration)
        machines, part = draw.choice((0, 1, 1, 2)), Fraction(draw.choice((1, 2, 3, 5)), draw.choice((10, 9)))
        rate = Fraction(repr(float((machines + part) * c.throughput_rps)))
        modules.append(Module(name, rate, [c]))
        plans.append(ModulePlan((Allocation(c, machines, rate - machines * c.throughput_rps),)))
    session = Session("near", 10**6, [Hardware("h", 1)], modules)
    space = PlanSpace(policy, DummyRule.NONE, charging="packed")
    plan = share_machines(session, Plan(tuple(plans)), space)
    return (session, plan, space) if plan.shared else None


def near_whole_table() -> None:
    """Print how much longer modules apart take than is counted on, in periods of the session's requests."""
    print("| policy, time-outs | modules | longer | longest, of what is counted on | periods longer, at most |")
    print("|---|---|---|---|---|")
    for policy in POLICIES:
        for words, setup in (("as planned", Setup()), ("none", Setup(timeout_s=NEVER))):
            ratios, periods = [], []
            for case in (near_whole(seed, policy) for seed in range(NEAR)):
                if case is None:
                    continue
                session, plan, space = case
                system = build_system(session, plan, space, setup)
                rows, checked = served(system), evaluate(session, plan, space)
                for m in sorted(set().union(*plan.shared)):
                    limit = float(checked.modules[m].worst_case_latency_s * NS_PER_S)
                    longest = float((rows[:, 5] - rows[:, 2])[rows[:, 1] == m].max(initial=0))
                    ratios.append(longest / limit)
                    periods.append((longest - limit) / NS_PER_S * float(system.rate_rps))
            over = sum(ratio > 1 + 1e-6 for ratio in ratios)
            print(f"| `{policy.name}`, {words} | {len(ratios)} | {over} | {max(ratios):.3f} | {max(periods):.2f} |")


def main() -> None:
    """Print the table."""
    if "--apart" in sys.argv[1:]:
        near_whole_table()
        return
    found: list[Seen] = []
    late, sessions = Counter[tuple[str, str]](), Counter[str]()
    for policy in POLICIES:
        for session, plan, space in plans(policy):
            sessions[policy.name] += 1
            apart = Session(session.name, 10**6, session.hardware, session.modules)
            for where, setup in SETUPS.items():
                one = apart if where == APART else session
                rows = list(seen(one, plan, space, where, setup))
                late[policy.name, where] += any(row.ratio > 1 + 1e-6 for row in rows)
                found += rows
    print("| policy | modules | machines | over | of these with other machines | worst | modules over | plans |")
    print("|---|---|---|---|---|---|---|---|")
    for policy in POLICIES:
        for where in SETUPS:
            rows = [row for row in found if (row.policy, row.where) == (policy.name, where)]
            over = [row for row in rows if row.ratio > 1 + 1e-6]
            print(
                f"| `{policy}` | {where} | {len(rows)} | {len(over)} | {sum(not row.alone for row in over)} | "
                f"{max(row.ratio for row in rows):.3f} | {sum(not row.within for row in rows)} | "
                f"{late[policy.name, where]} of {sessions[policy.name]} |"
            )
    print(percent(np.mean([row.ratio for row in found if row.where == APART]).item(), 1), "in the mean apart")


if __name__ == "__main__":
    main()
