"""Plans of the benchmark set, each with one rule broken: changes of an instance or of its result as plain data.

A change returns whether it could be made; the first instance on which it can is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Data = dict[str, Any]
Change = Callable[[Data, Data], bool]
NEARLY = 1 - 1e-9


def _module(result: Data, good: Callable[[Data], bool]) -> Data | None:
    return next((module for module in result["plan"]["modules"] if good(module)), None)


def _allocation(result: Data, good: Callable[[Data], bool]) -> Data | None:
    return next((a for module in result["plan"]["modules"] for a in module["allocations"] if good(a)), None)


def _in_allocation(good: Callable[[Data], bool], change: Callable[[Data], object]) -> Change:
    def changed(instance: Data, result: Data) -> bool:
        found = _allocation(result, good)
        if found is not None:
            change(found)
        return found is not None

    return changed


def _in_module(good: Callable[[Data], bool], change: Callable[[Data], object]) -> Change:
    def changed(instance: Data, result: Data) -> bool:
        found = _module(result, good)
        if found is not None:
            change(found)
        return found is not None

    return changed


def _in_options(good: Callable[[Data, Data], bool] = lambda instance, result: True, **options: object) -> Change:
    def changed(instance: Data, result: Data) -> bool:
        if good(instance, result):
            result["options"].update(options)
            return True
        return False

    return changed


def _several(module: Data) -> bool:
    return len(module["allocations"]) > 1


def _mixes(instance: Data, result: Data) -> bool:
    return len({a["hardware"] for m in result["plan"]["modules"] for a in m["allocations"]}) > 1


def _other_hardware_only(instance: Data, result: Data) -> bool:
    used = result["plan"]["modules"][0]["allocations"][0]["hardware"]
    others = [h["name"] for h in instance["hardware"] if h["name"] != used]
    result["options"]["hardware"] = others
    return bool(others)


def _shorter_slo(instance: Data, result: Data) -> bool:
    instance["slo_s"] = result["plan"]["latency_s"] * NEARLY
    return True


def _empty_last(instance: Data, result: Data) -> bool:
    """A second allocation without machines behind one whose whole machines serve everything."""
    for own, module in zip(instance["modules"], result["plan"]["modules"], strict=True):
        (last, *_), name = module["allocations"][::-1], "duration_s"
        worse = [
            c
            for c in own["profile"]
            if c["hardware"] == last["hardware"]
            and c["batch"] * c["concurrency"] / c[name] < last["batch"] * last["concurrency"] / last[name]
        ]
        if worse and module["dummy_rps"] > 0 and not last["partial_rps"]:
            module["allocations"].append({**worse[0], "machines": 0, "partial_rps": 0})
            return True
    return False


def _written(field: str) -> Change:
    def changed(instance: Data, result: Data) -> bool:
        result[field] *= 1 + 1e-6
        return True

    return changed


def _whole(a: Data) -> bool:
    return bool(a["machines"])


SESSIONS: dict[str, Change] = {
    "a module without an allocation": _in_module(lambda m: True, lambda m: m.update(allocations=[])),
    "too many allocations": _in_options(lambda _, result: _module(result, _several) is not None, max_allocations=1),
    "a configuration that is not in the profile": _in_allocation(
        lambda a: True, lambda a: a.update(duration_s=a["duration_s"] * 2)
    ),
    "hardware that the space leaves out": _other_hardware_only,
    "a batch where none is allowed": _in_options(
        lambda _, result: _allocation(result, lambda a: a["batch"] > 1) is not None, batching=False
    ),
    "concurrency where none is allowed": _in_options(
        lambda _, result: _allocation(result, lambda a: a["concurrency"] > 1) is not None, concurrency=False
    ),
    "less than no machines": _in_allocation(_whole, lambda a: a.update(machines=-a["machines"])),
    "allocations out of order": _in_module(_several, lambda m: m["allocations"].reverse()),
    "the same allocation twice": _in_module(
        lambda m: _whole(m["allocations"][0]), lambda m: m["allocations"].insert(0, dict(m["allocations"][0]))
    ),
    "an allocation before the last without a machine": _in_module(
        _several, lambda m: m["allocations"][0].update(machines=0)
    ),
    "a partial machine before the last allocation": _in_module(
        _several, lambda m: m["allocations"][0].update(partial_rps=0.5)
    ),
    "a machine too many": _in_module(
        lambda m: True, lambda m: m["allocations"][-1].update(machines=m["allocations"][-1]["machines"] + 2)
    ),
    "a machine too few": _in_allocation(_whole, lambda a: a.update(machines=a["machines"] - 1)),
    "an empty last allocation": _empty_last,
    "dummies where none are allowed": _in_options(
        lambda _, result: _module(result, lambda m: m["dummy_rps"] > 0) is not None, dummy="none"
    ),
    "another partial rate": _in_allocation(
        lambda a: a["partial_rps"] > 0, lambda a: a.update(partial_rps=a["partial_rps"] * 1.01)
    ),
    "another dummy rate": _in_module(lambda m: m["dummy_rps"] > 0, lambda m: m.update(dummy_rps=m["dummy_rps"] * 1.01)),
    "two types of hardware": _in_options(_mixes, single_hardware=True),
    "a policy under which it takes longer": _in_options(
        lambda _, result: result["options"]["policy"] == "tc", policy="rr"
    ),
    "a shorter latency objective": _shorter_slo,
    "another cost than it says": _written("cost_per_h"),
    "another latency than it says": lambda _, result: (
        not result["plan"].update(latency_s=result["plan"]["latency_s"] * 1.01)
    ),
    "a module left out": lambda _, result: bool(result["plan"]["modules"].pop()),
    "an unknown policy": _in_options(policy="best"),
}


def _partition(result: Data, good: Callable[[Data], bool] = lambda part: True) -> Data | None:
    return next((q for p in result["plan"]["pipelines"] for q in p["partitions"] if good(q)), None)


def _in_partition(good: Callable[[Data], bool], change: Callable[[Data], object]) -> Change:
    def changed(instance: Data, result: Data) -> bool:
        found = _partition(result, good)
        if found is not None:
            change(found)
        return found is not None

    return changed


def _long(result: Data) -> Data | None:
    return next((p for p in result["plan"]["pipelines"] if len(p["partitions"]) > 1), None)


def _in_long(change: Callable[[Data], object]) -> Change:
    def changed(instance: Data, result: Data) -> bool:
        found = _long(result)
        if found is not None:
            change(found)
        return found is not None

    return changed


def _move(part: Data, blocks: int) -> None:
    part["first_block"] += blocks


def _fewer_gpus(instance: Data, result: Data) -> bool:
    used = result["plan"]["pipelines"][0]["partitions"][0]
    gpu = next(g for g in instance["gpus"] if g["name"] == used["gpu"])
    gpu["count"] = 1
    return used["gpus"] > used["share"]


def _tighter(instance: Data, result: Data) -> bool:
    for model in instance["models"]:
        model["margin_s"] = model["slo_s"] * (1 - 1e-6)
    return True


def _more_load(instance: Data, result: Data) -> bool:
    for model in instance["models"]:
        if "rate_rps" in model:
            model["rate_rps"] *= 1000
    return result["options"]["objective"] == "cost"


def _unserved(instance: Data, result: Data) -> bool:
    last = instance["models"][-1]["name"]
    result["plan"]["pipelines"] = [p for p in result["plan"]["pipelines"] if p["model"] != last]
    return len(instance["models"]) > 1


def _repeated_sequence(instance: Data, result: Data) -> bool:
    result["options"]["one_per_sequence"] = True
    kinds = [(p["model"], *(q["gpu"] for q in p["partitions"])) for p in result["plan"]["pipelines"]]
    return len(set(kinds)) < len(kinds)


def _second_batch(instance: Data, result: Data) -> bool:
    found = _long(result)
    if found is None or found["batch"] == 1:
        return False
    found["partitions"][1]["batch"] = 1
    return bool(instance["unify_batch"])


CLUSTERS: dict[str, Change] = {
    "too many partitions": _in_options(lambda _, result: _long(result) is not None, max_partitions=1),
    "a block left out": _in_long(
        lambda p: p["partitions"][1].update(first_block=p["partitions"][1]["first_block"] + 1)
    ),
    "the last block left out": _in_partition(
        lambda q: q["last_block"] > q["first_block"], lambda q: q.update(last_block=q["last_block"] - 1)
    ),
    "a block twice": _in_long(lambda p: _move(p["partitions"][1], -1)),
    "a divided GPU where none may be": _in_options(
        lambda _, result: _partition(result, lambda q: q["share"] > 1) is not None, virtual_gpus=False
    ),
    "a batch that was not measured": lambda _, result: not result["plan"]["pipelines"][0].update(batch=10**5),
    "a share that was not measured": _in_partition(lambda q: True, lambda q: q.update(share=97)),
    "no GPU": _in_partition(lambda q: True, lambda q: q.update(gpus=0)),
    "more GPUs than there are": _fewer_gpus,
    "a shorter latency objective": _tighter,
    "two batches in a pipeline": _second_batch,
    "two pipelines on one sequence": _repeated_sequence,
    "a model that is not served": _unserved,
    "more load than is served": _more_load,
    "another throughput than it says": lambda _, result: (
        "throughput_rps" in result and _written("throughput_rps")(_, result)
    ),
    "another cost than it says": lambda _, result: "cost_per_h" in result and _written("cost_per_h")(_, result),
    "another rate than it says": lambda _, result: not result["plan"]["pipelines"][0].update(rate_rps=1),
    "an unknown model": lambda _, result: not result["plan"]["pipelines"][0].update(model="nobody"),
    "an unknown GPU": _in_partition(lambda q: True, lambda q: q.update(gpu="nothing")),
}


def _first(result: Data) -> Data:
    found: Data = result["plan"]["sets"][0]
    return found


def _in_first(change: Callable[[Data], object]) -> Change:
    def changed(instance: Data, result: Data) -> bool:
        change(_first(result))
        return True

    return changed


def _headed(result: Data) -> Data | None:
    return next((s for s in result["plan"]["sets"] if any("stage" in head for head in s["heads"])), None)


def _without_own_stage(instance: Data, result: Data) -> bool:
    found = _headed(result)
    if found is not None:
        for head in found["heads"]:
            head.pop("stage", None)
    return found is not None


def _too_early(instance: Data, result: Data) -> bool:
    """The shared stage begins before fragments do that are to reach it by a stage of their own."""
    found = _headed(result)
    if found is not None:
        found["repartition_point"] = 0
    return found is not None


def _less_time(instance: Data, result: Data) -> bool:
    for fragment in instance["fragments"]:
        fragment["budget_s"] = _first(result)["latency_s"]
    return True


def _more_rate(instance: Data, result: Data) -> bool:
    for fragment in instance["fragments"]:
        fragment["rate_rps"] *= 1000
    return True


def _mixed_head(instance: Data, result: Data) -> bool:
    begins = {f["name"]: f["partition_point"] for f in instance["fragments"]}
    for own in result["plan"]["sets"]:
        points = {begins[name] for head in own["heads"] for name in head["fragments"]}
        if len(own["heads"]) > 1 and len(points) > 1:
            first, second, *rest = own["heads"]
            own["heads"] = [{**first, "fragments": first["fragments"] + second["fragments"]}, *rest]
            return True
    return False


def _together(instance: Data, result: Data) -> bool:
    return any(len(head["fragments"]) > 1 for own in result["plan"]["sets"] for head in own["heads"])


def _members(own: Data) -> int:
    return sum(len(head["fragments"]) for head in own["heads"])


FLEETS: dict[str, Change] = {
    "a fragment that nobody serves": _in_first(lambda own: own["heads"][0]["fragments"].pop()),
    "a fragment that is served twice": lambda instance, result: (
        not _first(result)["heads"].append(dict(_first(result)["heads"][0]))
    ),
    "a set left out": lambda _, result: bool(result["plan"]["sets"].pop()),
    "a point outside of the network": _in_first(lambda own: own.update(repartition_point=10**4)),
    "a batch that was not measured": _in_first(lambda own: own["shared"].update(batch=10**5)),
    "a share that was not measured": _in_first(lambda own: own["shared"].update(share_pct=101)),
    "no instance": _in_first(lambda own: own["shared"].update(instances=0)),
    "no stage before the shared one": _without_own_stage,
    "a shared stage that begins too early": _too_early,
    "fragments of one head that begin apart": _mixed_head,
    "less time": _less_time,
    "more requests": _more_rate,
    "too many fragments in a set": _in_options(_together, max_members=1),
    "too many instances": _in_options(
        lambda _, result: any(own["shared"]["instances"] > 1 for own in result["plan"]["sets"]), max_instances=1
    ),
    "realigned where none may be": _in_options(lambda _, result: _headed(result) is not None, sharing="uniform"),
    "together where each is to be alone": _in_options(_together, sharing="alone"),
    "unlike fragments together": _in_options(
        lambda _, result: any(_members(own) > 3 for own in result["plan"]["sets"]) and _headed(result) is None,
        sharing="uniform",
    ),
    "another share than it says": _written("gpu_share_pct"),
    "another latency than it says": _in_first(lambda own: own.update(latency_s=own["latency_s"] * 1.01)),
    "an unknown fragment": _in_first(lambda own: own["heads"][0]["fragments"].append("nobody")),
}

SPOILT: dict[str, dict[str, Change]] = {"session": SESSIONS, "pipeline": CLUSTERS, "fragments": FLEETS}
