"""The cost of random arrivals: `python docs/tools/randomness.py [TRACE.csv] [--answers FILE]`.

Sessions of Harpagon's applications at several rates and tightnesses, planned by `exact` with the margins that keep an
attainment, and with a margin on the SLO alone, as PPipe deducts one. It writes the tables between the marks of
`docs/findings/cost-of-randomness.md` and `docs/figures/cost-of-randomness.svg`; the same code gives the same bytes. The
row of replayed arrivals needs a file of timestamps, such as the Azure LLM inference trace (code, 2023). It takes about
twenty minutes on one core; with `--answers` searches that a file holds are not made again, and those made are added.
"""

from __future__ import annotations

import argparse
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
from answers import keep_answers, known_answers
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from pasting import FIGURES, FINDINGS, OPEN, draw_plain

from euclio import solve
from euclio.core.progress import progress_bar
from euclio.core.words import percent
from euclio.files.marked import put_between
from euclio.problems.session import Evaluation, Plan, Session, evaluate
from euclio.problems.session.space import FULL_SPACE
from euclio.serving.attainment.demand import Demand
from euclio.serving.attainment.margins import alike, spare_space, stricter, with_spare
from euclio.serving.attainment.search import Found, cheapest
from euclio.serving.requests import GRID
from euclio.serving.session.setup import Dropping, Partial, Setup
from euclio.serving.session.simulation import simulate
from euclio.serving.trace_files import load_trace
from euclio.workloads.session.applications import find_application
from euclio.workloads.session.protocol import latency_range, round_up
from studies.drawn_workloads import protocol_draws
from studies.inference.reference import reference_setting
from studies.inference.store import accepted_settings

PAGE = FINDINGS / "cost-of-randomness.md"
APPLICATIONS = ("traffic", "face", "pose")
RATES, MIDDLE_RATE = (30, 120, 480), 120
TIGHTNESSES, MIDDLE = (1.5, 2.5, 4.0), 2.5
TARGETS, TARGET = (0.9, 0.95, 0.99, 0.999), 0.99
DISPATCH = {
    "rounds": {},
    "rounds, no time-out": {"timeout_s": float("inf")},
    "pull": {"dispatch": "pull"},
}
ROUNDS = "rounds"
POISSON = "Poisson"
ARRIVALS = {POISSON: Setup(), "gamma, cv 2": Setup("gamma", cv=2.0), "gamma, cv 4": Setup("gamma", cv=4.0)}
REPLAYED = "replayed"
COLOURS = ("#2f6fb5", "#d9822b", "#3c9a5f")
PLAYED_S = 600.0
SHORT_S, SHORT_RUNS = 30.0, 10
"""Seconds of PPipe's runs (PPipe §7.1), and how many such runs are put together here."""
DEDUCTED = tuple(Fraction(tenths, 10) for tenths in range(8))
"""Shares of the SLO that are deducted; PPipe deducts 0.4 (PPipe §5.4, §7.1) and tries 0.2 and 0.6 too (Figure 13c)."""
PPIPE = Fraction(4, 10)
PAPER, SETTINGS, SETTING_WORKLOADS, SETTING_SEED, SETTING_S = "harpagon", 10, 4, 1, 60.0
"""Settings of the posterior whose workloads are tried too, how many, the workloads of each, and how long they play."""
SPARE = spare_space(FULL_SPACE)
PLAYED = Setup(partial=Partial.SHARED, dummies=False)
"""As the searches play plans: what is not paid for is not used, and dummies are not sent."""
DROPPING = Setup(partial=Partial.SHARED, dummies=False, dispatch="pull", dropping=Dropping.HOPELESS)
"""Nearer to PPipe's own data plane: batches of what is there, and requests that would be late are dropped."""


class Case(NamedTuple):
    """A search: application, requests per second, SLO over the least latency, arrivals, dispatcher and target."""

    application: str
    rate: int
    tightness: float
    arrivals: str
    dispatch: str
    target: float


