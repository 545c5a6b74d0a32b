"""What plans of a family may be asked to keep beyond its rules, such as an attainment under random arrivals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Keeping:
    """How a family is asked.

    Attributes:
        fields: names of the fields of a demand.
        read: name of a field and its value in; the value as plain data, or an `ArgumentTypeError`, out.
        demand: such fields in; the demand, or an `InputError`, out.
        solve: a demand and the run without it in; the checked result of many such runs out.
    """

    fields: Collection[str]
    read: Callable[[str, Any], Any]
    demand: Callable[[Mapping[str, Any]], Any]
    solve: Callable[[Any, Any], Any]
