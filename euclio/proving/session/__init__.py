"""The independent prover of sessions: exact pricing, an integer search per module, budgets on the DAG (ours)."""
