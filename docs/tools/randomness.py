"""What it costs that requests come at random: `python docs/tools/randomness.py [TRACE.csv]`.

Sessions of Harpagon's applications at several rates and tightnesses, planned by `exact` with the margins that keep an
attainment. It prints the tables of `docs/findings/cost-of-randomness.md` and writes
`docs/figures/cost-of-randomness.svg`; the same code gives the same bytes. The rows of replayed arrivals need a file of
timestamps, such as the Azure LLM inference trace (code, 2023). It takes about six minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from euclio import solve
from euclio.core.words import percent
from euclio.session import Evaluation, Plan, Session
from euclio.session.attainment.demand import Demand
from euclio.session.attainment.search import Found, cheapest
from euclio.session.simulation.setup import Partial, Setup
from euclio.session.simulation.simulation import simulate
from euclio.session.space import FULL_SPACE
from euclio.session.workloads.applications import find_application
from euclio.session.workloads.protocol import latency_range, round_up
from euclio.simulation.trace_files import load_trace

FIGURES = Path(__file__).resolve().parents[1] / "figures"
APPLICATIONS = ("traffic", "face", "pose")
RATES, MIDDLE_RATE = (30, 120, 480), 120
TIGHTNESSES, MIDDLE = (1.5, 2.5, 4.0), 2.5
TARGETS, TARGET = (0.9, 0.95, 0.99, 0.999), 0.99
DISPATCH = {
    "rounds": {},
    "rounds, no time-out": {"timeout_s": float("inf")},
    "pull": {"dispatch": "pull"},
}
COLOURS = ("#2f6fb5", "#d9822b", "#3c9a5f")
PLAYED_S = 600.0


class Answer(NamedTuple):
    """What a search came to: cost over the optimum's (None: no plan was found), its margins, plans tried."""

    extra: float | None
    rate_margin: float
    slo_share: float
    tried: int


def session_of(application: str, rate: int, tightness: float) -> Session:
    """An application at a rate, with an SLO of so many times its least latency."""
    loose = find_application(application).session(application, Fraction(rate), Fraction(1000))
    slo = round_up(tightness * latency_range(loose)[0])
    return Session(f"{application}-{rate}-{tightness:g}", slo, loose.hardware, loose.modules, loose.edges)


def planned(session: Session) -> tuple[Plan, Evaluation] | None:
    """The optimum, with what the checker says of it."""
    result = solve(session, "exact")
    return None if result.plan is None or result.evaluation is None else (result.plan, result.evaluation)


def search(session: Session, setup: Setup, target: float = TARGET) -> Answer:
    """How much more the cheapest plan found costs than the optimum for evenly spaced requests."""
    found: Found = cheapest(session, planned, FULL_SPACE, Demand(target, setup))
    optimum = planned(session)
    assert optimum is not None
    assert optimum[1].cost_per_h
    if found.best is None:
        return Answer(None, 0, 0, len(found.tried))
    extra = float(found.best.cost_per_h / optimum[1].cost_per_h) - 1
    return Answer(extra, float(max(found.best.margins.rates)), float(found.best.margins.slo), len(found.tried))


def kept(session: Session, setup: Setup) -> float:
    """The attainment of the optimum itself, with its dummies."""
    optimum = planned(session)
    assert optimum is not None
    share = simulate(session, optimum[0], setup, FULL_SPACE).attainment
    assert share is not None
    return share


def mean(answers: Iterable[Answer]) -> str:
    """Mean extra cost of those that found a plan, and how many did not."""
    every = list(answers)
    extras = [answer.extra for answer in every if answer.extra is not None]
    lost = len(every) - len(extras)
    return (f"+{percent(float(np.mean(extras)), 1)}" if extras else "-") + (f" ({lost} without)" if lost else "")


def grid() -> dict[tuple[str, int, float], list[Answer]]:
    """By dispatcher, rate and tightness, one answer per application, under Poisson arrivals; prints the table."""
    found = {}
    for rate in RATES:
        for tightness in TIGHTNESSES:
            sessions = [session_of(name, rate, tightness) for name in APPLICATIONS]
            cells = []
            for name, options in DISPATCH.items():
                setup = Setup(seconds=PLAYED_S, partial=Partial.SHARED, **options)
                shares = [kept(session, setup) for session in sessions]
                answers = [search(session, Setup(**options)) for session in sessions]
                found[name, rate, tightness] = answers
                cells.append(f"{percent(float(np.mean(shares)), 1)} → {mean(answers)}")
            print("|", rate, "|", f"{tightness:g}", "|", " | ".join(cells), "|", flush=True)
    return found


