"""Models of a server: forming of batches, sharing by streams, variation of durations, the batch of Offline's rate.

A rule applies to all servers, by their class. The page's own rule is `CONFIGURED`. It takes times and sizes from each
submitter's configuration, and the forming of batches from the published harnesses. None of its numbers is fitted. The
others change one thing each; `BEFORE` was the page's rule for the first 17 servers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from statistics import NormalDist

from euclio.core.numbers import exact
from euclio.problems.session.instance import Configuration, Hardware, Module, Session
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.serving.units import NS_PER_S
from euclio.workloads.session.mlperf import durations_s
from studies.mlperf.inputs import Kind, ServerCase
from studies.mlperf.sharing import Streams

PRICE_PER_H = 1
"""The price of any accelerator, on which no result depends."""
Z_90 = NormalDist().inv_cdf(0.9)
TRITON_DELAY_S = 1.0
"""Seconds that Triton waits for a full batch by default in NVIDIA's harness (`settings.json`)."""
OWN_HARNESS = (Kind.SENTENCES, Kind.RECORDINGS)
"""Classes with harnesses of their own, which take the waiting requests at once if no timeout is stated."""


class Batching(StrEnum):
    """The moment at which a batch starts on a free machine."""

    HARNESS = "harness"
    """As in the harness. Triton waits up to a second for a full batch. BERT's and RNN-T's harnesses do not wait if no
    timeout is stated. All others wait until the batch is full or the timeout has passed."""
    STATED = "stated"
    """When it is full, or the timeout has passed; the default timeout is 10 ms."""
    PULL = "pull"
    """At once, with the waiting requests."""
    FULL = "full"
    """When it is full."""


class StreamSharing(StrEnum):
    """The way in which streams slow each other."""

    BUSY = "busy"
    """While several are busy, the batches in execution share the machine."""
    ALWAYS = "always"
    """They always do, by their number."""
    ONE = "one"
    """One batch at a time."""


class Varying(StrEnum):
    """The variation of a batch's duration, given that of single inputs."""

    NOT = "not"
    """Durations do not vary."""
    AVERAGED = "averaged"
    """Inputs of a batch vary independently, so its variation is divided by the root of its size."""
    TOGETHER = "together"
    """A batch varies like a single input, as if all its inputs were alike or the longest decided."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A model of all servers.

    Attributes:
        label: its name.
        answer: its statement, as the other answer to a question that the results leave open.
        batching: the start of batches.
        sharing: the way in which simultaneous batches slow each other.
        varying: the variation of durations.
        filled: the part of a whole accelerator's idle time within a batch, by Offline's throughput, that other streams
            use; 0 means that a busy stream takes the whole machine.
        filled_of_slice: the same of a slice.
        offline_times: the batch that reaches Offline's throughput, as a multiple of the server's largest batch.
            Infinite means the limit, in which every further input takes as long as one in Offline. None means infinite
            for sentences, which have far larger batches in Offline than in Server, and 1 otherwise.
        under_way: simultaneous batches of recordings, one in each stage.
        ahead: batches that a harness of TensorRT forms while all streams are busy, for inputs of one size.
    """

    label: str
    answer: str
    batching: Batching = Batching.HARNESS
    sharing: StreamSharing = StreamSharing.BUSY
    varying: Varying = Varying.AVERAGED
    filled: float = 1.0
    filled_of_slice: float = 0.0
    offline_times: float | None = None
    under_way: int = 2
    ahead: int = 0


CONFIGURED = Rule("as configured", "batches as the harness forms them, streams share while several are busy")
BEFORE = Rule(
    "as before",
    "full or timed out, streams always share, one stage, Offline's throughput at the largest batch",
    Batching.STATED,
    StreamSharing.ALWAYS,
    filled=0.0,
    offline_times=1.0,
    under_way=1,
)
RULES = (
    CONFIGURED,
    BEFORE,
    replace(
        CONFIGURED,
        label="time-outs as stated",
        answer="all harnesses heed the time-out, 10 ms if none",
        batching=Batching.STATED,
    ),
    replace(
        CONFIGURED, label="work-conserving", answer="batches start as soon as a stream is free", batching=Batching.PULL
    ),
    replace(CONFIGURED, label="full batches", answer="batches start only when they are full", batching=Batching.FULL),
    replace(
        CONFIGURED, label="streams always share", answer="streams slow each other always", sharing=StreamSharing.ALWAYS
    ),
    replace(
        CONFIGURED, label="one batch at a time", answer="one batch is executed at a time", sharing=StreamSharing.ONE
    ),
    replace(CONFIGURED, label="formed ahead", answer="a batch is formed while all streams are busy", ahead=1),
    replace(CONFIGURED, label="one stage", answer="one batch of recordings is under way at a time", under_way=1),
    replace(CONFIGURED, label="nothing left idle", answer="a batch leaves nothing to other streams", filled=0.0),
    replace(CONFIGURED, label="no variation", answer="durations do not vary", varying=Varying.NOT),
    replace(CONFIGURED, label="varying together", answer="batches vary as single inputs do", varying=Varying.TOGETHER),
)
"""All rules for simulating a server, in the order of the page."""
SWEPT = tuple(
    replace(CONFIGURED, label=label, answer=f"Offline's throughput is reached {where}", offline_times=times)
    for times, label, where in (
        (1.0, "the largest batch", "at the server's largest batch"),
        (2.0, "2 × the largest batch", "at twice the server's largest batch"),
        (4.0, "4 × the largest batch", "at four times the server's largest batch"),
        (16.0, "16 × the largest batch", "at sixteen times the server's largest batch"),
        (math.inf, "in the limit", "in the limit of large batches"),
    )
)
"""Batches that reach Offline's throughput, which no result states, for all servers alike."""
FAR = 10**4
"""A batch that stands for infinitely many inputs."""


