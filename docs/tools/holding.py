"""Lower and upper bounds on the cost of an attainment: `python docs/tools/holding.py [TRACE.csv] [--only N]`.

The sessions of a folder (default: `../shared/instances/sessions`), whole machines, requests that come at random: the
plan that `solve --attainment` finds, the bound that is proven for every plan, and what the plan keeps at a fresh seed
and ten times the length; then rules by which people size a service. It writes the tables of `docs/findings/holding.md`
and `docs/figures/holding.svg`; the same code gives the same bytes, but for times. Replayed arrivals need a file of
timestamps, such as the Azure LLM inference trace (code, 2023). `--only N` takes N sessions, evenly spaced; with
`--answers FILE` searches that a file holds are not made again, and those made are added.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from answers import keep_answers, known_answers
from drawn import MEASURED, of_folder
from matplotlib.figure import Figure
from pasting import FIGURES, FINDINGS, draw_plain, paste, table

from euclio import solve
from euclio.core.progress import progress_bar
from euclio.core.words import percent
from euclio.problems.session import Charging, Configuration, Plan, Session, evaluate
from euclio.problems.session.latency.of_requests import session_rate
from euclio.problems.session.space import PlanSpace
from euclio.serving.attainment import setup_of, solve_attaining
from euclio.serving.attainment.long_run import Run
from euclio.serving.attainment.margins import alike, spare_space, stricter, with_spare
from euclio.serving.session.setup import Dispatch, Partial, Setup
from euclio.serving.session.simulation import simulate
from euclio.serving.session.system import build_system
from euclio.serving.setup import Arrivals
from euclio.serving.trace_files import load_trace
from heuristics.session.staffing import (
    Machines,
    by_square_root,
    configurations_by_hand,
    counted,
    for_utilisation,
    staffed,
)

SPACE = PlanSpace(charging=Charging.WHOLE)
SPARE = spare_space(SPACE)
TARGETS = (0.9, 0.99)
PULL = Dispatch.PULL
POISSON, GAMMA, REPLAYED = "Poisson", "gamma, cv 2", "Azure trace"
LONGER, MOST_REQUESTS = 10, 2_000_000
"""A plan is played so many times as long as it was judged, up to so many requests."""
PIECES = 1000
"""Windows in which it is counted."""
LIMIT_S = 120.0
RULE_REQUESTS = 200_000
TRACE_REQUESTS = 20_000
"""Requests that a rule is held against, and that InferLine's planner has."""
DEDUCTED = Fraction(4, 10)
SAME = 1e-9
"""Costs that differ by no more than this share are the same."""


class Case(NamedTuple):
    """A search: session, arrivals and attainment."""

    session: str
    arrivals: str
    target: float


class Answer(NamedTuple):
    """The result of a search.

    Fields: cost of the plan per hour (None: no plan was found); that of the optimum for evenly spaced requests; what is
    proven: no plan costs less; share in time at a fresh seed and ten times the length; seconds of processor time.
    """

    cost: float | None
    even: float
    bound: float | None
    kept: float
    seconds: float


class Row(NamedTuple):
    """An answer and what was asked."""

    case: Case
    answer: Answer

    @property
    def bound(self) -> float | None:
        """No plan costs less."""
        return self.answer.bound

    @property
    def gap(self) -> float | None:
        """The gap of the bound, as a share of the cost."""
        if self.answer.cost is None or self.bound is None:
            return None
        return max(0.0, 1 - self.bound / self.answer.cost)


def setups(trace: Path | None) -> dict[str, Setup]:
    """The kinds of arrivals; machines that are free take what is there."""
    found = {POISSON: Setup(dispatch=PULL), GAMMA: Setup(Arrivals.GAMMA, cv=2.0, dispatch=PULL)}
    if trace is not None:
        found[REPLAYED] = Setup(Arrivals.TRACE, trace_s=load_trace(trace), dispatch=PULL)
    return found


