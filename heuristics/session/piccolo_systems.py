"""Piccolo and its alternatives (Piccolo Table III and §IV-C) as rows of components: each alternative changes one cell.

Its four baselines are the rows of Harpagon's Table III (`systems`). Piccolo's own table describes them the same way but
for two entries: it calls InferLine's latency split "greedy", and the text credits Scrooge with an MILP across modules,
which is the solver `scrooge-milp`.
"""

from __future__ import annotations

from dataclasses import replace

from euclio.core import literature
from euclio.session import DummyRule, Policy
from heuristics.session.systems import Hetero, Splitter, Start, System

PICCOLO = System(
    "piccolo",
    "Piccolo (the paper's full system)",
    dummy=DummyRule.CONTINUOUS,
    start=Start.LEAST_LATENCY,
    merge=False,
    direct=False,
    stretch=True,
    rests_on=(literature.PICCOLO,),
)


def _alternative(label: str, summary: str, **cell: object) -> System:
    return replace(PICCOLO, name=f"piccolo:{label}", summary=f"Picc-{label}: {summary}", **cell)  # type: ignore[arg-type]


ALTERNATIVES = (
    _alternative("np", "no spatial multiplexing", concurrency=False),
    _alternative("nb", "no batching", batching=False),
    # §IV-C does not say which type; the cheapest result over the types is in the alternative's favour.
    _alternative("nh", "one hardware type per session", hetero=Hetero.ONE),
    # Without dummies, as Harp-1c and Harp-2c: filled up, two configurations always cost what Piccolo does, where the
    # paper prints 56.26 % (docs/model/readings.md). `dummy=continuous` keeps them.
    _alternative("1bpc", "one configuration per module", allocations=1, dummy=DummyRule.NONE),
    _alternative("2bpc", "at most two configurations per module", allocations=2, dummy=DummyRule.NONE),
    _alternative("2d", "round-robin dispatch", dispatch=Policy.RR),
    _alternative("dt", "dispatch at machine throughput", dispatch=Policy.MACHINE_RATE),
    _alternative("tb", "throughput-based splitting", splitter=Splitter.THROUGHPUT),
    _alternative("q0.01", "splitting in steps of 0.01 s", splitter=Splitter.QUANTIZED, quantum_s=0.01),
    _alternative("q0.1", "splitting in steps of 0.1 s", splitter=Splitter.QUANTIZED, quantum_s=0.1),
    _alternative("0re", "no latency reassigned", reassignments=0),
    _alternative("1re", "latency reassigned to one module", reassignments=1),
    _alternative("nd", "no dummy requests", dummy=DummyRule.NONE),
)

PICCOLO_SYSTEMS = (PICCOLO, *ALTERNATIVES)
