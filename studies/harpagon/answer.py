"""The paper's question in one table: how often is Harpagon optimal, or without a plan, on each kind of workload?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from euclio.experiments.results.tables import load
from studies.collector import Collector
from studies.harpagon.kinds import MEASURED, REFERENCE, KindAnswer, answers, collect_kinds, share_in_words
from studies.inference.reference import nearest_shares
from studies.papers.harpagon import HARPAGON
from studies.papers.published import published_figures
from studies.study import Asked, Measurements

ROWS = {
    REFERENCE: "the paper's workloads, as print fixes them",
    "nvidia": "NVIDIA's profiles of 15 models",
    "parvagpu": "ParvaGPU's profiles of 11 models",
    MEASURED: "PPipe's blocks, measured",
}
"""The kinds of workloads in the answer, in words, in their order."""
COLUMNS = ("population", "n", "has a plan", "best split", "best plan", "no plan although one exists", "unfinished")
"""Sessions with a plan, those of them that Harpagon has a plan for, and shares: two of these, and one of all."""


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """How often Harpagon is optimal on each kind of workloads.

    Attributes:
        kinds: the results by kind; the first one is the paper's workloads.
    """

    kinds: Mapping[str, KindAnswer]

    @property
    def printed(self) -> float:
        """The paper's share in per cent."""
        return next(figure.value for figure in published_figures(HARPAGON) if figure.key == "optimal_share")

    @property
    def before(self) -> str:
        """The sentence before the table."""
        printed = self.printed
        own, near = self.kinds[REFERENCE].split, nearest_shares(HARPAGON)
        low, high = min(near), max(near)
        decided = "do not decide the share" if low <= printed <= high else "contradict the share"
        return (
            f"The paper says that Harpagon is optimal on {printed:g} % of 1131 workloads. We draw workloads that keep "
            "to every number that it prints of them. Under the setting nearest to the paper's other numbers, no other "
            f"split of the latency is cheaper on {share_in_words(own)} of them. Under the {len(near)} nearest settings "
            f"that holds on {low:.0f} to {high:.0f} %. So the printed numbers {decided}."
        )

    @property
    def after(self) -> str:
        """The sentence after the table."""
        some = [own.plan.value for own in self.kinds.values()]
        return (
            "The share depends on the profiles and on the reference: against all plans, not only other splits, "
            f"Harpagon is optimal on {min(some):.0f} to {max(some):.0f} % of the sessions that it has a plan for."
        )

    def rows(self) -> list[tuple[str, ...]]:
        """The table, a row of `COLUMNS` for each kind."""
        return [
            (
                ROWS[kind],
                str(own.sessions),
                str(own.sessions - round(own.without.value * own.sessions / 100)),
                share_in_words(own.split),
                share_in_words(own.plan),
                f"{own.without.value:.1f} %",
                str(own.stopped + own.unproven),
            )
            for kind, own in self.kinds.items()
        ]

    def frame(self) -> pd.DataFrame:
        """The table as tidy data: a row for each kind and share, with its 95 % interval in per cent and its n."""
        rows = [
            (ROWS[kind], name, share.value, share.low, share.high, share.n)
            for kind, own in self.kinds.items()
            for name, share in zip(COLUMNS[3:6], (own.split, own.plan, own.without), strict=True)
        ]
        return pd.DataFrame.from_records(rows, columns=["population", "share", "value", "low", "high", "n"])

    @property
    def text(self) -> str:
        """The answer for a terminal."""
        widths = [max(map(len, column)) for column in zip(COLUMNS, *self.rows(), strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in (COLUMNS, *self.rows())]
        return "\n".join([self.before, "", *lines, "", self.after])

    def _repr_html_(self) -> str:
        """The answer in a notebook."""
        table: Any = pd.DataFrame.from_records(self.rows(), columns=list(COLUMNS))
        return f"<p>{self.before}</p>{table.to_html(index=False)}<p>{self.after}</p>"

    def __str__(self) -> str:
        return self.text


def answered(found: Mapping[str, KindAnswer]) -> AnsweredQuestion:
    """The answer from the results by kind."""
    return AnsweredQuestion({kind: found[kind] for kind in ROWS if kind in found})


def stored_answers(folder: Path) -> AnsweredQuestion:
    """The answer of a report.

    Args:
        folder: the report's.
    """
    runs, kinds = (load(folder / f"{name}.parquet")[0] for name in ("runs", "kinds"))
    return answered(answers(runs, kinds))


def fresh_answers(workloads: int, seed: int, jobs: int, instances: Path | None = None) -> AnsweredQuestion:
    """The answer on sessions that are drawn and solved now.

    Args:
        workloads: sessions of each kind.
        seed: seed of the draws.
        jobs: processes, which change no digit.
        instances: folder of measured sessions; None means the default one, if it exists.
    """
    asked = Asked(workloads, seed, False, Measurements(instances))
    with TemporaryDirectory(prefix="euclio-") as folder, Collector(HARPAGON, Path(folder), jobs) as collector:
        kinds, _ = collect_kinds(collector, asked, tuple(ROWS))
    return answered(answers(pd.DataFrame(columns=kinds.columns), kinds))
