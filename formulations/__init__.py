"""Exact methods: formulations for solvers, and our own frontier search."""

from euclio.registry import Solver
from formulations.exact import solve_exact

SOLVERS = (
    Solver("exact", "exact", "module frontiers and mode search, proven optimal in any plan space (ours)", solve_exact),
)
