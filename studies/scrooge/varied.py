"""Inputs of Scrooge's decisions (§4.2) varied: profiles, rates, clients, worker types and objectives (ours).

Which of them moves the share of decisions on which Scrooge's MILP and greedy cost the same as the optimum (Figure 10)?
`draw_varied` draws a decision as `draw_scrooge` does, with changes of some inputs, or the same one without a change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import pandas as pd

import euclio.experiments.results as results
from euclio.core.numbers import exact
from euclio.core.registry import find_solver
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.experiments.solver_settings import measure
from euclio.problems.session import Module, Session
from euclio.serving.dynamics.rules import asked_session
from euclio.serving.dynamics.run import run
from euclio.serving.dynamics.world import SECONDS, draw_world
from euclio.workloads.session.applications import Profile
from euclio.workloads.session.scrooge_sessions import (
    COMPARED,
    MOST_CLIENTS,
    draw_scrooge,
    find_scrooge_application,
    profile_of,
    scrooge_data,
)
from euclio.workloads.session.worker_types import on_worker_types
from studies.collector import RUN_LIMIT_S, Collector
from studies.scrooge.changing import LEAST_SECONDS, WorldCase, named_session
from studies.scrooge.measures import GREEDY, MILP, OPTIMUM

NO_TIMES_PRINTED = ("vehicle", "face_recogniser", "face_detector", "triplet")
"""Modules of §4.2 without a printed execution time or throughput."""
NO_RATIO_PRINTED = ("vehicle", "face_recogniser", "prnet", "mobilenet", "triplet")
"""Modules of §4.2 without a printed speed on V100 over that on P100."""
NO_ITEMS_PRINTED = (("traffic", "face"), ("face", "keypoints"), ("tracker", "reid"))
"""Modules without printed requests per frame, by application."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The differences from the study's own decisions; the defaults make none.

    Attributes:
        types: number of drawn worker types in place of P100 and V100; 0 means these two.
        clients: number of clients; 0 means drawn from 1 to 12.
        rate: factor of the rates of all modules.
        objective_ms: latency objective.
        items: factor of the requests per frame of the modules of `NO_ITEMS_PRINTED`.
        duration: factor of the durations of the modules of `NO_TIMES_PRINTED`.
        fixed: share of the time of batch 1 that does not grow with the batch, for the modules of `NO_TIMES_PRINTED`;
            the time of batch 1 does not change. -1 means unchanged.
        gain: factor of the gain from concurrency, for the modules of `NO_TIMES_PRINTED`.
        fall: exponent by which that gain falls with the batch, for the modules of `NO_TIMES_PRINTED`; -1 means
            unchanged.
        faster: speed on V100 over that on P100, for the modules of `NO_RATIO_PRINTED`; 0 means unchanged.
        levels: the highest concurrency, all levels below included; 0 means the printed levels 1, 2 and 4 alone.
        alone: factor of the durations of modules without a GPU.
    """

    types: int = 0
    clients: int = 0
    rate: float = 1.0
    objective_ms: int = 400
    items: float = 1.0
    duration: float = 1.0
    fixed: float = -1.0
    gain: float = 1.0
    fall: float = -1.0
    faster: float = 0.0
    levels: int = 4
    alone: float = 1.0


OWN = Inputs()


def draw_varied(application: str, seed: int, number: int, inputs: Inputs) -> Session:
    """The decision of this number with some inputs changed; all other draws are those of `draw_scrooge`.

    Args:
        application: traffic, face or tracker.
        seed: seed of the draws.
        number: number of the decision, from 1; worker types are drawn anew for each.
        inputs: the changes.
    """
    session = draw_scrooge(application, seed, number, clients=inputs.clients).session
    profiles = _profiles(application, inputs)
    modules = tuple(
        Module(m.name, m.rate_rps * _times(application, m.name, inputs), profiles[m.name]) for m in session.modules
    )
    session = replace(session, modules=modules, slo_s=Fraction(inputs.objective_ms, 1000))
    if not inputs.types:
        return session
    return replace(on_worker_types(session, inputs.types, seed + number), name=session.name)


def _times(application: str, module: str, inputs: Inputs) -> Fraction:
    """Factor of a module's rate."""
    items = inputs.items if (application, module) in NO_ITEMS_PRINTED else 1.0
    return exact(inputs.rate) * exact(items)


