"""What is run on every workload: names of the runs, the solvers behind them and their plan spaces."""

from __future__ import annotations

from dataclasses import dataclass, replace

from euclio.core.registry import find_solver
from euclio.core.result import Result
from euclio.core.solving import solve
from euclio.session import FULL_SPACE, Policy, Session
from euclio.session.workloads.acceptance import ABLATIONS, BASELINES, SYSTEMS

HARPAGON = "harpagon"
ABLATION_RUNS = tuple(f"harpagon:{name}" for name in ABLATIONS)
SPLIT_OPTIMUM = "split-bruteforce"
SPLIT_BREAKPOINTS = "split-bruteforce:breakpoints"
SPLIT_CENTISECONDS = "split-bruteforce:0.01"
ENUMERATION = "split-enumeration"
"""The papers' brute force as plain enumeration; only timed."""
PLAN_OPTIMUM = "exact"
PLAN_OPTIMUM_SHARED = "exact tc-shared"
QUANTIZED = "harpagon:q0.01"
THROUGHPUT_SPLIT = ("scrooge", "inferline", "harpagon:tb")
"""Systems that split the latency by throughput (Harpagon Table III)."""
TIME_LIMIT_S = 10.0
"""Limit of one run; it leaves a bound and a gap, never a missing row."""
SPLIT_LIMIT_S = 30.0
"""Limit of a search over splits; the report counts the searches that it stopped."""
ENUMERATION_LIMIT_S = 1.0
"""Limit of the timed enumeration; beyond it the time is extrapolated from the share of vectors gone through."""


@dataclass(frozen=True, slots=True)
class Task:
    """A run on every workload.

    Attributes:
        label: its name in the results; the solver's, except where one solver runs in two plan spaces.
        solver: name in the registry.
        policy: dispatch policy, where it is not the solver's own.
        design: system in whose plan space it runs; None: the solver's own.
        time_limit_s: limit of the run.
    """

    label: str
    solver: str
    policy: Policy | None = None
    design: str | None = None
    time_limit_s: float = TIME_LIMIT_S

    def run(self, session: Session) -> Result:
        """Run on one session and check the answer."""
        space = find_solver(self.design or self.solver).space_on(session)
        if self.policy is not None:
            space = replace(space, policy=self.policy)
        return solve(session, self.solver, space=space, time_limit_s=self.time_limit_s)


def own_optimum(system: str) -> str:
    """Label of the run that finds the optimum of a system's own plan space."""
    solver = find_solver(system)
    return PLAN_OPTIMUM if solver.space == FULL_SPACE and solver.narrow is None else f"{PLAN_OPTIMUM} for {system}"


def own_tasks() -> tuple[Task, ...]:
    """The optimum of every plan space of a system that is not the full one."""
    return tuple(
        Task(own_optimum(name), PLAN_OPTIMUM, design=name) for name in SYSTEMS if own_optimum(name) != PLAN_OPTIMUM
    )


SYSTEM_TASKS = tuple(Task(name, name) for name in SYSTEMS)
REFERENCE_TASKS = (
    Task(SPLIT_OPTIMUM, SPLIT_OPTIMUM, time_limit_s=SPLIT_LIMIT_S),
    Task(PLAN_OPTIMUM, PLAN_OPTIMUM),
    Task(PLAN_OPTIMUM_SHARED, PLAN_OPTIMUM, Policy.TC_SHARED),
)
GRID_TASKS = tuple(Task(grid, grid, time_limit_s=SPLIT_LIMIT_S) for grid in (SPLIT_BREAKPOINTS, SPLIT_CENTISECONDS))
TIMED_TASKS = (
    Task(HARPAGON, HARPAGON),
    Task(QUANTIZED, QUANTIZED),
    Task(ENUMERATION, ENUMERATION, time_limit_s=ENUMERATION_LIMIT_S),
)

__all__ = [
    "ABLATIONS",
    "ABLATION_RUNS",
    "BASELINES",
    "ENUMERATION",
    "GRID_TASKS",
    "HARPAGON",
    "PLAN_OPTIMUM",
    "PLAN_OPTIMUM_SHARED",
    "QUANTIZED",
    "REFERENCE_TASKS",
    "SPLIT_BREAKPOINTS",
    "SPLIT_CENTISECONDS",
    "SPLIT_LIMIT_S",
    "SPLIT_OPTIMUM",
    "SYSTEM_TASKS",
    "THROUGHPUT_SPLIT",
    "TIMED_TASKS",
    "Task",
    "own_optimum",
    "own_tasks",
]
