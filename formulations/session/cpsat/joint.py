"""Solver `cpsat`: splitting and allocation in one CP-SAT model, integer scaling with a proven error bound (ours).

The model (`joint_model.py`, on blocks of `allocation_model.py`) rounds everything in the plan's favour, so every plan
is a solution of it, at no higher a cost. Scales leave a few parts in ten million between the cost of a solution and
that of its plan, which the checker prices exactly. The model asks only for plans cheaper than the incumbent (by
`STEP`). Each solution is cut off by its whole numbers: rounding alone may have made it possible, or its plan is the new
incumbent or ties with it (`formulations/session/joint/candidates.py`). Then the model is solved again, until it has no
solution. Then nothing is cheaper than the incumbent, and rounding has not affected that. If there are too many such
solutions to go through, the answer is the incumbent with the bound of the model.

The cutoff also lets one-module models tighten the machines and costs of each module
(`formulations/session/joint/search.py`).

Why products: on the published workloads, products of spare time and rate were 2 to 20 times faster than linear tangents
of b/w, with the linear relaxation at its strongest (level 2). One worker on it beats two mixed ones.
Presolve is off if there are products. It gains nothing there, and OR-Tools 9.14 turned some products into factors of
three, which then ended the process. Models of one module have no products, and gain from presolve.
Cutting planes from rows are off: without them the published workloads take half the time. Cutting planes from products
stay: without them CP-SAT took seconds to see that a small session has no plan.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

from ortools.sat.python import cp_model

from euclio.core.registry import Limits
from euclio.core.result import Answer, TracePoint
from euclio.problems.session import Evaluation, ModulePlan, Plan, PlanSpace, Session
from formulations.engines.cpsat import CP_SAT_FEW_CUTS, CountedOutcome
from formulations.engines.interface import EngineLimits, engine_limits
from formulations.session.cpsat.allocation_model import add_module, money_scale
from formulations.session.cpsat.coupled import add_stock
from formulations.session.cpsat.joint_model import JointModel, joint_model
from formulations.session.demands import coupled_prices
from formulations.session.joint.candidates import Exclusion, priced, refused
from formulations.session.joint.problem import JointProblem
from formulations.session.joint.search import Ending, JointSearch, Ranges, most_cost, solve_joint, tighten, within
from formulations.tolerances import MOST_CANDIDATES, STEP

# Multi-tuple allocation of one module for a given budget in CP-SAT, straight from its profile and rate (ours).


@dataclass(frozen=True, slots=True)
class ModuleAllocation:
    """Answer of the one-module model.

    Attributes:
        infeasible: whether it is proven that no plan of the module meets its largest budget and its largest cost.
        bound_per_h: proven lower bound on the cost of those plans, with the cost of their changes.
        machines: whole machines of each configuration, shape (configurations,); None means that nothing was found.
        partial_at: place of the partial machine's configuration; None means no partial machine.
        conflicts: conflicts of the search.
    """

    infeasible: bool
    bound_per_h: Fraction
    machines: tuple[int, ...] | None = None
    partial_at: int | None = None
    conflicts: int = 0


def allocate_module(problem: JointProblem, m: int, most_cost: Fraction, limits: EngineLimits) -> ModuleAllocation:
    """The cheapest allocation of one module within its largest budget, straight from its profile and rate.

    Args:
        problem: the joint problem; the module's largest budget is the budget, and its demands are constants.
        m: index of the module, which has a useful configuration.
        most_cost: only plans of the module that cost at most this much per hour are of interest; above 0.
        limits: limits of the run.
    """
    model = cp_model.CpModel()
    money = money_scale(problem.modules[m : m + 1], most_cost, coupled_prices(problem.session))
    v = add_module(model, problem, m, money, (Fraction(0), most_cost))
    add_stock(model, problem, [v])
    model.minimize(v.cost)
    found = CP_SAT_FEW_CUTS.run(model, limits)
    bound = Fraction(found.bound or 0) / money
    if found.values is None:
        return ModuleAllocation(found.infeasible, bound, conflicts=found.nodes)
    machines, partial_at = v.counts(found.values)
    return ModuleAllocation(False, bound, machines, partial_at, found.nodes)


WORTH, FINE = Fraction(1, 1000), Fraction(1, 10**6)
"""The model is made anew, with narrower ranges and a finer scale, if the cost fell by more than the first share and
the scale left more than the second one between it and the bound."""
MOST_MACHINES = 1 << 30
"""Most machines of a configuration for which whole numbers have room next to their rates."""
TIGHTENING_S = 2.0
"""Most seconds for one one-module model."""


_RAW_STATUS = {
    Ending.FOUND: "optimal",
    Ending.EMPTY: "optimal",
    Ending.LIMIT: "limit",
    Ending.TIES: "too many ties at the finest scale",
}


@dataclass(slots=True)
class _CpsatSearch(JointSearch):
    """One run on one problem.

    Attributes:
        stats: counters.
        cheapest: by module the last result of its one-module model: whole machines of each configuration, by index,
            and the index of the partial machine's configuration.
    """

    ties: ClassVar[str] = "no plan was found among those that the model's whole numbers cannot tell from plans"

    stats: dict[str, float] = field(
        default_factory=lambda: dict.fromkeys(("models", "module_models", "conflicts", "refused"), 0.0)
    )
    cheapest: dict[int, tuple[dict[int, int], int | None]] = field(default_factory=dict)

    def improved(self) -> None:
        """Note the incumbent, which has become cheaper, in the trace."""
        self._note(self.elapsed())

    def last_word(self, ending: Ending) -> str:
        """The ending in a word; CP-SAT's own is about one of many models."""
        return "infeasible" if ending is Ending.EMPTY and self.cost is None else _RAW_STATUS[ending]

    def counters(self) -> dict[str, float]:
        """Models, models of one module, conflicts, and solutions that only rounding made possible."""
        return self.stats

    @property
    def cutoff(self) -> Fraction:
        """The cost above which plans are of no interest."""
        return most_cost(self.problem) if self.cost is None else self.cost * (1 - STEP)

    def raise_bound(self, bound: Fraction, cutoff: Fraction) -> None:
        """Record a lower bound on the plans within a cutoff."""
        valid = min(bound, cutoff)
        if self.bound is None or valid > self.bound:
            self.bound = valid
            self._note(self.elapsed())

    def search(self) -> Ending:
        """Search for the cheapest plan that costs at most the cutoff."""
        cutoff = self.cutoff
        ranges = tighten(self.problem, cutoff, self._least_cost, self.deadline)
        if ranges.empty:
            self.raise_bound(cutoff, cutoff)
            return Ending.EMPTY
        changes = self.problem.changes
        gone = Fraction(0) if changes is None else changes.gone_cost
        self.raise_bound(sum(ranges.least_costs, gone), cutoff)
        if len(self.cheapest) == len(self.problem.modules):
            # If the cheapest plans of all modules meet the SLO together, they are the optimum. The joint model would
            # have to find it among whole numbers that hardly differ in cost.
            ranges = self._prove_by_module(ranges, self._cheapest_plan(), cutoff)
            if self.proven():
                return Ending.FOUND
            cutoff = min(cutoff, self.cutoff)
            ranges = within(ranges, cutoff)
            if ranges.empty:
                self.raise_bound(cutoff, cutoff)
                return Ending.EMPTY
        return self._sift(ranges, cutoff)

    def _sift(self, ranges: Ranges, cutoff: Fraction) -> Ending:
        """Go through the solutions of the model of some ranges until no plan of them costs at most the cutoff."""
        model = joint_model(ranges.problem, cutoff, ranges.least_costs, ranges.most_costs(cutoff))
        for plan, evaluation in self.known[-MOST_CANDIDATES:]:
            model.forbid(self._priced(ranges.problem, plan, evaluation))
        for _ in range(MOST_CANDIDATES):
            if self.left() <= 0:
                return Ending.LIMIT
            found = self._run(model, cutoff)
            if found.infeasible:
                self.raise_bound(cutoff, cutoff)
                return Ending.EMPTY
            if found.values is None:
                return Ending.LIMIT
            plan = model.plan(found.values)
            checked = self.accept(plan)
            if not found.optimal:
                return Ending.LIMIT
            if self.cutoff < cutoff * (1 - WORTH) and (self.bound or 0) < self.cutoff * (1 - FINE):
                return Ending.FOUND
            if self.cutoff < cutoff:
                cutoff = self.cutoff
                model.demand_below(cutoff)
            for exclusion in refused(ranges.problem, model.states(found.values), plan, checked):
                self.stats["refused"] += 1
                model.forbid(exclusion)
            if checked.feasible:
                model.forbid(self._priced(ranges.problem, plan, checked))
        return Ending.TIES

    def _priced(self, problem: JointProblem, plan: Plan, checked: Evaluation) -> Exclusion:
        assert self.cost is not None
        return priced(problem, plan, checked, self.cost, self.bound or Fraction(0))

    def _prove_by_module(self, ranges: Ranges, plan: Plan, cutoff: Fraction) -> Ranges:
        """Prove the least cost of each module to the last digit, if the cheapest plans of all modules make a plan.

        Args:
            ranges: ranges of the plans of interest.
            plan: the cheapest plan of every module, as far as scales can tell.
            cutoff: plans of interest cost at most this much.
        """
        checked = self.accept(plan)
        # If changes count, the costs of modules by themselves say little about their cost together.
        together = len(plan.modules) == 1 or self.problem.changes is not None
        if self.proven() or not checked.feasible or together:
            return ranges
        modules, costs = list(plan.modules), list(ranges.least_costs)
        for m, entry in enumerate(checked.modules):
            if costs[m] >= entry.cost_per_h * (1 - STEP):
                continue
            alone = self._alone(ranges, m, modules[m])
            if alone.plan is None or alone.cost is None or alone.bound is None:
                break  # of no interest: a plan to start from is cheaper
            costs[m] = max(costs[m], alone.bound)
            if alone.cost < entry.cost_per_h:
                modules[m] = alone.plan.modules[0]
                if not self.accept(Plan(tuple(modules))).feasible:
                    break
        self.raise_bound(sum(costs, Fraction(0)), cutoff)
        return replace(ranges, least_costs=costs)

    def _alone(self, ranges: Ranges, m: int, plan: ModulePlan) -> _CpsatSearch:
        """The search of one module within its largest budget, from a plan that is the cheapest as far as scales tell.

        The rest is to rule out the whole numbers with the same units of cost, in as many models as there are.
        """
        alone = _CpsatSearch(
            ranges.problem.alone(m), self.limits, self.started, self.deadline, bound=ranges.least_costs[m]
        )
        alone.accept(Plan((plan,)))
        ending = Ending.LIMIT if alone.cost is None else Ending.FOUND
        while ending is Ending.FOUND and not alone.proven():
            cutoff = alone.cutoff
            left = within(Ranges(alone.problem, ranges.least_costs[m : m + 1], False), cutoff)
            if left.empty:
                alone.raise_bound(cutoff, cutoff)
            else:
                ending = alone._sift(left, cutoff)
        self.stats["module_models"] += alone.stats["models"]
        self.stats["conflicts"] += alone.stats["conflicts"]
        return alone

    def run(self) -> Ending:
        """Search until nothing cheaper is left, or a limit is hit."""
        if any(c.most_machines > MOST_MACHINES for module in self.problem.modules for c in module.configurations):
            return Ending.EMPTY if self.proven() else Ending.TIES
        ending = Ending.FOUND
        while ending is Ending.FOUND and not self.proven():
            if self.left() <= 0:
                return Ending.LIMIT
            ending = self.search()
        return Ending.EMPTY if self.proven() else ending

    def _cheapest_plan(self) -> Plan:
        machines, partial_at = [], []
        for m, module in enumerate(self.problem.modules):
            counts, at = self.cheapest[m]
            index = [c.index for c in module.configurations]
            machines.append([counts.get(i, 0) for i in index])
            partial_at.append(None if at is None else index.index(at))
        return self.problem.plan(machines, partial_at)

    def _engine_limits(self, most_s: float = math.inf) -> EngineLimits:
        return engine_limits(self.limits, min(most_s, self.left()))

    def _least_cost(self, problem: JointProblem, m: int, most: Fraction) -> Fraction | None:
        if most == 0:
            return Fraction(0)
        found = allocate_module(problem, m, most, self._engine_limits(TIGHTENING_S))
        self.stats["module_models"] += 1
        self.stats["conflicts"] += found.conflicts
        if found.machines is not None:
            index = [c.index for c in problem.modules[m].configurations]
            at = None if found.partial_at is None else index[found.partial_at]
            self.cheapest[m] = dict(zip(index, found.machines, strict=True)), at
        return None if found.infeasible else found.bound_per_h

    def _run(self, model: JointModel, cutoff: Fraction) -> CountedOutcome:
        """Solve the joint model once more and note the outcome."""
        before = self.elapsed()
        found = CP_SAT_FEW_CUTS.run(model.model, self._engine_limits())
        self.stats["models"] += 1
        self.stats["conflicts"] += found.nodes
        for point in found.trace:
            if point.bound is not None:
                bound = min(point.bound / model.units_per_money, cutoff)
                self.bound = bound if self.bound is None else max(bound, self.bound)
                self._note(before + point.wall_s)
        if found.bound is not None:
            self.raise_bound(found.bound / model.units_per_money, cutoff)
        return found

    def _note(self, wall_s: float) -> None:
        incumbent = None if self.cost is None else float(self.cost)
        self.trace.append(TracePoint(wall_s, incumbent, None if self.bound is None else float(self.bound)))


def run_cpsat(session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """The cheapest plan of a session in any plan space with dummy rule none or machine; anytime, with a valid bound."""

    def begin(problem: JointProblem, started: float, deadline: float) -> _CpsatSearch:
        return _CpsatSearch(problem, limits, started, deadline)

    return solve_joint(session, space, limits, begin)
