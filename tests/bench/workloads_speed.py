"""Harpagon and `exact` on the protocol's workloads, and how many times slower both brute forces are."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable

from euclio.core.result import Result, Status
from euclio.core.words import duration
from euclio.problems.session import Session
from euclio.workloads.session.protocol import SEED
from tests.bench.measuring import Timed, bar, drawn, timed
from tests.bench.report import Line, Section, all_of, at_most, slowest, spread

MEAN_TARGET_S = 1e-3
FAST = ("harpagon", "exact")
PLAIN, PRUNED = "split-enumeration", "split-bruteforce"
SAMPLE = 30
LIMIT_S = 3.0


def workloads_speed(count: int) -> tuple[Section, Section]:
    """Both sections about the workloads.

    Args:
        count: number of workloads.
    """
    sessions = drawn(count)
    runs: dict[str, list[Timed]] = {name: [] for name in FAST}
    with bar("harpagon and exact", len(sessions)) as advance:
        for session in sessions:
            for name, run in timed(session, FAST, ranked=True).items():
                runs[name].append(run)
            advance()
    proven = sum(run.result.status is Status.OPTIMAL for run in runs["exact"])
    lines = [all_of("exact: proven optimal", proven, len(sessions))]
    for name in FAST:
        seconds = [run.seconds for run in runs[name]]
        lines += [at_most(f"{name}, mean", statistics.mean(seconds), MEAN_TARGET_S), *spread(name, seconds)]
    ratios = [b.seconds / a.seconds for a, b in zip(runs["harpagon"], runs["exact"], strict=True)]
    lines.append(Line("exact / harpagon, median ratio", f"{statistics.median(ratios):.2f}"))
    everything = [run for name in FAST for run in runs[name]]
    title = f"Workloads of the protocol ({len(sessions)}, one core)"
    speed = Section(title, tuple(lines), slowest=slowest(everything), runs=tuple(everything))
    return speed, _brute_force(sessions)


def _brute_force(sessions: list[Session]) -> Section:
    """Ratios of both brute forces to Harpagon and to `exact` on a seeded sample."""
    sample = random.Random(SEED).sample(sessions, min(SAMPLE, len(sessions)))
    runs: dict[str, list[Timed]] = {name: [] for name in (*FAST, PLAIN, PRUNED)}
    with bar("brute force", len(sample)) as advance:
        for session in sample:
            for name, run in timed(session, runs, time_limit_s=LIMIT_S, ranked=True).items():
                runs[name].append(run)
            advance()
    lines: list[Line] = []
    for slow in (PLAIN, PRUNED):
        cut = sum(_stopped(run.result) for run in runs[slow])
        scale: Callable[[Timed], float] = _extrapolated if slow == PLAIN else _as_measured
        seconds = [scale(run) for run in runs[slow]]
        mark = "" if not cut else f" ({cut} of {len(sample)} extrapolated)" if slow == PLAIN else f" ({cut} stopped)"
        lines.append(Line(f"{slow}, mean{mark}", duration(statistics.mean(seconds))))
        lines.append(Line(f"{slow}, median{mark}", duration(statistics.median(seconds))))
        for fast in FAST:
            of_means = statistics.mean(seconds) / statistics.mean(run.seconds for run in runs[fast])
            each = [a / b.seconds for a, b in zip(seconds, runs[fast], strict=True)]
            lines.append(Line(f"{slow} / {fast}, ratio of means", f"{of_means:,.0f}"))
            lines.append(Line(f"{slow} / {fast}, median ratio", f"{statistics.median(each):,.1f}"))
    note = (
        f"Each search has {LIMIT_S:g} s. Where {PLAIN} hit the limit, its time is the time taken over the share of the "
        f"vectors of budgets gone through; where {PRUNED} hit it, the time taken stands (a lower bound)."
    )
    title = f"Brute force over latency splits ({len(sample)} seeded workloads, alternating)"
    return Section(title, tuple(lines), (note,), runs=tuple(run for name in runs for run in runs[name]))


def _stopped(result: Result) -> bool:
    return result.stats.get("share", 1.0) < 1.0


def _as_measured(run: Timed) -> float:
    return run.seconds


def _extrapolated(run: Timed) -> float:
    return run.seconds / run.result.stats["share"]
