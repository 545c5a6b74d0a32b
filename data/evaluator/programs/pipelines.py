"""Whole models on whole GPUs: the model that is served least per weight gets the next GPU."""

# EVOLVE-BLOCK-START


def solve(instance):
    """A plan of a cluster: its pipelines, each of one partition."""
    free = {g["name"]: g["count"] for g in instance["gpus"]}
    best = {m["name"]: {gpu: fastest(m, gpu) for gpu in free} for m in instance["models"]}
    weight = {m["name"]: m["weight"] for m in instance["models"]}
    served, taken = dict.fromkeys(best, 0.0), {}
    while True:
        choices = [
            (served[m] / weight[m], -found[0], m, gpu)
            for m, gpus in best.items()
            for gpu, found in gpus.items()
            if free[gpu] and found
        ]
        if not choices:
            break
        _, _, m, gpu = min(choices)
        free[gpu] -= 1
        taken[m, gpu] = taken.get((m, gpu), 0) + 1
        served[m] += best[m][gpu][0]
    blocks = {m["name"]: len(m["transfer_s_per_request"]) for m in instance["models"]}
    return {"pipelines": [pipeline(m, gpu, best[m][gpu][1], n, blocks[m]) for (m, gpu), n in taken.items()]}


def fastest(model, gpu):
    """Requests per second of a whole model on a GPU, and its batch: the largest in time; None if there is none."""
    found, build = None, model.get("batch_build", {"factor": 0, "rate_rps": 1})
    table = model["block_latency_s"].get(gpu, {}).get("1", [])
    for batch in range(1, 1 + min(map(len, table), default=0)):
        latency = sum(block[batch - 1] for block in table)
        delay = build["factor"] * (batch - 1) / build["rate_rps"]
        if latency + delay <= (model["slo_s"] - model.get("margin_s", 0)) * (1 - 1e-9):
            found = max(found or (0, 0), (batch / latency, batch))
    return found


def pipeline(model, gpu, batch, count, cuts):
    """A pipeline of one partition with all blocks, of which there is one more than cuts between them."""
    whole = {"gpu": gpu, "share": 1, "gpus": count, "first_block": 0, "last_block": cuts}
    return {"model": model, "batch": batch, "partitions": [whole]}


# EVOLVE-BLOCK-END
