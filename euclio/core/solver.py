"""Solvers and their inputs: records that packages and users' files make (docs/howto/solver.md)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Generic

from typing_extensions import TypeVar

from euclio.core.families import DEFAULT_FAMILY, find_family
from euclio.core.incumbent import Incumbent
from euclio.core.literature import Reference
from euclio.core.parameters import Demand
from euclio.core.result import Answer, PlanT, SpaceT


@dataclass(frozen=True, slots=True)
class Piece(Generic[PlanT]):
    """The cheapest plan for a range of latency objectives, or the fact that they have none.

    The range begins at the plan's own worst-case latency, which the checker computes, and ends at `until_s`.

    Attributes:
        until_s: the piece holds for every objective below this, in seconds, and also for the largest requested
            objective.
        plan: the plan, unchecked; None if there is none.
        bound: lower bound on the cost of every plan under these objectives; 0 where there is none.
    """

    until_s: Fraction
    plan: PlanT | None
    bound: float


InstanceT = TypeVar("InstanceT", default=Any)


class Option(StrEnum):
    """Options of the solver library behind a solver; each solver lists those that it takes."""

    ENGINE = "engine"
    THREADS = "threads"
    WARM_START = "warm_start"
    LOG_FILE = "log_file"
    EXPORT_LP = "export_lp"


@dataclass(frozen=True, slots=True)
class EngineOptions(Generic[PlanT]):
    """Options of a run of a solver library.

    Attributes:
        engine: name of the engine, such as "highs", "cbc" or "scip". None means the solver's default.
        threads: threads of the engine. None means one.
        warm_start: plan to start from, feasible in the plan space of the run. None means a cold start.
        log_file: file for the engine's own log. None disables it.
        export_lp: file for the (first) model in LP format with readable names. None disables it.
    """

    engine: str | None = None
    threads: int | None = None
    warm_start: PlanT | None = None
    log_file: Path | None = None
    export_lp: Path | None = None


@dataclass(frozen=True, slots=True)
class Limits(Generic[PlanT]):
    """Limits of a run.

    Attributes:
        time_limit_s: time limit in seconds. None means no limit.
        seed: seed of every random choice.
        options: options of the solver library behind the solver.
        standing: where the solver reports its incumbent and bound while it runs. None disables it.
    """

    time_limit_s: float | None = None
    seed: int = 0
    options: EngineOptions[PlanT] = field(default_factory=EngineOptions)
    standing: Incumbent | None = field(default=None, compare=False, repr=False)

    def deadline(self, started: float | None = None) -> float:
        """The time to stop on the clock of `time.perf_counter`; infinite without a limit.

        Args:
            started: when the run began on that clock. None means now.
        """
        if self.time_limit_s is None:
            return math.inf
        return (time.perf_counter() if started is None else started) + self.time_limit_s


@dataclass(frozen=True, slots=True)
class Variants:
    """Parts of a solver that its name can set, as in ``harpagon:splitter=even`` (`euclio.core.registry`).

    Attributes:
        words: the allowed words of each part, by the part's name.
        make: takes the variant's name and the word of each part that it sets; returns the variant.
    """

    words: Mapping[str, tuple[str, ...]] = field(hash=False)
    make: Callable[[str, Mapping[str, str]], AnySolver]


@dataclass(frozen=True, slots=True)
class Solver(Generic[InstanceT, SpaceT, PlanT]):
    """A solver of one problem family.

    Attributes:
        name: name on the command line.
        kind: "heuristic", "exact" or "brute force".
        summary: its description and publication, in one line.
        run: takes an instance, a plan space and limits; returns an unchecked answer.
        space: its default plan space; if not set, the full one of its family.
        takes: the engine options that it takes.
        engines: the engines that it can run on, the default one first.
        starts_from: solver of its default warm start. None means a cold start.
        narrow: restricts a plan space to the part that the design searches on an instance, where this part depends on
            the instance (such as the cheapest allowed hardware). None means no restriction.
        family: problem family of its instances, by name (`euclio.core.family`).
        label: short name in tables and figures; by default its name.
        version: version of the package that offers it, or a hash of its file.
        library: solver library that it loads: "highs" (PuLP's engines too), "ortools", or any other name; empty if
            none. A worker process of a batch loads one library only.
        compile: compiles the code that a run on a tiny instance does not reach (`euclio.core.warm_up`); None if none
            is.
        steps: takes an instance, a plan space and limits. It returns the solver's plan, then plans with one more step
            replaced by the optimal one each time, each with the step that loses the difference to the next plan. None
            if its steps are unknown (`euclio.questions.comparison.decomposing`).
        pieces: takes an instance, a plan space, limits, and the least and largest latency objective in seconds. It
            returns the least cost as a function of the objective and ignores the instance's own objective. It returns
            None where it would have to solve each objective separately. None if it always would.
        covers: names of the demands (`Family.demands`) that it covers beyond the assumed ones.
        lacks: names of assumed demands that it does not cover.
        made_for: names of the demands for which its method is designed; refusals propose it before other heuristics.
        rests_on: the papers of its method or model, without those of engines (`euclio cite`); None if not stated.
        needs: packages of engines that it imports on every engine (`euclio.core.engine_packages`).
        variants: its parts that its name can set; None if it has none.
    """

    name: str
    kind: str
    summary: str
    run: Callable[[InstanceT, SpaceT, Limits[PlanT]], Answer[PlanT]]
    space: SpaceT = None  # type: ignore[assignment]
    takes: frozenset[Option] = frozenset()
    engines: tuple[str, ...] = ()
    starts_from: str | None = None
    narrow: Callable[[InstanceT, SpaceT], SpaceT] | None = None
    family: str = DEFAULT_FAMILY
    label: str = ""
    version: str = ""
    library: str = ""
    compile: Callable[[], None] | None = None
    steps: Callable[[InstanceT, SpaceT, Limits[PlanT]], Iterable[tuple[str, PlanT]]] | None = None
    pieces: Callable[[InstanceT, SpaceT, Limits[PlanT], Fraction, Fraction], list[Piece[PlanT]] | None] | None = None
    covers: frozenset[str] = frozenset()
    lacks: frozenset[str] = frozenset()
    made_for: frozenset[str] = frozenset()
    rests_on: tuple[Reference, ...] | None = None
    needs: frozenset[str] = frozenset()
    variants: Variants | None = None

    def __post_init__(self) -> None:
        """Default the label to the name, and the plan space to the full one."""
        object.__setattr__(self, "label", self.label or self.name)
        if self.space is None:
            object.__setattr__(self, "space", find_family(self.family).full_space)

    def space_on(self, instance: InstanceT, space: SpaceT | None = None) -> SpaceT:
        """The plan space that it searches on an instance.

        Args:
            instance: the instance.
            space: the given plan space. None means its own.
        """
        given = self.space if space is None else space
        return given if self.narrow is None else self.narrow(instance, given)

    def takes_on(self, demand: Demand) -> bool:
        """Whether it claims to cover a demand of its family."""
        return demand not in _not_covered(self.family, self.covers, self.lacks)

    def uncovered(self, instance: InstanceT, space: SpaceT) -> tuple[Demand, ...]:
        """The demands of an instance and a plan space that it does not cover; empty if it may run on them."""
        return tuple(
            demand for demand in _not_covered(self.family, self.covers, self.lacks) if demand.asked(instance, space)
        )


@cache
def _not_covered(family: str, covers: frozenset[str], lacks: frozenset[str]) -> tuple[Demand, ...]:
    """The demands of a family that a solver does not cover; cached, because every run needs them."""
    return tuple(
        demand
        for demand in find_family(family).demands
        if (demand.name in lacks if demand.assumed else demand.name not in covers)
    )


AnySolver = Solver[Any, Any, Any]
SolverLike = str | AnySolver | Callable[..., Any]
"""A solver in Python: a name, a record, or a function of an instance (`euclio.core.own_solver`)."""


def several(given: SolverLike | Iterable[SolverLike]) -> list[SolverLike]:
    """One solver, or several, as a list."""
    return [given] if isinstance(given, str | Solver) or callable(given) else list(given)
