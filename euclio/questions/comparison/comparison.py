"""All systems and the optimum on one instance: the gap of each, and the share of it that its design explains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from euclio.core.certificate import Certificate
from euclio.core.engine_packages import MissingEngineError
from euclio.core.errors import InputError
from euclio.core.families import family_of
from euclio.core.family import Family
from euclio.core.lazy import late_value
from euclio.core.objective import Goal
from euclio.core.progress import told
from euclio.core.registry import find_solver, solvers
from euclio.core.result import AnyResult, Status
from euclio.core.showing import Framed, Plotted
from euclio.core.solver import AnySolver, Solver, SolverLike, several
from euclio.core.solving import solve, without_engine
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.values import names
from euclio.core.words import plain
from euclio.proving.certifying import ProofTrials
from euclio.questions.comparison.gap import Gap

SCHEMA = "euclio/comparison/1"

Solving = Callable[..., AnyResult]


@dataclass(frozen=True, slots=True)
class Row:
    """One system in a comparison.

    Attributes:
        solver: the system.
        result: its checked result.
        optimum: proven optimum of the full plan space; None if not proven.
        own: result of the exact solver in the plan space that the system searched; None if there is no such solver.
        goal: the objective.
        least: if plans keep a demand, under which nothing is proven: the best known value of the system's own plan
            space. It stands for the optimum there, as `optimum` does for that of the full one. None if there is none.
    """

    solver: AnySolver
    result: AnyResult
    optimum: Fraction | None
    own: AnyResult | None
    goal: Goal
    least: Fraction | None = None

    @property
    def own_optimum(self) -> Fraction | None:
        """Proven optimum of the system's own plan space, or its substitute; None if not proven or without a plan."""
        return _proven(self.own) if self.least is None else self.least

    @property
    def missed(self) -> bool:
        """Whether it found no plan although its own plan space has one."""
        return self.result.value is None and self.own_optimum is not None

    @property
    def reason(self) -> str:
        """Why it has no plan, or why its plan was refused; empty if it has one, or the reason is unknown."""
        return self.result.reason or ("it found no plan, and its plan space has one" if self.missed else "")

    @property
    def split(self) -> Gap:
        """The gap by cause."""
        return Gap(self.result.value, self.own_optimum, self.optimum, self.goal.maximised)

    @property
    def gap(self) -> float | None:
        """How much worse it is than the optimum of the full plan space, as a share of that optimum."""
        return self.split.share

    @property
    def design_share(self) -> float | None:
        """Share of the gap that is due to the design; None if there is no gap, or it cannot be split."""
        return self.split.design_share

    @property
    def heuristic_share(self) -> float | None:
        """The rest of the gap: the heuristic's loss within its own plan space."""
        return None if self.design_share is None else 1 - self.design_share


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Framed, Plotted):
    """All systems on one instance, the best first, those without a plan last.

    Attributes:
        goal: the objective.
        space: the full plan space.
        exact: name of the exact solver.
        best: the exact solver's result in the full plan space; None if there is no such solver.
        rows: one per system.
        proofs: number of proofs among the results.
        certificates: one per proof that an independent prover tried; a result whose proof it refuted is an error.
        demand: the demand that all plans keep, in words; empty without one. Under a demand no optimum is proven, and
            gaps are relative to the best known plan.
    """

    _view = late_value("euclio.questions.comparison.views", "COMPARISON")

    instance: Any
    goal: Goal
    space: Any
    exact: str
    best: AnyResult | None
    rows: tuple[Row, ...]
    proofs: int = 0
    certificates: tuple[Certificate, ...] = ()
    demand: str = ""

    @property
    def optimum(self) -> Fraction | None:
        """The optimum of the full plan space; None if it is not proven."""
        return _proven(self.best)

    @property
    def least(self) -> Fraction | None:
        """The best known value if all plans keep a demand; None without a plan or a demand."""
        found = [row.result.value for row in self.rows] + [None if self.best is None else self.best.value]
        return min((value for value in found if value is not None), default=None) if self.demand else None

    def describe(self) -> dict[str, Any]:
        """The comparison as plain data with fractions."""
        suffix = self.goal.suffix
        return {
            "schema": SCHEMA,
            "instance": self.instance.name,
            "objective": self.goal.name,
            f"optimum_{suffix}": self.optimum,
            "optimum_status": None if self.best is None else self.best.status.value,
            self.goal.bound_field: None if self.best is None else self.best.bound,
            "optimum_wall_s": None if self.best is None else self.best.wall_s,
            **({"demand": self.demand, f"least_{suffix}": self.least} if self.demand else {}),
            "proofs": self.proofs,
            "certificates": [
                {
                    "solver": found.solver,
                    "space": found.space.describe(),
                    "verdict": found.verdict.value,
                    "claim": found.claim,
                    "reason": found.reason,
                    "nodes": found.nodes,
                    "wall_s": found.wall_s,
                }
                for found in self.certificates
            ],
            "systems": [
                {
                    "solver": row.solver.name,
                    "kind": row.solver.kind,
                    "status": row.result.status.value,
                    "reason": row.reason,
                    self.goal.value_field: row.result.value,
                    "gap": row.gap,
                    f"own_optimum_{suffix}": row.own_optimum,
                    "own_optimum_status": None if row.own is None else row.own.status.value,
                    "design_ratio": row.split.design,
                    "heuristic_ratio": row.split.heuristic,
                    "design_share_of_gap": row.design_share,
                    "heuristic_share_of_gap": row.heuristic_share,
                    "wall_s": row.result.wall_s,
                    **(kept(row.result) if self.demand else {}),
                    "space": row.result.space.describe(),
                }
                for row in self.rows
            ],
        }


