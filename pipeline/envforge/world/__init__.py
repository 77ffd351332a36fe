"""Floor 2: live environments and the sandbox."""
