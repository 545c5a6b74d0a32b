"""The two findings below the scorecard, in words and numbers."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd

from euclio.analysis.statistics import Measured, mean, share
from euclio.report import Block, Heading, Paragraph, Preformatted
from euclio.studies.harpagon.frames import SAME, costs
from euclio.studies.harpagon.tasks import PLAN_OPTIMUM, PLAN_OPTIMUM_SHARED
from euclio.studies.harpagon.theorems import Counterexample, replay

M3_RATE, M3_BATCH, M3_DURATION = 198, 32, Fraction("0.8")


def shared_measures(runs: pd.DataFrame) -> tuple[Measured, Measured, Measured]:
    """Theorem 1 read literally: share of workloads that get cheaper, cost saved on those, cost saved on all."""
    table = costs(runs)[[PLAN_OPTIMUM, PLAN_OPTIMUM_SHARED]].dropna()
    saved = 1 - table[PLAN_OPTIMUM_SHARED] / table[PLAN_OPTIMUM]
    cheaper = saved > SAME
    return share(cheaper), mean(saved[cheaper], 100), mean(saved, 100)


def theorem_1(runs: pd.DataFrame) -> list[Block]:
    """What the literal reading of Theorem 1 would save, and the replay that backs it."""
    cheaper, where, everywhere = shared_measures(runs)
    return [
        Heading("Finding 1: Theorem 1, read literally, allows cheaper plans than Algorithm 1 makes"),
        Paragraph(
            "Theorem 1 counts in w every machine whose throughput-cost ratio is the same or lower, so that all "
            "machines of one configuration, the partial one included, collect their batches from the same stream. "
            "Algorithm 1 and Table II let the partial machine collect only from what the full machines leave. We keep "
            "both readings (policies tc-shared and tc) and compare their optima, both with dummy rule machine: the "
            f"literal reading is cheaper on {_text(cheaper)} of the workloads, by {_text(where)} on those, "
            f"{_text(everywhere)} over all."
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
            "Theorem 2 says that in the cheapest plan what follows a configuration (its leftover workload u_i) is "
            "less than one of its machines takes (t_i). Its proof assumes that two differences of cost ratios are "
            "about equal. The module below, drawn at random with a fixed seed, has an optimal plan with u_i at or "
            "above t_i, accepted by the checker, and every plan that obeys the theorem costs more (all of them were "
            "priced). An exact method must not prune with it."
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
    if m.low is None or m.high is None:
        return f"{m.value:.1f} %"
    return f"{m.value:.1f} % ({m.low:.1f} to {m.high:.1f} %)"
