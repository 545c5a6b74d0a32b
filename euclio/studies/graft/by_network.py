"""Table III with the profiles that others measured of three of the networks, next to the common ones (ours).

Graft's savings ask for opposite values of the parameters that all networks share: Inc for more that a batch pays once,
VGG for less. So those networks of which there are measurements get their own, step by step. Nothing is fitted to a
number of Table III; the study's inputs stay the common profiles, as `networks_text` says why.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import pandas as pd

from euclio.analysis.statistics import Measured, mean
from euclio.fragments.workloads.measured_networks import Profiles, once_of
from euclio.report import Paragraph, Table
from euclio.studies.agreement import near
from euclio.studies.graft.cases import DEFAULT, NETWORKS, SCALES, drawn
from euclio.studies.graft.inputs import margins
from euclio.studies.graft.measures import of, table_iii_key
from euclio.studies.graft.scales import CAPPED_SCALE, savings
from euclio.studies.graft.systems import CAPPED, GRAFT, planned
from euclio.studies.graft.variants import Advance

MEASURED_NETWORKS = ("inc", "res", "vgg")
"""Networks of which there are measurements."""
STEPS = {
    Profiles.BATCHING: "batching measured",
    Profiles.LAYERS: "work by layer too",
    Profiles.OVERLAP: "launches overlapping work too",
}
"""What is measured, with its words; each holds what those before it hold."""
WITH_MARGIN = {"res": 0.3, "vgg": 0.58}
"""Printed resource margins of these networks (Graft §5.5), which are inputs."""


STEPPED = tuple(product(SCALES, MEASURED_NETWORKS))
"""Scales and networks of the numbers of Table III that measured profiles are tried on."""


def by_network(seed: int, draws: int, advance: Advance) -> pd.DataFrame:
    """One row per measured profile, scale, network and draw: Graft's share and that of Table III's other system."""
    rows: list[dict[str, Any]] = []
    for profiles, scale, key in product(STEPS, SCALES, MEASURED_NETWORKS):
        _, system = table_iii_key(scale.key, key)
        space = CAPPED if scale.key == CAPPED_SCALE else None
        for draw in range(draws):
            fleets = drawn(key, scale, seed, draw, replace(DEFAULT, profiles=profiles))
            found = {"graft": planned(GRAFT, fleets, space), "other": planned(system, fleets, space)}
            rows.append({"profiles": profiles.value, "scale": scale.key, "network": key, "draw": draw, **found})
        advance(1)
    return pd.DataFrame(rows)


def saved_by(rows: pd.DataFrame) -> dict[tuple[str, Profiles], Measured]:
    """Share saved in per cent by key of Table III's number and measured profile."""
    found = {}
    for profiles, scale, key in product(STEPS, SCALES, MEASURED_NETWORKS):
        own = of(rows, profiles=profiles.value, scale=scale.key, network=key)
        name, _ = table_iii_key(scale.key, key)
        found[name, profiles] = mean(savings(own.other, own.graft))
    return found


