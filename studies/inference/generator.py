"""Workloads of a setting, directly as the arrays that compiled solvers take, and the same ones as sessions.

A setting has one template session per application: its profiles, ranked once per plan space. A workload is a template
with other rates and another objective, so that drawing one makes no exact numbers.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from euclio.problems.session import FULL_SPACE, Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.arrays import Floats, SessionArrays, session_arrays
from euclio.problems.session.latency.dispatch import path_times
from euclio.workloads.session.applications import applications, profiles
from euclio.workloads.session.protocol import log_uniform
from euclio.workloads.session.synthesis import DURATION_DIGITS, duration, load_model
from studies.inference.prior import SPEEDS_PRINTED, Setting

OBJECTS = (0.37, 8.94)
"""Objects per frame, least and most (Scrooge §2, Figure 3a): invocations of a module for each of its application's."""
ACTDET = "actdet"
THREE_OF_ACTDET = ("detector", "reid", "action")
"""Three GPU modules one after the other: where people are, who they are, what they do. With five a brute force would
take longer than the 35.9 s that Harpagon §IV-B prints."""

AT = "from_batch"
USUAL_START, USUAL_SLOPE = 0.79, 0.26
"""The second kernel of most of our profiles over the first: time at its first batch, and per further request."""
Kernel = dict[str, float]

START_POWER = 0.25
"""The second kernel's start is near 1 in all profiles: networks differ in it a fourth as much as in the rest."""
GOLDEN = (5**0.5 - 1) / 2
"""Any number of its multiples modulo 1 fills the unit interval evenly."""


@dataclass(frozen=True, slots=True)
class DrawnWorkload:
    """A workload of a setting.

    Attributes:
        application: name of the application.
        template: session of the application, with other rates and another objective.
        rate_rps: request rate of each module in requests per second, shape (modules,).
        slo_s: latency objective in seconds.
        least_s: the least latency that the workload could have, in seconds.
    """

    application: str
    template: Session
    rate_rps: Floats
    slo_s: float
    least_s: float

    def arrays(self, space: PlanSpace) -> SessionArrays:
        """The arrays of the workload within a plan space."""
        # The rates are exact floats, so their rounding errors are 0.
        return session_arrays(self.template, space)._replace(rate=self.rate_rps, slo=self.slo_s)

    def session(self, name: str) -> Session:
        """The workload as an instance: that of `arrays` but for the rounding of floats."""
        modules = [
            Module(m.name, float(rate), m.profile) for m, rate in zip(self.template.modules, self.rate_rps, strict=True)
        ]
        return Session(name, self.slo_s, self.template.hardware, modules, self.template.edges)


def templates(setting: Setting) -> dict[str, Session]:
    """One session per application with the setting's profiles and prices; rates and objectives are 1."""
    model = load_model()
    # With the prices of Scrooge's Table 2, 3.06 and 2.07 $ per hour.
    hardware = tuple(Hardware(one["name"], one["price_per_h"]) for one in model["hardware"])
    made = {name: _profile(parameters, hardware, setting) for name, parameters in _shaped(model, setting).items()}
    own = profile_names()
    found = {}
    for name, application in applications().items():
        names = [m.name for m in application.modules]
        edges = application.edges
        if name == ACTDET:
            names = list(THREE_OF_ACTDET)
            edges = tuple(pairwise(names))
        modules = [Module(module, 1, made[own[name, module]]) for module in names]
        found[name] = Session(name, 1, hardware, modules, edges)
    return found


def profile_names() -> dict[tuple[str, str], str]:
    """Name of the profile of every module, by application and module."""
    known = {id(profile): name for name, profile in profiles().items()}
    return {(a.name, m.name): known[id(m.profile)] for a in applications().values() for m in a.modules}


def _shaped(model: Mapping[str, Any], setting: Setting) -> dict[str, dict[str, Any]]:
    """The parameters of every module as the setting changes them."""
    return {name: _reshaped(parameters, _own_shape(name, setting)) for name, parameters in model["modules"].items()}


def _own_shape(name: str, setting: Setting) -> Setting:
    """A setting with the shape and speed of one network, which differs from the others' by `shape_spread`."""
    stream = random.Random(f"{setting.shape_draw}/{name}")
    factors = [float(np.exp(setting.shape_spread * stream.gauss(0.0, 1.0))) for _ in range(4)]
    # The odds of a share are multiplied, so that it stays below one.
    odds = setting.fixed_share / (1 - setting.fixed_share) * factors[0]
    return replace(
        setting,
        fixed_share=odds / (1 + odds),
        second_start=setting.second_start * factors[1] ** START_POWER,
        second_slope=setting.second_slope * factors[2],
        gain=setting.gain * factors[3],
        speed_excess=1.0 if name in SPEEDS_PRINTED else setting.speed_excess,
    )


def _reshaped(own: Mapping[str, Any], setting: Setting) -> dict[str, Any]:
    """One module's parameters as the setting changes them; a module without batching keeps its shape."""
    kernels = (_own_kernels if setting.own_kernels else _shaped_kernels)(own["kernels"], setting)
    if not setting.second_kernel:
        kernels = kernels[:1]
    most = min(setting.largest_batch, own["batches"][-1]) if own["batches"][-1] < 32 else setting.largest_batch
    speed = {
        kind: {part: 1 + (factor - 1) * setting.speed_excess for part, factor in parts.items()}
        for kind, parts in own["speed"].items()
    }
    return {
        "batches": [2**k for k in range(most.bit_length())],
        "kernels": [
            {name: part * (1 if name == AT else setting.duration) for name, part in k.items()} for k in kernels
        ],
        "concurrency_gain": own["concurrency_gain"] * setting.gain,
        "gain_fall": setting.gain_fall,
        "gain_decay": setting.gain_decay,
        "speed": speed,
    }


