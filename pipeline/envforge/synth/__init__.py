"""Goals become tasks: intents, gold programs, oracles, checks."""
