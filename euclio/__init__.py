"""euclio: the optimization research workbench for DNN inference serving.

Every verb of the command `euclio` is a function here, with the same keywords (docs/api/verbs.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from euclio.core.former_names import find_by_former_names
from euclio.core.lazy import lazy_names
from euclio.experiments import results
from euclio.verbs import PLACES

if TYPE_CHECKING:
    from euclio.verbs.bench_set import (
        build_bench_set,
        certify_bench_set,
        check_bench_set,
        export_bench_set,
        list_bench_set,
    )
    from euclio.verbs.certify import certify, check_proof, verify
    from euclio.verbs.check_solver import check_solver
    from euclio.verbs.cite import cite
    from euclio.verbs.compare import compare, decompose
    from euclio.verbs.explain import explain
    from euclio.verbs.export import diff, export
    from euclio.verbs.generate import generate
    from euclio.verbs.imports import (
        import_csv,
        import_mlperf,
        import_model_analyzer,
        import_perf_analyzer,
        import_ppipe,
    )
    from euclio.verbs.plan_day import plan_day
    from euclio.verbs.prices import prices
    from euclio.verbs.profile import profile
    from euclio.verbs.report import report
    from euclio.verbs.reproduce import reproduce
    from euclio.verbs.run import run, status
    from euclio.verbs.simulate import simulate
    from euclio.verbs.solve import evaluate, load, solve
    from euclio.verbs.solvers import show_versions, solvers, versions, warm_up
    from euclio.verbs.what_if import changes, curve, what_if

__all__ = [
    "build_bench_set",
    "certify",
    "certify_bench_set",
    "changes",
    "check_bench_set",
    "check_proof",
    "check_solver",
    "cite",
    "compare",
    "curve",
    "decompose",
    "diff",
    "evaluate",
    "explain",
    "export",
    "export_bench_set",
    "generate",
    "import_csv",
    "import_mlperf",
    "import_model_analyzer",
    "import_perf_analyzer",
    "import_ppipe",
    "list_bench_set",
    "load",
    "plan_day",
    "prices",
    "profile",
    "report",
    "reproduce",
    "results",
    "run",
    "show_versions",
    "simulate",
    "solve",
    "solvers",
    "status",
    "verify",
    "versions",
    "warm_up",
    "what_if",
]

__getattr__ = lazy_names(
    __name__,
    {
        **PLACES,
        # Rooms of these names can be called, as the verbs: whichever of both was asked for first.
        "euclio.verbs.export": ["diff", "export_room as export"],
        "euclio.verbs.report": ["report_room as report"],
    },
)

find_by_former_names()


def __dir__() -> list[str]:
    """What is offered, and not what happens to be imported already."""
    return sorted(__all__)
