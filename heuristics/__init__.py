"""The systems' own algorithms: Harpagon, the baselines of its Table III, its 15 ablations, and Scrooge's greedy."""

from euclio.registry import Solver
from heuristics.scrooge_greedy import NAME, solve_scrooge_greedy
from heuristics.scrooge_space import SCROOGE_SPACE
from heuristics.solver import solvers

SOLVERS = (
    *solvers(),
    Solver(
        NAME,
        "heuristic",
        "Scrooge's greedy heuristic (Scrooge §4.3): throughput gained per money and second",
        solve_scrooge_greedy,
        SCROOGE_SPACE,
    ),
)
