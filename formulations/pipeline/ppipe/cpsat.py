"""Solver `ppipe-cpsat`: PPipe's corrected MILP in CP-SAT, the twin of `ppipe` (appendix A).

The model is that of `formulations/pipeline/ppipe/cpsat.py`. CP-SAT counts in whole numbers, so rates are scaled. With
every rate rounded up and every latency down, each plan is a solution worth no less, so the optimum is a bound. A search
in fractions finds the best plan of all options proposed so far (`formulations/pipeline/ppipe/search.py`). The model
runs again for a plan with another option that may be better, until there is none, or, after too many runs, once more at
a finer scale.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

from ortools.sat.python import cp_model

from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer, WarmStart
from euclio.problems.pipeline import Cluster, Objective, PipelinePlan, PipelineSpace
from formulations.effort import UndecidedError
from formulations.engines.cpsat import CP_SAT, ROW_UNITS, CountedOutcome, CountedValues, common_scale
from formulations.engines.interface import engine_limits
from formulations.pipeline.ppipe.points import Choice, late_pipelines, pool_name, values_of
from formulations.pipeline.ppipe.problem import Option, PPipeProblem, Slot
from formulations.pipeline.ppipe.search import ClusterSearch, Known, answer_at_once, solve_in_time

if TYPE_CHECKING:
    from collections.abc import Callable


# PPipe's MILP in CP-SAT: the twin of `milp.py`, with the same variables and the same rows, in whole numbers.
#
# Variables y, p, g, x, gpus, z and rows as in `formulations/pipeline/ppipe/problem.py`; w the weight, or the load for
# least cost:
#
#     max   z                                                                             (1), (15)
#     s.t.  Σ_{o at d} p_o = y_l                                  every l, d              (2), (16)
#           Σ_{o at d ends at j} p_o ≤ Σ_{o' at d+1 begins at j} p_o'   every l, d, j, (b)    (4), (18)
#           p_o ≤ g_o ≤ G_o p_o                                   every o                 (7), (8), (21), (22)
#           x_l ≤ Σ_b x_ldb,  x_ldb = Σ_{o at d, batch b} [X_o S / w] g_o   every l, d    (11), (14), (25), (28)
#           Σ_o ⌊C_o Q⌋ p_o ≤ ⌊T Q⌋ y_l                           every l                 (10)-(13), (24)-(27)
#           Σ_{l, k at d} Σ_o g_o L / v ≤ L gpus_m_d_k            every m, d, k           ours
#           Σ_m Σ_d gpus_m_d_k ≤ N_k                              every k                 (9), (23)
#           z ≤ Σ_{l of m} x_l                                    every m                 §3
#
# x and z are counted in units of w / S, latencies in 1/Q seconds, shares in 1/L GPUs. [·] is rounded up and latencies
# are rounded down, so each plan is a solution worth no less, and a model without a solution proves that there is no
# plan. The sum x_ld of the print comes in parts x_ldb, so that the coefficients of a row stay below CP-SAT's limit at a
# fine scale. Least cost: min Σ_k [price_k M] · (left side of the row of N_k), prices rounded down, and z = S. No
# product of variables occurs.

MONEY_UNITS = 1 << 26
"""Most units of the most expensive plan."""
TIME_UNITS = 1 << 26
"""Most units of a budget."""


@dataclass(slots=True)
class CpSatModel:
    """The CP-SAT model of a problem.

    Attributes:
        problem: the problem.
        model: the model.
        scale: S.
        money: M, units per money per hour.
        variables: y, p, g, x, gpus and z by their names in the MILP.
        cost: cost of a plan in units; None for throughput.
    """

    problem: PPipeProblem
    model: cp_model.CpModel
    scale: Fraction
    money: Fraction
    variables: dict[str, cp_model.IntVar]
    cost: cp_model.LinearExprT | None = None

    def choice(self, values: CountedValues) -> Choice:
        """The options and virtual GPUs that a solution of the model chooses."""
        chosen: dict[int, tuple[tuple[Option, int], ...]] = {}
        for i, slot in enumerate(self.problem.slots):
            if values[self.variables[f"y_{slot.name}"].index]:
                chosen[i] = tuple(
                    next(
                        (o, values[self.variables[f"g_{slot.name}_{o.name}"].index])
                        for o in options
                        if values[self.variables[f"p_{slot.name}_{o.name}"].index]
                    )
                    for options in slot.places
                )
        return chosen

    def start(self, choice: Choice) -> dict[int, int]:
        """Values for a warm start at a choice; throughputs follow from it."""
        return {
            self.variables[name].index: round(value)
            for name, value in values_of(self.problem, choice).items()
            if name in self.variables and name[0] in "ypg"
        }

    def demand_better(self, value: Fraction) -> None:
        """Cut off plans that are no better than a value, as far as the model's rounding allows."""
        if self.cost is None:
            self.model.add(self.variables["z"] >= floor(value * self.scale))
        else:
            self.model.add(self.cost <= ceil(value * self.money) - 1)

    def demand_other(self, known: Callable[[int, int, Option], bool]) -> None:
        """Cut off all choices of known options only, given as slot, place and option."""
        self.model.add_bool_or(
            [
                self.variables[f"p_{slot.name}_{o.name}"]
                for i, slot in enumerate(self.problem.slots)
                for d, options in enumerate(slot.places)
                for o in options
                if not known(i, d, o)
            ]
        )

    def value(self, objective: int) -> float:
        """The objective of the problem for one of the model, which minimises."""
        if self.problem.space.objective is Objective.THROUGHPUT:
            return float(-objective / self.scale)
        return float(objective / self.money)


