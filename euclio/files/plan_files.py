"""How the plans of a problem family stand in result files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from euclio.core.errors import InputError
from euclio.files.boundary import FileModel, Name, Number, Whole


class RunOptions(FileModel):
    """The options that results of every family have next to the plan space."""

    time_limit_s: Number | None = None
    seed: Whole = 0
    engine: Name | None = None
    threads: Whole | None = None
    warm_start: Name | None = None


@dataclass(frozen=True, slots=True)
class PlanFiles:
    """Reading and writing of a family's plans and plan spaces.

    Attributes:
        options: plan space and options of a run as they stand in a file.
        plan: a plan as it stands in a file.
        space_from: options and instance in, plan space out.
        plan_from: plan of the file and instance in, plan out.
        figures_from: the same in; what the file says about the plan, by the place where it stands, out.
        figures: instance, plan and the checker's answer in; the same figures as checked, out.
        data: instance, plan and the checker's answer in, plain data with fractions out.
    """

    options: type[RunOptions]
    plan: type[FileModel]
    space_from: Callable[[Any, Any], Any]
    plan_from: Callable[[Any, Any], Any]
    figures_from: Callable[[Any, Any], dict[str, Fraction]]
    figures: Callable[[Any, Any, Any], dict[str, Fraction]]
    data: Callable[[Any, Any, Any], dict[str, Any]]


def word(value: str, words: Iterable[str], field: str) -> str:
    """The value, if it is one of the words.

    Raises:
        InputError: it is not.
    """
    allowed = list(words)
    if value not in allowed:
        raise InputError(f"is {value[:40]!a}; it must be one of {', '.join(allowed)}", field=field)
    return value
