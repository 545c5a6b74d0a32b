"""Kubernetes, Ray Serve and Triton: the machines of a plan in their formats, a group of machines alike at a time."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterable, Sequence
from textwrap import indent
from typing import Any

import yaml

from euclio.core.errors import InputError
from euclio.export.groups import Deployment, MachineGroup
from euclio.export.names import label_value
from euclio.export.remarks import comments, group_remarks, plan_remarks

NODE_LABEL = "euclio/hardware"
PORT = 8000
"""The port of containers if none is given: that of Triton's HTTP protocol."""
MANAGED = {"app.kubernetes.io/managed-by": "euclio"}

_PLAIN = re.compile(r"(?!(?:true|false|yes|no|on|off|y|n|null)$)[a-z][a-z0-9_./-]*", re.IGNORECASE)
"""Texts that need no quotes: no parser, of YAML 1.1 or 1.2, reads them as a number, a truth value or nothing."""


class _Dumper(yaml.SafeDumper):
    """Writes texts that need it in quotes, and writes a value out wherever it occurs."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def represent_text(self, text: str) -> yaml.ScalarNode:
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=None if _PLAIN.fullmatch(text) else '"')


_Dumper.add_representer(str, _Dumper.represent_text)


def _yaml_text(value: Any, remarks: Iterable[str]) -> str:
    """A document, or a part of one, in block style, with comments above it."""
    return comments(remarks) + yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=math.inf)


def manifests(
    deployed: Deployment, solver: str, without_gpu: Container[str], image: str, node_label: str, port: int
) -> str:
    """All Deployments and Services, a document each.

    Args:
        deployed: the deployment.
        solver: name of the solver that made the plan.
        without_gpu: names of the hardware that has no GPU.
        image: the containers' image; "{module}" in it stands for the module's name as a DNS label.
        node_label: key of the label by which nodes state their hardware.
        port: the port of the containers.
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
    for home, alike in deployed.homes.items():
        first = alike[0]
        labels = _labels(deployed, home, alike)
        gpu = _gpu_resource(deployed, first.configuration.hardware, without_gpu)
        own_image = image.replace("{module}", home if first.shares else names.labels[first.module])
        node = {node_label: names.hardware_values[first.configuration.hardware]}
        pod = _pod(deployed, home, alike, gpu, own_image, node, port)
        spoken = [
            *(() if documents else remarks),
            *(text for group in alike for text in group_remarks(deployed, group)),
        ]
        if first.shares:
            spoken.append(IN_ONE_POD)
        documents.append(_yaml_text(_deployment(home, first.machines, labels, pod), spoken))
        # The name of its own group stands for each module, and any pod may serve it.
        documents += [_yaml_text(_service(group, labels, port), ()) for group in alike]
    return "---\n".join(documents)


IN_ONE_POD = (
    "One pod serves these modules. Its variables list their values in the order of MODELS. It has to execute one batch "
    "at a time, in the order in which batches became full."
)


def _labels(deployed: Deployment, home: str, alike: Sequence[MachineGroup]) -> dict[str, str]:
    first = alike[0]
    return {
        "app.kubernetes.io/name": home if first.shares else deployed.names.module_values[first.module],
        "app.kubernetes.io/instance": home,
        "app.kubernetes.io/part-of": label_value(deployed.session.name),
        **MANAGED,
    }


def _selector(home: str) -> dict[str, str]:
    return {"app.kubernetes.io/instance": home}


