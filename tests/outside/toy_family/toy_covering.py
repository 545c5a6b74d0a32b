"""A third problem family from outside: the cheapest machines whose rates together cover a load."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil

from euclio.core.objective import LEAST_COST
from euclio.core.registry import Solver
from euclio.core.result import Answer
from euclio.files.plain_family import PlainChecked, plain_family


@dataclass(frozen=True)
class Machine:
    """A machine with its rate and price."""

    name: str
    rate_rps: Fraction
    price_per_h: Fraction


@dataclass(frozen=True)
class Covering:
    """A load, and the machines to cover it with."""

    name: str
    load_rps: Fraction
    machines: tuple[Machine, ...]


@dataclass(frozen=True)
class Counts:
    """How many of each machine."""

    counts: tuple[int, ...]


def evaluate(covering, plan, space):
    rate = sum(n * machine.rate_rps for n, machine in zip(plan.counts, covering.machines, strict=True))
    cost = sum(n * machine.price_per_h for n, machine in zip(plan.counts, covering.machines, strict=True))
    short = () if rate >= covering.load_rps else (f"rate {rate} is below the load of {covering.load_rps}",)
    return PlainChecked(short, Fraction(cost))


def small(seed):
    machines = tuple(Machine(f"m{k}", Fraction(3 + 5 * k), Fraction(1 + (k * (seed + 2)) % 4)) for k in range(3))
    return Covering(f"covering-{seed}", Fraction(10 + 7 * seed, 3), machines)


def enumerate_counts(covering, space, limits):
    most = [range(ceil(covering.load_rps / machine.rate_rps) + 1) for machine in covering.machines]
    plans = [Counts(counts) for counts in product(*most)]
    costs = [
        (evaluate(covering, plan, space).value, plan)
        for plan in plans
        if not evaluate(covering, plan, space).violations
    ]
    value, plan = min(costs, key=lambda pair: (pair[0], pair[1].counts))
    return Answer(plan, "optimal", claimed=float(value), bound=float(value))


def greedy(covering, space, limits):
    best = min(
        range(len(covering.machines)), key=lambda k: covering.machines[k].price_per_h / covering.machines[k].rate_rps
    )
    count = ceil(covering.load_rps / covering.machines[best].rate_rps)
    return Answer(Counts(tuple(count if k == best else 0 for k in range(len(covering.machines)))), "greedy")


FAMILY = plain_family("covering", Covering, Counts, LEAST_COST, evaluate, small, "covering-enumeration")
SOLVERS = (
    Solver("covering-enumeration", "exact", "all counts", enumerate_counts, family="covering"),
    Solver("covering-greedy", "heuristic", "the machine with the cheapest rate", greedy, family="covering"),
)
