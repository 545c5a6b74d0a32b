"""Compares Theorem 1 of Harpagon with the latencies of served requests: `python docs/tools/theorem.py`.

The tool plans the 1131 workloads, 1000 random sessions and workloads of ten accepted settings by `harpagon` and
`exact`. It simulates each module alone and whole sessions, and prices the plans by share and in whole machines. It
prints the tables of `docs/findings/theorem-1.md`, puts them into the page, and writes `docs/figures/theorem-1.svg` and
`theorem-1-smallest.svg`, in some minutes. The same code gives the same bytes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np
from drawn import of_settings, random_sessions, the_workloads
from matplotlib.figure import Figure
from pasting import FIGURES, FINDINGS, draw_plain, less_same_more, paste, spread, table

from euclio import solve
from euclio.core.progress import progress_bar
from euclio.core.result import Status
from euclio.core.words import percent
from euclio.problems.session import (
    Allocation,
    Charging,
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
from euclio.problems.session.evaluate import machine_latencies
from euclio.problems.session.latency.paths import longest_path
from euclio.problems.session.rules import DummyRule
from euclio.serving.session.server import serve_evenly
from euclio.serving.session.setup import Dispatch, Setup
from euclio.serving.session.system import System, build_system
from euclio.serving.units import NS_PER_S, Ints

EVERY = 6
"""The tool serves every sixth session and prices all."""
OF_A_SETTING = 60
"""Workloads of each accepted setting; the tool serves the modules of every sixth."""
REQUESTS = 3000
LIMIT_S = 10.0
"""Time limit of a proof for whole machines."""
SOLVERS = ("harpagon", "exact")
KINDS = ("workloads", "random")
POLICIES = (Policy.TC, Policy.TC_SHARED, Policy.IN_TURN)
UNDER_TC = (Dispatch.ROUNDS, Dispatch.BATCHES, Dispatch.SPLIT)
SHAPES = ("one allocation, machines alike", "one, and a partial machine", "several")
PROVEN = "in-turn, whole sessions proven"
WAYS = ("hand on at once", "hold", "hold as proven")
NAMED = {"workloads": "workloads", "random": "random sessions"}
STYLE = {"svg.fonttype": "none"}


class Case(NamedTuple):
    """A plan of a session."""

    place: int
    kind: str
    session: Session
    solver: str
    space: PlanSpace
    plan: Plan


class Seen(NamedTuple):
    """Latencies of a served module: the worst ratio to the bound of its machine, and whether it is above 1.

    `whole` is the worst ratio to the bound of the module, that of its slowest machine; `late` whether it is above 1.
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


def sessions(kind: str) -> tuple[Session, ...]:
    """The sessions of a kind."""
    return the_workloads() if kind == "workloads" else random_sessions()


def planned(
    kind: str, drawn: Sequence[Session], policies: Sequence[Policy], rule: DummyRule, solvers: Sequence[str] = SOLVERS
) -> Iterator[Case]:
    """Plans of those sessions that have one."""
    with progress_bar(f"plans of {kind}, dummies {rule}", len(drawn)) as advance:
        for place, session in enumerate(drawn):
            for solver in solvers:
                for policy in policies:
                    space = PlanSpace(policy, rule)
                    plan = solve(session, solver, space=space).plan
                    if plan is not None:
                        yield Case(place, kind, session, solver, space, plan)
            advance()


def of_requests(invocations: Ints) -> Ints:
    """Invocations without dummies, and without the last ones, whose batches stay incomplete."""
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
                # The simulator rounds durations and arrivals by less than a nanosecond, once per batch.
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
    """The proven latency of each module under `in-turn` if all hold requests for it, in seconds.

    A module of u/v invocations per request receives them in bursts: d + (b − 2 + W)/F, W = u/v + 1 − 1/v, and one more
    with dummies; at least the plan's own bound.
    """
    found = []
    for module, checked, own in zip(system.modules, system.evaluation.modules, system.plan.modules, strict=True):
        c, ratio = own.allocations[0].configuration, module.per_request
        width = ratio + 1 - Fraction(1, ratio.denominator) + (1 if checked.dummy_rps else 0)
        total = system.rate_rps * ratio + checked.dummy_rps
        found.append(c.duration_s + (c.batch + max(Fraction(0), width - 2)) / total)
    return found


