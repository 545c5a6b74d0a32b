"""Multi-tuple allocation of one module in whole numbers: the block of CP-SAT's allocation models (ours).

Names as in `joint_problem`. Rates count in units of 1/R requests per second, money in units of 1/S per hour. The
variables of a module, k its configurations in rank order:

    n_k, u_k, z_k, lead_k, last_k, filled as in `joint_problem`
    f         rate of the partial machine in units, rounded up
    left_k    rate left before configuration k, in units: w_k
    partial   cost of the partial machine
    cost      cost of the module

    (1)  Σ_k lead_k = Σ_k last_k = 1;  u_k + z_k ≥ 1 where lead_k or last_k;  u_k, z_k ≤ Σ_{j≤k} lead_j, Σ_{j≥k} last_j
    (2)  z_k ≤ last_k,  filled + Σ_k z_k ≤ 1,  f ≤ Σ_k ⌈t_k R⌉ z_k,  Σ_k [u_k or z_k] ≤ most allocations
    (3)  left_k = left_{k+1} + ⌈t_k R⌉ n_k,  left_{last+1} = f,  left_0 ≥ ⌊T R⌋
    (4)  not filled: taken ≤ ⌈T R⌉                        no dummies;  taken = left_0 - Σ_k (⌈t_k R⌉ - ⌊t_k R⌋) n_k
    (5)  filled: taken - Σ_k ⌊t_k R⌋ last_k < ⌈T R⌉       dummies fill less than the last machine
    (6)  u_k: left_k ≥ ⌈R b_k/(L - d_k)⌉,  z_k: f ≥ ⌈R b_k/(L - d_k)⌉      at the largest budget L (Harpagon Theorem 1)
    (7)  z_k: partial + 1 ≥ ⌊ρ_k S/R⌋ (f - 1),  cost = Σ_k ⌊p_k S⌋ n_k + partial
    (8)  lead_k: cost ≥ ⌊S · least cost that a plan led by k can have⌋      (implied; it lifts the linear relaxation)

Every rounding favours the plan, so each plan of the module is a solution and the optimum a lower bound. The left rate
is off by at most Σ n_k + 1 units, the cost by Σ n_k + 2 units of money and 2 ρ_k (Σ n_k + 1)/R. Under `tc-shared` the
left_k in (6) is the one at the first configuration of k's ratio, for partial machines too. Under `rr` and
`machine-rate` whole machines need no rate. In form `EVEN` the n_k + 1 machines of the last allocation share left_k:
z_k: left_k ≥ ⌊R q_k/(L - d_k)⌋ (n_k + 1). With a fixed budget this block is the whole model (`allocate_module`).

If machines are charged whole (docs/model/whole-machines.md), so are partial ones, and rounding losses have room:

    (7')  cost = Σ_k ⌊p_k S⌋ (n_k + z_k) + lost,   0 ≤ lost ≤ the number of machines

If dummies then fill any number of machines (`JointProblem.surplus`), (5) goes. In sequence no z_k is 1, and no row
bounds the rate that is taken:

    (3')  left_k ≤ left_{k+1} + ⌈t_k R⌉ n_k,   left_k ≤ W,   left_0 ≥ ⌊T R⌋        in place of (3) to (5)

W is the lesser of two rates: the module's largest possible cost as a rate (`JointModule.most_left_rps`), and a rate at
which each batch is collected within one unit of time. A larger W changes no other row. Endless machines are none, or as
many as `joint_problem` counts.

A group H of types of largest share s (docs/model/limits.md) may be taken away, and the others serve their part:

    (8a)  Σ ⌈t_k R⌉ n_k + f_H ≥ ⌊(1 − s) T R⌋  over k not on H,   f_H ≤ f,   f_H ≤ Σ ⌈t_k R⌉ z_k over k not on H

If changes of running machines count, they are part of the cost, at P for each:

    (8c), (8d)  changes = Σ_h |x_h − x⁰_h|,   cost is ⌊P S⌋ changes more, and rounding may lose as many more units

A stock of S_h machines of hardware h, without the spare ones, charged whole or by share; with U the units of a machine,
for k of h:

    (8b)  Σ n_k + z_k ≤ S_h   or   Σ U n_k + share ≤ U S_h,   z_k: share + 1 ≥ ⌊U/(t_k R)⌋ (f - 1)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from ortools.sat.python import cp_model

from euclio.problems.session import Policy
from euclio.problems.session.largest_shares import LargestShare
from euclio.problems.session.policies import Form
from formulations.engines.cpsat import CountedValues, common_scale
from formulations.session.demands import Changes, limited_shares
from formulations.session.joint.problem import JointConfiguration, JointModule, JointProblem

# Machines added to and removed from those that run for a module, in whole numbers (ours).
#
# docs/model/whole-machines.md. With x_h = Σ_{k on h} n_k + z_k the module's machines on hardware h, and x⁰_h those
# that run:
#
#     (8c)  removed_h ≥ x⁰_h − x_h,   0 ≤ removed_h ≤ x⁰_h          if something runs
#     (8d)  changes = Σ_h (x_h − x⁰_h + 2 removed_h) + running machines of hardware that the module cannot use
#
# x − x⁰ + 2 (x⁰ − x)⁺ is |x − x⁰|, the machines added and removed. A solution may remove and add more, at a cost.


def most_changes(module: JointModule, changes: Changes) -> int:
    """An upper bound on the changes of a module."""
    machines = sum(c.most_machines + 1 for c in module.configurations) + sum(changes.of(module.name).values())
    return machines if changes.most is None else min(machines, max(0, changes.most - changes.gone))


def add_changes(
    model: cp_model.CpModel,
    module: JointModule,
    changes: Changes,
    n: Sequence[cp_model.IntVar],
    z: Sequence[cp_model.IntVar],
) -> cp_model.IntVar:
    """The changes of a module.

    Args:
        model: the model.
        module: the module.
        changes: the running machines, and the limit and price of changing them.
        n: whole machines of each configuration.
        z: whether the partial machine is of each configuration.
    """
    machines: dict[str, list[cp_model.IntVar]] = {}
    for k, c in enumerate(module.configurations):
        machines.setdefault(c.configuration.hardware, []).extend((n[k], z[k]))
    terms: list[cp_model.LinearExprT] = []
    steady = 0
    for name, runs in changes.of(module.name).items():
        if name not in machines:
            steady += runs
            continue
        removed = model.new_int_var(0, runs, f"removed_{module.name}_{name}")
        model.add(removed + sum(machines[name]) >= runs)
        terms.append(2 * removed)
        steady -= runs
    number = model.new_int_var(0, most_changes(module, changes), f"changes_{module.name}")
    model.add(number == sum([*terms, *(x for own in machines.values() for x in own)]) + steady)
    return number


TIME_UNITS = 1 << 18
"""Most units in the SLO."""
RATE_UNITS = 1 << 26
"""Most units in a module's rate."""
MONEY_UNITS = 1 << 24
"""Most units in the largest cost of interest."""
ROW_UNITS = 1 << 29
"""Most units in all throughputs of a module together, so that rows stay within CP-SAT's limit."""
MOST_LEFT_UNITS = 1 << 40
"""Most units in the rate of a module with all its dummies."""
SHARE_UNITS = 1 << 20
"""Most units of a machine in stock."""
STOCK_UNITS = 1 << 29
"""Most units of all machines in stock."""
COEFFICIENT = 1 << 24
"""The approximate size of row (7)'s coefficients: a factor brings them there, so that they keep their digits."""


