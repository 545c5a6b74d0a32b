"""`exact` on machines that are charged whole: alone, in a stock, below a power cap, close to a plan; the workloads."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from euclio import load
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import Module, PlanSpace, Session
from euclio.problems.session.evaluate import machines_by_hardware
from euclio.problems.session.machine_limits import machine_counts, named_plan
from euclio.problems.session.running import Running, RunningMachines
from tests.bench.measuring import Timed, bar, drawn, timed
from tests.bench.report import Line, Section, all_of, at_most, slowest, spread

SPACE = PlanSpace(charging="whole")
LIMIT_S = 60.0
MEDIAN_TARGET_S, WORST_TARGET_S = 5e-3, 5.0
MEAN_TARGET_S = 3e-3
STOCK_LIMIT_S, STOCK_MEDIAN_TARGET_S, STOCK_SHARE = 10.0, 0.2, 0.95
CLOSE_MEDIAN_TARGET_S = 0.05
WATTS_PER_PRICE = 200
"""Watts that a machine takes for each unit of money that it costs per hour: types differ, as their prices do."""
POWER_SHARE = Fraction(7, 10)
"""Cap on the power as a share of what the cheapest plan takes without one."""
RUNNING_LOAD = Fraction(4, 5)
"""Share of the load for whose cheapest plan machines run already."""
LIMITS = ((0, 0), (1, 0), (2, 0), (4, 0), (None, Fraction(1, 10)))
"""Most changes, and the price of one as a share of the mean price of a machine."""


def whole_speed(folder: Path, count: int) -> list[Section]:
    """The sections; the measured sessions are skipped with a sentence where they are absent.

    Args:
        folder: the folder of the measured instances.
        count: number of workloads.
    """
    files = sorted((folder / "sessions").glob("*.json"))
    if not files:
        skipped = Section("Whole machines, measured sessions", notes=(f"Skipped: {folder} is not there.",))
        return [skipped, _workloads(count)]
    sessions = [load(file) for file in files]
    return [_measured(sessions), _stocked(sessions), _powered(sessions), _close(sessions), _workloads(count)]


def running(session: Session) -> list[Session]:
    """The session with what runs at a part of its load, once for each limit on changes or price of them."""
    modules = [Module(m.name, m.rate_rps * RUNNING_LOAD, m.profile) for m in session.modules]
    before = solve(replace(session, modules=modules), "exact", space=SPACE).plan
    if before is None:
        return []
    counts = machine_counts(named_plan(session, before))
    machines = tuple(RunningMachines(*place, n) for place, n in counts.items())
    mean = sum((h.price_per_h for h in session.hardware), Fraction(0)) / len(session.hardware)
    return [replace(session, running=Running(machines, most, mean * share)) for most, share in LIMITS]


def halved(session: Session) -> Session:
    """The session with a stock: half, rounded down, of what its plan uses of the most expensive type that it uses."""
    found = solve(session, "exact", space=SPACE)
    if found.plan is None or found.evaluation is None:
        return session
    used = machines_by_hardware(found.plan, [m.partial_rps for m in found.evaluation.modules], SPACE)
    name = max(used, key=lambda h: (session.price[h], h))
    hardware = [replace(h, count=int(used[name]) // 2) if h.name == name else h for h in session.hardware]
    return replace(session, hardware=tuple(hardware))


def capped(session: Session) -> Session:
    """The session with a cap on the power of all its machines, below what its cheapest plan takes."""
    found = solve(session, "exact", space=SPACE)
    if found.plan is None or found.evaluation is None:
        return session
    used = machines_by_hardware(found.plan, [m.partial_rps for m in found.evaluation.modules], SPACE)
    watts = {h.name: h.price_per_h * WATTS_PER_PRICE for h in session.hardware}
    # One type more than another by a tenth: with power in proportion to the price the cap would be one on the cost.
    first = min(watts)
    watts[first] *= Fraction(11, 10)
    cap = sum((watts[name] * number for name, number in used.items()), Fraction(0)) * POWER_SHARE
    hardware = [replace(h, takes={"power": watts[h.name]}) for h in session.hardware]
    return replace(session, hardware=tuple(hardware), resources={"power": cap})


def _stocked(sessions: list[Session]) -> Section:
    runs = _timed([halved(session) for session in sessions], ranked=False, limit_s=STOCK_LIMIT_S)
    title = f"Half of the most expensive machines in stock, measured sessions ({len(runs)}, one core)"
    return _limited(title, runs, STOCK_MEDIAN_TARGET_S)


def _powered(sessions: list[Session]) -> Section:
    runs = _timed([capped(session) for session in sessions], ranked=False, limit_s=STOCK_LIMIT_S)
    title = (
        f"{100 * float(POWER_SHARE):g} % of the power of the cheapest plan, measured sessions ({len(runs)}, one core)"
    )
    return _limited(title, runs, STOCK_MEDIAN_TARGET_S)


def _close(sessions: list[Session]) -> Section:
    runs = _timed([one for session in sessions for one in running(session)], ranked=False, limit_s=STOCK_LIMIT_S)
    title = f"Close to the plan of {float(RUNNING_LOAD):g} of the load, measured sessions ({len(runs)}, one core)"
    return _limited(title, runs, CLOSE_MEDIAN_TARGET_S)


def _limited(title: str, runs: list[Timed], median_s: float) -> Section:
    seconds = [run.seconds for run in runs]
    decided = sum(run.result.status in (Status.OPTIMAL, Status.INFEASIBLE) for run in runs)
    least = math.ceil(STOCK_SHARE * len(runs))
    lines = (
        Line(f"proven within {STOCK_LIMIT_S:g} s", f"{decided} of {len(runs)}", f"≥ {least}", decided >= least),
        at_most("median", statistics.median(seconds), median_s),
        *spread("exact", seconds),
    )
    return Section(title, lines, slowest=slowest(runs), runs=tuple(runs))


def _measured(sessions: list[Session]) -> Section:
    runs = _timed(sessions, ranked=False)
    seconds = [run.seconds for run in runs]
    lines = [
        at_most("median", statistics.median(seconds), MEDIAN_TARGET_S),
        at_most("worst", max(seconds), WORST_TARGET_S),
    ]
    return _section(f"Whole machines, measured sessions ({len(runs)}, one core)", runs, lines)


def _workloads(count: int) -> Section:
    runs = _timed(drawn(count), ranked=True)
    lines = [at_most("mean", statistics.mean(run.seconds for run in runs), MEAN_TARGET_S)]
    return _section(f"Whole machines, workloads of the protocol ({len(runs)}, one core)", runs, lines)


def _timed(sessions: list[Session], *, ranked: bool, limit_s: float = LIMIT_S) -> list[Timed]:
    runs = []
    with bar("whole machines", len(sessions)) as advance:
        for session in sessions:
            found = timed(session, ["exact"], space=SPACE, label="whole", time_limit_s=limit_s, ranked=ranked)
            runs.append(found["exact"])
            advance()
    return runs


def _section(title: str, runs: list[Timed], lines: list[Line]) -> Section:
    decided = sum(run.result.status in (Status.OPTIMAL, Status.INFEASIBLE) for run in runs)
    first = all_of("proven optimal or infeasible", decided, len(runs))
    every = (first, *lines, *spread("exact", [run.seconds for run in runs]))
    return Section(title, every, slowest=slowest(runs), runs=tuple(runs))
