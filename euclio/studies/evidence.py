"""Gathers what verdicts rest on: the stored posterior, contradictions in print, other readings, a study's sweeps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from euclio.core.data_files import data_dir
from euclio.studies.consistent import moved, predicted, stored_posterior
from euclio.studies.scorecard import Published
from euclio.studies.verdicts import Contradiction, Evidence, OtherReading, Quotation, Stated


def contradictions(paper: str) -> dict[str, tuple[Contradiction, ...]]:
    """Of every figure of a paper that is named in `data/published/contradictions.json`: what it does not go with."""
    text = (data_dir() / "published" / "contradictions.json").read_text(encoding="utf-8")
    found: dict[str, tuple[Contradiction, ...]] = {}
    for entry in json.loads(text)["contradictions"]:
        one = Contradiction(entry["kind"], tuple(Quotation(**quote) for quote in entry["quotes"]), entry["why"])
        for name in entry["figures"]:
            printed_in, _, key = name.partition(":")
            if printed_in == paper:
                found[key] = (*found.get(key, ()), one)
    return found


def gathered(
    paper: str,
    figures: Sequence[Published],
    readings: Mapping[str, Sequence[OtherReading]],
    stated: Mapping[str, Stated],
    folder: Path | None = None,
) -> dict[str, Evidence]:
    """The evidence of every published figure, by key.

    Args:
        paper: name of the study.
        figures: its published figures.
        readings: figures under other readings, by key.
        stated: the study's own verdicts, by key.
        folder: where posteriors are stored; None: `data/posterior`.
    """
    stored, printed = stored_posterior(paper, folder), contradictions(paper)
    return {
        figure.key: Evidence(
            predicted=None if stored is None else predicted(stored, paper, figure.key),
            moved=() if stored is None else moved(stored, paper, figure.key, figure.value),
            readings=tuple(readings.get(figure.key, ())),
            contradictions=printed.get(figure.key, ()),
            stated=stated.get(figure.key),
        )
        for figure in figures
    }
