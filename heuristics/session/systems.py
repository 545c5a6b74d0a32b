"""Table III of Harpagon as code: a system is a row of components, an ablation is Harpagon's with one cell changed.

Where the table's words allow two readings, the row is the one that the printed figures support, and the words taken
literally are a row of `LITERAL`: docs/model/readings.md has the reasons and what each reading does to every figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any

from euclio.core import literature
from euclio.core.lazy import late
from euclio.core.literature import Reference
from euclio.core.registry import AnySolver, Solver, Variants
from euclio.problems.session import DummyRule, PlanSpace, Policy, Session
from euclio.problems.session.demands import FLOORS, SEVERAL_OBJECTIVES


class Splitter(StrEnum):
    """How the end-to-end latency is split into budgets."""

    LATENCY_COST = "latency-cost efficiency"
    THROUGHPUT = "throughput-based"
    QUANTIZED = "quantized interval"
    EVEN = "evenly splitting"


class Start(StrEnum):
    """Where a greedy splitter starts."""

    MOST_EXPENSIVE_HARDWARE = "batch 1 on the most expensive hardware"
    LEAST_LATENCY = "least worst-case latency"


class Hetero(StrEnum):
    """Which hardware a session may use."""

    ALL = "all"
    ONE = "one type per session"
    CHEAPEST = "the cheapest"
    MOST_EXPENSIVE = "the most expensive"


PICK = {Hetero.CHEAPEST: min, Hetero.MOST_EXPENSIVE: max}
"""How a design that fixes the hardware picks it by price; equal prices are decided by name."""


_YES_OR_NO: dict[str, Any] = {"yes": True, "no": False}
PARTS: dict[str, dict[str, dict[str, Any]]] = {
    "splitter": {
        "latency-cost": {"splitter": Splitter.LATENCY_COST},
        "throughput": {"splitter": Splitter.THROUGHPUT},
        "q0.01": {"splitter": Splitter.QUANTIZED, "quantum_s": 0.01},
        "q0.1": {"splitter": Splitter.QUANTIZED, "quantum_s": 0.1},
        "even": {"splitter": Splitter.EVEN},
    },
    "start": {
        "most-expensive": {"start": Start.MOST_EXPENSIVE_HARDWARE},
        "least-latency": {"start": Start.LEAST_LATENCY},
    },
    "merge": {word: {"merge": value} for word, value in _YES_OR_NO.items()},
    "direct": {word: {"direct": value} for word, value in _YES_OR_NO.items()},
    "stretch": {word: {"stretch": value} for word, value in _YES_OR_NO.items()},
    "reassignments": {"any": {"reassignments": None}, "1": {"reassignments": 1}, "0": {"reassignments": 0}},
    "reassign_first": {word: {"reassign_first": value} for word, value in _YES_OR_NO.items()},
}
"""Parts of a row that a solver's name can set, ``harpagon:splitter=even:merge=no``: cells that each word stands for.