def search(session: Session, setup: Setup, target: float) -> Answer:
    """The plan that `solve --attainment` finds, and what it keeps."""
    began = time.process_time()
    result = solve_attaining(session, "exact", target, setup, charging="whole", time_limit_s=LIMIT_S)
    took = time.process_time() - began
    if result.plan is None or result.cost is None:
        return Answer(None, 0.0, result.bound, 0.0, took)
    shown, stats = setup_of(result, setup.trace_s), result.stats
    longer = min(LONGER, MOST_REQUESTS / stats["validated_requests"])
    again = replace(shown, seconds=shown.seconds * max(1, longer), seed=shown.seed + 1)
    kept = played(session, result.plan, again, result.space)
    return Answer(result.cost, stats["cost_without_margins"], result.bound, kept, took)


def played(session: Session, plan: Plan, setup: Setup, space: PlanSpace) -> float:
    """Share of the requests of a setup that a plan answers in time, by the simulator that the search has."""
    system = build_system(session, plan, space, setup)
    found = Run(system, setup, setup.seconds / PIECES, PIECES).go_on(PIECES)
    return 1 - float(found.late.sum() / found.arrived.sum())


def answered(sessions: Sequence[Session], processes: dict[str, Setup], known: Path | None, *, more: bool) -> list[Row]:
    """All searches; those that a file holds are not made again, and no others where no more are to be made."""
    found = {Case(*row["case"]): Answer(*row["answer"]) for row in known_answers(known)}
    rows = []
    cases = [(s, kind, target) for kind in processes for target in reversed(TARGETS) for s in sessions]
    cases = [case for case in cases if more or Case(case[0].name, *case[1:]) in found]
    with progress_bar("searches", len(cases)) as advance:
        for session, kind, target in cases:
            case = Case(session.name, kind, target)
            if case not in found:
                found[case] = search(session, processes[kind], target)
                keep_answers(known, {"case": case, "answer": found[case]})
            rows.append(Row(case, found[case]))
            advance()
    return rows


# --- rules of people


def cost_of(session: Session, plan: Plan) -> float:
    """The cost of a plan per hour."""
    cost = evaluate(session, plan, SPARE).cost_per_h
    assert cost is not None
    return float(cost)


def kept_by(session: Session, plan: Plan, setup: Setup, requests: int, seed: int) -> float:
    """Share in time under these arrivals."""
    rate = float(session_rate(session))
    played = replace(setup, seconds=requests / rate, seed=seed, dummies=False, partial=Partial.SHARED)
    found = simulate(session, plan, played, SPARE).attainment
    return 0.0 if found is None else found


def by_rule(session: Session, machines: Machines) -> Plan:
    """A plan by hand with so many machines for a load in machines."""
    chosen = configurations_by_hand(session)
    assert chosen is not None
    return staffed(session, chosen, machines)


def with_margin(session: Session) -> Plan | None:
    """The optimum for 0.6 of the SLO (PPipe §5.4)."""
    margins = alike(session, Fraction(0), 1 - DEDUCTED)
    result = solve(stricter(session, margins), "exact", space=SPACE)
    if result.plan is None or result.evaluation is None:
        return None
    return with_spare(session, result.plan, result.evaluation, margins)


def inferline(session: Session, setup: Setup, target: float) -> Plan | None:
    """InferLine's planner in outline: from fast machines of batch 1 downhill, by what a trace keeps (its §4)."""

    def keeps(chosen: Sequence[tuple[Configuration, int]]) -> bool:
        return kept_by(session, counted(session, chosen), setup, TRACE_REQUESTS, 1) >= target

    def counted_for(c: Configuration, rate: Fraction) -> int:
        return math.ceil(rate / c.throughput_rps)

    chosen = []
    for module in session.modules:
        c = min((c for c in module.profile if c.batch == 1), key=lambda c: c.duration_s)
        chosen.append((c, counted_for(c, module.rate_rps)))
    for _ in range(200):
        if keeps(chosen):
            break
        busiest = max(
            range(len(chosen)), key=lambda m: session.modules[m].rate_rps / (chosen[m][1] * chosen[m][0].throughput_rps)
        )
        chosen[busiest] = (chosen[busiest][0], chosen[busiest][1] + 1)
    else:
        return None
    while True:
        now = cost_of(session, counted(session, chosen))
        steps = sorted(
            (cost_of(session, counted(session, new)), k, new) for k, new in enumerate(neighbours(session, chosen))
        )
        better = next((new for cost, _, new in steps if cost < now and keeps(new)), None)
        if better is None:
            return counted(session, chosen)
        chosen = better


