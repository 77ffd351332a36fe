"""Floor 5: sources become a database with provenance."""
