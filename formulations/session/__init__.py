"""Exact methods for sessions: formulations for engines, and our own search."""

from __future__ import annotations

from euclio.core import literature
from euclio.core.lazy import late
from euclio.core.registry import AnySolver, Option, Solver
from euclio.problems.session.demands import FLOORS, SEVERAL_OBJECTIVES
from formulations.engines.registry import CPSAT_OPTIONS, ENGINES
from heuristics.session import SCROOGE_LACKS, SCROOGE_SPACE

JOINT_DEMANDS = FLOORS | {"whole", "stock", "shares", "resources", "changes", "spare", "largest_share", "objectives"}
"""Demands that the joint models cover; they do not cover machines that modules share."""

NO_CONTINUUM = frozenset({"continuous", "continuous_whole"})
"""Rule `continuous` has costs without steps, and infinitely many plans."""

NO_OWN_POLICY = frozenset({"own_policies"})
"""Proofs rest on the form of a policy's latencies."""

SOLVERS: tuple[AnySolver, ...] = (
    Solver(
        "exact",
        "exact",
        "module frontiers and mode search, proven optimal in any plan space (ours)",
        late("formulations.session.exact.solver", "solve_exact"),
        compile=late("formulations.session.exact.solver", "compile_exact"),
        pieces=late("formulations.session.curve", "cost_pieces"),
        covers=SEVERAL_OBJECTIVES | JOINT_DEMANDS | {"packed"},
        lacks=NO_OWN_POLICY
        | {
            "packed_limits",
            "shares_continuous",
            "resources_continuous",
            "resources_spare",
            "changes_continuous",
            "changes_continuous_whole",
            "at_least_coupled",
            "at_least_continuous",
            "least_machines_unfilled",
            "least_coupled",
            "share_continuous",
        },
        rests_on=(literature.HARPAGON,),
    ),
    Solver(
        "scrooge-milp",
        "heuristic",
        "Scrooge's MILP (Scrooge §3.3): one configuration per module, then its partial allocations",
        late("formulations.session.scrooge", "solve_scrooge_milp"),
        SCROOGE_SPACE,
        frozenset({Option.ENGINE, Option.THREADS, Option.LOG_FILE, Option.EXPORT_LP}),
        ENGINES,
        library="highs",
        lacks=SCROOGE_LACKS | {"one_allocation"},
        rests_on=(literature.SCROOGE,),
        needs=frozenset({"pulp"}),
    ),
    Solver(
        "milp",
        "exact",
        "splitting and allocation in one MILP, tangents below the latency, proven optimal (ours)",
        late("formulations.session.milp.joint", "run_milp"),
        takes=frozenset(Option),
        engines=ENGINES,
        starts_from="harpagon",
        library="highs",
        needs=frozenset({"pulp"}),
        covers=JOINT_DEMANDS,
        lacks=NO_CONTINUUM | NO_OWN_POLICY,
        rests_on=(literature.HARPAGON,),
    ),
    Solver(
        "milp-split",
        "exact",
        "latency splitting over module frontiers as a MILP (Harpagon §III-D, Scrooge (2a)-(2d))",
        late("formulations.session.milp.split", "run_milp_split"),
        takes=frozenset(Option),
        engines=ENGINES,
        library="highs",
        covers=frozenset({"objectives"}),
        lacks=NO_CONTINUUM | NO_OWN_POLICY,
        rests_on=(literature.HARPAGON, literature.SCROOGE),
        needs=frozenset({"pulp"}),
    ),
    Solver(
        "cpsat",
        "exact",
        "splitting and allocation in one CP-SAT model, integer scaling with a proven error bound (ours)",
        late("formulations.session.cpsat.joint", "run_cpsat"),
        takes=CPSAT_OPTIONS,
        starts_from="harpagon",
        library="ortools",
        needs=frozenset({"ortools"}),
        covers=JOINT_DEMANDS,
        lacks=NO_CONTINUUM | NO_OWN_POLICY,
        rests_on=(literature.HARPAGON,),
    ),
    Solver(
        "cpsat-split",
        "exact",
        "latency splitting over module frontiers in CP-SAT (Harpagon §III-D, Scrooge (2a)-(2d))",
        late("formulations.session.cpsat.split", "run_cpsat_split"),
        takes=CPSAT_OPTIONS,
        library="ortools",
        covers=frozenset({"objectives"}),
        lacks=NO_CONTINUUM | NO_OWN_POLICY,
        rests_on=(literature.HARPAGON, literature.SCROOGE),
        needs=frozenset({"ortools"}),
    ),
)
