"""Holds Theorem 1 of Harpagon against what requests see: `python docs/tools/theorem.py`.

Plans of the 1131 generated workloads and of 1000 random sessions, by `harpagon` and `exact`, are served by simulation:
each module by itself, and whole sessions. It prints the tables of `docs/findings/theorem-1.md` and writes
`docs/figures/theorem-1.svg` and `theorem-1-smallest.svg`; the same code gives the same bytes. It takes some minutes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from euclio import solve
from euclio.core.words import percent
from euclio.session import (
    Allocation,
    Configuration,
    Hardware,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Policy,
    Session,
    evaluate,
)
from euclio.session.evaluate import machine_latencies
from euclio.session.paths import longest_path
from euclio.session.rules import DummyRule
from euclio.session.simulation.even_requests import serve_evenly
from euclio.session.simulation.setup import Dispatch, Setup
from euclio.session.simulation.system import System, build_system
from euclio.session.workloads.acceptance import accept_by
from euclio.session.workloads.kinds import PROTOCOL_SEED
from euclio.session.workloads.protocol import judged_draws
from euclio.session.workloads.random_sessions import random_session
from euclio.simulation.units import NS_PER_S, Ints

FIGURES = Path(__file__).resolve().parents[1] / "figures"
WORKLOADS, RANDOM = 1131, 1000
EVERY = 3
"""Every third session is served; all are priced."""
REQUESTS = 3000
SOLVERS = ("harpagon", "exact")
POLICIES = (Policy.TC, Policy.TC_SHARED, Policy.IN_TURN)
UNDER_TC = (Dispatch.ROUNDS, Dispatch.BATCHES, Dispatch.SPLIT)
SHAPES = ("one allocation, alike", "one allocation, a partial machine", "several allocations")


class Case(NamedTuple):
    """A plan of a session."""

    place: int
    kind: str
    session: Session
    solver: str
    space: PlanSpace
    plan: Plan


class Seen(NamedTuple):
    """What requests saw of a module: the worst over what the plan counts on, by machine, and whether it is more.

    `whole` is the worst over what the module as a whole counts on, its slowest machine; `late` whether it is more.
    """

    plan: str
    kind: str
    solver: str
    policy: str
    dispatch: str
    shape: str
    ratio: float
    breaks: bool
    whole: float
    late: bool


@cache
def sessions(kind: str) -> tuple[Session, ...]:
    """The sessions of a kind."""
    if kind == "workloads":
        judged = judged_draws(accept_by(), WORKLOADS, PROTOCOL_SEED)
        return tuple(workload.session for workload, against in judged if not against)
    return tuple(random_session(seed, 3) for seed in range(RANDOM))


def cases(policies: Sequence[Policy], rule: DummyRule, every: int = 1) -> Iterator[Case]:
    """Plans of all sessions that have one, or of every so many."""
    for kind in ("workloads", "random"):
        for place, session in enumerate(sessions(kind)[::every]):
            for solver in SOLVERS:
                for policy in policies:
                    space = PlanSpace(policy, rule)
                    plan = solve(session, solver, space=space).plan
                    if plan is not None:
                        yield Case(place, kind, session, solver, space, plan)


def of_requests(invocations: Ints) -> Ints:
    """Invocations that are no dummies, without the last ones, whose batches nothing fills."""
    last = int(invocations[:, 2].max()) if len(invocations) else 0
    return invocations[(invocations[:, 0] >= 0) & (invocations[:, 2] < last * 9 // 10)]


def by_module(case: Case, dispatches: Sequence[Dispatch]) -> Iterator[Seen]:
    """Each module by itself under evenly spaced requests."""
    checked = evaluate(case.session, case.plan, case.space)
    price = case.session.price
    for module, own, found in zip(case.session.modules, case.plan.modules, checked.modules, strict=True):
        session = Session(module.name, case.session.slo_s, case.session.hardware, [module])
        total = module.rate_rps + found.dummy_rps
        bounds = list(machine_latencies(own.allocations, found.partial_rps, total, price, case.space.policy))
        for dispatch in dispatches:
            system = build_system(session, Plan((own,)), case.space, Setup(dispatch=dispatch))
            log = serve_evenly(system, REQUESTS)
            rows = of_requests(log.invocations)
            ratio, breaks, over, late = 0.0, False, 0.0, False
            for bound in bounds:
                numbers = [
                    k
                    for k, machine in enumerate(system.machines)
                    if machine.allocation == bound.allocation and machine.partial == bound.partial
                ]
                mine = rows[np.isin(rows[:, 3], numbers)]
                if not len(mine):
                    continue
                worst = int((mine[:, 5] - mine[:, 2]).max())
                # Durations and arrivals are rounded by less than a nanosecond, once per batch.
                rounding = 2 + len(log.executions)
                ratio = max(ratio, worst / float(bound.latency_s * NS_PER_S))
                breaks |= worst > bound.latency_s * NS_PER_S + rounding
                over = max(over, worst / float(found.worst_case_latency_s * NS_PER_S))
                late |= worst > found.worst_case_latency_s * NS_PER_S + rounding
            shape = SHAPES[2 if len(own.allocations) > 1 else 1 if len(bounds) > 1 else 0]
            name = f"{case.kind}/{case.place}/{case.solver}/{case.space.policy}"
            yield Seen(
                name, case.kind, case.solver, str(case.space.policy), dispatch.value, shape, ratio, breaks, over, late
            )


def proven(system: System) -> list[Fraction]:
    """What is proven of each module under `in-turn` if all hold requests for so long, in seconds.

    A module of u/v invocations per request receives them in bursts: d + (b − 2 + W)/F, W = u/v + 1 − 1/v, and one more
    with dummies; at least what the plan counts on.
    """
    found = []
    for module, checked, own in zip(system.modules, system.evaluation.modules, system.plan.modules, strict=True):
        c, ratio = own.allocations[0].configuration, module.per_request
        width = ratio + 1 - Fraction(1, ratio.denominator) + (1 if checked.dummy_rps else 0)
        total = system.rate_rps * ratio + checked.dummy_rps
        found.append(c.duration_s + (c.batch + max(Fraction(0), width - 2)) / total)
    return found


def as_proven(system: System) -> System:
    """The same system, holding requests for as long as is proven to be needed, its batches without time-outs.

    Before the first request reaches a module only dummies come; batches of these that time out would put the later ones
    out of step.
    """
    latency = [math.ceil(latency_s * NS_PER_S) for latency_s in proven(system)]
    modules = tuple(replace(m, latency_ticks=ns) for m, ns in zip(system.modules, latency, strict=True))
    machines = tuple(replace(m, timeout_ticks=-1) for m in system.machines)
    return replace(system, modules=modules, machines=machines, hold=True)


def proven_plan(session: Session, space: PlanSpace) -> Plan | None:
    """A plan whose longest path of proven latencies keeps the SLO: the optimum for a shorter one."""
    slo = session.slo_s
    for _ in range(30):
        plan = solve(replace(session, slo_s=slo), "exact", space=space).plan if slo > 0 else None
        if plan is None:
            return None
        over = longest_path(session, proven(build_system(session, plan, space)))[0] - session.slo_s
        if over <= 0:
            return plan
        slo -= over
    return None


class Whole(NamedTuple):
    """A whole session: the latest request over the longest path and over the SLO; the share that is late."""

    kind: str
    policy: str
    way: str
    path: float
    slo: float
    late: float


def whole(case: Case) -> Iterator[Whole]:
    """A whole session under evenly spaced requests: as it is, holding, and under `in-turn` as proven."""
    for way in ("hand on at once", "hold", "hold as proven"):
        plan: Plan | None = case.plan
        if way == "hold as proven":
            fits = case.space.policy is Policy.IN_TURN and case.solver == "exact"
            plan = proven_plan(case.session, case.space) if fits else None
        if plan is None:
            continue
        system = build_system(case.session, plan, case.space, Setup(hold=way == "hold"))
        path = system.evaluation.latency_s
        if way == "hold as proven":
            path = longest_path(case.session, proven(system))[0]
            system = as_proven(system)
        log = serve_evenly(system, REQUESTS)
        latency = (log.requests[:, 2] - log.requests[:, 1])[: REQUESTS * 9 // 10]
        assert path is not None
        if way == "hold as proven":
            # Without time-outs the batches that requests are in when dummies end are never full.
            arrival = log.requests[: len(latency), 1]
            latency = latency[arrival < log.requests[-1, 1] - float(path * NS_PER_S)]
            if not len(latency):
                continue
        late = float(np.mean(latency > system.slo_ticks + len(log.executions)))
        worst = float(latency.max())
        yield Whole(
            case.kind, str(case.space.policy), way, worst / float(path * NS_PER_S), worst / system.slo_ticks, late
        )


def share(values: Sequence[bool] | Sequence[float]) -> str:
    """The mean as a percentage."""
    return percent(float(np.mean(values)))


def module_table(seen: list[Seen]) -> None:
    """How often the bound holds, by planner, policy, dispatcher and shape."""
    groups: dict[tuple[str, ...], list[Seen]] = defaultdict(list)
    for one in seen:
        groups[one.kind, one.policy, one.dispatch, one.shape].append(one)
    print(
        "| plans | policy | dispatcher | its plan | modules | machine breaks it | mean | worst | module does | worst |"
    )
    for key, own in sorted(groups.items()):
        ratios = [one.ratio for one in own]
        broken, late = share([one.breaks for one in own]), share([one.late for one in own])
        print("|", " | ".join(key), f"| {len(own)} | {broken} | {np.mean(ratios):.3f} | {max(ratios):.3f}", end=" | ")
        print(f"{late} | {max(one.whole for one in own):.3f} |")
    plans: dict[tuple[str, ...], dict[str, bool]] = defaultdict(dict)
    for one in seen:
        broken_plans = plans[one.kind, one.policy, one.dispatch]
        broken_plans[one.plan] = broken_plans.get(one.plan, False) or one.breaks
    for key, by_plan in sorted(plans.items()):
        print(" ".join(key), f"{len(by_plan)} plans, {share([*by_plan.values()])} with a machine that breaks it")


def whole_table(found: list[Whole]) -> None:
    """How whole sessions keep their longest path and SLO."""
    groups: dict[tuple[str, ...], list[Whole]] = defaultdict(list)
    for one in found:
        groups[one.kind, one.policy, one.way].append(one)
    print("| plans | policy | modules | plans | over the path | worst | miss the SLO | worst | requests late |")
    for key, own in sorted(groups.items()):
        over = share([one.path > 1 + 1e-5 for one in own])
        miss = share([one.late > 0 for one in own])
        late = share([one.late for one in own])
        print("|", " | ".join(key), f"| {len(own)} | {over} | {max(one.path for one in own):.3f} | {miss}", end=" | ")
        print(f"{max(one.slo for one in own):.3f} | {late} |")


def costs(rule: DummyRule) -> dict[tuple[str, str, str], dict[str, float]]:
    """Cost per hour by kind, solver and policy, and session."""
    found: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for case in cases(POLICIES, rule):
        cost = evaluate(case.session, case.plan, case.space).cost_per_h
        assert cost is not None
        name = f"{case.session.name}/{case.place}"
        found[case.kind, case.solver, str(case.space.policy)][name] = float(cost)
        if case.space.policy is Policy.IN_TURN and case.solver == "exact":
            plan = proven_plan(case.session, case.space)
            cost = evaluate(case.session, plan, case.space).cost_per_h if plan is not None else None
            if cost is not None:
                found[case.kind, case.solver, "in-turn, whole sessions proven"][name] = float(cost)
    return found


def cost_table(found: dict[tuple[str, str, str], dict[str, float]], rule: DummyRule) -> dict[str, list[float]]:
    """What plans cost relative to the optimum under `tc`; returns the ratios of the optima under `in-turn`."""
    ratios: dict[str, list[float]] = {}
    print(f"| dummies {rule} | solver | policy | plans | mean | least | most | cheaper | equal | more |")
    for (kind, solver, policy), own in sorted(found.items()):
        base = found[kind, "exact", "tc"]
        both = [own[name] / base[name] for name in own if name in base]
        only = len(own) - len(both)
        share = np.array(both)
        print(
            f"| {kind} | {solver} | {policy} | {len(both)} and {only} only here, {len(base) - len(both)} only `tc` | "
            f"{share.mean():.4f} | {share.min():.3f} | {share.max():.3f} | {(share < 1 - 1e-9).sum()} | "
            f"{(abs(share - 1) <= 1e-9).sum()} | {(share > 1 + 1e-9).sum()} |"
        )
        if (solver, policy) == ("exact", "in-turn"):
            ratios[kind] = both
    return ratios


def application_table(found: dict[tuple[str, str, str], dict[str, float]]) -> None:
    """What optimal safe plans cost relative to optimal ones under `tc`, by application of the workloads."""
    base = found["workloads", "exact", "tc"]
    for policy in ("in-turn", "in-turn, whole sessions proven"):
        own = found["workloads", "exact", policy]
        ratios: dict[str, list[float]] = defaultdict(list)
        for name, cost in own.items():
            ratios[name.split("-")[0]].append(cost / base[name])
        print(policy, {name: (len(r), round(float(np.mean(r)), 4), round(max(r), 3)) for name, r in ratios.items()})


def draw(seen: list[Seen], ratios: dict[str, list[float]]) -> Figure:
    """Measured over bound by shape, and costs of safe plans."""
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    several = [one for one in seen if one.policy == "tc" and one.dispatch == "rounds" and one.shape == SHAPES[2]]
    partial = [one for one in seen if one.policy == "tc" and one.dispatch == "rounds" and one.shape == SHAPES[1]]
    alike = [one for one in seen if one.policy == "tc" and one.dispatch == "rounds" and one.shape == SHAPES[0]]
    lines = (
        ("tc, several allocations, by machine", [one.ratio for one in several], "#c2506a", "-"),
        ("the same, the module as a whole", [one.whole for one in several], "#c2506a", ":"),
        ("tc, one and a partial machine, by machine", [one.ratio for one in partial], "#d9822b", "-"),
        ("the same, the module as a whole", [one.whole for one in partial], "#d9822b", ":"),
        ("tc, one, machines alike", [one.ratio for one in alike], "#2f6fb5", "-"),
        ("in-turn", [one.ratio for one in seen if one.policy == "in-turn"], "#3c9a5f", "-"),
    )
    for label, own, colour, style in lines:
        shares = np.linspace(0, 100, len(own))
        left.plot(sorted(own), shares, label=f"{label} ({len(own)})", color=colour, linestyle=style)
    left.axvline(1, color="#444444", linewidth=0.8)
    left.set(xlabel="latest request over what the plan counts on", ylabel="% of modules", xlim=(0.5, 2))
    left.legend(loc="lower right", frameon=False, fontsize=8)
    for (kind, own), colour in zip(sorted(ratios.items()), ("#d9822b", "#2f6fb5"), strict=True):
        right.plot(sorted(own), np.linspace(0, 100, len(own)), label=f"{kind} ({len(own)})", color=colour)
    right.axvline(1, color="#444444", linewidth=0.8)
    right.set(
        xlabel="cheapest plan under in-turn over the cheapest under tc", ylabel="% of sessions", xlim=(0.85, 1.01)
    )
    right.legend(loc="upper left", frameon=False, fontsize=8)
    return figure


def smallest() -> Figure:
    """The smallest plan whose requests take longer than it counts on: prints and draws its first nine requests."""
    fast, slow = Configuration("p", 1, 1, "0.5"), Configuration("p", 2, 1, 2)
    session = Session("smallest", 4, [Hardware("p", 1)], [Module("m", 3, [fast, slow])])
    plan = Plan((ModulePlan((Allocation(fast, 1), Allocation(slow, 1))),))
    log = serve_evenly(build_system(session, plan, PlanSpace(Policy.TC, DummyRule.NONE)), REQUESTS)
    rows = sorted(log.invocations.tolist())[:9]
    print("| request | ready (s) | machine | starts (s) | ends (s) | takes (s) | counted on (s) |")
    for request, _, ready, machine, start, end in rows:
        times = " | ".join(f"{ns / NS_PER_S:.3f}" for ns in (start, end, end - ready))
        print(f"| {request} | {ready / NS_PER_S:.3f} | {'AB'[machine]} | {times} | {('0.833', '4.000')[machine]} |")
    figure = Figure(figsize=(11, 2.4), layout="constrained")
    axes = figure.subplots()
    for machine, start, size in sorted({(row[3], row[4], round(row[5] - row[4])) for row in rows}):
        own = [row for row in rows if (row[3], row[4]) == (machine, start)]
        colour = "#c2506a" if any(row[5] - row[2] > 0.834 * NS_PER_S for row in own) and machine == 0 else "#2f6fb5"
        axes.barh(1 - machine, size / NS_PER_S, left=start / NS_PER_S, color=colour, edgecolor="white", height=0.5)
        label = ", ".join(str(row[0]) for row in own)
        axes.text((start + size / 2) / NS_PER_S, 1 - machine, label, ha="center", va="center", color="white")
        for row in own:
            at = row[2] / NS_PER_S
            axes.annotate("", (at, 1.34 - machine), (at, 1.62 - machine), arrowprops={"arrowstyle": "->"})
            axes.text(at, 1.64 - machine, str(row[0]), ha="center", va="bottom", fontsize=8)
    axes.set(yticks=(1, 0), yticklabels=("A: batch 1, 0.5 s", "B: batch 2, 2 s"), xlabel="time (s)")
    axes.set(xlim=(-0.15, None), ylim=(-0.4, 1.95))
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def main() -> None:
    """Print the tables, write the figures."""
    mpl.rcParams.update({"svg.hashsalt": "theorem-1", "svg.fonttype": "none"})
    smallest().savefig(FIGURES / "theorem-1-smallest.svg", metadata={"Date": None})
    seen: list[Seen] = []
    whole_seen: list[Whole] = []
    for case in cases(POLICIES, DummyRule.MACHINE, EVERY):
        seen += by_module(case, UNDER_TC if case.space.policy is Policy.TC else (Dispatch.ROUNDS,))
        whole_seen += whole(case)
    module_table(seen)
    whole_table(whole_seen)
    ratios: dict[str, list[float]] = {}
    found: dict[tuple[str, str, str], dict[str, float]] = {}
    for rule in (DummyRule.NONE, DummyRule.MACHINE):
        found = costs(rule)
        ratios = cost_table(found, rule)
    application_table(found)
    draw(seen, ratios).savefig(FIGURES / "theorem-1.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
