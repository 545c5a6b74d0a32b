"""Exact methods for fragments: sets of fragments as columns."""

from __future__ import annotations

from euclio.core import literature
from euclio.core.lazy import late
from euclio.core.registry import AnySolver, Option, Solver

SOLVERS: tuple[AnySolver, ...] = (
    Solver(
        "set-partition",
        "exact",
        "every set of fragments at its least share, partitioned by a MILP, proven optimal (Graft §5.1, Optimal)",
        late("formulations.fragments.set_partition", "solve_set_partition"),
        family="fragments",
        library="highs",
        rests_on=(literature.GRAFT,),
        needs=frozenset({"highspy"}),
    ),
    Solver(
        "set-partition-cpsat",
        "exact",
        "every set of fragments at its least share, partitioned by CP-SAT in whole numbers, proven optimal (ours)",
        late("formulations.fragments.set_partition", "solve_set_partition_cpsat"),
        takes=frozenset({Option.THREADS, Option.LOG_FILE}),
        family="fragments",
        library="ortools",
        rests_on=(literature.GRAFT,),
        needs=frozenset({"ortools"}),
    ),
    Solver(
        "fragment-columns",
        "exact",
        "realigned sets as columns, priced exactly, the best plan a shortest path, proven optimal (ours)",
        late("formulations.fragments.columns.solver", "run_fragment_columns"),
        family="fragments",
        library="highs",
        needs=frozenset({"highspy"}),
        compile=late("formulations.fragments.columns.solver", "compile_fragment_columns"),
        rests_on=(literature.GRAFT,),
    ),
)
