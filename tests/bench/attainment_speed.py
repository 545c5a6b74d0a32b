"""Plans that keep 99 % under random arrivals: one session, 3 x 50 points of a what-if, a day of six modules."""

from __future__ import annotations

import time
from fractions import Fraction
from unittest.mock import patch

from euclio.core.progress import mute
from euclio.core.registry import find_solver
from euclio.core.solving import asked
from euclio.core.warm_up import warm_up
from euclio.core.words import duration, percent
from euclio.problems.session import Session
from euclio.questions.question import stated
from euclio.questions.what_if import answered, question
from euclio.serving.attainment import long_run
from euclio.serving.attainment.attaining import Fronts, attaining
from euclio.serving.attainment.day import attaining_day
from euclio.serving.attainment.demand import Demand
from euclio.serving.session.in_turn import compile_all
from euclio.serving.session.setup import Setup
from euclio.workloads.session.applications import find_application
from euclio.workloads.session.protocol import latency_range, round_up
from tests.bench.day_instances import day, planner, published
from tests.bench.report import Line, Section, at_most

APPLICATIONS = ("traffic", "face", "pose")
RATE, TIGHTNESS = 120, 2.5
DEMAND = Demand(0.99, Setup())
WHAT_IF_TARGET_S, DAY_TARGET_S = 10.0, 30.0
STEPS = 96


def attainment_speed() -> list[Section]:
    """The sections: the two ways of simulating in alternation, so that they meet the same state of the machine."""
    mute()
    for name in ("exact", "day-exact"):
        warm_up(find_solver(name), find_solver(name).space)
    compile_all()
    sessions = [_session(name) for name in APPLICATIONS]
    return [_one_by_one(sessions), _what_ifs(sessions[0]), _days()]


def _session(application: str) -> Session:
    """An application of Harpagon's with an SLO of so many times its least latency."""
    loose = find_application(application).session(application, Fraction(RATE), Fraction(1000))
    slo = round_up(TIGHTNESS * latency_range(loose)[0])
    return Session(application, slo, loose.hardware, loose.modules, loose.edges)


def _one_by_one(sessions: list[Session]) -> Section:
    lines = []
    for session in sessions:
        seconds, costs = {}, {}
        for way, serves in (("events", lambda *_: False), ("in turn", long_run.covers)):
            with patch.object(long_run, "covers", serves):
                began = time.process_time()
                costs[way] = attaining(DEMAND, asked(session, "exact")).value
                seconds[way] = time.process_time() - began
        ratio = seconds["events"] / seconds["in turn"]
        said = f"{duration(seconds['in turn'])}, {ratio:.1f} times as fast as by events"
        lines.append(Line(session.name, said))
        same = costs["events"] == costs["in turn"]
        lines.append(Line(f"{session.name}: the same plan", str(same), "True", same, correct=True))
    return Section("solve --attainment 0.99 (processor time of one core)", tuple(lines))


def _what_ifs(session: Session) -> Section:
    rates = [RATE * k for k in (1, 2, 3)]
    slos = [session.slo_s * Fraction(6, 10) * Fraction(f"{1.04**k:.5g}") for k in range(50)]
    lines = []
    for ways in (("share",), ("whole",)):
        began = time.process_time()
        points = answered(question(session, rates=rates, slos=slos, chargings=ways), Fronts(DEMAND)).points.values()
        lines.append(at_most(f"3 x 50 points, {ways[0]}", time.process_time() - began, WHAT_IF_TARGET_S))
        kept = [stated(point.result) for point in points]
        keeping = sum(one is not None and one.least >= DEMAND.target for one in kept)
        lines.append(Line(f"{ways[0]}: points that keep it", f"{keeping} of {len(kept)}"))
    return Section("what-if --attainment 0.99 (processor time of one core)", tuple(lines))


def _days() -> Section:
    lines = []
    for session in (planner(), published()):
        own = day(session, "smooth", steps=STEPS)
        began = time.process_time()
        result = attaining_day(DEMAND, asked(own, "day-exact"))
        lines.append(at_most(own.name, time.process_time() - began, DAY_TARGET_S))
        if result.value is not None:
            more = float(result.value) / result.stats["cost_without_margins"] - 1
            least = percent(result.stats["attainment_at_least"])
            lines.append(Line(f"{own.name}: more than without", percent(more, 1), f"each step at least {least}"))
    return Section(f"plan-day --attainment 0.99, {STEPS} steps (processor time of one core)", tuple(lines))
