"""Price a plan of the benchmark set and check every rule: one file, the standard library, fractions.

This file uses nothing of euclio, so that it can be read, copied and run by itself with Python 3.9 or newer:

    python check_plan.py INSTANCE.json PLAN.json      one plan
    python check_plan.py --all DIR                    every plan of an exported set

It knows the three families of the set and the plan spaces that the set uses, and refuses to judge anything else. Every
number stands for its decimal text: 0.1 is one tenth. The rules are those of euclio's pages docs/model/sessions.md,
docs/model/policies.md, docs/model/pipelines.md and docs/model/fragments.md; each function says which.

Exit code 0 means that all rules hold, 1 that some plan breaks one, and 2 that a file cannot be read or is not covered.
"""

from __future__ import annotations

import json
import math
import re
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable, NamedTuple

Fields = dict[str, Any]
ZERO = Fraction(0)
SLACK = Fraction(1, 10**9)
"""Share by which a rounded decimal in a file may be off. No rule of the problem has any slack."""
MOST_DIGITS = 2000
NUMBER = re.compile(r"(?=.{1,40}\Z)-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?\Z")
FRACTION = re.compile(rf"(-?[0-9]{{1,{MOST_DIGITS}}})/([0-9]{{1,{MOST_DIGITS}}})\Z")
RUN = "time_limit_s seed engine threads warm_start"
"""Options of a result that say how it was found; they do not restrict its plans."""


class BadInputError(Exception):
    """This program cannot judge a file; the message says why in one line."""


class Priced(NamedTuple):
    """The price of a plan.

    Attributes:
        value: its value in fractions; None if it breaks a rule that the value needs.
        unit: name and unit of the value.
        field: the result's field with the written value.
        broken: a line per broken rule; none if the plan is feasible.
        figures: other figures of the file, by name: as written, and as computed here.
    """

    value: Fraction | None
    unit: tuple[str, str]
    field: str
    broken: list[str]
    figures: dict[str, tuple[Fraction, Fraction]]


# Files


def read(path: Path) -> Fields:
    """The object in a JSON file, its numbers exact."""
    try:
        data = json.loads(
            path.read_text(encoding="utf-8"),
            parse_float=_number,
            parse_int=_number,
            parse_constant=_number,
            object_pairs_hook=_object,
        )
    except (OSError, ValueError, RecursionError) as error:
        raise BadInputError(f"{path}: {error}") from None
    if not isinstance(data, dict):
        raise BadInputError(f"{path}: holds no object")
    return data


def _number(text: str) -> int | Fraction:
    if not NUMBER.match(text):
        raise ValueError(f"{text[:40]} is no finite number of at most 40 characters")
    value = Fraction(text)
    return int(text) if text.lstrip("-").isdigit() else value


def _object(pairs: list[tuple[str, Any]]) -> Fields:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def take(data: Any, where: str, needed: str, other: str = "") -> Fields:
    """An object with all needed fields, and no others than these and some optional ones.

    An unknown field might change the cost of a plan, so it is refused.
    """
    if not isinstance(data, dict):
        raise BadInputError(f"{where}: is no object")
    missing = [name for name in needed.split() if name not in data]
    unknown = [name for name in data if name not in f"{needed} {other}".split()]
    if missing or unknown:
        what = f"lacks {missing[0]}" if missing else f"has {unknown[0]!r}, which this program does not cover"
        raise BadInputError(f"{where}: {what}")
    return data


def number(data: Fields, name: str, where: str, above: int | None = None, least: int | None = None) -> Fraction:
    """A number of an object, above some number or at least some number where these are given."""
    value = data[name]
    good = isinstance(value, (int, Fraction)) and not isinstance(value, bool)
    if not good or (above is not None and value <= above) or (least is not None and value < least):
        raise BadInputError(f"{where}: {name} is {value!r}, no such number as it has to be")
    return Fraction(value)


def whole(data: Fields, name: str, where: str, least: int | None = 1) -> int:
    """A whole number of an object, at least 1 unless said otherwise."""
    value = data[name]
    if not isinstance(value, int) or isinstance(value, bool) or (least is not None and value < least):
        raise BadInputError(f"{where}: {name} is {value!r}, no such whole number as it has to be")
    return value


def optional(options: Fields, name: str, kind: type, otherwise: Any) -> Any:
    """An option of a result, or its default."""
    value = options.get(name, otherwise)
    if value is not otherwise and type(value) is not kind:
        raise BadInputError(f"options: {name} is {value!r}")
    return value


