"""Exact methods: formulations for solvers, and our own frontier search."""

from euclio.registry import Option, Solver
from formulations.exact import solve_exact
from formulations.pulp_engine import ENGINES
from formulations.scrooge_milp import NAME as SCROOGE_MILP
from formulations.scrooge_milp import solve_scrooge_milp
from heuristics.scrooge_space import SCROOGE_SPACE

SOLVERS = (
    Solver("exact", "exact", "module frontiers and mode search, proven optimal in any plan space (ours)", solve_exact),
    Solver(
        SCROOGE_MILP,
        "heuristic",
        "Scrooge's MILP (Scrooge §3.3): one configuration per module, then its partial allocations",
        solve_scrooge_milp,
        SCROOGE_SPACE,
        frozenset({Option.ENGINE, Option.THREADS, Option.LOG_FILE, Option.EXPORT_LP}),
        ENGINES,
    ),
)
