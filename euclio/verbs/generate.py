"""`generate`: drawn instances."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypedDict, Unpack

from euclio.core.families import families
from euclio.core.numbers import Number
from euclio.core.parts import Setting
from euclio.core.progress import waiting
from euclio.core.values import count as read_count
from euclio.core.values import seed as read_seed
from euclio.verbs.keywords import read, read_if
from euclio.verbs.verb import verb

Varied = Number | Sequence[Number] | None
"""A number, or a list of numbers, each of which instances are drawn with."""
Names = str | Iterable[str] | None


class GenerateKeywords(TypedDict, total=False):
    """Settings of kinds of instances, each of some kinds; `euclio generate --help` says which mean what."""

    application: Names
    rate: Varied
    slo: Varied
    modules: Varied
    tightness: Varied
    configurations: Varied
    hardware: Varied
    concurrency: Varied
    shape: Names
    models: Names
    gpus: Names
    library: Names
    cluster: Names
    high: Varied
    low: Varied
    group: Varied
    slo_scale: Varied
    margin: Varied
    blocks: Varied
    layers: Varied
    max_partitions: Varied
    fragments: Varied
    model: Names
    clients: Varied
    tx2: Varied
    slo_ratio: Varied
    bandwidth: Names
    trace: str | Path | None
    gpu_memory_mb: Varied
    instance_memory_mb: Varied
    gpu_instances: Varied


def _settings() -> dict[str, Setting]:
    """The settings of all kinds, by name."""
    return {own.name: own for family in families() for kind in family.kinds() for own in kind.settings}


@verb(GenerateKeywords, more=_settings)
def generate(
    kind: str,
    out: str | Path | None = None,
    *,
    count: Number | None = None,
    seed: Number | None = None,
    **settings: Unpack[GenerateKeywords],
) -> list[Any]:
    """Draw instances, as `euclio generate` writes them; the same arguments give the same ones.

    Args:
        kind: kind of workload, such as "application", "workloads", "random" or "pipelines"; a wrong one lists them all.
        out: also write them: a folder, or with a name ending in .json the file of a single instance.
        count: how many; None: 1.
        seed: seed of random choices; None: 0.
        **settings: settings of the kind, such as `application`, `rate`, `slo`, `models`. A list of values (of lists,
            where a value is a list) stands for each of them.

    Returns:
        The instances.

    Raises:
        InputError: an unknown kind, a setting that it does not take, one that is missing, or a wrong value.
    """
    from euclio.workloads.generation import draw_instances, write_instances

    asked = {"count": read_if(read_count, count, "--count"), "seed": read_if(read_seed, seed, "--seed")}
    chosen = {name: value for name, value in asked.items() if value is not None}
    known = _settings()
    given = {name: _plain(known[name], value) for name, value in settings.items() if value is not None}
    with waiting("drawing instances"):
        drawn = list(draw_instances(kind, **chosen, settings=given))
    if out is not None:
        write_instances(drawn, Path(out))
    return drawn


def _plain(setting: Setting, value: Any) -> Any:
    """The plain value of a setting, as an experiment file has it."""
    if isinstance(value, str):
        value = read(setting.text, value, setting.flag)
    if isinstance(value, Path | Fraction):
        return str(value) if isinstance(value, Path) else float(value)
    return list(value) if isinstance(value, tuple) else value
