"""Exact methods: formulations for solvers, and our own frontier search."""

from euclio.core.registry import Option, Solver
from euclio.pipeline.space import FULL_PIPELINE_SPACE
from formulations.engines.milp import ENGINES
from formulations.pipeline.columns.solver import compile_columns, run_columns
from formulations.pipeline.ppipe.cpsat import NAME as PPIPE_CPSAT
from formulations.pipeline.ppipe.cpsat import solve_ppipe_cpsat
from formulations.pipeline.ppipe.milp import LITERAL as PPIPE_LITERAL
from formulations.pipeline.ppipe.milp import NAME as PPIPE
from formulations.pipeline.ppipe.milp import solve_ppipe, solve_ppipe_literal
from formulations.pipeline.ppipe.search import LITERAL_SPACE, PPIPE_SPACE
from formulations.session.cpsat.joint import run_cpsat
from formulations.session.cpsat.split import run_cpsat_split
from formulations.session.exact.solver import solve_exact
from formulations.session.milp.joint import run_milp
from formulations.session.milp.split import run_milp_split
from formulations.session.scrooge.milp import NAME as SCROOGE_MILP
from formulations.session.scrooge.milp import solve_scrooge_milp
from heuristics.session.scrooge_space import SCROOGE_SPACE

CPSAT_OPTIONS = frozenset({Option.THREADS, Option.WARM_START, Option.LOG_FILE})
"""CP-SAT has no LP format that would keep its products, so no export."""

SOLVERS = (
    Solver("exact", "exact", "module frontiers and mode search, proven optimal in any plan space (ours)", solve_exact),
    Solver(
        SCROOGE_MILP,
        "heuristic",
        "Scrooge's MILP (Scrooge §3.3): one configuration per module, then its partial allocations",
        solve_scrooge_milp,
        SCROOGE_SPACE,
        frozenset({Option.ENGINE, Option.THREADS, Option.LOG_FILE, Option.EXPORT_LP}),
        ENGINES,
        library="highs",
    ),
    Solver(
        "milp",
        "exact",
        "splitting and allocation in one MILP, tangents below the latency, proven optimal (ours)",
        run_milp,
        takes=frozenset(Option),
        engines=ENGINES,
        starts_from="harpagon",
        library="highs",
    ),
    Solver(
        "milp-split",
        "exact",
        "latency splitting over module frontiers as a MILP (Harpagon §III-D, Scrooge (2a)-(2d))",
        run_milp_split,
        takes=frozenset(Option),
        engines=ENGINES,
        library="highs",
    ),
    Solver(
        "cpsat",
        "exact",
        "splitting and allocation in one CP-SAT model, integer scaling with a proven error bound (ours)",
        run_cpsat,
        takes=CPSAT_OPTIONS,
        starts_from="harpagon",
        library="ortools",
    ),
    Solver(
        "cpsat-split",
        "exact",
        "latency splitting over module frontiers in CP-SAT (Harpagon §III-D, Scrooge (2a)-(2d))",
        run_cpsat_split,
        takes=CPSAT_OPTIONS,
        library="ortools",
    ),
    Solver(
        "columns",
        "exact",
        "feasible pipelines as columns, packed within the losses that the relaxation leaves, proven optimal (ours)",
        run_columns,
        FULL_PIPELINE_SPACE,
        family="pipeline",
        library="highs",
        compile=compile_columns,
    ),
    Solver(
        PPIPE,
        "exact",
        "PPipe's MILP (PPipe appendix A), pipelines optional and GPUs whole: one pipeline per sequence of GPU types",
        solve_ppipe,
        PPIPE_SPACE,
        frozenset(Option),
        ENGINES,
        family="pipeline",
        library="highs",
    ),
    Solver(
        PPIPE_LITERAL,
        "heuristic",
        "PPipe's MILP exactly as printed (PPipe appendix A): every sequence of GPU types forced, fractions of GPUs",
        solve_ppipe_literal,
        LITERAL_SPACE,
        frozenset(Option),
        ENGINES,
        family="pipeline",
        library="highs",
    ),
    Solver(
        PPIPE_CPSAT,
        "exact",
        "PPipe's MILP in CP-SAT, integer scaling with a proven error bound (PPipe appendix A)",
        solve_ppipe_cpsat,
        PPIPE_SPACE,
        CPSAT_OPTIONS,
        family="pipeline",
        library="ortools",
    ),
)
