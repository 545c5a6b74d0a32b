"""Setup of a simulation: arrivals, load, dispatch, timeouts, dropping, noise (docs/model/serving.md)."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from euclio.core.errors import InputError
from euclio.core.lazy import late
from euclio.core.numbers import Number
from euclio.core.parameters import Parameter
from euclio.core.parts import Simulator
from euclio.core.values import COUNT_OR_NONE, count, seconds
from euclio.serving.setup import SECONDS, keep_to
from euclio.serving.setup import Setup as CommonSetup


class Dispatch(StrEnum):
    """Rules that choose the machine of the next invocation; their units and turns are in `targets`."""

    ROUNDS = "rounds"
    """Whole batches in rank order, all machines of a configuration one after the other (Harpagon §III-B, Figure 4)."""
    BATCHES = "batches"
    """Whole batches in rank order, one batch at a time (ours)."""
    SPLIT = "split"
    """Single invocations to allocations at their rates, whole batches in turn among an allocation's machines (ours)."""
    REQUESTS = "requests"
    """Single invocations to machines at their rates (round robin; Harpagon Table III)."""
    REQUEST_ROUNDS = "request-rounds"
    """Single invocations in turn among machines of a configuration, then the next (Harpagon Figure 4, bottom)."""
    PULL = "pull"
    """Free machines take waiting invocations; without a timeout, none waits for a batch to fill (ours)."""
    ROUND_ROBIN = "round-robin"
    """Single invocations to the queues of machines at their rates, in turn (IPVS `rr`, NGINX)."""
    RANDOM = "random"
    """Single invocations to the queue of a machine drawn at its rate (a Kubernetes Service by iptables)."""
    LEAST_OUTSTANDING = "least-outstanding"
    """Single invocations to the queue of the machine with the fewest outstanding ones over its rate."""
    POWER_OF_TWO = "power-of-two"
    """Single invocations to the queue of the one of two drawn machines with fewer outstanding ones (Ray Serve)."""


class Dropping(StrEnum):
    """Which requests are dropped."""

    NEVER = "never"
    """No request; late ones are answered."""
    HOPELESS = "hopeless"
    """Requests that can no longer be answered in time when their batch starts (Scrooge §3.6, early dropping)."""


class Partial(StrEnum):
    """Place of a machine that a plan does not use in full."""

    ALONE = "alone"
    """On a machine of its own."""
    SHARED = "shared"
    """On one that others use as well: it starts batches no more often than its charged rate allows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup(CommonSetup):
    """A simulation, apart from session and plan.

    `full_load_rps` is the rate of the session's busiest first module at load 1; None means the session's own.

    Attributes:
        dispatch: the dispatcher; None means that of the plan's policy.
        timeout_s: longest wait of a batch for more invocations, in seconds; infinity means until it is full. None means
            the planned wait, or no wait if machines pull.
        dummies: whether the plan's dummies are sent; if not, batches wait for real requests.
        planned_delays: whether batches wait no longer than with dummies if these are not sent, as the queue delays of
            exported deployments do.
        hold: whether modules hand requests on no earlier than after their worst-case latency.
        dropping: which requests are dropped.
        partial: place of a machine that is not used in full.
        clients: number of clients that send their next request when the last one is answered, instead of `arrivals`;
            0 for none.

    Raises:
        InputError: a number is out of range, or clients are combined with dropping of hopeless requests: a client whose
            request is dropped at once would send its next one at the same moment, without end.
    """

    dispatch: Dispatch | None = None
    timeout_s: float | None = None
    dummies: bool = True
    planned_delays: bool = False
    hold: bool = False
    dropping: Dropping = Dropping.NEVER
    partial: Partial = Partial.ALONE
    clients: int = 0

    def __post_init__(self) -> None:
        """Accept enumerations by name, and refuse setups that would not end."""
        CommonSetup.__post_init__(self)
        object.__setattr__(self, "dispatch", None if self.dispatch is None else Dispatch(self.dispatch))
        if self.timeout_s not in (None, float("inf")):
            keep_to(SECONDS, self.timeout_s, "timeout_s")
        keep_to(COUNT_OR_NONE, self.clients, "clients")
        if self.clients and self.dropping is Dropping.HOPELESS:
            raise InputError("goes with dropping never only: clients would not wait", field="clients")

    def own(self) -> dict[str, Any]:
        """Dispatch, time-outs, dummies, holding, dropping, partial machines and clients, as plain data."""
        return {
            "dispatch": None if self.dispatch is None else self.dispatch.value,
            "timeout_s": "none" if self.timeout_s == float("inf") else self.timeout_s,
            "dummies": self.dummies,
            **({"planned_delays": True} if self.planned_delays else {}),
            "hold": self.hold,
            "dropping": self.dropping.value,
            "partial": self.partial.value,
            **({"clients": self.clients} if self.clients else {}),
        }


# Sessions for `euclio simulate`.


def time_out(text: Number) -> float:
    """Seconds, or infinity for "none"."""
    try:
        return float("inf") if text in ("none", float("inf")) else seconds(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}, or none") from None


SETUP_OPTIONS = (
    Parameter(
        "--dispatch",
        "dispatch",
        "who is given the next invocation; default: what the plan's policy stands for",
        choices=tuple(word.value for word in Dispatch),
    ),
    Parameter(
        "--time-out",
        "timeout_s",
        "seconds that a batch waits to be filled, or none; default: as long as the plan counts on",
        parse=time_out,
        metavar="S",
    ),
    Parameter(
        "--no-dummies",
        "dummies",
        "send none of the plan's dummies; the default",
        value=False,
    ),
    Parameter(
        "--dummies",
        "dummies",
        "send the plan's dummies, which its worst case counts on, or which stand for capacity that is kept free",
        value=True,
        instead_of=("no_dummies",),
    ),
    Parameter("--hold", "hold", "modules hand requests on no earlier than after their worst-case latency", value=True),
    Parameter(
        "--no-hold",
        "hold",
        "modules hand requests on at once, also where the plan was made otherwise",
        value=False,
        instead_of=("hold",),
    ),
    Parameter(
        "--dropping",
        "dropping",
        "drop requests that cannot be answered in time any more, or none; default: never",
        choices=tuple(word.value for word in Dropping),
    ),
    Parameter(
        "--partial",
        "partial",
        "whether a machine that is not used in full stands alone or is shared with others; default: alone",
        choices=tuple(word.value for word in Partial),
    ),
    Parameter(
        "--clients",
        "clients",
        "clients that send their next request when the last one is answered, instead of arrivals",
        parse=count,
        metavar="N",
        instead_of=("arrivals", "trace", "load", "full_load", "highest_load"),
    ),
)
MOST_REQUESTS = 10**10
"""Requests beyond which a simulation takes hours; memory does not grow with them."""


SIMULATOR = Simulator(
    setup=Setup,
    # Printing a plan needs only its glance, without a simulation.
    offered_rps=late("euclio.serving.session.simulation", "offered_rps"),
    simulate=late("euclio.serving.session.simulation", "simulate"),
    highest_loads=late("euclio.serving.session.simulation", "highest_loads"),
    describe=late("euclio.serving.session.metrics", "describe"),
    table=late("euclio.serving.tables", "session_table"),
    stream="session",
    speed=late("euclio.serving.session.metrics", "speed"),
    planned=late("euclio.serving.attainment.served", "planned_fields"),
    as_planned=late("euclio.serving.attainment.served", "as_planned"),
    planned_words=late("euclio.serving.attainment.served", "planned_words"),
    glance=late("euclio.questions.at_random", "glance"),
    keeps=True,
    most_requests=MOST_REQUESTS,
)
