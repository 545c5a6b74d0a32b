"""An explanation in words: one line, a page for people, and plain data."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from euclio.core.numbers import LARGEST, rounded_up
from euclio.core.result import Status
from euclio.core.showing import Head, View
from euclio.core.words import full, joined, percent
from euclio.problems.session.least_latency import Least
from euclio.questions.explain.explaining import Conflict, Explanation, Restriction

SCHEMA = "euclio/explanation/1"


def one_line(found: Explanation, solver: str, *, proven: bool = False) -> str:
    """Why a solver has no plan.

    Args:
        found: the explanation for the plan space that it searched.
        solver: its name.
        proven: whether it proved that there is none; a search for the reason may then be open, the answer is not.
    """
    if found.status is Status.INFEASIBLE:
        conflicts = "; ".join(_conflict(found, conflict) for conflict in found.conflicts)
        return f"{conflicts}, more than the SLO of {full(found.session.slo_s)} s{_remedies(found)}"
    if found.status is Status.FEASIBLE:
        assert found.least_slo_s is not None
        least = f"down to an SLO of {_up(found.least_slo_s)}"
        return f"{solver} found no plan, but its plan space has one, {least}; --solver exact finds the cheapest"
    slo = f"the SLO of {full(found.session.slo_s)} s"
    if proven:
        return f"{solver} proved that no plan meets {slo}; which modules or restrictions are to blame was not found"
    return f"{solver} found no plan that meets {slo}; why is open, allow more time"


def page(found: Explanation) -> str:
    """The explanation for people."""
    head = f"{found.session.name}: {found.status.value}, SLO {full(found.session.slo_s)} s"
    if found.status is Status.UNKNOWN:
        return f"{head}\nopen: a time limit ended the search for the modules' least latencies"
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
    return "\n".join([*lines, "remedies:", *(f"  {text}" for text in _remedy_list(found))])


_MINIMAL = "the conflict is minimal: take away any one of these modules or restrictions and it is gone"
_PERHAPS_LESS = (
    "whether all of these restrictions belong to it is open: a tie with the SLO or the time limit left it so"
)


def describe(found: Explanation) -> dict[str, Any]:
    """The explanation as plain data in seconds; the least SLO is rounded up, so that it is feasible as written."""
    least = None if found.least_slo_s is None else rounded_up(found.least_slo_s)
    return {
        "schema": SCHEMA,
        "instance": found.session.name,
        "status": found.status.value,
        "slo_s": found.session.slo_s,
        "plan_space": found.space.describe(),
        "least_slo_s": least,
        "least_slo_proven": found.least_proven,
        "unrestricted_least_slo_s": None if found.free_slo_s is None else rounded_up(found.free_slo_s),
        "slack_s": None if found.slack_s is None or least is None else max(Fraction(0), found.session.slo_s - least),
        "conflict": [_conflict_data(found, conflict) for conflict in found.conflicts],
        "restrictions": [restriction.option for restriction in found.kept],
        "minimal": found.minimal,
        "remedies": {"least_slo_s": least, "lift": [restriction.option for restriction in found.lifts]},
        "bottleneck": None if found.bottleneck is None else found.session.modules[found.bottleneck].name,
    }


def _slack(found: Explanation) -> list[str]:
    assert found.least_slo_s is not None
    assert found.slack_s is not None
    share = f"{full(100 * float(found.slack_s / found.session.slo_s), digits=3)} %"
    least = _up(found.least_slo_s)
    if found.least_proven:
        lines = [f"the SLO may be up to {share} tighter: at {least} there is a plan, whatever it costs; below, none"]
    else:
        lines = [f"the SLO may be {share} tighter: at {least} there is a plan, whatever it costs; below, it is open"]
    if found.bottleneck is not None:
        lines.append(f"bottleneck then: module {found.session.modules[found.bottleneck].name}")
    return lines


def _block(found: Explanation, conflict: Conflict) -> list[str]:
    """A conflict, one line per module."""
    where = "" if conflict.hardware is None else f"on {conflict.hardware}: "
    names = _names(found, conflict)
    if conflict.needed_s is None:
        return [f"{where}module {names} has no configuration in the plan space"]
    if len(conflict.modules) == 1:
        head = f"{where}module {names} needs at least {full(conflict.needed_s)} s"
    else:
        head = f"{where}modules {names} follow one another and need at least {full(conflict.needed_s)} s together"
    rows = [
        f"  {found.session.modules[i].name}: at least {full(least.least_s)} s, {_configurations(least)}"
        for i, least in zip(conflict.modules, conflict.least, strict=True)
        if least is not None
    ]
    return [head, *rows]


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
    if len(parts) == 1:
        return f"{where}module {names} needs at least {full(conflict.needed_s)} s{under} ({parts[0].partition('(')[2]}"
    return f"{where}path {names} needs at least {full(conflict.needed_s)} s{under}: {joined(parts)}"


def _remedies(found: Explanation) -> str:
    return "; " + ", or ".join(_remedy_list(found))


def _remedy_list(found: Explanation) -> list[str]:
    texts = [f"feasible without {_option(restriction)}" for restriction in found.lifts]
    if found.least_slo_s is not None:
        texts.insert(0, _from_slo(found.least_slo_s))
    if found.free_slo_s is not None and found.free_slo_s != found.least_slo_s:
        texts.append(f"{_from_slo(found.free_slo_s)} without any restriction")
    return texts or ["no SLO makes it feasible; extend the profiles"]


def _from_slo(slo_s: Fraction) -> str:
    beyond = f", which is beyond the longest supported, {full(Fraction(LARGEST))} s" if slo_s > LARGEST else ""
    return f"feasible from an SLO of {_up(slo_s)}{beyond}"


def _conflict_data(found: Explanation, conflict: Conflict) -> dict[str, Any]:
    return {
        "hardware": conflict.hardware,
        "needed_s": conflict.needed_s,
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
    """Seconds, rounded up so that what is written is feasible."""
    return f"{full(rounded_up(value))} s"


def _head(found: Explanation) -> Head:
    slo = f"SLO {full(found.session.slo_s)} s"
    if found.status is Status.INFEASIBLE:
        return Head(found.session.name, found.status.value, (one_line(found, ""),))
    if found.slack_s is None:
        return Head(found.session.name, found.status.value, (slo, "open: a time limit ended the search"))
    room = percent(float(found.slack_s / found.session.slo_s), 1)
    return Head(found.session.name, found.status.value, (slo, f"it may be {room} tighter"))


EXPLANATION = View(_head, page)
