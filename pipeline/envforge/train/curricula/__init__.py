"""Which tasks come next: curricula behind one contract. A new one is one new file and its line in the registry."""