def neighbours(session: Session, chosen: list[tuple[Configuration, int]]) -> Iterator[list[tuple[Configuration, int]]]:
    """One machine less, or another configuration with as few machines as its rate needs or one more, of one module."""
    for m, (own, count) in enumerate(chosen):
        rate = session.modules[m].rate_rps
        others = [(own, count - 1)] if (count - 1) * own.throughput_rps >= rate else []
        for c in session.modules[m].profile:
            few = math.ceil(rate / c.throughput_rps)
            others += [(c, few), (c, few + 1)] if c != own else []
        for other in others:
            yield [*chosen[:m], other, *chosen[m + 1 :]]


def rules(session: Session, setup: Setup, target: float) -> dict[str, Plan | None]:
    """The rules of thumb, by name."""
    return {
        "rate over throughput, rounded up": by_rule(session, math.ceil),
        "utilisation of 70 % at most": by_rule(session, for_utilisation),
        "square-root staffing": by_rule(session, partial(by_square_root, attainment=target)),
        "PPipe: 40 % of the SLO deducted": with_margin(session),
        "InferLine: downhill on a trace": inferline(session, setup, target),
    }


class Ruled(NamedTuple):
    """A rule on one session: the cost of its plan (None means no plan), and the attainment that the plan keeps."""

    session: str
    rule: str
    cost: float | None
    kept: float


def ruled(sessions: Sequence[Session], setup: Setup, target: float, known: Path | None, *, more: bool) -> list[Ruled]:
    """All rules on all sessions; those that a file holds are not made again, and no others where no more are made."""
    file = None if known is None else known.with_suffix(".rules.jsonl")
    found: dict[str, list[Ruled]] = {}
    for row in known_answers(file):
        found.setdefault(row[0], []).append(Ruled(*row))
    sessions = [session for session in sessions if more or session.name in found]
    with progress_bar("rules", len(sessions)) as advance:
        for session in sessions:
            if session.name not in found:
                found[session.name] = [
                    Ruled(session.name, name, None, 0.0)
                    if plan is None
                    else Ruled(
                        session.name, name, cost_of(session, plan), kept_by(session, plan, setup, RULE_REQUESTS, 2)
                    )
                    for name, plan in rules(session, setup, target).items()
                ]
                keep_answers(file, *found[session.name])
            advance()
    return [row for session in sessions for row in found[session.name]]


# --- what is written


def spread(values: Sequence[float], digits: int = 1) -> str:
    """Median and largest, in per cent."""
    # Bounds are a rounding error below what they bound; a share of -0.0 is 0.
    middle, most = (round(float(value), 9) + 0.0 for value in (np.median(values), max(values))) if values else (0, 0)
    return f"{percent(middle, digits)}, {percent(most, digits)}" if values else "-"


def table_rows(rows: Sequence[Row]) -> Iterator[list[str]]:
    """A line per kind of arrivals and attainment."""
    for kind, target in dict.fromkeys((row.case.arrivals, row.case.target) for row in rows):
        of = [row for row in rows if (row.case.arrivals, row.case.target) == (kind, target)]
        found = [row for row in of if row.answer.cost is not None]
        gaps = [gap for row in found if (gap := row.gap) is not None]
        yield [
            f"{kind}, {percent(target, 0)}",
            f"{len(found)} of {len(of)}",
            f"{sum(row.answer.kept >= target for row in found)} of {len(found)}",
            spread([(row.answer.cost or 0.0) / row.answer.even - 1 for row in found]),
            spread([(row.bound or 0.0) / row.answer.even - 1 for row in found]),
            spread(gaps),
            str(sum(gap < 1e-6 for gap in gaps)),
            f"{np.median([row.answer.seconds for row in of]):.1f} s",
        ]


HEAD = (
    "arrivals, attainment", "plan found", "kept when played again", "cost over that for evenly spaced: median, most",
    "bound over that", "gap: median, most", "gap 0", "processor time, median",
)  # fmt: skip
RULE_HEAD = (
    "rule, Poisson, 99 %", "plans", "of these keep it", "cost over the bound, of those: median, most",
    "against the search where both keep it: less, same, more", "median",
)  # fmt: skip