def by_name(items: Any, where: str) -> dict[str, Fields]:
    """Objects of a list by their names, no name twice."""
    found: dict[str, Fields] = {}
    for k, item in enumerate(listed(items, where)):
        name = item.get("name") if isinstance(item, dict) else None
        if not isinstance(name, str) or name in found:
            raise BadInputError(f"{where}[{k}]: has no name of its own")
        found[name] = item
    return found


def listed(items: Any, where: str) -> list[Any]:
    """A list."""
    if not isinstance(items, list):
        raise BadInputError(f"{where}: is no list")
    return items


def known(name: Any, names: Any, where: str) -> str:
    """A name that has to be one of the instance's."""
    if not isinstance(name, str) or name not in names:
        raise BadInputError(f"{where}: {name!r} is not in the instance")
    return name


# Sessions (docs/model/sessions.md): a graph of modules, each served by machines that are rented by the hour

TC, SHARED, RR, MACHINE_RATE = "tc", "tc-shared", "rr", "machine-rate"
Latency = Callable[[Fraction, int, Fraction, Fraction, Fraction, Fraction], Fraction]
WHOLE: dict[str, Latency] = {
    TC: lambda d, b, t, f, w, tied: d + b / w,
    SHARED: lambda d, b, t, f, w, tied: d + b / tied,
    RR: lambda d, b, t, f, w, tied: 2 * d,
    MACHINE_RATE: lambda d, b, t, f, w, tied: d + b / t,
}
"""Worst-case latency of a whole machine by dispatch policy (docs/model/policies.md, "Dispatch policies").

Its batch of b takes d seconds; t is its throughput, f the rate of the partial machine. w is the module's rate that is
left when its allocation begins. Tied is w at the first allocation with the same throughput per price."""
PARTIAL: dict[str, Latency] = {name: lambda d, b, t, f, w, tied: d + b / f for name in (TC, RR, MACHINE_RATE)}
PARTIAL[SHARED] = WHOLE[SHARED]
"""The same of the partial machine."""


def throughput(c: Fields) -> Fraction:
    """Requests per second of a machine in a configuration: t = b·e/d ("Input")."""
    seconds: Fraction = c["duration_s"]
    return Fraction(c["batch"] * c["concurrency"]) / seconds


def rank(c: Fields, price: dict[str, Fraction]) -> tuple[bool, Fraction, Fraction, int, str, int]:
    """Key by which allocations must ascend ("Input"): free machines first, then most throughput per price.

    Ties go to the shorter duration, the smaller batch, the name of the hardware, the smaller concurrency.
    """
    cost = price[c["hardware"]]
    ratio = throughput(c) / cost if cost else ZERO
    return cost != 0, -ratio, c["duration_s"], c["batch"], c["hardware"], c["concurrency"]


def price_session(session: Fields, options: Fields, plan: Fields) -> Priced:
    """Cost of a session's plan per hour ("Plans", "The checker")."""
    take(session, "instance", "schema name slo_s hardware modules edges")
    own = "policy dummy max_allocations hardware single_hardware batching concurrency charging"
    take(options, "options", "policy dummy", f"{own} objective {RUN}")
    if options.get("charging", "share") != "share" or options["policy"] not in WHOLE:
        raise BadInputError("options: only machines by share, under the policies " + ", ".join(WHOLE))
    if options.get("objective", "cost") != "cost":
        raise BadInputError(f"options: unknown objective {options['objective']!r}")
    if options["dummy"] not in ("none", "machine", "continuous"):
        raise BadInputError(f"options: unknown dummy rule {options['dummy']!r}")
    machines = by_name(session["hardware"], "hardware")
    price = {n: number(take(h, n, "name price_per_h"), "price_per_h", n, least=0) for n, h in machines.items()}
    modules = by_name(session["modules"], "modules")
    take(plan, "plan", "latency_s modules")
    plans = by_name(plan["modules"], "plan.modules")
    if set(plans) != set(modules):
        raise BadInputError("plan: its modules are not those of the instance")
    broken: list[str] = []
    cost, latency = ZERO, {}
    used: set[str] = set()
    figures: dict[str, tuple[Fraction, Fraction]] = {}
    for name, module in modules.items():
        found = price_module(name, module, plans[name], price, options)
        if isinstance(found, str):
            broken.append(f"module {name}: {found}")
            continue
        cost, latency[name] = cost + found[0], found[1]
        written = number(plans[name], "worst_case_latency_s", name)
        figures[f"worst_case_latency_s of {name}"] = written, found[1]
    for own_plan in plans.values():
        used.update(a["hardware"] for a in own_plan["allocations"])
    if optional(options, "single_hardware", bool, False) and len(used) > 1:
        broken.append(f"machines of {', '.join(sorted(used))}; one type of hardware is allowed")
    unit = ("cost", "per hour")
    if len(latency) < len(modules):
        return Priced(None, unit, "cost_per_h", broken, {})
    longest = longest_path(latency, session["edges"])
    slo = number(session, "slo_s", "instance", above=0)
    if longest > slo:
        broken.append(f"the longest path takes {float(longest)} s, more than the SLO of {float(slo)} s")
    figures["latency_s"] = number(plan, "latency_s", "plan"), longest
    return Priced(cost, unit, "cost_per_h", broken, figures)