def rate_scale(problem: PPipeProblem, units: int) -> Fraction:
    """Units S per request per second, such that the rates of one row sum to less than CP-SAT's limit."""
    rows = [
        sum((o.rate_rps for o in options if o.batch == batch), Fraction(0)) / problem.demand(slot.model)
        for slot in problem.slots
        for options in slot.places
        for batch in {o.batch for o in options}
    ]
    return units / max(rows)


def cpsat_model(problem: PPipeProblem, scale: Fraction, between: tuple[Fraction, float] | None = None) -> CpSatModel:
    """Build the model.

    Args:
        problem: the problem; every model has a pipeline, and every mandatory pipeline can be used.
        scale: S.
        between: a throughput of some plan and one that none exceeds, if known. Without them CP-SAT improves solutions
            unit by unit at a fine scale.
    """
    model = CpSatModel(problem, cp_model.CpModel(), scale, Fraction(1), {})
    for slot in problem.slots:
        _add_pipeline(model, slot)
    _add_gpus(model)
    _add_demand(model, between)
    return model


def _add_pipeline(found: CpSatModel, slot: Slot) -> None:
    """Variables and rows of one pipeline."""
    model, variables, name = found.model, found.variables, slot.name
    y = variables[f"y_{name}"] = model.new_bool_var(f"y_{name}")
    demand = found.problem.demand(slot.model)
    most = ceil(slot.most_rps / demand * found.scale)
    x = variables[f"x_{name}"] = model.new_int_var(0, most, f"x_{name}")
    if found.problem.literal:
        model.add(y == 1)
    for d, options in enumerate(slot.places):
        for o in options:
            p = variables[f"p_{name}_{o.name}"] = model.new_bool_var(f"p_{name}_{o.name}")
            g = variables[f"g_{name}_{o.name}"] = model.new_int_var(0, o.most_gpus, f"g_{name}_{o.name}")
            model.add(g <= o.most_gpus * p)
            model.add(g >= p)
        model.add(sum(_of(found, "p", slot, options)) == y)
        model.add(x <= sum(_flow(found, slot, d, batch) for batch in sorted({o.batch for o in options})))
    _add_latency(found, slot)
    for d in range(len(slot.places) - 1):
        _add_cuts(found, slot, d)


def _of(
    found: CpSatModel, letter: str, slot: Slot, options: tuple[Option, ...] | list[Option]
) -> list[cp_model.IntVar]:
    return [found.variables[f"{letter}_{slot.name}_{o.name}"] for o in options]