All other cells are fields of the plan space, which every command and experiment sets by themselves.
"""


@dataclass(frozen=True, slots=True)
class System:
    """A row of Table III.

    Attributes:
        name: name of the solver.
        summary: what it is and where it is published.
        dispatch: dispatch policy (column "Worst Case Latency").
        allocations: most configurations per module; None means any number ("Num of Configurations").
        batching: batches above 1 ("Batch").
        hetero: which hardware ("Hetero").
        concurrency: concurrency above 1 (only Scrooge and Harpagon profile it).
        dummy: the dummy generator's rule ("Residual Optimization").
        reassignments: how often latency is reassigned; None means as often as it helps.
        reassign_first: whether it goes to the first module that gains instead of the one that gains most.
        splitter: "Latency Split".
        start: where a greedy splitter starts.
        quantum_s: step of a quantized splitter in seconds.
        merge: node merger ("Split Optimization").
        direct: cost-direct.
        stretch: whether a greedy splitter's budgets are stretched in proportion to fill the SLO (Piccolo §III-C).
        rests_on: the papers that the row is taken from.
    """

    name: str
    summary: str
    dispatch: Policy = Policy.TC
    allocations: int | None = None
    batching: bool = True
    hetero: Hetero = Hetero.ALL
    concurrency: bool = True
    dummy: DummyRule = DummyRule.MACHINE
    reassignments: int | None = None
    reassign_first: bool = False
    splitter: Splitter = Splitter.LATENCY_COST
    start: Start = Start.MOST_EXPENSIVE_HARDWARE
    quantum_s: float = 0.01
    merge: bool = True
    direct: bool = True
    stretch: bool = False
    rests_on: tuple[Reference, ...] = (literature.HARPAGON,)

    @property
    def space(self) -> PlanSpace:
        """The plan space that the system chooses from."""
        return PlanSpace(
            policy=self.dispatch,
            dummy=self.dummy,
            max_allocations=self.allocations,
            single_hardware=self.hetero is not Hetero.ALL,
            batching=self.batching,
            concurrency=self.concurrency,
        )

    def as_solver(self) -> AnySolver:
        """The registry's record of the row."""
        run = partial(late("heuristics.session.solver", "run_system"), self)
        narrow = self.narrow if self.hetero in PICK else None
        variants = Variants({part: tuple(words) for part, words in PARTS.items()}, self._variant)
        own = Solver(self.name, "heuristic", self.summary, run, self.space, narrow=narrow, rests_on=self.rests_on)
        # Steps of one objective, merged along a series-parallel graph, say nothing of several.
        steps = self.splitter is Splitter.QUANTIZED
        covers = frozenset({"whole", "packed", "spare"}) | FLOORS | (frozenset() if steps else SEVERAL_OBJECTIVES)
        return replace(own, covers=covers, variants=variants)

    def _variant(self, name: str, parts: Mapping[str, str]) -> AnySolver:
        """The row with some of its parts set, as a solver."""
        cells = {cell: value for part, word in parts.items() for cell, value in PARTS[part][word].items()}
        said = ", ".join(f"{part} {word}" for part, word in parts.items())
        return replace(self, name=name, summary=f"{self.summary}; {said}", **cells).as_solver()

    def narrow(self, session: Session, space: PlanSpace) -> PlanSpace:
        """What the row leaves of a plan space on an instance: its one hardware type, where the row says which."""
        allowed = space.hardware_of(session)
        if not space.single_hardware or self.hetero not in PICK or not allowed:
            return space
        return space.on(PICK[self.hetero](allowed, key=lambda h: (h.price_per_h, h.name)).name)


HARPAGON = System("harpagon", "Harpagon (the paper's full system)")

NEXUS = System(
    "nexus",
    "Nexus as Harpagon's Table III describes it; 10 ms intervals, the cheapest hardware type per session",
    dispatch=Policy.RR,
    allocations=2,
    hetero=Hetero.ONE,
    concurrency=False,
    dummy=DummyRule.NONE,
    reassignments=0,
    splitter=Splitter.QUANTIZED,
    merge=False,
    direct=False,
    rests_on=(literature.HARPAGON, literature.NEXUS),
)

SCROOGE = System(
    "scrooge",
    "Scrooge as a row of Harpagon's Table III, its latency split by cost (its own MILP is another solver)",
    dispatch=Policy.MACHINE_RATE_EVEN,
    allocations=2,
    dummy=DummyRule.NONE,
    reassignments=0,
    # The table says throughput-based; Scrooge's own MILP and greedy weigh throughput against cost (its §3.3, §4.3).
    splitter=Splitter.LATENCY_COST,
    merge=False,
    direct=False,
    rests_on=(literature.HARPAGON, literature.SCROOGE),
)

INFERLINE = System(
    "inferline",
    "InferLine as Harpagon's Table III describes it; starts at the least latency",
    dispatch=Policy.RR_EVEN,
    allocations=1,
    concurrency=False,
    dummy=DummyRule.NONE,
    reassignments=0,
    splitter=Splitter.THROUGHPUT,
    start=Start.LEAST_LATENCY,
    merge=False,
    direct=False,
    rests_on=(literature.HARPAGON, literature.INFERLINE),
)