def _own_kernels(kernels: Sequence[Kernel], setting: Setting) -> list[Kernel]:
    """A network's own kernels, fixed time and time per request of the second one multiplied."""
    first, *others = kernels
    base, slope = setting.second_start / USUAL_START, setting.second_slope / USUAL_SLOPE
    return [dict(first), *({**k, "base_s": k["base_s"] * base, "slope_s": k["slope_s"] * slope} for k in others)]


def _shaped_kernels(kernels: Sequence[Kernel], setting: Setting) -> list[Kernel]:
    """Kernels of the setting's shape; the first takes as long for one request as the network's own."""
    alone = kernels[0]["base_s"] + kernels[0]["slope_s"]
    first: Kernel = {AT: 1, "base_s": alone * setting.fixed_share, "slope_s": alone * (1 - setting.fixed_share)}
    found = [first]
    for kernel in kernels[1:]:
        at = kernel[AT]
        start = setting.second_start * (first["base_s"] + first["slope_s"] * at)
        # A kernel whose time grows faster than its start allows has no fixed time.
        slope = min(setting.second_slope * first["slope_s"], start / at)
        found.append({AT: at, "base_s": start - slope * at, "slope_s": slope})
    return found


def _profile(parameters: dict[str, Any], hardware: tuple[Hardware, ...], setting: Setting) -> tuple[Configuration, ...]:
    """All configurations of a module."""
    return tuple(
        Configuration(h.name, batch, streams, f"{duration(parameters, h.name, batch, streams):.{DURATION_DIGITS}f}")
        for h in hardware
        for batch in parameters["batches"]
        for streams in range(1, setting.streams + 1)
    )


@dataclass(frozen=True, slots=True)
class Generator:
    """The workloads of a setting.

    Attributes:
        own: the setting.
        sessions: templates, by application.
        seed: seed of the workloads.
    """

    own: Setting
    sessions: Mapping[str, Session]
    seed: int

    @classmethod
    def of(cls, setting: Setting, seed: int) -> Generator:
        """The generator of the workloads of a setting."""
        return cls(setting, templates(setting), seed)

    @property
    def template(self) -> Session:
        """Any of the templates; all have the same hardware."""
        return next(iter(self.sessions.values()))

    def draw(self, slot: int, attempt: int) -> DrawnWorkload:
        """A candidate for a place among the workloads; it depends on seed, place and attempt alone.

        Args:
            slot: place among the workloads, from 0.
            attempt: which candidate for it, from 0.
        """
        stream = random.Random(f"{self.seed}/{slot}/{attempt}")
        name = self._application((GOLDEN * (slot + 1)) % 1.0)
        template = self.sessions[name]
        arrays = session_arrays(template, FULL_SPACE)
        rates = _rates(self.own, arrays, stream)
        least = _least_latency(arrays, rates)
        over = log_uniform(stream, (self.own.slo, self.own.slo * self.own.slo_spread))
        step = self.own.slo_step_s
        # The objective stands as a decimal in files, so that it is rounded as one.
        slo = round(float(np.ceil(round(over * least / step, 9))) * step, 6)
        return DrawnWorkload(name, template, rates, slo, least)

    def _application(self, place: float) -> str:
        """The application at a place from 0 to 1, where each takes its weight."""
        names = list(self.sessions)
        weight = [self.own.three_weight if len(self.sessions[n].modules) > 2 else 1.0 for n in names]
        ends = np.cumsum(weight) / np.sum(weight)
        return names[min(int(np.searchsorted(ends, place, side="right")), len(names) - 1)]


def _rates(own: Setting, arrays: SessionArrays, stream: random.Random) -> Floats:
    """Request rate of each module: a drawn number of machines of its best configuration, independently."""
    best = arrays.first[:-1]
    count = best.size
    chosen = int(stream.random() * count)
    shortest = [arrays.duration[arrays.first[m] : arrays.first[m + 1]].min() for m in range(count)]
    heavy = {"longest": {int(np.argmax(shortest))}, "any": {chosen}, "all": set(range(count))}[own.heavy_which]
    low = own.heavy_machines
    ranges = {True: (low, low * own.heavy_spread)}
    low *= own.light_machines
    ranges[False] = (low, low * own.light_spread)
    machines = [log_uniform(stream, ranges[m in heavy]) for m in range(count)]
    # A second stream, so that it does not change the draws of the first.
    rounded = random.Random(stream.random())
    machines = [max(1, round(n)) if rounded.random() < own.whole_share else n for n in machines]
    rates = [n * t for n, t in zip(machines, arrays.throughput[best], strict=True)]
    if own.one_rate:
        # One heavy module, or the first one, decides the frame rate; the others' rates follow from their objects.
        led = 0 if own.heavy_which == "all" else next(iter(heavy))
        objects = [1.0 if m == 0 else log_uniform(stream, OBJECTS) for m in range(count)]
        rates = [rates[led] / objects[led] * each for each in objects]
    if own.rate_step:
        rates = [max(1, round(rate / own.rate_step)) * own.rate_step for rate in rates]
    return np.array([float(f"{rate:.6g}") for rate in rates])


def _least_latency(arrays: SessionArrays, rates: Floats) -> float:
    """Longest path in seconds where every module has its least d + b/T."""
    count = rates.size
    least = np.empty(count)
    for m in range(count):
        rows = slice(arrays.first[m], arrays.first[m + 1])
        least[m] = (arrays.duration[rows] + arrays.batch[rows] / rates[m]).min()
    return path_times(arrays, least, np.zeros(count), np.zeros(count))