@dataclass(frozen=True, slots=True)
class ModuleVariables:
    """Variables of one module; tuples have one entry per configuration in rank order.

    Attributes:
        module: the module.
        units_per_rps: R, the units of rate per request per second.
        most_left: most units of rate that can be left anywhere.
        n: whole machines of each configuration.
        u: whether a configuration has whole machines.
        z: whether the partial machine is of this configuration.
        lead: whether the configuration is the first one used.
        last: whether the configuration is the last one used.
        begun: whether the configuration or one before it is the first one used.
        left: rate left before each configuration, in units; one more entry at the end.
        filled: whether dummies are used.
        f: rate of the partial machine in units.
        cost: cost of the module in units of money, with the cost of its changes.
        changes: machines added and removed; None means that they do not count.
    """

    module: JointModule
    units_per_rps: Fraction
    most_left: int
    n: tuple[cp_model.IntVar, ...]
    u: tuple[cp_model.IntVar, ...]
    z: tuple[cp_model.IntVar, ...]
    lead: tuple[cp_model.IntVar, ...]
    last: tuple[cp_model.IntVar, ...]
    begun: tuple[cp_model.IntVar, ...]
    left: tuple[cp_model.IntVar, ...]
    filled: cp_model.IntVar
    f: cp_model.IntVar
    cost: cp_model.IntVar
    changes: cp_model.IntVar | None

    def collecting(self, k: int, policy: Policy, *, partial: bool) -> cp_model.IntVar:
        """The rate at which a machine of configuration k collects its batch in form `LEFT`, or as a partial machine."""
        if policy.form is Form.TIED:
            groups = [c.group for c in self.module.configurations]
            return self.left[groups.index(groups[k])]
        return self.f if partial else self.left[k]

    def counts(self, values: CountedValues) -> tuple[tuple[int, ...], int | None]:
        """Whole machines and the place of the partial machine in a solution, corrected exactly.

        The model may call a sliver of rate a partial machine, or a full machine a partial one.
        """
        machines = [values[n.index] for n in self.n]
        at = next((k for k, z in enumerate(self.z) if values[z.index]), None)
        cs = self.module.configurations
        whole = sum((n * c.throughput_rps for n, c in zip(machines, cs, strict=True)), Fraction(0))
        rest = self.module.rate_rps - whole
        if at is not None and rest >= cs[at].throughput_rps:
            machines[at] += 1
            rest -= cs[at].throughput_rps
        return tuple(machines), at if rest > 0 else None


