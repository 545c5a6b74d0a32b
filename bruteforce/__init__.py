"""Solvers of this package, offered through the registry."""

from bruteforce.plan_enumeration import solve_by_plan_enumeration
from bruteforce.split_solver import solvers as split_solvers
from euclio.registry import Solver

SOLVERS: tuple[Solver, ...] = (
    Solver(
        "plan-bruteforce",
        "brute force",
        "every plan of the plan space, for small cases (ours)",
        solve_by_plan_enumeration,
    ),
    *split_solvers(),
)
