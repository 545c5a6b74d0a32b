"""Plan spaces of runs in a few words, so that plans are measured against others of their own space too."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

from euclio.core.errors import InputError
from euclio.core.family import find_family
from euclio.files.plan_files import RunOptions

FULL = "full"
"""The plan space that all solvers of a family are measured against."""

_NOT_OF_THE_SPACE = frozenset({"objective", *RunOptions.model_fields})


def plan_spaces(frame: pd.DataFrame) -> pd.Series[str]:
    """The plan space of each run: the fields that differ from the family's full space, or `FULL`."""
    texts = frame[["family", "options"]].astype(str)
    known = {
        (family, options): space_text(family, json.loads(options))
        for family, options in texts.drop_duplicates().itertuples(index=False)
    }
    named = [known[pair] for pair in zip(texts.family, texts.options, strict=True)]
    return pd.Series(named, index=frame.index, dtype=object)


def space_text(family: str, options: dict[str, Any]) -> str:
    """A plan space in words, such as "policy=rr, max_allocations=1".

    Args:
        family: problem family; one that is not installed has no full space, so all its fields are named.
        options: options of the run, plain data.
    """
    try:
        full = find_family(family).full_space.describe()
    except InputError:
        full = {name: None for name in sorted(options) if name not in _NOT_OF_THE_SPACE}
    changed = [
        f"{name}={_text(options[name])}"
        for name, usual in full.items()
        if name != "objective" and name in options and options[name] != usual
    ]
    return ", ".join(changed) or FULL


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "+".join(str(part) for part in value)
    return "any" if value is None else str(value)
