"""Floor 4: accept or reject, with reason and evidence."""
