"""Which populations a page is about: a table of them, and their names at every figure and table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from euclio.report import Block, Figure, Heading, Paragraph, Table
from euclio.workloads.populations import POPULATIONS, Identity
from studies.study import Found, Study

_ON = ". On "
"""Stands between a caption and the populations that it is about."""
SAYING = (
    "Which instances the figures and tables of this page are about. `euclio generate NAME` writes those that are "
    "registered; in their folder `sha256sum *.json | sha256sum` gives the hash, of which figures and tables show the "
    "first twelve digits."
)


def population_blocks(found: Found) -> list[Block]:
    """The section on a study's populations; nothing where it has none."""
    if not found.populations:
        return []
    rows = [
        (one.name, _about(one), f"{one.size:,}", "" if one.seed is None else str(one.seed), one.sha256)
        for one in found.populations
    ]
    columns = ("population", "what", "instances", "seed", "sha256")
    return [
        Heading("Populations"),
        Paragraph(SAYING),
        Table("Populations of this page", columns, tuple(rows), frozenset({2, 3}), stacks=True),
    ]


def _about(one: Identity) -> str:
    """What a population is: registered ones say so."""
    known = POPULATIONS.get(one.name)
    if one.seed is None:
        return "from files or tables; nothing of it is drawn"
    return "drawn by this study alone" if known is None else f"{known.about}; {known.drawn}"


def identified(study: Study, found: Found, blocks: Sequence[Block]) -> list[Block]:
    """Blocks whose figures and tables say which populations they are about."""
    return [
        replace(block, caption=_with_populations(study, found, _key(block), block.caption))
        if isinstance(block, Figure | Table)
        else block
        for block in blocks
    ]


def _key(block: Figure | Table) -> str:
    return block.key if isinstance(block, Figure) else block.caption


def _with_populations(study: Study, found: Found, key: str, caption: str) -> str:
    text = shown_of(study, found, key)
    return f"{caption.rstrip('.')}{_ON}{text}." if text else caption


def without_populations(caption: str) -> str:
    """A caption without the populations that were added to it."""
    return caption.partition(_ON)[0]


def shown_of(study: Study, found: Found, key: str) -> str:
    """The populations that a figure (by key) or a table (by caption) is about, in words; empty: none."""
    names = study.shown(key)
    chosen = found.populations[:1] if names is None else [one for one in found.populations if one.name in names]
    return ", ".join(one.text for one in chosen)


def as_data(populations: Sequence[Identity]) -> list[dict[str, Any]]:
    """Populations as plain data, for what is kept with tables."""
    return [asdict(one) for one in populations]
