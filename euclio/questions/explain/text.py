"""An explanation in words: one line, a page for people, and plain data."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from euclio.core.numbers import LARGEST, rounded_up
from euclio.core.parameters import verb_text
from euclio.core.result import Status
from euclio.core.showing import Head, View
from euclio.core.words import full, joined, listed, percent
from euclio.problems.session.least_latency import RESOLUTION, Least
from euclio.problems.session.parts_of_plans import any_latency_in_words
from euclio.questions.explain.explaining import Conflict, Explanation, Restriction

SCHEMA = "euclio/explanation/1"
SHORT = 6
"""Digits of a latency that plans approach and do not attain."""


def one_line(found: Explanation, solver: str, *, proven: bool = False) -> str:
    """Why a solver has no plan.

    Args:
        found: the explanation for the plan space that it searched.
        solver: its name.
        proven: whether it proved that there is none; then only the reason may be open.
    """
    if found.status is Status.INFEASIBLE:
        if found.session.objectives:
            each = (f"{_conflict(found, conflict)}{_exceeded(conflict)}" for conflict in found.conflicts)
            return f"{'; '.join(each)}{_remedies(found)}"
        conflicts = "; ".join(_conflict(found, conflict) for conflict in found.conflicts)
        return f"{conflicts}, more than {_limits(found)}{_remedies(found)}"
    if found.status is Status.FEASIBLE:
        least = f"down to {joined(_least(found))}{_apart(found)}"
        return f"{solver} found no plan, but its plan space has one, {least}; --solver exact finds the cheapest"
    slo = _limits(found)
    if proven:
        return f"{solver} proved that no plan meets {slo}; which modules or restrictions are to blame was not found"
    return f"{solver} found no plan that meets {slo}; why is open: {_why_open(found)}"


def page(found: Explanation) -> str:
    """The explanation for people."""
    head = f"{found.session.name}: {found.status.value}, {_asked(found)}"
    if found.limits:
        return "\n".join([head, *_excluded(found)])
    if found.status is Status.UNKNOWN:
        return f"{head}\nopen: {_why_open(found)}"
    if found.status is Status.FEASIBLE:
        return "\n".join([head, *_slack(found)])
    lines = [head]
    for conflict in found.conflicts:
        lines += _block(found, conflict)
    if found.kept:
        lines.append("restrictions that belong to the conflict:")
        lines += [f"  {_option(r)}" for r in found.kept]
    else:
        lines.append("no restriction is needed for this conflict: it holds in the full plan space")
    lines.append(_MINIMAL if found.minimal else _PERHAPS_LESS)
    if found.bottleneck is not None:
        lines.append(f"bottleneck: module {found.session.modules[found.bottleneck].name}")
    return "\n".join([*lines, f"remedies{_apart(found)}:", *(f"  {text}" for text in _remedy_list(found))])


def _why_open(found: Explanation) -> str:
    """Why it is unknown whether there is a plan."""
    if found.limits:
        return (
            f"the default solver neither found a plan that keeps {joined(found.limits)} nor proved that there is none"
        )
    if found.least_proven:
        return f"{_limits(found)} is the least latency to nine digits, and whether a plan attains it is not decided"
    return "a time limit ended the search for the modules' least latencies; allow more time"


def _excluded(found: Explanation) -> list[str]:
    """The limits on machines that exclude every plan, or may do so, and the least latencies without them."""
    named = joined(found.limits)
    least = f"without limits on machines there is a plan down to {joined(_least(found))}"
    if found.status is Status.INFEASIBLE:
        most = verb_text("most")
        remedy = f"remedies:\n  loosen these limits, or lower the rate: {most} finds the highest that they allow"
        machines, *broken = found.without_limits or ("",)
        plan = [f"the cheapest plan found without them has {machines}: {'; '.join(broken)}"] if broken else []
        proved = f"the default solver proved that no plan keeps {named}"
        return [proved, *([found.reason] if found.reason else []), *plan, least, remedy]
    return [f"open: {_why_open(found)}", least]


_MINIMAL = "the conflict is minimal: take away any one of these modules or restrictions and it is gone"
_PERHAPS_LESS = (
    "whether all of these restrictions belong to it is open: a tie with the SLO or the time limit left it so"
)


def describe(found: Explanation) -> dict[str, Any]:
    """The explanation as plain data in seconds; the least SLO is rounded up, so that the written value is feasible."""
    one = found.binding
    slo = found.session.slo_s if one is None else one.slo_s
    least = _rounded_up(found.least_slo_s if one is None else found.least_objectives_s[one.name])
    free = found.free_slo_s if one is None else found.free_objectives_s.get(one.name)
    return {
        "schema": SCHEMA,
        "instance": found.session.name,
        "status": found.status.value,
        "slo_s": slo,
        "plan_space": found.space.describe(),
        "least_slo_s": least,
        "least_slo_proven": found.least_proven,
        "unrestricted_least_slo_s": _rounded_up(free),
        "slack_s": None if found.slack_s is None or least is None else max(Fraction(0), slo - least),
        **_objectives_data(found),
        "conflict": [_conflict_data(found, conflict) for conflict in found.conflicts],
        "restrictions": [restriction.option for restriction in found.kept],
        "minimal": found.minimal,
        "remedies": {
            "least_slo_s": None if found.limits else least,
            "lift": [restriction.option for restriction in found.lifts],
        },
        **({"limits": [*found.limits]} if found.limits else {}),
        **({"without_limits": [*found.without_limits]} if found.without_limits else {}),
        **({"reason": found.reason} if found.reason else {}),
        "bottleneck": None if found.bottleneck is None else found.session.modules[found.bottleneck].name,
    }


def _rounded_up(value: Fraction | None) -> Fraction | None:
    return None if value is None else rounded_up(value)


def _objectives_data(found: Explanation) -> dict[str, Any]:
    """The objective with the least room, and each of them, if the session has several."""
    if not found.session.objectives:
        return {}
    rows = [
        {
            "name": one.name,
            "to": one.to,
            "slo_s": one.slo_s,
            "least_slo_s": _rounded_up(found.least_objectives_s.get(one.name)),
            "unrestricted_least_slo_s": _rounded_up(found.free_objectives_s.get(one.name)),
        }
        for one in found.session.objectives
    ]
    return {"objective": None if found.binding is None else found.binding.name, "objectives": rows}


def _asked(found: Explanation) -> str:
    """The SLO of the session, or its objectives, in a few words."""
    if found.session.objectives:
        return listed(f"{one.name} {full(one.slo_s)} s" for one in found.session.objectives)
    return f"SLO {full(found.session.slo_s)} s"


def _limits(found: Explanation) -> str:
    """The SLO, or all objectives, as plans meet them."""
    return f"the SLO of {full(found.session.slo_s)} s" if not found.session.objectives else "all objectives"


def _exceeded(conflict: Conflict) -> str:
    """The objective that a conflict is about."""
    one = conflict.objective
    return "" if one is None else f", more than objective {one.name} of {full(one.slo_s)} s"


def _least(found: Explanation, least_s: dict[str, Fraction] | None = None) -> list[str]:
    """The smallest SLO with a plan, or the smallest value of each objective if there are several.

    Args:
        found: the explanation.
        least_s: seconds by objective; None means those within the plan space.
    """
    each = found.least_objectives_s if least_s is None else least_s
    if found.session.objectives:
        return [f"objective {name} of {_up(seconds)}" for name, seconds in each.items()]
    assert found.least_slo_s is not None
    return [f"an SLO of {_up(found.least_slo_s)}"]


def _slack_by_objective(found: Explanation) -> list[str]:
    """The room that each objective has, the least first."""
    least = found.least_objectives_s
    below = "below, none" if found.least_proven and not found.space.single_hardware else "below, it is open"
    lines = [f"room of the objectives, all of them at once and at any cost{_apart(found)}:"]
    for one in sorted(found.session.objectives, key=lambda one: one.slo_s - least[one.name]):
        share = percent(float(1 - least[one.name] / one.slo_s), 1)
        lines.append(f"  {one.name}: up to {share} tighter: at {_up(least[one.name])} there is a plan; {below}")
    return [*lines, *([said] if (said := any_latency_in_words(found.session)) else [])]


def _slack(found: Explanation) -> list[str]:
    bottleneck = [] if found.bottleneck is None else [_bottleneck_then(found, found.bottleneck)]
    if found.session.objectives:
        return [*_slack_by_objective(found), *bottleneck]
    assert found.least_slo_s is not None
    assert found.slack_s is not None
    share = f"{full(100 * float(found.slack_s / found.session.slo_s), digits=3)} %"
    least = _up(found.least_slo_s)
    plan = f"at {least} there is a plan{_apart(found)}"
    if found.least_proven:
        lines = [f"the SLO may be up to {share} tighter at any cost: {plan}; below, none"]
    else:
        lines = [f"the SLO may be {share} tighter at any cost: {plan}; below, it is open"]
    return [*lines, *bottleneck]


def _bottleneck_then(found: Explanation, module: int) -> str:
    return f"bottleneck then: module {found.session.modules[module].name}"


def _block(found: Explanation, conflict: Conflict) -> list[str]:
    """A conflict, one line per module."""
    where = "" if conflict.hardware is None else f"on {conflict.hardware}: "
    names = _names(found, conflict)
    if conflict.needed_s is None:
        return [f"{where}module {names} has no configuration in the plan space"]
    needed = f"{full(conflict.needed_s)} s"
    if not conflict.modules:
        return [f"{where}{_delays_alone(found, conflict)}{_exceeded(conflict)}"]
    if len(conflict.modules) == 1:
        head = f"{where}module {names} needs at least {needed}{_with_delays(conflict)}"
    else:
        head = f"{where}modules {names} follow one another and need at least {needed} together{_with_delays(conflict)}"
    head += _exceeded(conflict)
    rows = [
        f"  {found.session.modules[i].name}: at least {full(least.least_s)} s, {_configurations(least)}"
        for i, least in zip(conflict.modules, conflict.least, strict=True)
        if least is not None
    ]
    return [head, *rows, *([f"  delays on the path: {full(conflict.delay_s)} s"] if conflict.delay_s else [])]


def _with_delays(conflict: Conflict) -> str:
    return f", delays of {full(conflict.delay_s)} s included" if conflict.delay_s else ""


def _delays_alone(found: Explanation, conflict: Conflict) -> str:
    """A conflict without a module."""
    return f"delays on the way to {found.session.modules[conflict.last].name} take {full(conflict.delay_s)} s"


def _conflict(found: Explanation, conflict: Conflict) -> str:
    """A conflict in one line."""
    where = "" if conflict.hardware is None else f"on {conflict.hardware}: "
    names = _names(found, conflict)
    limits = [r.words for r in found.kept if not (conflict.hardware and r.field == "single_hardware")]
    under = f" with {joined(limits)}" if limits else ""
    if conflict.needed_s is None:
        return f"{where}module {names} has no configuration{under}"
    parts = [
        f"{found.session.modules[i].name} {full(least.least_s)} s ({_configurations(least)})"
        for i, least in zip(conflict.modules, conflict.least, strict=True)
        if least is not None
    ]
    if not parts:
        return f"{where}{_delays_alone(found, conflict)}"
    needs = f"needs at least {full(conflict.needed_s)} s{_with_delays(conflict)}"
    if len(parts) == 1:
        return f"{where}module {names} {needs}{under} ({parts[0].partition('(')[2]}"
    return f"{where}path {names} {needs}{under}: {joined(parts)}"


def _remedies(found: Explanation) -> str:
    return f"; {', or '.join(_remedy_list(found))}{_apart(found)}"


def _apart(found: Explanation) -> str:
    """That least latencies and remedies disregard limits on machines, where there are some."""
    return ", limits on machines apart" if found.limited else ""


def _remedy_list(found: Explanation) -> list[str]:
    texts = [f"feasible without {_option(restriction)}" for restriction in found.lifts]
    if found.session.objectives:
        return _of_objectives(found, texts)
    if found.least_slo_s is not None:
        texts.insert(0, _from_slo(found.least_slo_s))
    if found.free_slo_s is not None and found.free_slo_s != found.least_slo_s:
        texts.append(f"{_from_slo(found.free_slo_s)} without any restriction")
    return texts or ["no SLO makes it feasible; extend the profiles"]


def _of_objectives(found: Explanation, texts: list[str]) -> list[str]:
    """The remedies if there are several objectives: those that have to be longer, and by how much."""
    late, free = _late(found, found.least_objectives_s), _late(found, found.free_objectives_s)
    if late:
        texts.insert(0, f"feasible from {joined(_least(found, late))}")
    if free and found.free_objectives_s != found.least_objectives_s:
        texts.append(f"feasible from {joined(_least(found, free))} without any restriction")
    return texts or ["no objectives make it feasible; extend the profiles"]


def _late(found: Explanation, least_s: dict[str, Fraction]) -> dict[str, Fraction]:
    """The objectives that are too short, with the smallest seconds of each that have a plan."""
    given = {one.name: one.slo_s for one in found.session.objectives}
    return {name: seconds for name, seconds in least_s.items() if seconds > given[name]}


def _from_slo(slo_s: Fraction) -> str:
    beyond = f", which is beyond the longest supported, {full(Fraction(LARGEST))} s" if slo_s > LARGEST else ""
    return f"feasible from an SLO of {_up(slo_s)}{beyond}"


def _conflict_data(found: Explanation, conflict: Conflict) -> dict[str, Any]:
    return {
        "hardware": conflict.hardware,
        "needed_s": conflict.needed_s,
        **({"delay_s": conflict.delay_s} if conflict.delay_s else {}),
        **({} if conflict.objective is None else {"objective": conflict.objective.name}),
        "modules": [
            {
                "name": found.session.modules[i].name,
                "least_latency_s": None if least is None else least.least_s,
                "configurations": [] if least is None else _configuration_data(least),
            }
            for i, least in zip(conflict.modules, conflict.least, strict=True)
        ],
    }


def _configuration_data(least: Least) -> list[dict[str, Any]]:
    used = [allocation.configuration for allocation in least.plan.allocations]
    return [{"hardware": c.hardware, "batch": c.batch, "concurrency": c.concurrency} for c in used]


def _configurations(least: Least) -> str:
    used = [allocation.configuration for allocation in least.plan.allocations]
    return joined([f"{c.hardware}, batch {c.batch}, concurrency {c.concurrency}" for c in used])


def _names(found: Explanation, conflict: Conflict) -> str:
    return " -> ".join(found.session.modules[i].name for i in conflict.modules)


def _option(restriction: Restriction) -> str:
    return f"{restriction.option} ({restriction.words})"


def _up(value: Fraction) -> str:
    """Seconds, rounded up so that the written value is feasible.

    Some latencies are approached by ever more machines and attained by no plan: those are "just above".
    """
    unit = Fraction(10) ** (math.floor(math.log10(value)) + 1 - SHORT)
    limit = value // unit * unit
    above = 0 < value - limit <= 2 * RESOLUTION * limit
    return f"just above {full(limit)} s" if above else f"{full(rounded_up(value))} s"


def _head(found: Explanation) -> Head:
    slo, one = _asked(found), found.binding
    if found.status is Status.INFEASIBLE:
        return Head(found.session.name, found.status.value, (one_line(found, ""),))
    if found.slack_s is None:
        return Head(found.session.name, found.status.value, (slo, f"open: {_why_open(found)}"))
    room = percent(float(found.slack_s / (found.session.slo_s if one is None else one.slo_s)), 1)
    what = "it" if one is None else one.name
    return Head(found.session.name, found.status.value, (slo, f"{what} may be {room} tighter{_apart(found)}"))


EXPLANATION = View(_head, page)
