"""What would be hidden in the documents of a snapshot, and how fast it is looked for."""
