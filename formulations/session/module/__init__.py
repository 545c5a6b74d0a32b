"""The cheapest plan of one module within a latency budget; nothing here knows a DAG or a session."""
