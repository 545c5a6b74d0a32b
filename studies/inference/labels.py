"""Short names of numbers and parameters for pictures and tables, where the published file's sentences are too long."""

from __future__ import annotations

import json
from functools import cache

from euclio.core.folders import data_dir
from studies.inference.targets import targets

LONGEST = 38
"""Most characters of a name, so that two panels stand next to each other."""
ALTERNATIVES = {"harpagon": "Harp", "piccolo": "Picc"}
"""What the papers' alternatives are called."""
SIGNS = {"%": "", "ratio": " (ratio)", "count": " (count)"}
"""Units, most of which are per cent."""


@cache
def _names() -> dict[str, dict[str, str]]:
    """Short names by what they are of (`data/posterior/labels.json`).

    `figures` are about no alternative, or there is no other of the same kind; `kinds` are what is said of an
    alternative, by the end of the number's key, longer ends before shorter ones; `parameters` are those of `Setting`.
    """
    text = (data_dir() / "posterior" / "labels.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


def figure_label(name: str) -> str:
    """The short name of a number by PAPER:KEY; the key itself where there is none."""
    paper, _, key = name.partition(":")
    target = targets().get(name)
    sign = SIGNS[target.unit] if target else ""
    if key in _names()["figures"]:
        return _names()["figures"][key] + sign
    for end, words in _names()["kinds"].items():
        if key.endswith(f"_{end}"):
            return f"{ALTERNATIVES[paper]}-{key.removesuffix(f'_{end}')}: {words}{sign}"
    return key.replace("_", " ")


def parameter_label(name: str) -> str:
    """The short name of a parameter."""
    return _names()["parameters"][name]
