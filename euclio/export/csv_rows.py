"""CSV: one row per group of machines, with all of its numbers."""

from __future__ import annotations

from typing import Any

from euclio.export.groups import Deployment, Group
from euclio.files.csv_writing import csv_text


def csv_rows(deployed: Deployment) -> str:
    """The table; rates in requests per second, times in seconds, money per hour and machine."""
    rows = [_row(deployed, group) for group in deployed.groups]
    return csv_text(rows[0], (row.values() for row in rows))


def _row(deployed: Deployment, group: Group) -> dict[str, Any]:
    c = group.configuration
    index = deployed.session.index[group.module]
    of_module = deployed.of_module(group.module)
    return {
        "group": group.name,
        "shared_machine": "" if group.home == group.name else group.home,
        "module": group.module,
        "order": of_module.index(group) + 1,
        "hardware": c.hardware,
        "machines": group.machines,
        "max_batch_size": c.batch,
        "instance_count": c.concurrency,
        "max_queue_delay_microseconds": group.queue_delay_us,
        "gathering_s": group.gathering_s,
        "even_gathering_s": group.even_gathering_s,
        "waiting_s": group.waiting_s,
        "duration_s": c.duration_s,
        "worst_case_latency_s": group.latency_s,
        "rate_rps_per_machine": group.rate_rps,
        "throughput_rps_per_machine": c.throughput_rps,
        "load": group.load,
        "price_per_h": group.price_per_h,
        "module_rate_rps": deployed.session.modules[index].rate_rps,
        "module_dummy_rps": deployed.evaluation.modules[index].dummy_rps,
        "policy": deployed.space.policy.name,
        "not_expressed": _not_expressed(deployed, group, bool(deployed.evaluation.modules[index].dummy_rps)),
    }


def _not_expressed(deployed: Deployment, group: Group, dummies: bool) -> str:
    """What a table of machines leaves to its reader."""
    words = ["order of dispatch"] if len(deployed.of_module(group.module)) > 1 else []
    if group.needs_runs:
        words.append("whole batches in a run")
    if group.load < 1 and not deployed.space.charging.whole:
        words.append("share of a machine")
    if dummies:
        words.append("dummy requests")
    if deployed.session.spare_machines:
        words.append(f"spare machines ({deployed.session.spare_machines} of {group.configuration.hardware})")
    return "; ".join(words)
