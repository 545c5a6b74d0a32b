"""Runs Scrooge's MILP and greedy on decisions with some inputs otherwise, and on those of its changing workloads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pandas as pd

import euclio.experiments.results as results
from euclio.core.registry import find_solver
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.experiments.solver_settings import measure
from euclio.problems.session import Session
from euclio.serving.dynamics.rules import asked_session
from euclio.serving.dynamics.run import run
from euclio.serving.dynamics.world import SECONDS, draw_world
from euclio.workloads.session.scrooge_sessions import COMPARED, MOST_CLIENTS, draw_scrooge
from studies.collector import Collector
from studies.scrooge.changing import LEAST_SECONDS, Case, named_session
from studies.scrooge.design import inputs_of, named, settings
from studies.scrooge.measures import GREEDY, MILP, OPTIMUM
from studies.scrooge.varied import draw_varied

DECISION_LIMIT_S = 10.0
TYPES_EVERY = 2
VARIED, MADE = "varied", "decisions"
"""Tables: decisions under every setting of the design, and the decisions that a changing workload asks for."""
COLUMNS = ("setting", "application", "number", MILP, GREEDY)
MADE_COLUMNS = ("application", "number", "times", MILP, GREEDY)


def varied_rows(session: Session, seed: int, every: int) -> list[dict[str, Any]]:
    """Cost over the optimum of one decision under every setting; what a worker process measures.

    Args:
        session: names the decision.
        seed: seed of its draws.
        every: settings with many worker types, which take far longer, are run on every so many decisions alone.

    Returns:
        One row per setting under which the decision has a plan, by proof; costs are None where a solver finds none.
    """
    _, application, number, _ = session.name.split("-")
    found = []
    for setting in settings():
        if "types" in setting and int(number) % every:
            continue
        own = ratios(draw_varied(application, seed, int(number), inputs_of(setting)))
        if own is not None:
            found.append({"setting": named(setting), "application": application, "number": int(number), **own})
    return found


def made_rows(session: Session, seed: int, seconds: int) -> list[dict[str, Any]]:
    """Cost over the optimum of every allocation that Scrooge makes on a changing workload.

    Args:
        session: names the application.
        seed: seed of the workload.
        seconds: its length.

    Returns:
        One row per session that it plans for, with how often it does; those without a plan at their rates, and those
        asked for while a worker type is sold out, are left out.
    """
    application = session.name.rpartition("-")[2]
    world, rules = draw_world(application, seed, MOST_CLIENTS, seconds), Case(application).rules
    asked = Counter(question for question in run(world, rules).questions if not question.without)
    found = []
    for number, (question, times) in enumerate(asked.items(), start=1):
        own = ratios(asked_session(world.application, rules.planner, question))
        if own is not None:
            found.append({"application": application, "number": number, "times": times, **own})
    return found


def ratios(session: Session) -> dict[str, float | None] | None:
    """Cost of MILP and greedy over the optimum of their plan space; None: there is no plan, or no proven optimum."""
    space = find_solver(MILP).space_on(session)
    best = solve(session, OPTIMUM, space=space, time_limit_s=DECISION_LIMIT_S)
    if best.value is None or best.status is not Status.OPTIMAL:
        return None
    made = {name: solve(session, name, space=space, time_limit_s=DECISION_LIMIT_S).value for name in (MILP, GREEDY)}
    return {name: None if value is None else float(value / best.value) for name, value in made.items()}


def run_varied(collector: Collector, count: int, seed: int, part: float, full: bool) -> dict[str, pd.DataFrame]:
    """Make all runs.

    Args:
        collector: makes them.
        count: decisions of each application of §4.2.
        seed: seed of the draws.
        part: of the length of a changing workload.
        full: whether settings with many worker types are run on all decisions; else on every `TYPES_EVERY`th.

    Returns:
        `VARIED`, one row per setting and decision; `MADE`, one row per session that a changing workload asks for.
    """
    drawn = [draw_scrooge(name, seed, k).session for name in COMPARED for k in range(1, count + 1)]
    varied = collector.staged(
        "inputs varied",
        drawn,
        [measure(f"{__name__}:varied_rows", VARIED, "session", seed=seed, every=1 if full else TYPES_EVERY)],
    )
    seconds = min(SECONDS, max(LEAST_SECONDS, round(part * SECONDS)))
    setting = measure(f"{__name__}:made_rows", MADE, "session", seed=seed, seconds=seconds)
    made = collector.staged("decisions of changing workloads", list(map(named_session, COMPARED)), [setting])
    return {VARIED: _table(varied, COLUMNS), MADE: _table(made, MADE_COLUMNS)}


def _table(frame: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """What was measured, with these columns."""
    rows = results.measured(frame)
    return rows.reindex(columns=list(columns)).astype(dict.fromkeys((MILP, GREEDY), "float64"))
