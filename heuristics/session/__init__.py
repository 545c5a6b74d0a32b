"""The systems that serve sessions: Harpagon with its baselines and ablations, Scrooge's greedy, rules, and ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from euclio.core import literature
from euclio.core.lazy import late
from euclio.core.registry import AnySolver, Solver
from euclio.problems.session import Charging, DummyRule, PlanSpace, Policy
from euclio.problems.session.demands import FLOORS, SEVERAL_OBJECTIVES
from heuristics.session.systems import LITERAL, PICCOLO_SYSTEMS, SYSTEMS

# The plan space of Scrooge's own algorithms (§3.3): dispatch at machine rate, no dummies, partial machines.


SCROOGE_SPACE = PlanSpace(Policy.MACHINE_RATE, DummyRule.NONE)
"""Any number of allocations per module; Table III's row `scrooge` of Harpagon is another space (two at most)."""

SCROOGE_LACKS = frozenset({"one_hardware", "other_policies", "own_policies", "dummies", "continuous"})
"""What none of them covers (`euclio.problems.session.demands`)."""

# The plan space of rules by which people size a service: whole machines of one kind behind a load balancer, spare.


STAFFING_SPACE = PlanSpace(Policy.LOAD_BALANCER, DummyRule.CONTINUOUS, charging=Charging.WHOLE)

STAFFING_COVERS = FLOORS | SEVERAL_OBJECTIVES | {"whole"}
STAFFING_LACKS = frozenset({"share", "countable"})
"""What all of them cover, and what none does (`euclio.problems.session.demands`)."""


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
        covers=frozenset({"whole", "packed", "spare"}) | FLOORS | SEVERAL_OBJECTIVES,
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
        covers=FLOORS | SEVERAL_OBJECTIVES,
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
)
