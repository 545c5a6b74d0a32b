"""Solvers `ppipe` and `ppipe-literal`: PPipe's MILP on PuLP (appendix A), corrected and as it is printed.

Engines work within tolerances, so a solution may have a pipeline that misses the SLO by a millionth, miss a load, or be
worse than another one by as much. So `ppipe` finds the best plan of all options that the engine has proposed in
fractions (`formulations/pipeline/ppipe/search.py`). The model runs again for a plan with another option that may be as
good, with all rows laxer than the tolerances. When there is none, the best plan known is proven. With too many options
for that, the answer is feasible, and its bound is the engine's moved outwards. `ppipe-literal` forbids late pipelines'
options together, and proves infeasibility only.

`ppipe-literal` shows an erratum of the print. (2), (8), (13) (and (16), (22), (27)) make every pipeline of every
sequence of GPU types run at least one GPU per place within the SLO. A model too slow for the low-class GPUs alone, or a
cluster with few GPUs of a class, then has no plan at all. And (23) adds up fractions of GPUs, which one GPU would have
to lend to different partitions. The optimum of the print bounds no plan space, so `ppipe-literal` claims no bound;
`stats["printed_bound"]` has it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from pulp import LpAffineExpression, LpMaximize, LpMinimize, LpProblem, LpVariable, lpSum

from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer, Status, WarmStart
from euclio.problems.pipeline import Cluster, Objective, PipelinePlan, PipelineSpace
from formulations.effort import UndecidedError
from formulations.engines.interface import LinearOutcome, engine_limits
from formulations.engines.milp import export_lp, run_twice
from formulations.engines.registry import chosen_engine
from formulations.pipeline.ppipe.points import Choice, demand, late_pipelines, pool_name, values_of
from formulations.pipeline.ppipe.problem import Option, PPipeProblem, Slot
from formulations.pipeline.ppipe.search import ClusterSearch, Known, answer_at_once, solve_in_time
from formulations.tolerances import LARGEST_ERROR, ROOM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


# PPipe's MILP in PuLP: equations (1)-(14), and (15)-(28) where batches are unified (appendix A.1, A.2).
#
# Variables y, p, g, x, gpus, z and rows as in `formulations/pipeline/ppipe/problem.py`; v, X, C of option o, T of the
# model:
#
#     max   z                                                                             (1), (15)
#     s.t.  Σ_{o at d} p_o = y_l                                  every l, d              (2), (16)
#           Σ_{o at d ends at j} p_o ≤ Σ_{o' at d+1 begins at j} p_o'   every l, d, j, (b)    (4), (18)
#           p_o ≤ g_o ≤ G_o p_o                                   every o                 (7), (8), (21), (22)
#           x_l ≤ Σ_{o at d} X_o g_o                              every l, d              (11), (14), (25), (28)
#           Σ_o (C_o / T) p_o ≤ y_l                               every l                 (10)-(13), (24)-(27)
#           Σ_{l, k at d} Σ_o g_o / v ≤ gpus_m_d_k                every m, d, k           ours
#           Σ_m Σ_d gpus_m_d_k ≤ N_k                              every k                 (9), (23)
#           w_m z ≤ Σ_{l of m} x_l                                every m                 §3
#           Σ_{l of m} y_l ≥ 1                                    every m                 ours
#           y, p binary; g, gpus whole; x, z ≥ 0
#
# Numbers are scaled before the model is built, so that an engine sees important numbers near 1. x_l, z and X_o are
# shares of a throughput that no plan exceeds, or of the load, and costs are shares of a cost (`scale`). X_o lies
# between the least share that engines do not lose and 1, since no model can use more. Every row of real numbers is
# relaxed by ROOM, at least the engines' tolerance, so it cuts off no plan. So a bound of the model, moved outwards by
# LARGEST_ERROR, bounds all plans, and a model without a solution proves that there is no plan.
#
# Literal: y_l = 1. Without whole GPUs: Σ_m Σ_d Σ_o g_o / v ≤ N_k (23) in place of the two rows above. Least cost: min
# Σ_k price_k · (left side of the row of N_k), with rate_m ≤ Σ_{l of m} x_l in place of the row of z. The indicator
# constraints (4), (7), (8) become linear with the smallest factors that lose no plan. The rows substitute t, n and x_ld
# of the print.

LEAST_RATE = 1e-7
"""Least share of a throughput in the model, since engines lose smaller coefficients."""
LEAST_PRICE, LARGEST_PRICE = 1e-9, 1e4
"""Least and largest price in the model. Next to a cost of 1 less is nothing, and no plan buys a more expensive GPU."""


@dataclass(frozen=True, slots=True)
class MilpModel:
    """The MILP of a problem.

    Attributes:
        problem: the problem.
        model: the model.
        y: per slot, whether a plan uses it.
        p: per slot and place, the variable of each option.
        g: per slot and place, the virtual GPUs of each option.
        scale: unit of the objective.
    """

    problem: PPipeProblem
    model: LpProblem
    y: list[LpVariable]
    p: list[list[list[LpVariable]]]
    g: list[list[list[LpVariable]]]
    scale: Fraction

    def bound(self, found: float | None) -> float | None:
        """The bound on the problem's objective that follows from a bound of the model."""
        if found is None:
            return None
        outwards = LARGEST_ERROR if self.problem.space.objective is Objective.THROUGHPUT else -LARGEST_ERROR
        return (found + outwards) * float(self.scale)

    def demand_better(self, value: Fraction) -> None:
        """Cut off plans worse than a value by more than tolerances; with large steps, costs must be less."""
        model = self.model
        if self.problem.space.objective is Objective.THROUGHPUT:
            model.variablesDict()["z"].lowBound = max(0.0, float(value / self.scale) - 2 * ROOM)
            return
        step = self.problem.cost_step / (2 * self.scale)
        room = -float(step) if step >= 4 * ROOM else 2 * ROOM
        model += model.objective <= float(value / self.scale) + room, f"better_{model.numConstraints()}"

    def demand_other(self, known: Callable[[int, int, Option], bool]) -> None:
        """Cut off all choices that consist of known options only, which are given as slot, place and option."""
        model, slots = self.model, self.problem.slots
        other = [
            v
            for i, slot in enumerate(slots)
            for d, options in enumerate(slot.places)
            for o, v in zip(options, self.p[i][d], strict=True)
            if not known(i, d, o)
        ]
        model += lpSum(other) >= 1, f"other_{model.numConstraints()}"

    def choice(self, values: Mapping[str, float]) -> Choice:
        """The options and virtual GPUs that a solution of the model chooses."""
        chosen: dict[int, tuple[tuple[Option, int], ...]] = {}
        for i, slot in enumerate(self.problem.slots):
            if values[self.y[i].name] < 0.5:
                continue
            places = []
            for options, p, g in zip(slot.places, self.p[i], self.g[i], strict=True):
                k = max(range(len(options)), key=lambda k, p=p: values[p[k].name])  # type: ignore[misc]
                places.append((options[k], max(1, round(values[g[k].name]))))
            chosen[i] = tuple(places)
        return chosen

    def forbid(self, slot: int, places: tuple[tuple[Option, int], ...]) -> None:
        """Cut off the options of a pipeline that together miss the SLO."""
        model, options_of = self.model, self.problem.slots[slot].places
        together = [p[options.index(o)] for options, p, (o, _) in zip(options_of, self.p[slot], places, strict=True)]
        model += lpSum(together) <= len(together) - 1, f"late_{model.numConstraints()}"


