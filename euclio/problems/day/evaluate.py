"""The checker of the family `day`: whether each step is served, and what all of them cost, in fractions.

The checker of sessions decides the need of a step; no code is shared with any solver.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from euclio.core.lazy import late_value
from euclio.core.showing import Framed
from euclio.core.words import full
from euclio.problems.day.instance import HOUR_S, Day, asked, at_rates
from euclio.problems.day.plan import DayPlan, Serving, SharedMachine, Staffing, StepPlan
from euclio.problems.day.sharing import (
    SHARED,
    WHOLE_DAY,
    DaySpace,
    broken_machines,
    shared_changes,
    unknown_shared,
)
from euclio.problems.session import Allocation, Charging, Configuration, ModulePlan, Plan, PlanSpace, Session
from euclio.problems.session import evaluate as evaluate_session
from euclio.problems.session.evaluate import rank_key

WHOLE = PlanSpace(charging=Charging.WHOLE)
"""The plan space of every step without shared machines."""
MOST_SAID = 20
"""Most steps with broken rules in an answer."""

Machines = tuple[tuple[int, ...], ...]
"""Running machines in a step by module, then by hardware type in the session's order. Where a plan shares machines, a
last row has those that are shared."""


@dataclass(frozen=True, slots=True, repr=False)
class DayEvaluation(Framed):
    """The checker's answer on a plan; sums are None or empty if machines cannot be counted.

    Attributes:
        violations: one line per broken rule.
        value: money for all steps and changes.
        running: money for running machines.
        changing: money for starts and stops.
        machines: running machines in each step.
        starts: number of started machines; of shared machines, models that are loaded.
        stops: number of stopped machines; of shared machines, models that are unloaded.
    """

    _view = late_value("euclio.questions.day_views", "EVALUATION")

    violations: tuple[str, ...]
    value: Fraction | None
    running: Fraction | None
    changing: Fraction | None
    machines: tuple[Machines, ...]
    starts: int
    stops: int

    @property
    def feasible(self) -> bool:
        """Whether no rule is broken."""
        return not self.violations


def evaluate(day: Day, plan: DayPlan, space: DaySpace | None = None) -> DayEvaluation:
    """Check and price a plan of a load over time.

    Args:
        day: the instance.
        plan: a plan of it.
        space: whether modules may share machines; None means that they may not.

    Returns:
        Violations, cost, and the machines of each step.
    """
    if len(plan.steps) != len(day.steps):
        return _uncounted([f"the plan has {len(plan.steps)} steps, the load {len(day.steps)}"])
    unnamed = [f"step {k + 1}: {text}" for k, own in enumerate(plan.steps) for text in _unknown(day.session, own)]
    if unnamed:
        return _uncounted(unnamed)
    shares = any(own.shared for own in plan.steps)
    machines = tuple(_machines(day.session, own, shares) for own in plan.steps)
    violations = _late_steps(day, plan) + _beyond_stock(day.session, machines)
    if shares and not (space or WHOLE_DAY).charging.packs:
        violations.insert(0, "modules share machines; the plan space has whole ones")
    prices = [hardware.price_per_h for hardware in day.session.hardware]
    running = Fraction(0)
    for step, on in zip(day.steps, machines, strict=True):
        per_h = sum((price * n for module in on for price, n in zip(prices, module, strict=True)), Fraction(0))
        running += step.length_s / HOUR_S * per_h
    started, stopped = _changes(tuple(on[: len(day.session.modules)] for on in machines))
    changing = sum((day.price_of_start(m, h) * n for (m, h), n in started.items()), Fraction(0))
    changing += sum((day.price_of_stop(m, h) * n for (m, h), n in stopped.items()), Fraction(0))
    more, loaded, unloaded = shared_changes(day, plan) if shares else (Fraction(0), 0, 0)
    changing += more
    starts, stops = started.total() + loaded, stopped.total() + unloaded
    return DayEvaluation(tuple(violations), running + changing, running, changing, machines, starts, stops)


def _uncounted(violations: list[str]) -> DayEvaluation:
    return DayEvaluation(tuple(violations[:MOST_SAID]), None, None, None, (), 0, 0)


def _unknown(session: Session, plan: StepPlan) -> list[str]:
    """Names that the session lacks, and numbers that are no counts."""
    if len(plan.modules) != len(session.modules):
        return [f"{len(plan.modules)} modules, the session has {len(session.modules)}"]
    known = session.price
    found: list[str] = []
    for module, own in zip(session.modules, plan.modules, strict=True):
        keys = {(c.hardware, c.batch, c.concurrency) for c in module.profile}
        named = [(one.hardware, one.batch, one.concurrency) for one in own.serving]
        for key in named:
            if key not in keys:
                label = f"{key[0]} batch {key[1]} concurrency {key[2]}"
                found.append(f"module {module.name}: {label} is not in the profile")
        if len(set(named)) < len(named):
            found.append(f"module {module.name}: a configuration is listed twice")
        found += [f"module {module.name}: no hardware {i.hardware}" for i in own.idle if i.hardware not in known]
        if any(n < 1 for _, n in _counts(own)):
            found.append(f"module {module.name}: a number of machines below 1")
    return found + unknown_shared(session, plan)


def _counts(own: Staffing) -> list[tuple[str, int]]:
    """Hardware and number of a module's machines, as listed."""
    serving = [(one.hardware, one.machines) for one in own.serving]
    return [*serving, *((one.hardware, one.machines) for one in own.idle)]


