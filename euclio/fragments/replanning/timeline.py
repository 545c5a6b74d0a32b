"""Fleets by second: the fragments that clients leave to the server while their bandwidth moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from euclio.fragments.instance import Fleet
from euclio.fragments.workloads.clients import Client, draw_clients, fleet_now
from euclio.fragments.workloads.networks import find_model
from euclio.fragments.workloads.neurosurgeon import sending_s
from euclio.fragments.workloads.uplink import Trace


@dataclass(frozen=True, slots=True)
class Timeline:
    """Clients and their fleets, second by second.

    Attributes:
        name: what it is called.
        clients: the clients.
        fleets: the fleet of each second; a client that leaves nothing to the server in a second is not in it.
    """

    name: str
    clients: tuple[Client, ...]
    fleets: tuple[Fleet, ...]

    @property
    def changed(self) -> float:
        """Mean number of clients per second whose partition point or time budget is another one than before."""
        found = [_different(a, b) for a, b in pairwise(self.fleets)]
        return sum(found) / max(1, len(found))


def timeline(
    model: str, clients: int, tx2: int, seconds: int, seed: int, traces: Sequence[Trace] | None = None, name: str = ""
) -> Timeline:
    """Clients drawn as fleets are, followed for some seconds.

    Args:
        model: short name of the network.
        clients: number of clients.
        tx2: how many of them are Jetson TX2.
        seconds: how long they are followed.
        seed: seed of the clients and of their traces.
        traces: measured traces; None: seeded ones.
        name: what it is called; by default the network's short name.
    """
    drawn = draw_clients(find_model(model), clients, seed, tx2=tx2, traces=traces)
    name = name or model
    return Timeline(name, tuple(drawn), tuple(fleet_now(f"{name}-{t}", drawn, t) for t in range(seconds)))


def _different(before: Fleet, after: Fleet) -> int:
    a = {f.name: (f.partition_point, f.budget_s) for f in before.fragments}
    b = {f.name: (f.partition_point, f.budget_s) for f in after.fragments}
    return sum(a.get(name) != b.get(name) for name in a.keys() | b.keys())


def budget_at(client: Client, point: int, second: int) -> Fraction | None:
    """The time budget that a client leaves to the server if it cuts at a layer; None: it cannot send anything."""
    mbps = client.uplink_mbps(second)
    if not mbps:
        return None
    mobile = sum(client.model.mobile_s[client.device][:point], Fraction(0))
    return client.slo_s - mobile - sending_s(client.model, point, mbps)