@cache
def _profiles(application: str, inputs: Inputs) -> Mapping[str, Profile]:
    """Profiles of an application's modules by name, made once and shared by all sessions."""
    named = {entry["name"]: entry for entry in scrooge_data()["applications"]}[application]
    levels = tuple(range(1, inputs.levels + 1)) if inputs.levels else (1, 2, 4)
    known = {m.name: m.profile for m in find_scrooge_application(application).application.modules}
    return {
        m["name"]: known[m["name"]] if inputs == OWN else profile_of(_entry(m["profile"], inputs), levels=levels)
        for m in named["modules"]
    }


def _entry(name: str, inputs: Inputs) -> dict[str, Any]:
    """A module's entry of the data file with inputs changed."""
    entry = dict(scrooge_data()["modules"][name])
    if "alone_s" in entry:
        return {**entry, "alone_s": entry["alone_s"] * inputs.alone}
    if inputs.faster and name in NO_RATIO_PRINTED:
        entry["V100"] = inputs.faster
    if name not in NO_TIMES_PRINTED:
        return entry
    if inputs.fixed >= 0:
        alone = entry["base_s"] + entry["slope_s"]
        entry["base_s"], entry["slope_s"] = inputs.fixed * alone, (1 - inputs.fixed) * alone
    entry["base_s"] *= inputs.duration
    entry["slope_s"] *= inputs.duration
    entry["concurrency_gain"] *= inputs.gain
    if inputs.fall >= 0:
        entry["gain_fall"] = inputs.fall
    return entry


@dataclass(frozen=True, slots=True)
class Factor:
    """A varied input.

    Attributes:
        name: its field of `Inputs`.
        words: its meaning.
        levels: its values, ascending, without the study's own.
        own: the study's own value on the same axis; None means every module has its own.
        printed: the paper's printed value; empty means nothing that settles it.
        unit: the text behind a value.
    """

    name: str
    words: str
    levels: tuple[float, ...]
    own: float | None
    printed: str = ""
    unit: str = ""

    def said(self, value: float) -> str:
        """A value in words."""
        return f"{self.unit}{value:g}" if self.unit == "×" else f"{value:g}{self.unit}"

    @property
    def axis(self) -> tuple[float, ...]:
        """All values of the runs, also the study's own if it has one."""
        return self.levels if self.own is None else tuple(sorted({*self.levels, self.own}))


UNPRINTED = "the modules of which no time is printed"
FACTORS = (
    Factor("types", "number of worker types, drawn", (2, 5, 10, 19, 24, 30), None, "2 VM types (§4.3)"),
    Factor("clients", "clients that are there at every decision", (1, 3, 6, 12), None, "12 who come and go (§4.2)"),
    Factor("rate", "rates of all modules", (0.25, 0.5, 2, 4, 16), 1, "frame rates of clients (§4.2)", "×"),
    Factor("objective_ms", "latency objective", (300, 600, 800, 1000), 400, "400 ms (§4.2)", " ms"),
    Factor("items", "faces and persons per frame", (0.5, 2, 4), 1, "", "×"),
    Factor("duration", f"durations of {UNPRINTED}", (0.25, 0.5, 2), 1, "", "×"),
    Factor("fixed", f"fixed share of batch 1's time, of {UNPRINTED}", (0, 0.25, 0.5, 0.75, 0.95), None),
    Factor("gain", f"gain from concurrency, of {UNPRINTED}", (0, 0.5, 2, 4), 1, "", "×"),
    Factor("fall", f"how fast that gain falls with the batch, its exponent, of {UNPRINTED}", (0, 0.5, 1), None),
    Factor("faster", "V100's speed over P100's, where no ratio is printed", (1, 1.2, 1.48, 1.8), None),
    Factor("levels", "highest concurrency (0: levels 1, 2 and 4 alone)", (0, 1, 2, 8), 4),
    Factor("alone", "durations of CPU modules", (0.5, 2), 1, "how many workers keep up (§4.2)", "×"),
)
"""All inputs with variations of their own."""
PAIRS: tuple[tuple[Mapping[str, float], ...], ...] = (
    tuple({"clients": c, "fixed": f} for c in (1, 12) for f in (0, 0.95)),
    tuple({"fixed": f, "gain": g} for f in (0, 0.95) for g in (0, 4)),
    tuple({"fixed": f, "duration": d} for f in (0, 0.95) for d in (0.25, 2)),
    tuple({"objective_ms": 1000, "fixed": f} for f in (0, 0.95)),
    tuple({"objective_ms": 1000, "rate": r} for r in (0.25, 16)),
    tuple({"types": 10, "rate": r} for r in (0.25, 16)),
    tuple({"types": 10, "fixed": f} for f in (0, 0.95)),
    ({"types": 10, "objective_ms": 1000},),
)
"""Pairs of inputs that are varied together, to their ends."""