def price_module(
    name: str, module: Fields, plan: Fields, price: dict[str, Fraction], options: Fields
) -> tuple[Fraction, Fraction] | str:
    """Cost per hour and worst-case latency of one module; or the rule that is broken, in words."""
    take(module, name, "name rate_rps profile")
    take(plan, name, "name worst_case_latency_s dummy_rps allocations", "exact_dummy_rps")
    profile = [configuration(c, price, name) for c in listed(module["profile"], name)]
    allocations = [
        {**configuration(a, price, name, "machines partial_rps"), "machines": whole(a, "machines", name, None)}
        for a in listed(plan["allocations"], name)
    ]
    reason = misplaced(allocations, profile, price, options)
    if reason:
        return reason
    found = rates(number(module, "rate_rps", name, above=0), plan, allocations, options["dummy"], name)
    if isinstance(found, str):
        return found
    partial, total = found
    last = allocations[-1]
    # A machine costs its price, the partial one the share of it that is used ("Cost").
    cost = sum((a["machines"] * price[a["hardware"]] for a in allocations), ZERO)
    cost += partial / throughput(last) * price[last["hardware"]]
    return cost, worst_latency(allocations, partial, total, price, options["policy"])


def configuration(c: Any, price: dict[str, Fraction], where: str, more: str = "") -> Fields:
    """A configuration: hardware, batch, concurrency and the seconds that a batch takes."""
    take(c, where, f"hardware batch concurrency duration_s {more}")
    known(c["hardware"], price, where)
    batch, concurrency = whole(c, "batch", where), whole(c, "concurrency", where)
    seconds = number(c, "duration_s", where, above=0)
    return {"hardware": c["hardware"], "batch": batch, "concurrency": concurrency, "duration_s": seconds}


def misplaced(allocations: list[Fields], profile: list[Fields], price: dict[str, Fraction], options: Fields) -> str:
    """The error in a module's allocations at any rate ("The checker", first two rules); empty if there is none."""
    most, types = optional(options, "max_allocations", int, None), optional(options, "hardware", list, None)
    if not allocations or (most is not None and len(allocations) > most):
        return f"{len(allocations)} allocations, from 1 to {most or 'any number'} are allowed"
    for a in allocations:
        own = {key: value for key, value in a.items() if key != "machines"}
        outside = types is not None and a["hardware"] not in types
        outside = outside or (not optional(options, "batching", bool, True) and a["batch"] > 1)
        outside = outside or (not optional(options, "concurrency", bool, True) and a["concurrency"] > 1)
        if own not in profile or outside:
            return f"{a['hardware']} batch {a['batch']} is not in the profile, or outside of the plan space"
        if a["machines"] < 0:
            return f"{a['machines']} machines"
    if any(rank(a, price) >= rank(b, price) for a, b in zip(allocations, allocations[1:])):
        return "the allocations do not descend in rank"
    if any(a["machines"] == 0 for a in allocations[:-1]):
        return "an allocation before the last has no whole machine"
    return ""


