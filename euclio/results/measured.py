"""What was measured in the runs of a results frame, as a frame of its own."""

from __future__ import annotations

import json

import pandas as pd


def measured(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per row measured (column `measured`), in the order of the runs.

    Returns:
        `instance` and `label` of the run, then what was measured; a column that a row does not have is empty there.
    """
    known = frame[frame["measured"].notna()]
    rows = [
        {"instance": instance, "label": label, **row}
        for instance, label, text in zip(known["instance"], known["label"], known["measured"], strict=True)
        for row in json.loads(text)
    ]
    return pd.DataFrame.from_records(rows)
