"""Whether requests keep a plan's worst-case latency, which is that of evenly spaced invocations (ours).

docs/findings/theorem-1.md states the proofs. The papers count a module's invocations as if they came one by one, 1/F
apart. Evenly spaced requests do not make them so if each request invokes a module several times at once, or behind
modules that forward whole batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from euclio.core.words import counted, milliseconds
from euclio.problems.session.evaluate import Evaluation, ModuleEvaluation
from euclio.problems.session.instance import Session
from euclio.problems.session.latency.paths import longest_path, objective_times
from euclio.problems.session.plan import ModulePlan, Plan
from euclio.problems.session.policies import Form, Policy
from euclio.problems.session.services import streams
from euclio.problems.session.space import PlanSpace

MOST_NAMED = 3
"""The most modules that a line names."""
REMEDY = "`euclio simulate --arrivals uniform` shows what they take, `--attainment` plans for it"


def session_rate(session: Session) -> Fraction:
    """Requests per second: the rate of the busiest module by which requests enter."""
    entered = {child for _, child in session.edges}
    return max(module.rate_rps for module in session.modules if module.name not in entered)


def per_request(session: Session) -> tuple[Fraction, ...]:
    """The invocations of each module by one request of its stream; all invocations by one request come together.

    docs/model/serving.md defines them.
    """
    rates = {m: stream.rate_rps for stream in streams(session) for m in stream.modules}
    return tuple(module.rate_rps / rates[m] for m, module in enumerate(session.modules))


def unevenness(ratio: Fraction) -> Fraction:
    """W − 1 of a module with this ratio of invocations to evenly spaced requests: the invocations that come early."""
    return Fraction(ratio.numerator - 1, ratio.denominator)


def fan_out(session: Session) -> dict[str, int]:
    """The modules that a request invokes more than once, with the most invocations that come together."""
    ratios = zip(session.modules, per_request(session), strict=True)
    return {module.name: ceil(ratio) for module, ratio in ratios if ratio > 1}


def caveat(session: Session, space: PlanSpace, plan: Plan | None = None, evaluation: Evaluation | None = None) -> str:
    """One line on why the worst-case latency is not proven for requests; empty without a doubt.

    Args:
        session: the instance.
        space: the plan space of the plan, or of plans.
        plan: the plan; None means all plans of the session, and the line then names fan-out alone.
        evaluation: the checker's findings on the plan.
    """
    if plan is None or evaluation is None:
        reasons = [f"{_together(*own)} come together" for own in fan_out(session).items()]
    else:
        reasons = doubts(session, space, plan, evaluation)
    if not reasons:
        return ""
    more = f" and {counted(len(reasons) - MOST_NAMED, 'more module')}" if len(reasons) > MOST_NAMED else ""
    least = "" if plan is None or evaluation is None else _longer(session, plan, evaluation)
    why = f"{'; '.join(reasons[:MOST_NAMED])}{more}{least}"
    return f"latency of evenly spaced invocations, not proven of requests: {why}; {REMEDY}"


def doubts(session: Session, space: PlanSpace, plan: Plan, evaluation: Evaluation) -> list[str]:
    """Why modules may miss their worst-case latency if requests come evenly spaced; those with fan-out first.

    If it is empty, every request is answered within the plan's latency, if requests come evenly spaced at the session's
    rate. That holds whether dummies are sent, or whether time-outs that count on dummies close batches without them.
    docs/findings/theorem-1.md (1 and 3) and docs/model/policies.md have the proofs.
    """
    if len(evaluation.modules) < len(session.modules):
        return []
    shared = {module for group in plan.shared for module in group}
    ratios, parents = per_request(session), session.parents()
    steady: list[bool] = [False] * len(session.modules)
    first: list[str] = []
    others: list[str] = []
    for m in session.order:
        own, found, name = plan.modules[m], evaluation.modules[m], session.modules[m].name
        uneven = next((p for p in parents[m] if not steady[p]), None)
        if not _keeps(space.policy, own, found, unevenness(ratios[m])):
            if ratios[m] > 1 and unevenness(ratios[m]):
                first.append(f"{_together(name, ceil(ratios[m]))} come together")
            elif not _keeps(space.policy, own, found, Fraction(0)):
                others.append(f"{name} has machines for which policy {space.policy} is not proven")
            else:
                others.append(f"not every request invokes {name}")
        elif m in shared:
            others.append(f"{name} waits for others on a shared machine")
        elif uneven is not None:
            others.append(f"{name} gets what {session.modules[uneven].name} hands on unevenly")
        else:
            steady[m] = ratios[m] == 1 and _takes_always_as_long(space.policy, own, found)
    return first + others


def _together(name: str, most: int) -> str:
    return f"up to {most:,} invocations of {name}"


def _keeps(policy: Policy, plan: ModulePlan, found: ModuleEvaluation, uneven: Fraction) -> bool:
    """Whether a module is proven to keep its worst-case latency if its invocations are uneven (`unevenness`)."""
    dummies = bool(found.dummy_rps)
    if policy.version or policy.form is Form.GENERAL:
        return False
    if policy.pulls:
        return not uneven
    if policy.form is Form.EVEN and policy.most_allocations == 1:
        machines = plan.allocations[0].machines + bool(found.partial_rps)
        return not uneven if dummies else uneven <= machines
    if policy.form.by_configuration:
        return not uneven and not dummies
    return _in_turn(policy, plan, found) and uneven + dummies <= 1


def _in_turn(policy: Policy, plan: ModulePlan, found: ModuleEvaluation) -> bool:
    """Whether all machines of a module take turns: they are equal, and none is a partial one by itself."""
    joined = policy.form in (Form.TIED, Form.EVEN)
    return len(plan.allocations) == 1 and (joined or not (found.partial_rps and plan.allocations[0].machines))


def _takes_always_as_long(policy: Policy, plan: ModulePlan, found: ModuleEvaluation) -> bool:
    """Whether all evenly spaced invocations of a module take the same time, so that they leave it evenly spaced."""
    return _in_turn(policy, plan, found) and plan.allocations[0].configuration.batch == 1 and not found.dummy_rps


def _longer(session: Session, plan: Plan, evaluation: Evaluation) -> str:
    """A lower bound on the time of every request if it exceeds the checked latency, in words; otherwise empty."""
    if len(evaluation.modules) < len(session.modules) or evaluation.latency_s is None:
        return ""
    least = least_times(session, plan, evaluation)
    taken = [("", longest_path(session, least)[0], evaluation.latency_s, session.slo_s)]
    if session.objectives:
        times = objective_times(session, least)
        taken = [(f" until {name}", own, evaluation.objectives[name], slo) for name, (own, slo) in times.items()]
    for until, own, checked, slo in taken:
        if own > checked:
            missed = f", and the objective is {milliseconds(slo)} ms" if own > slo else ""
            return f"; requests take at least {milliseconds(own)} ms{until}, however they are dispatched{missed}"
    return ""


def least_times(session: Session, plan: Plan, evaluation: Evaluation) -> list[Fraction]:
    """Least seconds of every request at each module of a plan, with any dispatch of its invocations.

    A request invokes a module at least as often as the whole part of its share, all at once. In s seconds a slot ends
    batches of at most b, each of them no faster than the fastest size that the profile has up to b.
    """
    found = []
    for m, ratio in enumerate(per_request(session)):
        own, slots = plan.modules[m].allocations, []
        for k, allocation in enumerate(own):
            c = allocation.configuration
            machines = allocation.machines + (evaluation.modules[m].partial_rps > 0 and k == len(own) - 1)
            alike = [
                one
                for one in session.modules[m].profile
                if (one.hardware, one.concurrency) == (c.hardware, c.concurrency) and one.batch <= c.batch
            ]
            rate = max(Fraction(one.batch) / one.duration_s for one in alike)
            slots.append(_Slots(machines * c.concurrency, c.batch, rate, min(one.duration_s for one in alike)))
        found.append(_least_s(floor(ratio), slots))
    return found


class _Slots(NamedTuple):
    """Equal slots: their number, the largest batch, most invocations per second, shortest time of a batch."""

    number: int
    batch: int
    rate: Fraction
    step_s: Fraction

    def ended(self, seconds: Fraction) -> int:
        """The most invocations that they can have ended after some seconds."""
        return self.number * min(floor(seconds * self.rate), floor(seconds / self.step_s) * self.batch)

    def next_s(self, seconds: Fraction) -> Fraction:
        """The next time at which that number may grow."""
        return min((floor(seconds * self.rate) + 1) / self.rate, (floor(seconds / self.step_s) + 1) * self.step_s)


def _least_s(invocations: int, slots: Sequence[_Slots]) -> Fraction:
    """Seconds until slots can have ended some number of invocations."""
    seconds = invocations / sum((own.number * own.rate for own in slots), Fraction(0))
    while sum(own.ended(seconds) for own in slots) < invocations:
        seconds = min(own.next_s(seconds) for own in slots)
    return seconds
