"""Solvers of this package, offered through the registry."""

from euclio.registry import Solver

SOLVERS: tuple[Solver, ...] = ()
