"""Plan spaces of PPipe's MILP, corrected and as printed (PPipe appendix A)."""

from euclio.problems.pipeline import PipelineSpace

PPIPE_SPACE = PipelineSpace(one_per_sequence=True)
"""What PPipe's corrected MILP chooses from."""
LITERAL_SPACE = PipelineSpace(one_per_sequence=True, whole_gpus=False)
"""What the print chooses from, where it forces no pipeline."""
