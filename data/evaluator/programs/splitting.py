"""Harpagon's latency splitter, scheduler and dummies in plain Python, without node merger and cost-direct (§III)."""

import math

# EVOLVE-BLOCK-START
SAVED, LONGER = 1.0, 1.0  # exponents of the cost that a move saves, and of the latency that it adds
SPREAD = 0.0  # exponent of the number of modules on the longest chain through a module
SLO = 1 - 1e-9  # part of the SLO that is planned for


def solve(instance):
    """A plan of a session: for each module its machines, best ratio of throughput and price first."""
    price = {h["name"]: h["price_per_h"] for h in instance["hardware"]}
    edges, slo = instance.get("edges", []), instance["slo_s"] * SLO
    rate = {m["name"]: m["rate_rps"] for m in instance["modules"]}
    ranked = {m["name"]: sorted(m["profile"], key=lambda c: rank(c, price)) for m in instance["modules"]}
    order = []
    while len(order) < len(rate):
        order += [b for b in rate if b not in order and all(a in order for a, c in edges if c == b)]
    chain = around(order, edges, dict.fromkeys(order, 1))

    def latency(m, c):
        return c["duration_s"] + c["batch"] / rate[m]

    def cost(m, c):
        return price[c["hardware"]] / throughput(c) * rate[m]

    # Algorithm 2: start with batch 1 on the most expensive hardware, or else fastest, and take the best move each time.
    chosen = {m: min(ranked[m], key=lambda c: (c["batch"], -price[c["hardware"]], c["concurrency"])) for m in order}
    now = {m: latency(m, c) for m, c in chosen.items()}
    if max(t + now[m] for m, t in around(order, edges, now).items()) > slo:
        chosen = {m: min(ranked[m], key=lambda c: latency(m, c)) for m in order}
    while True:
        now, best, move = {m: latency(m, c) for m, c in chosen.items()}, 0, None
        for m, others in around(order, edges, now).items():
            for c in ranked[m]:
                saved, longer = cost(m, chosen[m]) - cost(m, c), latency(m, c) - now[m]
                if saved > 1e-12 * cost(m, chosen[m]) and latency(m, c) <= slo - others:
                    value = 1e300 if longer <= 0 else saved**SAVED / longer**LONGER * (chain[m] + 1) ** SPREAD
                    best, move = max((best, move), (value, (m, c)), key=lambda pair: pair[0])
        if move is None:
            break
        chosen[move[0]] = move[1]
    # Algorithm 1 within these budgets, and then the rest of the SLO to the module that gains most, again and again.
    plans = {m: schedule(ranked[m], price, rate[m], latency(m, chosen[m])) for m in order}
    while all(plans.values()):
        gains = {}
        for m, others in around(order, edges, {m: plans[m][1] for m in order}).items():
            more = schedule(ranked[m], price, rate[m], slo - others)
            if more and more[0] < plans[m][0] * (1 - 1e-12):
                gains[m] = plans[m][0] - more[0], more
        if not gains:
            break
        m = max(gains, key=lambda m: gains[m][0])
        plans[m] = gains[m][1]
    return {"modules": [{"name": m, **plans[m][2]} for m in rate]}


def schedule(ranked, price, rate, budget):
    """The cheapest of Algorithm 1's plan and those that dummies close early: cost, latency and allocations, or None."""
    found, head, rest, spent, latest = [], [], rate, 0.0, 0.0
    for c in ranked:
        speed, hour = throughput(c), price[c["hardware"]]
        closing = math.ceil(rest / speed - 1e-9)  # machines that close the plan; dummies fill the last one
        late = max(latest, c["duration_s"] + c["batch"] / (closing * speed))
        if late <= budget:
            last = {**c, "machines": closing, "partial_rps": 0}
            dummy = sum(a["machines"] * throughput(a) for a in [*head, last]) - rate
            found.append((spent + closing * hour, late, {"dummy_rps": max(0.0, dummy), "allocations": [*head, last]}))
        whole = int(rest // speed)
        left = rest - whole * speed
        if left > 1e-9 * rate:
            late = max(latest, c["duration_s"] + c["batch"] / left, c["duration_s"] + c["batch"] / rest if whole else 0)
            if late <= budget:
                last = {**c, "machines": whole, "partial_rps": left}
                end = spent + whole * hour + left / speed * hour
                found.append((end, late, {"dummy_rps": 0, "allocations": [*head, last]}))
                break
        if whole and c["duration_s"] + c["batch"] / rest <= budget:
            head = [*head, {**c, "machines": whole, "partial_rps": 0}]
            latest, spent = max(latest, c["duration_s"] + c["batch"] / rest), spent + whole * hour
            if left <= 1e-9 * rate:
                break
            rest = left
    return min(found, key=lambda plan: plan[:2], default=None)


def around(order, edges, latency):
    """For each module the longest path before and after it, without the module."""
    before, after = dict.fromkeys(order, 0), dict.fromkeys(order, 0)
    place = {m: k for k, m in enumerate(order)}
    for a, b in sorted(edges, key=lambda edge: place[edge[0]]):
        before[b] = max(before[b], before[a] + latency[a])
    for a, b in sorted(edges, key=lambda edge: -place[edge[1]]):
        after[a] = max(after[a], after[b] + latency[b])
    return {m: before[m] + after[m] for m in order}


# EVOLVE-BLOCK-END
def throughput(c):
    """Requests per second of a machine: its batches at a time, over their duration."""
    return c["batch"] * c["concurrency"] / c["duration_s"]


def rank(c, price):
    """The order of allocations in a plan: descending ratio of throughput and price, with its ties."""
    ratio = price[c["hardware"]] / throughput(c)
    return ratio, c["duration_s"], c["batch"], c["hardware"], c["concurrency"]