def milp_model(problem: PPipeProblem, scale: Fraction | None = None, room: float = ROOM) -> MilpModel:
    """Build the MILP.

    Args:
        problem: the problem; every mandatory pipeline can be used.
        scale: an upper bound on throughput in the objective's unit, or a cost; None means the problem's.
        room: relaxation of rows of real numbers; below 0 makes them stricter.
    """
    most = problem.space.objective is Objective.THROUGHPUT
    model = LpProblem("ppipe", LpMaximize if most else LpMinimize)
    found = MilpModel(problem, model, [], [], [], problem.most if scale is None else scale)
    served: list[list[LpVariable]] = [[] for _ in problem.models]
    for slot in problem.slots:
        served[slot.model].append(_add_pipeline(found, slot, room))
    _add_gpus(found)
    _add_demand(found, served, room)
    return found


def _add_pipeline(found: MilpModel, slot: Slot, room: float) -> LpVariable:
    """Variables and rows of one pipeline; returns its throughput."""
    model, name = found.model, slot.name
    budget = found.problem.cluster.models[slot.model].budget_s
    y = model.add_variable(f"y_{name}", int(found.problem.literal), 1, cat="Integer")
    x = model.add_variable(f"x_{name}", 0, 1)
    unit = demand(found.problem, slot.model, found.scale)
    p = [[model.add_variable(f"p_{name}_{o.name}", cat="Binary") for o in options] for options in slot.places]
    g = [
        [model.add_variable(f"g_{name}_{o.name}", 0, o.most_gpus, cat="Integer") for o in options]
        for options in slot.places
    ]
    found.y.append(y)
    found.p.append(p)
    found.g.append(g)
    latency: list[tuple[LpVariable, float]] = [(y, -1.0)]
    for d, options in enumerate(slot.places):
        model += lpSum(p[d]) == y, f"one_{name}_{d}"
        for o, taken, count in zip(options, p[d], g[d], strict=True):
            model += count <= o.most_gpus * taken, f"most_{name}_{o.name}"
            model += count >= taken, f"least_{name}_{o.name}"
            latency.append((taken, float(o.latency_s / budget)))
        rates = [max(min(float(o.rate_rps / unit), 1.0), LEAST_RATE) * (1 + room) for o in options]
        model += x <= LpAffineExpression(list(zip(g[d], rates, strict=True))) + room * y, f"flow_{name}_{d}"
    latency[0] = (y, -1.0 - room)
    model += LpAffineExpression(latency) <= 0, f"latency_{name}"
    for d in range(len(slot.places) - 1):
        _add_cuts(found, slot, d, p)
    return x


