"""Solvers of this package, offered through the registry."""

from bruteforce.pipeline.plan_enumeration import solvers as pipeline_solvers
from bruteforce.session.plan_enumeration import solve_by_plan_enumeration
from bruteforce.session.scrooge_bruteforce import solve_scrooge_bruteforce
from bruteforce.session.split_solver import solvers as split_solvers
from euclio.core.registry import AnySolver, Solver
from heuristics.session.scrooge_space import SCROOGE_SPACE

SOLVERS: tuple[AnySolver, ...] = (
    Solver(
        "plan-bruteforce",
        "brute force",
        "every plan of the plan space, for small cases (ours)",
        solve_by_plan_enumeration,
    ),
    Solver(
        "scrooge-bruteforce",
        "brute force",
        "Scrooge's brute force (Scrooge §4.3): every plan under dispatch at machine rate, beaten ones left out",
        solve_scrooge_bruteforce,
        SCROOGE_SPACE,
    ),
    *split_solvers(),
    *pipeline_solvers(),
)
