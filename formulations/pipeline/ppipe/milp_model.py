"""PPipe's MILP in PuLP: equations (1)-(14), and (15)-(28) where batches are unified (appendix A.1, A.2).

Variables y, p, g, x, gpus, z and rows as in `formulations/pipeline/ppipe/problem.py`; v, X, C of option o, T of the
model:

    max   z                                                                             (1), (15)
    s.t.  Σ_{o at d} p_o = y_l                                  every l, d              (2), (16)
          Σ_{o at d ends at j} p_o ≤ Σ_{o' at d+1 begins at j} p_o'   every l, d, j, (b)    (4), (18)
          p_o ≤ g_o ≤ G_o p_o                                   every o                 (7), (8), (21), (22)
          x_l ≤ Σ_{o at d} X_o g_o                              every l, d              (11), (14), (25), (28)
          Σ_o (C_o / T) p_o ≤ y_l                               every l                 (10)-(13), (24)-(27)
          Σ_{l, k at d} Σ_o g_o / v ≤ gpus_m_d_k                every m, d, k           ours
          Σ_m Σ_d gpus_m_d_k ≤ N_k                              every k                 (9), (23)
          w_m z ≤ Σ_{l of m} x_l                                every m                 §3
          Σ_{l of m} y_l ≥ 1                                    every m                 ours
          y, p binary; g, gpus whole; x, z ≥ 0

Numbers are scaled before the model is built, so that an engine sees what matters near 1: x_l, z and X_o are shares of a
throughput that no plan exceeds, or of the load, and costs of a cost (`scale`); X_o lies between the least share that
engines do not lose and 1, as no model can use more. Every row of real numbers is laxer than it is by ROOM, which is no
less than what engines lose: no plan is cut off, whatever the tolerance. So a bound of the model, moved outwards by
LARGEST_ERROR, bounds all plans, and a model without a solution says that there is no plan.

Literal: y_l = 1. Without whole GPUs: Σ_m Σ_d Σ_o g_o / v ≤ N_k (23) in place of the two rows above. Least cost: min
Σ_k price_k · (left side of the row of N_k), with rate_m ≤ Σ_{l of m} x_l in place of the row of z. The indicator
constraints (4), (7), (8) become linear with the smallest factors that lose no plan. t, n and x_ld of the print are put
in where they are used.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from euclio.problems.pipeline import Objective
from formulations.pipeline.ppipe.options import Option
from formulations.pipeline.ppipe.points import Choice, demand, pool_name
from formulations.pipeline.ppipe.problem import PPipeProblem, Slot
from formulations.tolerances import LARGEST_ERROR, ROOM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pulp import LpAffineExpression, LpProblem, LpVariable


LEAST_RATE = 1e-7
"""Least share of a throughput in the model: smaller coefficients are lost by engines."""
LEAST_PRICE, LARGEST_PRICE = 1e-9, 1e4
"""Prices in the model: next to a cost of 1, less is nothing, and nothing that costs more is bought."""


@dataclass(frozen=True, slots=True)
class MilpModel:
    """The MILP of a problem.

    Attributes:
        problem: the problem.
        model: the model.
        y: per slot, whether it is used.
        p: per slot and place, the variable of each option.
        g: per slot and place, the virtual GPUs of each option.
        scale: what the objective is counted in.
    """

    problem: PPipeProblem
    model: LpProblem
    y: list[LpVariable]
    p: list[list[list[LpVariable]]]
    g: list[list[list[LpVariable]]]
    scale: Fraction

    def bound(self, found: float | None) -> float | None:
        """The bound on the problem's objective that a bound of the model stands for."""
        if found is None:
            return None
        outwards = LARGEST_ERROR if self.problem.space.objective is Objective.THROUGHPUT else -LARGEST_ERROR
        return (found + outwards) * float(self.scale)

    def demand_better(self, value: Fraction) -> None:
        """Cut off plans worse than a value by more than tolerances; costs have to be less where steps are large."""
        model = self.model
        if self.problem.space.objective is Objective.THROUGHPUT:
            model.variablesDict()["z"].lowBound = max(0.0, float(value / self.scale) - 2 * ROOM)
            return
        step = self.problem.cost_step / (2 * self.scale)
        room = -float(step) if step >= 4 * ROOM else 2 * ROOM
        model += model.objective <= float(value / self.scale) + room, f"better_{model.numConstraints()}"

    def demand_other(self, known: Callable[[int, int, Option], bool]) -> None:
        """Cut off all choices that consist of known options only, which are given as slot, place and option."""
        from pulp import lpSum

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
        """Cut the options of a pipeline off that together miss the SLO."""
        from pulp import lpSum

        model, options_of = self.model, self.problem.slots[slot].places
        together = [p[options.index(o)] for options, p, (o, _) in zip(options_of, self.p[slot], places, strict=True)]
        model += lpSum(together) <= len(together) - 1, f"late_{model.numConstraints()}"


def milp_model(problem: PPipeProblem, scale: Fraction | None = None, room: float = ROOM) -> MilpModel:
    """Build the MILP.

    Args:
        problem: the problem; no pipeline that has to be used and cannot.
        scale: a throughput that no plan exceeds, in the objective's unit, or a cost; None: the problem's.
        room: what rows of real numbers are laxer than they are; below 0: stricter.
    """
    from pulp import LpMaximize, LpMinimize, LpProblem

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
    from pulp import LpAffineExpression, lpSum

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
    """Rows (4), (18): where place d ends, the next one begins, with the same batch size if batches are unified."""
    from pulp import lpSum

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
    from pulp import LpAffineExpression, lpSum

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
    """A price in units of the scale, no more than it is: what is far from 1 engines lose or refuse."""
    units = float(min(price / scale, Fraction(LARGEST_PRICE)))
    return units if units >= LEAST_PRICE else 0.0


def _add_demand(found: MilpModel, served: list[list[LpVariable]], room: float) -> None:
    """What each model has to be served, and the objective of most throughput."""
    from pulp import lpSum

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
