"""The engines that formulations are handed to: HiGHS and CBC through PuLP, CP-SAT, and HiGHS on arrays."""