def as_proven(system: System) -> System:
    """The same system, holding requests for their proven latency, its batches without time-outs.

    Before the first request reaches a module only dummies come. A time-out of their batches would shift the later ones.
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
    """A served session: latest request over longest path and over SLO, and the share of late requests."""

    kind: str
    policy: str
    way: str
    path: float
    slo: float
    late: float


def whole(case: Case) -> Iterator[Whole]:
    """A whole session under evenly spaced requests: as planned, holding, and under `in-turn` holding as proven."""
    for way in WAYS:
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
            # Without time-outs the last batches never fill once dummies end.
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
    """The mean as a percentage; empty for no values."""
    if not len(values):
        return ""
    mean = float(np.mean(values))
    return percent(mean, 0 if mean == 0 or mean >= 0.1 else 1)


def often(values: Sequence[bool], worst: Sequence[float]) -> str:
    """The share of true values, and the worst ratio: "55 % (1.60)"."""
    if not any(values):
        return "none"
    return f"{'all' if all(values) else share(values)} ({max(worst):.2f})"


def module_table(seen: list[Seen]) -> str:
    """How often the bound holds, by policy, dispatcher and shape."""
    order = (("tc", "rounds"), ("tc", "batches"), ("tc", "split"), ("tc-shared", "rounds"), ("in-turn", "rounds"))
    rows = []
    for (policy, dispatch), shape in product(order, SHAPES):
        alike = [one for one in seen if (one.policy, one.dispatch, one.shape) == (policy, dispatch, shape)]
        cells = [f"`{policy}`, `{dispatch}`", shape]
        for own in ([one for one in alike if one.kind == kind] for kind in KINDS):
            machines = often([one.breaks for one in own], [one.ratio for one in own])
            modules = often([one.late for one in own], [one.whole for one in own])
            cells += [str(len(own)), machines, modules] if own else ["none", "", ""]
        rows += [cells] if alike else []
    header = ("policy, dispatcher", "module's plan", "workloads: modules", "a machine breaks it", "the module")
    return table((*header, "random: modules", "a machine", "the module"), rows)


def broken_plans(seen: Sequence[Seen]) -> list[bool]:
    """Whether some machine exceeds its bound, for each plan under `tc` and the paper's dispatch."""
    plans: dict[str, bool] = defaultdict(bool)
    for one in seen:
        if (one.policy, one.dispatch) == ("tc", "rounds"):
            plans[one.plan] |= one.breaks
    return list(plans.values())


def module_notes(seen: list[Seen]) -> str:
    """Sentences on the table of modules."""
    plans = broken_plans([one for one in seen if one.kind == "workloads"])
    tight = [
        float(np.mean([one.ratio for one in seen if one.kind == kind and one.policy == "in-turn"])) for kind in KINDS
    ]
    return (
        f"{share(plans)} of the {len(plans)} plans of workloads under `tc` have a machine that breaks its bound. "
        f"Under `in-turn` the latest request takes {tight[0]:.2f} of the bound on workloads and {tight[1]:.2f} on "
        "random sessions (mean)."
    )


def whole_table(found: list[Whole]) -> str:
    """The share of whole sessions that miss their SLO."""
    rows = []
    for policy, way in (("tc", WAYS[0]), ("tc", WAYS[1]), *(("in-turn", way) for way in WAYS)):
        cells = [f"`{policy}`", way]
        for kind in KINDS:
            own = [one for one in found if (one.policy, one.way, one.kind) == (policy, way, kind)]
            miss = [one.late > 0 for one in own]
            cells += [f"{len(own)}, {share(miss) if any(miss) else '**none**'}", share([one.late for one in own])]
            cells += [f"{max(one.slo for one in own):.2f}"] if kind == "workloads" else []
        rows.append(cells)
    header = ("policy", "modules", "workloads: plans, miss the SLO", "requests late", "latest/SLO")
    return table((*header, "random: miss it", "requests late"), rows)


