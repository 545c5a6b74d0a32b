"""What is left to look at once an engine's answer has been priced exactly (ours).

Engines that solve joint models know numbers only to a tolerance, or to a unit. So their models are looser than the
problem: every plan of it is a solution, and some solutions are no plans. Each solution is read as whole numbers (counts
of machines, place of the partial machine), the checker prices the plan that they describe, and the whole numbers are
cut off. Where nothing cheaper than the incumbent is left in the looser model, the incumbent is the optimum, exactly.

What may be cut off, with the incumbent costing C:

- whole numbers of one module that no plan has (they leave a rate that no partial machine takes, or the like); where its
  machines are too few for its rate, all whole numbers with no more of each of them;
- those of one module that take it longer than its largest budget;
- those of the modules of a path that is too long, together;
- those of the modules that take more of a stock or a resource than there is, together;
- those of a module whose machines take too little without those of some type;
- those of all modules, together, whose changes of running machines are too many;
- those of a plan that costs C or more. If modules W of it use whole machines only, and the others P have partial ones,
  then every plan with the same P and whole machines only in W costs c(P) + a multiple of g, where g is the greatest
  common divisor of the prices in W. With c' the largest such cost below C: each of them costs at most c', or C or more.
  So this one cut takes all ties among whole machines at once. Where machines are charged whole, so are partial ones:
  every plan costs a multiple of the greatest common divisor of all prices. Changes and spare machines are whole numbers
  too, so that what each costs is one of the prices, in both cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, gcd, lcm

from euclio.problems.session import Evaluation, Plan, Session, evaluate, longest_path
from euclio.problems.session.arrays import session_arrays
from euclio.problems.session.evaluate import machines_by_hardware
from euclio.problems.session.resources import machine_limits
from formulations.session.demands import coupled_prices, limited_shares
from formulations.session.joint.problem import JointProblem

CLEAR = Fraction(1, 10**5)
"""Share by which a cost has to be below another one for every engine to distinguish them."""


@dataclass(frozen=True, slots=True)
class ModuleState:
    """Whole numbers of one module.

    Attributes:
        machines: pairs of a configuration's index (`euclio.problems.session.arrays`) and its whole machines, at least 1
            each.
        partial_at: index of the partial machine's configuration; None: no partial machine.
    """

    machines: tuple[tuple[int, int], ...]
    partial_at: int | None


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Whole numbers to cut off: `states` and no partial machine in `whole`, unless the plan costs at most `cheaper`.

    Attributes:
        states: state of modules, by index.
        whole: modules that use whole machines only.
        cheaper: cost per hour; None: there is nothing of interest that is cheaper.
        fullest: a state of the one module of `states`, with no fewer of each of its machines, that cannot take the
            module's rate even if all machines are full: states with no more of each of them, and no other ones, may be
            cut off in place of `states`, which is one of them; None: there is none.
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
        partial_at: place of the partial machine; None: none.
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
        # However many endless machines a plan has, models count the fewest that take the rate.
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
    """What to cut off of a solution because it is no plan; nothing: it is one.

    Args:
        problem: the problem.
        raw: whole numbers of the solution.
        plan: the plan that they describe, where a sliver of rate may have been put right.
        checked: what the checker says of it.
    """
    if checked.modules:
        true = states_of(problem, plan, checked)
        # A solution whose whole numbers had to be put right is no plan by the module concerned alone.
        cuts = [Exclusion({m: raw[m]}) for m in range(len(raw)) if raw[m] != true[m]]
        if checked.feasible:
            return cuts
        latencies = [entry.worst_case_latency_s for entry in checked.modules]
        slow = [m for m, module in enumerate(problem.modules) if latencies[m] > module.most_s]
        if slow:  # whatever the other modules do
            return [*cuts, *(Exclusion({m: true[m]}) for m in slow)]
        longest, path = longest_path(problem.session, latencies)
        index = problem.session.index
        if longest > problem.session.slo_s:
            return [*cuts, Exclusion({index[name]: true[index[name]] for name in path})]
        together = [*_beyond_limits(problem, plan, checked), *([m] for m in _short_of_rate(problem, plan, checked))]
        if not together:  # too many changes, whichever module's they are
            together = [list(range(len(true)))]
        return [*cuts, *(Exclusion({m: true[m] for m in users}) for users in together)]
    broken = [m for m in range(len(raw)) if not _possible(problem, plan, m)]
    return [_impossible(problem, raw[m], m) for m in broken]


def priced(problem: JointProblem, plan: Plan, checked: Evaluation, incumbent: Fraction, least: Fraction) -> Exclusion:
    """What to cut off of a solution that is a plan and costs as much as the incumbent or more.

    Args:
        problem: the problem.
        plan: the plan.
        checked: what the checker says of it: it is feasible.
        incumbent: cost of the cheapest plan so far.
        least: proven lower bound on the cost of every plan.
    """
    states = dict(enumerate(states_of(problem, plan, checked)))
    if problem.space.charging.whole:
        prices = [c.price for module in problem.modules for c in module.configurations]
        step = _common_divisor(prices + coupled_prices(problem.session))
        cheaper = step * (ceil(incumbent / step) - 1) if step else Fraction(0)
        # No engine can tell costs so close apart: only this very state is cut off then.
        return Exclusion(states) if cheaper > incumbent * (1 - CLEAR) else Exclusion({}, (), cheaper)
    whole = tuple(m for m, s in states.items() if s.partial_at is None)
    if not whole:
        return Exclusion(states)
    others = {m: s for m, s in states.items() if s.partial_at is not None}
    fixed = sum((checked.modules[m].cost_per_h for m in others), Fraction(0))
    # Modules with partial machines cost too much by themselves, whatever the others take.
    if fixed >= incumbent:
        return Exclusion(others)
    prices = [c.price for m in whole for c in problem.modules[m].configurations]
    step = _common_divisor(prices + coupled_prices(problem.session))
    if step == 0:
        return Exclusion(others, whole)
    cheaper = fixed + step * (ceil((incumbent - fixed) / step) - 1)
    # No plan is below the bound, so that nothing with these partial machines is of interest.
    if cheaper < least:
        return Exclusion(others, whole)
    # So close to the incumbent an engine could not obey the limit: only this plan is cut off.
    if cheaper > incumbent * (1 - CLEAR):
        return Exclusion(states)
    return Exclusion(others, whole, cheaper)


def _beyond_limits(problem: JointProblem, plan: Plan, checked: Evaluation) -> list[list[int]]:
    """The modules that take some of it, for each stock and resource of which the plan takes more than there is."""
    session, partial = problem.session, [entry.partial_rps for entry in checked.modules]
    used = machines_by_hardware(plan, partial, problem.space)
    return [
        [m for m, p in enumerate(plan.modules) if any(a.configuration.hardware in limit.takes for a in p.allocations)]
        for limit in machine_limits(session)
        if limit.taken(used, session.spare_machines) > limit.capacity
    ]


def _short_of_rate(problem: JointProblem, plan: Plan, checked: Evaluation) -> list[int]:
    """The modules whose machines take too little without those of a type that has a largest share."""
    short = []
    for m, (own, entry) in enumerate(zip(plan.modules, checked.modules, strict=True)):
        rates: dict[str, Fraction] = {}
        for a in own.allocations:
            name = a.configuration.hardware
            rates[name] = rates.get(name, Fraction(0)) + a.machines * a.configuration.throughput_rps
        rates[own.allocations[-1].configuration.hardware] += entry.partial_rps
        total, rate = sum(rates.values(), Fraction(0)), problem.modules[m].rate_rps
        shares = limited_shares(problem.session)
        if any(total - rates.get(name, 0) < (1 - most) * rate for name, most in shares.items()):
            short.append(m)
    return short


def _common_divisor(values: list[Fraction]) -> Fraction:
    """The greatest number that all values are multiples of; 0 if they are all 0."""
    scale = lcm(*(x.denominator for x in values))
    return Fraction(gcd(*(int(x * scale) for x in values)), scale)


def _impossible(problem: JointProblem, raw: ModuleState, m: int) -> Exclusion:
    """What to cut off for a state of module m that no plan has.

    Machines that take less than the module's rate, all of them full and the partial one too, are too few: dummies only
    add to the rate, and a policy only shares it out. With as many more machines of the most frequent configuration as
    leaves them too few, one cut takes all such states at once that engines would go through machine by machine.
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
