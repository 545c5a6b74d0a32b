"""The rules that people use for a load over time; each knows the load of a step before it begins (ours).

They plan with the cheapest plans of whole machines, so the loss against the optimum comes from the rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, NamedTuple

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.day import Day, DayPlan, Serving, Staffing
from euclio.problems.day.evaluate import WHOLE, session_plan
from euclio.problems.day.instance import at_rates
from euclio.problems.day.sharing import DaySpace
from euclio.problems.session import Configuration, evaluate
from formulations.day.answers import Made, RuleError, answer, day_plan, nothing_serves
from formulations.day.cheapest import Cheapest, cheapest_plans, supported
from formulations.day.packed import Rule as PackedRule
from formulations.day.packed import cheapest_all_day, cheapest_each, packed_answer

Staffings = tuple[Staffing, ...]
Rule = Callable[[Day, Cheapest], Iterator[Staffings]]


class Band(NamedTuple):
    """Conditions under which `day-thresholds` plans anew.

    Attributes:
        least: utilisation below which a module has too many machines.
        target: utilisation of a new plan.
        most: utilisation above which a module has too few machines.
    """

    least: Fraction
    target: Fraction
    most: Fraction


BAND = Band(Fraction(6, 10), Fraction(8, 10), Fraction(95, 100))
"""A band between default targets of autoscalers (50 to 80 %) and the utilisation at which queues begin to grow."""


def peak(day: Day, cheapest: Cheapest) -> Iterator[Staffings]:
    """The plan for the largest rate of each module, all day; dummies fill the spare capacity."""
    return iter([_peak_plan(day, cheapest)] * len(day.steps))


def per_step(day: Day, cheapest: Cheapest) -> Iterator[Staffings]:
    """The cheapest plan of each step, without regard to the cost of changes."""
    for k, step in enumerate(day.steps):
        found = cheapest(step.rates_rps)
        if found is None:
            raise nothing_serves(day, k)
        yield found.staffings


def thresholds(day: Day, cheapest: Cheapest, band: Band = BAND) -> Iterator[Staffings]:
    """A plan for some utilisation, kept until a module's utilisation leaves a band.

    If the stock or the supported numbers do not allow that utilisation, it plans for the load itself.
    """
    kept: Staffings | None = None
    for k, step in enumerate(day.steps):
        if kept is None or not all(band.least <= own <= band.most for own in _utilisation(day, kept, step.rates_rps)):
            ample = tuple(rate / band.target for rate in step.rates_rps)
            found = (cheapest(ample) if supported(day, ample) else None) or cheapest(step.rates_rps)
            if found is None:
                raise nothing_serves(day, k)
            kept = found.staffings
        yield kept


def per_machine(day: Day, cheapest: Cheapest) -> Iterator[Staffings]:
    """One configuration per module, with the machines for the rate, or for its share of the SLO.

    Modules without requests in a step have none; every module has requests in some step.
    """
    staffings = _peak_plan(day, cheapest)
    session = at_rates(day.session, day.largest_rates_rps)
    assert session is not None
    checked = evaluate(session, session_plan(session, staffings), WHOLE)
    if checked.latency_s is None:
        raise RuleError("the plan of the largest rates cannot be priced")
    # The rest of the SLO is divided in ratio to the plan's latencies.
    stretch = session.slo_s / checked.latency_s
    chosen = [_main_configuration(day, m, own) for m, own in enumerate(staffings)]
    needed = [
        c.batch / (found.worst_case_latency_s * stretch - c.duration_s)
        for c, found in zip(chosen, checked.modules, strict=True)
    ]
    for k, step in enumerate(day.steps):
        rates = zip(step.rates_rps, needed, chosen, strict=True)
        found = tuple(
            _alone(c, ceil(max(rate, least) / c.throughput_rps)) if rate else Staffing(()) for rate, least, c in rates
        )
        _refuse_beyond_stock(day, k, found)
        yield found


def _refuse_beyond_stock(day: Day, k: int, staffings: Staffings) -> None:
    used: Counter[str] = Counter()
    for one in (own for staffing in staffings for own in staffing.serving):
        used[one.hardware] += one.machines
    for name, count in day.session.stock.items():
        if used[name] > count:
            raise RuleError(f"step {k + 1} needs {used[name]} machines of {name}, more than the {count} in stock")


def _peak_plan(day: Day, cheapest: Cheapest) -> Staffings:
    found = cheapest(day.largest_rates_rps)
    if found is None:
        # Within a stock, or for modules without simultaneous requests, that proves nothing, unless a step alone has no
        # plan either.
        for k, step in enumerate(day.steps):
            if cheapest(step.rates_rps) is None:
                raise nothing_serves(day, k)
        rates = ", ".join(f"{float(rate):g}" for rate in day.largest_rates_rps[:6])
        raise RuleError(f"the largest rates together, {rates} req/s, have no plan within the SLO and the stock")
    return found.staffings


def _alone(c: Configuration, machines: int) -> Staffing:
    return Staffing((Serving(c.hardware, c.batch, c.concurrency, machines),))


def _configurations(day: Day, m: int, staffing: Staffing) -> list[tuple[Configuration, Fraction]]:
    """The configurations that serve in a module, with the rate of their machines."""
    known = {(c.hardware, c.batch, c.concurrency): c for c in day.session.modules[m].profile}
    found = ((known[one.hardware, one.batch, one.concurrency], one.machines) for one in staffing.serving)
    return [(c, n * c.throughput_rps) for c, n in found]


def _main_configuration(day: Day, m: int, staffing: Staffing) -> Configuration:
    """The configuration with most of the rate, the first of equals."""
    return max(_configurations(day, m, staffing), key=lambda entry: entry[1])[0]


def _utilisation(day: Day, staffings: Staffings, rates_rps: tuple[Fraction, ...]) -> Iterator[Fraction]:
    """Rate of each module with requests or machines, as a share of its machines' capacity; without machines 2."""
    for m, (staffing, rate) in enumerate(zip(staffings, rates_rps, strict=True)):
        most = sum((own for _, own in _configurations(day, m, staffing)), Fraction(0))
        if rate or most:
            yield rate / most if most else Fraction(2)


def _solve(
    rule: Rule, sharing: PackedRule, factor: Fraction, day: Day, space: DaySpace, limits: Limits[Any]
) -> Answer[DayPlan]:
    def make(used: Day, deadline: float, exact: bool) -> Made:
        return Made(day_plan(rule(used, cheapest_plans(used, factor, deadline, exact=exact))))

    whole = answer(day, limits, make)
    return packed_answer(day, whole, limits, sharing, bounded=False) if space.charging.packs else whole


solve_peak = partial(_solve, peak, cheapest_all_day, Fraction(1))
solve_per_step = partial(_solve, per_step, cheapest_each, Fraction(1))
# Nobody asks these two to share machines: they do not cover it.
solve_per_machine = partial(_solve, per_machine, cheapest_all_day, Fraction(1))
solve_thresholds = partial(_solve, thresholds, cheapest_all_day, 1 / BAND.target)
