"""Exact methods: formulations for solvers, and our own frontier search."""

from euclio.core import literature
from euclio.core.lazy import late
from euclio.core.registry import Option, Solver
from euclio.problems.pipeline import PipelineSpace
from euclio.problems.pipeline.space import FULL_PIPELINE_SPACE
from formulations.engines.registry import ENGINES
from heuristics.spaces import SCROOGE_LACKS, SCROOGE_SPACE

CPSAT_OPTIONS = frozenset({Option.THREADS, Option.WARM_START, Option.LOG_FILE})
"""CP-SAT has no LP format that would keep its products, so no export."""

JOINT_DEMANDS = frozenset({"whole", "stock", "shares", "resources", "changes", "spare", "largest_share"})
"""What the joint models cover; machines that modules share, they do not."""
NO_CONTINUUM = frozenset({"continuous", "continuous_whole"})
"""Rule `continuous` has costs without steps, and infinitely many plans."""
NO_OWN_POLICY = frozenset({"own_policies"})
"""Proofs rest on the form of a policy's latencies."""

PPIPE_SPACE = PipelineSpace(one_per_sequence=True)
"""What PPipe's corrected MILP chooses from (PPipe appendix A)."""
LITERAL_SPACE = PipelineSpace(one_per_sequence=True, whole_gpus=False)
"""What its print chooses from, where it forces no pipeline."""

SOLVERS = (
    Solver(
        "exact",
        "exact",
        "module frontiers and mode search, proven optimal in any plan space (ours)",
        late("formulations.session.exact.solver", "solve_exact"),
        compile=late("formulations.session.exact.solver", "compile_exact"),
        pieces=late("formulations.session.curve", "cost_pieces"),
        covers=frozenset({"whole", "stock", "shares", "resources", "changes", "spare"}),
        lacks=NO_OWN_POLICY
        | {
            "shares_continuous",
            "resources_continuous",
            "resources_spare",
            "changes_continuous",
            "changes_continuous_whole",
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
        lacks=NO_CONTINUUM | NO_OWN_POLICY,
        rests_on=(literature.HARPAGON, literature.SCROOGE),
        needs=frozenset({"ortools"}),
    ),
    Solver(
        "columns",
        "exact",
        "feasible pipelines as columns, packed within the losses that the relaxation leaves, proven optimal (ours)",
        late("formulations.pipeline.columns.solver", "run_columns"),
        FULL_PIPELINE_SPACE,
        family="pipeline",
        library="highs",
        needs=frozenset({"highspy"}),
        compile=late("formulations.pipeline.columns.solver", "compile_columns"),
        rests_on=(literature.PPIPE,),
    ),
    Solver(
        "ppipe",
        "exact",
        "PPipe's MILP (PPipe appendix A), pipelines optional and GPUs whole: one pipeline per sequence of GPU types",
        late("formulations.pipeline.ppipe.milp", "solve_ppipe"),
        PPIPE_SPACE,
        frozenset(Option),
        ENGINES,
        family="pipeline",
        library="highs",
        lacks=frozenset({"several_pipelines"}),
        rests_on=(literature.PPIPE,),
        needs=frozenset({"pulp"}),
    ),
    Solver(
        "ppipe-literal",
        "heuristic",
        "PPipe's MILP exactly as printed (PPipe appendix A): every sequence of GPU types forced, fractions of GPUs",
        late("formulations.pipeline.ppipe.milp", "solve_ppipe_literal"),
        LITERAL_SPACE,
        frozenset(Option),
        ENGINES,
        family="pipeline",
        library="highs",
        lacks=frozenset({"several_pipelines", "whole_gpus"}),
        rests_on=(literature.PPIPE,),
        needs=frozenset({"pulp"}),
    ),
    Solver(
        "ppipe-cpsat",
        "exact",
        "PPipe's MILP in CP-SAT, integer scaling with a proven error bound (PPipe appendix A)",
        late("formulations.pipeline.ppipe.cpsat", "solve_ppipe_cpsat"),
        PPIPE_SPACE,
        CPSAT_OPTIONS,
        family="pipeline",
        library="ortools",
        lacks=frozenset({"several_pipelines"}),
        rests_on=(literature.PPIPE,),
        needs=frozenset({"ortools"}),
    ),
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
    *(
        Solver(
            name,
            "heuristic",
            summary,
            late("formulations.day.rules", function),
            family="day",
            rests_on=(literature.HARPAGON,),
        )
        for name, summary, function in (
            ("day-peak", "the cheapest plan of the largest load, all day", "solve_peak"),
            ("day-per-machine", "rate over rate per machine, rounded up, of one configuration", "solve_per_machine"),
            ("day-thresholds", "planned anew where utilisation leaves a band, as autoscalers do", "solve_thresholds"),
            ("day-per-step", "the cheapest plan of each step, whatever changes cost", "solve_per_step"),
        )
    ),
    Solver(
        "day-exact",
        "exact",
        "least cost over all steps by dynamic programming over numbers of machines, proven where these are few (ours)",
        late("formulations.day.solver", "solve_day"),
        family="day",
        compile=late("formulations.day.solver", "compile_several_modules"),
        rests_on=(literature.HARPAGON,),
    ),
)
