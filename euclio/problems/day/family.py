"""A load over time as a problem family."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from pydantic import BaseModel

from euclio.core.errors import InputError
from euclio.core.lazy import late
from euclio.core.numbers import exact, fraction_text
from euclio.core.objective import Goal
from euclio.core.parameters import Demand
from euclio.core.parts import PlanFiles
from euclio.core.space_fields import in_words
from euclio.core.words import amount
from euclio.files.boundary import FileModel, Name, Number, Text, at
from euclio.files.dataclass_files import exact_of, file_model, needed_text
from euclio.files.instance_files import InstanceFormat
from euclio.files.plain_family import plain_family
from euclio.files.plan_files import RunOptions
from euclio.problems.day.evaluate import WHOLE, DayEvaluation, evaluate
from euclio.problems.day.instance import STATE, Day, Step
from euclio.problems.day.plan import DayPlan
from euclio.problems.day.sharing import WHOLE_DAY, DaySpace
from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.demands import is_limited_by_changes
from euclio.problems.session.files.instances import SESSIONS
from euclio.problems.session.latency.of_requests import caveat
from euclio.problems.session.machine_limits import has_floors

SessionModel: type[BaseModel] = SESSIONS.model


class _DayStep(FileModel):
    length_s: Number
    exact_length_s: Text | None = None
    rates_rps: list[Number]
    exact_rates_rps: list[Text] | None = None


class _Day(FileModel):
    name: Name
    session: SESSIONS.model  # type: ignore[name-defined]
    steps: list[_DayStep]
    warm_up_s: Number = 0
    keep_alive_s: Number = 0
    price_per_change: Number = 0
    state_price_per_change: dict[str, Number] | None = None


def _day(model: _Day) -> Day:
    with at("session", None):
        session = SESSIONS.made(model.session)
    steps: list[Step] = []
    for k, own in enumerate(model.steps):
        with at(f"steps[{k}]", None):
            steps.append(_step(own))
    changes = (exact(model.warm_up_s), exact(model.keep_alive_s), exact(model.price_per_change))
    return Day(model.name, session, steps, *changes, model.state_price_per_change)


def _step(model: _DayStep) -> Step:
    """A step; rates in ratio to a session's are seldom decimals."""
    length = exact_of(model.length_s, model.exact_length_s, "exact_length_s", "length_s")
    texts = model.exact_rates_rps
    if texts is None:
        return Step(length, model.rates_rps)
    if len(texts) != len(model.rates_rps):
        message = f"has {len(texts)} entries, but rates_rps has {len(model.rates_rps)}; give one for each"
        raise InputError(message, field="exact_rates_rps")
    pairs = enumerate(zip(model.rates_rps, texts, strict=True))
    return Step(length, [exact_of(rate, text, f"exact_rates_rps[{m}]", f"rates_rps[{m}]") for m, (rate, text) in pairs])


def _step_data(step: Step) -> dict[str, Any]:
    length, rates = needed_text(step.length_s), step.rates_rps
    exact_rates = [fraction_text(rate) for rate in rates] if any(map(needed_text, rates)) else None
    return {
        "length_s": step.length_s,
        **({} if length is None else {"exact_length_s": length}),
        "rates_rps": list(rates),
        **({} if exact_rates is None else {"exact_rates_rps": exact_rates}),
    }


def _data(day: Day) -> dict[str, Any]:
    fields = {name: getattr(day, name) for name in ("warm_up_s", "keep_alive_s", "price_per_change")}
    steps = [_step_data(step) for step in day.steps]
    state = {STATE: dict(day.state)} if day.state else {}
    return {"name": day.name, "session": SESSIONS.data(day.session), "steps": steps, **fields, **state}


DAYS = InstanceFormat("euclio/day/1", _Day, _day, _data)
load_day, save_day = DAYS.load, DAYS.save
day_from_text, day_from_json, day_to_text = DAYS.from_text, DAYS.from_json, DAYS.to_text