def rate_scale(module: JointModule, most_left: Fraction = Fraction(0)) -> Fraction:
    """Units per request per second: R; `most_left` is at most `MOST_LEFT_UNITS` of them."""
    throughputs = [c.throughput_rps for c in module.configurations]
    most = max(module.rate_rps, sum(throughputs, Fraction(0)) * RATE_UNITS / ROW_UNITS)
    most = max(most, most_left * RATE_UNITS / MOST_LEFT_UNITS)
    return common_scale([module.rate_rps, *throughputs], most, RATE_UNITS)


def _most_left(problem: JointProblem, module: JointModule, most_cost: Fraction) -> Fraction:
    """W, in requests per second; the most that all machines take, if some may not be full."""
    if not problem.all_full:
        return module.most_left_rps(0, most_cost)
    enough = [module.rate_rps]
    for c in module.configurations:
        # A unit of time is the SLO over TIME_UNITS at least.
        enough += [c.whole_need_rps or Fraction(0), c.configuration.batch * TIME_UNITS / problem.session.slo_s]
    return min(max(enough), max(module.rate_rps, module.most_left_rps(0, most_cost)))


def money_scale(modules: Sequence[JointModule], most_cost: Fraction, other_prices: Sequence[Fraction] = ()) -> Fraction:
    """Units per money per hour, S, if the modules together cost at most `most_cost`.

    Args:
        modules: the modules, with the prices of their machines.
        most_cost: most that all cost together.
        other_prices: prices of other things than machines.
    """
    sums = [sum((min(c.price, most_cost) for c in module.configurations), Fraction(0)) for module in modules]
    others = sum((min(price, most_cost) for price in other_prices), Fraction(0))
    most = max(most_cost, (max(sums) + others) * MONEY_UNITS / ROW_UNITS)
    prices = {c.price for module in modules for c in module.configurations} | set(other_prices)
    return common_scale(prices, most, MONEY_UNITS)


