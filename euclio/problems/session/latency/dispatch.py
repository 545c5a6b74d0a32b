"""Worst-case latency under each dispatch policy, compiled (Harpagon §III-B, Theorem 1, Table III).

Solvers use these in floating point. The checker has its own, exact implementation.
"""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled, compiled_on_tables
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.policies.kernels import LEFT, TIED, own_latency

CLEAR_RATE = 1e-4
"""A rest of this share of a module's rate has lost four digits in floating point; the checker decides smaller ones."""
CLEAR_PATH = 1.0 - 10.0 * TIE
"""A path within this share of the SLO meets it in spite of rounding, also with a rest of `CLEAR_RATE`."""


@compiled_on_tables
def fits(latency: float, budget: float) -> bool:
    """Whether a latency is within a budget; a difference below rounding counts as equal."""
    return latency <= budget * (1.0 + TIE)


@compiled_on_tables
def configuration_latency(s: SessionArrays, k: int, rate: float) -> float:
    """Worst-case latency of configuration k with the whole rate: GetWCL of Algorithm 2."""
    if s.policy == LEFT or s.policy == TIED:
        return float(s.duration[k] + s.batch[k] / rate)
    if s.policy < LEFT:
        return full_latency(s, k)
    return _counted_latency(s.policy, s.duration[k], s.batch[k], s.throughput[k], rate)


@compiled_on_tables
def full_latency(s: SessionArrays, k: int) -> float:
    """Latency of a full machine of configuration k in seconds, in form `FIXED` or `EVEN`, where k alone decides it."""
    t = s.throughput[k]
    return own_latency(s.policy, 0.0, s.duration[k], s.batch[k], t, 1.0, 0.0, t, t)


@compiled_on_tables
def _counted_latency(code: int, d: float, b: float, t: float, rate: float) -> float:
    """Worst-case latency in seconds under a policy of form `EVEN` or `GENERAL`, which may ask for machine counts."""
    whole, rest = whole_and_rest(rate, t, rate)
    worst = own_latency(code, 0.0, d, b, t, float(whole), rest, rate, rate) if whole > 0 else 0.0
    return max(worst, own_latency(code, 1.0, d, b, t, float(whole), rest, rate, rate)) if rest > 0.0 else worst


@compiled_on_tables
def whole_latency(s: SessionArrays, k: int, machines: int, partial: float, left: float, tied: float) -> float:
    """Latency of a whole machine of configuration k, in seconds.

    Args:
        s: the session.
        k: the configuration.
        machines: whole machines of its allocation.
        partial: rate of the partial machine of its allocation; 0 means none.
        left: rate that is left when its allocation begins.
        tied: rate that is left when the first allocation of the same throughput-cost ratio begins.
    """
    if s.policy == LEFT or s.policy == TIED:
        return float(s.duration[k] + s.batch[k] / (tied if s.policy == TIED else left))
    return own_latency(s.policy, 0.0, s.duration[k], s.batch[k], s.throughput[k], float(machines), partial, left, tied)


@compiled_on_tables
def partial_latency(s: SessionArrays, k: int, machines: int, partial: float, left: float, tied: float) -> float:
    """Latency of a partial machine of configuration k, in seconds; arguments as for `whole_latency`."""
    if s.policy <= TIED:
        return float(s.duration[k] + s.batch[k] / (tied if s.policy == TIED else partial))
    return own_latency(s.policy, 1.0, s.duration[k], s.batch[k], s.throughput[k], float(machines), partial, left, tied)


@compiled_on_tables
def whole_and_rest(rate: float, throughput: float, module_rate: float) -> tuple[int, float]:
    """Whole machines that `rate` fills and the rate that is left; a rest within rounding is none."""
    whole = int(rate / throughput)
    rest = rate - whole * throughput
    if rest > throughput - TIE * module_rate:
        return whole + 1, 0.0
    if rest < TIE * module_rate:
        return whole, 0.0
    return whole, rest


@compiled_on_tables
def module_latency(s: SessionArrays, m: int, machines: Ints, partial_at: int, partial: float, dummy: float) -> float:
    """Largest latency over a module's machines, in seconds.

    Args:
        s: the session.
        m: the module.
        machines: whole machines per configuration of the session.
        partial_at: configuration of the partial machine; -1 means none.
        partial: its rate.
        dummy: dummy rate.
    """
    worst = 0.0
    w = s.rate[m] + dummy
    shared = w
    previous = -1
    tied = True
    for k in range(s.first[m], s.first[m + 1]):
        tied = tied and s.same_ratio[k]
        if machines[k] == 0 and k != partial_at:
            continue
        if previous < 0 or not tied:
            shared = w
        if machines[k] > 0:
            here = partial if k == partial_at else 0.0
            worst = max(worst, whole_latency(s, k, machines[k], here, w, shared))
        if k == partial_at:
            worst = max(worst, partial_latency(s, k, machines[k], partial, w, shared))
        w -= machines[k] * s.throughput[k]
        previous = k
        tied = True
    return worst


@compiled_on_tables
def path_times(s: SessionArrays, latency: Floats, before: Floats, after: Floats) -> float:
    """Longest path before and after each module (its own latency excluded); returns the longest path.

    Paths have the delays of their edges. The path after a module has the end of its last module. So the longest path is
    within `s.slo` if all objectives are kept, and a module's latency may be at most `s.slo - before - after`.

    Args:
        s: the session.
        latency: worst-case latency per module, shape (modules,), like the next two.
        before: filled with the longest path of ancestors.
        after: filled with the longest path of descendants.
    """
    longest = 0.0
    for m in s.order:
        before[m] = 0.0
        for i in range(s.parent_first[m], s.parent_first[m + 1]):
            p = s.parent[i]
            before[m] = max(before[m], before[p] + latency[p] + s.delay[i])
        # A module without an end has children, whose paths are longer; infinity less infinity would be no number.
        if s.end[m] > -np.inf:
            longest = max(longest, before[m] + latency[m] + s.end[m])
        after[m] = s.end[m]
    for m in s.order[::-1]:
        for i in range(s.parent_first[m], s.parent_first[m + 1]):
            p = s.parent[i]
            after[p] = max(after[p], after[m] + latency[m] + s.delay[i])
    return longest


@compiled
def clear_of_rounding(s: SessionArrays, latency: Floats, partial: Floats, dummy: Floats) -> bool:
    """Whether a plan obeys every rule by more than floats can err, so that the exact check cannot refuse it.

    Args:
        s: the session.
        latency: worst-case latency per module in seconds, shape (modules,), like the next two.
        partial: rate of the partial machine.
        dummy: dummy rate.
    """
    for m in range(s.rate.size):
        if max(partial[m], dummy[m]) < CLEAR_RATE * s.rate[m]:
            return False
    scratch = np.zeros(s.rate.size)
    return path_times(s, latency, scratch, np.zeros(s.rate.size)) < s.slo * CLEAR_PATH