Costs = dict[tuple[str, str, str], dict[str, float]]
"""Cost per hour by kind, solver and policy, and session."""


def costs(rule: DummyRule) -> Costs:
    """Cost of plans by share."""
    found: Costs = defaultdict(dict)
    for kind in KINDS:
        for case in planned(kind, sessions(kind), POLICIES, rule):
            cost = evaluate(case.session, case.plan, case.space).cost_per_h
            assert cost is not None
            name = f"{case.session.name}/{case.place}"
            found[case.kind, case.solver, str(case.space.policy)][name] = float(cost)
            if case.space.policy is Policy.IN_TURN and case.solver == "exact":
                plan = proven_plan(case.session, case.space)
                cost = evaluate(case.session, plan, case.space).cost_per_h if plan is not None else None
                if cost is not None:
                    found[case.kind, case.solver, PROVEN][name] = float(cost)
    return found


def money(drawn: Sequence[Session], what: str) -> tuple[dict[str, float], dict[str, float], int]:
    """Least cost in whole machines under `tc` and in turn, dollars per hour by session, and the number not proven."""
    found: tuple[dict[str, float], dict[str, float]] = ({}, {})
    unproven = 0
    with progress_bar(f"whole machines of {what}", len(drawn)) as advance:
        for place, session in enumerate(drawn):
            spaces = [PlanSpace(policy, charging=Charging.WHOLE) for policy in (Policy.TC, Policy.IN_TURN)]
            results = [solve(session, "exact", space=space, time_limit_s=LIMIT_S) for space in spaces]
            if all(result.status is Status.OPTIMAL for result in results):
                for own, result in zip(found, results, strict=True):
                    assert result.value is not None
                    own[f"{session.name}/{place}"] = float(result.value)
            unproven += any(result.status not in (Status.OPTIMAL, Status.INFEASIBLE) for result in results)
            advance()
    return *found, unproven


def over(own: dict[str, float], base: dict[str, float]) -> list[float]:
    """The ratios of costs of those sessions that have both."""
    return [own[name] / base[name] for name in own if name in base]


def counted(ratios: Sequence[float]) -> str:
    """Mean, least, largest; and the numbers below 1, equal to it and above it."""
    counts = ", ".join(map(str, less_same_more(ratios)))
    return f"{np.mean(ratios):.4f}, {min(ratios):.3f}, {max(ratios):.3f}; {counts}"


def share_table(found: Costs) -> str:
    """Cost of plans by share, relative to the optimum under `tc`."""
    rows = []
    for solver, policy in (
        *(("harpagon", policy) for policy in ("tc", "in-turn")),
        *(("exact", policy) for policy in ("tc-shared", "in-turn", PROVEN)),
    ):
        label = policy.replace("in-turn", "`in-turn`") if policy == PROVEN else f"`{policy}`"
        ratios = [over(found[kind, solver, policy], found[kind, "exact", "tc"]) for kind in KINDS]
        rows.append([f"{'`harpagon`' if solver == 'harpagon' else 'optimum'}, {label}", *map(counted, ratios)])
    return table(("by share", *(f"{len(sessions(kind))} {NAMED[kind]}" for kind in KINDS)), rows)


def share_notes(found: Costs, without: Costs) -> str:
    """Sentences on the table of shares."""
    lost = [len(found[kind, "exact", "tc"].keys() - found[kind, "exact", PROVEN].keys()) for kind in KINDS]
    none = [np.mean(over(without[kind, "exact", "in-turn"], without[kind, "exact", "tc"])) for kind in KINDS]
    most = max(max(over(without[kind, "exact", "in-turn"], without[kind, "exact", "tc"])) for kind in KINDS)
    return (
        f"{lost[0]} workloads and {lost[1]} random sessions have a plan under `tc` but none with a proven bound for "
        f"the whole session. Without dummies the optimum in turn costs {none[0]:.4f} and {none[1]:.4f} of that under "
        f"`tc`, at most {most:.4f} (statement 12)."
    )