class Answer(NamedTuple):
    """The result of a search: cost over the optimum's (None if it found no plan), its margins, plans tried."""

    extra: float | None
    rate_margin: float
    slo_share: float
    tried: int


class Deducted(NamedTuple):
    """A plan for a part of the SLO.

    Fields: cost over the optimum's; attainment in runs of half a minute, and over ten minutes; highest load of the
    paper's grid that it carries at 99 % over ten minutes, and that with PPipe's kind of batches and dropping.
    """

    extra: float
    short: float
    long: float
    load: float
    dropping_load: float


def session_of(application: str, rate: int, tightness: float) -> Session:
    """An application at a rate, with an SLO of so many times its least latency."""
    loose = find_application(application).session(application, Fraction(rate), Fraction(1000))
    slo = round_up(tightness * latency_range(loose)[0])
    return Session(f"{application}-{rate}-{tightness:g}", slo, loose.hardware, loose.modules, loose.edges)


def planned(session: Session) -> tuple[Plan, Evaluation] | None:
    """The optimum, with what the checker says of it."""
    result = solve(session, "exact")
    return None if result.plan is None or result.evaluation is None else (result.plan, result.evaluation)


def optimal_cost(session: Session) -> Fraction:
    """The cost of the optimum per hour."""
    optimum = planned(session)
    assert optimum is not None
    assert optimum[1].cost_per_h
    return optimum[1].cost_per_h


def search(session: Session, setup: Setup, target: float) -> Answer:
    """How much more the cheapest plan found costs than the optimum for evenly spaced requests."""
    found: Found = cheapest(session, planned, FULL_SPACE, Demand(target, setup))
    if found.best is None:
        return Answer(None, 0, 0, len(found.tried))
    extra = float(found.best.cost_per_h / optimal_cost(session)) - 1
    return Answer(extra, float(max(found.best.margins.rates)), float(found.best.margins.slo), len(found.tried))


def kept(session: Session, setup: Setup) -> float:
    """The attainment of the optimum itself, with its dummies."""
    optimum = planned(session)
    assert optimum is not None
    share = simulate(session, optimum[0], setup, FULL_SPACE).attainment
    assert share is not None
    return share


def cases(arrivals: Iterable[str]) -> list[Case]:
    """All searches: rates and tightnesses and kinds of arrivals under `rounds`, attainments under each dispatcher.

    More than 99 % is asked for under `rounds` only: a search for 99.9 % takes half a minute.
    """
    by_slo = [(rate, tightness, POISSON, ROUNDS, TARGET) for rate in RATES for tightness in TIGHTNESSES]
    by_target = [
        (MIDDLE_RATE, MIDDLE, POISSON, dispatch, target)
        for target in TARGETS
        for dispatch in DISPATCH
        if dispatch == ROUNDS or target <= TARGET
    ]
    by_arrivals = [(MIDDLE_RATE, MIDDLE, kind, ROUNDS, TARGET) for kind in arrivals]
    asked = dict.fromkeys([*by_slo, *by_target, *by_arrivals])
    return [Case(application, *what) for what in asked for application in APPLICATIONS]


def answered(asked: Sequence[Case], processes: dict[str, Setup], known: Path | None) -> dict[Case, Answer]:
    """The answer of each search; those that a file holds are not made again, and those made are added to it."""
    found = {Case(*row["case"]): Answer(*row["answer"]) for row in known_answers(known)}
    with progress_bar("searches", len(asked)) as advance:
        for case in asked:
            if case not in found:
                process = processes[case.arrivals]
                fields = {"arrivals": process.arrivals, "cv": process.cv, "trace_s": process.trace_s}
                setup = Setup(**fields, **DISPATCH[case.dispatch])
                found[case] = search(session_of(case.application, case.rate, case.tightness), setup, case.target)
                keep_answers(known, {"case": case, "answer": found[case]})
            advance()
    return {case: found[case] for case in asked}


def of(found: dict[Case, Answer], *what: object) -> list[Answer]:
    """The answers of the three applications; none where nothing was asked."""
    asked = [Case(application, *what) for application in APPLICATIONS]  # type: ignore[arg-type]
    return [found[case] for case in asked if case in found]


