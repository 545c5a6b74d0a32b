"""Equal shares of the SLO along each path, and in its share each module's cheapest single configuration."""

import math

# EVOLVE-BLOCK-START


def solve(instance):
    """A plan of a session: for each module the machines of one configuration."""
    price = {h["name"]: h["price_per_h"] for h in instance["hardware"]}
    edges, modules = instance.get("edges", []), instance["modules"]
    first, last = {m["name"]: 1 for m in modules}, {m["name"]: 1 for m in modules}
    for _ in modules:  # the number of modules on the longest chain up to each module, and from it on
        for a, b in edges:
            first[b], last[a] = max(first[b], first[a] + 1), max(last[a], last[b] + 1)
    plans = []
    for m in modules:
        budget = instance["slo_s"] * (1 - 1e-9) / (first[m["name"]] + last[m["name"]] - 1)
        found = [plan for c in m["profile"] for plan in plans_of(c, price[c["hardware"]], m["rate_rps"])]
        # The cheapest in time, or the fastest if none is in time.
        best = min(found, key=lambda plan: (0, plan[0]) if plan[1] <= budget else (1, plan[1]))
        plans.append({"name": m["name"], **best[2]})
    return {"modules": plans}


def plans_of(c, price, rate):
    """The plans of one configuration with cost and latency: a partial machine, or dummies that fill it."""
    speed = c["batch"] * c["concurrency"] / c["duration_s"]
    whole, closing = int(rate // speed), math.ceil(rate / speed - 1e-9)
    left = rate - whole * speed
    if left > 1e-9 * rate:
        plan = {"dummy_rps": 0, "allocations": [{**c, "machines": whole, "partial_rps": left}]}
        yield rate / speed * price, c["duration_s"] + c["batch"] / left, plan
    dummy = max(0.0, closing * speed - rate)
    plan = {"dummy_rps": dummy, "allocations": [{**c, "machines": closing, "partial_rps": 0}]}
    yield closing * price, c["duration_s"] + c["batch"] / (closing * speed), plan


# EVOLVE-BLOCK-END
