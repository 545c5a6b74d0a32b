"""The verbs: what `euclio VERB` does, as functions with the same names and keywords (docs/api/verbs.md).

`PLACES` says where each stands; `euclio` offers them all.
"""

from __future__ import annotations

from euclio.core.lazy import lazy_names

PLACES = {
    "euclio.verbs.asking": ["changes", "curve", "what_if"],
    "euclio.verbs.benches": [
        "build_bench_set",
        "certify_bench_set",
        "check_bench_set",
        "export_bench_set",
        "list_bench_set",
    ],
    "euclio.verbs.checking": ["certify", "check_proof", "verify"],
    "euclio.verbs.citing": ["cite"],
    "euclio.verbs.comparing": ["compare", "decompose"],
    "euclio.verbs.experiments": ["run", "status"],
    "euclio.verbs.explaining": ["explain"],
    "euclio.verbs.exporting": ["diff", "export"],
    "euclio.verbs.generating": ["generate"],
    "euclio.verbs.importing": [
        "import_csv",
        "import_mlperf",
        "import_model_analyzer",
        "import_perf_analyzer",
        "import_ppipe",
    ],
    "euclio.verbs.knowing": ["show_versions", "solvers", "versions", "warm_up"],
    "euclio.verbs.loading": ["load"],
    "euclio.verbs.planning_days": ["plan_day"],
    "euclio.verbs.pricing": ["prices"],
    "euclio.verbs.profiling": ["profile"],
    "euclio.verbs.reporting": ["report"],
    "euclio.verbs.reproducing": ["reproduce"],
    "euclio.verbs.simulating": ["simulate"],
    "euclio.verbs.solving": ["evaluate", "solve"],
    "euclio.verbs.trying": ["check_solver"],
}
"""The verbs by the file that they stand in."""

__getattr__ = lazy_names(
    __name__, PLACES | {"euclio.verbs.result_types": ["ClusterResult", "DayResult", "FleetResult", "SessionResult"]}
)
