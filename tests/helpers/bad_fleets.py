"""Fleet files that are wrong in one place each, with what is said of them."""

from functools import partial

import edited_json
from tiny_fleets import TEXT

changed, without = partial(edited_json.changed, TEXT), partial(edited_json.without, TEXT)


NET, ONE = ("network",), ("fragments", 1)
LAYERS = (*NET, "layer_latency_s")


def _limited(**memory):
    """The fleet's text with the memory of a GPU, and figures for it."""
    text = changed(*NET, "server", {"gpu_memory_mb": 11000})
    for field, value in memory.items():
        text = edited_json.changed(text, *NET, field, value)
    return text


BAD_TEXTS = {
    "unknown field": (changed(*NET, "colour", 1), "network.colour: is an unknown field; remove it (known: "),
    "budget without unit": (
        TEXT.replace("budget_s", "budget", 1),
        "fragments[0].budget: has no unit; write `budget_s`, in seconds",
    ),
    "budget in milliseconds": (
        TEXT.replace("budget_s", "budget_ms", 1),
        "fragments[0].budget_ms: is not known in this unit; write `budget_s`, in seconds",
    ),
    "missing rate": (without(*ONE, "rate_rps"), "fragments[1].rate_rps: is missing; add it, in requests per second"),
    "point outside": (
        changed(*ONE, "partition_point", 2),
        "fragments[1].partition_point: is 2, outside of the network; its layers are 0 to 1",
    ),
    "point below 0": (
        changed(*ONE, "partition_point", -1),
        "fragments[1].partition_point: is -1; it must be the first layer on the server, a whole number from 0",
    ),
    "half a layer": (
        changed(*ONE, "partition_point", 0.5),
        "fragments[1].partition_point: is 0.5; it must be a whole number",
    ),
    "budget 0": (changed(*ONE, "budget_s", 0), "fragments[1].budget_s: is 0; it must be greater than 0"),
    "rate 0": (changed(*ONE, "rate_rps", 0), "fragments[1].rate_rps: is 0; it must be greater than 0"),
    "rate is NaN": (TEXT.replace(": 100}", ": NaN}"), "NaN"),
    "name twice": (changed(*ONE, "name", "a"), "fragments[1].name: 'a' is listed twice; rename one"),
    "no fragments": (changed("fragments", []), "fragments: is empty; give at least one"),
    "no layers": (changed(*LAYERS, []), "network.layer_latency_s: is empty; give the latencies of at least one layer"),
    "latency 0": (
        changed(*LAYERS, 0, 0, 0, 0),
        "network.layer_latency_s[0][0][0]: is 0; it must be greater than 0",
    ),
    "a batch too few": (
        changed(*LAYERS, 1, [[0.01, 0.006]]),
        "network.layer_latency_s[1]: has 1 entries; give 2, one per batch size in `batches`",
    ),
    "a share too many": (
        changed(*LAYERS, 1, 0, [0.01, 0.006, 0.005]),
        "network.layer_latency_s[1][0]: has 3 entries; give 2, one per share in `shares_pct`",
    ),
    "share above a GPU": (
        changed(*NET, "shares_pct", [50, 101]),
        "network.shares_pct[1]: is 101; an instance has at most 100 % of a GPU",
    ),
    "share 0": (
        changed(*NET, "shares_pct", [0, 50]),
        "network.shares_pct[0]: is 0; it must be a whole number from 1 to 1000000",
    ),
    "shares not ascending": (
        changed(*NET, "shares_pct", [50, 50]),
        "network.shares_pct[1]: is 50 after 50; list them ascending, each once",
    ),
    "a memory too few": (
        changed(*NET, "layer_memory_mb", [60]),
        "network.layer_memory_mb: has 1 entries; give 2, one per layer in `layer_latency_s`",
    ),
    "memory below 0": (
        changed(*NET, "layer_memory_mb", [60, -1]),
        "network.layer_memory_mb[1]: is -1; it must be at least 0",
    ),
    "memory of an instance 0": (
        changed(*NET, "instance_memory_mb", 0),
        "network.instance_memory_mb: is 0; it must be greater than 0",
    ),
    "memory as a text": (
        changed(*NET, "instance_memory_mb", "500 MB"),
        "network.instance_memory_mb: is the text '500 MB'; it must be a number",
    ),
    "memory of an instance is NaN": (
        TEXT.replace('"name": "even",', '"name": "even", "instance_memory_mb": NaN,'),
        "NaN",
    ),
    "memory in gigabytes": (
        changed(*NET, "server", {"gpu_memory_gb": 11}),
        "network.server.gpu_memory_gb: is not known in this unit; write `gpu_memory_mb`, in megabytes",
    ),
    "memory of a GPU 0": (
        changed(*NET, "server", {"gpu_memory_mb": 0}),
        "network.server.gpu_memory_mb: is 0; it must be greater than 0",
    ),
    "memory of a GPU below 0": (
        changed(*NET, "server", {"gpu_memory_mb": -11000}),
        "network.server.gpu_memory_mb: is -11000; it must be greater than 0",
    ),
    "no instances on a GPU": (
        changed(*NET, "server", {"gpu_instances": 0}),
        "network.server.gpu_instances: is 0; it must be a whole number from 1 to 1000000",
    ),
    "a server without limits": (
        changed(*NET, "server", {}),
        "network.server: limits nothing; give gpu_memory_mb or gpu_instances, or leave it out",
    ),
    "a limit without figures": (
        changed(*NET, "server", {"gpu_memory_mb": 11000}),
        "network.layer_memory_mb: is missing, next to server.gpu_memory_mb; give the megabytes of each layer, or those",
    ),
    "a process larger than a GPU": (
        _limited(instance_memory_mb=11001),
        "network.instance_memory_mb: is 11001, more than the 11000 MB of a GPU (server.gpu_memory_mb); no instance",
    ),
    "a layer larger than a GPU": (
        _limited(layer_memory_mb=[60, 10601], instance_memory_mb=400),
        "network.layer_memory_mb[1]: is 10601, with instance_memory_mb 400 more than the 11000 MB of a GPU",
    ),
    "no batches": (changed(*NET, "batches", []), "network.batches: is empty; give at least one"),
}
