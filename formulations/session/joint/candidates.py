"""Cuts that exclude an engine's answer once the checker has priced it exactly (ours).

Engines that solve joint models know numbers only to a tolerance, or to a unit. So their models are looser than the
problem: every plan of it is a solution, and some solutions are no plans. We read each solution as whole numbers (counts
of machines, place of the partial machine). The checker prices the plan that they describe, and a cut excludes these
whole numbers. Once the looser model has nothing cheaper than the incumbent, the incumbent is the optimum, exactly.

A cut may exclude the following, where the incumbent costs C:

- whole numbers of one module that no plan has, for instance because no partial machine takes the rate that they leave.
  Where the machines are too few for the module's rate, the cut takes all whole numbers with no more of each of them;
- whole numbers of one module whose latency exceeds its largest budget;
- those of the modules of a path that is too long, together;
- those of the modules that together exceed a stock or a resource;
- those of a module whose machines take too little rate without those of some group of types;
- those of all modules, together, whose changes of running machines are too many;
- those of a plan that costs C or more. Let modules W of it use whole machines only, and let the others P have partial
  ones. Then every plan with the same P, and whole machines only in W, costs c(P) + a multiple of g, the greatest common
  divisor of the prices in W. With c' the largest such cost below C, each of them costs at most c', or C or more. So
  this one cut takes all ties among whole machines at once. Where machines are charged whole, so are partial ones: every
  plan costs a multiple of the greatest common divisor of all prices. Changes and spare machines are whole numbers too,
  so the price of each counts as one of the prices in both cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, gcd, lcm

from euclio.problems.session import Evaluation, Plan, Session, evaluate, longest_path
from euclio.problems.session.arrays import session_arrays
from euclio.problems.session.evaluate import bought_machines
from euclio.problems.session.machine_limits import paid_for, short_of_rate
from euclio.problems.session.resources import machine_limits
from formulations.session.demands import coupled_prices
from formulations.session.joint.problem import JointProblem

CLEAR = Fraction(1, 10**5)
"""Least relative difference of two costs that every engine can distinguish."""


@dataclass(frozen=True, slots=True)
class ModuleState:
    """Whole numbers of one module.

    Attributes:
        machines: pairs of a configuration's index (`euclio.problems.session.arrays`) and its whole machines, at least 1
            each.
        partial_at: index of the partial machine's configuration; None means no partial machine.
    """

    machines: tuple[tuple[int, int], ...]
    partial_at: int | None


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Whole numbers to cut off: `states`, with no partial machine in `whole`, unless the plan costs at most `cheaper`.

    Attributes:
        states: state of modules, by index.
        whole: modules that use whole machines only.
        cheaper: cost per hour; None means that no cheaper plan is of interest.
        fullest: a state of the one module of `states` that has no fewer of each of its machines and cannot take the
            module's rate even if all machines are full. `states` is one of the states with no more of each of these
            machines and no other ones, and all of them may be cut off instead. None means that there is none.
    """

    states: dict[int, ModuleState]
    whole: tuple[int, ...] = ()
    cheaper: Fraction | None = None
    fullest: ModuleState | None = None


def state(indices: list[int], machines: list[int], partial_at: int | None) -> ModuleState:
    """The state of a module from one entry per configuration.

    Args:
        indices: index of each configuration.
        machines: whole machines of each.
        partial_at: place of the partial machine; None means none.
    """
    pairs = tuple((i, n) for i, n in zip(indices, machines, strict=True) if n)
    return ModuleState(pairs, None if partial_at is None else indices[partial_at])


def states_of(problem: JointProblem, plan: Plan, checked: Evaluation) -> list[ModuleState]:
    """The states of a plan that the checker could price."""
    session, arrays = problem.session, session_arrays(problem.session, problem.space)
    found: list[ModuleState] = []
    for m, (module, module_plan) in enumerate(zip(session.modules, plan.modules, strict=True)):
        lo, hi = int(arrays.first[m]), int(arrays.first[m + 1])
        index = {module.profile[int(arrays.profile_index[k])]: k for k in range(lo, hi)}
        # A plan may have any number of endless machines; models count the fewest that take the rate.
        endless = {c.index: c.most_machines for c in problem.modules[m].configurations if c.endless}
        pairs = tuple(
            (index[a.configuration], min(a.machines, endless.get(index[a.configuration], a.machines)))
            for a in module_plan.allocations
            if a.machines
        )
        partial = index[module_plan.allocations[-1].configuration] if checked.modules[m].partial_rps else None
        found.append(ModuleState(pairs, partial))
    return found