def application_table(found: Costs, whole: Costs) -> str:
    """Cost of the cheapest plans in turn relative to the cheapest under `tc`, by application."""
    rows, names = [], sorted({name.split("-")[0] for name in found["workloads", "exact", "tc"]})
    for label, own, base in (
        ("`in-turn`, by share", found["workloads", "exact", "in-turn"], found["workloads", "exact", "tc"]),
        ("the same, whole sessions proven", found["workloads", "exact", PROVEN], found["workloads", "exact", "tc"]),
        ("`in-turn`, in money", whole["workloads", "exact", "in-turn"], whole["workloads", "exact", "tc"]),
    ):
        cells = [label]
        for name in names:
            ratios = over({k: v for k, v in own.items() if k.startswith(name)}, base)
            cells.append(f"{np.mean(ratios):.3f}, {max(ratios):.3f}")
        rows.append(cells)
    return table(("optima over that under `tc`: mean, largest", *names), rows)


def in_money() -> tuple[Costs, str]:
    """The cheapest whole machines, in turn over `tc`, and a table of them."""
    found: Costs = {}
    rows = []
    for kind in KINDS:
        base, own, open_ = money(sessions(kind), NAMED[kind])
        found[kind, "exact", "tc"], found[kind, "exact", "in-turn"] = base, own
        ratios = over(own, base)
        extra = f"+{100 * (np.mean(ratios) - 1):.2f} %", f"+{100 * (max(ratios) - 1):.1f} %"
        rows.append([NAMED[kind], str(len(ratios)), *extra, *map(str, (*less_same_more(ratios), open_))])
    header = ("in money: the cheapest in turn over the cheapest under `tc`", "sessions", "mean", "largest")
    return found, table((*header, "cheaper", "equal", "more expensive", "not proven"), rows)


class Setting(NamedTuple):
    """The numbers of one accepted setting; shares and extra costs in per cent."""

    plans_broken: float
    several_broken: float
    by_share: float
    by_share_more: float
    in_money: float
    in_money_more: float
    in_money_worst: float

    @classmethod
    def of(cls, seen: Sequence[Seen], by_share: Sequence[float], in_whole: Sequence[float]) -> Setting:
        """The numbers from latencies, and from costs in turn over those under `tc`."""
        several = [one.breaks for one in seen if (one.policy, one.dispatch, one.shape) == ("tc", "rounds", SHAPES[2])]
        shares, whole = np.array(by_share), np.array(in_whole)
        numbers = (
            np.mean(broken_plans(seen)),
            np.mean(several) if several else math.nan,
            shares.mean() - 1,
            (shares > 1 + 1e-9).mean(),
            whole.mean() - 1,
            (whole > 1 + 1e-9).mean(),
            whole.max() - 1,
        )
        return cls(*(100 * float(number) for number in numbers))


def of_setting(drawn: Sequence[Session], number: int) -> Setting:
    """The main numbers for workloads of one setting."""
    name = f"setting {number}"
    seen: list[Seen] = []
    for case in planned(name, drawn[::EVERY], (Policy.TC,), DummyRule.MACHINE):
        seen += by_module(case, (Dispatch.ROUNDS,))
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for case in planned(name, drawn, (Policy.TC, Policy.IN_TURN), DummyRule.MACHINE, ("exact",)):
        cost = evaluate(case.session, case.plan, case.space).cost_per_h
        assert cost is not None
        found[str(case.space.policy)][case.session.name] = float(cost)
    base, own, _ = money(drawn, name)
    return Setting.of(seen, over(found["in-turn"], found["tc"]), over(own, base))


