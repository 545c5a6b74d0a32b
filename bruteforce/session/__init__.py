"""Enumeration of sessions' plans, and the brute-force references of the papers."""

from __future__ import annotations

from functools import partial

from euclio.core import literature
from euclio.core.lazy import late
from euclio.core.registry import AnySolver, Solver
from euclio.problems.session.demands import FLOORS, SEVERAL_OBJECTIVES
from heuristics.session import SCROOGE_LACKS, SCROOGE_SPACE
from heuristics.session.systems import PICCOLO

BY_SPLITS = late("bruteforce.session.split_solver", "solve_by_splits")

SPLITS = {
    "split-bruteforce": "every split over {d + b/T}",
    "split-bruteforce:million": "every split over {d + b/T}, up to a million nodes, so that no clock decides",
    "split-bruteforce:breakpoints": "every split over Algorithm 1's breakpoints",
    "split-bruteforce:0.01": "every split in steps of 0.01 s",
    "split-enumeration": "every split over {d + b/T}, plainly one by one",
}

NO_SPLITS = frozenset({"one_hardware", "own_policies"})
"""Features that brute force over splits does not cover."""

SOLVERS: tuple[AnySolver, ...] = (
    Solver(
        "plan-bruteforce",
        "brute force",
        "every plan of the plan space, for small cases (ours)",
        late("bruteforce.session.plan_enumeration", "solve_by_plan_enumeration"),
        covers=frozenset({"whole", "packed", "stock", "shares", "resources", "changes", "spare", "largest_share"})
        | FLOORS
        | SEVERAL_OBJECTIVES,
        lacks=frozenset({"continuous", "own_policies_filled", "packed_limits"}),
        rests_on=(literature.HARPAGON,),
    ),
    Solver(
        "scrooge-bruteforce",
        "brute force",
        "Scrooge's brute force (Scrooge §4.3): every plan under dispatch at machine rate, beaten ones left out",
        late("bruteforce.session.scrooge_bruteforce", "solve_scrooge_bruteforce"),
        SCROOGE_SPACE,
        lacks=SCROOGE_LACKS,
        rests_on=(literature.SCROOGE,),
    ),
    *(
        Solver(
            name,
            "brute force",
            f"{what}, Harpagon's scheduler below (Harpagon §IV-B)",
            partial(BY_SPLITS, name),
            lacks=NO_SPLITS,
            rests_on=(literature.HARPAGON,),
        )
        for name, what in SPLITS.items()
    ),
    Solver(
        "piccolo-bruteforce",
        "brute force",
        "every split over {d + b/T}, stretched to fill the SLO, Piccolo's scheduler below (Piccolo §IV-B)",
        partial(BY_SPLITS, "piccolo-bruteforce"),
        PICCOLO.space,
        lacks=NO_SPLITS,
        rests_on=(literature.PICCOLO,),
    ),
)
