"""The systems' own algorithms: Harpagon, the baselines of its Table III, and its 15 ablations."""

from heuristics.solver import solvers

SOLVERS = solvers()