def rule_rows(rows: Sequence[Row], of_rules: Sequence[Ruled], target: float) -> Iterator[list[str]]:
    """A line per rule, and one for the search."""
    asked_for = [row for row in rows if (row.case.arrivals, row.case.target) == (POISSON, target)]
    bounds = {row.case.session: row.bound for row in asked_for}
    costs = {row.case.session: row.answer.cost for row in asked_for}
    for name in dict.fromkeys(row.rule for row in of_rules):
        of = [row for row in of_rules if row.rule == name and row.cost is not None]
        holding = [row for row in of if row.kept >= target]
        over = [row.cost / bound - 1 for row in holding if row.cost and (bound := bounds[row.session])]
        more = [row.cost / cost - 1 for row in holding if row.cost and (cost := costs[row.session])]
        less, higher = sum(one < -SAME for one in more), sum(one > SAME for one in more)
        compared = f"{less}, {len(more) - less - higher}, {higher}"
        middle = percent(round(float(np.median(more)), 9) + 0.0, 1) if more else "-"
        yield [name, str(len(of)), str(len(holding)), spread(over), compared, middle]
    found = [row for row in asked_for if row.answer.cost is not None]
    over = [row.answer.cost / row.bound - 1 for row in found if row.answer.cost and row.bound]
    keep = sum(row.answer.kept >= target for row in found)
    yield ["`solve --attainment`", str(len(found)), str(keep), spread(over), "", ""]


def draw(rows: Sequence[Row]) -> Figure:
    """Sorted gaps, one line per kind of arrivals and attainment."""
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    axes = figure.subplots()
    colours = dict(zip((POISSON, GAMMA, REPLAYED), ("#2f6fb5", "#d9822b", "#3c9a5f"), strict=True))
    for kind, target in dict.fromkeys((row.case.arrivals, row.case.target) for row in rows):
        gaps = sorted(
            100 * gap for row in rows if (row.case.arrivals, row.case.target) == (kind, target)
            if (gap := row.gap) is not None
        )  # fmt: skip
        share = [100 * (k + 1) / len(gaps) for k in range(len(gaps))]
        label = f"{kind}, {percent(target, 0)}"
        axes.step(share, gaps, where="pre", color=colours[kind], ls="-" if target > TARGETS[0] else ":", label=label)
    axes.set(xlabel="share of the sessions (%)", ylabel="gap of plan and bound (%)", xlim=(0, 100))
    axes.set_ylim(bottom=0)
    axes.grid(color="#656b73", alpha=0.25, linewidth=0.6)
    axes.legend(fontsize=9, frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1))
    return figure


def part(sessions: list[Session], only: int | None) -> list[Session]:
    """So many of the sessions, evenly spaced; None means all."""
    if only is None or only >= len(sessions):
        return sessions
    return [sessions[k * len(sessions) // only] for k in range(only)]


def main() -> None:
    """Search, bound, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace", nargs="?", type=Path)
    parser.add_argument("--sessions", type=Path, default=MEASURED[0])
    parser.add_argument("--only", type=int)
    parser.add_argument("--arrivals", action="append", help="of these kinds only")
    parser.add_argument("--answers", type=Path)
    parser.add_argument("--known", action="store_true", help="make no searches but those that --answers holds")
    parser.add_argument("--no-rules", action="store_true")
    parser.add_argument("--print", action="store_true", help="print the tables instead of writing page and figure")
    given = parser.parse_args()
    sessions = part(of_folder(given.sessions), given.only)
    processes = {k: s for k, s in setups(given.trace).items() if not given.arrivals or k in given.arrivals}
    rows = answered(sessions, processes, given.answers, more=not given.known)
    tables: dict[str, Any] = {"holding": table(HEAD, table_rows(rows))}
    if not given.no_rules and POISSON in processes:
        of_rules = ruled(sessions, processes[POISSON], TARGETS[-1], given.answers, more=not given.known)
        tables["holding-rules"] = table(RULE_HEAD, rule_rows(rows, of_rules, TARGETS[-1]))
    if given.print:
        print(*tables.values(), sep="\n\n")
        return
    paste(FINDINGS / "holding.md", tables)
    draw_plain(FIGURES / "holding.svg", lambda: draw(rows), {}, salt="euclio")


if __name__ == "__main__":
    main()
