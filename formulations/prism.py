"""PRISM: place models on GPUs so that the GPU under the most pressure has the least (docs/findings/prism.md).

The problem of a public benchmark for programs that search heuristics: 2·G models go to G GPUs of 80 GB. The *pressure*
of a GPU is Σ rate/slo of its models divided by its free memory, 80 − Σ size, and the largest one is to be as small as
it can be. This file has the instances, the price of a placement, the public greedy rule, and an exact method with a
certificate per instance. `euclio/proving/prism.py` checks certificates, and shares no code with this file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import TypedDict

import numpy as np

from euclio.core.errors import InputError
from formulations.engines.highs_arrays import Covering

CASES, SEED = 50, 42
"""Instances of the public benchmark, and the seed that draws them."""
SCALES = (10, 100, 1000, 10_000, 100_000)
"""Scales at which prices are rounded to whole numbers: the first one that proves is kept, so certificates are short."""

Placement = tuple[int, ...]
"""The GPU of each model, counted from 0, in the order of the models."""


class ModelData(TypedDict):
    """A model as plain data, in the fields of `PlacedModel`."""

    size_gb: int
    rate: int
    slo: int


class CaseData(TypedDict):
    """An instance as plain data, in the fields of `Case`."""

    case: int
    gpus: int
    gpu_memory_gb: int
    models: list[ModelData]


@dataclass(frozen=True, slots=True)
class PlacedModel:
    """A model to place, in the whole numbers of the benchmark.

    Attributes:
        size_gb: memory of its weights (GB), at least 0.
        rate: its requests, at least 0; the benchmark states no unit.
        slo: its latency objective, at least 1; the benchmark states no unit.
    """

    size_gb: int
    rate: int
    slo: int

    def __post_init__(self) -> None:
        if self.size_gb < 0 or self.rate < 0 or self.slo < 1:
            raise InputError("a model needs a size and a rate of at least 0 and an objective of at least 1")

    @property
    def load(self) -> Fraction:
        """Rate over objective."""
        return Fraction(self.rate, self.slo)


@dataclass(frozen=True, slots=True)
class Case:
    """An instance.

    Attributes:
        number: its place in the benchmark, from 0.
        gpus: number of GPUs, at least 1.
        memory_gb: memory of each GPU (GB), at least 1.
        models: the models, at least one.
    """

    number: int
    gpus: int
    memory_gb: int
    models: tuple[PlacedModel, ...]

    def __post_init__(self) -> None:
        if self.gpus < 1 or self.memory_gb < 1 or not self.models:
            raise InputError("an instance needs a GPU, memory and a model")

    def as_data(self) -> CaseData:
        """The instance as plain data, in the fields of the benchmark's file."""
        models = [ModelData(size_gb=own.size_gb, rate=own.rate, slo=own.slo) for own in self.models]
        return CaseData(case=self.number, gpus=self.gpus, gpu_memory_gb=self.memory_gb, models=models)


@dataclass(frozen=True, slots=True)
class Certificate:
    """An optimum and its proof.

    Every set of models with a pressure below `pressure` has prices that sum to at most some K, and the prices of all
    models sum to more than K times the number of GPUs. So no placement has every GPU below `pressure`.

    Attributes:
        placement: a placement of least pressure.
        pressure: its largest pressure.
        prices: a whole number per model. None if no prices prove the optimum, which rests on the search alone then.
    """

    placement: Placement
    pressure: Fraction
    prices: tuple[int, ...] | None

    def as_data(self) -> Mapping[str, object]:
        """The certificate as plain data: the pressure as a fraction in text, ``"13/120"``."""
        prices = None if self.prices is None else [*self.prices]
        return {"placement": [*self.placement], "pressure": str(self.pressure), "prices": prices}


def draw_cases(count: int = CASES, seed: int = SEED) -> tuple[Case, ...]:
    """Draw instances as the public benchmark does; the defaults draw its own.

    Each has 5 to 9 GPUs of 80 GB and twice as many models, of 10 to 29 GB, rate 1 to 9 and objective 5 to 9.

    Args:
        count: number of instances; more instances begin with the same ones.
        seed: seed of numpy's older generator, which the benchmark uses.
    """
    stream = np.random.RandomState(seed)
    cases = []
    for number in range(count):
        gpus = int(stream.randint(5, 10))
        models = []
        for _ in range(2 * gpus):
            # The order of the draws is part of the instances.
            size, rate, slo = (int(stream.randint(low, high)) for low, high in ((10, 30), (1, 10), (5, 10)))
            models.append(PlacedModel(size, rate, slo))
        cases.append(Case(number, gpus, 80, tuple(models)))
    return tuple(cases)


