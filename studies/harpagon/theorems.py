"""Two findings on Harpagon's theorems: a replay for Theorem 1, a counterexample to Theorem 2; the page's text."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import pandas as pd

from euclio.core.solving import solve
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import span
from euclio.problems.session import (
    Allocation,
    Configuration,
    Evaluation,
    Hardware,
    Module,
    ModulePlan,
    Plan,
    Session,
    evaluate,
)
from euclio.problems.session.evaluate import rank_key
from euclio.report import Block, Heading, Paragraph, Preformatted
from euclio.report.analysis.statistics import Measured, mean, share
from studies.costs import costs
from studies.harpagon.measures import PLAN_OPTIMUM, PLAN_OPTIMUM_SHARED

SEARCHED = 2000


def replay(rate_rps: int, machines: int, batch: int, duration_s: Fraction, requests: int) -> tuple[Fraction, Fraction]:
    """Replay batch-wise rotation: each machine in turn receives one batch of consecutive requests.

    Returns:
        Largest latency of a request in seconds, counted from one inter-arrival time before its batch's first
        request, and the machines' worth of work: total rate over the throughput of one machine.
    """
    free = [Fraction(0)] * machines
    worst = Fraction(0)
    for number in range(requests // batch):
        opened, full = Fraction(number * batch, rate_rps), Fraction((number + 1) * batch, rate_rps)
        started = max(full, free[number % machines])
        free[number % machines] = started + duration_s
        worst = max(worst, started + duration_s - opened)
    return worst, Fraction(rate_rps) * duration_s / batch


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A module whose every optimal plan breaks Theorem 2.

    Attributes:
        session: the module as a session.
        plan: an optimal plan.
        checked: the checker's answer on it.
        at: position of the allocation whose leftover is too large.
        leftover_rps: its leftover workload u_i, dummies not counted.
        obeying_cost_per_h: cost of the cheapest plan that obeys Theorem 2; None if no such plan is feasible.
    """

    session: Session
    plan: Plan
    checked: Evaluation
    at: int
    leftover_rps: Fraction
    obeying_cost_per_h: Fraction | None


def find_counterexample(seed: int) -> Counterexample:
    """The first counterexample among seeded random modules without dummies in their optimal plan.

    Raises:
        RuntimeError: there is none among `SEARCHED` modules.
    """
    stream = random.Random(seed)
    for number in range(SEARCHED):
        session = _random_module(stream, number)
        result = solve(session, "exact")
        if result.plan is None or result.evaluation is None or result.plan.modules[0].dummy_rps:
            continue
        broken = _broken_at(session, result.plan)
        if broken is None:
            continue
        obeying = cheapest_obeying(session)
        if obeying is None or obeying > result.value:  # type: ignore[operator]
            at, leftover = broken
            return Counterexample(session, result.plan, result.evaluation, at, leftover, obeying)
    raise RuntimeError(f"no counterexample to Theorem 2 among {SEARCHED} random modules")


def cheapest_obeying(session: Session) -> Fraction | None:
    """Cost of the cheapest feasible plan of a one-module session with u_i < t_i throughout, by enumeration."""
    module = session.modules[0]
    ranked = tuple(sorted(module.profile, key=lambda c: rank_key(c, session.price)))
    best: Fraction | None = None
    for allocations, dummy in _obeying(ranked, module.rate_rps):
        checked = evaluate(session, Plan((ModulePlan(allocations, dummy),)))
        if checked.feasible and checked.cost_per_h is not None and (best is None or checked.cost_per_h < best):
            best = checked.cost_per_h
    return best


