"""The answers of each engine to the same models, next to optima: `python docs/tools/engines.py [EXPERIMENT [FOLDER]]`.

It makes the runs of an experiment (`notebooks/engines.toml`) that a folder (`build/engines`) does not have yet, and
writes the table of `docs/findings/engines.md`. The optimum is what `exact` proves; plans are priced by the checker.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from pasting import FINDINGS, ROOT, paste, table

import euclio
from euclio.core.tolerances import OPTIMALITY_TOLERANCE

EXPERIMENT = ROOT / "notebooks" / "engines.toml"
PAGE = FINDINGS / "engines.md"
REFERENCE = "exact"


class Row(NamedTuple):
    """Counts of the outcomes of a model's runs on an engine; each run counts once, but for bounds.

    Attributes:
        label: model and engine.
        runs: sessions whose optimum, or whose lack of a plan, is proven.
        proven: claims of optimality, or of infeasibility, that are true.
        open: runs that end without a claim: a limit came first, or the model leaves more open than the tolerance.
        wrong: claims that are not true: optimal, or infeasible, where there is a cheaper plan.
        above: bounds above the optimum, under any claim of the run.
        seconds: median wall time.
    """

    label: str
    runs: int
    proven: int
    open: int
    wrong: int
    above: int
    seconds: float


def counted(label: str, own: pd.DataFrame, best: pd.Series[float]) -> Row:
    """Hold the runs of one model and engine against the optima.

    Args:
        label: model and engine.
        own: its runs, indexed by instance.
        best: the optimum by instance; NaN means a proof that there is no plan.
    """
    own = own.loc[own.index.intersection(best.index)]
    optimum = best[own.index]
    none = optimum.isna()
    says_none = own.status == "infeasible"
    cheaper = own.value > optimum * (1 + OPTIMALITY_TOLERANCE)
    wrong = (says_none & ~none) | ((own.status == "optimal") & (cheaper | none))
    proven = ~wrong & (says_none | (own.status == "optimal"))
    above = own.bound > optimum * (1 + OPTIMALITY_TOLERANCE)
    counts = (int(one.sum()) for one in (proven, ~wrong & ~proven, wrong, above))
    return Row(label, len(own), *counts, float(own.wall_s.median()))


def main(experiment: Path, folder: Path) -> None:
    """Make the runs that a folder does not have yet, and write the page's table."""
    frame = euclio.run(experiment, out=folder).frame()
    proofs = frame[(frame.label == REFERENCE) & frame.status.isin(["optimal", "infeasible"])].set_index("instance")
    labels = [label for label in dict.fromkeys(frame.label) if label != REFERENCE]
    rows = [counted(label, frame[frame.label == label].set_index("instance"), proofs.value) for label in labels]
    header = (
        "model and engine",
        "sessions",
        "true claims",
        "no claim",
        "wrong claims",
        "bounds above it",
        "median (s)",
    )
    cells = ((r.label, *map(str, r[1:6]), f"{r.seconds:.2f}") for r in rows)
    paste(PAGE, {"engines": table(header, cells)})


if __name__ == "__main__":
    given = [Path(word) for word in sys.argv[1:]]
    main(*given, *(EXPERIMENT, ROOT / "build" / "engines")[len(given) :])
