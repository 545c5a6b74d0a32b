"""The prior: the workload parameters that a paper prints, and the range of every parameter that it leaves free.

Harpagon and Piccolo are by the same group, over the same applications and machine types. Each has its own settings,
since they print different numbers of modules, and results on different workloads.

A setting is a point of the unit cube: one number per free parameter, which the parameter's range maps to a value. Under
the prior all of them are uniform and independent, so a search works on the cube and needs no densities.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Unit = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Range:
    """A number between two bounds, uniform or, with `log`, log-uniform."""

    low: float
    high: float
    log: bool = False

    def value(self, place: float) -> float:
        """The number at a place from 0 to 1."""
        if self.log:
            return float(self.low * (self.high / self.low) ** place)
        return self.low + (self.high - self.low) * place

    def place(self, value: float) -> float:
        """The place of a number, from 0 to 1."""
        if self.log:
            return float(np.log(value / self.low) / np.log(self.high / self.low))
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some equally likely values; their order is that of their places."""

    values: tuple[Any, ...]

    def value(self, place: float) -> Any:
        """The value at a place from 0 to 1."""
        return self.values[min(int(place * len(self.values)), len(self.values) - 1)]

    def place(self, value: Any) -> float:
        """The middle of a value's part of the range from 0 to 1."""
        return (self.values.index(value) + 0.5) / len(self.values)


def _free(prior: Range | Choice, why: str) -> Any:
    return field(metadata={"prior": prior, "why": why})


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A setting of the generator for one paper, and a reading of that paper.

    Factors multiply `data/profiles/modules.json`. A module's machines are those of its best configuration.

    Attributes:
        duration: factor of all durations.
        own_kernels: whether networks keep their kernels, whose parameters are multiplied; else all have one shape.
        shape_spread: spread of the networks in fixed share, second kernel and gain: standard deviation of the logarithm
            of each one's factor.
        shape_draw: seed of these factors.
        fixed_share: share of the first kernel's time for one request that does not grow with the batch; of one shape.
        second_kernel: whether the kernels for large batches exist; without them time is linear in the batch.
        second_start: time of the second kernel's smallest batch over the first kernel's time for it.
        second_slope: second kernel's time per further request over the first one's.
        gain: factor of the largest gain from concurrency.
        gain_fall: power of the batch by which the gain falls.
        gain_decay: each further stream adds this part of the gain of the one before.
        streams: largest concurrency.
        largest_batch: largest batch.
        speed_excess: factor of V100's excess speed over P100, for networks whose speeds are not printed.
        heavy_which: which module of a workload is the heavy one.
        heavy_machines: fewest machines of the heavy module.
        heavy_spread: most machines of the heavy module over its fewest.
        light_machines: fewest machines of every other module over the heavy module's fewest.
        light_spread: most machines of every other module over their fewest.
        whole_share: chance that a module's rate fills whole machines, of which it has at least one.
        rate_step: requests per second that rates are whole multiples of, at least one; 0 means no rounding.
        slo: smallest objective over the least latency of a workload.
        slo_spread: largest objective over the smallest, each relative to the least latency.
        slo_step_s: objectives are multiples of it, in seconds.
        three_weight: number of workloads of an application with more than two modules over that of one with two.
        round_robin: the way in which the machines of InferLine's and Clipper's only allocation share its rate.
        given: application whose most expensive module is the "given module" of the paper's figures.
        reassign_first: whether -1re gives its latency to the first module that gains, else to the one that gains most.
        own_scrooge: whether Harpagon's baseline Scrooge is read by its own paper; else by the words of Table III.
        two_dummies: whether Harp-2c adds dummy requests.
        few_filled: whether Picc-1bpc and Picc-2bpc add dummy requests.
        one_rate: whether a workload has one frame rate, times objects per frame; else each module's rate is drawn.
        acceptance: "all" accepts a workload if all systems have a plan; "own" if the paper's own system has one.
        one_dummies: whether Harp-1c adds dummy requests.
    """

    duration: float = _free(Range(0.2, 4.0, log=True), "profiles are not printed; q0.1 = 30.6 % asks for 0.3 to 1 s")
    own_kernels: bool = _free(
        Choice((True, False)), "a fit to own kernels left other numbers open than a fit to one shape"
    )
    shape_spread: float = _free(Range(0.0, 0.8), "measured networks differ so in their fixed share and their gain")
    shape_draw: int = _free(Choice((0, 1, 2, 3, 4, 5)), "which network is unlike which is not printed")
    fixed_share: float = _free(Range(0.1, 0.8), "0.3 in most of our profiles; linear networks lie on both sides")
    second_kernel: bool = _free(Choice((False, True)), "Scrooge §3.2 has a second kernel for SSD alone")
    second_start: float = _free(Range(0.5, 1.1), "0.79 in most of our profiles, 1.17 for SSD; not printed")
    second_slope: float = _free(Range(0.05, 1.0, log=True), "0.26 in most of our profiles, 1.2 for SSD; not printed")
    gain: float = _free(Range(0.25, 6.0, log=True), "2d >> dt needs more than the gain of 0.4 of our profiles")
    gain_fall: float = _free(Range(0.0, 0.4), "large batches fill a GPU and leave less to gain (Scrooge §3.2)")
    gain_decay: float = _free(Range(0.1, 0.9), "Scrooge's Figure 5 saturates within 4 streams; how fast is not printed")
    streams: int = _free(Choice((1, 2, 3, 4)), "Scrooge profiles up to 4; Harpagon has no column")
    largest_batch: int = _free(Choice((8, 16, 32, 64)), "Scrooge's Figure 5 has 8 batch sizes, which it does not name")
    speed_excess: float = _free(
        Range(0.7, 1.4, log=True),
        "Scrooge's Table 2 has SSD and YOLO alone; others are 1.2 to 1.7 times as fast",
    )
    heavy_which: str = _free(Choice(("longest", "any", "all")), "which modules are busy is not printed; all: balanced")
    heavy_machines: float = _free(
        Range(0.3, 25.0, log=True),
        "Harpagon's event sizes ask for 5 machines, its 2d and dt for 10 and more; Piccolo's Figure 8 asks for 1.4",
    )
    heavy_spread: float = _free(Range(1.0, 6.0, log=True), "rates come from videos of several sizes")
    light_machines: float = _free(Range(0.01, 1.0, log=True), "from next to nothing to balanced")
    light_spread: float = _free(Range(1.0, 15.0, log=True), "requests per request vary by object counts (Scrooge §2)")
    whole_share: float = _free(Range(0.0, 1.0), "dummies on 15.8 % of the workloads ask for little that is left over")
    rate_step: float = _free(Choice((0.0, 1.0, 10.0)), "the papers' examples have rates of whole requests, and of tens")
    slo: float = _free(Range(1.6, 8.0, log=True), "elasticity of cost to duration asks for 2.5 to 3.5 in Harpagon")
    slo_spread: float = _free(Range(1.0, 3.0, log=True), "one objective, or a range of them")
    slo_step_s: float = _free(Choice((0.001, 0.01, 0.1)), "Scrooge's objectives are multiples of 0.1 s, ours of 1 ms")
    given: str = _free(
        Choice(("traffic", "face", "pose", "caption", "actdet")),
        "Harpagon's Figures 8(b) and 9 and Piccolo's Figure 6 name no module, nor that it is the same one",
    )
    one_rate: bool = _free(Choice((False, True)), "whether modules share one frame rate is not printed")
    three_weight: float = 1.0
    round_robin: str = "even"
    reassign_first: bool = True
    own_scrooge: bool = True
    two_dummies: bool = False
    few_filled: bool = False
    one_dummies: bool = False
    acceptance: str = "own"


PAPERS = ("harpagon", "piccolo")
"""The papers that have settings."""
_FREE: dict[str, Any] = {f.name: f.metadata for f in fields(Setting) if f.metadata}
NAMES = tuple(_FREE)
"""The free parameters."""
REASONS: dict[str, str] = {name: entry["why"] for name, entry in _FREE.items()}
_OF_BOTH: dict[str, Range | Choice] = {name: entry["prior"] for name, entry in _FREE.items()}
PRIORS: Mapping[str, Mapping[str, Range | Choice]] = {
    "harpagon": _OF_BOTH,
    # Its quantized splitter and its dispatch cost as printed if modules have several machines (§IV-C).
    "piccolo": {**_OF_BOTH, "heavy_machines": Range(4.0, 25.0, log=True)},
}
"""Range of every free parameter, by paper."""

SPEEDS_PRINTED = ("ssd_inception", "yolo_face")
"""Networks whose speed on V100 over P100 Scrooge's Table 2 has, 1.11 and 1.21, as our profiles do."""
WORKLOADS: Mapping[str, Mapping[int, int]] = {"harpagon": {2: 195, 3: 936}, "piccolo": {2: 195, 3: 468}}
"""Workloads with two and with three modules, by paper: 195 + 936 = 1131 and 195 + 468 = 663; 1131 - 663 = 468, and all
of them are multiples of 39. Piccolo §IV-C prints 94.36 % of those with two, which is 184/195 and no k/663."""
TWO, THREE = 3, 2
"""Applications with two modules, and with three: a brute force that takes 35.9 s (Harpagon §IV-B) rules out five."""

