"""Profiles measured on this machine: what a batch takes, by batch size and by how many run at once (`euclio profile`).

A worker is a process that runs batches, one for each line that it reads: a user's command, or `worker.py` around a
function. As many workers run at once as the concurrency says, each of them busy until all of them have been measured.
"""
