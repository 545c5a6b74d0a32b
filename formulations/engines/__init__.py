"""The engines for formulations: HiGHS and CBC through PuLP, CP-SAT, and HiGHS on arrays."""
