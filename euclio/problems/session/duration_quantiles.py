"""A session at a quantile of its measured durations, such as p95: option `--durations` (ours)."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from euclio.core.errors import InputError
from euclio.core.words import joined
from euclio.problems.session.instance import Configuration, Module, Session, level_share


def modules_at(session: Session, level: str | None, longest_s: Mapping[str, Fraction]) -> tuple[Module, ...]:
    """The modules with a quantile of each duration in its place; modules that shared one profile still share one.

    Args:
        session: the session.
        level: the quantile; None leaves the durations as they are.
        longest_s: most seconds of a batch at these durations, by name of the module.

    Raises:
        InputError: a configuration does not state that quantile, or no configuration of a module is short enough.
    """
    made: dict[object, tuple[Configuration, ...]] = {}
    found = []
    for module in session.modules:
        longest = longest_s.get(module.name, module.longest_duration_s)
        key = id(module.profile), module.left_out
        if level is not None and key not in made:
            # Configurations that were too slow may be fast enough at this quantile.
            made[key] = tuple(_at_quantile(module, c, level) for c in module.given)
        try:
            if level is not None:
                found.append(replace(module, profile=made[key], left_out=(), longest_duration_s=longest))
            else:
                found.append(replace(module, longest_duration_s=longest))
        except InputError as error:
            raise InputError(f"{module.name} {error.message}", field=f"longest_duration_s.{module.name}") from None
    return tuple(found)


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
    """The value of option --durations; raises an `argparse.ArgumentTypeError` if it is no level of a quantile."""
    try:
        level_share(str(text), "")
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return str(text)
