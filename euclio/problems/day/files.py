"""Loads over time in files: schema ``euclio/day/1``, with the session as in a file of its own."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from euclio.core.errors import InputError
from euclio.core.numbers import exact, fraction_text
from euclio.files.boundary import FileModel, Name, Number, Text, at
from euclio.files.exact_texts import exact_of, needed_text
from euclio.files.instance_files import InstanceFormat
from euclio.problems.day.instance import STATE, Day, Step
from euclio.problems.session.files.instances import SESSIONS

SessionModel: type[BaseModel] = SESSIONS.model


class _Step(FileModel):
    length_s: Number
    exact_length_s: Text | None = None
    rates_rps: list[Number]
    exact_rates_rps: list[Text] | None = None


class _Day(FileModel):
    name: Name
    session: SESSIONS.model  # type: ignore[name-defined]
    steps: list[_Step]
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


def _step(model: _Step) -> Step:
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
