"""What is run on every workload: Scrooge's MILP, greedy and brute force, and the optimum; 2 and 30 worker types."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from euclio.core.registry import find_solver
from euclio.core.result import Result
from euclio.core.solving import solve
from euclio.session import Session
from euclio.session.workloads.protocol import Workload
from euclio.session.workloads.worker_types import on_worker_types
from euclio.studies.rows import Row, run_row

MILP, GREEDY, BRUTE_FORCE = "scrooge-milp", "scrooge-greedy", "scrooge-bruteforce"
OPTIMUM = "exact"
"""The optimum of Scrooge's plan space, by a method that shares nothing with the brute force."""
FIVE_APPLICATIONS, OWN_SESSIONS = "five applications", "as in §4.2"
"""Where a workload was drawn: Harpagon's protocol, or Scrooge's own rates and latency objective."""
MANY_TYPES = 30
TIME_LIMIT_S = 10.0
"""Limit of one run; the published brute force takes longer on some decisions."""


@dataclass(frozen=True, slots=True)
class Task:
    """A run on every workload.

    Attributes:
        solver: name in the registry; it runs in Scrooge's own plan space.
        types: worker types to choose from; None: the workload's own two.
    """

    solver: str
    types: int | None = None

    @property
    def label(self) -> str:
        """Its name in the results."""
        return self.solver if self.types is None else on_types(self.solver, self.types)

    def session(self, workload: Workload, seed: int) -> Session:
        """The session that it runs on."""
        return workload.session if self.types is None else on_worker_types(workload.session, self.types, seed)

    def run(self, session: Session, seed: int) -> Result:
        """Run on a session in Scrooge's plan space and check the answer."""
        space = find_solver(MILP).space
        return solve(session, self.solver, space=space, time_limit_s=TIME_LIMIT_S, seed=seed)

    def row(self, workload: Workload, protocol: str, seed: int) -> Row:
        """Run on one workload and check the answer; `protocol` says where it was drawn."""
        session = self.session(workload, seed)
        started = time.process_time()
        result = self.run(session, seed)
        # Unlike wall time, hardly touched by what else the machine does.
        cpu_s = time.process_time() - started
        return {**run_row(workload, self.label, result), "protocol": protocol, "cpu_s": cpu_s}


def on_types(solver: str, types: int = MANY_TYPES) -> str:
    """Label of a solver's runs on many worker types."""
    return f"{solver} ({types} types)"


TASKS = (Task(MILP), Task(GREEDY), Task(BRUTE_FORCE), Task(OPTIMUM))
MANY_TYPES_TASKS = (Task(MILP, MANY_TYPES), Task(GREEDY, MANY_TYPES), Task(OPTIMUM, MANY_TYPES))
SAMPLED_TASKS = (Task(BRUTE_FORCE, MANY_TYPES),)
"""Only on a seeded sample, unless the run is full."""


def run_chunk(chunk: tuple[Sequence[Workload], Sequence[Task], str, int]) -> list[Row]:
    """Run tasks on some workloads of one protocol: what a worker process is asked to do."""
    workloads, tasks, protocol, seed = chunk
    return [task.row(workload, protocol, seed) for workload in workloads for task in tasks]
