"""The prior: every free parameter of the generator of a paper's workloads, with its range and the reason for it.

Harpagon and Piccolo are by the same group, over the same applications and machine types. Settings that fit both papers
predict Piccolo's numbers worse than random ones, so that each paper has settings of its own, of one prior.

A setting is a point of the unit cube: one number per parameter, which the parameter's range maps to a value. Under the
prior all of them are uniform and independent, so that a sampler works on the cube and never asks for densities.
"""

from __future__ import annotations

import random
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
    """One of some values, each as likely as the others; their order is that of their places."""

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

    `data/profiles/modules.json` has what is multiplied. A module's machines are those of its best configuration.

    Attributes:
        duration: factor of all durations.
        own_kernels: whether networks keep their kernels, whose parameters are multiplied; else all have one shape.
        shape_spread: how far networks differ from each other in fixed share, second kernel and gain: standard deviation
            of the logarithm of what each is multiplied by.
        shape_draw: which random numbers say how they differ.
        fixed_share: share of the first kernel's time for one request that does not grow with the batch; of one shape.
        second_kernel: whether the kernels for large batches exist; without them time is linear in the batch.
        second_start: time of the second kernel's smallest batch over the first kernel's time for it.
        second_slope: second kernel's time per further request over the first one's.
        gain: factor of what concurrency gains at most.
        gain_fall: by which power of the batch the gain falls.
        gain_decay: how slowly the gain saturates; each further stream adds this part of what the one before added.
        streams: largest concurrency.
        largest_batch: largest batch.
        speed_excess: factor of what V100 is faster than P100.
        price_ratio: price of V100 over that of P100.
        actdet_modules: GPU modules of the application `actdet`.
        heavy_which: which module of a workload is the heavy one.
        heavy_machines: fewest machines of the heavy module.
        heavy_spread: most machines of the heavy module over its fewest.
        light_machines: fewest machines of every other module over the heavy module's fewest.
        light_spread: most machines of every other module over their fewest.
        whole_share: chance that a module's rate fills whole machines, of which it has at least one.
        rate_step: requests per second that rates are whole multiples of, at least one; 0: rates are what they are.
        slo: smallest objective over the least latency of a workload.
        slo_spread: largest objective over the smallest, each over the least latency.
        slo_step_s: objectives are multiples of it, in seconds.
        three_weight: chance of an application with more than two modules over one with two.
        in_turn: whether accepted workloads go round the applications; else draws do, and acceptance selects.
        round_robin: how the machines of InferLine's and Clipper's only allocation share its rate.
        given: application whose most expensive module is the "given module" of the paper's figures.
        reassign_first: whether -1re gives its latency to the first module that gains, else to the one that gains most.
        own_scrooge: whether Harpagon's baseline Scrooge is read by its own paper; else by the words of Table III.
        two_dummies: whether Harp-2c adds dummy requests.
        two_filled: whether Picc-2bpc adds dummy requests.
        printed: whether it keeps to all that the papers print (`euclio.posterior.printed`), so that no filter of
            candidates leaves it out.
        one_rate: whether a workload has one frame rate, times objects per frame; else each module's rate is drawn.
        acceptance: "all": a workload counts that all systems have a plan for; "own": that the paper's own system has.
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
    streams: int = _free(Choice((2, 3, 4)), "Scrooge profiles up to 4 streams")
    largest_batch: int = _free(Choice((8, 16, 32, 64)), "Scrooge's Figure 5 has 8 batch sizes, which it does not name")
    speed_excess: float = _free(
        Range(0.4, 3.0, log=True), "V100 is 1.1 to 1.7 times P100 in our profiles, up to 3 by clock"
    )
    price_ratio: float = _free(Range(1.2, 2.0, log=True), "3.06/2.07 = 1.48 in Scrooge's Table 2; Harpagon prints none")
    actdet_modules: int = _free(Choice((3, 5)), "35.9 s of brute force rule out five; the figure says no number")
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
    three_weight: float = _free(Range(0.3, 4.0, log=True), "Piccolo's tb asks for three quarters with 3 modules")
    in_turn: bool = _free(Choice((True, False)), "whether workloads count each application alike is not printed")
    round_robin: str = _free(
        Choice(("even", "literal")), "Table III's 2d under one allocation (docs/model/policies.md)"
    )
    given: str = _free(
        Choice(("traffic", "face", "pose", "caption", "actdet")),
        "Harpagon's Figures 8(b) and 9 and Piccolo's Figure 6 name no module, nor that it is the same one",
    )
    reassign_first: bool = _free(
        Choice((True, False)), "'greedily' says neither; 1re/0re is 0.6 in Harpagon and 0.17 in Piccolo"
    )
    own_scrooge: bool = _free(Choice((True, False)), "Table III says throughput, Scrooge's own MILP splits by cost")
    two_dummies: bool = _free(Choice((False, True)), "with dummies Harp-2c cannot cost what is printed")
    two_filled: bool = _free(Choice((True, False)), "Piccolo names no dummies of Picc-2bpc; one cell is said to change")
    printed: bool = False
    one_rate: bool = False
    acceptance: str = "all"
    one_dummies: bool = False


PAPERS = ("harpagon", "piccolo")
"""The papers that have settings."""
_ALL: dict[str, Any] = {f.name: f.metadata for f in fields(Setting) if f.metadata}
NAMES = tuple(_ALL)
"""Parameters that the stored draws vary."""
PRIORS: dict[str, Range | Choice] = {name: entry["prior"] for name, entry in _ALL.items()}
REASONS: dict[str, str] = {name: entry["why"] for name, entry in _ALL.items()}
DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "harpagon": {"round_robin": "even", "reassign_first": True, "own_scrooge": True, "two_dummies": False},
    "piccolo": {"round_robin": "even", "reassign_first": False, "two_filled": True},
}
"""Parameters that choose between two readings of a paper's systems, with the reading of the solvers' own rows."""
READINGS = tuple(dict.fromkeys(["given", *(name for own in DEFAULTS.values() for name in own)]))
"""Parameters that are readings of the papers rather than properties of their workloads."""


def concerns(paper: str) -> tuple[str, ...]:
    """The parameters that change something in a paper's numbers: all but readings of the other paper's systems."""
    return tuple(name for name in NAMES if name not in READINGS or name == "given" or name in DEFAULTS[paper])


def flat(setting: Setting) -> dict[str, Any]:
    """The values of a setting by parameter."""
    return {name: getattr(setting, name) for name in NAMES}


def of_values(values: Mapping[str, Any]) -> Setting:
    """The setting of values by parameter.

    Raises:
        KeyError: a parameter has no value.
    """
    return Setting(**{name: values[name] for name in NAMES})


def from_unit(places: Unit) -> Setting:
    """The setting at a point of the unit cube, shape (parameters,)."""
    return of_values({name: PRIORS[name].value(float(u)) for name, u in zip(NAMES, places, strict=True)})


def to_unit(setting: Setting) -> Unit:
    """The point of a setting, shape (parameters,); a choice is in the middle of its part."""
    values = flat(setting)
    return np.array([PRIORS[name].place(values[name]) for name in NAMES])


def draw_unit(seed: int | str, number: int) -> Unit:
    """Draw a point of the prior; it depends on seed and number alone, and a parameter's place on its name."""
    return np.array([random.Random(f"{seed}/{number}/{name}").random() for name in NAMES])


def draw(seed: int, number: int) -> Setting:
    """Draw a setting from the prior.

    Args:
        seed: seed of the draws.
        number: number of the draw, in any order.
    """
    return from_unit(draw_unit(seed, number))
