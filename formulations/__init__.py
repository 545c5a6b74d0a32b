"""Exact methods: formulations for solvers, and our own frontier search. Each room offers its solvers as `SOLVERS`."""