def _flow(found: CpSatModel, slot: Slot, d: int, batch: int) -> cp_model.IntVar:
    """The variables x_ldb of a place: requests per second through place d in batches of b."""
    options = [o for o in slot.places[d] if o.batch == batch]
    units = found.scale / found.problem.demand(slot.model)
    rates = [ceil(o.rate_rps * units) for o in options]
    most = max(rate * o.most_gpus for rate, o in zip(rates, options, strict=True))
    part = found.model.new_int_var(0, most, f"x_{slot.name}_{d}_b{batch}")
    found.model.add(part == sum(r * g for r, g in zip(rates, _of(found, "g", slot, options), strict=True)))
    return part


def _add_latency(found: CpSatModel, slot: Slot) -> None:
    """Row (13), (27), latencies rounded down."""
    budget = found.problem.cluster.models[slot.model].budget_s
    options = [o for place in slot.places for o in place]
    total = sum((o.latency_s for o in options), budget)
    units = min(TIME_UNITS, floor(ROW_UNITS * budget / total))
    scale = common_scale([budget, *(o.latency_s for o in options)], budget, units)
    latency = [floor(o.latency_s * scale) * p for o, p in zip(options, _of(found, "p", slot, options), strict=True)]
    found.model.add(sum(latency) <= floor(budget * scale) * found.variables[f"y_{slot.name}"])


def _add_cuts(found: CpSatModel, slot: Slot, d: int) -> None:
    """Rows (4), (18): the next place begins at the end of place d, with the same batch size if batches are unified."""
    unified = found.problem.unified
    ends: dict[tuple[int, int], list[Option]] = {}
    begins: dict[tuple[int, int], list[Option]] = {}
    for o in slot.places[d]:
        ends.setdefault((o.batch if unified else 0, o.end), []).append(o)
    for o in slot.places[d + 1]:
        begins.setdefault((o.batch if unified else 0, o.first), []).append(o)
    for cut, options in ends.items():
        found.model.add(sum(_of(found, "p", slot, options)) <= sum(_of(found, "p", slot, begins.get(cut, []))))


