"""A session at a quantile of its measured durations, such as p95: option `--durations` (ours)."""

from __future__ import annotations

import argparse
from dataclasses import replace

from euclio.core.errors import InputError
from euclio.core.words import joined
from euclio.problems.session.instance import Configuration, Module, Session, level_share


def modules_at(session: Session, level: str) -> tuple[Module, ...]:
    """The modules with a quantile of each duration in its place; modules with one profile still share one.

    Raises:
        InputError: a configuration does not say that quantile; names it and those that are known.
    """
    made: dict[int, tuple[Configuration, ...]] = {}
    for module in session.modules:
        if id(module.profile) not in made:
            made[id(module.profile)] = tuple(_at_quantile(module, c, level) for c in module.profile)
    return tuple(replace(module, profile=made[id(module.profile)]) for module in session.modules)


def _at_quantile(module: Module, configuration: Configuration, level: str) -> Configuration:
    known = configuration.quantiles_s
    if level in known:
        return replace(configuration, duration_s=known[level])
    what = f"{configuration.hardware} with batch {configuration.batch} and concurrency {configuration.concurrency}"
    has = f"it has {joined(known)}" if known else "it has none"
    raise InputError(
        f"is {level!r}, which module {module.name} on {what} does not say ({has}); add it to `quantiles_s` there, or "
        f"import measurements with a column {level}_s",
        field="durations",
    )


def quantile_level(text: str) -> str:
    """The value of option --durations.

    Raises:
        argparse.ArgumentTypeError: it is no level of a quantile.
    """
    try:
        level_share(str(text), "")
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return str(text)