def more(extras: Sequence[float]) -> str:
    """A mean of extra costs."""
    return f"{100 * float(np.mean(extras)):+.1f} %"


def mean(answers: Sequence[Answer]) -> str:
    """Mean extra cost of those that found a plan, and how many did not."""
    extras = [answer.extra for answer in answers if answer.extra is not None]
    lost = len(answers) - len(extras)
    if not answers:
        return ""
    return (more(extras) if extras else "-") + (f" ({lost} without)" if lost else "")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, all columns but the first to the right."""
    lines = [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 1)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def grid_table(plans: Sweep, found: dict[Case, Answer]) -> str:
    """By rate and tightness: the optimum's attainment, what 99 % costs, and PPipe's 40 % on the same sessions."""
    rows = []
    for rate in RATES:
        for tightness in TIGHTNESSES:
            setup = Setup(seconds=PLAYED_S, partial=Partial.SHARED)
            share = np.mean([kept(session_of(name, rate, tightness), setup) for name in APPLICATIONS])
            searched = mean(of(found, rate, tightness, POISSON, ROUNDS, TARGET))
            cells = ppipe_cells(plans[rate, tightness, PPIPE])
            rows.append([str(rate), f"{tightness:g}", percent(float(share), 1), searched, *cells])
    head = [
        "requests per second", "SLO / least latency", "optimum: in time", "99 %: cost of the search's plan",
        "0.6 SLO: cost of the plan", "in time, half a minute", "in time, ten minutes", "load at 99 %",
        "the same, `pull`, late ones dropped", "cost per request of that load (`rounds`)",
    ]  # fmt: skip
    return table(head, rows)


def ppipe_cells(plans: Sequence[Deducted | None]) -> list[str]:
    """The sentence about plans for 0.6 of the SLO, from a table."""
    known = [plan for plan in plans if plan is not None]
    if not known:
        return ["no plan"] + ["-"] * 5
    lost = len(plans) - len(known)
    return [
        more([p.extra for p in known]) + (f" ({lost} without)" if lost else ""),
        percent(float(np.mean([p.short for p in known])), 1),
        percent(float(np.mean([p.long for p in known])), 1),
        f"{np.mean([p.load for p in known]):.2f}",
        f"{np.mean([p.dropping_load for p in known]):.2f}",
        more([per_load(p) for p in known]),
    ]


def target_table(found: dict[Case, Answer]) -> str:
    """The cost of attainments, by dispatcher."""
    rows = [
        [percent(target, 1), *(mean(of(found, MIDDLE_RATE, MIDDLE, POISSON, name, target)) for name in DISPATCH)]
        for target in TARGETS
    ]
    return table(["attainment", *DISPATCH], rows)


def arrivals_table(found: dict[Case, Answer], arrivals: Iterable[str]) -> str:
    """The cost of 99 %, by kind of arrivals."""
    rows = [[kind, mean(of(found, MIDDLE_RATE, MIDDLE, kind, ROUNDS, TARGET))] for kind in arrivals]
    return table(["arrivals", "cost"], rows)


def deducted(
    session: Session, share: Fraction, played_s: float = PLAYED_S, runs: int = SHORT_RUNS, *, dropping: bool = False
) -> Deducted | None:
    """The plan for what is left of the SLO when a share is deducted; None if there is none.

    Args:
        session: the instance.
        share: what is deducted, as a share of the SLO.
        played_s: seconds of the long simulations.
        runs: how many short ones are put together.
        dropping: whether to look for the load with dropping, too.
    """
    margins = alike(session, Fraction(0), 1 - share)
    made = planned(stricter(session, margins))
    if made is None:
        return None
    plan = with_spare(session, *made, margins)
    cost = evaluate(session, plan, SPARE).cost_per_h
    assert cost is not None

    def attained(setup: Setup, **fields: float) -> float:
        found = simulate(session, plan, replace(setup, **fields), SPARE).attainment
        assert found is not None
        return found

    def highest(setup: Setup) -> float:
        """The grid is bisected: what is carried at one load is carried at lower ones."""
        place = bisect_left(GRID, True, key=lambda load: attained(setup, seconds=played_s, load=load) < TARGET)
        return GRID[place - 1] if place else 0.0

    return Deducted(
        float(cost / optimal_cost(session)) - 1,
        float(np.mean([attained(PLAYED, seconds=SHORT_S, seed=seed) for seed in range(runs)])),
        attained(PLAYED, seconds=played_s),
        highest(PLAYED),
        highest(DROPPING) if dropping else float("nan"),
    )


Sweep = dict[tuple[int, float, Fraction], list[Deducted | None]]
"""By rate, tightness and deducted share the plans of the three applications."""


def sweep() -> Sweep:
    """PPipe's margin on all sessions of the grid."""
    asked = [(rate, tightness, share) for rate in RATES for tightness in TIGHTNESSES for share in DEDUCTED]
    found = {}
    with progress_bar("margins", len(asked)) as advance:
        for rate, tightness, share in asked:
            sessions = [session_of(application, rate, tightness) for application in APPLICATIONS]
            found[rate, tightness, share] = [deducted(s, share, dropping=share == PPIPE) for s in sessions]
            advance()
    return found


