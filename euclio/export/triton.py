"""Triton: a model repository per group of machines, each with a model configuration in the text format of protobuf."""

from __future__ import annotations

from collections.abc import Container

from euclio.export.groups import Deployment, Group
from euclio.export.remarks import group_remarks, plan_remarks
from euclio.files.yaml_writing import comments

CONFIGURATION = """name: "{model}"
max_batch_size: {batch}
instance_group [
  {{
    count: {concurrency}
    {kind}
  }}
]
dynamic_batching {{
  preferred_batch_size: [ {batch} ]
  max_queue_delay_microseconds: {delay}
}}
"""
LAYOUT = (
    "Start a server per machine with --model-repository on the folder of its group. The files of the model go into a "
    "folder 1 next to this file; where Triton cannot complete backend, inputs and outputs from them, add those here."
)


def model_repositories(deployed: Deployment, solver: str, without_gpu: Container[str]) -> dict[str, str]:
    """The model configurations by path: GROUP/MODEL/config.pbtxt; modules that share a machine share a repository.

    Args:
        deployed: the deployment.
        solver: who made the plan.
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
        )
        model = deployed.names.folders[group.module]
        text = "".join(f"{line}\n" for line in comments(remarks)) + _configuration(group, model, without_gpu)
        found[f"{group.home}/{model}/config.pbtxt"] = text
    return found


def _configuration(group: Group, model: str, without_gpu: Container[str]) -> str:
    c = group.configuration
    return CONFIGURATION.format(
        model=model,
        batch=c.batch,
        concurrency=c.concurrency,
        # Without the list of GPUs there would be so many instances on each GPU of the machine.
        kind="kind: KIND_CPU" if c.hardware in without_gpu else "kind: KIND_GPU\n    gpus: [ 0 ]",
        delay=group.queue_delay_us,
    )
