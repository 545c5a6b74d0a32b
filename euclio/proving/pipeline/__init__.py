"""The independent prover of clusters: exact enumeration of pipelines, one model at a time, and packing (ours).

It shares no code with the solvers. A cutoff fixes the demand of every model, so the models part: `model_server` decides
exactly whether given GPUs suffice for one model, and `packing` whether there are GPUs for all of them. Floating point
proposes prices and prunes, with a margin towards searching more; fractions check every plan.
"""
