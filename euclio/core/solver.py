"""What a solver is, and what it is given: a record that packages and users' files make (docs/howto/solver.md)."""

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
    """One plan that is the cheapest for some latency objectives, or that there is none for some.

    It reaches from the plan's own worst-case latency on, which the checker finds, up to where it says.

    Attributes:
        until_s: what is said holds of every objective below this, in seconds; the largest that was asked for is one of
            them too.
        plan: the plan, unchecked; None: there is none.
        bound: lower bound on the cost of every plan under these objectives; 0 where there is none.
    """

    until_s: Fraction
    plan: PlanT | None
    bound: float


InstanceT = TypeVar("InstanceT", default=Any)


class Option(StrEnum):
    """Options of the solver library behind a solver; a solver names those that it takes."""

    ENGINE = "engine"
    THREADS = "threads"
    WARM_START = "warm_start"
    LOG_FILE = "log_file"
    EXPORT_LP = "export_lp"


@dataclass(frozen=True, slots=True)
class EngineOptions(Generic[PlanT]):
    """How a solver library is to be run.

    Attributes:
        engine: name of the engine, such as "highs", "cbc" or "scip"; None: the solver's default.
        threads: threads of the engine; None: one.
        warm_start: plan to start from, feasible in the plan space of the run; None: none.
        log_file: file for the engine's own log; None: none.
        export_lp: file for the (first) model in LP format with readable names; None: none.
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
        time_limit_s: seconds; None: none.
        seed: seed of every random choice.
        options: how the solver library behind the solver is to be run.
        standing: where the solver may say what it has found and proven so far, for whoever waits; None: nobody asks.
    """

    time_limit_s: float | None = None
    seed: int = 0
    options: EngineOptions[PlanT] = field(default_factory=EngineOptions)
    standing: Incumbent | None = field(default=None, compare=False, repr=False)

    def deadline(self, started: float | None = None) -> float:
        """When to stop on the clock of `time.perf_counter`; infinite: never.

        Args:
            started: when the run began on that clock; None: now.
        """
        if self.time_limit_s is None:
            return math.inf
        return (time.perf_counter() if started is None else started) + self.time_limit_s


@dataclass(frozen=True, slots=True)
class Variants:
    """Parts of a solver that a name can set, as in ``harpagon:splitter=even`` (`euclio.core.registry`).

    Attributes:
        words: what each part may be set to, by its name.
        make: name of the variant and the word of each part that is set in, the variant out.
    """

    words: Mapping[str, tuple[str, ...]] = field(hash=False)
    make: Callable[[str, Mapping[str, str]], AnySolver]


@dataclass(frozen=True, slots=True)
class Solver(Generic[InstanceT, SpaceT, PlanT]):
    """A solver of one problem family.

    Attributes:
        name: name on the command line.
        kind: "heuristic", "exact" or "brute force".
        summary: one line: what it is and where it is published.
        run: instance, plan space and limits in, unchecked answer out.
        space: the plan space that it searches by default; by default the full one of its family.
        takes: the engine options that it takes.
        engines: the engines that it can run on, the default one first.
        starts_from: solver whose plan it starts from by default; None: it starts cold.
        narrow: what the design leaves of a plan space on an instance, where that depends on the instance (such as
            the cheapest hardware of those allowed); None: all of it.
        family: problem family of its instances, by name (`euclio.core.family`).
        label: short name in tables and figures; by default its name.
        version: version of what it comes from: of the package that offers it, or a hash of its file.
        library: solver library that it loads: "highs" (PuLP's engines too), "ortools", or any other name; empty: none.
            A worker process of a batch loads one library only.
        compile: compiles what a run on a tiny instance does not reach (`euclio.core.warm_up`); None: there is nothing.
        steps: instance, plan space and limits in; its plan, then with one more of its steps made the best possible at a
            time, each with the step that loses the difference to the next, out; None: its steps are not known
            (`euclio.questions.comparison.decomposing`).
        pieces: instance, plan space, limits, least and largest latency objective in seconds in; out comes least cost as
            a function of the objective, whatever that of the instance is, or None where it would have to solve them one
            by one; None: it always would.
        covers: names of the demands of instances and plan spaces (`Family.demands`) that it covers beyond the assumed.
        lacks: names of assumed demands that it does not cover.
        made_for: names of the demands that its method is made for: refusals propose it before other heuristics.
        rests_on: the papers whose method it is or whose model it solves, those of engines left out (`euclio cite`);
            None: it does not say.
        needs: packages of engines that it imports on whichever engine (`euclio.core.engine_packages`).
        variants: its parts that can be set in its name; None: it has none.
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
        """Let the label be the name where there is none, and the plan space the full one."""
        object.__setattr__(self, "label", self.label or self.name)
        if self.space is None:
            object.__setattr__(self, "space", find_family(self.family).full_space)

    def space_on(self, instance: InstanceT, space: SpaceT | None = None) -> SpaceT:
        """The plan space that it searches on an instance.

        Args:
            instance: the instance.
            space: plan space that it is given; None: its own.
        """
        given = self.space if space is None else space
        return given if self.narrow is None else self.narrow(instance, given)

    def takes_on(self, demand: Demand) -> bool:
        """Whether it says that it covers a demand of its family."""
        return demand not in _not_covered(self.family, self.covers, self.lacks)

    def uncovered(self, instance: InstanceT, space: SpaceT) -> tuple[Demand, ...]:
        """What an instance and a plan space ask for that it does not cover; empty: it may be run on them."""
        return tuple(
            demand for demand in _not_covered(self.family, self.covers, self.lacks) if demand.asked(instance, space)
        )


@cache
def _not_covered(family: str, covers: frozenset[str], lacks: frozenset[str]) -> tuple[Demand, ...]:
    """The demands of a family that a solver does not take on; every run asks for them."""
    return tuple(
        demand
        for demand in find_family(family).demands
        if (demand.name in lacks if demand.assumed else demand.name not in covers)
    )


AnySolver = Solver[Any, Any, Any]
SolverLike = str | AnySolver | Callable[..., Any]
"""What stands for a solver in Python: a name, a record, or a function of an instance (`euclio.core.own_solver`)."""


def several(given: SolverLike | Iterable[SolverLike]) -> list[SolverLike]:
    """One solver, or several, as a list."""
    return [given] if isinstance(given, str | Solver) or callable(given) else list(given)