def setting_table(own: Setting, others: Sequence[Setting]) -> str:
    """The main numbers for the 1131 workloads, and their range over accepted settings."""
    labels = (
        ("plans under `tc` with a machine that takes longer, `rounds`", 0),
        ("modules with several allocations of which a machine does", 0),
        ("the cheapest in turn over the cheapest under `tc` by share, mean", 2),
        ("workloads where it is more expensive", 1),
        ("the same in money, mean", 2),
        ("workloads where it is more expensive", 0),
        ("the most that it is", 1),
    )
    rows = []
    for place, (label, digits) in enumerate(labels):
        rest = [one[place] for one in others if not math.isnan(one[place])]
        rows.append(
            [label, f"{own[place]:.{digits}f} %", spread(rest, digits, " %"), f"{np.median(rest):.{digits}f} %"]
        )
    header = ("", "the 1131 workloads", f"{len(others)} accepted settings, {OF_A_SETTING} workloads each", "median")
    return table(header, rows)


def short(seen: list[Seen], whole_seen: list[Whole], own: Setting, others: Sequence[Setting]) -> str:
    """The three main numbers."""
    rounds = [one for one in seen if (one.policy, one.dispatch) == ("tc", "rounds") and one.shape != SHAPES[0]]
    several = [one for one in rounds if one.shape == SHAPES[2]]
    broken, late = sum(one.breaks for one in rounds), sum(one.late for one in several)
    in_turn = [one for one in whole_seen if (one.kind, one.policy) == ("workloads", "in-turn")]
    at_once, as_is_proven = ([one.late > 0 for one in in_turn if one.way == way] for way in (WAYS[0], WAYS[2]))
    return "\n".join(
        (
            "| three numbers | |",
            "|---|---|",
            f"| **{broken} of {len(rounds)}** | modules with several allocations or a partial machine break the bound "
            f"d + b/w of a machine under `tc` and the paper's dispatch, by a factor of up to "
            f"{max(one.ratio for one in rounds):.1f}; {late} of {len(several)} with several allocations break the "
            f"bound of the module, by a factor of up to {max(one.whole for one in several):.1f} |",
            f"| **+{own.in_money:.1f} %** | is the mean extra cost of safe plans in whole machines on the 1131 "
            f"workloads: {own.in_money_more:.0f} % of them cost more, none less, at most {own.in_money_worst:.1f} % "
            f"more; {spread([one.in_money for one in others], 1, ' %')} over ten accepted settings. By share they are "
            f"charged {abs(own.by_share):.1f} % {'less' if own.by_share < 0 else 'more'} |",
            f"| **{share(at_once)}** | of the workloads' plans in turn miss their SLO as whole sessions, since "
            f"requests arrive in bursts behind other modules; {sum(as_is_proven)} of {len(as_is_proven)} do if modules "
            "hold requests for their proven latency |",
        )
    )


