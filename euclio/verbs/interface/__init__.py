"""Makes functions verbs and commands: how parameters are read, the command line, its help."""
