"""Published sets in the formats of other frameworks: one thin file for each, and its line in the registry."""
