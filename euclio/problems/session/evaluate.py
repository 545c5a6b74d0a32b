"""The checker: it alone decides whether a plan of a session is feasible, and its cost (docs/model/sessions.md).

It uses exact rational arithmetic on the decimal text of the input, and shares no code with any solver.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple, assert_never

from euclio.core.lazy import late_value
from euclio.core.numbers import LARGEST, MOST_DIGITS, has_text
from euclio.core.showing import Framed
from euclio.core.words import full
from euclio.problems.session.instance import Configuration, Module, Session
from euclio.problems.session.latency.paths import longest_path, objective_times
from euclio.problems.session.machine_limits import (
    beyond_limits,
    changes_to,
    idle_machines,
    least_machines,
    needed_too_much,
    unused_machines,
)
from euclio.problems.session.objectives import MOST_NAMED
from euclio.problems.session.packing import broken_groups, residents, waits
from euclio.problems.session.plan import Allocation, ModulePlan, Plan, whole_rps, written_slack_rps
from euclio.problems.session.policies import Place, Policy
from euclio.problems.session.rules import DummyRule
from euclio.problems.session.space import FULL_SPACE, PlanSpace

ZERO = Fraction(0)
"""Made once, because every module of every plan is compared with it."""


@dataclass(frozen=True, slots=True)
class ModuleEvaluation:
    """The checker's findings on one module.

    Attributes:
        worst_case_latency_s: the largest latency over its machines, in seconds.
        cost_per_h: money per hour.
        partial_rps: derived rate of the partial machine.
        dummy_rps: derived dummy rate.
    """

    worst_case_latency_s: Fraction
    cost_per_h: Fraction
    partial_rps: Fraction
    dummy_rps: Fraction


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation(Framed):
    """The checker's answer on a plan.

    Attributes:
        violations: one line per broken rule; empty means that the plan is feasible.
        cost_per_h: exact cost in money per hour (None if a module could not be priced).
        latency_s: longest path of worst-case latencies in seconds, with delays and the end of its last module (None if
            a module could not be priced).
        objectives: seconds of the longest path of each objective, by its name; none in a session with one SLO.
        modules: one entry per module (empty if one could not be priced).
        changes: machines added to and removed from those that run already (`Session.running`); None if nothing runs,
            or a module could not be priced.
        spare_cost_per_h: cost of spare machines in money per hour; part of `cost_per_h`.
        idle: machines that stand by, by module and hardware type.
        unused: machines that are paid for and not used, by hardware type.
        floor_cost_per_h: cost of idle and unused machines in money per hour; part of `cost_per_h`.
    """

    _view = late_value("euclio.problems.session.views", "EVALUATION")

    violations: tuple[str, ...]
    cost_per_h: Fraction | None
    latency_s: Fraction | None
    modules: tuple[ModuleEvaluation, ...]
    changes: int | None = None
    spare_cost_per_h: Fraction = Fraction(0)
    objectives: dict[str, Fraction] = field(default_factory=dict)
    idle: dict[tuple[str, str], int] = field(default_factory=dict)
    unused: dict[str, Fraction] = field(default_factory=dict)
    floor_cost_per_h: Fraction = Fraction(0)

    @property
    def feasible(self) -> bool:
        """Whether no rule is broken."""
        return not self.violations

    @property
    def value(self) -> Fraction | None:
        """The value of the plan: its cost."""
        return self.cost_per_h

    @property
    def cost(self) -> float | None:
        """The cost in money per hour as a float, as in results; None if it could not be computed."""
        return None if self.cost_per_h is None else float(self.cost_per_h)


Priced = dict[tuple[int, int], tuple[ModulePlan, ModuleEvaluation]]
"""Plans of modules without a fault, by number of the module and identity of the plan, which is kept alive."""


def evaluate(
    session: Session,
    plan: Plan,
    space: PlanSpace = FULL_SPACE,
    *,
    slo_s: Fraction | None = None,
    priced: Priced | None = None,
) -> Evaluation:
    """Check and price a plan.

    Args:
        session: the instance.
        plan: one module plan per module of the instance.
        space: policy, dummy rule and limits that the plan has to obey.
        slo_s: latency objective in place of the session's, of any magnitude; None means the session's.
        priced: the findings on modules' plans in this session and plan space; plans share parts. The findings on this
            plan are added. None means that every module is priced.

    Returns:
        Violations, cost per hour, end-to-end latency, and the same per module.
    """
    if len(plan.modules) != len(session.modules):
        count = f"the plan has {len(plan.modules)} modules, the session {len(session.modules)}"
        return Evaluation((count,), None, None, ())
    price = session.price
    found, violations = _modules(session, plan, space, priced)
    if space.single_hardware:
        used = sorted({a.configuration.hardware for m in plan.modules for a in m.allocations})
        if len(used) > 1:
            violations.append(f"the plan mixes hardware {', '.join(used)}; one type per session is allowed")
    if len(found) < len(session.modules):
        return Evaluation(tuple(violations), None, None, ())
    groups: list[str] = []
    if plan.shared:
        groups = _broken_sharing(session, plan, space, found)
        violations += groups
        if not groups:
            _share(session, plan, space, found)
    partial = [m.partial_rps for m in found]
    violations += needed_too_much(session, plan, partial)
    machines: dict[str, Fraction] = {}
    idle = idle_machines(session, plan, partial)
    if least_machines(session) and not space.charging.whole:
        violations.append("least_machines counts whole machines; charge them whole (--machines whole)")
    if (session.stock or session.resources or session.spare_machines or session.at_least) and not groups:
        machines = bought_machines(session, plan, partial, space)
        violations += beyond_limits(session, machines)
    latencies = [m.worst_case_latency_s for m in found]
    latency, path = longest_path(session, latencies)
    limit = session.slo_s if slo_s is None else slo_s
    if latency > limit:
        violations += _missed(session, latencies, path, latency, limit)
    spare_cost = session.spare_machines * sum((price[name] for name, n in machines.items() if n), Fraction(0))
    unused = unused_machines(session, machines)
    standing = sum((n * price[name] for (_, name), n in idle.items()), ZERO)
    standing += sum((n * price[name] for name, n in unused.items()), ZERO)
    cost, changes = sum((m.cost_per_h for m in found), spare_cost + standing), None
    running = session.running
    if running is not None:
        changed = changes_to(running, session, plan, partial)
        changes = changed.total()
        cost += sum((n * session.change_price(name) for name, n in changed.items()), Fraction(0))
        if running.most_changes is not None and changes > running.most_changes:
            violations.append(f"{changes} machines are added or removed, at most {running.most_changes} may be")
    by_objective = {name: taken for name, (taken, _) in objective_times(session, latencies).items()}
    floors = dict(idle), unused, standing
    return Evaluation(tuple(violations), cost, latency, tuple(found), changes, spare_cost, by_objective, *floors)


def _modules(
    session: Session, plan: Plan, space: PlanSpace, priced: Priced | None
) -> tuple[list[ModuleEvaluation], list[str]]:
    """The modules that can be priced, each by itself, and the rules that modules break."""
    violations: list[str] = []
    found: list[ModuleEvaluation] = []
    price = session.price
    for m, (module, module_plan) in enumerate(zip(session.modules, plan.modules, strict=True)):
        if priced is not None and (m, id(module_plan)) in priced:
            found.append(priced[m, id(module_plan)][1])
            continue
        problems = _broken_rules(module, module_plan, price, space)
        violations += [f"module {module.name}: {problem}" for problem in problems]
        if not problems:
            entry = _price(module, module_plan, price, space)
            if isinstance(entry, str):
                violations.append(f"module {module.name}: {entry}")
            else:
                found.append(entry)
                if priced is not None:
                    priced[m, id(module_plan)] = module_plan, entry
    return found, violations


def _missed(
    session: Session, latencies: list[Fraction], path: list[str], latency: Fraction, limit: Fraction
) -> list[str]:
    """One line per objective that is missed; in a plain session for its longest path."""
    if not session.objectives:
        return [f"path {_named(path)} takes {full(latency)} s, more than the SLO of {full(limit)} s"]
    longer = limit - session.slo_s
    missed = [
        f"objective {name}: a path to {objective.to} takes {full(taken)} s, more than {full(most + longer)} s"
        for objective, (name, (taken, most)) in zip(
            session.objectives, objective_times(session, latencies).items(), strict=True
        )
        if taken > most + longer
    ]
    if missed:
        return missed
    # Only the end of a module that no objective names is exceeded; `ends` gives the reason for its value.
    return [
        f"path {_named(path)} leads to no objective, and takes more than {full(LARGEST)} s, the longest supported time"
    ]


def _named(path: list[str]) -> str:
    """A path in words; of a very long one, its ends."""
    if len(path) <= MOST_NAMED:
        return " -> ".join(path)
    return f"{' -> '.join(path[: MOST_NAMED - 1])} -> ... -> {path[-1]} ({len(path)} modules)"


def rank_key(
    configuration: Configuration, price: dict[str, Fraction]
) -> tuple[bool, Fraction, Fraction, int, str, int]:
    """Key that sorts configurations by rank: highest throughput-cost ratio first, ties by d, b, hardware, e."""
    unit_price = price[configuration.hardware]
    ratio = Fraction(0) if unit_price == 0 else configuration.throughput_rps / unit_price
    return (
        unit_price != 0,
        -ratio,
        configuration.duration_s,
        configuration.batch,
        configuration.hardware,
        configuration.concurrency,
    )


def _broken_rules(module: Module, plan: ModulePlan, price: dict[str, Fraction], space: PlanSpace) -> list[str]:
    problems: list[str] = []
    if not plan.allocations:
        return ["no allocation"]
    if space.max_allocations is not None and len(plan.allocations) > space.max_allocations:
        problems.append(f"{len(plan.allocations)} allocations, at most {space.max_allocations} are allowed")
    for allocation in plan.allocations:
        c = allocation.configuration
        # Nearly always it is an object of the profile itself; comparing values takes as long as the rest of the check.
        if not any(c is own for own in module.profile) and c not in module.profile:
            problems.append(f"{_label(c)} taking {full(c.duration_s)} s is not in the profile")
        elif not space.allows(c.hardware, c.batch, c.concurrency):
            problems.append(f"{_label(c)} is outside the plan space")
        if allocation.machines < 0:
            problems.append(f"{_label(c)} has {allocation.machines} machines")
    if problems or len(plan.allocations) == 1:
        return problems
    keys = [rank_key(allocation.configuration, price) for allocation in plan.allocations]
    for (first, key), (_, next_key) in pairwise(zip(plan.allocations, keys, strict=True)):
        if key >= next_key:
            problems.append("the allocations are not strictly descending in rank")
        if first.machines == 0:
            problems.append("an allocation before the last has no whole machine")
        if first.partial_rps != 0:
            problems.append("an allocation before the last has a partial machine")
    return problems


def _label(c: Configuration) -> str:
    return f"{c.hardware} batch {c.batch} concurrency {c.concurrency}"


def _broken_sharing(session: Session, plan: Plan, space: PlanSpace, found: list[ModuleEvaluation]) -> list[str]:
    if not space.charging.packs:
        return [f"machines are shared by modules, which --machines {space.charging} does not allow"]
    return broken_groups(session, plan, space.policy, [m.partial_rps for m in found])


def _share(session: Session, plan: Plan, space: PlanSpace, found: list[ModuleEvaluation]) -> None:
    """Let modules on a shared machine wait for each other, and pay for it by the time that they keep it busy."""
    price = session.price
    for group in residents(plan, [m.partial_rps for m in found]):
        busy = sum((r.busy for r in group), Fraction(0))
        for resident, wait in zip(group, waits(group), strict=True):
            m, allocations = resident.module, plan.modules[resident.module].allocations
            own, total = found[m], session.modules[m].rate_rps + found[m].dummy_rps
            machines = machine_latencies(allocations, own.partial_rps, total, price, space.policy)
            latency = max(machine.latency_s + (wait if machine.partial else 0) for machine in machines)
            saved = (1 - resident.busy / busy) * price[resident.configuration.hardware]
            found[m] = replace(own, worst_case_latency_s=latency, cost_per_h=own.cost_per_h - saved)


def machines_by_hardware(plan: Plan, partial_rps: list[Fraction], space: PlanSpace) -> dict[str, Fraction]:
    """Machines of each hardware type that a plan is charged for; partial rates as derived, one per module.

    A partial machine counts by its share in use, or as one if machines are charged whole; a machine that modules share
    counts once.
    """
    used: dict[str, Fraction] = {}
    for module, partial in zip(plan.modules, partial_rps, strict=True):
        for allocation in module.allocations:
            hardware = allocation.configuration.hardware
            used[hardware] = used.get(hardware, Fraction(0)) + allocation.machines
        last = module.allocations[-1].configuration
        share = partial / last.throughput_rps
        used[last.hardware] += bool(partial) if space.charging.whole else share
    for group in plan.shared:
        used[plan.modules[group[0]].allocations[-1].configuration.hardware] -= len(group) - 1
    return used


def bought_machines(session: Session, plan: Plan, partial_rps: list[Fraction], space: PlanSpace) -> dict[str, Fraction]:
    """Machines of each hardware type that a plan is charged for, with those that stand by (`idle_machines`)."""
    used = machines_by_hardware(plan, partial_rps, space)
    for (_, hardware), n in idle_machines(session, plan, partial_rps).items():
        used[hardware] += n
    return used


def _price(module: Module, plan: ModulePlan, price: dict[str, Fraction], space: PlanSpace) -> ModuleEvaluation | str:
    """Derive partial and dummy rate, then latency and cost; if a rule is broken, the rule in words."""
    rate, last = module.rate_rps, plan.allocations[-1]
    whole = whole_rps(plan.allocations)
    left = rate - whole
    if not space.dummy.countable:
        dummy = plan.dummy_rps
        if last.partial_rps == 0 and left <= 0 and not _is_off(-left, dummy, rate, dummy, whole):
            dummy = -left  # whole machines only: their rate seldom ends as a decimal, so it cannot be written
        partial = max(ZERO, left + dummy)
        if dummy < 0:
            return "negative dummy rate"
        if partial and not has_text(dummy):
            return f"the dummy rate has more than {MOST_DIGITS} digits, which no file holds; round it up"
    else:
        dummy, partial = (ZERO, left) if left.numerator > 0 else (-left, ZERO)
    t_last, total = last.configuration.throughput_rps, rate + dummy if dummy else rate
    if whole > total:
        return f"the machines take {full(whole)} req/s, more than rate and dummies together"
    if partial >= t_last:
        return f"{full(partial)} req/s are left for a partial machine of {full(t_last)} req/s"
    if last.machines == 0 and partial == 0:
        return "the last allocation has neither a whole nor a partial machine"
    broken = _broken_dummy_rule(space.dummy, dummy, t_last)
    if broken and not space.fills:
        return broken
    if _is_off(last.partial_rps, partial, rate, plan.dummy_rps, whole):
        return f"partial rate written as {full(last.partial_rps)}, derived as {full(partial)} req/s"
    if _is_off(plan.dummy_rps, dummy, rate, plan.dummy_rps, whole):
        return f"dummy rate written as {full(plan.dummy_rps)}, derived as {full(dummy)} req/s"
    cost = _whole_cost(plan.allocations, price)
    if partial:
        cost += (1 if space.charging.whole else partial / t_last) * price[last.configuration.hardware]
    machines = machine_latencies(plan.allocations, partial, total, price, space.policy)
    latency = max((machine.latency_s for machine in machines), default=ZERO)
    return ModuleEvaluation(latency, cost, partial, dummy)


def _whole_cost(allocations: tuple[Allocation, ...], price: dict[str, Fraction]) -> Fraction:
    """The cost of the whole machines per hour."""
    # A fraction times an integer takes half as long as an integer times a fraction; a sum from 0 on adds once more.
    cost = price[allocations[0].configuration.hardware] * allocations[0].machines
    for allocation in allocations[1:]:
        cost += price[allocation.configuration.hardware] * allocation.machines
    return cost


def _is_off(written: Fraction, derived: Fraction, rate: Fraction, dummy: Fraction, whole: Fraction) -> bool:
    """Whether a written rate differs from the derived one by more than the slack; most are equal to the digit."""
    return written != derived and abs(written - derived) > written_slack_rps(rate + dummy, whole)


class MachineLatency(NamedTuple):
    """Worst-case latency of equal machines.

    Attributes:
        allocation: place of their allocation in the module's plan.
        partial: whether it is the partial machine.
        latency_s: seconds.
    """

    allocation: int
    partial: bool
    latency_s: Fraction


def machine_latencies(
    allocations: tuple[Allocation, ...], partial: Fraction, total: Fraction, price: dict[str, Fraction], policy: Policy
) -> Iterator[MachineLatency]:
    """Worst-case latencies of a module's machines, in rank order (Harpagon Theorem 1, Table III).

    Args:
        allocations: the module's allocations.
        partial: derived rate of the partial machine; 0 means that there is none.
        total: the module's rate with dummies.
        price: price per hour by hardware.
        policy: dispatch policy.

    Yields:
        An entry for the whole machines of an allocation, one for the partial machine.
    """
    before = ZERO
    shared_ratio: Fraction | None = None
    shared_w = total
    for i, allocation in enumerate(allocations):
        c = allocation.configuration
        f = partial if i == len(allocations) - 1 else ZERO
        if i:
            earlier = allocations[i - 1]
            before += earlier.configuration.throughput_rps * earlier.machines
        w = total - before if i else total
        unit_price = price[c.hardware]
        # A module's only machines share their rank with no others.
        ratio = c.throughput_rps / unit_price if unit_price and len(allocations) > 1 else None
        if i == 0 or ratio != shared_ratio:
            shared_ratio, shared_w = ratio, w
        place = Place(c.duration_s, c.batch, c.throughput_rps, allocation.machines, f, w, shared_w)
        if allocation.machines:
            yield MachineLatency(i, False, policy.whole_latency(place))
        if f:
            yield MachineLatency(i, True, policy.partial_latency(place))


def _broken_dummy_rule(rule: DummyRule, dummy: Fraction, t_last: Fraction) -> str:
    """How a dummy rate next to a last machine of throughput `t_last` breaks the dummy rule; empty if it does not."""
    match rule:
        case DummyRule.NONE:
            return f"{full(dummy)} req/s of dummies, none are allowed" if dummy > 0 else ""
        case DummyRule.MACHINE:
            return f"{full(dummy)} req/s of dummies fill more than the last machine" if dummy >= t_last else ""
        case DummyRule.CONTINUOUS:
            return ""
        case _:
            assert_never(rule)
