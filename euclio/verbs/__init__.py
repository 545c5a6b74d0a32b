"""The verbs: what `euclio VERB` does, as functions with the same names and keywords (docs/api/verbs.md).

`PLACES` says where each stands; `euclio` offers them all.
"""

from __future__ import annotations

PLACES = {
    "euclio.verbs.what_if": ["changes", "curve", "what_if"],
    "euclio.verbs.bench_set": [
        "build_bench_set",
        "certify_bench_set",
        "check_bench_set",
        "export_bench_set",
        "list_bench_set",
    ],
    "euclio.verbs.certify": ["certify", "check_proof", "verify"],
    "euclio.verbs.cite": ["cite"],
    "euclio.verbs.compare": ["compare", "decompose"],
    "euclio.verbs.run": ["run", "status"],
    "euclio.verbs.explain": ["explain"],
    "euclio.verbs.export": ["diff", "export"],
    "euclio.verbs.generate": ["generate"],
    "euclio.verbs.imports": [
        "import_csv",
        "import_mlperf",
        "import_model_analyzer",
        "import_perf_analyzer",
        "import_ppipe",
    ],
    "euclio.verbs.solvers": ["show_versions", "solvers", "versions", "warm_up"],
    "euclio.verbs.plan_day": ["plan_day"],
    "euclio.verbs.prices": ["prices"],
    "euclio.verbs.profile": ["profile"],
    "euclio.verbs.report": ["report"],
    "euclio.verbs.reproduce": ["reproduce"],
    "euclio.verbs.simulate": ["simulate"],
    "euclio.verbs.solve": ["evaluate", "load", "solve"],
    "euclio.verbs.check_solver": ["check_solver"],
}
"""The verbs by the file that they stand in."""