def kept(result: AnyResult) -> dict[str, Any]:
    """The fields of a result that state its attainment."""
    return {name: result.stats.get(name) for name in ("attainment", "attainment_at_least", "cost_without_margins")}


@told("running all systems")
def compare(
    instance: Any,
    solvers: SolverLike | Sequence[SolverLike] | None = None,
    time_limit_s: float | None = None,
    objective: str | None = None,
    certify_s: float | None = None,
    solving: Solving = solve,
    demand: str = "",
) -> Comparison:
    """Run systems and the family's exact solver on one instance.

    Args:
        instance: an instance of any family.
        solvers: names or solvers; by default every registered system of the family, ablations included.
        time_limit_s: limit of each run in seconds.
        objective: name of the objective; None means the family's default.
        certify_s: limit in seconds of an independent prover for each proof; None disables the prover.
        solving: the function that solves, with the arguments of `euclio.solve`.
        demand: the demand under which `solving` plans, in words; empty means no demand.

    Returns:
        The systems, each in its own plan space, next to the proven optima; a system whose engine is not installed is
        inapplicable, and its result says so.

    Raises:
        InputError: an unknown solver name, a solver of another family, or an objective that the family or the
            instance does not have.
    """
    family = family_of(instance)
    changes = _changes(family, objective)
    chosen = chosen_solvers(solvers, family)
    full_space = replace(family.full_space, **changes)
    family.check_space(instance, full_space)
    trials = ProofTrials(instance, certify_s)
    optimum = _optima(instance, family, time_limit_s, trials, solving)
    best = optimum(full_space)
    goal = family.goal(full_space)
    rows = []
    for solver in chosen:
        result = trials.seen(_solved(solving, instance, solver, time_limit_s, **changes), solver.kind)
        rows.append(Row(solver, result, _proven(best), optimum(result.space), goal))
    rows.sort(key=lambda row: _rank(row.result.value, goal))
    certificates = tuple(trials.certificates)
    found = Comparison(
        instance, goal, full_space, family.default_solver, best, tuple(rows), trials.proofs, certificates, demand
    )
    return replace(found, rows=tuple(_against(row, found.least) for row in rows)) if demand else found


def _against(row: Row, least: Fraction | None) -> Row:
    """A row with the best known values in place of optima that are not proven."""
    values = [result.value for result in (row.result, row.own) if result is not None and result.value is not None]
    return replace(row, optimum=least, least=min(values, default=None))


def chosen_solvers(given: SolverLike | Sequence[SolverLike] | None, family: Family) -> list[AnySolver]:
    """One solver or several, also as names with commas between, each once; None means every registered system.

    Systems are heuristics and exact solvers of a published model, which search a plan space of their own. Rules that
    rest on no paper are not systems.

    Raises:
        InputError: an unknown solver name, or two functions of one name.
    """
    if given is None:
        known = [s for s in solvers(family.name).values() if s.rests_on != ()]
        return [s for s in known if s.kind == "heuristic" or (s.kind == "exact" and s.space != family.full_space)]
    named = several(names(given) if isinstance(given, str) else given)
    asked = [one for k, one in enumerate(named) if one not in named[:k]]
    found = [find_solver(one) for one in asked]
    for one, solver in zip(asked, found, strict=True):
        if not isinstance(one, str | Solver) and sum(other.name == solver.name for other in found) > 1:
            raise InputError(f"has two named {solver.name!r}; give one of them another name", field="--solvers")
    return found


USUAL, PAPERS = "planner", "papers"
"""Sets of systems: those that capacity planners compare, and every registered system."""