def price(case: Case, placement: object) -> Fraction:
    """The largest pressure of a placement, exactly.

    Args:
        case: the instance.
        placement: the GPU of each model, counted from 0; plain data from anywhere.

    Raises:
        InputError: the placement breaks a rule, which the message names.
    """
    if not isinstance(placement, list | tuple):
        raise InputError("a placement is a list with the GPU of each model", field="placement")
    if len(placement) != len(case.models):
        text = f"has {len(placement)} entries for {len(case.models)} models; give the GPU of each model, once"
        raise InputError(text, field="placement")
    load, free = [Fraction(0)] * case.gpus, [case.memory_gb] * case.gpus
    for place, (gpu, model) in enumerate(zip(placement, case.models, strict=True)):
        # A bool is an int in Python, and no GPU; neither is a class of somebody's that inherits from int.
        if type(gpu) is not int or not 0 <= gpu < case.gpus:
            text = f"is no GPU; give a whole number from 0 to {case.gpus - 1}"
            raise InputError(text, field=f"placement[{place}]")
        load[gpu] += model.load
        free[gpu] -= model.size_gb
    for gpu, left in enumerate(free):
        if left <= 0:
            text = f"GPU {gpu} holds {case.memory_gb - left} of {case.memory_gb} GB; leave memory free on every GPU"
            raise InputError(text, field="placement")
    return max(own / left for own, left in zip(load, free, strict=True))


def public_score(pressures: Sequence[Fraction]) -> Fraction:
    """The score of the public benchmark if every instance has a placement: 1 plus the inverse of the mean pressure.

    Args:
        pressures: the largest pressure of each instance, at least one of them above 0.
    """
    return 1 + len(pressures) / Fraction(sum(pressures))


def greedy(case: Case) -> Placement | None:
    """The public greedy rule, as we read its description.

    Models go by falling rate/slo, in the instance's order at ties, each to the GPU that has the least pressure before
    it, among those with room; the first one at ties.

    Returns:
        The placement; None if some model finds no room.
    """
    load, free = [Fraction(0)] * case.gpus, [case.memory_gb] * case.gpus
    placement = [0] * len(case.models)
    for place in sorted(range(len(case.models)), key=lambda place: -case.models[place].load):
        model = case.models[place]
        # The rule demands room for the weights, and for nothing else, so it may fill a GPU to the brim.
        room = [gpu for gpu in range(case.gpus) if free[gpu] > 0 and model.size_gb <= free[gpu]]
        if not room:
            return None
        gpu = min(room, key=lambda gpu: load[gpu] / free[gpu])
        load[gpu] += model.load
        free[gpu] -= model.size_gb
        placement[place] = gpu
    return tuple(placement)


def exact(case: Case) -> Certificate | None:
    """A placement of least pressure and its proof; None if no placement leaves memory free on every GPU.

    Σ load < t·(memory − Σ size) holds on a GPU exactly if Σ (load + t·size) < t·memory. So the question for a placement
    below t is bin packing, in whole numbers after scaling. The method starts without a limit, asks for a placement
    below the last one, and ends when there is none (ours). It takes milliseconds for tens of models, and may take
    exponential time for more.
    """
    best: Placement | None = None
    pressure: Fraction | None = None
    while pressure != 0:
        found = pack(*_weights(case, pressure), case.gpus)
        if found is None:
            break
        # The packing only proposes: the price decides, and falls at every turn, so the loop ends.
        best, pressure = found, price(case, found)
    if best is None or pressure is None:
        return None
    return Certificate(best, pressure, _prices(case, pressure))


def _weights(case: Case, below: Fraction | None) -> tuple[list[int], int]:
    """Whole weights of the models, and the most weight of a GPU, for pressures below a value; None means no limit."""
    memory = Fraction(case.memory_gb)
    weights = [Fraction(model.size_gb) for model in case.models]
    if below is not None:
        memory *= below
        weights = [model.load + below * model.size_gb for model in case.models]
    scale = math.lcm(memory.denominator, *(weight.denominator for weight in weights))
    # "Below" is strict, and all weights are whole: one unit less than the memory is allowed.
    return [int(weight * scale) for weight in weights], int(memory * scale) - 1


def pack(weights: Sequence[int], most: int, bins: int) -> Placement | None:
    """Put whole weights into bins that each hold at most so much; None if they do not fit (bin completion, ours).

    Args:
        weights: the weights, at least 0.
        most: the most weight of a bin.
        bins: number of bins.

    Returns:
        The bin of each weight, from 0.
    """
    dead: set[tuple[int, tuple[int, ...]]] = set()
    placement = [0] * len(weights)

    def complete(rest: tuple[int, ...], left: int) -> bool:
        """Whether the rest, heaviest first, fits into the bins that are left; the placement then holds it."""
        if not rest:
            return True
        slack = left * most - sum(weights[place] for place in rest)
        # More weight than room in all bins together. Without a bin left this holds too, but for weights of 0.
        if left == 0 or slack < 0 or (left, rest) in dead:
            return False
        # Some bin has the heaviest weight, and bins are alike: it is this one.
        heaviest, others = rest[0], rest[1:]
        for group in _groups(weights, others, most - weights[heaviest], slack):
            taken = {heaviest, *group}
            if complete(tuple(place for place in others if place not in taken), left - 1):
                for place in taken:
                    placement[place] = left - 1
                return True
        # Other fillings of earlier bins may leave the same rest.
        dead.add((left, rest))
        return False

    order = tuple(sorted(range(len(weights)), key=lambda place: -weights[place]))
    return tuple(placement) if complete(order, bins) else None


