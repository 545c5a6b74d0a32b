"""The public greedy rule of PRISM: each model, largest rate/slo first, goes to the GPU under the least pressure."""

from fractions import Fraction

# EVOLVE-BLOCK-START


def solve(instance):
    """A placement: the GPU of each model, counted from 0."""
    models, gpus = instance["models"], range(instance["gpus"])
    load, free = [Fraction(0) for _ in gpus], [instance["gpu_memory_gb"] for _ in gpus]
    placement = [0] * len(models)
    for place in sorted(range(len(models)), key=lambda k: -Fraction(models[k]["rate"], models[k]["slo"])):
        size = models[place]["size_gb"]
        gpu = min((g for g in gpus if size < free[g]), key=lambda g: load[g] / free[g])
        load[gpu] += Fraction(models[place]["rate"], models[place]["slo"])
        free[gpu] -= size
        placement[place] = gpu
    return {"placement": placement}


# EVOLVE-BLOCK-END
