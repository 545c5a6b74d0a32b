"""`columns` on measured clusters, on the same with unmerged layers, more GPU types and more GPUs."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from euclio import load, solve
from euclio.core.result import Status
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.core.words import duration
from euclio.problems.pipeline import Cluster
from tests.bench.measuring import REPEATED_WITHIN_S, REPEATS, Timed, bar
from tests.bench.report import Line, Section, all_of, at_most, complete, slowest
from tests.bench.unmerged import merged, scaled, unmerged

LIMIT_S = 60.0
TYPES = (
    ("ppipe-trio-L4-P4-20", "ppipe-trio-V100-P4-22", "ppipe-solo-L4-T4-40"),
    ("ppipe-trio-L4-P4-00", "ppipe-trio-V100-P4-02", "ppipe-solo-L4-T4-24", "ppipe-solo-L4-T4-34"),
    ("ppipe-trio-L4-P4-08", "ppipe-trio-V100-P4-10", "ppipe-solo-L4-T4-38"),
)
"""Instances whose GPUs make four types together."""


@dataclass(frozen=True, slots=True)
class Family:
    """Clusters of one kind, their targets and the time limit in seconds; None: no target."""

    title: str
    pattern: str
    change: Callable[[Cluster], Cluster] | None
    median_s: float | None
    worst_s: float | None
    limit_s: float = LIMIT_S


FAMILIES = (
    Family("three models, 2 partitions", "ppipe-trio-*", None, 0.1, 1.0),
    Family("one model, 3 partitions", "ppipe-solo-*", None, 1.0, 10.0),
    Family("every block split into 8 layers", "ppipe-*", lambda cluster: unmerged(cluster, 0), None, 10.0),
)
TIMES = 1000


def pipelines_speed(folder: Path) -> list[Section]:
    """One section per kind of cluster; none where the measured instances are absent."""
    known = folder / "pipelines_expected.json"
    if not known.exists():
        return [Section("columns on pooled pipelines", notes=("the measured instances are absent",))]
    expected = json.loads(known.read_text(encoding="utf-8"))
    sections = []
    for family in FAMILIES:
        files = sorted((folder / "pipelines").glob(f"{family.pattern}.json"))
        clusters = [load(file) for file in files]
        runs = _runs(family, [family.change(c) if family.change else c for c in clusters])
        best = expected if family.change is None else {}
        sections.append(_section(family, runs, {name: float(entry["found"]) for name, entry in best.items()}))
    sections.append(_many_gpus([load(file) for file in sorted((folder / "pipelines").glob("ppipe-*.json"))]))
    four = Family("four GPU types, 2 partitions", "", None, None, 5.0)
    groups = [[load(folder / "pipelines" / f"{name}.json") for name in names] for names in TYPES]
    sections.append(_section(four, _runs(four, [merged(group, 2) for group in groups]), {}))
    return sections


def _runs(family: Family, clusters: Sequence[Cluster]) -> list[Timed]:
    runs = []
    with bar(family.title, len(clusters)) as advance:
        for cluster in clusters:
            runs.append(_timed(cluster, family.limit_s))
            advance()
    return runs


def _many_gpus(clusters: Sequence[Cluster]) -> Section:
    """Many times the GPUs next to the cluster as it is, in turns, so that both meet the same state of the machine."""
    title = f"{TIMES} times the GPUs"
    few: list[Timed] = []
    many: list[Timed] = []
    with bar(title, len(clusters)) as advance:
        for cluster in clusters:
            few.append(_timed(cluster, LIMIT_S))
            many.append(_timed(scaled(cluster, TIMES), LIMIT_S))
            advance()
    usual, slow = (statistics.median(run.seconds for run in runs) for runs in (few, many))
    proven = sum(run.result.status is Status.OPTIMAL for run in many)
    lines = (
        complete("proven optimal", proven, len(many)),
        Line("median", duration(slow)),
        Line("median over that of the clusters as they are", f"{slow / usual:.2f}", "≤ 1.00", slow <= usual),
        Line("worst", duration(max(run.seconds for run in many))),
    )
    return Section(f"columns: {title} ({len(many)} clusters)", lines, slowest=slowest(many), runs=tuple(many))


def _timed(cluster: Cluster, limit_s: float) -> Timed:
    """The least of several short runs."""
    results = []
    while len(results) < REPEATS and sum(result.wall_s for result in results) < REPEATED_WITHIN_S:
        results.append(solve(cluster, "columns", time_limit_s=limit_s))
    return Timed(cluster.name, "columns", results[-1], min(result.wall_s for result in results))


def _section(family: Family, runs: list[Timed], best: dict[str, float]) -> Section:
    seconds = [run.seconds for run in runs]
    proven = sum(run.result.status is Status.OPTIMAL for run in runs)
    wanted = family.worst_s is not None
    lines = [
        complete("proven optimal", proven, len(runs)) if wanted else Line("proven optimal", f"{proven} of {len(runs)}"),
        _time("median", statistics.median(seconds), family.median_s),
        _time("worst", max(seconds), family.worst_s),
    ]
    if best:
        least = 1 - OPTIMALITY_TOLERANCE
        met = sum((run.result.cost or 0.0) >= best[run.instance] * least for run in runs)
        lines.insert(1, all_of("as good as the best known", met, len(runs)))
    title = f"columns: {family.title} ({len(runs)} clusters)"
    return Section(title, tuple(lines), slowest=slowest(runs), runs=tuple(runs))


def _time(what: str, seconds: float, target_s: float | None) -> Line:
    return Line(what, duration(seconds)) if target_s is None else at_most(what, seconds, target_s)
