"""Floor 0: records, outcomes, errors, ids, seeds and every Protocol. Standard library and pydantic only."""
