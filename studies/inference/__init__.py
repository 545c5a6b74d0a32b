"""All settings of the workload generator that are consistent with the printed numbers, and their consequences."""