def rates(
    rate: Fraction, plan: Fields, allocations: list[Fields], rule: str, where: str
) -> tuple[Fraction, Fraction] | str:
    """Rate of the partial machine, and of the module with its dummies; or the rule that is broken ("The checker").

    The load adds up: rate + dummies = whole machines + partial machine. Under rules none and machine, dummies only fill
    the last machine, so both rates follow from the whole machines. Under rule continuous the plan states the dummy
    rate, unless all its machines are whole. Written numbers may be off by their digits.
    """
    written = [number(a, "partial_rps", where) for a in plan["allocations"]]
    if any(written[:-1]):
        return "an allocation before the last has a partial machine"
    served = sum((a["machines"] * throughput(a) for a in allocations), ZERO)
    full = throughput(allocations[-1])
    said = dummy_rate(plan, where)
    slack = SLACK * max(rate + said, served)
    if rule == "continuous":
        whole_only = not written[-1] and served >= rate and abs(served - rate - said) <= slack
        dummy = served - rate if whole_only else said
        partial = max(ZERO, rate + dummy - served)
    else:
        dummy, partial = max(ZERO, served - rate), max(ZERO, rate - served)
    if dummy < 0 or served > rate + dummy:
        return "the machines take more than the rate and the dummies"
    if partial >= full:
        return f"{float(partial)} requests per second are left for one partial machine of {float(full)}"
    if allocations[-1]["machines"] == 0 and partial == 0:
        return "the last allocation has no machine"
    if (rule == "none" and dummy > 0) or (rule == "machine" and dummy >= full):
        return f"{float(dummy)} dummies per second, which dummy rule {rule} does not allow"
    if abs(written[-1] - partial) > slack or abs(said - dummy) > slack:
        return "partial or dummy rate are not as written"
    return partial, rate + dummy


def dummy_rate(plan: Fields, where: str) -> Fraction:
    """The dummy rate of a module's plan: a decimal, or the fraction next to it where no decimal is exact."""
    shown, text = number(plan, "dummy_rps", where), plan.get("exact_dummy_rps")
    if text is None:
        return shown
    found = FRACTION.match(text) if isinstance(text, str) else None
    if found is None or int(found[2]) == 0:
        raise BadInputError(f"{where}: exact_dummy_rps is no fraction")
    exact = Fraction(int(found[1]), int(found[2]))
    if abs(exact - shown) > SLACK * abs(exact):
        raise BadInputError(f"{where}: exact_dummy_rps is not dummy_rps")
    return exact


def worst_latency(
    allocations: list[Fields], partial: Fraction, total: Fraction, price: dict[str, Fraction], policy: str
) -> Fraction:
    """The longest latency over a module's machines (docs/model/policies.md, "Dispatch policies")."""
    worst, left = ZERO, total
    ratio: Fraction | None = None
    tied = total
    for i, a in enumerate(allocations):
        d, b, t, cost = a["duration_s"], a["batch"], throughput(a), price[a["hardware"]]
        own = t / cost if cost else None
        if i == 0 or own != ratio:
            ratio, tied = own, left
        f = partial if i == len(allocations) - 1 else ZERO
        if a["machines"]:
            worst = max(worst, WHOLE[policy](d, b, t, f, left, tied))
        if f:
            worst = max(worst, PARTIAL[policy](d, b, t, f, left, tied))
        left -= a["machines"] * t
    return worst


def longest_path(latency: dict[str, Fraction], edges: Any) -> Fraction:
    """The longest path through the graph, modules weighing their latencies ("Feasibility")."""
    after: dict[str, list[str]] = {name: [] for name in latency}
    waits = dict.fromkeys(latency, 0)
    for edge in listed(edges, "edges"):
        if len(listed(edge, "edges")) != 2:
            raise BadInputError("edges: an edge has two ends")
        first, second = (known(end, latency, "edges") for end in edge)
        after[first].append(second)
        waits[second] += 1
    ready = [name for name, count in waits.items() if count == 0]
    start = dict.fromkeys(latency, ZERO)
    for name in ready:  # grows as it is gone through
        for child in after[name]:
            start[child] = max(start[child], start[name] + latency[name])
            waits[child] -= 1
            if waits[child] == 0:
                ready.append(child)
    if len(ready) < len(latency):
        raise BadInputError("edges: form a cycle")
    return max(start[name] + latency[name] for name in latency)


# Clusters (docs/model/pipelines.md): chains of pools of virtual GPUs that serve models together


