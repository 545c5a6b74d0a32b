"""Conversion between plans and the points of PPipe's models: choices, their values and their variables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from euclio.problems.pipeline import Objective, Partition, Pipeline, PipelinePlan
from formulations.pipeline.ppipe.problem import Option, PPipeProblem

Choice = Mapping[int, tuple[tuple[Option, int], ...]]
"""Per used pipeline (its index among the slots), the option and the virtual GPUs of each place."""


def plan_of(problem: PPipeProblem, choice: Choice) -> PipelinePlan:
    """The plan of a choice."""
    pipelines = []
    for i, places in choice.items():
        slot = problem.slots[i]
        partitions = tuple(
            Partition(gpu, o.share, n, o.first, o.end - 1, o.batch)
            for gpu, (o, n) in zip(slot.gpus, places, strict=True)
        )
        pipelines.append(Pipeline(problem.cluster.models[slot.model].name, partitions))
    return PipelinePlan(tuple(pipelines))


def choice_of(problem: PPipeProblem, plan: PipelinePlan) -> Choice | None:
    """The choice that makes a plan, without idle virtual GPUs; None if it is none of the model's."""
    numbers = {(problem.cluster.models[slot.model].name, slot.gpus): i for i, slot in enumerate(problem.slots)}
    choice: dict[int, tuple[tuple[Option, int], ...]] = {}
    for pipeline in plan.pipelines:
        i = numbers.get((pipeline.model, pipeline.sequence))
        if i is None or i in choice:
            return None
        places = []
        for part, options in zip(pipeline.partitions, problem.slots[i].places, strict=True):
            key = (part.share, part.batch, part.first_block, part.last_block + 1)
            option = next((o for o in options if (o.share, o.batch, o.first, o.end) == key), None)
            if option is None:
                return None
            places.append((option, min(part.gpus, option.most_gpus)))
        choice[i] = tuple(places)
    return choice


def late_pipelines(problem: PPipeProblem, choice: Choice) -> list[int]:
    """The pipelines of a choice that miss the SLO without its margin, exactly."""
    budgets = [model.budget_s for model in problem.cluster.models]
    return [
        i
        for i, places in choice.items()
        if sum((o.latency_s for o, _ in places), Fraction(0)) > budgets[problem.slots[i].model]
    ]


def throughputs(choice: Choice) -> dict[int, Fraction]:
    """Throughput of each pipeline of a choice in requests per second."""
    return {i: min(o.rate_rps * n for o, n in places) for i, places in choice.items()}


def value_of(problem: PPipeProblem, choice: Choice) -> Fraction:
    """The objective of a choice: the smallest weighted throughput, or money per hour."""
    rates = throughputs(choice)
    if problem.space.objective is Objective.THROUGHPUT:
        served = [Fraction(0)] * len(problem.models)
        for i, rate in rates.items():
            served[problem.slots[i].model] += rate
        return min(rate / problem.demand(m) for m, rate in enumerate(served))
    prices = {gpu.name: gpu.price_per_h or Fraction(0) for gpu in problem.cluster.gpus}
    whole = problem.space.whole_gpus
    used = gpus_used(problem, choice)
    return sum((prices[gpu] * (math.ceil(n) if whole else n) for (_, _, gpu), n in used.items()), Fraction(0))


def gpus_used(problem: PPipeProblem, choice: Choice) -> dict[tuple[int, int, str], Fraction]:
    """GPUs of a choice by model, place and GPU type, shares added up."""
    used: dict[tuple[int, int, str], Fraction] = {}
    for i, places in choice.items():
        slot = problem.slots[i]
        for d, (option, count) in enumerate(places):
            key = (slot.model, d, slot.gpus[d])
            used[key] = used.get(key, Fraction(0)) + Fraction(count, option.share)
    return used


def values_of(problem: PPipeProblem, choice: Choice, scale: Fraction = Fraction(1)) -> dict[str, float]:
    """The value of every variable of the MILP at a choice, by name; the objective is in units of `scale`."""
    rates, used = throughputs(choice), gpus_used(problem, choice)
    values: dict[str, float] = {}
    for i, slot in enumerate(problem.slots):
        values[f"y_{slot.name}"] = float(i in choice)
        values[f"x_{slot.name}"] = float(
            min(rates.get(i, Fraction(0)) / demand(problem, slot.model, scale), Fraction(1))
        )
        for d, options in enumerate(slot.places):
            chosen, count = choice[i][d] if i in choice else (None, 0)
            for o in options:
                values[f"p_{slot.name}_{o.name}"] = float(o is chosen)
                values[f"g_{slot.name}_{o.name}"] = float(count if o is chosen else 0)
    for pool in problem.pools():
        values[f"gpus_{pool_name(problem, pool)}"] = float(math.ceil(used.get(pool, 0)))
    if problem.space.objective is Objective.THROUGHPUT:
        values["z"] = float(value_of(problem, choice) / scale)
    return values


def demand(problem: PPipeProblem, model: int, scale: Fraction) -> Fraction:
    """The MILP's unit of a model's throughput in requests per second."""
    return problem.demand(model) * (scale if problem.space.objective is Objective.THROUGHPUT else 1)


def pool_name(problem: PPipeProblem, pool: tuple[int, int, str]) -> str:
    """Model, place and GPU type as in the names of variables."""
    model, place, gpu = pool
    return f"{problem.models[model]}_{place}_{problem.gpus[gpu]}"
