"""The parametric model behind the profiles of the five applications (ours, calibrated to printed numbers).

`write_profiles` writes `data/profiles/p100-v100.csv` anew from `data/profiles/modules.json`; solvers read only the CSV
file.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from euclio.core.folders import data_dir

DURATION_DIGITS = 6


class ProfileRow(NamedTuple):
    """One configuration of a module as it stands in the CSV file.

    Attributes:
        module: name of the profile.
        hardware: machine type.
        batch: requests per batch.
        concurrency: batches at once on one machine.
        duration_s: seconds that a batch takes at this concurrency.
        origin: "printed" (calibrated to a number in a paper), "ratio" (a printed number times a printed ratio) or
            "synthesised".
        source: paper and section of a printed number.
    """

    module: str
    hardware: str
    batch: int
    concurrency: int
    duration_s: str
    origin: str
    source: str


def duration(parameters: dict[str, Any], hardware: str, batch: int, concurrency: int) -> float:
    """Seconds that a batch takes: d1(b)·e / S(b, e).

    One stream alone takes d1 = base + slope·b of the kernel in use. e streams together finish S times as many requests
    as one: S = 1 + gain·b^(-gain_fall)·(1 - decay^(e - 1)), so throughput b·e/d = S·b/d1 rises with e and saturates,
    the sooner the larger the batch. Source: ours; the shape follows Scrooge §3.2 (diminishing returns, another kernel).
    """
    kernel = [k for k in parameters["kernels"] if k["from_batch"] <= batch][-1]
    speed = parameters["speed"][hardware]
    alone = kernel["base_s"] / speed["base"] + kernel["slope_s"] * batch / speed["slope"]
    gain = parameters["concurrency_gain"] * batch ** -parameters["gain_fall"]
    return float(alone * concurrency / (1 + gain * (1 - parameters["gain_decay"] ** (concurrency - 1))))


def synthesise(model: dict[str, Any]) -> Iterator[ProfileRow]:
    """All configurations of all modules, in the order of the model's file."""
    printed = {(a["module"], a["hardware"], a["batch"], a["concurrency"]): a["source"] for a in model["anchors"]}
    ratio = {r["module"]: r["source"] for r in model["ranges"] if r["unit"] == "ratio"}
    for name, parameters in model["modules"].items():
        for hardware in (h["name"] for h in model["hardware"]):
            for batch in parameters["batches"]:
                for concurrency in model["concurrency"]:
                    origin, source = "synthesised", ""
                    if (name, hardware, batch, concurrency) in printed:
                        origin, source = "printed", printed[name, hardware, batch, concurrency]
                    elif name in ratio and hardware == "V100" and (name, "P100", batch, concurrency) in printed:
                        origin, source = "ratio", ratio[name]
                    seconds = f"{duration(parameters, hardware, batch, concurrency):.{DURATION_DIGITS}f}"
                    yield ProfileRow(name, hardware, batch, concurrency, seconds, origin, source)


def csv_text(model: dict[str, Any]) -> str:
    """The CSV file's text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(ProfileRow._fields)
    writer.writerows(synthesise(model))
    return out.getvalue()


def load_model() -> dict[str, Any]:
    """Parameters, printed anchors and conflicts: `data/profiles/modules.json`."""
    text = (data_dir() / "profiles" / "modules.json").read_text(encoding="utf-8")
    model: dict[str, Any] = json.loads(text)
    return model


def write_profiles() -> None:
    """Write the CSV file anew from the parameters."""
    (data_dir() / "profiles" / "p100-v100.csv").write_text(csv_text(load_model()), encoding="utf-8", newline="\n")