def price_cluster(cluster: Fields, options: Fields, plan: Fields) -> Priced:
    """Throughput per weight, or cost per hour, of a cluster's plan ("Plans", "Plan space")."""
    take(cluster, "instance", "schema name gpus max_partitions unify_batch models")
    own = "max_partitions unify_batch virtual_gpus batch_build one_per_sequence whole_gpus"
    take(options, "options", "", f"{own} objective {RUN}")
    gpus, models = by_name(cluster["gpus"], "gpus"), by_name(cluster["models"], "models")
    for name, model in models.items():
        take(model, name, "name weight slo_s margin_s transfer_s_per_request block_latency_s", "batch_build rate_rps")
    for name, gpu in gpus.items():
        take(gpu, name, "name count gpus_per_server", "price_per_h")
    objective = optional(options, "objective", str, "throughput")
    if objective not in ("throughput", "cost"):
        raise BadInputError(f"options: unknown objective {objective!r}")
    named = (("throughput", "requests per second per weight"), "throughput_rps")
    unit, field = named if objective == "throughput" else (("cost", "per hour"), "cost_per_h")
    pipelines = listed(take(plan, "plan", "pipelines")["pipelines"], "pipelines")
    chains = [chain(p, gpus, models, f"pipelines[{i}]") for i, p in enumerate(pipelines)]
    broken = [
        f"pipeline {i}: {line}"
        for i, (pipeline, parts) in enumerate(zip(pipelines, chains))
        for line in malformed(cluster, models[pipeline["model"]], parts, options)
    ]
    if broken:
        return Priced(None, unit, field, broken, {})
    served = dict.fromkeys(models, ZERO)
    figures: dict[str, tuple[Fraction, Fraction]] = {}
    for i, (pipeline, parts) in enumerate(zip(pipelines, chains)):
        name = pipeline["model"]
        latency, rate = price_pipeline(gpus, models[name], parts, optional(options, "batch_build", bool, True))
        served[name] += rate
        figures[f"rate_rps of pipeline {i}"] = number(pipeline, "rate_rps", name), rate
        budget = number(models[name], "slo_s", name, above=0) - number(models[name], "margin_s", name, least=0)
        if latency > budget:
            broken.append(f"pipeline {i}: takes {float(latency)} s of {float(budget)} s")
    used = used_gpus(gpus, pipelines, chains, optional(options, "whole_gpus", bool, True))
    broken += [f"{float(n)} GPUs of type {g}" for g, n in used.items() if n > whole(gpus[g], "count", g)]
    if optional(options, "one_per_sequence", bool, False):
        kinds = [(p["model"], tuple(q["gpu"] for q in parts)) for p, parts in zip(pipelines, chains)]
        broken += ["two pipelines of a model on one sequence of GPU types"] if len(set(kinds)) < len(kinds) else []
    if objective == "throughput":
        value = min(served[name] / number(model, "weight", name, above=0) for name, model in models.items())
        broken += [f"model {name} is not served" for name, rate in served.items() if not rate]
        return Priced(value, unit, field, broken, figures)
    for name, model in models.items():
        if served[name] < number(model, "rate_rps", name, above=0):
            broken.append(f"model {name} is served {float(served[name])} requests per second, less than its rate_rps")
    cost = sum((n * number(gpus[g], "price_per_h", g, least=0) for g, n in used.items()), ZERO)
    return Priced(cost, unit, field, broken, figures)


def chain(pipeline: Any, gpus: dict[str, Fields], models: dict[str, Fields], where: str) -> list[Fields]:
    """The partitions of a pipeline, each with its batch: that of the pipeline, unless it names its own."""
    take(pipeline, where, "model batch rate_rps partitions")
    known(pipeline["model"], models, where)
    batch = whole(pipeline, "batch", where)
    parts = []
    for part in listed(pipeline["partitions"], where):
        own = {"batch": batch, **take(part, where, "gpu share gpus first_block last_block", "batch")}
        known(own["gpu"], gpus, where)
        for name, least in (("share", 1), ("gpus", 1), ("first_block", 0), ("last_block", 0), ("batch", 1)):
            whole(own, name, where, least)
        parts.append(own)
    if not parts or parts[0]["batch"] != batch:
        raise BadInputError(f"{where}: the batch of a pipeline is that of its first partition")
    return parts


def malformed(cluster: Fields, model: Fields, parts: list[Fields], options: Fields) -> list[str]:
    """The errors that prevent pricing a pipeline: cuts, batches, shares ("Plans", "Plan space")."""
    blocks = [len(m["transfer_s_per_request"]) + 1 for m in cluster["models"]]
    most = optional(options, "max_partitions", int, None)
    most = min(whole(cluster, "max_partitions", "instance") if most is None else most, max(blocks))
    if len(parts) > most:
        return [f"{len(parts)} partitions, at most {most} are allowed"]
    ends = [-1, *(p["last_block"] for p in parts)]
    if any(p["first_block"] != end + 1 or p["last_block"] < p["first_block"] for p, end in zip(parts, ends)):
        return ["the partitions do not follow on one another"]
    if parts[-1]["last_block"] != len(model["transfer_s_per_request"]):
        return ["the partitions do not cover all blocks"]
    lines = []
    for p in parts:
        if p["share"] != 1 and not optional(options, "virtual_gpus", bool, True):
            lines.append("a GPU is divided")
        if not measured(model, p):
            lines.append(f"batch {p['batch']} on 1/{p['share']} of a {p['gpu']} was not measured for every block")
    unify = optional(options, "unify_batch", bool, None)
    if (cluster["unify_batch"] if unify is None else unify) and len({p["batch"] for p in parts}) > 1:
        lines.append("the partitions have different batches")
    return lines