READING_VALUES: Mapping[str, tuple[bool, bool] | tuple[str, str]] = {
    "round_robin": ("even", "literal"),
    "reassign_first": (True, False),
    "own_scrooge": (True, False),
    "two_dummies": (False, True),
    "few_filled": (False, True),
    "one_dummies": (False, True),
    "acceptance": ("own", "all"),
}
"""The allowed values of every reading."""
READINGS: Mapping[str, Mapping[str, Any]] = {"harpagon": {}, "piccolo": {"reassign_first": False}}
"""Readings of the solvers' own rows, by paper, where they differ from those of `Setting`."""


def other_paper(paper: str) -> str:
    """The other paper with settings."""
    (other,) = (name for name in PAPERS if name != paper)
    return other


def setting_of(paper: str, values: Mapping[str, Any], **readings: Any) -> Setting:
    """The setting of a paper with these values of the free parameters.

    Args:
        paper: the paper.
        values: values by parameter; all but the free ones are ignored.
        readings: readings that are not those of the solvers' own rows.

    Raises:
        KeyError: a parameter has no value.
        TypeError: there is no such reading.
    """
    free = {name: values[name] for name in NAMES}
    weight = (WORKLOADS[paper][3] / THREE) / (WORKLOADS[paper][2] / TWO)
    return Setting(**free, three_weight=weight, **{**READINGS[paper], **readings})


def flat(setting: Setting) -> dict[str, Any]:
    """The values of a setting by free parameter."""
    return {name: getattr(setting, name) for name in NAMES}


def from_unit(paper: str, places: Unit, **readings: Any) -> Setting:
    """The setting at a point of the unit cube, shape (parameters,), with some readings."""
    values = {name: own.value(float(u)) for (name, own), u in zip(PRIORS[paper].items(), places, strict=True)}
    return setting_of(paper, values, **readings)


def draw(paper: str, seed: int) -> Setting:
    """Draw a setting of a paper from the prior."""
    return from_unit(paper, np.random.default_rng(seed).random(len(NAMES)))
