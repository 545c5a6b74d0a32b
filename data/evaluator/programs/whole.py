"""Whole machines, greedily: one configuration per module, and the moves that save most cost per second of latency."""

import math

# EVOLVE-BLOCK-START


def solve(instance):
    """A plan of a session whose machines are paid for whole: for each module the machines of one configuration."""
    price = {h["name"]: h["price_per_h"] for h in instance["hardware"]}
    edges, slo = instance.get("edges", []), instance["slo_s"] * (1 - 1e-9)
    options = {m["name"]: [option(c, price, m["rate_rps"]) for c in m["profile"]] for m in instance["modules"]}
    chosen = {m: min(found, key=lambda one: one[1]) for m, found in options.items()}
    while True:
        latency = {m: one[1] for m, one in chosen.items()}
        best, move = 0, None
        for m, found in options.items():
            room = slo - outside(m, edges, latency)
            for one in found:
                saved, longer = chosen[m][0] - one[0], one[1] - latency[m]
                if saved > 1e-9 and one[1] <= room:
                    value = 1e300 if longer <= 0 else saved / longer
                    best, move = max((best, move), (value, (m, one)), key=lambda pair: pair[0])
        if move is None:
            return {"modules": [{"name": m, **one[2]} for m, one in chosen.items()]}
        chosen[move[0]] = move[1]


def option(c, price, rate):
    """Cost, latency and plan of a module on so many whole machines of one configuration; dummies fill the last."""
    speed = c["batch"] * c["concurrency"] / c["duration_s"]
    count = math.ceil(rate / speed - 1e-9)
    plan = {"dummy_rps": max(0.0, count * speed - rate), "allocations": [{**c, "machines": count, "partial_rps": 0}]}
    return count * price[c["hardware"]], c["duration_s"] + c["batch"] / (count * speed), plan


def outside(m, edges, latency):
    """The longest path before and after a module, without it."""

    def before(b):
        return max((before(a) + latency[a] for a, end in edges if end == b), default=0)

    def after(a):
        return max((after(b) + latency[b] for start, b in edges if start == a), default=0)

    return before(m) + after(m)


# EVOLVE-BLOCK-END
