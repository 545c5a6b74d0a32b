"""Kubernetes: a Deployment and a Service per group of machines, in YAML."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from euclio.export.groups import Deployment, Group
from euclio.export.names import label_value
from euclio.export.remarks import group_remarks, plan_remarks
from euclio.files.yaml_writing import yaml_text

NODE_LABEL = "euclio/hardware"
PORT = 8000
"""Where containers listen, unless another port is given: that of Triton's HTTP protocol."""
MANAGED = {"app.kubernetes.io/managed-by": "euclio"}


def manifests(
    deployed: Deployment, solver: str, without_gpu: Container[str], image: str, node_label: str, port: int
) -> str:
    """All Deployments and Services, a document each.

    Args:
        deployed: the deployment.
        solver: who made the plan.
        without_gpu: names of the hardware that has no GPU.
        image: the containers' image; "{module}" in it stands for the module's name as a DNS label.
        node_label: key of the label by which nodes say their hardware.
        port: where containers listen.
    """
    names = deployed.names
    hardware = names.hardware_values[deployed.groups[0].configuration.hardware]
    remarks = [
        *plan_remarks(deployed, solver),
        f"A machine is a node's one GPU, or a node without one. Nodes say which they are, for instance by "
        f"`kubectl label nodes NODE {node_label}={hardware}`. Containers are given their batch size, batches at a time "
        "and queue delay by environment variables; GROUP names the model repository that `--to triton` writes.",
        *names.hardware_values.remarks(),
        *names.module_values.remarks(),
        *names.labels.remarks(),
    ]
    documents: list[str] = []
    for group in deployed.groups:
        labels = _labels(deployed, group)
        gpu = group.configuration.hardware not in without_gpu
        own_image = image.replace("{module}", names.labels[group.module])
        node = {node_label: names.hardware_values[group.configuration.hardware]}
        pod = _pod(group, gpu, own_image, node, port)
        spoken = [*(() if documents else remarks), *group_remarks(deployed, group)]
        documents += [yaml_text(_deployment(group, labels, pod), spoken), yaml_text(_service(group, labels, port))]
    return "---\n".join(documents)


def _labels(deployed: Deployment, group: Group) -> dict[str, str]:
    return {
        "app.kubernetes.io/name": deployed.names.module_values[group.module],
        "app.kubernetes.io/instance": group.name,
        "app.kubernetes.io/part-of": label_value(deployed.session.name),
        **MANAGED,
    }


def _selector(group: Group) -> dict[str, str]:
    return {"app.kubernetes.io/instance": group.name}


def _deployment(group: Group, labels: dict[str, str], pod: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": group.name, "labels": labels},
        "spec": {
            "replicas": group.machines,
            "selector": {"matchLabels": _selector(group)},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }


def _pod(group: Group, gpu: bool, image: str, node: dict[str, str], port: int) -> dict[str, Any]:
    """A pod that has its machine to itself: by its GPU, or by keeping away from all others."""
    c = group.configuration
    container: dict[str, Any] = {
        "name": "server",
        "image": image,
        "ports": [{"name": "http", "containerPort": port}],
        "env": [
            {"name": "GROUP", "value": group.name},
            {"name": "MAX_BATCH_SIZE", "value": str(c.batch)},
            {"name": "INSTANCE_COUNT", "value": str(c.concurrency)},
            {"name": "MAX_QUEUE_DELAY_MICROSECONDS", "value": str(group.queue_delay_us)},
        ],
    }
    pod: dict[str, Any] = {"nodeSelector": node, "containers": [container]}
    if gpu:
        container["resources"] = {"limits": {"nvidia.com/gpu": 1}}
    else:
        apart = {"labelSelector": {"matchLabels": MANAGED}, "topologyKey": "kubernetes.io/hostname"}
        pod["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}}
    return pod


def _service(group: Group, labels: dict[str, str], port: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": group.name, "labels": labels},
        "spec": {"selector": _selector(group), "ports": [{"name": "http", "port": port, "targetPort": "http"}]},
    }
