"""Plain enumerations, and the papers' brute-force references. Each room offers its solvers as `SOLVERS`."""
