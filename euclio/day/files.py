"""Loads over time in files: schema ``euclio/day/1``, with the session as in a file of its own."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from euclio.core.numbers import exact
from euclio.day.instance import Day, Step
from euclio.files.boundary import FileModel, Name, Number, at
from euclio.files.dataclass_files import plain_data
from euclio.files.instance_files import InstanceFormat
from euclio.session.files import SESSIONS

SessionModel: type[BaseModel] = SESSIONS.model


class _Step(FileModel):
    length_s: Number
    rates_rps: list[Number]


class _Day(FileModel):
    name: Name
    session: SESSIONS.model  # type: ignore[name-defined]
    steps: list[_Step]
    warm_up_s: Number = 0
    keep_alive_s: Number = 0
    price_per_change: Number = 0


def _day(model: _Day) -> Day:
    with at("session", None):
        session = SESSIONS.made(model.session)
    steps: list[Step] = []
    for k, own in enumerate(model.steps):
        with at(f"steps[{k}]", None):
            steps.append(Step(own.length_s, own.rates_rps))
    changes = (exact(model.warm_up_s), exact(model.keep_alive_s), exact(model.price_per_change))
    return Day(model.name, session, steps, *changes)


def _data(day: Day) -> dict[str, Any]:
    fields = {name: getattr(day, name) for name in ("warm_up_s", "keep_alive_s", "price_per_change")}
    return {"name": day.name, "session": SESSIONS.data(day.session), "steps": plain_data(day.steps), **fields}


DAYS = InstanceFormat("euclio/day/1", _Day, _day, _data)
load_day, save_day = DAYS.load, DAYS.save
day_from_text, day_from_json, day_to_text = DAYS.from_text, DAYS.from_json, DAYS.to_text