def _obeying(ranked: tuple[Configuration, ...], rest: Fraction) -> Iterator[tuple[tuple[Allocation, ...], Fraction]]:
    """All plans for a rate in which the leftover after each allocation is below one of its machines' throughput."""
    for i, c in enumerate(ranked):
        t = c.throughput_rps
        machines = int(rest // t)
        left = rest - machines * t
        if left:
            yield (Allocation(c, machines, left),), Fraction(0)
            yield (Allocation(c, machines + 1),), t - left
        else:
            yield (Allocation(c, machines),), Fraction(0)
        if machines and left:
            for tail, dummy in _obeying(ranked[i + 1 :], left):
                yield (Allocation(c, machines), *tail), dummy


def _broken_at(session: Session, plan: Plan) -> tuple[int, Fraction] | None:
    """Position and leftover of the first allocation with u_i ≥ t_i."""
    rest = session.modules[0].rate_rps
    for position, allocation in enumerate(plan.modules[0].allocations[:-1]):
        rest -= allocation.machines * allocation.configuration.throughput_rps
        if rest >= allocation.configuration.throughput_rps:
            return position, rest
    return None


def _random_module(stream: random.Random, number: int) -> Session:
    """A module with three batches on one machine type of price 1."""
    duration = Fraction(stream.randint(4, 12), 100)
    profile = []
    for batch in (2, 4, 8):
        profile.append(Configuration("machine", batch, 1, duration))
        duration = round(duration * Fraction(stream.randint(120, 190), 100), 2)
    rate = stream.randint(20, 120)
    slo = Fraction(stream.randint(20, 80), 100)
    return Session(f"module-{number}", slo, [Hardware("machine", 1)], [Module("module", rate, profile)])


M3_RATE, M3_BATCH, M3_DURATION = 198, 32, Fraction("0.8")


def shared_measures(runs: pd.DataFrame) -> tuple[Measured, Measured, Measured]:
    """Theorem 1 read literally: share of workloads with a lower cost, and the saving on those and on all."""
    table = costs(runs)[[PLAN_OPTIMUM, PLAN_OPTIMUM_SHARED]].dropna()
    saved = 1 - table[PLAN_OPTIMUM_SHARED] / table[PLAN_OPTIMUM]
    cheaper = saved > OPTIMALITY_TOLERANCE
    return share(cheaper), mean(saved[cheaper], 100), mean(saved, 100)


def theorem_1(runs: pd.DataFrame) -> list[Block]:
    """The saving under the literal reading of Theorem 1, and the replay that backs it."""
    cheaper, where, everywhere = shared_measures(runs)
    return [
        Heading("Finding 1: Theorem 1, read literally, allows plans that are charged less than those of Algorithm 1"),
        Paragraph(
            "Theorem 1 counts in w every machine whose throughput-cost ratio is the same or lower, so all "
            "machines of one configuration, the partial one included, collect their batches from the same stream. "
            "Algorithm 1 and Table II let the partial machine collect only from the rest of the full machines. We keep "
            "both readings (policies tc-shared and tc) and compare their optima, both with dummy rule machine. The "
            f"literal reading is charged less on {_text(cheaper)} of the workloads, by {_text(where)} on those, "
            f"{_text(everywhere)} over all. These are charges by share. In whole machines the cheapest plans of both "
            "readings cost the same, unless two configurations of a module have one ratio (docs/findings/theorem-1.md)."
        ),
        Preformatted(replay_text()),
    ]


def replay_text() -> str:
    """The replay of Table II's example in ten lines."""
    worst, machines = replay(M3_RATE, 5, M3_BATCH, M3_DURATION, M3_RATE * 60)
    alone = M3_DURATION + Fraction(M3_BATCH, M3_RATE - 160)
    return "\n".join(
        [
            "M_3 of Table I at 198 req/s, SLO 1.0 s; configuration batch 32, 0.8 s, 40 req/s per machine.",
            "Table II (S4): 5.0 machines, 2 req/s of them dummies.",
            "Theorem 1 read literally: 4 full machines and one at 38/40 = 0.95, 4.95 machines, no dummies.",
            f"  bound d + b/w with w = 198 req/s:      0.8 + 32/198 = {float(M3_DURATION + Fraction(32, 198)):.4f} s",
            f"  Algorithm 1's w for the partial one:   0.8 + 32/38  = {float(alone):.4f} s, over the SLO",
            f"Replay of {M3_RATE * 60} requests, one batch of 32 to each of five machines in turn:",
            f"  largest latency seen:                  {float(worst):.4f} s = {worst} s",
            f"  machines' worth of work:               198/40 = {float(machines):.2f}",
            f"  each machine takes 39.6 req/s and is busy {float(machines / 5):.0%} of the time, so none ever waits.",
            "So 4.95 machines' worth of work does hold 0.9616 s: the literal reading is right here.",
        ]
    )


def theorem_2(found: Counterexample) -> list[Block]:
    """A module whose optimal plan breaks Theorem 2."""
    return [
        Heading("Finding 2: Theorem 2 does not hold in general"),
        Paragraph(
            "Theorem 2 says that in the cheapest plan the leftover workload u_i after a configuration is "
            "less than the throughput t_i of one of its machines. Its proof assumes that two differences of cost "
            "ratios are about equal. The module below was drawn at random with a fixed seed. Its optimal plan, "
            "accepted by the checker, has u_i at or above t_i. Every plan that obeys the theorem costs more (all of "
            "them were priced). An exact method must not prune with it."
        ),
        Preformatted(counterexample_text(found)),
    ]


def counterexample_text(found: Counterexample) -> str:
    """The counterexample with its numbers."""
    module = found.session.modules[0]
    plan, checked = found.plan.modules[0], found.checked
    at = plan.allocations[found.at].configuration
    obeying = "infeasible" if found.obeying_cost_per_h is None else f"{float(found.obeying_cost_per_h):.4f} machines"
    assert checked.cost_per_h is not None
    assert checked.latency_s is not None
    lines = [
        f"{float(module.rate_rps):g} req/s, budget {float(found.session.slo_s):g} s, price 1; configurations:",
        *(
            f"  batch {c.batch}: {float(c.duration_s):g} s, {float(c.throughput_rps):.4f} req/s per machine"
            for c in module.profile
        ),
        "Optimal plan:",
    ]
    for allocation in plan.allocations:
        c, rate = allocation.configuration, allocation.machines * allocation.configuration.throughput_rps
        rate += allocation.partial_rps
        lines.append(f"  {float(rate / c.throughput_rps):.4f} machines at batch {c.batch}: {float(rate):.4f} req/s")
    lines += [
        f"  cost {float(checked.cost_per_h):.4f} machines, worst-case latency {float(checked.latency_s):.4f} s, "
        f"{'accepted' if checked.feasible else 'refused'} by the checker",
        f"Leftover behind batch {at.batch}: u = {float(found.leftover_rps):.4f} req/s, "
        f"t = {float(at.throughput_rps):.4f} req/s.",
        f"Cheapest plan that obeys Theorem 2: {obeying}.",
    ]
    return "\n".join(lines)


def _text(m: Measured) -> str:
    interval = span(m.low, m.high, unit=" %")
    return f"{m.value:.1f} % ({interval})" if interval else f"{m.value:.1f} %"
