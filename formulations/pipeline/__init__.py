"""Exact methods for pooled pipelines: PPipe's formulation, and columns."""

from __future__ import annotations

from euclio.core import literature
from euclio.core.lazy import late
from euclio.core.registry import AnySolver, Option, Solver
from euclio.problems.pipeline import PipelineSpace
from euclio.problems.pipeline.space import FULL_PIPELINE_SPACE
from formulations.engines.registry import CPSAT_OPTIONS, ENGINES

PPIPE_SPACE = PipelineSpace(one_per_sequence=True)
"""The plan space of PPipe's corrected MILP (PPipe appendix A)."""

LITERAL_SPACE = PipelineSpace(one_per_sequence=True, whole_gpus=False)
"""The plan space of the print, if it forces no pipeline."""

SOLVERS: tuple[AnySolver, ...] = (
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
)
