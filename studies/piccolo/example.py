"""Piccolo's worked numbers (§II, §III, Tables I and II): as printed, computed again, and from its solvers."""

from __future__ import annotations

import json
from fractions import Fraction

from euclio.core.folders import data_dir
from euclio.core.solving import solve
from euclio.problems.session import (
    Allocation,
    Configuration,
    DummyRule,
    Hardware,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Policy,
    Session,
    evaluate,
)
from euclio.report import Block, Heading, Paragraph, Table

TABLE_I = {
    "M_1": ((5, "0.1"), (20, "0.25"), (100, "1")),
    "M_2": ((2, "0.125"), (4, "0.16"), (8, "0.267")),
    "M_3": ((2, "0.167"), (4, "0.2"), (8, "0.32")),
}
"""Batch sizes with their durations in seconds (Table I); one machine type of price 1."""
PRINTED_THROUGHPUT = {"M_2": {2: 16, 4: 25, 8: 30}, "M_3": {2: 12, 4: 20, 8: 25}}
"""Throughputs of Table I in requests per second, rounded as printed; Table II divides by them."""
TABLE_II = (((2, 8), "4.73"), ((4, 4), "4.00"), ((8, 2), "4.67"))
"""Batches of M_2 and M_3 with the printed sum."""
RATES_RPS = {"M_2": 50, "M_3": 40}
M_1_RATE, M_1_SLO_S = 285, 2
M_1_PLANS = (
    (
        "existing solutions, two configurations",
        "3.7",
        PlanSpace(Policy.RR, DummyRule.NONE, 2),
        ((100, 2, 0), (5, 1, 35)),
        0,
    ),
    ("three configurations", "3.1", PlanSpace(dummy=DummyRule.NONE), ((100, 2, 0), (20, 1, 0), (5, 0, 5)), 0),
    ("filled up by 15 dummies per second", "3.0", PlanSpace(dummy=DummyRule.CONTINUOUS), ((100, 3, 0),), 15),
)
"""Plans of M_1 with their printed costs: allocations as batch, whole machines and partial rate, then dummies."""


def example_blocks() -> list[Block]:
    """The section of the page."""
    return [
        Heading("Worked numbers and an erratum"),
        Paragraph(
            "§II schedules module M_1 of Table I at 285 requests per second within 2.0 s in three ways, whose plans "
            "the checker prices as the paper does. Table II adds p·T/t over two modules for three latency splits; "
            f"{_erratum()} Strategy 2 stays the cheapest of the three."
        ),
        _table(),
    ]


def _erratum() -> str:
    """The error in Table II, from the list of contradictions."""
    text = (data_dir() / "published" / "contradictions.json").read_text(encoding="utf-8")
    (entry,) = [one for one in json.loads(text)["contradictions"] if one["key"] == "table-ii"]
    return f"its third sum is an erratum: {entry['why']}"


def _table() -> Table:
    rows = [*_m_1_rows(), *_efficiency_rows(), *_table_ii_rows(), _own_row()]
    return Table(
        "Worked numbers; costs in machines. Marked: the printed number does not come out.",
        ("what", "printed", "computed", "how"),
        tuple(rows),
        frozenset({1, 2}),
        frozenset(
            k for k, (_, printed, computed, _) in enumerate(rows) if printed and float(printed) != float(computed)
        ),
    )


def _m_1_rows() -> list[tuple[str, str, str, str]]:
    session = one_module("M_1", M_1_RATE, M_1_SLO_S)
    rows = []
    for name, printed, space, allocations, dummy in M_1_PLANS:
        by_batch = {c.batch: c for c in session.modules[0].profile}
        plan = Plan(
            (ModulePlan(tuple(Allocation(by_batch[b], n, Fraction(f)) for b, n, f in allocations), Fraction(dummy)),)
        )
        found = evaluate(session, plan, space)
        assert found.feasible, found
        how = " + ".join(f"{_used(by_batch[b], n, f)} ⊗ batch {b}" for b, n, f in allocations)
        rows.append((f"M_1, {name}", printed, f"{float(found.cost_per_h or 0):.1f}", how))
    return rows


def _efficiency_rows() -> list[tuple[str, str, str, str]]:
    """Latency-cost efficiency of M_1's batches from batch 5 at 100 requests per second (§III-C)."""
    rate = Fraction(100)
    first, *others = one_module("M_1", 100, M_1_SLO_S).modules[0].profile
    rows = []
    for c, printed in zip(others, ("2.50", "0.54"), strict=True):
        saved = rate / first.throughput_rps - rate / c.throughput_rps
        longer = (c.duration_s + c.batch / rate) - (first.duration_s + first.batch / rate)
        how = f"{float(saved):g} machines saved for {float(longer):g} s more"
        rows.append((f"M_1, latency-cost efficiency of batch {c.batch}", printed, f"{float(saved / longer):.2f}", how))
    return rows


def _table_ii_rows() -> list[tuple[str, str, str, str]]:
    rows = []
    for number, (batches, printed) in enumerate(TABLE_II, start=1):
        parts = [(RATES_RPS[m], PRINTED_THROUGHPUT[m][b]) for m, b in zip(RATES_RPS, batches, strict=True)]
        total = sum((Fraction(rate, throughput) for rate, throughput in parts), Fraction())
        how = " + ".join(f"{rate}/{throughput}" for rate, throughput in parts)
        rows.append((f"Table II, strategy {number}", printed, _hundredths(total), how))
    return rows


def _hundredths(value: Fraction) -> str:
    """Two decimals, halves rounded up as the paper does: 4.725 is printed as 4.73."""
    return f"{int(value * 100 + Fraction(1, 2)) / 100:.2f}"


def _own_row() -> tuple[str, str, str, str]:
    """The solver's plan for Table II's session."""
    modules = [_module(name, rate) for name, rate in RATES_RPS.items()]
    session = Session("table-ii", "0.9", [Hardware("machine", 1)], modules, [("M_2", "M_3")])
    found = solve(session, "piccolo")
    assert found.plan is not None
    how = "; ".join(
        f"{module.name}: {' + '.join(_words(a) for a in plan.allocations)}"
        for module, plan in zip(session.modules, found.plan.modules, strict=True)
    )
    return "Table II's session by piccolo, under its own dispatch", "", f"{found.cost:.2f}", how


def one_module(name: str, rate_rps: int, slo_s: int) -> Session:
    """A module of Table I on its own."""
    return Session(name, slo_s, [Hardware("machine", 1)], [_module(name, rate_rps)])


def _module(name: str, rate_rps: int) -> Module:
    return Module(name, rate_rps, [Configuration("machine", b, 1, d) for b, d in TABLE_I[name]])


def _words(allocation: Allocation) -> str:
    c = allocation.configuration
    return f"{_used(c, allocation.machines, allocation.partial_rps)} ⊗ batch {c.batch}"


def _used(c: Configuration, machines: int, partial_rps: Fraction | int) -> str:
    return f"{float(machines + partial_rps / c.throughput_rps):.3g}"