def network_reasons(rows: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """A sentence per number of Table III of a network that was measured."""
    found = saved_by(rows)
    for scale, key in STEPPED:
        name, _ = table_iii_key(scale.key, key)
        values = ", ".join(f"{words} {found[name, step].value:.1f} %" for step, words in STEPS.items())
        yield name, f"With profiles of {NETWORKS[key]} that others measured, step by step: {values}."


def networks_block(rows: pd.DataFrame, common: Mapping[str, Measured], printed: Mapping[str, float]) -> Table:
    """Table III of the networks that were measured, by what of their profiles is.

    Args:
        rows: what `by_network` found.
        common: share saved with the common profiles, by key of the published number.
        printed: published values by key.
    """
    lines = []
    for scale, key in STEPPED:
        name, _ = table_iii_key(scale.key, key)
        values = [found[name].value for found in _columns(rows, common)]
        lines.append((scale.words, NETWORKS[key], f"{printed[name]:g}", *(f"{value:.1f}" for value in values)))
    for key, value in WITH_MARGIN.items():
        own = [margins(key, replace(DEFAULT, profiles=profiles)).mean() for profiles in Profiles]
        lines.append(("resource margin (input)", NETWORKS[key], f"{value:g}", *(f"{margin:.2f}" for margin in own)))
    return Table(
        "Table III with measured profiles of three networks: share that Graft saves in per cent (higher is better), "
        "over GSLICE (4 and 6 clients) or GSLICE+ (20)",
        ("clients", "network", "printed", "common profiles", *STEPS.values()),
        tuple(lines),
        frozenset(range(2, 7)),
    )


def _columns(rows: pd.DataFrame, common: Mapping[str, Measured]) -> list[dict[str, Measured]]:
    """Share saved by key with the common profiles, then with what is measured step by step."""
    found = saved_by(rows)
    own = [table_iii_key(scale.key, key)[0] for scale, key in STEPPED]
    return [{name: common[name] for name in own}, *({name: found[name, step] for name in own} for step in STEPS)]


def networks_text(rows: pd.DataFrame, common: Mapping[str, Measured], printed: Mapping[str, float]) -> list[Paragraph]:
    """What was measured, what it explains, and why it is no input."""
    once = {key: once_of(key, Profiles.BATCHING, math.nan) for key in MEASURED_NETWORKS}
    layers = replace(DEFAULT, profiles=Profiles.LAYERS)
    margin = {key: margins(key, layers).mean() for key in WITH_MARGIN}
    both, hits = _hits(rows, common, printed)
    return [
        Paragraph(
            "With four Nano, Table III has 35.8 % for Inc and 19.1 % for VGG, which ask for opposite values of what a "
            "batch pays once, a parameter of all networks. So Inc, Res and VGG got profiles of their own, of what "
            "others measured, step by step: how work grows with the batch (ParvaGPU's Inception-v3, ResNet-101, and "
            "VGG16 for VGG11), how it divides among layers (layer graphs of Inception-v3 and ResNet-50), and launches "
            f"that run during the work. Of these {len(STEPPED)} numbers lie within a tenth of the printed one, without "
            f"intervals: {hits}."
        ),
        Paragraph(
            f"{_brought(both)} What a batch pays once of the work is {once['inc']:.2f} (Inc), {once['res']:.2f} (Res) "
            f"and {once['vgg']:.2f} (VGG) as measured: the order that the savings ask for, but Inc's is about the "
            "common 0.7. The common profiles stay the input, as the measured ones are further from the printed margins "
            f"taken together, which go in (with work by layer Res has {margin['res']:.2f} and VGG {margin['vgg']:.2f}; "
            "printed: 0.3 and 0.58), and to choose a step by this table would be a fit to it. Of Mob and ViT there are "
            "no measurements here. `docs/tools/graft_measured.py` derives the profiles, and `euclio reproduce graft` "
            "makes this table."
        ),
    ]


def _hits(rows: pd.DataFrame, common: Mapping[str, Measured], printed: Mapping[str, float]) -> tuple[list[str], str]:
    """The steps that bring Inc and VGG with four Nano to the printed numbers, and how near each comes to all."""
    both, said = [], []
    for words, own in zip(("common profiles", *STEPS.values()), _columns(rows, common), strict=True):
        found = {name: near(printed[name], measured) for name, measured in own.items()}
        distance = sum(abs(printed[name] - measured.value) for name, measured in own.items()) / len(own)
        inc, vgg = (table_iii_key(SCALES[0].key, key)[0] for key in ("inc", "vgg"))
        if found[inc] and found[vgg]:
            both.append(words)
        said.append(f"{sum(found.values())} with {words} (off by {distance:.1f} points on average)")
    return both, "; ".join(said)


def _brought(both: list[str]) -> str:
    return f"Both come there with {', '.join(both)}." if both else "No step brings both Inc and VGG there."