def measured(model: Fields, part: Fields) -> list[Fraction]:
    """Latency of each block of a partition at its batch; none if not all of them were measured."""
    rows = model["block_latency_s"].get(part["gpu"], {}).get(str(part["share"]))
    if rows is None:
        return []
    own = rows[part["first_block"] : part["last_block"] + 1]
    at = part["batch"] - 1
    if any(len(row) <= at for row in own):
        return []
    return [number({"latency": row[at]}, "latency", model["name"], above=0) for row in own]


def price_pipeline(
    gpus: dict[str, Fields], model: Fields, parts: list[Fields], batch_build: bool
) -> tuple[Fraction, Fraction]:
    """Latency and throughput of a pipeline ("Plans")."""
    name = model["name"]
    transfers = [number({"s": s}, "s", name, least=0) for s in model["transfer_s_per_request"]]
    latency, slowest = ZERO, []
    for k, p in enumerate(parts):
        own = sum(measured(model, p), ZERO)
        latency += own
        crossed = [transfers[p["first_block"] - 1]] if k else []
        if k + 1 < len(parts):
            crossed.append(transfers[p["last_block"]])
            latency += crossed[-1] * p["batch"]
        # The virtual GPUs of a server share its links.
        sharing = p["share"] * whole(gpus[p["gpu"]], "gpus_per_server", p["gpu"])
        slowest.append(p["gpus"] * min([p["batch"] / own, *(1 / (s * sharing) for s in crossed if s)]))
    if batch_build and model.get("batch_build") is not None:
        build = take(model["batch_build"], name, "factor rate_rps")
        gather = number(build, "factor", name, least=0) / number(build, "rate_rps", name, above=0)
        latency += gather * (parts[0]["batch"] - 1)
    return latency, min(slowest)


def used_gpus(
    gpus: dict[str, Fields], pipelines: list[Fields], chains: list[list[Fields]], whole_gpus: bool
) -> dict[str, Fraction]:
    """GPUs by type: shares of one model, position and type together, counted up to whole GPUs ("GPUs")."""
    pools: dict[tuple[str, int, str], Fraction] = {}
    for pipeline, parts in zip(pipelines, chains):
        for k, p in enumerate(parts):
            pool = pipeline["model"], k, p["gpu"]
            pools[pool] = pools.get(pool, ZERO) + Fraction(p["gpus"], p["share"])
    used = dict.fromkeys(gpus, ZERO)
    for (_, _, gpu), amount in pools.items():
        used[gpu] += math.ceil(amount) if whole_gpus else amount
    return used


# Fleets (docs/model/fragments.md): the last layers of one network, for clients that run the first ones themselves


def price_fleet(fleet: Fields, options: Fields, plan: Fields) -> Priced:
    """GPU share of a fleet's plan in percent of one GPU ("Plans")."""
    take(fleet, "instance", "schema name network fragments", "points")
    network = take(fleet["network"], "network", "name batches shares_pct layer_latency_s")
    take(options, "options", "", f"sharing budgets max_members max_instances objective {RUN}")
    if options.get("objective", "GPU share") != "GPU share":
        raise BadInputError(f"options: unknown objective {options['objective']!r}")
    fragments = by_name(fleet["fragments"], "fragments")
    for name, fragment in fragments.items():
        take(fragment, name, "name partition_point budget_s rate_rps")
    unit, field = ("GPU share", "% of one GPU"), "gpu_share_pct"
    sets = listed(take(plan, "plan", "sets")["sets"], "sets")
    served = [name for own in sets for name in members(own, fragments)]
    broken = [f"fragment {n} is served {served.count(n)} times" for n in sorted({*fragments}) if served.count(n) != 1]
    for i, own in enumerate(sets):
        broken += [f"set {i}: {line}" for line in malformed_set(network, fragments, own)]
    if broken:
        return Priced(None, unit, field, broken, {})
    figures = {}
    for i, own in enumerate(sets):
        latency, lines = price_set(network, fragments, own, options)
        broken += [f"set {i}: {line}" for line in lines]
        figures[f"latency_s of set {i}"] = number(own, "latency_s", f"sets[{i}]"), latency
    total = sum(stage["share_pct"] * stage["instances"] for own in sets for stage in stages(own))
    return Priced(Fraction(total), unit, field, broken, figures)


