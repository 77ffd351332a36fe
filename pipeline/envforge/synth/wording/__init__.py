"""The words of a task."""