def _add_cuts(found: MilpModel, slot: Slot, d: int, p: list[list[LpVariable]]) -> None:
    """Rows (4), (18): the next place begins at the end of place d, with the same batch size if batches are unified."""
    ends: dict[tuple[int, int], list[LpVariable]] = {}
    begins: dict[tuple[int, int], list[LpVariable]] = {}
    model, unified = found.model, found.problem.unified
    for o, v in zip(slot.places[d], p[d], strict=True):
        ends.setdefault((o.batch if unified else 0, o.end), []).append(v)
    for o, v in zip(slot.places[d + 1], p[d + 1], strict=True):
        begins.setdefault((o.batch if unified else 0, o.first), []).append(v)
    for (batch, end), left in ends.items():
        row = f"follow_{slot.name}_{d}_b{batch}_{end}" if unified else f"follow_{slot.name}_{d}_{end}"
        model += lpSum(left) <= lpSum(begins.get((batch, end), [])), row


def _add_gpus(found: MilpModel) -> None:
    """Rows (9), (23), and the objective of least cost."""
    problem, model = found.problem, found.model
    used: dict[str, list[LpAffineExpression]] = {gpu.name: [] for gpu in problem.cluster.gpus}
    for pool, slots in problem.pools().items():
        _, d, gpu = pool
        virtual = LpAffineExpression(
            [
                (v, problem.shares // o.share)
                for i in slots
                for o, v in zip(problem.slots[i].places[d], found.g[i][d], strict=True)
            ]
        )
        if problem.space.whole_gpus:
            name = pool_name(problem, pool)
            whole = model.add_variable(f"gpus_{name}", 0, problem.cluster.gpu(gpu).count, cat="Integer")
            model += virtual <= problem.shares * whole, f"whole_{name}"
            used[gpu].append(problem.shares * whole)
        else:
            used[gpu].append(virtual)
    for type_ in problem.cluster.gpus:
        model += lpSum(used[type_.name]) <= problem.shares * type_.count, f"count_{problem.gpus[type_.name]}"
    if problem.space.objective is Objective.COST:
        units = {gpu.name: _within(gpu.price_per_h or Fraction(0), found.scale) for gpu in problem.cluster.gpus}
        units = {gpu: price / problem.shares for gpu, price in units.items()}
        model.setObjective(lpSum(units[gpu] * amount for gpu, amounts in used.items() for amount in amounts))


def _within(price: Fraction, scale: Fraction) -> float:
    """A price in units of the scale, rounded down; engines lose or refuse numbers far from 1."""
    units = float(min(price / scale, Fraction(LARGEST_PRICE)))
    return units if units >= LEAST_PRICE else 0.0


def _add_demand(found: MilpModel, served: list[list[LpVariable]], room: float) -> None:
    """The requests that each model must be served, and the objective of most throughput."""
    problem, model = found.problem, found.model
    for m, name in enumerate(problem.models):
        own = [y for slot, y in zip(problem.slots, found.y, strict=True) if slot.model == m]
        model += lpSum(own) >= 1, f"some_{name}"
    if problem.space.objective is Objective.COST:
        for m, rates in enumerate(served):
            model += lpSum(rates) >= 1 - room, f"load_{problem.models[m]}"
        return
    z = model.add_variable("z", 0, 1)
    for m, rates in enumerate(served):
        model += lpSum(rates) >= z - room, f"load_{problem.models[m]}"
    model.setObjective(z)


NAME = "ppipe"
LITERAL = "ppipe-literal"
MOST_MODELS = 200
"""Most models to solve before the search gives up a proof."""
PRINTED_INFEASIBLE = "printed_infeasible"
"""Counter that is 1 if the MILP as printed is proven infeasible."""
FAR = 100
"""Part of a model's scale; a best value below it is too small for the engine's tolerance."""


def solve_ppipe(cluster: Cluster, space: PipelineSpace, limits: Limits[PipelinePlan]) -> Answer[PipelinePlan]:
    """The best plan with one pipeline per model and sequence of GPU types, with proof.

    Raises:
        InputError: least cost is asked for and a price or a load is missing.
    """
    return solve_in_time(cluster, space, limits, lambda search: answer_at_once(search) or _solve(search))


def solve_ppipe_literal(cluster: Cluster, space: PipelineSpace, limits: Limits[PipelinePlan]) -> Answer[PipelinePlan]:
    """The optimum of the MILP as printed, with every pipeline in use and fractions of GPUs added up.

    It bounds no plan space, and the plan space may have a plan if the MILP has none.

    Raises:
        InputError: least cost is asked for and a price or a load is missing.
    """
    return solve_in_time(cluster, space, limits, _solve_literally, literal=True)


def _solve_literally(search: ClusterSearch) -> Answer[PipelinePlan]:
    slot = search.problem.impossible
    if slot is not None:
        reason = (
            f"as printed, (2) and (8) demand a pipeline of {search.problem.cluster.models[slot.model].name} on "
            f"{' -> '.join(slot.gpus)}, which misses the SLO (13) or lacks GPUs"
        )
        return Answer(None, "infeasible as printed", stats={PRINTED_INFEASIBLE: 1.0}, reason=reason)
    answer = _solve_printed(search)
    stats = answer.stats if answer.bound is None else {**answer.stats, "printed_bound": answer.bound}
    raw_status = f"{answer.raw_status} as printed"
    if answer.infeasible:
        # This proves nothing about the plan space, which has plans with unused pipelines.
        reason = "as printed, all pipelines together need more GPUs than there are"
        stats = {**stats, PRINTED_INFEASIBLE: 1.0}
        return Answer(None, "infeasible as printed", stats=stats, reason=reason, trace=answer.trace)
    return replace(answer, raw_status=raw_status, bound=None, stats=stats)


def _solve(search: ClusterSearch) -> Answer[PipelinePlan]:
    """Ask the engine for plans with unknown options, until there is none that may be better."""
    known = Known(search.problem)
    if search.start is not None:
        search.accept(search.start)
        known.add(search.start)
    model, first = milp_model(search.problem), True
    if search.limits.options.export_lp is not None:
        export_lp(model.model, search.limits.options.export_lp)
    while search.left_s > 0:
        run = _run(search, model, search.start if first else None)
        if run.infeasible:
            search.prove()
            break
        if first:
            search.note_bound(model.bound(run.bound))
        if run.values is None or search.stats["models"] >= MOST_MODELS:
            break
        choice = model.choice(run.values)
        late = late_pipelines(search.problem, choice)
        search.stats["refused"] += len(late)
        search.accept({i: places for i, places in choice.items() if i not in late})
        # An engine without a new proposal has lost a row in its tolerance.
        if not known.add(choice) and not first:
            break
        try:
            known.improve(search, search.until)
        except (InapplicableError, UndecidedError):
            break
        if search.value == 0 or search.closed or known.all:
            search.prove()
            break
        scale = _finer(search, model.scale)
        first = scale is not None
        if scale is not None:
            model = milp_model(search.problem, scale)
            continue
        if search.value is not None:
            model.demand_better(search.value)
        model.demand_other(known.has)
    return search.answer()


def _finer(search: ClusterSearch, scale: Fraction) -> Fraction | None:
    """A scale closer to the best plan's value than a model's; None if that is close enough."""
    best = search.bound if search.most else search.value
    if best is None or not 0 < best < scale / FAR:
        return None
    return Fraction(best) * (1 + Fraction(ROOM))


def _solve_printed(search: ClusterSearch) -> Answer[PipelinePlan]:
    model = milp_model(search.problem, room=0.0)
    if search.limits.options.export_lp is not None:
        export_lp(model.model, search.limits.options.export_lp)
    last = _run_printed(search, model)
    if last is Status.INFEASIBLE and search.plan is None:
        # Only rows laxer than the engine's tolerance prove this.
        search.infeasible = _run(search, milp_model(search.problem), None).infeasible
    if last is Status.FEASIBLE and search.plan is None:
        bound = search.bound
        _run_printed(search, milp_model(search.problem, room=-2 * ROOM))
        search.bound = bound
    return search.answer()


def _run_printed(search: ClusterSearch, model: MilpModel) -> Status:
    """Solve a model until no pipeline of its solution is late.

    Returns:
        The outcome; feasible, not optimal, if the checker refuses the engine's optimum.
    """
    while True:
        run = _run(search, model, search.start)
        search.note_bound(None if run.bound is None else run.bound * float(model.scale))
        if run.values is None:
            return run.status
        choice = model.choice(run.values)
        late = late_pipelines(search.problem, choice)
        if not late:
            return run.status if search.accept(choice) else Status.FEASIBLE
        search.stats["refused"] += len(late)
        if not run.optimal or search.left_s <= 0:
            return Status.FEASIBLE
        for i in late:
            model.forbid(i, choice[i])


def _run(search: ClusterSearch, model: MilpModel, start: Choice | None) -> LinearOutcome:
    """Solve a model once, and take over its trace and counters."""
    options, before = search.limits.options, time.perf_counter() - search.started
    values = None if start is None else values_of(search.problem, start, model.scale)
    run = run_twice(model.model, chosen_engine(options), engine_limits(search.limits, search.left_s), values)
    search.raw_status = run.raw_status
    scale = float(model.scale)
    search.trace += run.translated(dict, lambda value: value * scale, lambda bound: bound * scale).trace_from(before)
    search.stats["models"] += 1
    search.stats["nodes"] = search.stats.get("nodes", 0.0) + run.nodes
    if run.warm_start is WarmStart.USED:
        search.warm = WarmStart.USED
    return run