def processes(trace: Path | None) -> Iterator[tuple[str, Setup]]:
    """Kinds of arrivals."""
    yield "Poisson", Setup()
    yield "gamma, cv 2", Setup("gamma", cv=2.0)
    yield "gamma, cv 4", Setup("gamma", cv=4.0)
    if trace is not None:
        yield "replayed", Setup("trace", trace_s=load_trace(trace))


def by_process(trace: Path | None) -> None:
    """Prints extra costs by arrivals and dispatcher."""
    sessions = [session_of(name, MIDDLE_RATE, MIDDLE) for name in APPLICATIONS]
    for process, setup in processes(trace):
        cells = []
        for options in DISPATCH.values():
            fields = {"arrivals": setup.arrivals, "cv": setup.cv, "trace_s": setup.trace_s, **options}
            cells.append(mean(search(session, Setup(**fields)) for session in sessions))
        print("|", process, "|", " | ".join(cells), "|", flush=True)


def by_target() -> dict[str, list[float]]:
    """By dispatcher the mean extra cost at each target; prints the table."""
    sessions = [session_of(name, MIDDLE_RATE, MIDDLE) for name in APPLICATIONS]
    curves: dict[str, list[float]] = {name: [] for name in DISPATCH}
    for target in TARGETS:
        cells = []
        for name, options in DISPATCH.items():
            answers = [search(session, Setup(**options), target) for session in sessions]
            extras = [answer.extra for answer in answers if answer.extra is not None]
            curves[name].append(100 * float(np.mean(extras)) if extras else float("nan"))
            cells.append(mean(answers))
        print("|", percent(target, 1), "|", " | ".join(cells), "|", flush=True)
    return curves


def draw(found: dict[tuple[str, int, float], list[Answer]], curves: dict[str, list[float]]) -> Figure:
    """Extra cost by tightness, one panel per dispatcher; by attainment, at the middle rate and tightness."""
    figure = Figure(figsize=(11, 3.6), layout="constrained")
    panels = figure.subplots(1, 4)
    for axes, name in zip(panels, DISPATCH, strict=False):
        for rate, colour in zip(RATES, COLOURS, strict=True):
            extras = [[a.extra for a in found[name, rate, t] if a.extra is not None] for t in TIGHTNESSES]
            means = [100 * float(np.mean(own)) if own else float("nan") for own in extras]
            axes.plot(TIGHTNESSES, means, marker="o", color=colour, label=f"{rate} req/s")
        axes.set(title=name, xlabel="SLO / least latency", xticks=TIGHTNESSES)
    last = panels[-1]
    for (name, own), colour in zip(curves.items(), COLOURS, strict=True):
        last.plot([100 * (1 - target) for target in TARGETS], own, marker="s", color=colour, label=name)
    last.set(title=f"{MIDDLE_RATE} req/s, {MIDDLE:g} × least latency", xlabel="requests that may miss the SLO (%)")
    last.set_xscale("log")
    last.set_xticks([100 * (1 - target) for target in TARGETS], labels=["10", "5", "1", "0.1"])
    last.minorticks_off()
    last.invert_xaxis()
    panels[0].set_ylabel("cost over the optimum's (%)")
    top = 1.06 * max(line.get_ydata().max() for axes in panels for line in axes.lines)
    for axes in panels:
        axes.set_ylim(0, top)
        axes.grid(color="#656b73", alpha=0.25, linewidth=0.6)
        axes.title.set_fontsize(10)
        axes.legend(fontsize=8, frameon=False)
    return figure


def write(trace: Path | None, folder: Path = FIGURES) -> None:
    """Print all tables and write the figure."""
    style = {
        "svg.hashsalt": "randomness",
        "svg.fonttype": "none",
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with mpl.rc_context(style):
        figure = draw(grid(), by_target())
        figure.savefig(folder / "cost-of-randomness.svg", metadata={"Date": None})
    by_process(trace)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
