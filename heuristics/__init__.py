"""The systems' own algorithms: Harpagon, Piccolo, baselines, ablations, Scrooge's greedy; NP, DART-r; Graft; rules.

Each room offers its solvers as `SOLVERS`.
"""
