"""Inputs of Scrooge's decisions (§4.2) varied: profiles, rates, clients, worker types and objectives (ours).

Which of them moves how often Scrooge's MILP and greedy cost the same as the optimum (Figure 10)? `draw_varied` draws a
decision as `draw_scrooge` does, with some inputs otherwise; with none it is the very same decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

from euclio.core.numbers import exact
from euclio.problems.session import Module, Session
from euclio.workloads.session.applications import Profile
from euclio.workloads.session.scrooge_sessions import (
    draw_scrooge,
    find_scrooge_application,
    profile_of,
    scrooge_data,
)
from euclio.workloads.session.worker_types import on_worker_types

NO_TIMES_PRINTED = ("vehicle", "face_recogniser", "face_detector", "triplet")
"""Modules of §4.2 of whose execution times the paper prints none, nor a throughput."""
NO_RATIO_PRINTED = ("vehicle", "face_recogniser", "prnet", "mobilenet", "triplet")
"""Modules of §4.2 whose speed on V100 over that on P100 the paper does not print."""
NO_ITEMS_PRINTED = (("traffic", "face"), ("face", "keypoints"), ("tracker", "reid"))
"""Modules, by application, whose requests per frame are not printed."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What is otherwise than in the study's own decisions; with the defaults nothing is.

    Attributes:
        types: number of drawn worker types in place of P100 and V100; 0: these two.
        clients: clients that are there; 0: drawn, 1 to 12.
        rate: factor of the rates of all modules.
        objective_ms: latency objective.
        items: factor of the requests per frame of the modules of `NO_ITEMS_PRINTED`.
        duration: factor of the durations of the modules of `NO_TIMES_PRINTED`.
        fixed: share of a batch's time that does not grow with the batch, at batch 1, whose time stays as it is, of
            the modules of `NO_TIMES_PRINTED`; -1: as it is.
        gain: factor of what concurrency gains, of the modules of `NO_TIMES_PRINTED`.
        fall: how fast that gain falls as batches grow, its exponent, of the modules of `NO_TIMES_PRINTED`; -1: as it
            is.
        faster: speed on V100 over that on P100, of the modules of `NO_RATIO_PRINTED`; 0: as it is.
        levels: the highest concurrency, all levels below included; 0: levels 1, 2 and 4 alone, which are printed.
        alone: factor of the durations of modules without a GPU.
    """

    types: int = 0
    clients: int = 0
    rate: float = 1.0
    objective_ms: int = 400
    items: float = 1.0
    duration: float = 1.0
    fixed: float = -1.0
    gain: float = 1.0
    fall: float = -1.0
    faster: float = 0.0
    levels: int = 4
    alone: float = 1.0


OWN = Inputs()


def draw_varied(application: str, seed: int, number: int, inputs: Inputs) -> Session:
    """The decision of this number with some inputs otherwise; all other draws are those of `draw_scrooge`.

    Args:
        application: traffic, face or tracker.
        seed: seed of the draws.
        number: number of the decision, from 1; worker types are drawn anew for each.
        inputs: what is otherwise.
    """
    session = draw_scrooge(application, seed, number, clients=inputs.clients).session
    profiles = _profiles(application, inputs)
    modules = tuple(
        Module(m.name, m.rate_rps * _times(application, m.name, inputs), profiles[m.name]) for m in session.modules
    )
    session = replace(session, modules=modules, slo_s=Fraction(inputs.objective_ms, 1000))
    if not inputs.types:
        return session
    return replace(on_worker_types(session, inputs.types, seed + number), name=session.name)


def _times(application: str, module: str, inputs: Inputs) -> Fraction:
    """Factor of a module's rate."""
    items = inputs.items if (application, module) in NO_ITEMS_PRINTED else 1.0
    return exact(inputs.rate) * exact(items)


@cache
def _profiles(application: str, inputs: Inputs) -> Mapping[str, Profile]:
    """Profiles of an application's modules, by the modules' names; made once, so that all sessions share them."""
    named = {entry["name"]: entry for entry in scrooge_data()["applications"]}[application]
    levels = tuple(range(1, inputs.levels + 1)) if inputs.levels else (1, 2, 4)
    known = {m.name: m.profile for m in find_scrooge_application(application).application.modules}
    return {
        m["name"]: known[m["name"]] if inputs == OWN else profile_of(_entry(m["profile"], inputs), levels=levels)
        for m in named["modules"]
    }


def _entry(name: str, inputs: Inputs) -> dict[str, Any]:
    """A module's entry of the data file with inputs otherwise."""
    entry = dict(scrooge_data()["modules"][name])
    if "alone_s" in entry:
        return {**entry, "alone_s": entry["alone_s"] * inputs.alone}
    if inputs.faster and name in NO_RATIO_PRINTED:
        entry["V100"] = inputs.faster
    if name not in NO_TIMES_PRINTED:
        return entry
    if inputs.fixed >= 0:
        alone = entry["base_s"] + entry["slope_s"]
        entry["base_s"], entry["slope_s"] = inputs.fixed * alone, (1 - inputs.fixed) * alone
    entry["base_s"] *= inputs.duration
    entry["slope_s"] *= inputs.duration
    entry["concurrency_gain"] *= inputs.gain
    if inputs.fall >= 0:
        entry["gain_fall"] = inputs.fall
    return entry
