"""`exact` on chains of 40 modules of the five applications."""

from __future__ import annotations

import statistics

from euclio.core.result import Status
from euclio.core.words import duration
from euclio.workloads.session.random_sessions import chain_from_modules
from tests.bench.measuring import Timed, bar, timed
from tests.bench.report import Line, Section, all_of, at_most, slowest

MODULES = 40
TIGHTNESS = (0.2, 0.4, 0.6)
SEEDS = range(10)
TARGET_S = 1.0
LIMIT_S = 60.0


def chains_speed() -> Section:
    """Every chain has the same target."""
    runs: list[Timed] = []
    with bar("chains", len(TIGHTNESS) * len(SEEDS)) as advance:
        for tightness in TIGHTNESS:
            for seed in SEEDS:
                session = chain_from_modules(seed, MODULES, tightness)
                label = f"SLO at {tightness:g}"
                runs.append(timed(session, ["exact"], label=label, time_limit_s=LIMIT_S)["exact"])
                advance()
    seconds = [run.seconds for run in runs]
    lines = (
        all_of("proven optimal", sum(run.result.status is Status.OPTIMAL for run in runs), len(runs)),
        at_most("worst", max(seconds), TARGET_S),
        Line("median", duration(statistics.median(seconds))),
        Line("above the target", f"{sum(s > TARGET_S for s in seconds)} of {len(runs)}"),
    )
    title = f"exact on chains of {MODULES} modules ({len(SEEDS)} seeds × {len(TIGHTNESS)} SLOs)"
    return Section(title, lines, slowest=slowest(runs), runs=tuple(runs))
