"""What a batch pays once of each of Graft's networks, fitted to row 1 of its Table III.

`python docs/tools/graft_once.py` prints what `data/profiles/graft.json` has (`fit_by_network`), in ten minutes. Per
network it seeks the value, in steps of 0.05, with which the share that Graft saves over GSLICE with four Nano comes
nearest to the printed one, as a mean of the paper's 50 draws. Five printed numbers choose five values, and no other
printed number has a say: rows 2 to 4 of the table are checks.
"""

from __future__ import annotations

import json
from dataclasses import replace

import pandas as pd

from studies.graft.cases import DEFAULT, FULL, NETWORKS, SCALES, drawn
from studies.graft.scales import savings
from studies.graft.systems import GRAFT, GSLICE, planned
from studies.papers.published import printed_values

ONCE = tuple(k / 20 for k in range(20))
"""Values that are tried: 1 would have a batch of any size take what one request takes."""
SEED = 0


def row_1(key: str, once: float, draws: int = FULL.draws) -> float:
    """Mean share in per cent that Graft saves over GSLICE with four Nano, if a batch pays this part of work once."""
    fleets = [drawn(key, SCALES[0], SEED, draw, replace(DEFAULT, once=once)) for draw in range(draws)]
    needed = {system: pd.Series([planned(system, own) for own in fleets]) for system in (GRAFT, GSLICE)}
    return float(savings(needed[GSLICE], needed[GRAFT]).mean())


def fitted(key: str, printed: float) -> tuple[float, float]:
    """The value whose share saved is nearest to the printed one, the least of equally near ones, and that share."""
    saved = {once: row_1(key, once) for once in ONCE}
    best = min(saved, key=lambda once: abs(saved[once] - printed))
    print(key, printed, {once: round(share, 1) for once, share in saved.items()}, flush=True)
    return best, round(saved[best], 1)


def main() -> None:
    """Print what stands in the file."""
    published = printed_values("graft")
    found = {key: fitted(key, published[f"small_homo_gslice_{key}"]) for key in NETWORKS}
    print(json.dumps({"once": {key: once for key, (once, _) in found.items()}}))
    print(json.dumps({"found": {key: share for key, (_, share) in found.items()}}))


if __name__ == "__main__":
    main()