def _machines(session: Session, plan: StepPlan, shares: bool) -> Machines:
    place = {hardware.name: h for h, hardware in enumerate(session.hardware)}
    rows: list[tuple[int, ...]] = []
    for own in plan.modules:
        row = [0] * len(place)
        for name, n in _counts(own):
            row[place[name]] += n
        rows.append(tuple(row))
    if shares:
        on = Counter(machine.hardware for machine in plan.shared)
        rows.append(tuple(on[name] for name in place))
    return tuple(rows)


def _late_steps(day: Day, plan: DayPlan) -> list[str]:
    """The errors that the checker of sessions finds in the steps; equal steps are checked once."""
    seen: dict[
        tuple[tuple[Fraction, ...], tuple[tuple[Serving, ...], ...], tuple[SharedMachine, ...]], tuple[str, ...]
    ] = {}
    found: list[str] = []
    for k, (step, own) in enumerate(zip(day.steps, plan.steps, strict=True)):
        key = (step.rates_rps, tuple(staffing.serving for staffing in own.modules), own.shared)
        if key not in seen:
            seen[key] = _against(day.session, step.rates_rps, own)
        if seen[key] and len(found) < MOST_SAID:
            found += [f"step {k + 1}: {text}" for text in seen[key]]
    return found


def _against(session: Session, rates_rps: tuple[Fraction, ...], plan: StepPlan) -> tuple[str, ...]:
    """The errors that the checker of sessions finds in the serving machines of modules with requests."""
    there, broken = at_rates(session, rates_rps), tuple(broken_machines(session, plan))
    if there is None or broken:
        return broken
    staffings = tuple(plan.modules[m] for m in asked(rates_rps))
    return evaluate_session(there, session_plan(there, staffings, plan.shared), step_space(plan)).violations


def step_space(plan: StepPlan) -> PlanSpace:
    """The plan space of what serves in a step."""
    return SHARED if plan.shared else WHOLE


def session_plan(session: Session, staffings: tuple[Staffing, ...], shared: tuple[SharedMachine, ...] = ()) -> Plan:
    """The serving machines of a step as a plan of the session at the step's rates; dummies fill all machines.

    Args:
        session: the session at the rates of the step, with the modules that have requests.
        staffings: the machines of these modules.
        shared: machines that modules share, perhaps with others to which no requests come.
    """
    modules: list[ModulePlan] = []
    price = session.price
    residents = {one.module: (machine.hardware, one) for machine in shared for one in machine.residents}
    for module, own in zip(session.modules, staffings, strict=True):
        by_key: dict[tuple[str, int, int], Configuration] = {
            (c.hardware, c.batch, c.concurrency): c for c in module.profile
        }
        serving = {by_key[one.hardware, one.batch, one.concurrency]: one.machines for one in own.serving}
        partial: dict[Configuration, Fraction] = {}
        if module.name in residents:
            hardware, one = residents[module.name]
            partial = {by_key[hardware, one.batch, one.concurrency]: one.rate_rps}
        used = sorted(serving | dict.fromkeys(partial.keys() - serving.keys(), 0), key=lambda c: rank_key(c, price))
        rows = [Allocation(c, serving.get(c, 0), partial.get(c, Fraction(0))) for c in used]
        rate = sum((row.machines * row.configuration.throughput_rps + row.partial_rps for row in rows), Fraction(0))
        modules.append(ModulePlan(tuple(rows), max(Fraction(0), rate - module.rate_rps)))
    index = session.index
    groups = (tuple(sorted(index[o.module] for o in own.residents if o.module in index)) for own in shared)
    return Plan(tuple(modules), tuple(group for group in groups if len(group) > 1))


def _beyond_stock(session: Session, machines: tuple[Machines, ...]) -> list[str]:
    found: list[str] = []
    for h, hardware in enumerate(session.hardware):
        if hardware.count is None:
            continue
        for k, on in enumerate(machines):
            used = sum(module[h] for module in on)
            if used > hardware.count and len(found) < MOST_SAID:
                found.append(f"step {k + 1}: {used} machines of {hardware.name}, {full(hardware.count)} are in stock")
    return found


def _changes(machines: tuple[Machines, ...]) -> tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]]:
    """Started and stopped machines, by numbers of module and hardware type."""
    started, stopped = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for before, after in pairwise(machines):
        for m, (old, new) in enumerate(zip(before, after, strict=True)):
            for h, more in enumerate(b - a for a, b in zip(old, new, strict=True)):
                if more:
                    (started if more > 0 else stopped)[m, h] += abs(more)
    return started, stopped