def variation(case: ServerCase) -> float:
    """Coefficient of variation of the duration of single inputs: log-normal with SingleStream's p50 and p90."""
    found = case.result.single_stream_ms
    assert found is not None
    sigma = math.log(float(found.p90 / found.p50)) / Z_90
    return math.sqrt(math.expm1(sigma**2))


def noise(case: ServerCase, rule: Rule) -> float:
    """Coefficient of variation of the duration of a largest batch."""
    if rule.varying is Varying.NOT:
        return 0.0
    return variation(case) / (math.sqrt(case.batch) if rule.varying is Varying.AVERAGED else 1.0)


def timeout_s(case: ServerCase, rule: Rule) -> float:
    """Seconds that a batch waits for further requests."""
    waits = {Batching.STATED: case.timeout_s, Batching.PULL: 0.0, Batching.FULL: math.inf}
    if rule.batching is not Batching.HARNESS:
        return waits[rule.batching]
    if case.harness == "Triton":
        return TRITON_DELAY_S
    return 0.0 if case.kind in OWN_HARNESS and not case.stated else case.timeout_s


def at_a_time(case: ServerCase, rule: Rule) -> int:
    """Number of batches in execution at a time."""
    if rule.sharing is StreamSharing.ONE:
        return 1
    return case.streams * (rule.under_way if case.kind is Kind.RECORDINGS else 1)


def alone_s(case: ServerCase, rule: Rule) -> tuple[Fraction, ...]:
    """Seconds of a batch of 1, 2, … inputs that runs alone."""
    return durations_s(case.result, case.batch, offline_batch(case, rule))


def shares_used(case: ServerCase, rule: Rule) -> tuple[Fraction, ...]:
    """The part of the machine that a batch of 1, 2, … inputs uses when it runs alone.

    By Offline's throughput n inputs need n over the throughput of it. A longer batch leaves the rest of its time idle,
    since its kernels wait for one another or fill the processors in part. The rule sets the part of this rest that
    other streams use.
    """
    filled = {Kind.WHOLE: rule.filled, Kind.SLICE: rule.filled_of_slice}.get(case.kind, 0.0)
    per_s = exact(case.result.offline_per_s or 0)
    found = []
    for n, duration in enumerate(alone_s(case, rule), 1):
        idle = max(Fraction(0), 1 - n / (per_s * duration)) if filled else Fraction(0)
        found.append(1 - Fraction(filled) * idle)
    return tuple(found)


def modelled(case: ServerCase, rule: Rule) -> tuple[Session, Plan]:
    """A session of one module, planned with one fully used machine.

    Its profile has every batch size, so a partly filled batch takes the time of its own size. For a machine with
    several batches at a time it has the durations while all of them run.
    """
    number = at_a_time(case, rule)
    durations = zip(alone_s(case, rule), shares_used(case, rule), strict=True)
    profile = [
        Configuration(case.accelerator, b, number, _whole_ns(alone * max(Fraction(1), number * share)))
        for b, (alone, share) in enumerate(durations, 1)
    ]
    machine = profile[-1]
    module = Module(case.result.benchmark, machine.throughput_rps, profile)
    session = Session(case.name, case.bound_s, [Hardware(case.accelerator, PRICE_PER_H)], [module])
    return session, Plan((ModulePlan((Allocation(machine, 1),)),))


def _whole_ns(duration: Fraction) -> Fraction:
    return Fraction(math.ceil(duration * NS_PER_S), NS_PER_S)


def streams(case: ServerCase, rule: Rule) -> Streams | None:
    """Streams that share the machine while several are busy; None means that batches take the time of their profile."""
    number = at_a_time(case, rule)
    ahead = 0 if case.kind in OWN_HARNESS or case.harness == "Triton" else rule.ahead
    if (number == 1 and not ahead) or rule.sharing is not StreamSharing.BUSY:
        return None
    return Streams(
        number,
        tuple(float(duration) for duration in alone_s(case, rule)),
        tuple(float(share) for share in shares_used(case, rule)),
        rule.varying is Varying.AVERAGED,
        0.0 if rule.varying is Varying.NOT else variation(case),
        ahead,
    )


def offline_batch(case: ServerCase, rule: Rule) -> int:
    """The batch at which we assume Offline's throughput."""
    times = rule.offline_times
    if times is None:
        times = math.inf if case.kind is Kind.SENTENCES else 1.0
    return FAR if math.isinf(times) else round(times * case.batch)