def per_load(plan: Deducted) -> float:
    """The extra cost over the optimum per request that it carries at 99 %."""
    return (1 + plan.extra) / plan.load - 1 if plan.load else float("inf")


def sweep_table(plans: Sweep) -> str:
    """The margin as in PPipe's Figure 13c, on the sessions with the loosest SLO."""
    rows = []
    for share in DEDUCTED[:-1]:
        known = [plan for rate in RATES for plan in plans[rate, TIGHTNESSES[-1], share] if plan is not None]
        rows.append(
            [
                percent(float(share), 0),
                more([p.extra for p in known]),
                percent(float(np.mean([p.short for p in known])), 1),
                percent(float(np.mean([p.long for p in known])), 1),
                f"{np.mean([p.load for p in known]):.2f}",
                more([per_load(p) for p in known]),
                str(len(known)),
            ]
        )
    head = ["deducted from the SLO", "cost of the plan", "in time, half a minute", "in time, ten minutes"]
    return table([*head, "load at 99 %", "cost for that load", "sessions"], rows)


def settings_table() -> str:
    """PPipe's 40 % on workloads of the reference setting and of accepted ones, one row each; the tenth is the farthest.

    Their rates go up to thousands of requests per second, so that a minute is simulated, not ten.
    """
    names = ["reference setting", *(f"accepted setting {k} of {SETTINGS}" for k in range(1, SETTINGS + 1))]
    settings = [reference_setting(PAPER), *accepted_settings(PAPER, SETTINGS)]
    rows = []
    with progress_bar("settings", len(settings)) as advance:
        for name, setting in zip(names, settings, strict=True):
            drawn = protocol_draws(PAPER, setting, SETTING_SEED, SETTING_WORKLOADS).workloads
            rows.append([name, *setting_cells([deducted(w.session, PPIPE, SETTING_S, 1) for w in drawn])])
            advance()
    head = ["workloads of", "0.6 SLO: cost of the plan", "in time, half a minute", "load at 99 %"]
    return table([*head, "cost per request of that load"], rows)


def setting_cells(plans: Sequence[Deducted | None]) -> list[str]:
    """The sentence about the workloads of a setting, from the table."""
    known = [plan for plan in plans if plan is not None]
    if not known:
        return ["no plan", "-", "-", "-"]
    lost = len(plans) - len(known)
    return [
        more([p.extra for p in known]) + (f" ({lost} without)" if lost else ""),
        percent(float(np.mean([p.short for p in known])), 1),
        f"{np.mean([p.load for p in known]):.2f}",
        more([per_load(p) for p in known]),
    ]