def systems_of(name: str, family: Family) -> list[AnySolver]:
    """The solvers of a set; every registered system if the family has no usual ones, or one of them is missing.

    Args:
        name: `USUAL` or `PAPERS`.
        family: the family.

    Raises:
        InputError: the name is no set.
    """
    if name not in (USUAL, PAPERS):
        raise InputError(f"is {name!r}; give {USUAL} or {PAPERS}", field="--systems")
    known = solvers(family.name)
    if name == USUAL and family.usual and known.keys() >= set(family.usual):
        return [known[own] for own in family.usual]
    return chosen_solvers(None, family)


def _changes(family: Family, objective: str | None) -> dict[str, Any]:
    """The fields of plan spaces that an objective changes; empty without a name or if the family has only that one."""
    known = [goal.name for goal in family.goals]
    if objective is not None and objective not in known:
        raise InputError(f"is {objective!r}; {family.instances} have {' or '.join(known)}", field="--objective")
    return {} if objective is None or len(known) == 1 else {"objective": objective}


def _optima(
    instance: Any, family: Family, time_limit_s: float | None, trials: ProofTrials, solving: Solving
) -> Callable[[Any], AnyResult | None]:
    """The exact solver's result by plan space, each space solved once; None if the solver is not installed."""
    known: dict[Any, AnyResult | None] = {}

    def optimum(space: Any) -> AnyResult | None:
        if space not in known:
            installed, name = solvers(family.name), family.default_solver
            known[space] = None
            if name in installed:
                found = _solved(solving, instance, installed[name], time_limit_s, space=space)
                known[space] = trials.seen(found, installed[name].kind)
        return known[space]

    return optimum


def _solved(
    solving: Solving, instance: Any, solver: AnySolver, time_limit_s: float | None, **options: Any
) -> AnyResult:
    """The result of a solver, even if its engine is not installed."""
    try:
        return solving(instance, solver, time_limit_s=time_limit_s, **options)
    except MissingEngineError as error:
        return without_engine(instance, solver, error, time_limit_s, **options)


def _rank(value: Fraction | None, goal: Goal) -> tuple[bool, Fraction]:
    """Sorts the best value first and none last."""
    if value is None:
        return True, Fraction(0)
    return False, -value if goal.maximised else value


def _proven(result: AnyResult | None) -> Fraction | None:
    return None if result is None or result.status is not Status.OPTIMAL else result.value


LEAST_PART = 1e-9
"""Share of the optimum below which a part of a bar is not drawn."""


class BarPart(StrEnum):
    """A part of a bar."""

    OPTIMUM = "optimum"
    DESIGN = "design"
    HEURISTIC = "heuristic"
    UNSPLIT = "unsplit"
    """A gap whose causes are not known."""
    UNKNOWN = "unknown"
    """A value whose gap is not known."""


def part_names(goal: Goal) -> dict[BarPart, str]:
    """Names of the parts in a legend."""
    lost = "lost by " if goal.maximised else ""
    return {
        BarPart.OPTIMUM: f"{goal.name} reached" if goal.maximised else "optimum of the full plan space",
        BarPart.DESIGN: f"{lost}design",
        BarPart.HEURISTIC: f"{lost}heuristic",
        BarPart.UNSPLIT: "gap, not split",
        BarPart.UNKNOWN: f"{goal.name}, optimum not proven",
    }


def bar_parts(row: Row) -> list[tuple[BarPart, float]]:
    """Parts and widths of a bar from left to right: what both value and optimum have, then what lies between."""
    if row.result.value is None:
        return []
    value = float(row.result.value)
    if row.optimum is None:
        return [(BarPart.UNKNOWN, value)]
    optimum = float(row.optimum)
    lesser, between = min(value, optimum), abs(value - optimum)
    if row.gap is None or row.gap < -OPTIMALITY_TOLERANCE:
        return [(BarPart.OPTIMUM, value)]
    if row.design_share is None:
        return [(BarPart.OPTIMUM, lesser), *([(BarPart.UNSPLIT, between)] if row.gap > OPTIMALITY_TOLERANCE else [])]
    design = row.design_share * between
    causes = [(BarPart.DESIGN, design), (BarPart.HEURISTIC, between - design)]
    parts = [(BarPart.OPTIMUM, lesser), *(causes[::-1] if row.goal.maximised else causes)]
    return [part for part in parts if part[1] > LEAST_PART * optimum]


def bar_note(row: Row) -> str:
    """The text behind a bar: the gap, or why there is none."""
    if row.result.value is None:
        return f"no plan: {row.result.status.value}"
    if row.gap is None:
        return ""
    if abs(row.gap) <= OPTIMALITY_TOLERANCE:
        return "optimal"
    sign = "+" if (row.gap > 0) is not row.goal.maximised else "-"
    size = 100 * abs(row.gap)
    return f"{sign}{plain(size, 2)} %" if size < 10 else f"{sign}{size:.0f} %"
