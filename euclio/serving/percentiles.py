"""Words for percentile objectives, which verbs and files share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PERCENTILES = {"p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999}
"""Percentile objectives: the share of requests that is to be answered within so many seconds."""
MODULE_PERCENTILES = {f"module_{name}": share for name, share in PERCENTILES.items()}
"""The same of single modules, each a number of seconds by the name of the module."""


def with_attainment(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a demand, with the largest share of the modules' objectives as attainment where they are alone."""
    shares = [share for name, share in MODULE_PERCENTILES.items() if fields.get(name) is not None]
    alone = shares and not any(fields.get(name) is not None for name in ("attainment", *PERCENTILES))
    return {**fields, **({"attainment": max(shares)} if alone else {})}
