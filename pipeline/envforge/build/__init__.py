"""Floor 5: a database becomes tools and unit tests."""