def members(own: Any, fragments: dict[str, Fields]) -> list[str]:
    """The names of the fragments of a set, in the order of its heads."""
    take(own, "set", "repartition_point latency_s shared heads")
    found = []
    for head in listed(own["heads"], "heads"):
        take(head, "head", "fragments", "stage")
        found += [known(name, fragments, "head") for name in listed(head["fragments"], "head")]
    return found


def stages(own: Fields) -> list[Fields]:
    """The shared stage of a set, then its own ones."""
    found = [own["shared"], *(head["stage"] for head in own["heads"] if head.get("stage") is not None)]
    for stage in found:
        take(stage, "stage", "batch share_pct instances")
        for name in ("batch", "share_pct", "instances"):
            whole(stage, name, "stage")
    return found


def malformed_set(network: Fields, fragments: dict[str, Fields], own: Fields) -> list[str]:
    """The errors that prevent pricing a realigned set: starts of its stages, missing measurements."""
    point, lines = whole(own, "repartition_point", "set", 0), []
    if point >= len(network["layer_latency_s"]):
        lines.append(f"layer {point} is outside of the network")
    if not own["heads"] or not all(head["fragments"] for head in own["heads"]):
        lines.append("there are no fragments in it, or in one of its heads")
    for stage in stages(own):
        if stage["batch"] not in network["batches"] or stage["share_pct"] not in network["shares_pct"]:
            lines.append(f"batch {stage['batch']} at {stage['share_pct']} % of a GPU was not measured")
    for head in own["heads"]:
        begins = {whole(fragments[name], "partition_point", name, 0) for name in head["fragments"]}
        alone = head.get("stage") is None
        if len(begins) > 1:
            lines.append("fragments of a head begin at different layers")
        if any(begin != point if alone else begin >= point for begin in begins):
            lines.append(f"fragments of a head begin at {sorted(begins)}, their shared stage at {point}")
    return lines


def price_set(
    network: Fields, fragments: dict[str, Fields], own: Fields, options: Fields
) -> tuple[Fraction, list[str]]:
    """The longest execution in a realigned set, and the rules that it breaks ("Plans", "Plan space")."""
    everything = [fragments[name] for head in own["heads"] for name in head["fragments"]]
    point, lines = own["repartition_point"], outside(own, everything, options)
    budget = {f["name"]: number(f, "budget_s", f["name"], above=0) for f in everything}
    budgets = optional(options, "budgets", str, "least")
    if budgets not in ("least", "own"):
        raise BadInputError(f"options: unknown budgets {budgets!r}")
    shared = stage_latency(network, own["shared"], point, len(network["layer_latency_s"]))
    lines += overloaded(own["shared"], shared, everything)
    longest = ZERO
    for head in own["heads"]:
        some, latency = [fragments[name] for name in head["fragments"]], ZERO
        if head.get("stage") is not None:
            latency = stage_latency(network, head["stage"], some[0]["partition_point"], point)
            lines += overloaded(head["stage"], latency, some)
        longest = max(longest, latency)
        for f in some:
            # A request waits at most as long as it executes ("Time").
            within = budget[f["name"]] if budgets == "own" else min(budget.values())
            if 2 * (latency + shared) > within:
                lines.append(f"fragment {f['name']} takes {float(2 * (latency + shared))} s of {float(within)} s")
    return longest + shared, lines


def outside(own: Fields, everything: list[Fields], options: Fields) -> list[str]:
    """The rules of the plan space that a set breaks ("Plan space")."""
    lines = []
    most = optional(options, "max_members", int, None)
    if most is not None and len(everything) > most:
        lines.append(f"{len(everything)} fragments, at most {most} may share instances")
    most = optional(options, "max_instances", int, None)
    if most is not None and any(stage["instances"] > most for stage in stages(own)):
        lines.append(f"a stage has more than {most} instances")
    sharing = optional(options, "sharing", str, "realigned")
    if sharing not in ("alone", "uniform", "realigned"):
        raise BadInputError(f"options: unknown sharing {sharing!r}")
    if sharing != "realigned" and len(stages(own)) > 1:
        lines.append("fragments are realigned")
    if sharing == "alone" and len(everything) > 1:
        lines.append("fragments share instances")
    if sharing == "uniform" and len({(f["partition_point"], Fraction(f["budget_s"])) for f in everything}) > 1:
        lines.append("fragments that are not alike share instances")
    return lines


