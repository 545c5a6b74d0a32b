"""Ray Serve: one application with a deployment per group of machines, as a config file in YAML."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from euclio.export.groups import Deployment, Group
from euclio.export.names import label_value
from euclio.export.remarks import group_remarks, plan_remarks
from euclio.files.yaml_writing import Remarked, yaml_text

_PREFIX = "machine-"
"""What the resource of a machine begins with."""
_ALL = 10**6
"""Requests that a replica accepts where all that it is given is to wait there, as the router of a plan knows it."""


def serve_config(deployed: Deployment, solver: str, without_gpu: Container[str], import_path: str) -> str:
    """The config file.

    Args:
        deployed: the deployment.
        solver: who made the plan.
        without_gpu: names of the hardware that has no GPU.
        import_path: where the application stands in Python, such as "serving:app".
    """
    example = _resource(deployed, deployed.groups[0])
    remarks = (
        *plan_remarks(deployed, solver),
        "The application has to bind a deployment of each of these names. Nodes say what machine they are, for "
        f"instance by `ray start --resources='{{\"{example}\": 1}}'`. A replica takes a whole machine. Its "
        "`reconfigure` is given `user_config`, for `set_max_batch_size` and `set_batch_wait_timeout_s` of its "
        "`@serve.batch`; `max_concurrent_batches` is an argument of that decorator. A replica accepts "
        + (
            "whatever it is given."
            if deployed.router
            else "the requests of all batches that run, and of one that gathers."
        ),
        *deployed.names.hardware_values.remarks(_PREFIX),
        *deployed.names.labels.remarks(),
    )
    application = {
        "name": label_value(deployed.session.name),
        "route_prefix": "/",
        "import_path": import_path,
        "deployments": [
            Remarked(tuple(group_remarks(deployed, group)), _deployment(deployed, group, without_gpu))
            for group in deployed.groups
        ],
    }
    return yaml_text({"applications": [application]}, remarks)


def _resource(deployed: Deployment, group: Group) -> str:
    """The resource of Ray that a machine of this hardware is; names such as CPU and GPU are Ray's own."""
    return _PREFIX + deployed.names.hardware_values[group.configuration.hardware]


def _deployment(deployed: Deployment, group: Group, without_gpu: Container[str]) -> dict[str, Any]:
    c = group.configuration
    return {
        "name": group.name,
        "num_replicas": group.machines,
        "max_ongoing_requests": _ALL if group.routed else c.batch * (c.concurrency + 1),
        "user_config": {
            "max_batch_size": c.batch,
            "batch_wait_timeout_s": group.queue_delay_us / 10**6,
            "max_concurrent_batches": c.concurrency,
        },
        "ray_actor_options": {
            "num_gpus": 0 if c.hardware in without_gpu else 1,
            "resources": {_resource(deployed, group): 1},
        },
    }