LEAST_COST_IN_ALL = Goal("cost", "in_all", "in all", maximised=False, column="cost")
"""Money for all steps and changes."""


def small(seed: int) -> Day:
    """One module on two machine types over six steps; the seed decides whether changes of machines pay."""
    profile = (
        Configuration("large", 4, 1, "0.12"),
        Configuration("large", 2, 1, "0.08"),
        Configuration("small", 2, 1, "0.2"),
        Configuration("small", 1, 1, "0.13"),
    )
    hardware = (Hardware("large", "2.5"), Hardware("small", 1))
    session = Session(f"day-{seed}", "0.5", hardware, [Module("m", 20, profile)])
    rates = [Fraction(5 + (7 * k * (seed + 3) + k * k) % 60) for k in range(6)]
    return Day(
        f"day-{seed}", session, [Step(300, [rate]) for rate in rates], 60 * (seed % 4), 120, Fraction(seed % 3, 50)
    )


def _summary(day: Day, space: Any, evaluation: DayEvaluation) -> str:
    changes = f"{evaluation.starts} starts and {evaluation.stops} stops"
    goal = LEAST_COST_IN_ALL.priced_in(day.session.currency)
    return f"{goal.name} {amount(evaluation.value)} {goal.unit}, with {changes}"


def _features(day: Day) -> dict[str, float]:
    return {
        "modules": len(day.session.modules),
        "hardware": len(day.session.hardware),
        "configurations": sum(len(module.profile) for module in day.session.modules),
        "steps": len(day.steps),
        "hours": float(day.hours),
    }


DAY_DEMANDS = (
    Demand("changes", "machines that run before it begins", lambda day, space: is_limited_by_changes(day.session)),
    Demand("resources", "a capacity of a resource", lambda day, space: bool(day.session.resources)),
    Demand("spare", "spare machines", lambda day, space: bool(day.session.spare_machines)),
    Demand("largest_share", "a largest share of some hardware", lambda day, space: bool(day.session.share_groups)),
    Demand("packed", "packed machines", lambda day, space: space.charging.packs),
    Demand("floors", "machines that are paid for and not used", lambda day, space: has_floors(day.session)),
)
"""Demands that a session may have and a load over time does not support."""


def _doubts(day: Day) -> list[str]:
    """Doubts about the session."""
    from euclio.problems.session.doubts import session_doubts

    return session_doubts(day.session, "session.")


class _DayOptions(RunOptions):
    """The options of a run next to the plan space, with an attainment that was asked for."""

    objective: Text = ""
    attainment: dict[str, Any] | None = None


def _plan_files() -> PlanFiles:
    """As the fields of plans say; steps without shared machines do not list them."""
    files = _PLAIN.plan_files()

    def data(day: Any, plan: Any, checked: Any) -> Any:
        found = files.data(day, plan, checked)
        for step in found["steps"]:
            if not step["shared"]:
                del step["shared"]
        return found

    return replace(files, options=file_model(DaySpace, _DayOptions), data=data)


_PLAIN = plain_family("day", Day, DayPlan, LEAST_COST_IN_ALL, evaluate, small, "day-exact", WHOLE_DAY, DAYS)
FAMILY = replace(
    _PLAIN,
    table=late("euclio.problems.day.figures", "day_table"),
    rows=late("euclio.questions.day_views", "plan_rows"),
    summary=_summary,
    caveat=lambda day, space, plan, evaluation: caveat(day.session, WHOLE),
    demands=DAY_DEMANDS,
    features=_features,
    plan_files=_plan_files,
    describe_space=lambda space: in_words(space) or "all plans",
    find_better=late("euclio.proving.day.certifying", "find_better"),
    prove=late("euclio.proving.day.proof", "day_proof"),
    doubts=_doubts,
    currency=lambda day: day.session.currency,
)
