"""Scrooge's worked example (§3.3, Tables 3 and 4): the printed arithmetic next to the solvers' plans."""

from __future__ import annotations

from fractions import Fraction

from euclio.core.registry import find_solver
from euclio.core.solving import solve
from euclio.problems.session import Allocation, Configuration, Hardware, Module, Session
from euclio.report import Table
from studies.scrooge.measures import BRUTE_FORCE, GREEDY, MILP, OPTIMUM

DURATIONS_MS = {
    "A": {("X", 2, 1): 40, ("X", 4, 2): 133, ("Y", 2, 1): 25, ("Y", 4, 2): 95},
    "B": {("X", 2, 1): 20, ("X", 4, 2): 67, ("Y", 2, 1): 13, ("Y", 4, 2): 40},
}
"""Tables 3 and 4; their throughputs differ from b·e/d by up to 4 % (160 for 153.8) and are left out."""
RATES_RPS = {"A": 80, "B": 320}
PRICES_PER_H = {"X": 2, "Y": 3}


def session() -> Session:
    """The example with its durations only: A, then B, within 300 ms."""
    modules = [
        Module(name, RATES_RPS[name], [Configuration(*key, Fraction(ms, 1000)) for key, ms in rows.items()])
        for name, rows in DURATIONS_MS.items()
    ]
    hardware = [Hardware(name, price) for name, price in PRICES_PER_H.items()]
    return Session("scrooge-example", "0.3", hardware, modules, [("A", "B")])


def example_table() -> Table:
    """The printed values, the result of their arithmetic, and every solver's plan."""
    rows = [
        ("paper, first allocation", "9", "171", "A on Y<4,2>, B on 2 Y<2,1>"),
        ("its arithmetic", f"{80 / 84 * 3 + 320 / 160 * 3:.4f}", "171.0", "80/84·3 + 320/160·3"),
        ("paper, optimal allocation", "7.55", "273", "A on X<4,2> and a share of Y<2,1>, B on 1.6 Y<4,2>"),
        ("its arithmetic", f"{2 + 20 / 81 * 3 + 1.6 * 3:.4f}", "", "2 + 20/81·3 + 1.6·3"),
    ]
    space = find_solver(MILP).space
    for name in (OPTIMUM, BRUTE_FORCE, MILP, GREEDY):
        result = solve(session(), name, space=space)
        assert result.plan is not None
        assert result.evaluation is not None
        latency_ms = 1000 * float(result.evaluation.latency_s or 0)
        plan = "; ".join(
            f"{module.name} on {' + '.join(_words(a) for a in planned.allocations)}"
            for module, planned in zip(session().modules, result.plan.modules, strict=True)
        )
        rows.append((name, f"{result.cost:.4f}", f"{latency_ms:.1f}", plan))
    return Table(
        "The worked example with its durations only; cost in $ per hour",
        ("source", "cost", "latency (ms)", "allocation"),
        tuple(rows),
        frozenset({1, 2}),
    )


def _words(allocation: Allocation) -> str:
    c = allocation.configuration
    used = allocation.machines + allocation.partial_rps / c.throughput_rps
    return f"{float(used):.3g} {c.hardware}<{c.batch},{c.concurrency}>"
