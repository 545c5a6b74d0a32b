"""Equal fragments together, each set at its least share of a GPU (as GSLICE+ in Graft, §5.3)."""

import math

# EVOLVE-BLOCK-START


def solve(instance):
    """A plan of a fleet: its realigned sets."""
    alike = {}
    for f in instance["fragments"]:
        alike.setdefault((f["partition_point"], f["budget_s"]), []).append(f)
    return {"sets": [one for (point, budget), group in alike.items() for one in served(instance, point, budget, group)]}


def served(instance, point, budget, group):
    """One set of all the fragments, or one of each if that takes less."""
    together = least(instance["network"], point, budget, sum(f["rate_rps"] for f in group))
    alone = [least(instance["network"], point, budget, f["rate_rps"]) for f in group]
    if sum(cost for cost, _ in alone) < together[0]:
        return [one_set(point, stage, [f]) for (_, stage), f in zip(alone, group, strict=True)]
    return [one_set(point, together[1], group)]


def least(network, point, budget, rate):
    """The least share that serves a rate from a layer on within a budget, and the stage; half the budget is waiting."""
    found = []
    for b, batch in enumerate(network["batches"]):
        for s, share in enumerate(network["shares_pct"]):
            latency = sum(layer[b][s] for layer in network["layer_latency_s"][point:])
            if 2 * latency <= budget * (1 - 1e-9):
                count = math.ceil(rate * latency / batch - 1e-9)
                found.append((count * share, {"batch": batch, "share_pct": share, "instances": count}))
    return min(found, key=lambda one: one[0])


def one_set(point, stage, group):
    """A set without own stages: all its fragments begin at its re-partition point."""
    heads = [{"fragments": [f["name"] for f in group]}]
    return {"repartition_point": point, "shared": stage, "heads": heads}


# EVOLVE-BLOCK-END
