"""`check_solver`: whether a solver keeps the contract of all solvers."""

from __future__ import annotations

from euclio.contract import checking
from euclio.verbs.verb import verb

check_solver = verb()(checking.check_solver)
