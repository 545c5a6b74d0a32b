"""How a server is modelled: how batches form, how many at a time, how durations vary, where Offline's rate is reached.

One rule is applied to all servers. `CONFIGURED` is the one that the page answers by; it takes from each submitter's
configuration what that states, and nothing of it was chosen by its errors. The others change one thing each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import NormalDist

from euclio.session.instance import Configuration, Hardware, Module, Session
from euclio.session.plan import Allocation, ModulePlan, Plan
from euclio.session.workloads.mlperf import durations_s
from euclio.studies.mlperf.inputs import Case

PRICE_PER_H = 1
"""Of any accelerator: what is served does not depend on it."""
Z_90 = NormalDist().inv_cdf(0.9)


class Batching(StrEnum):
    """When a batch starts on a machine that is free."""

    CONFIGURED = "configured"
    """When it is full, or its time-out has passed."""
    PULL = "pull"
    """At once, with what is there."""
    FULL = "full"
    """When it is full."""


class Varying(StrEnum):
    """How the durations of a batch vary, given how those of single inputs do."""

    NOT = "not"
    """They do not."""
    AVERAGED = "averaged"
    """Inputs of a batch vary independently, so that the batch varies by as much less as its size has a root."""
    TOGETHER = "together"
    """A batch varies as a single input does, as if all its inputs were alike, or the longest decided."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A model of all servers.

    Attributes:
        label: its name.
        answer: what it says, as the other answer to a question that the results leave open.
        batching: when batches start.
        streams: whether as many batches are executed at a time as configured, each as many times slower; else one.
        varying: how durations vary.
        offline_times: the batch that reaches Offline's throughput, in largest batches of the server; infinite: in the
            limit, every further input takes as long as one does in Offline.
    """

    label: str
    answer: str
    batching: Batching = Batching.CONFIGURED
    streams: bool = True
    varying: Varying = Varying.AVERAGED
    offline_times: float = 1.0


CONFIGURED = Rule("as configured", "full or timed out, streams share the machine, inputs vary independently")
RULES = (
    CONFIGURED,
    replace(
        CONFIGURED, label="work-conserving", answer="batches start as soon as a stream is free", batching=Batching.PULL
    ),
    replace(CONFIGURED, label="full batches", answer="batches start only when they are full", batching=Batching.FULL),
    replace(CONFIGURED, label="one batch at a time", answer="streams execute one batch at a time", streams=False),
    replace(CONFIGURED, label="no variation", answer="durations do not vary", varying=Varying.NOT),
    replace(CONFIGURED, label="varying together", answer="batches vary as single inputs do", varying=Varying.TOGETHER),
)
"""All rules that every server is simulated by, in the order of the page."""
SWEPT = tuple(
    replace(CONFIGURED, label=label, answer=f"Offline's throughput is reached {where}", offline_times=times)
    for times, label, where in (
        (2.0, "2 × the largest batch", "at twice the server's largest batch"),
        (4.0, "4 × the largest batch", "at four times the server's largest batch"),
        (16.0, "16 × the largest batch", "at sixteen times the server's largest batch"),
        (math.inf, "in the limit", "in the limit of large batches"),
    )
)
"""Where Offline's throughput is reached, which no result states; `CONFIGURED` says: at the largest batch."""
FAR = 10**4
"""A batch that stands for infinitely many inputs."""


def variation(case: Case) -> float:
    """Coefficient of variation of the duration of single inputs: log-normal with SingleStream's p50 and p90."""
    found = case.result.single_stream_ms
    assert found is not None
    sigma = math.log(float(found.p90 / found.p50)) / Z_90
    return math.sqrt(math.expm1(sigma**2))


def noise(case: Case, rule: Rule) -> float:
    """Coefficient of variation of the duration of a batch."""
    if rule.varying is Varying.NOT:
        return 0.0
    return variation(case) / (math.sqrt(case.batch) if rule.varying is Varying.AVERAGED else 1.0)


def timeout_s(case: Case, rule: Rule) -> float:
    """How long a batch waits to be filled, in seconds."""
    waits = {Batching.CONFIGURED: case.timeout_s, Batching.PULL: 0.0, Batching.FULL: math.inf}
    return waits[rule.batching]


def modelled(case: Case, rule: Rule) -> tuple[Session, Plan]:
    """A session of one module whose plan is one machine that is used in full.

    Its profile has every batch, so that one that is not full takes as long as its size does. Of a machine that executes
    several batches at a time, nothing is measured but what it does alone; they are taken to share it evenly.
    """
    streams = case.streams if rule.streams else 1
    durations = durations_s(case.result, case.batch, offline_batch(case, rule))
    profile = [
        Configuration(case.accelerator, b, streams, streams * duration) for b, duration in enumerate(durations, 1)
    ]
    machine = profile[-1]
    module = Module(case.result.benchmark, machine.throughput_rps, profile)
    session = Session(case.name, case.bound_s, [Hardware(case.accelerator, PRICE_PER_H)], [module])
    return session, Plan((ModulePlan((Allocation(machine, 1),)),))


def offline_batch(case: Case, rule: Rule) -> int:
    """The batch that is taken to reach Offline's throughput."""
    return FAR if math.isinf(rule.offline_times) else round(rule.offline_times * case.batch)
