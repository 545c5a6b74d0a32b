"""The race of exact methods: brute force, MILP, CP-SAT, `exact` and Harpagon on the same workloads."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from euclio.core.registry import solvers
from euclio.core.result import Status
from euclio.core.words import duration
from euclio.workloads.session.protocol import SEED
from tests.bench.measuring import Timed, bar, drawn, timed
from tests.bench.report import Line, Section, percentile

BRUTE, HEURISTIC, EXACT = "plan-bruteforce", "harpagon", "exact"
MODELS = ("milp", "cpsat")
SPLITS = ("milp-split", "cpsat-split")
ALL = (BRUTE, *MODELS, EXACT, HEURISTIC)
SAMPLE, RACED, SPLIT = 20, 20, 300
"""Workloads of the joint models, of the race of all methods, and of the split models: the same seed for all."""
THREADS = 2
MODEL_LIMIT_S = 30.0
BRUTE_LIMIT_S = 1.0
SHARE_TARGET = 0.95
LEAD_TARGET = 10.0
SPLIT_TARGET_S = 0.05
SHIFT_S = 0.01
AGREE = 1e-6


def race(count: int) -> tuple[Section, Section]:
    """Joint models on a seeded sample of the workloads, then all methods on the first of it.

    Args:
        count: number of workloads that the sample is drawn from.
    """
    everything = drawn(count)
    sample = random.Random(SEED).sample(everything, min(SAMPLE, count))
    raced = {session.name for session in sample[:RACED]}
    runs: dict[str, list[Timed]] = {name: [] for name in ALL if name in solvers()}
    slow = {name: THREADS for name in MODELS if name in runs}
    with bar("joint models", len(sample)) as advance:
        for session in sample:
            done = timed(session, slow, time_limit_s=MODEL_LIMIT_S, ranked=True, repeats=1, threads=slow)
            done |= timed(session, (EXACT, HEURISTIC), ranked=True)
            if session.name in raced:
                done |= timed(session, (BRUTE,), time_limit_s=BRUTE_LIMIT_S, ranked=True, repeats=1)
            for name, run in done.items():
                runs[name].append(run)
            advance()
    first = {name: [run for run in found if run.instance in raced] for name, found in runs.items()}
    return _proofs(runs, len(sample)), _table(first)


def _proofs(runs: dict[str, list[Timed]], count: int) -> Section:
    """Share of the sample that each joint model proves, gaps of the rest, agreement with `exact`."""
    exact = {run.instance: run for run in runs[EXACT]}
    lines: list[Line] = []
    for name in MODELS:
        if name not in runs:
            continue
        proven = [run for run in runs[name] if run.result.status is Status.OPTIMAL]
        share = len(proven) / count
        text = f"≥ {SHARE_TARGET:.0%}"
        lines.append(Line(f"{name}: proven", f"{len(proven)} of {count}", text, share >= SHARE_TARGET))
        for run in runs[name]:
            if run.result.status is not Status.OPTIMAL:
                lines.append(Line(f"{name}: gap left on {run.instance}", _gap(run)))
        wrong = [run for run in runs[name] if not sandwiched(run, exact[run.instance])]
        right = len(runs[name]) - len(wrong)
        lines.append(
            Line(f"{name}: bound ≤ exact ≤ cost, equal where proven", f"{right} of {count}", "all", not wrong, True)
        )
        lines.append(Line(f"{name}: 95th percentile", duration(percentile([r.seconds for r in runs[name]], 0.95))))
    title = f"Joint models on {count} seeded workloads ({THREADS} threads, {MODEL_LIMIT_S:g} s each)"
    return Section(title, tuple(lines), runs=tuple(run for name in runs for run in runs[name]))


def sandwiched(run: Timed, exact: Timed) -> bool:
    """Whether an answer agrees with the optimum: bound ≤ optimum ≤ cost, and equal where it is proven."""
    optimum, cost, bound = exact.result.cost, run.result.cost, run.result.bound
    if optimum is None:
        return cost is None
    if bound is not None and bound > optimum * (1 + AGREE):
        return False
    if cost is None:
        return run.result.status is not Status.INFEASIBLE
    most = optimum * (1 + AGREE) if run.result.status is Status.OPTIMAL else math.inf
    return optimum * (1 - AGREE) <= cost <= most


def _gap(run: Timed) -> str:
    cost, bound = run.result.cost, run.result.bound
    return "no plan or no bound" if cost is None or bound is None else f"{cost / bound - 1:.3%}"


def shifted_geometric_mean(seconds: Sequence[float], shift: float = SHIFT_S) -> float:
    """The geometric mean of the values plus the shift, less the shift, in seconds."""
    return math.exp(math.fsum(math.log(s + shift) for s in seconds) / len(seconds)) - shift


def _table(runs: dict[str, list[Timed]]) -> Section:
    """One row per method; and by how much `exact` leads. A run without a proof counts with its limit at least."""
    limit = {BRUTE: BRUTE_LIMIT_S} | dict.fromkeys(MODELS, MODEL_LIMIT_S)
    means: dict[str, float] = {}
    rows: list[tuple[str, ...]] = []
    for name, found in runs.items():
        proven = [run.result.status is Status.OPTIMAL for run in found]
        pairs = zip(found, proven, strict=True)
        seconds = [run.seconds if done else max(run.seconds, limit.get(name, 0.0)) for run, done in pairs]
        means[name] = shifted_geometric_mean(seconds)
        share = "-" if name == HEURISTIC else f"{100 * sum(proven) / len(found):.1f} %"
        middle = duration(percentile(seconds, 0.5))
        rows.append((name, share, duration(means[name]), middle, duration(max(seconds))))
    lines: list[Line] = []
    for name in (BRUTE, *MODELS):
        if name in means:
            lead = means[name] / means[EXACT]
            lines.append(Line(f"exact leads {name}", f"{lead:.1f}×", f"≥ {LEAD_TARGET:g}×", lead >= LEAD_TARGET))
    gaps = [
        run.result.cost / best.result.cost - 1
        for run, best in zip(runs[HEURISTIC], runs[EXACT], strict=True)
        if run.result.cost and best.result.cost
    ]
    lines.append(Line(f"{HEURISTIC}: mean gap to the proven optimum", f"{sum(gaps) / len(gaps):.2%}"))
    notes = (
        f"Models have {THREADS} threads and {MODEL_LIMIT_S:g} s, {BRUTE} {BRUTE_LIMIT_S:g} s (it does not even begin "
        "where a module has too many plans); what is not proven counts with the limit. The mean is shifted by "
        f"{SHIFT_S:g} s.",
    )
    columns = ("method", "proven", "shifted geometric mean", "median", "worst")
    title = f"The race: {len(runs[EXACT])} workloads, one table"
    return Section(title, tuple(lines), notes, columns=columns, rows=tuple(rows))


def splits(count: int) -> Section:
    """Both models of latency splitting on a seeded sample of the workloads."""
    sessions = random.Random(SEED).sample(drawn(count), min(SPLIT, count))
    names = [name for name in SPLITS if name in solvers()]
    runs: dict[str, list[Timed]] = {name: [] for name in names}
    reference: list[Timed] = []
    with bar("split models", len(sessions)) as advance:
        for session in sessions:
            for name, run in timed(session, names, time_limit_s=MODEL_LIMIT_S, ranked=True, repeats=1).items():
                runs[name].append(run)
            reference.append(timed(session, (EXACT,), ranked=True, repeats=1)[EXACT])
            advance()
    lines: list[Line] = []
    for name, found in runs.items():
        seconds = [run.seconds for run in found]
        right = sum(
            run.result.status is Status.OPTIMAL and sandwiched(run, best)
            for run, best in zip(found, reference, strict=True)
        )
        lines.append(Line(f"{name}: proven and equal to exact", f"{right} of {len(found)}"))
        middle = percentile(seconds, 0.5)
        lines.append(
            Line(f"{name}: median", duration(middle), f"≤ {duration(SPLIT_TARGET_S)}", middle <= SPLIT_TARGET_S)
        )
        lines.append(Line(f"{name}: worst", duration(max(seconds))))
    return Section(f"Split models on {len(sessions)} workloads (frontiers included, one thread)", tuple(lines))