def add_module(
    model: cp_model.CpModel, problem: JointProblem, m: int, money: Fraction, cost_range: tuple[Fraction, Fraction]
) -> ModuleVariables:
    """Add the block of one module to a model.

    Args:
        model: the model.
        problem: the joint problem.
        m: index of the module.
        money: units per money per hour: S.
        cost_range: least and largest cost per hour that the module can have in a plan of interest.

    Returns:
        The variables.
    """
    module = problem.modules[m]
    v = _new_variables(model, problem, module, money, cost_range)
    _order(model, v, problem)
    if problem.all_full:
        _full_rates(model, v)
    else:
        _rates(model, v, surplus=problem.surplus)
    _shares(model, v, limited_shares(problem.session))
    _needs(model, v, problem.space.policy)
    _cost(model, v, money, cost_range, problem)
    return v


def _new_variables(
    model: cp_model.CpModel,
    problem: JointProblem,
    module: JointModule,
    money: Fraction,
    cost_range: tuple[Fraction, Fraction],
) -> ModuleVariables:
    left = Fraction(0)
    if problem.surplus:
        left = _most_left(problem, module, cost_range[1])
    r, name, cs = rate_scale(module, left), module.name, module.configurations
    largest = ceil(max(c.throughput_rps for c in cs) * r)
    most_left = ceil(max(left, module.rate_rps) * r) + largest + sum(c.most_machines for c in cs)
    size = range(len(cs))

    def booleans(what: str, possible: list[bool]) -> tuple[cp_model.IntVar, ...]:
        return tuple(model.new_int_var(0, int(possible[k]), f"{what}_{name}_{k}") for k in size)

    whole, changes = [c.most_machines > 0 for c in cs], problem.changes
    affordable = [not problem.space.charging.whole or c.price <= cost_range[1] for c in cs]
    partial = [c.partial_need_rps is not None and affordable[k] for k, c in enumerate(cs)]
    leads = [_may_lead(c, module, cost_range[1]) for c in cs]
    most = [_most_machines(c, cost_range[1]) for c in cs]
    n, z = tuple(model.new_int_var(0, most[k], f"n_{name}_{k}") for k in size), booleans("z", partial)
    return ModuleVariables(
        module=module,
        units_per_rps=r,
        most_left=most_left,
        n=n,
        u=booleans("u", whole),
        z=z,
        lead=booleans("lead", leads),
        last=booleans("last", [True] * len(cs)),
        begun=booleans("begun", [True] * len(cs)),
        left=tuple(model.new_int_var(0, most_left, f"left_{name}_{k}") for k in range(len(cs) + 1)),
        filled=model.new_int_var(0, int(problem.dummies), f"filled_{name}"),
        f=model.new_int_var(0, largest, f"f_{name}"),
        cost=model.new_int_var(floor(cost_range[0] * money), ceil(cost_range[1] * money), f"cost_{name}"),
        changes=None if changes is None else add_changes(model, module, changes, n, z),
    )


def _may_lead(c: JointConfiguration, module: JointModule, most_cost: Fraction) -> bool:
    return c.lead_cost_per_h <= most_cost and c.lead_latency_s <= module.most_s


def _most_machines(c: JointConfiguration, most_cost: Fraction) -> int:
    return c.most_machines if c.price == 0 else min(c.most_machines, floor(most_cost / c.price))


