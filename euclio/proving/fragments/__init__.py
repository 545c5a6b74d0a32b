"""The independent prover of fleets too large for all subsets: bounds by linear programming duality (ours).

It shares no code with a solver. What it proposes in floats it proves in whole numbers (`duality`).
"""
