"""The independent prover of fleets too large for all subsets: bounds by linear programming duality (ours).

It shares no code with a solver. Floats propose bounds, and whole numbers prove them (`duality`).
"""
