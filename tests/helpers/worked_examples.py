"""The papers' worked examples: profiles, sessions and a short way to write plans."""

from __future__ import annotations

from fractions import Fraction

from euclio.core.numbers import Number, exact
from euclio.problems.session import Allocation, Configuration, Hardware, Module, ModulePlan, Plan, Session

# Batch and seconds. Harpagon Table I and §III-B.
M_1 = [(2, "0.160"), (4, "0.200"), (8, "0.320")]
M_2 = [(2, "0.125"), (4, "0.160"), (8, "0.250")]
M_3 = [(2, "0.100"), (8, "0.250"), (32, "0.800")]
M_4 = [(6, "2.0"), (2, "1.0")]
# Piccolo Table I.
PICCOLO_M_1 = [(5, "0.1"), (20, "0.25"), (100, "1.0")]
PICCOLO_M_2 = [(2, "0.125"), (4, "0.160"), (8, "0.267")]
PICCOLO_M_3 = [(2, "0.167"), (4, "0.2"), (8, "0.32")]
# Ours: five configurations of which two together beat each alone, with dummies, under tc-shared.
FIVE = [(1, "0.093"), (2, "0.141"), (4, "0.164"), (8, "0.375"), (16, "0.391")]


def module(name: str, rate_rps: Number, profile: list[tuple[int, str]]) -> Module:
    """A module on one hardware type `gpu` at concurrency 1."""
    return Module(name, rate_rps, [Configuration("gpu", b, 1, d) for b, d in profile])


def one_module(profile: list[tuple[int, str]], rate_rps: Number, slo_s: Number, price: Number = 1) -> Session:
    """A session of one module `M` on one hardware type `gpu`."""
    return Session("one module", slo_s, [Hardware("gpu", price)], [module("M", rate_rps, profile)])


def module_plan(
    module: Module, *rows: tuple[int, int] | tuple[int, int, str], partial: Number = 0, dummy: Number = 0
) -> ModulePlan:
    """A plan from rows (batch, whole machines) or (batch, whole machines, hardware), in the given order."""
    allocations = []
    for batch, machines, *hardware in rows:
        found = [c for c in module.profile if c.batch == batch and hardware in ([], [c.hardware])]
        assert len(found) == 1, f"{len(found)} configurations have batch {batch} {hardware}"
        allocations.append(Allocation(found[0], machines))
    last = allocations[-1]
    allocations[-1] = Allocation(last.configuration, last.machines, exact(partial))
    return ModulePlan(tuple(allocations), exact(dummy))


def plan(session: Session, *rows: tuple[int, int], partial: Number = 0, dummy: Number = 0) -> Plan:
    """The plan of a session of one module, from rows (batch, whole machines)."""
    return Plan((module_plan(session.modules[0], *rows, partial=partial, dummy=dummy),))


def scrooge() -> Session:
    """Scrooge Tables 3 and 4 with their durations only: A at 80/s, then B at 320/s, 300 ms."""
    rows_a = [("X", 2, 1, "0.040"), ("X", 4, 2, "0.133"), ("Y", 2, 1, "0.025"), ("Y", 4, 2, "0.095")]
    rows_b = [("X", 2, 1, "0.020"), ("X", 4, 2, "0.067"), ("Y", 2, 1, "0.013"), ("Y", 4, 2, "0.040")]
    modules = [
        Module(n, t, [Configuration(*r) for r in rows]) for n, t, rows in (("A", 80, rows_a), ("B", 320, rows_b))
    ]
    return Session("scrooge", "0.3", [Hardware("X", 2), Hardware("Y", 3)], modules, [("A", "B")])


def scrooge_first_plan() -> Plan:
    """A on Y<4,2>, B on Y<2,1>: 80 of 84.2 req/s, and two machines of 153.8 req/s with 12.3 req/s left over."""
    a, b = scrooge().modules
    left = 320 - 2 * Fraction(2) / Fraction("0.013")
    return Plan((module_plan(a, (4, 0, "Y"), partial=80), module_plan(b, (2, 2, "Y"), partial=left)))


def scrooge_best_plan() -> Plan:
    """A on one X<4,2> (60.15 req/s) and a share of Y<2,1>, B on 1.6 machines Y<4,2> (200 req/s)."""
    a, b = scrooge().modules
    left = 80 - Fraction(8) / Fraction("0.133")
    return Plan((module_plan(a, (4, 1, "X"), (2, 0, "Y"), partial=left), module_plan(b, (4, 1, "Y"), partial=120)))
