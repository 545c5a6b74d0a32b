"""One way to run OR-Tools' CP-SAT: limits, seed, log, start, trace, and the traps of its answers (ours).

CP-SAT works on integers. Traps that this wrapper closes:

- its gap limits are set to 0, so that OPTIMAL means optimal;
- an answer UNKNOWN carries the bound 0.0, which is no bound, so it becomes None; so does the bound of a model without
  objective;
- presolve of OR-Tools 9.15.6755 certifies wrong optima and calls feasible models infeasible. It overflows if the
  |coefficients| of one row sum past 2^31 (google/or-tools #5293), and also errs on nine rows far below that. So it is
  off, in searches in neighbourhoods too, and a row past 2^31 is still refused;
- functions import the library, after all else that the process needs; importing this module does not;
- a time limit overruns, so a caller with a fixed end gives a shorter limit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

from euclio.core.result import Status, WarmStart
from formulations.engines.interface import EngineLimits, Outcome, Point
from formulations.tolerances import COUNTED_BOUND

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


# Whole numbers for exact quantities: scales for models that know integers only (ours).
#
# A scale is units per quantity. If the quantities of a model have a common denominator that fits, the scale is a
# multiple of it and nothing is rounded. Otherwise the model chooses the direction of every rounding.

ROW_UNITS = 1 << 30
"""Most units in one row, half of CP-SAT's limit (`formulations.engines.cpsat.COEFFICIENT_LIMIT`)."""


def common_scale(values: Iterable[Fraction], most: Fraction, target: int) -> Fraction:
    """Units per quantity such that `most` is at most `target` units, exact for all values if that fits.

    Args:
        values: the quantities to become whole numbers.
        most: the largest quantity that occurs; above 0.
        target: most units of it.
    """
    common = 1
    for value in values:
        common = lcm(common, value.denominator)
        if common * most > target:
            return Fraction(target) / most
    return Fraction(common * (Fraction(target) / (common * most)).__floor__())


COEFFICIENT_LIMIT = 1 << 31
"""The |coefficients| of one row must sum to less than this."""

SEVERAL_WORKERS = ("max_lp", "objective_lb_search_max_lp", "pseudo_costs", "reduced_costs", "lb_tree_search", "no_lp")
"""The strategies of several workers; those that lean on the linear relaxation come first."""


LINEARIZATION = 2
"""Part of a model in the linear relaxation, from 0 to 2; our models gain from all of it."""
GENERAL_CUTS = (
    "add_clique_cuts",
    "add_mir_cuts",
    "add_zero_half_cuts",
    "add_cg_cuts",
    "add_rlt_cuts",
    "add_objective_cut",
)
"""Families of cutting planes from the rows of any model, without those of a product or a maximum."""

CountedValues = Mapping[int, int]
CountedOutcome = Outcome[CountedValues, int]
"""The outcome on a model in whole numbers; values by the variables' index."""


@dataclass(frozen=True, slots=True)
class CpSat:
    """The engine CP-SAT for models in whole numbers, which it minimises.

    Attributes:
        name: its name.
        prunes: see `formulations.engines.interface.Engine`.
        general_cuts: whether the linear relaxation gets the cutting planes of `GENERAL_CUTS`.
    """

    name: str = "cpsat"
    prunes: bool = False
    general_cuts: bool = True

    def run(self, model: cp_model.CpModel, limits: EngineLimits, start: CountedValues | None = None) -> CountedOutcome:
        """Solve a model; see `formulations.engines.interface.Engine`.

        With one worker and no time limit the same seed gives the same outcome. The start may leave variables out.

        Raises:
            OverflowError: the |coefficients| of a row sum to 2^31 or more.
            ValueError: CP-SAT calls the model invalid.
        """
        if start is not None:
            _hint(model, start)
        return _run(model, limits, started=start is not None, general_cuts=self.general_cuts)


CP_SAT = CpSat()
CP_SAT_FEW_CUTS = CpSat(general_cuts=False)


