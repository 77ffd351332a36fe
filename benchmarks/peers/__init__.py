"""The same toy on envforge and on other servers of environments, measured alike (README.md)."""
