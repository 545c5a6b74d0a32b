"""Sessions whose load changes while they are served (docs/model/changing-workloads.md; Scrooge §3.4 to §3.6, §4.2)."""
