"""All systems and the optimum on one instance: how far each is off, and how much of that its design explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from euclio.gap import Gap
from euclio.registry import Solver, find_solver, solvers
from euclio.result import Result, Status
from euclio.session import FULL_SPACE, PlanSpace, Session
from euclio.solving import solve

SCHEMA = "euclio/comparison/1"
EXACT = "exact"


@dataclass(frozen=True, slots=True)
class Row:
    """One system in a comparison.

    Attributes:
        solver: the system.
        result: its checked result.
        optimum_per_h: proven optimum of the full plan space; None: not proven.
        own: result of `exact` in the plan space that the system searched; None: there is no such solver.
    """

    solver: Solver
    result: Result
    optimum_per_h: Fraction | None
    own: Result | None

    @property
    def own_optimum_per_h(self) -> Fraction | None:
        """Proven optimum of the system's own plan space; None: not proven or no plan exists."""
        return _proven(self.own)

    @property
    def split(self) -> Gap:
        """The gap by cause."""
        return Gap(self.result.value, self.own_optimum_per_h, self.optimum_per_h)

    @property
    def gap(self) -> float | None:
        """Extra cost over the optimum of the full plan space, as a share of it."""
        total = self.split.total
        return None if total is None else total - 1

    @property
    def design_share(self) -> float | None:
        """Share of the gap that is due to the design; None: there is no gap, or it cannot be split."""
        return self.split.design_share

    @property
    def heuristic_share(self) -> float | None:
        """The rest of the gap: what the heuristic loses within its own plan space."""
        return None if self.design_share is None else 1 - self.design_share


@dataclass(frozen=True, slots=True)
class Comparison:
    """All systems on one instance, cheapest first, those without a plan last.

    Attributes:
        session: the instance.
        optimum: result of `exact` in the full plan space; None: there is no such solver.
        rows: one per system.
    """

    session: Session
    optimum: Result | None
    rows: tuple[Row, ...]

    @property
    def optimum_per_h(self) -> Fraction | None:
        """The optimum of the full plan space where it is proven."""
        return _proven(self.optimum)

    def describe(self) -> dict[str, Any]:
        """The comparison as plain data with fractions."""
        return {
            "schema": SCHEMA,
            "instance": self.session.name,
            "optimum_per_h": self.optimum_per_h,
            "optimum_status": None if self.optimum is None else self.optimum.status.value,
            "bound_per_h": None if self.optimum is None else self.optimum.bound,
            "optimum_wall_s": None if self.optimum is None else self.optimum.wall_s,
            "systems": [
                {
                    "solver": row.solver.name,
                    "kind": row.solver.kind,
                    "status": row.result.status.value,
                    "reason": row.result.reason,
                    "cost_per_h": row.result.value,
                    "gap": row.gap,
                    "own_optimum_per_h": row.own_optimum_per_h,
                    "own_optimum_status": None if row.own is None else row.own.status.value,
                    "design_ratio": row.split.design,
                    "heuristic_ratio": row.split.heuristic,
                    "design_share_of_gap": row.design_share,
                    "heuristic_share_of_gap": row.heuristic_share,
                    "wall_s": row.result.wall_s,
                    "space": row.result.space.describe(),
                }
                for row in self.rows
            ],
        }


def compare(
    session: Session, solvers: Sequence[str | Solver] | None = None, time_limit_s: float | None = None
) -> Comparison:
    """Run systems and the exact solver on one instance.

    Args:
        session: the instance.
        solvers: names or solvers; by default every registered heuristic, ablations included.
        time_limit_s: limit of each run in seconds.

    Returns:
        The systems, each in its own plan space, next to the proven optima.

    Raises:
        InputError: an unknown solver name.
    """
    chosen = chosen_solvers(solvers)
    optima: dict[PlanSpace, Result | None] = {}

    def optimum(space: PlanSpace) -> Result | None:
        if space not in optima:
            optima[space] = _exact(session, space, time_limit_s)
        return optima[space]

    full = optimum(FULL_SPACE)
    rows = []
    for solver in chosen:
        result = solve(session, solver, time_limit_s=time_limit_s)
        rows.append(Row(solver, result, _proven(full), optimum(result.space)))
    rows.sort(key=lambda row: (row.result.value is None, row.result.value or 0))
    return Comparison(session, full, tuple(rows))


def chosen_solvers(names: Sequence[str | Solver] | None) -> list[Solver]:
    """Solvers by name, each once; None: every registered heuristic.

    Raises:
        InputError: an unknown solver name.
    """
    if names is None:
        return [s for s in solvers().values() if s.kind == "heuristic" and s.family == "session"]
    return [find_solver(s) if isinstance(s, str) else s for s in dict.fromkeys(names)]


def _proven(result: Result | None) -> Fraction | None:
    return None if result is None or result.status is not Status.OPTIMAL else result.value


def _exact(session: Session, space: PlanSpace, time_limit_s: float | None) -> Result | None:
    if EXACT not in solvers():
        return None
    return solve(session, EXACT, space=space, time_limit_s=time_limit_s)
