"""All settings of the workload generator that are consistent with the printed figures, and what they imply."""
