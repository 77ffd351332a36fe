"""Floor 2: search, fetch, snapshot; everything from outside comes through here."""
