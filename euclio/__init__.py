"""euclio: the optimization research workbench for DNN inference serving."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from euclio import results

if TYPE_CHECKING:
    from euclio.certifying import certify
    from euclio.comparing import compare
    from euclio.contract.checking import check_solver
    from euclio.decomposing import decompose
    from euclio.explaining import explain
    from euclio.families import evaluate
    from euclio.files import load_instance as load
    from euclio.runs.runner import run
    from euclio.runs.status import status
    from euclio.solving import solve

__all__ = [
    "certify",
    "check_solver",
    "compare",
    "decompose",
    "evaluate",
    "explain",
    "load",
    "results",
    "run",
    "solve",
    "status",
]

_HOME = {
    "certify": ("euclio.certifying", "certify"),
    "check_solver": ("euclio.contract.checking", "check_solver"),
    "compare": ("euclio.comparing", "compare"),
    "decompose": ("euclio.decomposing", "decompose"),
    "evaluate": ("euclio.families", "evaluate"),
    "explain": ("euclio.explaining", "explain"),
    "load": ("euclio.files", "load_instance"),
    "run": ("euclio.runs.runner", "run"),
    "solve": ("euclio.solving", "solve"),
    "status": ("euclio.runs.status", "status"),
}


def __getattr__(name: str) -> Any:
    """The verbs, imported at first use so that `import euclio` stays fast."""
    if name not in _HOME:
        raise AttributeError(f"module 'euclio' has no attribute {name!r}")
    module, verb = _HOME[name]
    return getattr(import_module(module), verb)
