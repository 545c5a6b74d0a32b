"""Gathers what verdicts rest on: the stored posterior, contradictions in print, other readings, a study's sweeps.

The stored posterior of a paper is asked for in one place, `consistent.stored_posterior`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from euclio.core.data_files import data_dir
from euclio.papers.published import Published
from euclio.posterior.moving import Moved, movers
from euclio.studies.consistent import predicted, random_figures, stored_posterior
from euclio.studies.power import weighed
from euclio.studies.verdicts import Contradiction, Evidence, OtherReading, Quotation, Stated


def contradictions(paper: str) -> dict[str, tuple[Contradiction, ...]]:
    """Of every number of a paper that is named in `data/published/contradictions.json`: what it does not go with."""
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
    swept: Mapping[str, Sequence[Moved]] | None = None,
    folder: Path | None = None,
) -> dict[str, Evidence]:
    """The evidence of every published number, by key.

    Args:
        paper: name of the study.
        figures: its published numbers.
        readings: numbers under other readings, by key.
        stated: the study's own verdicts, by key.
        swept: parameters that move a number in the study's own sweeps, by key.
        folder: where posteriors are stored; None: `data/posterior`.
    """
    stored, printed, own = stored_posterior(paper, folder), contradictions(paper), swept or {}
    known = {} if stored is None else {figure.key: predicted(stored, paper, figure.key) for figure in figures}
    given = weighed(figures, {key: one for key, one in known.items() if one is not None})
    return {
        figure.key: Evidence(
            predicted=given.get(figure.key),
            moved=(*(() if stored is None else movers(stored, paper, figure.key)), *own.get(figure.key, ())),
            readings=tuple(readings.get(figure.key, ())),
            contradictions=printed.get(figure.key, ()),
            stated=stated.get(figure.key),
        )
        for figure in figures
    }


def random_by_key(paper: str, figures: Sequence[Published], folder: Path | None = None) -> dict[str, list[float]]:
    """The published numbers under random settings of the workload generator, by key; empty: the paper has no draws.

    Args:
        paper: name of the study.
        figures: its published numbers.
        folder: where posteriors are stored; None: `data/posterior`.
    """
    stored = stored_posterior(paper, folder)
    if stored is None:
        return {}
    return {figure.key: random_figures(stored, paper, figure.key).tolist() for figure in figures}
