"""euclio: the optimization research workbench for DNN inference serving."""

from __future__ import annotations

from typing import TYPE_CHECKING

from euclio import results
from euclio.core.lazy import lazy_names
from euclio.verbs import PLACES

if TYPE_CHECKING:
    from euclio.certification.certifying import certify
    from euclio.comparison.comparing import compare
    from euclio.comparison.decomposing import decompose
    from euclio.contract.checking import check_solver
    from euclio.core.versions import show_versions
    from euclio.files.citing import cite
    from euclio.files.instance_files import load_instance as load
    from euclio.runs.runner import run
    from euclio.runs.status import status
    from euclio.verbs import evaluate, explain, solve

__all__ = [
    "certify",
    "check_solver",
    "cite",
    "compare",
    "decompose",
    "evaluate",
    "explain",
    "load",
    "results",
    "run",
    "show_versions",
    "solve",
    "status",
]

__getattr__ = lazy_names(
    __name__,
    {
        "euclio.certification.certifying": ["certify"],
        "euclio.contract.checking": ["check_solver"],
        "euclio.core.versions": ["show_versions"],
        "euclio.files.citing": ["cite"],
        "euclio.files.instance_files": ["load_instance as load"],
        "euclio.runs.runner": ["run"],
        "euclio.runs.status": ["status"],
        **PLACES,
    },
)
