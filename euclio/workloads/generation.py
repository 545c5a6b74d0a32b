"""Drawing instances by kind and settings, and writing them to files: `euclio generate`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from euclio.core.errors import InputError, reason_of
from euclio.core.progress import told
from euclio.files import save_instance
from euclio.workloads.kinds import find_kind, grid, read_settings, refuse_unknown
from euclio.workloads.populations import POPULATIONS, population


class Named(Protocol):
    """An instance with a name."""

    @property
    def name(self) -> str:
        """Name of the instance."""


def write_instances(instances: Sequence[Named], out: Path) -> list[Path]:
    """Write instances into a folder, one file per name, or a single one into a file ending in .json.

    Returns:
        The files written.

    Raises:
        InputError: several instances for one file, or nothing can be written there.
    """
    if out.suffix == ".json":
        if len(instances) > 1:
            raise InputError(f"{len(instances)} instances do not fit in one file; name a folder", field="out")
        paths = [out]
    else:
        _make_folder(out)
        paths = [out / f"{instance.name}.json" for instance in instances]
    for instance, path in zip(instances, paths, strict=True):
        save_instance(instance, path)
    return paths


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise InputError("is a file; name a folder, or a file ending in .json", file=str(path)) from None
    except (OSError, ValueError) as error:
        reason = reason_of(error)
        raise InputError(f"cannot be made: {reason.lower()}; choose another folder", file=str(path)) from None


def amount(kind: str, count: int | None = None, seed: int | None = None) -> tuple[int, int]:
    """How many instances, and from which seed, unless given: those of a population, else one from seed 0.

    Args:
        kind: name of a kind or of a population; it need not be known.
        count: how many; None means the name's default.
        seed: seed; None means the name's default.
    """
    population = POPULATIONS.get(kind)
    usual = (1, 0) if population is None else (population.count, population.seed)
    return usual[0] if count is None else count, usual[1] if seed is None else seed


def draw_instances(
    kind: str, count: int | None = None, seed: int | None = None, settings: Mapping[str, Any] | None = None
) -> Iterator[Any]:
    """Draw instances; the same arguments give the same ones.

    Args:
        kind: name of a population (`euclio.workloads.populations.POPULATIONS`), such as "harpagon", or of a kind
            (`euclio.workloads.kinds.kinds`), such as "random".
        count: how many of the kinds that draw them, per combination of settings; of "pipelines" the number of seeds;
            None means 1, of a population all.
        seed: seed; instance k of "random", "chain" and "pipelines" has seed + k; None: 0, of a population its own.
        settings: plain values by name; `KINDS` of the workloads says which a kind takes. A list of values (of
            lists, where a value is a list) stands for each of them, and the names of the instances distinguish them.

    Returns:
        The instances, each made when it is asked for; all settings are checked before.

    Raises:
        InputError: unknown kind, a setting that the kind does not take, one that is missing, or a wrong value.
    """
    given = {} if settings is None else settings
    if kind in POPULATIONS:
        refuse_unknown((), given, kind)
        return population(kind, count, seed)
    chosen = find_kind(kind)
    count, seed = amount(kind, count, seed)
    if count < 1:
        raise InputError(f"is {count}; it must be at least 1", field="count")
    if chosen.single and count > 1:
        raise InputError(f"is {count}; kind {kind!r} has nothing to draw and makes one instance", field="count")
    refuse_unknown(chosen.settings, given, kind)
    parts = [
        _distinguished(chosen.draw(read_settings(chosen.settings, point), count, seed), suffix)
        for suffix, point in grid(chosen.settings, given)
    ]
    return chain.from_iterable(parts)


def _distinguished(instances: Iterator[Any], suffix: str) -> Iterator[Any]:
    return (replace(instance, name=f"{instance.name}-{suffix}") if suffix else instance for instance in instances)


@told("drawing instances")
def generate(
    kind: str,
    out: Path,
    *,
    count: int | None = None,
    seed: int | None = None,
    settings: Mapping[str, Any] | None = None,
) -> list[Path]:
    """Write instances; the same arguments write the same bytes.

    Args:
        kind: as in `draw_instances`.
        out: a folder, or with a name ending in .json the file of a single instance.
        count: as in `draw_instances`.
        seed: as in `draw_instances`.
        settings: as in `draw_instances`.

    Returns:
        The files written.

    Raises:
        InputError: as in `draw_instances`, or nothing can be written there.
    """
    return write_instances(list(draw_instances(kind, count, seed, settings)), out)
