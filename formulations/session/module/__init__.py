"""The cheapest plan of one module within a latency budget; nothing here depends on a DAG or a session."""
