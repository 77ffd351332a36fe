"""What agents can do: one module per tool, one contract for all (`agents/assignment.py`)."""
