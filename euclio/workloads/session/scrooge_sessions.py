"""Sessions at the rates and the latency objective of Scrooge's own evaluation (§4.2).

Twelve clients come and go; each streams 2 to 5 frames per second to traffic, 12 to 30 to face or 15 to 40 to tracker,
and every frame has 400 ms. Which clients are there at a decision is not printed: ours are 1 to 12, drawn evenly.
Scaling and ballooning factors (§3.2: how input changes a module's rate and its execution time) are drawn anew for
every decision, on a logarithmic scale, in the ranges of `data/scrooge.json`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

from euclio.core.folders import data_dir
from euclio.core.numbers import exact
from euclio.problems.session.instance import Configuration, Hardware, Module, Session
from euclio.workloads.session.acceptance import planned_in
from euclio.workloads.session.applications import Application, ApplicationModule, Profile, named
from euclio.workloads.session.protocol import Workload, latency_range, log_uniform
from euclio.workloads.session.synthesis import DURATION_DIGITS, duration

# The seven applications of Scrooge (Figure 1) with its CPU modules, from `data/scrooge.json`.
#
# They are apart from the five of the protocol workloads, which have no CPU modules: a module on machines without a GPU
# takes one input at a time, and a recurrent network takes batch 1 only (Scrooge §3.3 footnote 5, §4.4).

CPU = "CPU"
"""Name of the worker without a GPU."""
EVEN = (1.0, 1.0)


@dataclass(frozen=True, slots=True)
class ScroogeApplication:
    """An application of Scrooge's evaluation.

    Attributes:
        application: its DAG with profiles and worker types.
        client_rps: frames per second of one client, least and most.
        objectives_s: the latency objectives that Figure 12 goes through, in seconds, tightest first.
        ballooning: range of each module's execution time over the profiled one (Scrooge §3.2), by name of the module;
            (1, 1) where input does not change it.
    """

    application: Application
    client_rps: tuple[int, int]
    objectives_s: tuple[Fraction, ...]
    ballooning: dict[str, tuple[float, float]]


@cache
def scrooge_data() -> dict[str, Any]:
    """The data file."""
    found: dict[str, Any] = json.loads((data_dir() / "scrooge.json").read_text(encoding="utf-8"))
    return found


@cache
def scrooge_applications() -> dict[str, ScroogeApplication]:
    """The seven applications, by name; made once, so that all their sessions share profiles and hardware."""
    data = scrooge_data()
    hardware = tuple(Hardware(h["name"], str(h["price_per_h"])) for h in data["hardware"])
    return {entry["name"]: _application(entry, hardware, data) for entry in data["applications"]}


def find_scrooge_application(name: str) -> ScroogeApplication:
    """The application of this name.

    Raises:
        InputError: there is none; names them all.
    """
    return named(scrooge_applications(), name)


def _application(entry: dict[str, Any], hardware: tuple[Hardware, ...], data: dict[str, Any]) -> ScroogeApplication:
    modules = tuple(
        ApplicationModule(
            m["name"], scrooge_profile(m["profile"]), tuple(m.get("parents", ())), tuple(m.get("scaling", EVEN))
        )
        for m in entry["modules"]
    )
    ballooning = {m["name"]: tuple(data["modules"][m["profile"]].get("ballooning", EVEN)) for m in entry["modules"]}
    factor = exact(str(entry.get("objective_factor", 1)))
    used = {c.hardware for m in modules for c in m.profile}
    return ScroogeApplication(
        Application(entry["name"], tuple(h for h in hardware if h.name in used), modules),
        tuple(entry["client_rps"]),
        tuple(factor * exact(str(s)) for s in data["objectives_s"]),
        ballooning,
    )


@cache
def scrooge_profile(name: str, as_evaluated: bool = True) -> Profile:
    """The configurations of a module.

    Args:
        name: its name in the data file.
        as_evaluated: at the time scale of §4; False means that of Figure 5.
    """
    return profile_of(scrooge_data()["modules"][name], as_evaluated)


def profile_of(entry: dict[str, Any], as_evaluated: bool = True, levels: Sequence[int] = ()) -> Profile:
    """The configurations that a module's entry of the data file means.

    Args:
        entry: the entry; its fields are those of the file's `model`.
        as_evaluated: at the time scale of §4, which `studies.scrooge.time_scale` derives; False means that
            of Figure 5. Modules whose time is printed are as printed under both.
        levels: concurrency levels; none means those of the data file.
    """
    data = scrooge_data()
    scale = data["time_scale"] if as_evaluated and not entry.get("as_printed") else 1.0
    if "alone_s" in entry:
        return (Configuration(CPU, 1, 1, f"{scale * entry['alone_s']:.{DURATION_DIGITS}f}"),)
    parameters = _parameters(entry)
    return tuple(
        Configuration(h["name"], b, e, f"{scale * duration(parameters, h['name'], b, e):.{DURATION_DIGITS}f}")
        for h in data["hardware"]
        if h["name"] != CPU
        for b in entry.get("batches", data["batches"])
        for e in levels or data["concurrency"]
    )


def _parameters(entry: dict[str, Any]) -> dict[str, Any]:
    """A module's parameters as `euclio.workloads.session.synthesis` takes them."""
    kernels = [{"from_batch": 1, "base_s": entry["base_s"], "slope_s": entry["slope_s"]}]
    if "from_batch_16" in entry:
        kernels.append({"from_batch": 16, **entry["from_batch_16"]})
    speed = {"P100": {"base": 1.0, "slope": 1.0}, "V100": {"base": entry["V100"], "slope": entry["V100"]}}
    return {**entry, "kernels": kernels, "speed": speed}