def draw(found: dict[Case, Answer], plans: Sweep) -> Figure:
    """Extra cost by tightness and rate, by attainment, and by the margin on the SLO."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    by_slo, by_target, by_margin = figure.subplots(1, 3)
    for rate, colour in zip(RATES, COLOURS, strict=True):
        means = [mean_pct(of(found, rate, t, POISSON, ROUNDS, TARGET)) for t in TIGHTNESSES]
        by_slo.plot(TIGHTNESSES, means, marker="o", color=colour, label=f"{rate} requests/s")
    by_slo.set(title="99 % within the SLO", xlabel="SLO / least latency", xticks=TIGHTNESSES)
    by_slo.set_ylabel("cost over the optimum's (%)")
    missed = [100 * (1 - target) for target in TARGETS]
    for (name, marker), colour in zip(zip(DISPATCH, "os^", strict=True), COLOURS, strict=True):
        means = [mean_pct(of(found, MIDDLE_RATE, MIDDLE, POISSON, name, target)) for target in TARGETS]
        by_target.plot(missed, means, marker=marker, color=colour, label=name)
    by_target.set(title=f"{MIDDLE_RATE} requests/s, {MIDDLE:g} × least latency", xlabel="may miss the SLO (%)")
    by_target.set_xscale("log")
    by_target.set_xticks(missed, labels=["10", "5", "1", "0.1"])
    by_target.minorticks_off()
    by_target.invert_xaxis()
    draw_margins(by_margin, found, plans)
    for axes in (by_slo, by_target, by_margin):
        axes.set_ylim(bottom=0)
        axes.grid(color="#656b73", alpha=0.25, linewidth=0.6)
        axes.title.set_fontsize(11)
        axes.legend(fontsize=9, frameon=False)
    return figure


def draw_margins(axes: Axes, found: dict[Case, Answer], plans: Sweep) -> None:
    """The cost of a margin on the SLO alone, for all of the load and for the part that it carries; the search."""
    shares = DEDUCTED[:-1]
    loosest = TIGHTNESSES[-1]
    known = [[p for rate in RATES for p in plans[rate, loosest, share] if p is not None] for share in shares]
    x = [100 * float(share) for share in shares]
    axes.plot(x, [100 * np.mean([p.extra for p in own]) for own in known], marker="o", color=COLOURS[0], label="plan")
    totals = [100 * np.mean([per_load(p) for p in own]) for own in known]
    axes.plot(x, totals, marker="s", color=COLOURS[1], label="per request carried at 99 %")
    searched = [mean_pct(of(found, rate, loosest, POISSON, ROUNDS, TARGET)) for rate in RATES]
    axes.axhline(float(np.mean(searched)), color=COLOURS[2], linestyle="--", label="search, all requests")
    axes.axvline(100 * float(PPIPE), color="#656b73", linestyle=":", linewidth=1)
    axes.set(title=f"margin on SLO alone, {loosest:g} × least", xlabel="deducted from the SLO (%)")


def mean_pct(answers: Sequence[Answer]) -> float:
    """Mean extra cost in percent of those that found a plan."""
    extras = [answer.extra for answer in answers if answer.extra is not None]
    return 100 * float(np.mean(extras)) if extras else float("nan")


def main() -> None:
    """Make all searches, write tables and figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace", type=Path, nargs="?", metavar="TRACE.csv", help="timestamps to be replayed")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="answers of searches, one a line; is added to")
    arguments = parser.parse_args()
    processes = dict(ARRIVALS)
    if arguments.trace is not None:
        processes[REPLAYED] = Setup("trace", trace_s=load_trace(arguments.trace))
    plans = sweep()
    found = answered(cases(processes), processes, arguments.answers)
    figure = FIGURES / "cost-of-randomness.svg"
    draw_plain(figure, lambda: draw(found, plans), {**OPEN, "font.size": 10}, salt="randomness")
    put_between(PAGE, "randomness-grid", grid_table(plans, found))
    put_between(PAGE, "randomness-margin", sweep_table(plans))
    put_between(PAGE, "randomness-settings", settings_table())
    put_between(PAGE, "randomness-attainment", target_table(found))
    put_between(PAGE, "randomness-arrivals", arrivals_table(found, processes))


if __name__ == "__main__":
    main()
