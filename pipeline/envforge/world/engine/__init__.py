"""What holds the state of one instance: copy-on-write SQLite over a shared template."""