def _order(model: cp_model.CpModel, v: ModuleVariables, problem: JointProblem) -> None:
    """(1) and (2): the configurations in use lie between the first and the last one."""
    size = len(v.n)
    name = v.module.name
    begun = v.begun
    going = [model.new_bool_var(f"going_{name}_{k}") for k in range(size)]
    model.add_exactly_one(v.lead)
    model.add_exactly_one(v.last)
    model.add_at_most_one([v.filled, *v.z])
    for k in range(size):
        model.add(begun[k] == v.lead[k] + (begun[k - 1] if k else 0))
        model.add(going[k] == v.last[k] + (going[k + 1] if k + 1 < size else 0))
        c = v.module.configurations[k]
        model.add(v.n[k] >= (c.most_machines if c.endless else 1)).only_enforce_if(v.u[k])
        model.add(v.n[k] == 0).only_enforce_if(v.u[k].negated())
        model.add_implication(v.u[k], begun[k])
        model.add_implication(v.u[k], going[k])
        model.add_implication(v.z[k], begun[k])
        model.add_implication(v.z[k], v.last[k])
        model.add_bool_or(v.lead[k].negated(), v.u[k], v.z[k])
        model.add_bool_or(v.last[k].negated(), v.u[k], v.z[k])
    most = problem.space.max_allocations
    if most is not None and most < size:
        used = [model.new_bool_var(f"used_{name}_{k}") for k in range(size)]
        for k in range(size):
            model.add_implication(v.u[k], used[k])
            model.add_implication(v.z[k], used[k])
        model.add(sum(used) <= most)


def _rates(model: cp_model.CpModel, v: ModuleVariables, *, surplus: bool) -> None:
    """(2) to (5), without (5) if dummies fill any number of machines: the machines take the rate and the dummies."""
    r, cs, size = v.units_per_rps, v.module.configurations, len(v.n)
    more, less = [ceil(c.throughput_rps * r) for c in cs], [floor(c.throughput_rps * r) for c in cs]
    rate = v.module.rate_rps * r
    model.add(v.f <= sum(more[k] * v.z[k] for k in range(size)))
    model.add(v.left[size] == v.f)
    for k in range(size):
        model.add(v.left[k] == v.left[k + 1] + more[k] * v.n[k])
    model.add(v.left[0] >= floor(rate))
    taken = v.left[0] - sum((more[k] - less[k]) * v.n[k] for k in range(size))
    model.add(taken <= ceil(rate)).only_enforce_if(v.filled.negated())
    if surplus:
        return
    last = sum(less[k] * v.last[k] for k in range(size))
    model.add(taken - last <= ceil(rate) - 1).only_enforce_if(v.filled)


def _full_rates(model: cp_model.CpModel, v: ModuleVariables) -> None:
    """(3'): the machines take the rate, and dummies at no cost."""
    r, size = v.units_per_rps, len(v.n)
    model.add(v.f == 0)
    model.add(v.left[size] == 0)
    for k, c in enumerate(v.module.configurations):
        model.add(v.left[k] <= v.left[k + 1] + ceil(c.throughput_rps * r) * v.n[k])
    model.add(v.left[0] >= floor(v.module.rate_rps * r))


def _shares(model: cp_model.CpModel, v: ModuleVariables, groups: Sequence[LargestShare]) -> None:
    """(8a): without machines of the types that may be taken away, the others take their part of the rate."""
    r, cs = v.units_per_rps, v.module.configurations
    for group in groups:
        others = [
            (k, ceil(c.throughput_rps * r)) for k, c in enumerate(cs) if c.configuration.hardware not in group.hardware
        ]
        label = f"others_{v.module.name}_{'+'.join(group.hardware)}"
        partial = model.new_int_var(0, max((t for _, t in others), default=0), label)
        model.add(partial <= v.f)
        model.add(partial <= sum(t * v.z[k] for k, t in others))
        model.add(sum(t * v.n[k] for k, t in others) + partial >= floor(group.left(v.module.rate_rps) * r))


