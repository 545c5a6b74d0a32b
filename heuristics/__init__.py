"""The systems' own algorithms: Harpagon, Piccolo, baselines, ablations, Scrooge's greedy; NP, DART-r; Graft; rules."""

from collections.abc import Callable
from typing import Any

from euclio.core import literature
from euclio.core.lazy import late
from euclio.core.registry import AnySolver, Solver
from euclio.problems.session import Charging, PlanSpace
from heuristics.fragments.systems import FRAGMENT_SYSTEMS
from heuristics.session.systems import LITERAL, PICCOLO_SYSTEMS, SYSTEMS
from heuristics.spaces import (
    DART_SPACE,
    NO_PARTITIONING_SPACE,
    SCROOGE_LACKS,
    SCROOGE_SPACE,
    STAFFING_COVERS,
    STAFFING_LACKS,
    STAFFING_SPACE,
    dart_space,
    no_partitioning_space,
)


def _rule(name: str, machines: str, solve: Callable[..., Any]) -> AnySolver:
    """A rule by which people size a service, which rests on no paper."""
    return Solver(
        name,
        "heuristic",
        f"A rule that people use: {machines}; configurations by hand",
        solve,
        STAFFING_SPACE,
        covers=STAFFING_COVERS,
        lacks=STAFFING_LACKS,
        rests_on=(),
    )


SOLVERS: tuple[AnySolver, ...] = (
    *(system.as_solver() for system in (*SYSTEMS, *LITERAL.values(), *PICCOLO_SYSTEMS)),
    Solver(
        "scrooge-greedy",
        "heuristic",
        "Scrooge's greedy heuristic (Scrooge §4.3): throughput gained per money and second",
        late("heuristics.session.scrooge", "solve_scrooge_greedy"),
        SCROOGE_SPACE,
        lacks=SCROOGE_LACKS | {"one_allocation"},
        rests_on=(literature.SCROOGE,),
    ),
    Solver(
        "whole-greedy",
        "heuristic",
        "Plans for whole machines, and packs partial ones (ours): latency split by the money that whole machines save",
        late("heuristics.session.whole_greedy", "solve_whole_greedy"),
        PlanSpace(charging=Charging.WHOLE),
        covers=frozenset({"whole", "packed", "spare"}),
        lacks=frozenset({"share"}),
        made_for=frozenset({"whole", "packed"}),
        compile=late("heuristics.session.whole_greedy", "compile_whole_greedy"),
        rests_on=(literature.HARPAGON,),
    ),
    Solver(
        "price-of-time",
        "heuristic",
        "Modules' least costs step by step, a price of a second in each, and steps chosen by what they lose (ours)",
        late("heuristics.session.price_of_time", "solve_price_of_time"),
        PlanSpace(),
        lacks=frozenset({"own_policies", "shared_last", "continuous"}),
        rests_on=(literature.HARPAGON,),
    ),
    _rule(
        "rate-over-throughput",
        "machines for rate over throughput, rounded up",
        late("heuristics.session.staffing", "solve_rate_over_throughput"),
    ),
    _rule(
        "utilisation-70",
        "machines that are busy 70 % of the time at most",
        late("heuristics.session.staffing", "solve_utilisation"),
    ),
    _rule(
        "square-root-staffing", "load + 2.33·√load machines", late("heuristics.session.staffing", "solve_square_root")
    ),
    Solver(
        "no-partitioning",
        "heuristic",
        "No-Partitioning (PPipe §7.1): whole models on whole GPUs, the best allocation of them",
        late("heuristics.pipeline.no_partitioning", "solve_no_partitioning"),
        NO_PARTITIONING_SPACE,
        narrow=no_partitioning_space,
        family="pipeline",
        rests_on=(literature.PPIPE,),
    ),
    Solver(
        "dart-r",
        "heuristic",
        "DART-r (PPipe §7.1): chains of one low- and one high-class GPU, replicated; whole models on the rest",
        late("heuristics.pipeline.dart_r", "solve_dart_r"),
        DART_SPACE,
        narrow=dart_space,
        family="pipeline",
        lacks=frozenset({"least_cost"}),
        rests_on=(literature.PPIPE, literature.DART),
    ),
    *FRAGMENT_SYSTEMS,
)