def _deployment(home: str, machines: int, labels: dict[str, str], pod: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": home, "labels": labels},
        "spec": {
            "replicas": machines,
            "selector": {"matchLabels": _selector(home)},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }


def _gpu_resource(deployed: Deployment, hardware: str, without_gpu: Container[str]) -> str | None:
    """The resource of Kubernetes that a machine takes one of; None if it has no GPU.

    A slice has the name that NVIDIA's device plugin gives it, which states its memory, such as nvidia.com/mig-3g.20gb.

    Raises:
        InputError: the memory of a slice is unknown.
    """
    if hardware in without_gpu:
        return None
    i, own = next((i, h) for i, h in enumerate(deployed.session.hardware) if h.name == hardware)
    profile = next(iter(own.slices.values()), None)
    if profile is None:
        return "nvidia.com/gpu"
    if own.memory_mb is None:
        message = f"is missing; Kubernetes names a slice {profile} by its memory, such as nvidia.com/mig-3g.20gb"
        raise InputError(message, field=f"hardware[{i}].memory_mb")
    return f"nvidia.com/mig-{profile.partition('-')[0]}.{round(own.memory_mb / 1024)}gb"


def _pod(
    deployed: Deployment,
    home: str,
    alike: Sequence[MachineGroup],
    gpu: str | None,
    image: str,
    node: dict[str, str],
    port: int,
) -> dict[str, Any]:
    """A pod that has its machine to itself: it takes the machine's GPU, or keeps away from all other pods."""
    models = [{"name": "MODELS", "value": ",".join(deployed.names.folders[group.module] for group in alike)}]
    listed = {
        "MAX_BATCH_SIZE": [group.configuration.batch for group in alike],
        "INSTANCE_COUNT": [group.instances for group in alike],
        "MAX_QUEUE_DELAY_MICROSECONDS": [group.queue_delay_us for group in alike],
    }
    container: dict[str, Any] = {
        "name": "server",
        "image": image,
        "ports": [{"name": "http", "containerPort": port}],
        "env": [
            {"name": "GROUP", "value": home},
            *(models if alike[0].shares else ()),
            *({"name": name, "value": ",".join(map(str, values))} for name, values in listed.items()),
        ],
    }
    pod: dict[str, Any] = {"nodeSelector": node, "containers": [container]}
    if gpu is not None:
        container["resources"] = {"limits": {gpu: 1}}
    else:
        apart = {"labelSelector": {"matchLabels": MANAGED}, "topologyKey": "kubernetes.io/hostname"}
        pod["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}}
    return pod


def _service(group: MachineGroup, labels: dict[str, str], port: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": group.name, "labels": labels},
        "spec": {
            "selector": _selector(group.home),
            "ports": [{"name": "http", "port": port, "targetPort": "http"}],
        },
    }


CONFIGURATION = """name: "{model}"
max_batch_size: {batch}
instance_group [
  {{
    count: {instances}
    {kind}{limit}
  }}
]
dynamic_batching {{
  preferred_batch_size: [ {batch} ]
  max_queue_delay_microseconds: {delay}
}}
"""
ONE_AT_A_TIME = """
    rate_limiter {
      resources [
        {
          name: "machine"
          global: true
          count: 1
        }
      ]
    }"""
"""Instances of all models of a server that name this resource execute one after the other."""
RATE_LIMIT = "Start the server of this machine with --rate-limit=execution_count: it then executes one batch at a time."
LAYOUT = (
    "Start a server per machine with --model-repository on the folder of its group. The files of the model go into a "
    "folder 1 next to this file; where Triton cannot complete backend, inputs and outputs from them, add those here."
)


def model_repositories(deployed: Deployment, solver: str, without_gpu: Container[str]) -> dict[str, str]:
    """The model configurations by path: GROUP/MODEL/config.pbtxt; modules that share a machine share a repository.

    Args:
        deployed: the deployment.
        solver: name of the solver that made the plan.
        without_gpu: names of the hardware that has no GPU.
    """
    found: dict[str, str] = {}
    for group in deployed.groups:
        remarks = (
            *plan_remarks(deployed, solver),
            *deployed.names.folders.remarks(),
            *deployed.names.labels.remarks(),
            *group_remarks(deployed, group),
            LAYOUT,
            *([RATE_LIMIT] if group.shares else ()),
        )
        model = deployed.names.folders[group.module]
        text = comments(remarks) + _configuration(group, model, without_gpu)
        found[f"{group.home}/{model}/config.pbtxt"] = text
    return found


def _configuration(group: MachineGroup, model: str, without_gpu: Container[str]) -> str:
    c = group.configuration
    return CONFIGURATION.format(
        model=model,
        batch=c.batch,
        instances=group.instances,
        limit=ONE_AT_A_TIME if group.shares else "",
        # Without the list of GPUs, each GPU of the machine would have this number of instances.
        kind="kind: KIND_CPU" if c.hardware in without_gpu else "kind: KIND_GPU\n    gpus: [ 0 ]",
        delay=group.queue_delay_us,
    )


_PREFIX = "machine-"
"""The first part of a machine's resource."""
_ALL = 10**6
"""The requests that a replica accepts if all of them are to wait there, as with the router of a plan."""


def serve_config(deployed: Deployment, solver: str, without_gpu: Container[str], import_path: str) -> str:
    """The config file.

    Args:
        deployed: the deployment.
        solver: name of the solver that made the plan.
        without_gpu: names of the hardware that has no GPU.
        import_path: the application's place in Python, such as "serving:app".
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
    named = {"name": label_value(deployed.session.name), "route_prefix": "/", "import_path": import_path}
    # The library writes no comments, so a document with comments inside is put together here.
    deployments = (
        _yaml_text([_serve_deployment(deployed, group, without_gpu)], group_remarks(deployed, group))
        for group in deployed.groups
    )
    return _yaml_text({"applications": [named]}, remarks) + indent(f"deployments:\n{''.join(deployments)}", "  ")


def _resource(deployed: Deployment, group: MachineGroup) -> str:
    """The resource of Ray that a machine of this hardware is; names such as CPU and GPU are Ray's own."""
    return _PREFIX + deployed.names.hardware_values[group.configuration.hardware]


def _serve_deployment(deployed: Deployment, group: MachineGroup, without_gpu: Container[str]) -> dict[str, Any]:
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
