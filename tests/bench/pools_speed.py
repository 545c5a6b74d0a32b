"""`exact` on pools of measured sessions: two to a pool, and ten applications of four modules each in one."""

from __future__ import annotations

import statistics
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from euclio import load, pool
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import Session
from euclio.problems.session.evaluate import machines_by_hardware
from tests.bench.measuring import Timed, bar, timed
from tests.bench.report import Line, Section, at_most, slowest, spread
from tests.bench.whole_speed import SPACE, halved

LIMIT_S = 20.0
MEDIAN_TARGET_S, TEN_TARGET_S = 0.05, 2.0
PART = Fraction(9, 10)
"""Stock of the type of which the cheapest plan has most machines, as a part of these."""
TEN = 10


def pools_speed(folder: Path) -> list[Section]:
    """One section for pools of two and one for the pool of ten; skipped with a sentence where sessions are absent."""
    files = sorted((folder / "sessions").glob("*.json"))
    if not files:
        return [Section("Pools of measured sessions", notes=(f"Skipped: {folder} is not there.",))]
    sessions = [load(file) for file in files]
    half = len(sessions) // 2
    pools = [pool(pair) for pair in zip(sessions[:half], sessions[half:], strict=False)]
    four = [session for session in sessions if len(session.modules) == 4]
    ten = pool(four[:TEN])
    return [
        _section(f"Two applications without limits ({half})", pools),
        _section(f"Two applications, nine tenths of the type used most in stock ({half})", [scarce(p) for p in pools]),
        _section(f"Two applications, half of the most expensive type in stock ({half})", [halved(p) for p in pools]),
        _section(f"{TEN} applications of four modules without limits", [ten], TEN_TARGET_S),
        _section(f"{TEN} applications, half of the most expensive type in stock", [halved(ten)], TEN_TARGET_S),
        _section(f"{TEN} applications, nine tenths of the type used most in stock", [scarce(ten)], TEN_TARGET_S),
    ]


def scarce(session: Session) -> Session:
    """The session with a stock, a tenth below what its cheapest plan has of the type that it has most of."""
    found = solve(session, "exact", space=SPACE)
    if found.plan is None or found.evaluation is None:
        return session
    used = machines_by_hardware(found.plan, [m.partial_rps for m in found.evaluation.modules], SPACE)
    name = max(used, key=lambda h: (used[h], h))
    hardware = [replace(h, count=int(used[name] * PART)) if h.name == name else h for h in session.hardware]
    return replace(session, hardware=tuple(hardware))


def _section(title: str, sessions: list[Session], target_s: float = MEDIAN_TARGET_S) -> Section:
    runs: list[Timed] = []
    with bar("pools", len(sessions)) as advance:
        for session in sessions:
            runs.append(timed(session, ["exact"], space=SPACE, label="pool", time_limit_s=LIMIT_S)["exact"])
            advance()
    decided = sum(run.result.status in (Status.OPTIMAL, Status.INFEASIBLE) for run in runs)
    lines = (
        Line(f"proven within {LIMIT_S:g} s", f"{decided} of {len(runs)}", f"≥ {len(runs)}", decided >= len(runs)),
        at_most("median", statistics.median(run.seconds for run in runs), target_s),
        *(spread("exact", [run.seconds for run in runs]) if len(runs) > 1 else ()),
    )
    return Section(f"Pools: {title}", lines, slowest=slowest(runs), runs=tuple(runs))
