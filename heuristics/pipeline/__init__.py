"""The systems that PPipe compares with: whole models on whole GPUs (NP), and replicated pairs of GPUs (DART-r)."""
