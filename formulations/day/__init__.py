"""Loads over time: the rules that people use, and the least cost (docs/model/load-over-time.md)."""

from __future__ import annotations

from euclio.core import literature
from euclio.core.lazy import late
from euclio.core.registry import AnySolver, Solver

SHARING = ("day-peak", "day-per-step")
"""The rules that may plan with shared machines."""
SOLVERS: tuple[AnySolver, ...] = (
    *(
        Solver(
            name,
            "heuristic",
            summary,
            late("formulations.day.rules", function),
            family="day",
            covers=frozenset({"packed"}) if name in SHARING else frozenset(),
            rests_on=(literature.HARPAGON,),
        )
        for name, summary, function in (
            ("day-peak", "the cheapest plan of the largest load, all day", "solve_peak"),
            ("day-per-machine", "rate over rate per machine, rounded up, of one configuration", "solve_per_machine"),
            ("day-thresholds", "planned anew where utilisation leaves a band, as autoscalers do", "solve_thresholds"),
            ("day-per-step", "the cheapest plan of each step, whatever changes cost", "solve_per_step"),
        )
    ),
    Solver(
        "day-exact",
        "exact",
        "least cost over all steps by dynamic programming over numbers of machines, proven where these are few (ours)",
        late("formulations.day.solver", "solve_day"),
        family="day",
        covers=frozenset({"packed"}),
        compile=late("formulations.day.solver", "compile_several_modules"),
        rests_on=(literature.HARPAGON,),
    ),
)