def stage_latency(network: Fields, stage: Fields, first: int, end: int) -> Fraction:
    """Seconds that a batch takes in layers `first` to `end`, without the last ("A stage runs a range of layers")."""
    j, k = network["batches"].index(stage["batch"]), network["shares_pct"].index(stage["share_pct"])
    rows = network["layer_latency_s"][first:end]
    return sum((number({"s": row[j][k]}, "s", "network", above=0) for row in rows), ZERO)


def overloaded(stage: Fields, latency: Fraction, some: list[Fields]) -> list[str]:
    """Whether instances serve less than the rates of their fragments ("Rate")."""
    rate = sum((number(f, "rate_rps", f["name"], above=0) for f in some), ZERO)
    serves = stage["instances"] * stage["batch"] / latency
    return [f"a stage serves {float(serves)} of {float(rate)} requests per second"] if serves < rate else []


# The program

FAMILIES = {
    "euclio/session/1": price_session,
    "euclio/pipeline/1": price_cluster,
    "euclio/fragments/1": price_fleet,
}


def price(instance: Fields, result: Fields) -> Priced:
    """Price the plan of a result, and compare the figures of its file."""
    family = FAMILIES.get(str(instance.get("schema")))
    if family is None or result.get("schema") != "euclio/result/1":
        raise BadInputError("needed are an instance and a result of it, in euclio's schemas")
    if result.get("instance") != instance.get("name"):
        raise BadInputError(f"the result is of {result.get('instance')!r}, not of {instance.get('name')!r}")
    if result.get("changes") is not None or not isinstance(result.get("plan"), dict):
        raise BadInputError("the result has no plan, or is of a changed instance, which this program does not cover")
    if not isinstance(result.get("options"), dict):
        raise BadInputError("the result has no options, which say what plans it may have")
    try:
        found = family(instance, result["options"], result["plan"])
    except (TypeError, AttributeError, KeyError, IndexError) as error:
        raise BadInputError(f"a part is of another kind than it has to be: {error}") from None
    if found.value is None:
        return found
    written = {found.field: (number({found.field: None, **result}, found.field, "result"), found.value)}
    for name, (said, computed) in {**written, **found.figures}.items():
        if abs(said - computed) > SLACK * abs(computed):
            found.broken.append(f"{name} is written as {float(said)}, and is {float(computed)}")
    return found


def words(found: Priced) -> str:
    """The value of a plan in one line, with the exact fraction where it is short and no decimal is exact."""
    if found.value is None:
        return "no value"
    name, unit = found.unit
    shown, text = f"{Decimal(repr(float(found.value))):f}".removesuffix(".0"), str(found.value)
    exact = f" (exactly {text})" if Fraction(shown) != found.value and len(text) <= 40 else ""
    return f"{name} {shown} {unit}{exact}"


def check(instance: Path, plan: Path) -> tuple[bool, str]:
    """Whether a plan keeps all rules, and a line on it, followed by one per broken rule."""
    try:
        found = price(read(instance), read(plan))
    except BadInputError as error:
        raise BadInputError(f"{plan}: {error}") from None
    lines = [f"{plan.stem}: {'refused' if found.broken else 'feasible'}, {words(found)}", *found.broken]
    return not found.broken, "\n  ".join(lines)


def check_all(folder: Path) -> int:
    """Price the plans of an exported set; prints the refused ones and the number of all."""
    instances = [path for room in ("sessions", "clusters", "fleets") for path in sorted((folder / room).glob("*.json"))]
    if not instances:
        raise BadInputError(f"{folder}: has no instances in sessions, clusters or fleets")
    good = 0
    for path in instances:
        feasible, line = check(path, folder / "best" / path.name)
        good += feasible
        if not feasible:
            print(line, flush=True)
    print(f"{good} of {len(instances)} plans keep all rules and have the value that their file says")
    return 0 if good == len(instances) else 1


def main(arguments: list[str]) -> int:
    """Run the program."""
    if len(arguments) != 2:
        print("usage: check_plan.py INSTANCE.json PLAN.json, or check_plan.py --all DIR", file=sys.stderr)
        return 2
    try:
        if arguments[0] == "--all":
            return check_all(Path(arguments[1]))
        feasible, line = check(Path(arguments[0]), Path(arguments[1]))
    except BadInputError as error:
        print(error, file=sys.stderr)
        return 2
    print(line)
    return 0 if feasible else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
