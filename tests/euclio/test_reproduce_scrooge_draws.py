"""Workloads of the Scrooge report are the same whether or not anything is compiled yet."""

from __future__ import annotations

from typing import Any

import pytest

from euclio.studies.scrooge import collection


class _DrawnError(Exception):
    """The draw was reached."""


def test_the_optimum_is_compiled_before_draws_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def drawn(*_: Any) -> None:
        raise _DrawnError(*compiled)

    monkeypatch.setattr(collection, "warm_up", lambda solver, _: compiled.append(solver.name))
    monkeypatch.setattr(collection, "workloads", drawn)
    with pytest.raises(_DrawnError, match=collection.OPTIMUM):
        collection.collect(1, 0, 1, full=False, certify=1)
