"""Where a client cuts its network: Neurosurgeon's least end-to-end latency (Graft §5.1, §9).

The latency is that of the client's layers, of sending what the last of them puts out, and of the server's layers at the
share and batch of Graft's Table II, 30 % and 1 (ours: the paper does not say which server latency decides).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

from euclio.problems.fragments.instance import Fragment
from euclio.problems.fragments.least_budget import quickest_budget_s
from euclio.workloads.fragments.networks import Device, Model

BITS = 8
MEGA = 1_000_000
BUDGET_STEP_S = Fraction(1, 1000)
"""What time budgets are whole multiples of (ours)."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A network cut in two.

    Attributes:
        point: first layer on the server; the number of layers: the client runs them all.
        mobile_s: seconds of the client's layers.
        sending_s: seconds that the link takes.
        server_s: seconds of the server's layers at Table II's share and batch.
    """

    point: int
    mobile_s: Fraction
    sending_s: Fraction
    server_s: Fraction

    @property
    def latency_s(self) -> Fraction:
        """Seconds from end to end."""
        return self.mobile_s + self.sending_s + self.server_s


def all_cuts(model: Model, device: Device, uplink_mbps: Fraction) -> list[Cut]:
    """Every way to cut a network, by partition point; the last leaves nothing to the server.

    Args:
        model: the network.
        device: the client's device.
        uplink_mbps: bandwidth in 10^6 bits per second; 0 means that nothing can be sent, and only the last is there.
    """
    before, done = _sums(model.mobile_s[device]), _sums(model.reference_s)
    after = [done[-1] - part for part in done]
    cuts = [Cut(model.layers, before[-1], Fraction(0), Fraction(0))]
    if uplink_mbps > 0:
        cuts = [Cut(p, before[p], sending_s(model, p, uplink_mbps), after[p]) for p in range(model.layers)] + cuts
    return cuts


def sending_s(model: Model, point: int, uplink_mbps: Fraction) -> Fraction:
    """Seconds that what is put out before a layer takes over a link, whose bandwidth is not 0."""
    return Fraction(BITS * model.sent_bytes[point]) / (MEGA * uplink_mbps)


@lru_cache(maxsize=64)
def _sums(layers: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Seconds of the layers before each, and of all."""
    return (Fraction(0), *accumulate(layers))


def best_cut(model: Model, device: Device, uplink_mbps: Fraction) -> Cut:
    """The cut of least latency from end to end; of several the one that leaves most to the server."""
    return min(all_cuts(model, device, uplink_mbps), key=lambda cut: (cut.latency_s, cut.point))


def fragment_of(
    name: str,
    model: Model,
    device: Device,
    uplink_mbps: Fraction,
    slo_s: Fraction,
    rate_rps: int,
    step_s: Fraction = BUDGET_STEP_S,
) -> Fragment | None:
    """What a client leaves to the server, with what its objective leaves of time, in whole steps.

    Budgets are rounded down (ours), so that clients whose bandwidth differs little have uniform fragments, as Graft
    §5.3 says of twenty of them.

    Args:
        name: name of the fragment.
        model: the network.
        device: the client's device.
        uplink_mbps: bandwidth in 10^6 bits per second.
        slo_s: latency objective in seconds, from end to end.
        rate_rps: requests per second.
        step_s: the steps of time budgets.

    Returns:
        The fragment; None if the client runs all layers itself, or no instance is fast enough for the server's part
        (Graft §5.10: Neurosurgeon may find no feasible partition point).
    """
    cut = best_cut(model, device, uplink_mbps)
    if cut.point == model.layers:
        return None
    budget = math.floor((slo_s - cut.mobile_s - cut.sending_s) / step_s) * step_s
    least = quickest_budget_s(model.network, cut.point)
    if least is None or budget < least:
        return None
    return Fragment(name, cut.point, budget, rate_rps)
