"""A chat-completions server on loopback that answers well, or misbehaves on demand: for tests and trials."""
