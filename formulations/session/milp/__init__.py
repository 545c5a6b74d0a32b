"""Models in PuLP, solved by HiGHS or CBC: latency splitting, allocation of one module, and both in one MILP."""