COMPARED = ("traffic", "face", "tracker")
"""The applications of §4.2, whose decisions Figures 10 and 11 are about."""
MOST_CLIENTS = 12


def draw_scrooge(application: str, seed: int, number: int, objective: int = 0, clients: int = 0) -> Workload:
    """The session of one allocation decision; the same arguments give the same one.

    Args:
        application: name of one of the seven.
        seed: seed of the draws.
        number: number of the decision, from 1; clients and factors depend on it, not on the objective.
        objective: which of the application's latency objectives, from the tightest.
        clients: clients that are there; 0 means that the number is drawn, 1 to 12.

    Raises:
        InputError: no such application; names them all.
    """
    found = find_scrooge_application(application)
    stream = random.Random(f"scrooge/{seed}/{application}/{number}")
    low, high = found.client_rps
    drawn = 1 + int(MOST_CLIENTS * stream.random())
    rate = Fraction(sum(low + int((high - low + 1) * stream.random()) for _ in range(clients or drawn)))
    factors = found.application.factors([stream.random() for _ in found.application.modules])
    slo = found.objectives_s[objective]
    name = f"scrooge-{application}-{number:04d}-{int(1000 * slo)}ms"
    session = found.application.session(name, rate, slo, factors)
    balloons = {m.name: log_uniform(stream, found.ballooning[m.name]) for m in session.modules}
    session = replace(session, modules=tuple(inflated(m, balloons[m.name]) for m in session.modules))
    return Workload(session, application, rate, _tightness(session))


def inflated(module: Module, balloon: float) -> Module:
    """The module with all durations of its profile as many times as long (Scrooge §3.5, footnote 7)."""
    if balloon == 1.0:
        return module
    profile = tuple(
        Configuration(c.hardware, c.batch, c.concurrency, exact(f"{balloon * float(c.duration_s):.{DURATION_DIGITS}f}"))
        for c in module.profile
    )
    return Module(module.name, module.rate_rps, profile)


def _tightness(session: Session) -> float:
    """Place of the objective between the least latency (0) and the most useful one (1)."""
    least, useful = latency_range(session)
    slo = float(session.slo_s)
    return round((slo - least) / (useful - least), 6) if useful > least else 1.0


def decisions(count: int, seed: int, objective: int = 0) -> Iterator[Session]:
    """The decisions of §4.2 that have a plan in Scrooge's plan space, each drawn when it is asked for.

    Args:
        count: decisions of each application of `COMPARED`, with those that have no plan.
        seed: seed of the draws.
        objective: which of the applications' latency objectives, from the tightest.
    """
    rejected_by = planned_in("scrooge-milp")
    drawn = (draw_scrooge(name, seed, k, objective).session for name in COMPARED for k in range(1, count + 1))
    return (session for session in drawn if not rejected_by(session))
