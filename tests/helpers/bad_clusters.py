"""Cluster files that are wrong in one place each."""

from functools import partial

import edited_json
from tiny_clusters import TEXT

changed, without = partial(edited_json.changed, TEXT), partial(edited_json.without, TEXT)


def renamed(old, new):
    return TEXT.replace(f'"{old}"', f'"{new}"', 1)


SEE = ("models", 0)


ROWS = (*SEE, "block_latency_s", "big")


BAD_TEXTS = {
    "unknown field": (changed("gpus", 0, "memory", 1), "gpus[0].memory: is an unknown field; remove it (known: "),
    "slo without unit": (renamed("slo_s", "slo"), "models[0].slo: has no unit; write `slo_s`, in seconds"),
    "slo in milliseconds": (
        renamed("slo_s", "slo_ms"),
        "models[0].slo_ms: is not known in this unit; write `slo_s`, in seconds",
    ),
    "rate without unit": (
        renamed("rate_rps", "rate"),
        "models[0].batch_build.rate: has no unit; write `rate_rps`, in requests per second",
    ),
    "transfer without unit": (
        renamed("transfer_s_per_request", "transfer"),
        "models[0].transfer: has no unit; write `transfer_s_per_request`, in seconds per request",
    ),
    "missing weight": (without(*SEE, "weight"), "models[0].weight: is missing; add it"),
    "missing margin": (without(*SEE, "margin_s"), "models[0].margin_s: is missing; add it, in seconds"),
    "count 0": (changed("gpus", 0, "count", 0), "gpus[0].count: is 0; it must be a whole number from 1 to 1000000"),
    "half a GPU": (changed("gpus", 0, "count", 1.5), "gpus[0].count: is 1.5; it must be a whole number"),
    "negative price": (changed("gpus", 0, "price_per_h", -1), "gpus[0].price_per_h: is -1; it must be at least 0"),
    "duplicate type": (changed("gpus", 1, "name", "big"), "gpus[1].name: 'big' is listed twice; rename one"),
    "duplicate model": (changed("models", 1, "name", "see"), "models[1].name: 'see' is listed twice; rename one"),
    "no models": (changed("models", []), "models: is empty; give at least one"),
    "no partitions": (changed("max_partitions", 0), "max_partitions: is 0; it must be a whole number from 1 to"),
    "text for a flag": (changed("unify_batch", "yes"), "unify_batch: is the text 'yes'; it must be true or false"),
    "margin takes all": (
        changed(*SEE, "margin_s", 0.1),
        "models[0].margin_s: takes the whole SLO; it must be less than slo_s",
    ),
    "negative factor": (
        changed(*SEE, "batch_build", "factor", -1),
        "models[0].batch_build.factor: is -1; it must be at least 0",
    ),
    "negative transfer": (
        changed(*SEE, "transfer_s_per_request", 0, -0.001),
        "models[0].transfer_s_per_request[0]: is -0.001; it must be at least 0",
    ),
    "block too many": (
        changed(*ROWS, "2", [[0.018], [0.035], [0.01]]),
        "models[0].block_latency_s.big.2: has 3 blocks, but transfer_s_per_request has 1 entries and so there are 2",
    ),
    "no batches": (
        changed(*ROWS, "2", [[0.018], []]),
        "models[0].block_latency_s.big.2[1]: is empty; give the latency of batch 1 at least",
    ),
    "no share 1": (
        without(*ROWS, "1"),
        "models[0].block_latency_s.big.1: is missing; add the block latencies on the whole GPU (share 1)",
    ),
    "no profiles": (
        changed(*SEE, "block_latency_s", {}),
        "models[0].block_latency_s: is empty; give the block latencies of at least one GPU type",
    ),
    "share in words": (
        changed(*ROWS, "half", [[0.018], [0.035]]),
        'models[0].block_latency_s.big.half: is no share; write v for the v-th part of a GPU, such as "2"',
    ),
    "share as fraction": (
        changed(*ROWS, "0.5", [[0.018], [0.035]]),
        "models[0].block_latency_s.big.'0.5': is no share; write v for",
    ),
    "unknown type": (
        changed(*SEE, "block_latency_s", "huge", {"1": [[1], [1]]}),
        "models[0].block_latency_s: unknown GPU type 'huge'; add it to `gpus` (known: big, small)",
    ),
    "zero latency": (
        changed(*ROWS, "1", 0, 1, 0),
        "models[0].block_latency_s.big.1[0][1]: is 0; it must be greater than 0",
    ),
    "text for a latency": (
        changed(*ROWS, "1", 0, 1, "0.1"),
        "models[0].block_latency_s.big.1[0][1]: is the text '0.1'; it must be a number, without quotes",
    ),
    "not a number": (
        changed(*ROWS, "1", 0, 1, float("nan")),
        "models[0].block_latency_s.big.1[0][1]: is NaN; give a finite decimal number",
    ),
    "row for a share": (changed(*ROWS, "1", 0.01), "models[0].block_latency_s.big.1: is 0.01; it must be a list"),
    "list for shares": (changed(*ROWS, [0.01]), "models[0].block_latency_s.big: is a list; it must be an object"),
    "key twice": (
        TEXT.replace('"2": [[0.018]', '"1": [[0.018]', 1),
        "models[0].block_latency_s.big.1: is written twice in one object; keep one of them",
    ),
    "a session": (changed("schema", "euclio/session/1"), "schema: is the text 'euclio/session/1'; a file of schema"),
    "wrong version": (
        changed("schema", "euclio/pipeline/2"),
        "schema: is version 'euclio/pipeline/2'; this release reads euclio/pipeline/1",
    ),
}