def _needs(model: cp_model.CpModel, v: ModuleVariables, policy: Policy) -> None:
    """(6): the rate that must be left for a machine within the largest budget."""
    for k, c in enumerate(v.module.configurations):
        if c.whole_need_rps:
            need = ceil(c.whole_need_rps * v.units_per_rps)
            model.add(v.collecting(k, policy, partial=False) >= need).only_enforce_if(v.u[k])
        if c.partial_need_rps is not None:
            if policy.form is Form.EVEN:
                share = floor(c.partial_need_rps * v.units_per_rps)
                model.add(v.left[k] >= share * (v.n[k] + 1)).only_enforce_if(v.z[k])
                continue
            need = ceil(c.partial_need_rps * v.units_per_rps)
            model.add(v.collecting(k, policy, partial=True) >= need).only_enforce_if(v.z[k])


def _cost(
    model: cp_model.CpModel,
    v: ModuleVariables,
    money: Fraction,
    cost_range: tuple[Fraction, Fraction],
    problem: JointProblem,
) -> None:
    """(7) and (8), or (7') if machines are charged whole; with changes, if they count."""
    cs, size, changes = v.module.configurations, len(v.n), problem.changes
    most = ceil(cost_range[1] * money)
    # The rounding losses of machines must find room, or (8) would cut their plan off.
    lost = 1 + sum(_most_machines(c, cost_range[1]) for c in cs)
    affordable = [k for k in range(size) if _most_machines(cs[k], cost_range[1]) > 0]
    charged = [(v.n[k], cs[k].price) for k in affordable]
    if v.changes is not None and changes is not None:
        charged.append((v.changes, min(changes.price_of(v.module.name), (most + 1) / money)))
        lost += most_changes(v.module, changes)
    if problem.space.charging.whole:
        possible = [k for k, c in enumerate(cs) if c.partial_need_rps is not None and c.price <= cost_range[1]]
        charged += [(v.z[k], cs[k].price) for k in possible]
        rest = model.new_int_var(0, min(lost, most) + 1, f"lost_{v.module.name}")
    else:
        rest = _partial_cost(model, v, money, most, min(lost, most))
    units = [floor(price * money) for _, price in charged]
    model.add(v.cost == cp_model.LinearExpr.weighted_sum([*(x for x, _ in charged), rest], [*units, 1]))
    least = floor(cost_range[0] * money)
    leads = [k for k, c in enumerate(cs) if _may_lead(c, v.module, cost_range[1])]
    above = [max(0, floor(cs[k].lead_cost_per_h * money) - least) for k in leads]
    coarser = 1 + sum(above) // ROW_UNITS  # (8) is implied: with very many configurations it may be rounded
    extra = model.new_int_var(0, max(above, default=0) // coarser, f"extra_{v.module.name}")
    model.add(extra >= sum(a // coarser * v.lead[k] for a, k in zip(above, leads, strict=True)))
    model.add(v.cost >= least + coarser * extra)


def _partial_cost(
    model: cp_model.CpModel, v: ModuleVariables, money: Fraction, most: int, lost: int
) -> cp_model.IntVar:
    """(7): cost of the partial machine by the share in use.

    Args:
        model: the model.
        v: the module's variables.
        money: units per money per hour: S.
        most: most that the module may cost, in units; prices beyond that would leave the range of whole numbers.
        lost: most that rounding may lose on whole machines, in units.
    """
    cs = v.module.configurations
    most_partial = min(ceil(max(c.price for c in cs) * money), most) + lost
    partial = model.new_int_var(0, most_partial, f"partial_{v.module.name}")
    for k, c in enumerate(cs):
        slope = min(c.unit_cost * money / v.units_per_rps, Fraction(most_partial + 2))
        if c.partial_need_rps is not None and slope:
            factor = max(1, floor(COEFFICIENT / max(slope, Fraction(1))))
            model.add(factor * (partial + 1) >= floor(factor * slope) * (v.f - 1)).only_enforce_if(v.z[k])
    return partial
