"""euclio: the optimization research workbench for DNN inference serving."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from euclio import results
from euclio.moved import find_moved

if TYPE_CHECKING:
    from euclio.certification.certifying import certify
    from euclio.comparison.comparing import compare
    from euclio.comparison.decomposing import decompose
    from euclio.contract.checking import check_solver
    from euclio.core.family import evaluate
    from euclio.core.solving import solve
    from euclio.files import load_instance as load
    from euclio.runs.runner import run
    from euclio.runs.status import status
    from euclio.session.explain import explain

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
    "certify": ("euclio.certification.certifying", "certify"),
    "check_solver": ("euclio.contract.checking", "check_solver"),
    "compare": ("euclio.comparison.comparing", "compare"),
    "decompose": ("euclio.comparison.decomposing", "decompose"),
    "evaluate": ("euclio.core.family", "evaluate"),
    "explain": ("euclio.session.explain", "explain"),
    "load": ("euclio.files", "load_instance"),
    "run": ("euclio.runs.runner", "run"),
    "solve": ("euclio.core.solving", "solve"),
    "status": ("euclio.runs.status", "status"),
}


find_moved()


def __getattr__(name: str) -> Any:
    """The verbs, imported at first use so that `import euclio` stays fast."""
    if name not in _HOME:
        raise AttributeError(f"module 'euclio' has no attribute {name!r}")
    module, verb = _HOME[name]
    return getattr(import_module(module), verb)
