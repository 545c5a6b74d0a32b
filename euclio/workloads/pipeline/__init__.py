"""Clusters of mixed GPUs to plan for: synthetic layer profiles, pre-partitioning, PPipe's setups and its artifact."""
