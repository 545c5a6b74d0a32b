"""Placement (Scrooge §3.4): partial allocations of any sessions share workers, best fit first.

Allocation says how many workers of which type; placement says which worker instance. A whole machine is an instance of
its own. A partial allocation takes the share f/F of a worker (input-rate proportionality: f of the F requests per
second that the worker sustains at this configuration). It goes to the worker of its type whose residual capacity fits
it best, else to a new instance. Allocations are placed in the order given, sessions first, then modules, as they would
arrive; ties go to the older instance.

Even policies (`rr-even`, `machine-rate-even`) leave no machine partial: of their plans this places what is charged, not
how requests are sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from euclio.problems.session import Plan, Session
from euclio.problems.session.packing import by_fit


@dataclass(frozen=True, slots=True)
class Tenant:
    """A partial allocation on a worker.

    Attributes:
        session: name of its session.
        module: name of its module.
        batch: batch of its configuration.
        concurrency: concurrency of its configuration.
        share: f/F, the part of the worker's capacity that it takes.
    """

    session: str
    module: str
    batch: int
    concurrency: int
    share: Fraction


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker instance that partial allocations share."""

    hardware: str
    tenants: tuple[Tenant, ...]

    @property
    def residual(self) -> Fraction:
        """Capacity that is left, as a share of the worker."""
        return 1 - sum((tenant.share for tenant in self.tenants), Fraction(0))


@dataclass(frozen=True, slots=True)
class Placement:
    """Worker instances of some sessions.

    Attributes:
        whole: instances per hardware type that one module has to itself.
        shared: instances that partial allocations were placed on.
        machines_before: instances if every partial allocation had one to itself.
    """

    whole: dict[str, int]
    shared: tuple[Worker, ...]
    machines_before: int

    @property
    def machines_after(self) -> int:
        """Instances with partial allocations sharing them."""
        return sum(self.whole.values()) + len(self.shared)


def place(sessions: Iterable[tuple[Session, Plan]]) -> Placement:
    """Place the plans of some sessions on worker instances.

    Args:
        sessions: each session with a plan of it that the checker accepts.
    """
    whole: Counter[str] = Counter()
    shared: list[Worker] = []
    partials = 0
    for session, plan in sessions:
        for module, module_plan in zip(session.modules, plan.modules, strict=True):
            for allocation in module_plan.allocations:
                c = allocation.configuration
                whole[c.hardware] += allocation.machines
                if allocation.partial_rps:
                    share = allocation.partial_rps / c.throughput_rps
                    tenant = Tenant(session.name, module.name, c.batch, c.concurrency, share)
                    _place_partial(shared, c.hardware, tenant)
                    partials += 1
    return Placement(
        {name: count for name, count in sorted(whole.items()) if count}, tuple(shared), whole.total() + partials
    )


def _place_partial(shared: list[Worker], hardware: str, tenant: Tenant) -> None:
    """Put a partial allocation on the worker of its type that it fits best, or on a new one."""
    room = {i: worker.residual for i, worker in enumerate(shared) if worker.hardware == hardware}
    fitting = by_fit(room, tenant.share)
    if not fitting:
        shared.append(Worker(hardware, (tenant,)))
        return
    best = fitting[0]
    shared[best] = Worker(hardware, (*shared[best].tenants, tenant))
