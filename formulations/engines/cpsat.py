"""One way to run OR-Tools' CP-SAT: limits, seed, log, hints, trace, and the traps of its answers (ours).

CP-SAT works on integers. Traps that this wrapper closes:

- its gap limits are set to 0, so that OPTIMAL means optimal;
- an answer UNKNOWN carries the bound 0.0, which is no bound: it becomes None, and so does the bound of a model without
  objective;
- its presolve has been seen to overflow where the |coefficients| of one row sum past 2^31: such a row is refused;
- the library is imported inside functions, after whatever else the process needs, and never by importing this module;
- a time limit overruns (presolve looks at the clock rarely), so callers that must be on time give less than they have.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

COEFFICIENT_LIMIT = 1 << 31
"""The |coefficients| of one row must sum to less than this."""

SEVERAL_WORKERS = ("max_lp", "objective_lb_search_max_lp", "pseudo_costs", "reduced_costs", "lb_tree_search", "no_lp")
"""What the workers run if there are several: strategies that lean on the linear relaxation first."""


@dataclass(frozen=True, slots=True)
class CpSatOptions:
    """How to run a model.

    Attributes:
        time_limit_s: seconds; None: none.
        workers: threads.
        seed: seed of every random choice; one worker and no time limit: same seed, same answer.
        log_file: file that the solver's log is appended to; None: none.
        linearization: how much of the model the linear relaxation sees, 0 to 2.
        presolve: whether to simplify the model first; on models that take milliseconds it costs more than it saves.
    """

    time_limit_s: float | None = None
    workers: int = 1
    seed: int = 0
    log_file: Path | None = None
    linearization: int = 2
    presolve: bool = True


@dataclass(frozen=True, slots=True)
class CpSatPoint:
    """Incumbent and bound at one moment, in the model's own units.

    Attributes:
        wall_s: seconds since the solver started.
        incumbent: objective of the best solution so far; None: none yet.
        bound: proven lower bound so far; None: none yet.
    """

    wall_s: float
    incumbent: int | None
    bound: int | None


@dataclass(frozen=True, slots=True)
class CpSatAnswer:
    """What CP-SAT found, in the model's own units.

    Attributes:
        status: its own word: OPTIMAL, FEASIBLE, INFEASIBLE or UNKNOWN.
        values: value of every variable by its index in the model, shape (variables,); None: no solution.
        objective: objective of that solution; None: no solution.
        bound: proven lower bound on the objective; None: none.
        hint_used: the first solution was built from the hint.
        trace: incumbent and bound over time.
        conflicts: conflicts of the search.
    """

    status: str
    values: tuple[int, ...] | None = None
    objective: int | None = None
    bound: int | None = None
    hint_used: bool = False
    trace: tuple[CpSatPoint, ...] = ()
    conflicts: int = 0

    @property
    def infeasible(self) -> bool:
        """Whether the model was proven to have no solution."""
        return self.status == "INFEASIBLE"

    def value(self, variable: cp_model.IntVar) -> int:
        """Value of a variable; there must be a solution."""
        assert self.values is not None
        return self.values[variable.index]


@dataclass(slots=True)
class _Tracker:
    """Collects what the solver tells while it runs."""

    started: float
    points: list[CpSatPoint] = field(default_factory=list)
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
        self.points.append(CpSatPoint(time.perf_counter() - self.started, self.incumbent, self.bound))


def solve_model(model: cp_model.CpModel, options: CpSatOptions) -> CpSatAnswer:
    """Minimise a model.

    Args:
        model: the model, with an objective to minimise; hints are taken from it.
        options: how to run it.

    Raises:
        OverflowError: the |coefficients| of a row sum to 2^31 or more.
        ValueError: CP-SAT calls the model invalid.
    """
    from ortools.sat.python import cp_model

    check_rows(model)
    solver = cp_model.CpSolver()
    _set_parameters(solver, options)
    tracker = _Tracker(time.perf_counter())
    solver.best_bound_callback = tracker.note_bound
    log: list[str] = []
    if options.log_file is not None:
        solver.log_callback = log.append
    callback = _solution_callback(cp_model, tracker)
    status = solver.status_name(solver.solve(model, callback))
    if options.log_file is not None:
        with options.log_file.open("a") as file:
            file.write("\n".join(log) + "\n")
    if status == "MODEL_INVALID":
        raise ValueError(f"CP-SAT calls the model invalid: {model.validate()}")
    found = status in ("OPTIMAL", "FEASIBLE")
    known = found and model.has_objective()
    return CpSatAnswer(
        status=status,
        values=tuple(solver.response_proto.solution) if found else None,
        objective=round(solver.objective_value) if found else None,
        bound=_round_up(solver.best_objective_bound) if known else _last_bound(tracker, status),
        hint_used="hint" in (tracker.first_solution or ""),
        trace=tuple(tracker.points),
        conflicts=solver.num_conflicts,
    )


def check_rows(model: cp_model.CpModel) -> None:
    """Refuse rows whose |coefficients| sum to 2^31 or more.

    Raises:
        OverflowError: there is such a row.
    """
    for row in (*(c.linear for c in model.proto.constraints if c.HasField("linear")), model.proto.objective):
        total = sum(map(abs, row.coeffs))
        if total >= COEFFICIENT_LIMIT:
            raise OverflowError(f"the coefficients of a row sum to {total}, past 2^31; use a coarser scale")


def _set_parameters(solver: cp_model.CpSolver, options: CpSatOptions) -> None:
    parameters = solver.parameters
    parameters.relative_gap_limit = 0.0
    parameters.absolute_gap_limit = 0.0
    parameters.num_workers = options.workers
    parameters.random_seed = options.seed
    parameters.linearization_level = options.linearization
    parameters.log_to_stdout = False
    parameters.log_search_progress = options.log_file is not None
    if options.time_limit_s is not None:
        parameters.max_time_in_seconds = max(0.0, options.time_limit_s)
    if options.workers > 1:
        parameters.subsolvers.extend(SEVERAL_WORKERS[: options.workers])
    parameters.cp_model_probing_level = 0
    if not options.presolve:
        parameters.cp_model_presolve = False
        parameters.symmetry_level = 0
        # Searches in neighbourhoods presolve their small models in spite of it.
        parameters.use_lns = False


def _solution_callback(library: Any, tracker: _Tracker) -> cp_model.CpSolverSolutionCallback:
    class Callback(library.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            tracker.note_solution(self.objective_value, str(self.response_proto.solution_info))

    return Callback()


def _last_bound(tracker: _Tracker, status: str) -> int | None:
    """The bound that was told during the run; the one in an UNKNOWN answer is 0.0 whatever was proven."""
    return tracker.bound if status == "UNKNOWN" else None


def _round_up(bound: float) -> int:
    """Objectives are integers, so a bound may be rounded up; what floats may have lost is given back first."""
    return math.ceil(bound - 1e-6 * max(1.0, abs(bound) * 1e-6))