def _groups(weights: Sequence[int], places: Sequence[int], room: int, slack: int) -> Iterator[tuple[int, ...]]:
    """Fillings of a bin that leave no place out that would fit, and at most `slack` of the room empty.

    A weight that fits can move from a later bin into this one, so no other fillings are needed.

    Args:
        weights: all weights.
        places: those that may go in, heaviest first.
        room: the weight that fits in; below 0 if the bin is too full already.
        slack: the most room that all bins together may leave empty.
    """
    after = [*accumulate((weights[place] for place in reversed(places)), initial=0)][::-1]

    def visit(at: int, room: int, chosen: tuple[int, ...], lightest_left_out: float) -> Iterator[tuple[int, ...]]:
        # Even all that may still go in would leave too much room empty.
        if room < 0 or room - after[at] > slack:
            return
        if at == len(places):
            if lightest_left_out > room:
                yield chosen
            return
        weight = weights[places[at]]
        if weight <= room:
            yield from visit(at + 1, room - weight, (*chosen, places[at]), lightest_left_out)
        # Equal weights are alike: after one of them is left out, the others are too.
        later = at + 1
        while later < len(places) and weights[places[later]] == weight:
            later += 1
        # Weights fall, so the last one that is left out is the lightest.
        yield from visit(later, room, chosen, weight)

    return visit(0, room, (), math.inf)


def _prices(case: Case, pressure: Fraction) -> tuple[int, ...] | None:
    """Prices that prove that no placement has a pressure below a value (`Certificate`); None if none are found.

    A linear program covers every model by known sets, at 1 a set; its row prices are the dearest at which no known set
    costs more than 1. The dearest set at these prices becomes a known one, until none costs more than 1: the bound by
    columns of Gilmore and Gomory (1961). Floating point proposes, whole numbers prove.
    """
    if pressure == 0:
        return (0,) * len(case.models)
    weights, most = _weights(case, pressure)
    if max(weights) > most:
        # A model that reaches the pressure alone goes nowhere, which prices of 1 for it and 0 for all others prove.
        return tuple(int(weight > most) for weight in weights)
    number, known = len(weights), set[tuple[int, ...]]()
    program = Covering(np.ones(number))
    new: Iterable[tuple[int, ...]] = ((place,) for place in range(number))
    while True:
        for group in new:
            known.add(group)
            program.add(1.0, group, [1.0] * len(group))
        found = program.prices()
        prices = _rounded(found, SCALES[-1])
        cost, group = _dearest(prices, weights, most)
        if sum(prices) > case.gpus * cost:
            break
        # No set is new, so the linear program has no dearer prices, and they prove nothing.
        if group in known:
            return None
        new = (group,)
    for scale in SCALES:
        short = _rounded(found, scale)
        if sum(short) > case.gpus * _dearest(short, weights, most)[0]:
            return short
    return prices


def _rounded(prices: Iterable[float], scale: int) -> tuple[int, ...]:
    """Prices as whole numbers; any are valid, so rounding need not be safe."""
    return tuple(max(0, round(float(own) * scale)) for own in prices)


def _dearest(prices: Sequence[int], weights: Sequence[int], most: int) -> tuple[int, tuple[int, ...]]:
    """The dearest set of models within a weight, and its price: depth first, best price for its weight first."""
    order = sorted((i for i, own in enumerate(prices) if own), key=lambda i: Fraction(weights[i], prices[i]))
    best = 0
    best_set: tuple[int, ...] = ()

    def visit(at: int, room: int, cost: int, chosen: tuple[int, ...]) -> None:
        nonlocal best, best_set
        if cost > best:
            best, best_set = cost, chosen
        bound, left = cost, room
        for place in order[at:]:
            if weights[place] > left:
                # A part of the first model that does not fit bounds all sets from here on.
                bound += prices[place] * left // weights[place]
                break
            bound, left = bound + prices[place], left - weights[place]
        if bound <= best:
            return
        place = order[at]
        if weights[place] <= room:
            visit(at + 1, room - weights[place], cost + prices[place], (*chosen, place))
        visit(at + 1, room, cost, chosen)

    visit(0, most, 0, ())
    return best, tuple(sorted(best_set))