def draw(seen: list[Seen], by_share: list[float], in_whole: list[float]) -> Figure:
    """Latency over bound by shape, and the extra cost of plans in turn, by share and in money."""
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    under_tc = [one for one in seen if one.policy == "tc" and one.dispatch == "rounds"]
    alike, partial, several = ([one for one in under_tc if one.shape == shape] for shape in SHAPES)
    lines = (
        ("tc, several allocations, by machine", [one.ratio for one in several], "#c2506a", "-"),
        ("the same, the module as a whole", [one.whole for one in several], "#c2506a", ":"),
        ("tc, one and a partial machine, by machine", [one.ratio for one in partial], "#d9822b", "-"),
        ("the same, the module as a whole", [one.whole for one in partial], "#d9822b", ":"),
        ("tc, one, machines alike", [one.ratio for one in alike], "#2f6fb5", "-"),
        ("in turn", [one.ratio for one in seen if one.policy == "in-turn"], "#3c9a5f", "-"),
    )
    for label, own, colour, style in lines:
        shares = np.linspace(0, 100, len(own))
        left.plot(sorted(own), shares, label=f"{label} ({len(own)})", color=colour, linestyle=style)
    left.axvline(1, color="#444444", linewidth=0.8)
    left.set(xlabel="latest request over what the plan counts on", ylabel="% of modules", xlim=(0.5, 2))
    left.set_title("what requests take", fontsize=10)
    left.legend(loc="lower right", frameon=False, fontsize=8)
    for label, own, colour in (("by share", by_share, "#2f6fb5"), ("in money", in_whole, "#c2506a")):
        named = f"{label}, mean {100 * (np.mean(own) - 1):+.1f} %"
        ends = [100 * (ratio - 1) for ratio in sorted(own)]
        right.plot(ends, np.linspace(0, 100, len(own)), label=named, color=colour)
    right.axvline(0, color="#444444", linewidth=0.8)
    right.set(xlabel="extra cost of the cheapest plan in turn over the cheapest under tc (%)", ylabel="% of workloads")
    right.set_title("what safety costs", fontsize=10)
    right.legend(loc="lower right", frameon=False, fontsize=8)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def smallest() -> tuple[Figure, str]:
    """The smallest plan that breaks its bound: its first nine requests, drawn and as a table."""
    fast, slow = Configuration("p", 1, 1, "0.5"), Configuration("p", 2, 1, 2)
    session = Session("smallest", 4, [Hardware("p", 1)], [Module("m", 3, [fast, slow])])
    plan = Plan((ModulePlan((Allocation(fast, 1), Allocation(slow, 1))),))
    log = serve_evenly(build_system(session, plan, PlanSpace(Policy.TC, DummyRule.NONE)), REQUESTS)
    rows = sorted(log.invocations.tolist())[:9]
    lines = []
    for request, _, ready, machine, start, end in rows:
        late = machine == 0 and end - ready > 0.834 * NS_PER_S
        takes = f"{(end - ready) / NS_PER_S:.3f}"
        times = (f"{ns / NS_PER_S:.3f}" for ns in (start, end))
        cells = (str(request), f"{ready / NS_PER_S:.3f}", "AB"[machine], *times, f"**{takes}**" if late else takes)
        lines.append((*cells, ("0.833", "4.000")[machine]))
    header = ("request", "ready (s)", "machine", "starts (s)", "ends (s)", "takes (s)", "counted on (s)")
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
    return figure, table(header, lines)


def served() -> tuple[list[Seen], list[Whole]]:
    """Latencies of modules and of whole sessions."""
    seen: list[Seen] = []
    whole_seen: list[Whole] = []
    for kind in KINDS:
        for case in planned(kind, sessions(kind)[::EVERY], POLICIES, DummyRule.MACHINE):
            seen += by_module(case, UNDER_TC if case.space.policy is Policy.TC else (Dispatch.ROUNDS,))
            whole_seen += whole(case)
    return seen, whole_seen


def main() -> None:
    """Write the tables into the page, and the figures."""
    figure, first = smallest()
    seen, whole_seen = served()
    shares, without = costs(DummyRule.MACHINE), costs(DummyRule.NONE)
    bought, bought_table = in_money()
    by_share = over(shares["workloads", "exact", "in-turn"], shares["workloads", "exact", "tc"])
    in_whole = over(bought["workloads", "exact", "in-turn"], bought["workloads", "exact", "tc"])
    ours = [one for one in seen if one.kind == "workloads"]
    own = Setting.of(ours, by_share, in_whole)
    others = [of_setting(drawn, number) for number, drawn in enumerate(of_settings(OF_A_SETTING), start=1)]
    found = {
        "three numbers": short(seen, whole_seen, own, others),
        "smallest": first,
        "modules": module_table(seen),
        "modules, in words": module_notes(seen),
        "whole sessions": whole_table(whole_seen),
        "money": bought_table,
        "share": share_table(shares),
        "share, in words": share_notes(shares, without),
        "applications": application_table(shares, bought),
        "settings": setting_table(own, others),
    }
    draw_plain(FIGURES / "theorem-1-smallest.svg", lambda: figure, STYLE, salt="theorem-1")
    draw_plain(FIGURES / "theorem-1.svg", lambda: draw(seen, by_share, in_whole), STYLE, salt="theorem-1")
    paste(FINDINGS / "theorem-1.md", found)


if __name__ == "__main__":
    main()
