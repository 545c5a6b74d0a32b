"""The record of a dispatch policy, on which the checker, the solvers, the commands and the files rely."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from euclio.core.errors import InputError
from euclio.core.words import full

if TYPE_CHECKING:
    from euclio.problems.session.instance import Configuration


class Form(Enum):
    """How the latency of a machine depends on the rest of a module's plan; it decides which methods cover a policy.

    Exact methods rest on the first four forms, which need rates or nothing of the plan. They answer `inapplicable` to
    the last one, which the checker, the heuristics and `plan-bruteforce` cover. Under `LEFT` and `FIXED` a partial
    machine that takes the rate f takes d + b/f.
    """

    LEFT = "left"
    """A whole machine takes d + b/w, where w is the rate that is left when its allocation begins."""
    TIED = "tied"
    """All machines take d + b/w, where w is the rate left when the first allocation of the same ratio begins."""
    FIXED = "fixed"
    """A whole machine takes a time that its configuration alone decides."""
    EVEN = "even"
    """A full machine takes a time F that its configuration alone decides; so do all machines before the last
    allocation.

    In the last allocation all n machines, the partial one included, take equal shares of the rate R that reaches it. So
    each collects n·t/R times as long as a full machine, and takes d + (F − d)·n·t/R."""
    GENERAL = "general"
    """Anything else."""

    @property
    def in_sequence(self) -> bool:
        """Whether whole machines collect their batches from a rate that is left, so that more rate is less latency."""
        return self in (Form.LEFT, Form.TIED)

    @property
    def by_configuration(self) -> bool:
        """Whether the configuration alone decides the latency of a full machine (`Policy.fixed_latency`)."""
        return self in (Form.FIXED, Form.EVEN)


class Place(NamedTuple):
    """A machine within the plan of its module; rates in requests per second.

    The checker gives exact fractions, heuristics give floats, and the arithmetic of a policy has to work for both.

    Attributes:
        duration_s: d, the time of a batch, in seconds.
        batch: b, requests in a batch.
        throughput_rps: t, the rate of a whole machine of its configuration.
        machines: whole machines of its allocation.
        partial_rps: f, the rate of the partial machine of its allocation; 0 means that there is none.
        left_rps: w, the rate with dummies that is left when its allocation begins.
        tied_rps: the rate that is left when the first allocation of the same throughput-cost ratio begins.
    """

    duration_s: Fraction
    batch: int
    throughput_rps: Fraction
    machines: int
    partial_rps: Fraction
    left_rps: Fraction
    tied_rps: Fraction


def partial_alone(p: Place) -> Fraction:
    """The duration and b/f: the partial machine collects from its own rate."""
    return p.duration_s + p.batch / p.partial_rps


Floats = Callable[[float, float, float, float, float, float, float, float], float]
"""Latency in floats: 1 for a partial machine and 0 for a whole one, then the numbers of a `Place` in its order."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Policy:
    """A dispatch policy: how requests reach the machines, hence each machine's worst-case latency.

    Records are compared by identity: there is one per built-in policy, and one per state of a user's file.

    Attributes:
        name: its name on the command line and in files. A user's own policy has its file and the hash of the file:
            ``FILE.py:NAME@HASH``.
        help: one line: its rule, and the publication.
        whole: exact worst-case latency of a whole machine, in seconds.
        partial: exact worst-case latency of a partial machine, in seconds.
        form: how latencies depend on the plan, hence which methods cover the policy.
        bounded_by: name of a policy under which no plan is slower, so that every plan of this one is also a plan of
            that one; empty if none is known.
        floats: the compiled counterpart, a plain function that is compiled by itself at its use
            (`euclio.problems.session.policies.kernels`). Forms `LEFT` and `TIED` need none, because the form has the
            formula. Form `FIXED` needs it for whole machines, form `EVEN` for all. None lets compiled functions call
            `whole` and `partial` with floats, which is slower.
        version: hash of the file that it comes from; empty for a built-in policy.
        most_allocations: most allocations per module that it can dispatch to; None means any number.
        words: how requests reach machines, in a planner's words; empty if the name says it.
        pulls: whether free machines take waiting requests. Then no batch is held back to be filled, and no dummies are
            sent to fill it.
    """

    name: str
    help: str
    whole: Callable[[Place], Fraction]
    partial: Callable[[Place], Fraction]
    form: Form = Form.GENERAL
    bounded_by: str = ""
    floats: Floats | None = None
    version: str = ""
    most_allocations: int | None = None
    words: str = ""
    pulls: bool = False

    TC: ClassVar[Policy]
    TC_SHARED: ClassVar[Policy]
    RR: ClassVar[Policy]
    MACHINE_RATE: ClassVar[Policy]
    RR_EVEN: ClassVar[Policy]
    MACHINE_RATE_EVEN: ClassVar[Policy]
    IN_TURN: ClassVar[Policy]
    LOAD_BALANCER: ClassVar[Policy]
    SHARED_QUEUE: ClassVar[Policy]
    """The built-in policies, which `euclio.problems.session.policies` sets here: `Policy.TC`."""

    @property
    def value(self) -> str:
        """Its name, as plain data."""
        return self.name

    def __str__(self) -> str:
        """Its name."""
        return self.name

    def whole_latency(self, place: Place) -> Fraction:
        """Worst-case latency of a whole machine in seconds, exact.

        Raises:
            InputError: the answer of a user's own policy is no latency.
        """
        latency_s = self.whole(place)
        return self._checked(latency_s, place) if self.version else latency_s

    def partial_latency(self, place: Place) -> Fraction:
        """Worst-case latency of a partial machine in seconds, exact.

        Raises:
            InputError: the answer of a user's own policy is no latency.
        """
        latency_s = self.partial(place)
        return self._checked(latency_s, place) if self.version else latency_s

    def fixed_latency(self, c: Configuration) -> Fraction:
        """Latency of a full machine under form `FIXED` or `EVEN`, where the configuration alone decides it."""
        assert self.form.by_configuration
        t = c.throughput_rps
        return self.whole(Place(c.duration_s, c.batch, t, 1, Fraction(0), t, t))

    def fastest_full(self, configurations: Iterable[Configuration]) -> bool:
        """Whether it is proven that a partial machine filled with dummies takes no longer, nor any other of its module.

        `LEFT` and `TIED`: dummies raise every w, and the last allocation collects from w, of which f is a part. `EVEN`:
        n stays and R rises up to n·t. `FIXED`: other machines stay as they are. The partial machine takes d + b/f,
        which approaches d + b/t as f approaches t, so a full one may take no more than that. `GENERAL`: nothing is
        proven.

        Args:
            configurations: those that the module's machines may have.
        """
        if self.form is not Form.FIXED:
            return self.form is not Form.GENERAL
        return all(self.fixed_latency(c) <= c.duration_s + c.batch / c.throughput_rps for c in configurations)

    def even_batch(self, c: Configuration) -> Fraction:
        """Requests that a machine collects at its share of the rate under form `EVEN`: q in d + q·n/R."""
        assert self.form is Form.EVEN
        return (self.fixed_latency(c) - c.duration_s) * c.throughput_rps

    def _checked(self, latency_s: Fraction, place: Place) -> Fraction:
        """Refuse an answer of a user's own policy that bounds cannot rest on: an inexact latency, or one below d."""
        if not (isinstance(latency_s, Fraction | int) and latency_s >= place.duration_s):
            raise InputError(
                f"answers {latency_s!r} for a machine that takes {full(place.duration_s)} s; a latency is a "
                "Fraction, no less than the duration",
                file=self.name,
            )
        return Fraction(latency_s)
