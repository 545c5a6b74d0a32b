"""How results that are read without their instances show themselves."""

from __future__ import annotations

from euclio.core.showing import Head, View
from euclio.core.words import full
from euclio.files.unbound_results import UnboundResult


def _head(result: UnboundResult) -> Head:
    value = () if result.value is None else (f"{result.goal.name} {full(result.value)} {result.goal.unit}",)
    return Head(result.instance, result.status, (*value, f"solver {result.solver}", f"as written in {result.file}"))


UNBOUND = View(_head)
