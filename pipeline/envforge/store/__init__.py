"""Floor 1: folders, formats, atomic writes, validation, ledger."""