CLIPPER = System(
    "clipper",
    "Clipper as Harpagon's Table III describes it; the cheapest hardware type per session",
    dispatch=Policy.RR_EVEN,
    allocations=1,
    hetero=Hetero.ONE,
    concurrency=False,
    dummy=DummyRule.NONE,
    reassignments=0,
    splitter=Splitter.EVEN,
    merge=False,
    direct=False,
    rests_on=(literature.HARPAGON, literature.CLIPPER),
)


def _ablation(label: str, summary: str, **cell: object) -> System:
    return replace(HARPAGON, name=f"harpagon:{label}", summary=f"Harp-{label}: {summary}", **cell)  # type: ignore[arg-type]


ABLATIONS = (
    _ablation("2d", "round-robin dispatch", dispatch=Policy.RR),
    _ablation("dt", "dispatch at machine throughput", dispatch=Policy.MACHINE_RATE),
    # With one configuration nothing follows that dummies could replace, so its rule is none.
    _ablation("1c", "one configuration per module", allocations=1, dummy=DummyRule.NONE),
    # With dummies a plan of two configurations costs what one of any number does (docs/findings/two-features.md).
    _ablation("2c", "two configurations per module", allocations=2, dummy=DummyRule.NONE),
    _ablation("nb", "no batching", batching=False),
    _ablation("nhc", "only the cheapest hardware", hetero=Hetero.CHEAPEST),
    _ablation("nhe", "only the most expensive hardware", hetero=Hetero.MOST_EXPENSIVE),
    _ablation("nd", "no dummy requests", dummy=DummyRule.NONE),
    _ablation("0re", "no latency reassigned", reassignments=0),
    _ablation("1re", "latency reassigned to the first module that gains", reassignments=1, reassign_first=True),
    _ablation("tb", "throughput-based splitting", splitter=Splitter.THROUGHPUT, merge=False, direct=False),
    _ablation("q0.01", "splitting in steps of 0.01 s", splitter=Splitter.QUANTIZED, quantum_s=0.01),
    _ablation("q0.1", "splitting in steps of 0.1 s", splitter=Splitter.QUANTIZED, quantum_s=0.1),
    _ablation("nnm", "no node merger", merge=False),
    _ablation("ncd", "no cost-direct", direct=False),
)

BASELINES = (NEXUS, SCROOGE, INFERLINE, CLIPPER)
SYSTEMS = (HARPAGON, *BASELINES, *ABLATIONS)
"""Harpagon's own evaluation; Piccolo's rows are below."""


def _literal(row: System, summary: str, cells: dict[str, object]) -> System:
    colon = "-" if ":" in row.name else ":"
    name, summary = f"{row.name}{colon}literal", f"{row.summary.partition(';')[0]}; {summary}"
    return replace(row, name=name, summary=summary, **cells)  # type: ignore[arg-type]


_READINGS: dict[str, tuple[str, dict[str, object]]] = {
    "scrooge": (
        "throughput-based, a partial machine",
        {"dispatch": Policy.MACHINE_RATE, "splitter": Splitter.THROUGHPUT},
    ),
    "inferline": ("with a partial machine", {"dispatch": Policy.RR}),
    "clipper": ("with a partial machine", {"dispatch": Policy.RR}),
    "harpagon:2c": ("with dummies", {"dummy": DummyRule.MACHINE}),
    "harpagon:1re": ("to the module that gains most", {"reassign_first": False}),
}
LITERAL = {row.name: _literal(row, *_READINGS[row.name]) for row in SYSTEMS if row.name in _READINGS}
"""Rows that take the words of Table III and of §IV-C literally, by the name of the row that they differ from in the
reading alone."""


# Piccolo and its alternatives (Piccolo Table III and §IV-C) as rows of components: each alternative changes one cell.
#
# Its four baselines are the rows of Harpagon's Table III (`systems`). Piccolo's own table describes them the same way
# but for two entries: it calls InferLine's latency split "greedy", and the text credits Scrooge with an MILP across
# modules, which is the solver `scrooge-milp`.

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
