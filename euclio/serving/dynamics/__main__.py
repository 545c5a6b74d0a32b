"""`python -m euclio.serving.dynamics`: serves one of Scrooge's applications while clients come and go.

Writes totals and seconds as JSON, a table and a figure. A run of 1000 s takes some seconds, most of it the planner's.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from euclio.core.errors import InputError
from euclio.core.progress import progress_bar
from euclio.core.registry import find_solver
from euclio.core.values import count, counts, exact_not_negative, named, names
from euclio.files.json_writing import json_text, write_text
from euclio.serving.dynamics.figure import PERCENT, save
from euclio.serving.dynamics.rules import SCROOGE, Planner, Rules, nexus
from euclio.serving.dynamics.run import Record, run
from euclio.serving.dynamics.world import SECONDS, World, draw_world
from euclio.workloads.session.scrooge_sessions import MOST_CLIENTS, scrooge_applications

OUT = Path("build/reports") / "dynamics"
SCHEMA = "euclio/dynamics/1"
SEED = 2021
COSTS = ("finish rate (%)", "in use ($)", "rented ($)", "shares ($)")
STATE = ("machines with state moved", "that cost ($)")
"""Heads of columns of the table."""


def main(argv: Sequence[str] | None = None) -> None:
    """Run, write, say where."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        world = draw_world(arguments.application, arguments.seed, arguments.clients, arguments.seconds)
        asked = _asked(arguments)
        records = _records(world, asked)
    except InputError as error:
        parser.error(str(error))
    write(records, arguments.application, arguments.out)
    print(arguments.out)


def _records(world: World, asked: Mapping[str, Rules]) -> dict[str, Record]:
    """The record of a run under each of the rules.

    Raises:
        InputError: a planner lacks a feature that rules ask for.
    """
    found: dict[str, Record] = {}
    with progress_bar("runs", len(asked)) as advance:
        for name, rules in asked.items():
            found[name] = run(world, rules)
            advance()
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m euclio.serving.dynamics", description=__doc__)
    known = tuple(scrooge_applications())
    parser.add_argument("--application", default=known[0], choices=known, help=f"default: {known[0]}")
    parser.add_argument("--planners", type=names, default=(SCROOGE.planner.solver,), metavar="A,B", help="solvers")
    parser.add_argument("--nexus", type=counts, default=(), metavar="N,M", help="also Nexus with so many front-ends")
    parser.add_argument("--clients", type=count, default=MOST_CLIENTS, metavar="N", help=f"default: {MOST_CLIENTS}")
    parser.add_argument("--seconds", type=count, default=SECONDS, metavar="N", help=f"default: {SECONDS}")
    parser.add_argument("--seed", type=int, default=SEED, metavar="N", help=f"default: {SEED}")
    for flag, field, text in _NUMBERS:
        default = getattr(SCROOGE, field)
        parser.add_argument(
            flag, type=exact_not_negative, default=default, metavar="X", help=f"{text}; default: {float(default):g}"
        )
    parser.add_argument(
        "--slo-share", type=exact_not_negative, default=Fraction(1), metavar="X", help="of the SLO, for plans"
    )
    parser.add_argument(
        "--slower", type=exact_not_negative, default=Fraction(1), metavar="X", help="without module pipelining"
    )
    parser.add_argument(
        "--state-price",
        type=named(exact_not_negative),
        default={},
        metavar="MODULE=P,...",
        help="money for each machine of a module that holds state which is added or removed, such as order=0.05",
    )
    parser.add_argument(
        "--kept",
        type=exact_not_negative,
        metavar="X",
        help="seconds that a plan is expected to be kept: weighs state against that; default: state is not weighed",
    )
    parser.add_argument("--fail", type=_seconds, default=(), metavar="S,S", help="when workers fail")
    parser.add_argument("--out", type=Path, default=OUT, metavar="DIR", help=f"folder; default: {OUT}")
    return parser


_NUMBERS = (
    ("--window", "window_s", "seconds between two looks at rates and execution times"),
    ("--change", "change", "change that is significant"),
    ("--turn-off", "turn_off_s", "seconds that an unused worker stays on"),
    ("--warm-up", "warm_up_s", "seconds in which a worker loads a module"),
)


def _seconds(text: str) -> tuple[int, ...]:
    """Times in whole nanoseconds, from seconds."""
    return tuple(int(exact_not_negative(part) * 10**9) for part in names(text))


def _asked(arguments: argparse.Namespace) -> dict[str, Rules]:
    """Rules by name.

    Raises:
        InputError: there is no such solver.
    """
    own = {field: getattr(arguments, field.removesuffix("_s")) for _, field, _ in _NUMBERS}
    own |= {"failures_ns": arguments.fail, "state": arguments.state_price, "kept_s": arguments.kept}
    planner = Planner(slo_share=arguments.slo_share, slower=arguments.slower)
    found: dict[str, Rules] = {}
    for solver in arguments.planners:
        found[solver] = replace(SCROOGE, planner=replace(planner, solver=find_solver(solver).name), **own)
    for front_ends in arguments.nexus:
        rules = nexus(front_ends)
        asked = replace(rules.planner, slo_share=arguments.slo_share, slower=arguments.slower)
        # Nexus has no stateful modules (§4.1), and moves state without weighing it.
        found[f"nexus, {front_ends} front-ends"] = replace(
            rules, planner=asked, failures_ns=arguments.fail, state=arguments.state_price
        )
    return found


def write(records: Mapping[str, Record], application: str, out: Path) -> None:
    """Write totals and seconds as JSON, the table as Markdown and the figure."""
    out.mkdir(parents=True, exist_ok=True)
    rows = [{"run": name, **record.describe(), **record.by_second()} for name, record in records.items()]
    write_text(json_text({"schema": SCHEMA, "application": application, "rows": rows}), out / "dynamics.json")
    write_text(table(records), out / "dynamics.md")
    save(records, out / "dynamics.svg")


def table(records: Mapping[str, Record]) -> str:
    """One row per run."""
    head = ("run", *COSTS, "workers started", "allocations", *STATE)
    found = [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 1)}"]
    for name, record in records.items():
        costs = (record.used_cost, record.cost, record.planned_cost)
        cells = (f"{PERCENT * record.finish_rate:.1f}", *(f"{cost:.2f}" for cost in costs))
        counts = (len(record.rentals), record.allocations, record.state_moves, f"{float(record.state_cost):.2f}")
        found.append(f"| {name} | {' | '.join((*cells, *map(str, counts)))} |")
    return "\n".join(found) + "\n"


if __name__ == "__main__":
    main()