@dataclass(slots=True)
class _Tracker:
    """Collects what the solver reports while it runs."""

    started: float
    points: list[Point[int]] = field(default_factory=list)
    incumbent: int | None = None
    bound: int | None = None
    first_solution: str | None = None

    def note_bound(self, bound: float) -> None:
        if math.isfinite(bound):
            self.bound = _round_up(bound)
            self._add()

    def note_solution(self, objective: float, info: str) -> None:
        self.incumbent = round(objective)
        if self.first_solution is None:
            self.first_solution = info
        self._add()

    def _add(self) -> None:
        self.points.append(Point(time.perf_counter() - self.started, self.incumbent, self.bound))


def _hint(model: cp_model.CpModel, start: CountedValues) -> None:
    model.clear_hints()  # type: ignore[no-untyped-call]
    for index, value in start.items():
        model.add_hint(model.get_int_var_from_proto_index(index), value)


def _run(model: cp_model.CpModel, limits: EngineLimits, *, started: bool, general_cuts: bool) -> CountedOutcome:
    from ortools.sat.python import cp_model

    check_rows(model)
    solver = cp_model.CpSolver()
    _set_parameters(solver, limits)
    for family in () if general_cuts else GENERAL_CUTS:
        setattr(solver.parameters, family, False)
    tracker = _Tracker(time.perf_counter())
    solver.best_bound_callback = tracker.note_bound
    log: list[str] = []
    if limits.log_file is not None:
        solver.log_callback = log.append
    callback = _solution_callback(cp_model, tracker)
    raw = solver.status_name(solver.solve(model, callback))
    if limits.log_file is not None:
        with limits.log_file.open("a", encoding="utf-8", newline="\n") as file:
            file.write("\n".join(log) + "\n")
    if raw == "MODEL_INVALID":
        raise ValueError(f"CP-SAT calls the model invalid: {model.validate()}")
    status = Status(raw.lower())
    found = status in (Status.OPTIMAL, Status.FEASIBLE)
    known = found and model.has_objective()
    hinted = "hint" in (tracker.first_solution or "")
    return Outcome(
        status,
        raw,
        dict(enumerate(solver.response_proto.solution)) if found else None,
        round(solver.objective_value) if found else None,
        _round_up(solver.best_objective_bound) if known else _last_bound(tracker, status),
        solver.num_conflicts,
        tuple(tracker.points),
        WarmStart.NONE if not started else WarmStart.USED if hinted else WarmStart.IGNORED,
    )


def check_rows(model: cp_model.CpModel) -> None:
    """Refuse rows whose |coefficients| sum to 2^31 or more.

    Raises:
        OverflowError: there is such a row.
    """
    for row in (*(c.linear for c in model.proto.constraints if c.has_linear()), model.proto.objective):
        total = sum(map(abs, row.coeffs))
        if total >= COEFFICIENT_LIMIT:
            raise OverflowError(f"the coefficients of a row sum to {total}, past 2^31; use a coarser scale")


def _set_parameters(solver: cp_model.CpSolver, limits: EngineLimits) -> None:
    parameters = solver.parameters
    parameters.relative_gap_limit = 0.0
    parameters.absolute_gap_limit = 0.0
    parameters.num_workers = limits.threads
    parameters.random_seed = limits.seed
    parameters.linearization_level = LINEARIZATION
    parameters.log_to_stdout = False
    parameters.log_search_progress = limits.log_file is not None
    if limits.time_limit_s is not None:
        parameters.max_time_in_seconds = max(0.0, limits.time_limit_s)
    if limits.threads > 1:
        parameters.subsolvers.extend(SEVERAL_WORKERS[: limits.threads])
    # Presolve proves falsehoods (see above), so it is off even if `limits.presolve` allows it.
    parameters.cp_model_presolve = False
    parameters.symmetry_level = 0
    # Searches in neighbourhoods would still presolve their small models.
    parameters.use_lns = False


def _solution_callback(library: Any, tracker: _Tracker) -> cp_model.CpSolverSolutionCallback:
    class Callback(library.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            tracker.note_solution(self.objective_value, str(self.response_proto.solution_info))

    return Callback()


def _last_bound(tracker: _Tracker, status: Status) -> int | None:
    """The bound reported during the run, since that in an UNKNOWN answer is always 0.0."""
    return tracker.bound if status is Status.UNKNOWN else None


def _round_up(bound: float) -> int:
    """Objectives are integers, so a bound may be rounded up, after subtracting the possible error of floats."""
    return math.ceil(bound - COUNTED_BOUND * max(1.0, abs(bound) * COUNTED_BOUND))
