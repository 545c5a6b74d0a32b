"""The laws themselves: an answer that hangs on an order, a name or a unit is seen by one of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from euclio.core.result import Status
from euclio.core.solving import solve

from . import search_laws


def _by_unit(found, instance):
    """Calls a session infeasible whose objective is below a tenth of a second."""
    late = instance.slo_s < Fraction(1, 10)
    return replace(found, status=Status.INFEASIBLE, value=None, plan=None, bound=None) if late else found


def _by_order(found, instance):
    """States a bound of 1e13 where the first hardware type is not the first one by name."""
    first = instance.hardware[0].name == min(h.name for h in instance.hardware)
    return found if found.bound is None or first else replace(found, bound=1e13)


def _by_name(found, instance):
    """States a bound of 1e13 where a hardware type has a name that only the law gives."""
    return replace(found, bound=1e13) if any(h.name.startswith("a ") for h in instance.hardware) else found


@pytest.mark.slow
@pytest.mark.parametrize(("spoilt", "law"), [(_by_unit, "time"), (_by_order, "order"), (_by_name, "names")])
def test_an_answer_that_hangs_on_words_is_a_fault(monkeypatch, spoilt, law):
    """Each of three spoilt solvers breaks the law that is about what it hangs on, on some of twelve seeds."""
    monkeypatch.setattr(search_laws, "solve", lambda instance, *a, **k: spoilt(solve(instance, *a, **k), instance))
    monkeypatch.setattr(search_laws, "TURNED", 99)
    monkeypatch.setattr(search_laws, "answer_laws", lambda *_: iter(()))
    faults = [line for seed in range(0, 48, 4) for line in search_laws.look(seed).faults]
    assert any(line.partition(",")[0].endswith(law) for line in faults)