@cache
def factors() -> Mapping[str, Factor]:
    """The varied inputs by name."""
    return {factor.name: factor for factor in FACTORS}


def settings() -> Iterator[Mapping[str, float]]:
    """All settings of the runs, as changes from the study's own decisions, which come first."""
    yield {}
    for factor in FACTORS:
        yield from ({factor.name: value} for value in factor.levels)
    for pair in PAIRS:
        yield from pair


def in_words(setting: Mapping[str, float]) -> str:
    """Name of a setting in tables of results, as in "fixed=0.95, gain=4"; empty means the study's own."""
    return ", ".join(f"{name}={value:g}" for name, value in setting.items())


def said(setting: Mapping[str, float]) -> str:
    """A setting in words."""
    if not setting:
        return "as the study runs them"
    return "; ".join(f"{factors()[name].words}: {factors()[name].said(value)}" for name, value in setting.items())


def inputs_of(setting: Mapping[str, float]) -> Inputs:
    """The inputs of a setting; numbers that count are whole."""
    values: dict[str, Any] = {name: type(getattr(OWN, name))(value) for name, value in setting.items()}
    return replace(OWN, **values)


TYPES_EVERY = 2
VARIED, MADE = "varied", "decisions"
"""Tables: decisions under every setting of the design, and the decisions of a changing workload."""
COLUMNS = ("setting", "application", "number", MILP, GREEDY)
MADE_COLUMNS = ("application", "number", "times", MILP, GREEDY)


def varied_rows(session: Session, seed: int, every: int) -> list[dict[str, Any]]:
    """Measure in a worker process: cost over the optimum of one decision under every setting.

    Args:
        session: names the decision.
        seed: seed of its draws.
        every: slow settings with many worker types run only on decisions whose number is a multiple of it.

    Returns:
        One row per setting under which the decision has a plan, by proof; None is the cost of a solver without a plan.
    """
    _, application, number, _ = session.name.split("-")
    found = []
    for setting in settings():
        if "types" in setting and int(number) % every:
            continue
        own = ratios(draw_varied(application, seed, int(number), inputs_of(setting)))
        if own is not None:
            found.append({"setting": in_words(setting), "application": application, "number": int(number), **own})
    return found


def made_rows(session: Session, seed: int, seconds: int) -> list[dict[str, Any]]:
    """Cost over the optimum of every allocation that Scrooge makes on a changing workload.

    Args:
        session: names the application.
        seed: seed of the workload.
        seconds: its length.

    Returns:
        One row per planned session, with the number of times. Sessions without a plan at their rates, and those during
        which a worker type is sold out, are left out.
    """
    application = session.name.rpartition("-")[2]
    world, rules = draw_world(application, seed, MOST_CLIENTS, seconds), WorldCase(application).rules
    asked = Counter(question for question in run(world, rules).questions if not question.without)
    found = []
    for number, (question, times) in enumerate(asked.items(), start=1):
        own = ratios(asked_session(world.application, rules.planner, question))
        if own is not None:
            found.append({"application": application, "number": number, "times": times, **own})
    return found


def ratios(session: Session) -> dict[str, float | None] | None:
    """Cost of MILP and greedy over the optimum of their plan space; None without a plan or a proven optimum."""
    space = find_solver(MILP).space_on(session)
    best = solve(session, OPTIMUM, space=space, time_limit_s=RUN_LIMIT_S)
    if best.value is None or best.status is not Status.OPTIMAL:
        return None
    made = {name: solve(session, name, space=space, time_limit_s=RUN_LIMIT_S).value for name in (MILP, GREEDY)}
    return {name: None if value is None else float(value / best.value) for name, value in made.items()}


def run_varied(collector: Collector, count: int, seed: int, part: float, full: bool) -> dict[str, pd.DataFrame]:
    """Make all runs.

    Args:
        collector: makes them.
        count: decisions of each application of §4.2.
        seed: seed of the draws.
        part: of the length of a changing workload.
        full: whether settings with many worker types run on all decisions; else on every `TYPES_EVERY`th.

    Returns:
        `VARIED`, one row per setting and decision; `MADE`, one row per session of a changing workload.
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
    """The measurements, with these columns."""
    rows = results.measured(frame)
    return rows.reindex(columns=list(columns)).astype(dict.fromkeys((MILP, GREEDY), "float64"))