def _add_gpus(found: CpSatModel) -> None:
    """Rows (9), (23), and the objective of least cost."""
    problem, model = found.problem, found.model
    used: dict[str, list[cp_model.LinearExprT]] = {gpu.name: [] for gpu in problem.cluster.gpus}
    for pool, slots in problem.pools().items():
        _, d, gpu = pool
        virtual = sum(
            problem.shares // o.share * found.variables[f"g_{problem.slots[i].name}_{o.name}"]
            for i in slots
            for o in problem.slots[i].places[d]
        )
        if not problem.space.whole_gpus:
            used[gpu].append(virtual)
            continue
        name = f"gpus_{pool_name(problem, pool)}"
        whole = found.variables[name] = model.new_int_var(0, problem.cluster.gpu(gpu).count, name)
        model.add(virtual <= problem.shares * whole)
        used[gpu].append(whole)
    unit = 1 if problem.space.whole_gpus else problem.shares
    for type_ in problem.cluster.gpus:
        model.add(sum(used[type_.name]) <= unit * type_.count)
    if problem.space.objective is Objective.COST:
        prices = {gpu.name: (gpu.price_per_h or Fraction(0)) / unit for gpu in problem.cluster.gpus}
        highest = sum((prices[gpu.name] * unit * gpu.count for gpu in problem.cluster.gpus), Fraction(0))
        terms = [(prices[gpu], amount) for gpu, amounts in used.items() for amount in amounts]
        # With fractions of GPUs, an amount is a sum over all options, each with a coefficient of the row.
        options = sum(len(place) for slot in problem.slots for place in slot.places)
        most = min(MONEY_UNITS, ROW_UNITS // max(1, len(terms) if problem.space.whole_gpus else options))
        found.money = common_scale(prices.values(), highest, most) if highest else Fraction(1)
        found.cost = sum(floor(price * found.money) * amount for price, amount in terms)
        model.minimize(found.cost)


def _add_demand(found: CpSatModel, between: tuple[Fraction, float] | None) -> None:
    """The requests that each model must be served, and the objective of most throughput."""
    problem, model = found.problem, found.model
    rates = [
        [found.variables[f"x_{s.name}"] for s in problem.slots if s.model == m] for m in range(len(problem.models))
    ]
    if problem.space.objective is Objective.COST:
        for served in rates:
            model.add(sum(served) >= floor(found.scale))
        return
    least, most = 0, min(sum(variable.proto.domain[1] for variable in served) for served in rates)
    if between is not None:
        least, most = floor(between[0] * found.scale), ceil(Fraction(between[1]) * found.scale)
    z = found.variables["z"] = model.new_int_var(least, most, "z")
    for served in rates:
        model.add(z <= sum(served))
    model.minimize(-z)


NAME = "ppipe-cpsat"
SCALES = (1 << 22, 1 << 30)
"""Units of the rates of a row, coarse and fine."""
MOST_MODELS = 50
"""Most models to solve at one scale."""
MOST_PARTS = 2**16
"""Most parts of a GPU; their sums stay within CP-SAT's limit."""


def solve_ppipe_cpsat(cluster: Cluster, space: PipelineSpace, limits: Limits[PipelinePlan]) -> Answer[PipelinePlan]:
    """The best plan with one pipeline per model and sequence of GPU types, with proof.

    Raises:
        InapplicableError: GPUs have too many parts.
        InputError: a price or a load for least cost is missing.
    """
    return solve_in_time(cluster, space, limits, _solve)


def _solve(search: ClusterSearch) -> Answer[PipelinePlan]:
    at_once = answer_at_once(search)
    if at_once is not None:
        return at_once
    if search.problem.shares > MOST_PARTS:
        raise InapplicableError(f"{NAME} counts GPUs in at most {MOST_PARTS} parts; allow fewer shares, or use columns")
    known = Known(search.problem)
    if search.start is not None:
        search.accept(search.start)
        known.add(search.start)
    for units in SCALES:
        scale = rate_scale(search.problem, units)
        if _run(search, known, cpsat_model(search.problem, scale, _between(search))):
            break
    return search.answer()


def _between(search: ClusterSearch) -> tuple[Fraction, float] | None:
    """The throughput of the best plan, and the bound; None if not both are known, or for least cost."""
    if not search.most or search.value is None or search.bound is None:
        return None
    return search.value, max(search.bound, float(search.value))


def _run(search: ClusterSearch, known: Known, model: CpSatModel) -> bool:
    """Ask for plans with unknown options; whether the problem is decided, or no time is left."""
    start = None if search.start is None else model.start(search.start)
    for number in range(MOST_MODELS):
        before = time.perf_counter() - search.started
        found = CP_SAT.run(model.model, engine_limits(search.limits, search.left_s), start)
        _note(search, model, found, before, bounds=number == 0)
        if found.infeasible:
            search.prove()
            return True
        if found.values is None:
            return True
        choice = model.choice(found.values)
        late = late_pipelines(search.problem, choice)
        search.stats["refused"] += len(late)
        on_time = {i: places for i, places in choice.items() if i not in late}
        if search.accept(on_time):
            search.start = on_time
        known.add(choice)
        try:
            known.improve(search, search.until)
        except (InapplicableError, UndecidedError):
            return not found.optimal
        if search.value == 0 or search.closed or known.all:
            search.prove()
            return True
        if not found.optimal or search.left_s <= 0:
            return True
        if search.value is not None:
            model.demand_better(search.value)
        model.demand_other(known.has)
    return False


def _note(search: ClusterSearch, model: CpSatModel, found: CountedOutcome, started: float, *, bounds: bool) -> None:
    """Take over a run's plan, its counters and, if no plan was cut off, its proof."""
    search.stats["models"] += 1
    search.stats["conflicts"] = search.stats.get("conflicts", 0.0) + found.nodes
    search.raw_status = found.raw_status
    if found.warm_start is WarmStart.USED and search.stats["models"] == 1 and search.warm is not WarmStart.NONE:
        search.warm = WarmStart.USED
    if not bounds:
        return
    if found.bound is not None:
        search.note_bound(model.value(found.bound))
    search.trace += found.translated(dict, model.value, model.value).trace_from(started)