def refused(problem: JointProblem, raw: list[ModuleState], plan: Plan, checked: Evaluation) -> list[Exclusion]:
    """The cuts that exclude a solution that is no plan; an empty list if it is a plan.

    Args:
        problem: the problem.
        raw: whole numbers of the solution.
        plan: the plan that they describe, with tiny errors of rate corrected.
        checked: the checker's evaluation of it.
    """
    if checked.modules:
        true = states_of(problem, plan, checked)
        # If the whole numbers had to be corrected, the module concerned makes it no plan by itself.
        cuts = [Exclusion({m: raw[m]}) for m in range(len(raw)) if raw[m] != true[m]]
        if checked.feasible:
            return cuts
        latencies = [entry.worst_case_latency_s for entry in checked.modules]
        slow = [m for m, module in enumerate(problem.modules) if latencies[m] > module.most_s]
        if slow:  # for any choice of the other modules
            return [*cuts, *(Exclusion({m: true[m]}) for m in slow)]
        longest, path = longest_path(problem.session, latencies)
        index = problem.session.index
        if longest > problem.session.slo_s:
            return [*cuts, Exclusion({index[name]: true[index[name]] for name in path})]
        short = {
            m for _, m, _ in short_of_rate(problem.session, plan, [entry.partial_rps for entry in checked.modules])
        }
        together = [*_beyond_limits(problem, plan, checked), *([m] for m in sorted(short))]
        if not together:  # too many changes over all modules together
            together = [list(range(len(true)))]
        return [*cuts, *(Exclusion({m: true[m] for m in users}) for users in together)]
    broken = [m for m in range(len(raw)) if not _possible(problem, plan, m)]
    return [_impossible(problem, raw[m], m) for m in broken]


def priced(problem: JointProblem, plan: Plan, checked: Evaluation, incumbent: Fraction, least: Fraction) -> Exclusion:
    """The cut that excludes a solution that is a plan and costs as much as the incumbent or more.

    Args:
        problem: the problem.
        plan: the plan.
        checked: the checker's evaluation of it, which is feasible.
        incumbent: cost of the cheapest plan so far.
        least: proven lower bound on the cost of every plan.
    """
    states = dict(enumerate(states_of(problem, plan, checked)))
    if problem.space.charging.whole:
        prices = [c.price for module in problem.modules for c in module.configurations]
        step = _common_divisor(prices + coupled_prices(problem.session))
        cheaper = step * (ceil(incumbent / step) - 1) if step else Fraction(0)
        # No engine can distinguish costs this close, so only this very state is cut off.
        return Exclusion(states) if cheaper > incumbent * (1 - CLEAR) else Exclusion({}, (), cheaper)
    whole = tuple(m for m, s in states.items() if s.partial_at is None)
    if not whole:
        return Exclusion(states)
    others = {m: s for m, s in states.items() if s.partial_at is not None}
    fixed = sum((checked.modules[m].cost_per_h for m in others), Fraction(0))
    # Modules with partial machines cost too much by themselves, for any choice of the others.
    if fixed >= incumbent:
        return Exclusion(others)
    # The unused machines that are paid for depend on all shares together.
    if paid_for(problem.session):
        return Exclusion(states)
    prices = [c.price for m in whole for c in problem.modules[m].configurations]
    step = _common_divisor(prices + coupled_prices(problem.session))
    if step == 0:
        return Exclusion(others, whole)
    cheaper = fixed + step * (ceil((incumbent - fixed) / step) - 1)
    # No plan is below the bound, so nothing with these partial machines is of interest.
    if cheaper < least:
        return Exclusion(others, whole)
    # This close to the incumbent an engine could not obey the limit, so only this plan is cut off.
    if cheaper > incumbent * (1 - CLEAR):
        return Exclusion(states)
    return Exclusion(others, whole, cheaper)


def _beyond_limits(problem: JointProblem, plan: Plan, checked: Evaluation) -> list[list[int]]:
    """For each stock and resource that the plan exceeds, the modules that use some of it."""
    session, partial = problem.session, [entry.partial_rps for entry in checked.modules]
    used = bought_machines(session, plan, partial, problem.space)
    return [
        [m for m, p in enumerate(plan.modules) if any(a.configuration.hardware in limit.takes for a in p.allocations)]
        for limit in machine_limits(session)
        if limit.taken(used, session.spare_machines) > limit.capacity
    ]


def _common_divisor(values: list[Fraction]) -> Fraction:
    """The greatest number of which all values are multiples; 0 if they are all 0."""
    scale = lcm(*(x.denominator for x in values))
    return Fraction(gcd(*(int(x * scale) for x in values)), scale)


def _impossible(problem: JointProblem, raw: ModuleState, m: int) -> Exclusion:
    """The cut for a state of module m that no plan has.

    Machines that take less than the module's rate, even if all of them and the partial one are full, are too few:
    dummies only add to the rate, and a policy only shares it out. The cut also covers more machines of the most
    frequent configuration, as long as they are too few. So one cut replaces many that engines would need one by one.
    """
    throughput = {c.index: c.throughput_rps for c in problem.modules[m].configurations}
    left = problem.modules[m].rate_rps - sum((n * throughput[index] for index, n in raw.machines), Fraction(0))
    if raw.partial_at is not None:
        left -= throughput[raw.partial_at]
    if left <= 0:
        return Exclusion({m: raw})
    machines = dict(raw.machines)
    if machines:
        most = max(machines, key=lambda index: machines[index])
        machines[most] += ceil(left / throughput[most]) - 1
    return Exclusion({m: raw}, fullest=ModuleState(tuple(machines.items()), raw.partial_at))


def _possible(problem: JointProblem, plan: Plan, m: int) -> bool:
    """Whether the checker could price module m's plan."""
    session = problem.session
    alone = Session(session.modules[m].name, session.slo_s, session.hardware, [session.modules[m]])
    return bool(evaluate(alone, Plan((plan.modules[m],)), problem.space).modules)
