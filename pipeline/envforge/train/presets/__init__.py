"""Settings that ship: a file each."""
